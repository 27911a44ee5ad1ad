/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_probe_memory - how much memory there is, and how much of it the control groups allow
 */
#include "probe_tree.h"
#include "suite.h"

static const struct {
	const char *tree;
	int64_t memory, available, hugepages, swap, dirty;
} memories[] = {
	{ "memory-24tib", 26388279066624, 23749451154432, -1, 4294963200, -1 },
	{ "memory-old", 4015607808, -1, -1, 2147475456, 803121560 },
	{ "memory-impossible", 4294967296, -1, -1, 4294963200, 858993440 },
	{ "memory-units", 4294967296, -1, 0, -1, -1 },
	{ "memory-hugepages", 637534208000, 573780787200, 572522496000, 4294963200, 31457280 },
	{ "memory-hugetlb", 637534208000, 573780787200, 549755813888, 4294963200, 114756157440 },
	{ "memory-empty", -1, -1, -1, -1, -1 },
	{ "memory-zero", -1, -1, -1, -1, -1 },
	{ "memory-overflow", -1, -1, -1, -1, -1 },
	{ "nothing", -1, -1, -1, -1, -1 },
};

START_TEST(meminfo_of_every_kernel_is_read)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(memories); i++) {
		CLEANUP(host_done) struct host host = { 0 };

		probe_grown(memories[i].tree, NULL, &host);
		ck_assert_msg(host.memory_bytes == memories[i].memory, "%s: %lld", memories[i].tree,
			      (long long)host.memory_bytes);
		ck_assert_int_eq(host.memory_available_bytes, memories[i].available);
		ck_assert_int_eq(host.hugepages_bytes, memories[i].hugepages);
		ck_assert_int_eq(host.swap_bytes, memories[i].swap);
		ck_assert_int_eq(host.dirty_limit_bytes, memories[i].dirty);
		if (memories[i].memory < 0)
			ck_assert(has_note(&host, "/proc/meminfo"));
	}
}
END_TEST

START_TEST(what_meminfo_cannot_mean_is_noted)
{
	CLEANUP(host_done) struct host impossible = { 0 };
	CLEANUP(host_done) struct host units = { 0 };

	probe_grown("memory-impossible", NULL, &impossible);
	ck_assert(has_note(&impossible, "more memory available than there is"));
	ck_assert(has_note(&impossible, "more huge pages than there is memory"));
	probe_grown("memory-units", NULL, &units);
	ck_assert(has_note(&units, "MemAvailable has the unit \"GB\""));
	ck_assert(has_note(&units, "SwapTotal has no unit"));
}
END_TEST

START_TEST(a_dirty_limit_is_never_more_than_the_memory)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };

	testdir_put(top, "proc/meminfo", "MemTotal: 4194304 kB\n");
	testdir_put(top, "proc/sys/vm/dirty_bytes", "1099511627776\n");
	tree_probe(top, NULL, &host);
	ck_assert_int_eq(host.dirty_limit_bytes, 4294967296);
}
END_TEST

/* quota 0: none; note: it is no quota. */
static const struct {
	const char *text;
	double quota;
	int note;
} quotas[] = {
	{ "50000 100000", 0.5, 0 },  { "max 100000", -1.0, 0 },
	{ "50000", 0.5, 0 },	     { "max", -1.0, 0 },
	{ "inf 100000", -1.0, 1 },   { "nan 100000", -1.0, 1 },
	{ "1e308 100000", -1.0, 1 }, { "50000 inf", -1.0, 1 },
	{ "50000 0", -1.0, 1 },	     { "50000 1e-300", -1.0, 1 },
	{ "0x10 100", -1.0, 1 },     { "-1 100000", -1.0, 1 },
	{ "5 5 5", -1.0, 1 },	     { "99999999999999999999 1", -1.0, 1 },
};

START_TEST(a_quota_is_two_whole_numbers)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(quotas); i++) {
		CLEANUP(testdir_done) char *top = testdir_new();
		CLEANUP(host_done) struct host host = { 0 };

		testdir_put(top, "proc/self/cgroup", "0::/a\n");
		testdir_put(top, "sys/fs/cgroup/a/cpu.max", quotas[i].text);
		tree_probe(top, NULL, &host);
		ck_assert_msg(host.cpu_quota_cores == quotas[i].quota, "%s: %g", quotas[i].text,
			      host.cpu_quota_cores);
		ck_assert_msg(has_note(&host, "/a/cpu.max") == quotas[i].note, "%s",
			      quotas[i].text);
	}
}
END_TEST

static const struct {
	const char *tree;
	int64_t limit;
	const char *source;
	int64_t used, high;
	double quota;
	const char *group;
} groups[] = {
	{ "cgroup-v2", 8589934592, "/sys/fs/cgroup/sas.slice/memory.max", 1073741824, 7516192768,
	  4.0, "/sas.slice/job.service" },
	{ "cgroup-v2-wide", -1, "", -1, -1, 0.5, "/big" },
	{ "cgroup-private", 4294967296, "/sys/fs/cgroup/memory.max", 268435456, -1, 1.5, "/" },
	{ "cgroup-outside", 2147483648, "/sys/fs/cgroup/memory.max", -1, -1, -1.0,
	  "/../../other/job" },
	{ "cgroup-v1", 17179869184, "/sys/fs/cgroup/memory/batch/memory.limit_in_bytes", 536870912,
	  -1, 2.5, "/batch/job" },
	{ "cgroup-v1-unlimited", -1, "", -1, -1, -1.0, "/a/b/c" },
	{ "cgroup-docker", 3221225472, "/sys/fs/cgroup/memory/memory.stat", 1048576, -1, 0.5,
	  "/docker/4f5e" },
	{ "cgroup-hybrid", 6442450944, "/sys/fs/cgroup/memory/tool/run/memory.limit_in_bytes", 100,
	  5368709120, -1.0, "/tool/run" },
	{ "nothing", -1, "", -1, -1, -1.0, "" },
};

START_TEST(the_tightest_limit_on_the_way_up_holds)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(groups); i++) {
		CLEANUP(host_done) struct host host = { 0 };

		probe_grown(groups[i].tree, NULL, &host);
		ck_assert_msg(host.memory_limit_bytes == groups[i].limit, "%s: %lld",
			      groups[i].tree, (long long)host.memory_limit_bytes);
		ck_assert_str_eq(text_of(host.memory_limit_source), groups[i].source);
		ck_assert_int_eq(host.memory_limit_used_bytes, groups[i].used);
		ck_assert_int_eq(host.memory_high_bytes, groups[i].high);
		ck_assert_msg(host.cpu_quota_cores == groups[i].quota, "%s: quota %g",
			      groups[i].tree, host.cpu_quota_cores);
		ck_assert_str_eq(text_of(host.cgroup), groups[i].group);
	}
}
END_TEST

START_TEST(a_quota_takes_no_cores_away)
{
	CLEANUP(testdir_done) char *top = tree_grow("cgroup-v2-wide");
	CLEANUP(host_done) struct host host = { 0 };

	testdir_put(top, "sys/devices/system/cpu/online", "0-3\n");
	tree_probe(top, NULL, &host);
	ck_assert_int_eq(host.physical_cores, 4);
}
END_TEST

START_TEST(groups_that_ignore_their_children_do_not_limit_them)
{
	CLEANUP(testdir_done) char *top = tree_grow("cgroup-v1");
	CLEANUP(host_done) struct host host = { 0 };

	testdir_put(top, "sys/fs/cgroup/memory/batch/memory.use_hierarchy", "0\n");
	testdir_put(top, "sys/fs/cgroup/memory/batch/job/memory.stat",
		    "hierarchical_memory_limit 9223372036854771712\n");
	tree_probe(top, NULL, &host);
	ck_assert_int_eq(host.memory_limit_bytes, -1);
}
END_TEST

START_TEST(groups_are_found_without_a_mount_table)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };

	testdir_put(top, "proc/self/cgroup", "0::/a/b\n");
	testdir_put(top, "sys/fs/cgroup/a/memory.max", "1073741824\n");
	tree_probe(top, NULL, &host);
	ck_assert_int_eq(host.memory_limit_bytes, 1073741824);
	ck_assert_str_eq(host.memory_limit_source, "/sys/fs/cgroup/a/memory.max");
}
END_TEST

static const struct {
	const char *tree;
	const char *limits;
	const char *source;
} throttles[] = {
	{ "cgroup-io",
	  "253:0 write 1.43 MiB/s; 253:0 read 200 IOPS; 8:0 read 100 MiB/s; 8:0 write 500 IOPS",
	  "/sys/fs/cgroup/sas.slice/job.service/io.max, /sys/fs/cgroup/sas.slice/io.max" },
	{ "cgroup-io-v1", "8:0 read 100 MiB/s; 253:0 read 200 MiB/s; 8:0 write 500 IOPS",
	  "/sys/fs/cgroup/blkio/batch/job/blkio.throttle.read_bps_device, "
	  "/sys/fs/cgroup/blkio/batch/job/blkio.throttle.write_iops_device" },
	{ "cgroup-v2", "", "" },
	{ "nothing", "", "" },
};

START_TEST(limits_on_devices_are_listed_as_they_hold)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(throttles); i++) {
		CLEANUP(host_done) struct host host = { 0 };

		probe_grown(throttles[i].tree, NULL, &host);
		ck_assert_str_eq(text_of(host.io_limits), throttles[i].limits);
		ck_assert_str_eq(text_of(host.io_limits_source), throttles[i].source);
	}
}
END_TEST

static const struct {
	const char *text;
	const char *limits;
} io_max[] = {
	{ "8:0 rbps=1048576", "8:0 read 1 MiB/s" },
	{ "8:0 wiops=7 rbps=max\n\n8:16 wbps=2048", "8:0 write 7 IOPS; 8:16 write 2 KiB/s" },
	{ "8:0 rbps=0 wbps=-1 riops=x wiops=99999999999999999999", "" },
	{ "8:0\n", "" },
	{ "rbps=5", "" },
	{ "8 rbps=5", "" },
	{ "8:0 other=5 rbps = 5", "" },
	{ "", "" },
};

START_TEST(what_is_no_limit_on_a_device_is_left_out)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(io_max); i++) {
		CLEANUP(testdir_done) char *top = testdir_new();
		CLEANUP(host_done) struct host host = { 0 };

		testdir_put(top, "proc/self/cgroup", "0::/a\n");
		testdir_put(top, "sys/fs/cgroup/a/io.max", io_max[i].text);
		tree_probe(top, NULL, &host);
		ck_assert_str_eq(text_of(host.io_limits), io_max[i].limits);
		ck_assert_str_eq(text_of(host.io_limits_source),
				 *io_max[i].limits ? "/sys/fs/cgroup/a/io.max" : "");
	}
}
END_TEST

START_TEST(what_sysinfo_tells_otherwise_is_noted)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };

	testdir_put(top, "proc/meminfo", "MemTotal: 4194304 kB\n");
	testdir_put(top, "os/sysinfo", "totalram_bytes=68719476736\n");
	tree_probe(top, NULL, &host);
	ck_assert_int_eq(host.memory_bytes, 4294967296);
	ck_assert(has_note(&host, "sysinfo(2) 68719476736"));
}
END_TEST

SUITE_MAIN("probe memory", meminfo_of_every_kernel_is_read, what_meminfo_cannot_mean_is_noted,
	   a_dirty_limit_is_never_more_than_the_memory, a_quota_is_two_whole_numbers,
	   the_tightest_limit_on_the_way_up_holds, a_quota_takes_no_cores_away,
	   groups_that_ignore_their_children_do_not_limit_them,
	   groups_are_found_without_a_mount_table, limits_on_devices_are_listed_as_they_hold,
	   what_is_no_limit_on_a_device_is_left_out, what_sysinfo_tells_otherwise_is_noted)
