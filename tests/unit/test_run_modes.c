/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_modes - runs that are not the ordinary one: mixed, together, budgets, control, bad data
 */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/clock.h"
#include "iotest/compiler.h"
#include "iotest/signals.h"
#include "iotest/xalloc.h"
#include "run/direct.h"
#include "run/execute.h"
#include "run/recorder.h"
#include "script_io.h"

#define BLOCK (64 * KIB)
#define WORKERS 2
#define BLOCKS 160
#define ALWAYS 1, INT_MAX

#define N_TARGETS 2
static char paths[N_TARGETS][64];
static struct target targets[N_TARGETS];
static struct host host;
static struct plan plans[N_TARGETS];
static struct run runs[N_TARGETS];
static struct err err;

static void plan_target_number(size_t i)
{
	struct plan *plan = &plans[i];

	(void)snprintf(paths[i], sizeof(paths[i]), "/dev/shm/iotest-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(paths[i]));
	targets[i] = (struct target){ .kind = TARGET_MEMORY };
	run_init(&runs[i]);
	xstr_set(&runs[i].id,
		 i ? "ffeeddccbbaa99887766554433221100" : "00112233445566778899aabbccddeeff");
	plan_init(plan);
	xstr_set(&plan->target, paths[i]);
	plan->target_index = (int64_t)i;
	plan->workers = WORKERS;
	plan->block_bytes = BLOCK;
	plan->blocks_per_worker = BLOCKS;
	plan->bytes_per_worker = BLOCKS * BLOCK;
	plan->total_bytes = WORKERS * plan->bytes_per_worker;
	plan->io.block_bytes = BLOCK;
	plan->io.pages_per_transfer = 1;
	plan->io.fsync_in_window = 1;
	plan->io.drop_cache = 1;
	plan->judges_write = 1;
	plan->judges_read = 1;
}

static void set_up(void)
{
	signals_install();
	for (size_t i = 0; i < N_TARGETS; i++)
		plan_target_number(i);
	host = (struct host){ .targets = targets, .n_targets = N_TARGETS };
	err = (struct err){ 0 };
}

/* Nothing may be left, whatever the test did. */
static void tear_down(void)
{
	for (size_t i = 0; i < N_TARGETS; i++) {
		ck_assert_int_eq(rmdir(paths[i]), 0);
		run_done(&runs[i]);
		plan_done(&plans[i]);
	}
}

static int64_t bytes_of(const struct phase *phase)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < phase->n_workers; i++)
		bytes += phase->workers[i].bytes;
	return bytes;
}

static const int shares[] = { 1, 30, 50, 70, 99 };

START_TEST(a_mixed_phase_reads_its_share_and_writes_the_rest)
{
	int64_t want = (int64_t)(BLOCKS * shares[_i] / 100.0 + 0.5) * BLOCK;
	const struct phase *mixed = &runs[0].mixed;

	plans[0].mixed_read_percent = shares[_i];
	ck_assert_msg(run_execute(&host, &plans[0], NULL, &runs[0], &err) == 0, "%s", err.sentence);
	ck_assert_int_eq(runs[0].write.status, PHASE_COMPLETE);
	ck_assert_int_eq(bytes_of(&runs[0].write), WORKERS * want);
	ck_assert_int_eq(runs[0].read.status, PHASE_NOT_RUN);
	ck_assert_int_eq(mixed->status, PHASE_COMPLETE);
	ck_assert_int_eq(bytes_of(mixed), plans[0].total_bytes);
	for (size_t i = 0; i < mixed->n_workers; i++) {
		ck_assert_int_eq(mixed->workers[i].read_bytes, want);
		ck_assert_int_eq(mixed->workers[i].stamps, want / 4096);
		ck_assert_int_eq(mixed->workers[i].bad_stamps, 0);
	}
}
END_TEST

START_TEST(runs_together_share_their_gates)
{
	const struct run_job jobs[] = { { &plans[0], &runs[0] }, { &plans[1], &runs[1] } };

	ck_assert_int_eq(run_execute_together(&host, jobs, N_TARGETS, NULL, &err), 0);
	for (size_t i = 0; i < N_TARGETS; i++) {
		ck_assert_int_eq(runs[i].write.status, PHASE_COMPLETE);
		ck_assert_int_eq(runs[i].read.status, PHASE_COMPLETE);
		ck_assert_int_eq(bytes_of(&runs[i].write), plans[i].total_bytes);
		ck_assert_int_eq(bytes_of(&runs[i].read), plans[i].total_bytes);
		ck_assert_int_eq(runs[i].read.workers[0].bad_stamps, 0);
		ck_assert_int_eq(runs[i].left_bytes, 0);
	}
	ck_assert_int_eq(runs[0].write.started_at_ns, runs[1].write.started_at_ns);
	ck_assert_int_eq(runs[0].read.started_at_ns, runs[1].read.started_at_ns);
}
END_TEST

START_TEST(phases_write_alone_reads_nothing)
{
	plans[0].judges_read = 0;
	ck_assert_int_eq(run_execute(&host, &plans[0], NULL, &runs[0], &err), 0);
	ck_assert_int_eq(runs[0].write.status, PHASE_COMPLETE);
	ck_assert_int_eq(runs[0].read.status, PHASE_NOT_RUN);
}
END_TEST

static bool always(void *context, const struct run *run, size_t job, int phase_kind)
{
	int *asked = context;

	(void)run;
	ck_assert_uint_eq(job, 0);
	*asked |= 1 << phase_kind;
	return true;
}

START_TEST(a_control_moves_each_block_once_with_several_at_a_time)
{
	int asked = 0;
	const struct run_watch watch = { .wants_control = always, .context = &asked };
	const struct phase *controls[] = { &runs[0].control_write, &runs[0].control_read };

	/* 20 MiB: 20 blocks of a control, which 8 do not divide. */
	plans[0].bytes_per_worker = 20 * MIB + 4 * BLOCK;
	plans[0].total_bytes = WORKERS * plans[0].bytes_per_worker;
	ck_assert_int_eq(run_execute(&host, &plans[0], &watch, &runs[0], &err), 0);
	ck_assert_int_eq(asked, 1 << PHASE_WRITE | 1 << PHASE_READ);
	for (size_t i = 0; i < ARRAY_LEN(controls); i++) {
		/* A file system in memory may refuse O_DIRECT: then that is what is told. */
		if (controls[i]->status == PHASE_FAILED) {
			ck_assert_ptr_nonnull(controls[i]->failure);
			continue;
		}
		ck_assert_int_eq(controls[i]->status, PHASE_COMPLETE);
		ck_assert_int_eq(controls[i]->depth, CONTROL_DEPTH);
		ck_assert_uint_eq(controls[i]->n_workers, WORKERS);
		ck_assert_int_eq(bytes_of(controls[i]), WORKERS * 20 * MIB);
		ck_assert_int_eq(controls[i]->workers[0].bad_stamps, 0);
	}
}
END_TEST

START_TEST(a_control_that_is_not_made_says_why)
{
	int asked = 0;
	const struct run_watch watch = { .wants_control = always, .context = &asked };
	const struct phase *control = &runs[0].control_write;

	plans[0].bytes_per_worker = MIB;
	plans[0].total_bytes = WORKERS * MIB;
	ck_assert_int_eq(run_execute(&host, &plans[0], &watch, &runs[0], &err), 0);
	ck_assert_int_eq(control->status, PHASE_NOT_RUN);
	ck_assert_str_eq(control->failure, "the files are too small for it");
	run_done(&runs[0]);
	run_init(&runs[0]);
	plans[0].time_limit_ns = 2 * NS_PER_S;
	ck_assert_int_eq(run_execute(&host, &plans[0], &watch, &runs[0], &err), 0);
	ck_assert_int_eq(control->status, PHASE_NOT_RUN);
	ck_assert_str_eq(control->failure, "less than 2.5 s of the time limit were left for it");
}
END_TEST

static char *limits_of_now(void *context)
{
	int *asked = context;

	(*asked)++;
	return xstrdup(*asked == 1 ? "8:0 read 1 MiB/s" : "");
}

START_TEST(limits_are_read_again_after_each_phase)
{
	int asked = 0;
	const struct run_watch watch = { .io_limits = limits_of_now, .context = &asked };

	ck_assert_int_eq(run_execute(&host, &plans[0], &watch, &runs[0], &err), 0);
	ck_assert_int_eq(asked, 2);
	ck_assert_str_eq(runs[0].write.io_limits, "8:0 read 1 MiB/s");
	ck_assert_str_eq(runs[0].read.io_limits, "none");
}
END_TEST

/* Changes a byte of the first test file that this process holds open. */
static void damage(void *context, const struct run_event *event)
{
	const int64_t *at = context;
	DIR *dir;

	if (event->kind != RUN_PHASE_END || event->sample.phase != PHASE_WRITE)
		return;
	dir = opendir("/proc/self/fd");
	for (const struct dirent *d = readdir(dir); d; d = readdir(dir)) {
		int fd = atoi(d->d_name);
		struct stat st;
		char byte;

		if (fstat(fd, &st) < 0 || st.st_size != plans[0].bytes_per_worker)
			continue;
		ck_assert_int_eq(pread(fd, &byte, 1, *at), 1);
		byte = (char)~byte;
		ck_assert_int_eq(pwrite(fd, &byte, 1, *at), 1);
		break;
	}
	(void)closedir(dir);
}

static const struct {
	int64_t at;
	int integrity;
	int want_kind;
} damages[] = {
	{ 5 * 4096 + 490, INTEGRITY_STAMPS, BAD_STAMP },
	{ 5 * 4096 + 2000, INTEGRITY_STAMPS, BAD_NONE },
	{ 5 * 4096 + 2000, INTEGRITY_FULL, BAD_CONTENT },
};

START_TEST(bad_data_is_found_where_it_lies)
{
	int64_t at = damages[_i].at;
	const struct run_watch watch = { .tell = damage, .context = &at };
	int64_t bad = 0;

	plans[0].io.integrity = damages[_i].integrity;
	ck_assert_int_eq(run_execute(&host, &plans[0], &watch, &runs[0], &err), 0);
	for (size_t i = 0; i < WORKERS; i++) {
		const struct worker_result *w = &runs[0].read.workers[i];

		bad += w->bad_stamps;
		if (w->bad_stamps == 0)
			continue;
		ck_assert_int_eq(w->bad_kind, damages[_i].want_kind);
		ck_assert_int_eq(w->bad_offset_bytes / 4096, 5);
	}
	ck_assert_int_eq(bad, damages[_i].want_kind != BAD_NONE);
}
END_TEST

START_TEST(a_storage_that_hangs_is_given_up_and_said_to)
{
	static const struct script_rule rules[] = {
		{ SCRIPT_PWRITE, 3, 3, .cap_bytes = -1, .pause_ns = 60 * NS_PER_S },
	};
	int64_t started_ns = clock_monotonic_ns();

	plans[0].mode = MODE_PROVE;
	plans[0].time_limit_ns = 2 * NS_PER_S;
	plans[0].write_budget_ns = 800 * NS_PER_MS;
	plans[0].read_budget_ns = 800 * NS_PER_MS;
	script_start(rules, ARRAY_LEN(rules));
	script_reach_system();
	ck_assert_int_eq(run_execute_with(&script_io, &host, &plans[0], NULL, &runs[0], &err), 0);
	ck_assert_int_eq(runs[0].write.status, PHASE_STUCK);
	ck_assert_int_eq(runs[0].read.status, PHASE_NOT_RUN);
	ck_assert_int_eq(runs[0].left_bytes, -1);
	ck_assert_int_eq(runs[0].remove_error, ETIMEDOUT);
	/* Far from the minute that the call would have taken. */
	ck_assert_int_lt(clock_monotonic_ns() - started_ns, 30 * NS_PER_S);
}
END_TEST

START_TEST(a_budget_ends_a_phase_in_order)
{
	static const struct script_rule rules[] = {
		{ SCRIPT_PWRITE, ALWAYS, .cap_bytes = -1, .pause_ns = 20 * NS_PER_MS },
	};

	plans[0].mode = MODE_QUICK;
	plans[0].time_limit_ns = 20 * NS_PER_S;
	plans[0].write_budget_ns = 700 * NS_PER_MS;
	plans[0].read_budget_ns = 8 * NS_PER_S;
	script_start(rules, ARRAY_LEN(rules));
	script_reach_system();
	ck_assert_int_eq(run_execute_with(&script_io, &host, &plans[0], NULL, &runs[0], &err), 0);
	ck_assert_int_eq(runs[0].write.status, PHASE_TIME_LIMIT);
	ck_assert_int_le(runs[0].write.budget_ns, 700 * NS_PER_MS);
	ck_assert_int_gt(runs[0].write.budget_ns, 0);
	ck_assert_int_eq(runs[0].read.status, PHASE_COMPLETE);
	/* All read as much as the one that wrote least. */
	ck_assert_int_eq(bytes_of(&runs[0].read), runs[0].read.planned_bytes);
	ck_assert_int_le(bytes_of(&runs[0].read), bytes_of(&runs[0].write));
	ck_assert_int_gt(bytes_of(&runs[0].read), 0);
}
END_TEST

START_TEST(a_series_keeps_at_most_its_points_and_the_last_one)
{
	struct phase phase = { .dirty_peak_bytes = -1 };
	struct recorder recorder = { 0 };
	const int n = 3 * SERIES_POINTS_MAX + 7;

	for (int i = 1; i <= n; i++) {
		const struct series_point point = {
			.at_ns = i,
			.bytes = 10 * i,
			.dirty_bytes = i == 99 ? 12345 : 1,
		};

		recorder_add(&recorder, &phase, &point);
	}
	recorder_end(&recorder, &phase);
	ck_assert_uint_le(phase.n_series, SERIES_POINTS_MAX);
	ck_assert_uint_ge(phase.n_series, SERIES_POINTS_MAX / 2);
	ck_assert_int_eq(phase.series[phase.n_series - 1].at_ns, n);
	ck_assert_int_eq(phase.dirty_peak_bytes, 12345);
	for (size_t i = 1; i < phase.n_series; i++) {
		ck_assert_int_gt(phase.series[i].at_ns, phase.series[i - 1].at_ns);
		ck_assert_int_eq(phase.series[i].bytes, 10 * phase.series[i].at_ns);
	}
	free(phase.series);
}
END_TEST

static const struct {
	double rate[6]; /* of each round, after a first half second */
	bool want;
} courses[] = {
	{ { 100, 100, 100, 100, 100, 100 }, true },
	{ { 300, 100, 101, 99, 100, 100 }, true },
	{ { 100, 100, 100, 100, 100, 130 }, false },
	{ { 50, 60, 70, 80, 90, 100 }, false },
};

START_TEST(a_phase_is_steady_by_its_last_five_rounds)
{
	struct phase phase = { 0 };
	double bytes = 0;

	for (int i = 0; i < 6 * 8; i++) {
		bytes += courses[_i].rate[i / 8] * (double)MIB / 4;
		*XGROW(&phase.series, &phase.n_series) = (struct series_point){
			.at_ns = (i + 1) * 250 * NS_PER_MS,
			.bytes = (int64_t)bytes,
			.device_written_bytes = -1,
		};
	}
	ck_assert_int_eq(recorder_is_steady(&phase, 24 * NS_PER_S), courses[_i].want);
	/* Four rounds are not five. */
	phase.n_series = 4 * 8;
	ck_assert(!recorder_is_steady(&phase, 24 * NS_PER_S));
	free(phase.series);
}
END_TEST

START_TEST(what_direct_io_needs_is_learned_or_refused)
{
	CLEANUP(xfree) char *path = xasprintf("%s/f", paths[0]);
	int fd = open(path, O_CREAT | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
	const char *source = NULL;
	int64_t align = -1;
	struct stat st;

	ck_assert_int_eq(unlink(path), fd < 0 && errno == ENOENT ? -1 : 0);
	/* Kernels before 6.6 refuse it on a file system in memory. */
	if (fd < 0)
		return;
	ck_assert_int_eq(direct_learn(fd, &align, &source), 0);
	ck_assert_int_ge(align, 1);
	ck_assert(!strcmp(source, "statx") || !strcmp(source, "tried"));
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_size, 0);
	(void)close(fd);
}
END_TEST

/* A device of this host whose counters can be read; the files under test need not lie on it. */
static void add_any_device(struct target *target, struct device *device)
{
	DIR *dir = opendir("/sys/class/block");
	struct dirent *entry = dir ? readdir(dir) : NULL;

	*device = (struct device){ .is_leaf = 1 };
	while (entry && entry->d_name[0] == '.')
		entry = readdir(dir);
	if (entry)
		device->name = xstrdup(entry->d_name);
	if (dir)
		(void)closedir(dir);
	target->devices = device;
	target->n_devices = device->name ? 1 : 0;
}

START_TEST(gentle_holds_all_workers_between_slices_and_counts_their_work_only)
{
	const struct phase *write = &runs[0].write;
	struct device device;
	int64_t end_ns = 0;

	add_any_device(&targets[0], &device);
	plans[0].gentle = 1;
	plans[0].slice_ns = 300 * NS_PER_MS;
	plans[0].patience_ns = 0;
	plans[0].judges_read = 0;
	/* 10 MiB of each worker in a second. */
	plans[0].io.pace_bytes_per_s = 10 * MIB;
	ck_assert_msg(run_execute(&host, &plans[0], NULL, &runs[0], &err) == 0, "%s", err.sentence);
	free(device.name);
	ck_assert_int_eq(write->status, PHASE_COMPLETE);
	ck_assert_int_eq(bytes_of(write), plans[0].total_bytes);
	if (runs[0].brake.kind == BRAKE_NONE)
		return;
	/* Before the start, and at least once within it. */
	ck_assert_int_ge(runs[0].brake.n_looks, 2);
	ck_assert_int_ge(write->held_ns, 500 * NS_PER_MS);
	for (size_t i = 0; i < write->n_workers; i++)
		if (write->workers[i].end_ns > end_ns)
			end_ns = write->workers[i].end_ns;
	ck_assert_int_ge(end_ns, 990 * NS_PER_MS);
	ck_assert_int_le(end_ns + write->held_ns, runs[0].ended_at_ns - runs[0].started_at_ns);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("run_modes");
	TCase *tc = tcase_create("modes");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, a_mixed_phase_reads_its_share_and_writes_the_rest, 0,
			    ARRAY_LEN(shares));
	tcase_add_test(tc, runs_together_share_their_gates);
	tcase_add_test(tc, phases_write_alone_reads_nothing);
	tcase_add_test(tc, a_control_moves_each_block_once_with_several_at_a_time);
	tcase_add_test(tc, a_control_that_is_not_made_says_why);
	tcase_add_test(tc, limits_are_read_again_after_each_phase);
	tcase_add_loop_test(tc, bad_data_is_found_where_it_lies, 0, ARRAY_LEN(damages));
	tcase_add_test(tc, a_storage_that_hangs_is_given_up_and_said_to);
	tcase_add_test(tc, a_budget_ends_a_phase_in_order);
	tcase_add_test(tc, a_series_keeps_at_most_its_points_and_the_last_one);
	tcase_add_loop_test(tc, a_phase_is_steady_by_its_last_five_rounds, 0, ARRAY_LEN(courses));
	tcase_add_test(tc, gentle_holds_all_workers_between_slices_and_counts_their_work_only);
	tcase_add_test(tc, what_direct_io_needs_is_learned_or_refused);
	suite_add_tcase(suite, tc);
	sr = srunner_create(suite);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
