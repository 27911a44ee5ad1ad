/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_meter - what the host counted while a phase went on
 */
#include <errno.h>
#include <stdint.h>

#include "iotest/compiler.h"
#include "iotest/xalloc.h"
#include "run/kthread.h"
#include "run/meter.h"
#include "suite.h"
#include "testdir.h"

/* ------------------------------------------------------------------ texts */

static const struct {
	const char *text;
	int64_t tick_ns;
	int want_rc;
	int64_t want_busy;
	int64_t want_all;
} stats[] = {
	/* user nice system idle iowait irq softirq steal guest guest_nice */
	{ "cpu  1 2 4 1000 2000 8 16 32 5000 6000\ncpu0 9 9 9 9\n", 10, 0, 630, 30630 },
	{ "cpu  1 2 4 1000 2000 8 16 32\n", 1, 0, 63, 3063 },
	{ "cpu  1 2 4 1000\n", 1, 0, 7, 1007 },
	{ "cpu  1 2 4\n", 1, -EINVAL, -5, -5 },
	{ "cpu0 1 2 4 1000\n", 1, -EINVAL, -5, -5 },
	{ "", 1, -EINVAL, -5, -5 },
	{ "cpu  1 2 4 1000\n", 0, -EINVAL, -5, -5 },
	{ "cpu  1 2 4 -1000\n", 1, -EINVAL, -5, -5 },
	{ "cpu  1 2 4 9223372036854775807\n", 1, -EINVAL, -5, -5 },
	{ "cpu  1 2 4 922337203685477580\n", 11, -EINVAL, -5, -5 },
};

START_TEST(idle_and_iowait_are_not_busy_and_guests_count_once)
{
	for (size_t i = 0; i < ARRAY_LEN(stats); i++) {
		int64_t busy = -5, all = -5;

		ck_assert_int_eq(meter_parse_stat(stats[i].text, stats[i].tick_ns, &busy, &all),
				 stats[i].want_rc);
		ck_assert_int_eq(busy, stats[i].want_busy);
		ck_assert_int_eq(all, stats[i].want_all);
	}
}
END_TEST

typedef int parser(const char *text, int64_t *out);

static const struct {
	parser *parse;
	const char *text;
	int want_rc;
	int64_t want;
} texts[] = {
	{ meter_parse_meminfo,
	  "MemTotal:       100 kB\nDirty:            10 kB\nWriteback:       3 kB\n"
	  "WritebackTmp:   900 kB\n",
	  0, 13312 },
	{ meter_parse_meminfo, "Dirty: 10 kB\nWritebackTmp: 3 kB\n", -EINVAL, -5 },
	{ meter_parse_meminfo, "Writeback: 3 kB\n", -EINVAL, -5 },
	{ meter_parse_meminfo, "", -EINVAL, -5 },
	{ meter_parse_meminfo, "Dirty: 9223372036854775807 kB\nWriteback: 3 kB\n", -EINVAL, -5 },
	{ meter_parse_meminfo, "Dirty: 9223372036854775 kB\nWriteback: 0 kB\n", -EINVAL, -5 },

	{ meter_parse_cpu_stat,
	  "usage_usec 9\nuser_usec 8\nnr_periods 5\nnr_throttled 4\nthrottled_usec 7\n"
	  "burst_usec 6\n",
	  0, 7000 },
	{ meter_parse_cpu_stat, "nr_periods 5\nnr_throttled 4\nthrottled_time 7123\n", 0, 7123 },
	{ meter_parse_cpu_stat, "usage_usec 9\nuser_usec 8\nsystem_usec 1\n", -EINVAL, -5 },
	{ meter_parse_cpu_stat, "throttled_usec 9223372036854775807\n", -EINVAL, -5 },
	{ meter_parse_cpu_stat, "", -EINVAL, -5 },

	{ meter_parse_memory_stat, "file 9\nfile_mapped 8\nfile_dirty 30\nfile_writeback 4\n", 0,
	  34 },
	/* Of version 1: with those below, which the limit holds for, too. */
	{ meter_parse_memory_stat,
	  "cache 9\ndirty 1\nwriteback 2\ntotal_dirty 500\ntotal_writeback 60\n", 0, 560 },
	{ meter_parse_memory_stat, "dirty 1\nwriteback 2\n", -EINVAL, -5 },
	{ meter_parse_memory_stat, "file_dirty 1\n", -EINVAL, -5 },
	{ meter_parse_memory_stat, "file_dirty 9223372036854775807\nfile_writeback 1\n", -EINVAL,
	  -5 },

	{ meter_parse_memory_events, "low 1\nhigh 20\nmax 300\noom 4\noom_kill 5\n", 0, 320 },
	{ meter_parse_memory_events, "low 1\nhigh 20\n", -EINVAL, -5 },
	{ meter_parse_memory_events, "max 20\n", -EINVAL, -5 },
	{ meter_parse_memory_events, "high 9223372036854775807\nmax 1\n", -EINVAL, -5 },
	{ meter_parse_memory_events, "", -EINVAL, -5 },
};

START_TEST(a_text_gives_its_number_or_leaves_it)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		int64_t value = -5;

		ck_assert_msg(texts[i].parse(texts[i].text, &value) == texts[i].want_rc, "row %zu",
			      i);
		ck_assert_msg(value == texts[i].want, "row %zu: %lld", i, (long long)value);
	}
}
END_TEST

/* ------------------------------------------------------------------ readings */

/* A host whose limits lie in files of a folder; NULL: none. */
static void host_with(struct host *host, const char *top, const char *cpu, const char *memory)
{
	host_init(host);
	if (cpu)
		host->cpu_quota_source = xasprintf("%s/%s", top, cpu);
	if (memory)
		host->memory_limit_source = xasprintf("%s/%s", top, memory);
}

START_TEST(a_group_of_version_2_tells_beside_its_limits)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host;
	struct meter_reading reading;

	testdir_put(top, "a/cpu.stat", "usage_usec 1\nthrottled_usec 250\n");
	testdir_put(top, "b/memory.events", "low 0\nhigh 2\nmax 3\noom 0\noom_kill 7\n");
	testdir_put(top, "a/memory.events", "low 0\nhigh 99\nmax 99\noom 0\n");
	host_with(&host, top, "a/cpu.max", "b/memory.max");
	meter_read(&host, &reading);
	ck_assert_int_eq(reading.throttled_ns, 250000);
	ck_assert_int_eq(reading.memory_stalls, 5);
	ck_assert_int_eq(reading.oom_kills, 7);
}
END_TEST

START_TEST(a_group_of_version_1_tells_beside_its_limits)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host;
	struct meter_reading reading;

	testdir_put(top, "cpu/x/cpu.stat", "nr_periods 1\nnr_throttled 1\nthrottled_time 777\n");
	testdir_put(top, "memory/x/memory.failcnt", "12\n");
	testdir_put(top, "memory/x/memory.oom_control",
		    "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
	host_with(&host, top, "cpu/x/cpu.cfs_quota_us", "memory/x/memory.limit_in_bytes");
	meter_read(&host, &reading);
	ck_assert_int_eq(reading.throttled_ns, 777);
	ck_assert_int_eq(reading.memory_stalls, 12);
	ck_assert_int_eq(reading.oom_kills, 3);
}
END_TEST

START_TEST(without_a_limit_nothing_is_told_of_groups)
{
	CLEANUP(host_done) struct host host;
	struct meter_reading reading;

	host_with(&host, NULL, NULL, NULL);
	meter_read(&host, &reading);
	ck_assert_int_eq(reading.throttled_ns, -1);
	ck_assert_int_eq(reading.memory_stalls, -1);
	ck_assert_int_eq(reading.oom_kills, -1);
}
END_TEST

START_TEST(a_limit_whose_group_tells_nothing_is_unknown)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host;
	struct meter_reading reading;

	testdir_put(top, "memory.events", "nothing\n");
	host_with(&host, top, "cpu.max", "memory.max");
	meter_read(&host, &reading);
	ck_assert_int_eq(reading.throttled_ns, -1);
	ck_assert_int_eq(reading.memory_stalls, -1);
	ck_assert_int_eq(reading.oom_kills, -1);
}
END_TEST

START_TEST(dirty_pages_of_a_group_stand_beside_its_limit)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host limited;
	CLEANUP(host_done) struct host free_host;

	testdir_put(top, "memory.stat", "file_dirty 4096\nfile_writeback 8192\n");
	host_with(&limited, top, NULL, "memory.max");
	host_with(&free_host, NULL, NULL, NULL);
	ck_assert_int_eq(meter_group_dirty_bytes(&limited), 12288);
	ck_assert_int_eq(meter_group_dirty_bytes(&free_host), -1);
}
END_TEST

START_TEST(a_thread_of_the_kernel_is_found_by_its_name)
{
	CLEANUP(testdir_done) char *proc = testdir_new();

	ck_assert_int_eq(kthread_exists(proc, "ext4lazyinit"), -1);
	/* Of a container, in which no thread of the kernel can be seen. */
	testdir_put(proc, "2/comm", "bash\n");
	testdir_put(proc, "77/comm", "ext4lazyinit\n");
	ck_assert_int_eq(kthread_exists(proc, "ext4lazyinit"), -1);
	testdir_put(proc, "2/comm", "kthreadd\n");
	ck_assert_int_eq(kthread_exists(proc, "ext4lazyinit"), 1);
	ck_assert_int_eq(kthread_exists(proc, "ext4lazy"), 0);
	testdir_put(proc, "self/comm", "jbd2\n");
	ck_assert_int_eq(kthread_exists(proc, "jbd2"), 0);
}
END_TEST

START_TEST(the_live_host_counts_on)
{
	CLEANUP(host_done) struct host host;
	struct meter_reading first, second;

	host_with(&host, NULL, NULL, NULL);
	meter_read(&host, &first);
	meter_read(&host, &second);
	ck_assert_int_ge(first.busy_ns, 0);
	ck_assert_int_ge(first.cpu_ns, first.busy_ns);
	ck_assert_int_ge(second.busy_ns, first.busy_ns);
	ck_assert_int_ge(first.boot_less_monotonic_ns, 0);
	ck_assert_int_gt(first.wall_less_monotonic_ns, 0);
	ck_assert_int_ge(meter_dirty_bytes(), 0);
}
END_TEST

static const struct {
	const char *cgroup;
	int64_t high;
	const char *want; /* below the mount; "" none */
} highs[] = {
	{ "/a/b", 1000, "/a/b/memory.high" },
	{ "/a/b", 2000, "/a/memory.high" },
	{ "/a/b", 3000, "/memory.high" },
	{ "/a", 1000, "" },
	{ "/a/b", 4000, "" },
	{ "/a/b", -1, "" },
	{ "/gone/b", 3000, "/memory.high" },
};

START_TEST(memory_high_is_found_in_the_own_group_or_above)
{
	CLEANUP(testdir_done) char *top = testdir_new();

	testdir_put(top, "a/b/memory.high", "1000\n");
	testdir_put(top, "a/memory.high", "2000\n");
	testdir_put(top, "memory.high", "3000\n");
	for (size_t i = 0; i < ARRAY_LEN(highs); i++) {
		CLEANUP(xfree) char *want = xasprintf("%s%s", top, highs[i].want);
		CLEANUP(host_done) struct host host;
		char source[4096];

		host_init(&host);
		xstr_set(&host.cgroup, highs[i].cgroup);
		host.memory_high_bytes = highs[i].high;
		meter_find_memory_high(top, &host, source, sizeof(source));
		ck_assert_str_eq(source, *highs[i].want ? want : "");
	}
}
END_TEST

/* ------------------------------------------------------------------ differences */

#define MS NS_PER_MS

static const struct {
	struct meter_reading before, after;
	int64_t want_step, want_suspended, want_busy, want_cpu, want_throttled, want_stalls;
} differences[] = {
	{ { 5000, 7000, 10, 20, 30, 40, 40, 40 },
	  { 5000, 7000, 11, 22, 33, 44, 44, 44 },
	  0,
	  0,
	  1,
	  2,
	  3,
	  4 },
	/* Two clocks are never read at the same moment. */
	{ { 5 * MS, 5 * MS, 0, 0, 0, 0, 0, 0 },
	  { 6 * MS - 1, 4 * MS + 1, 0, 0, 0, 0, 0, 0 },
	  0,
	  0,
	  0,
	  0,
	  0,
	  0 },
	{ { 5 * MS, 5 * MS, 0, 0, 0, 0, 0, 0 },
	  { 6 * MS, 65 * MS, 0, 0, 0, 0, 0, 0 },
	  MS,
	  60 * MS,
	  0,
	  0,
	  0,
	  0 },
	/* Set back. */
	{ { 9 * MS, 0, 0, 0, 0, 0, 0, 0 }, { 2 * MS, 0, 0, 0, 0, 0, 0, 0 }, 7 * MS, 0, 0, 0, 0, 0 },
	/* Unknown at either end. */
	{ { -1, 0, -1, 0, -1, 0, 0, 0 }, { 0, -1, 5, -1, 5, -1, -1, -1 }, -1, -1, -1, -1, -1, -1 },
	{ { 0, -1, 5, -1, 5, -1, -1, -1 }, { -1, 0, -1, 5, -1, 5, 5, 5 }, -1, -1, -1, -1, -1, -1 },
	/* Went back. */
	{ { 0, 0, 9, 9, 9, 9, 9, 9 }, { 0, 0, 8, 8, 8, 8, 8, 8 }, 0, 0, -1, -1, -1, -1 },
};

START_TEST(a_phase_has_the_difference_of_two_readings)
{
	for (size_t i = 0; i < ARRAY_LEN(differences); i++) {
		struct phase phase = { 0 };

		meter_put(&differences[i].before, &differences[i].after, &phase);
		ck_assert_int_eq(phase.clock_step_ns, differences[i].want_step);
		ck_assert_int_eq(phase.suspended_ns, differences[i].want_suspended);
		ck_assert_int_eq(phase.host_busy_ns, differences[i].want_busy);
		ck_assert_int_eq(phase.host_cpu_ns, differences[i].want_cpu);
		ck_assert_int_eq(phase.throttled_ns, differences[i].want_throttled);
		ck_assert_int_eq(phase.memory_stalls, differences[i].want_stalls);
		ck_assert_int_eq(phase.oom_kills, differences[i].want_stalls);
		ck_assert_int_eq(phase.host_oom_kills, differences[i].want_stalls);
	}
}
END_TEST

SUITE_MAIN("run_meter", idle_and_iowait_are_not_busy_and_guests_count_once,
	   a_text_gives_its_number_or_leaves_it, a_group_of_version_2_tells_beside_its_limits,
	   a_group_of_version_1_tells_beside_its_limits, without_a_limit_nothing_is_told_of_groups,
	   a_limit_whose_group_tells_nothing_is_unknown,
	   dirty_pages_of_a_group_stand_beside_its_limit,
	   a_thread_of_the_kernel_is_found_by_its_name, the_live_host_counts_on,
	   memory_high_is_found_in_the_own_group_or_above,
	   a_phase_has_the_difference_of_two_readings)
