/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_analyze - from bytes and nanoseconds to rates, findings and the verdict
 */
#include "suite.h"

#include <stdlib.h>
#include <string.h>

#include "iotest/analyze.h"
#include "iotest/compiler.h"
#include "iotest/xalloc.h"

static struct record rec;

/* One phase of two workers with the given seconds, 1000 MiB each. */
static void add_phase(struct phase *p, double a_s, double b_s, bool is_read)
{
	const double ends[] = { a_s, b_s };

	p->status = PHASE_COMPLETE;
	p->planned_bytes = 2000 * MIB;
	for (size_t i = 0; i < 2; i++) {
		struct worker_result *w = XGROW(&p->workers, &p->n_workers);

		w->bytes = 1000 * MIB;
		w->ops = 16000;
		w->end_ns = (int64_t)(ends[i] * 1e9);
		w->last_io_ns = w->end_ns / 2;
		w->fsync_ns = is_read ? 0 : w->end_ns / 2;
		w->storage_bytes = 1000 * MIB;
	}
}

static void add_leaf(struct phase *p, int64_t read_bytes)
{
	struct device_count *d = XGROW(&p->devices, &p->n_devices);

	d->name = xstrdup("sda");
	d->is_leaf = 1;
	d->read_bytes = read_bytes;
	d->written_bytes = 0;
}

/* Two cores, two workers, 10 s each: 100 MiB/s per core, both phases proved. */
static void begin(void)
{
	struct target *t;

	record_init(&rec);
	rec.host.physical_cores = 2;
	rec.host.physical_cores_total = 2;
	rec.host.threads = 2;
	rec.host.sockets = 1;
	rec.host.cores_source = xstrdup("sysfs thread siblings");
	rec.host.memory_bytes = 1000 * MIB; /* half of what is written and read */
	t = XGROW(&rec.host.targets, &rec.host.n_targets);
	schema_init(&target_schema, t);
	t->kind = TARGET_LOCAL;
	t->fs_type = xstrdup("ext4");
	rec.plan.target_index = 0;
	rec.plan.cores = 2;
	rec.plan.workers = 2;
	rec.plan.cores_overridden = 0;
	rec.plan.workers_overridden = 0;
	rec.plan.sized_by = SIZED_BY_MEMORY;
	rec.plan.shrunk = 0;
	rec.plan.fits_in_cache = 0;
	rec.plan.cache_bytes = 1000 * MIB;
	rec.plan.requirement_mib_per_s = 100;
	rec.plan.requirement_given = 0;
	rec.run.left_bytes = 0;
	add_phase(&rec.run.write, 10, 10, false);
	add_phase(&rec.run.read, 10, 10, true);
	add_leaf(&rec.run.read, 2000 * MIB);
}

static const struct finding *find(const char *id)
{
	for (size_t i = 0; i < rec.report.n_findings; i++)
		if (!strcmp(rec.report.findings[i].id, id))
			return &rec.report.findings[i];
	return NULL;
}

static void end(void)
{
	record_done(&rec);
}

START_TEST(rates_are_bytes_over_first_start_to_last_end)
{
	const struct phase_rates *w = &rec.report.write;

	begin();
	rec.run.write.workers[0].end_ns = 10 * NS_PER_S;
	rec.run.write.workers[1].start_ns = 2 * NS_PER_S;
	rec.run.write.workers[1].end_ns = 40 * NS_PER_S;
	rec.run.write.workers[1].fsync_ns = 19 * NS_PER_S;
	analyze(&rec.report);
	ck_assert_int_eq(w->usable, 1);
	ck_assert_int_eq(w->bytes, 2000 * MIB);
	ck_assert_int_eq(w->elapsed_ns, 40 * NS_PER_S);
	ck_assert_double_eq_tol(w->aggregate_mib_per_s, 50, 1e-9);
	ck_assert_double_eq_tol(w->aggregate_mb_per_s, 52.4288, 1e-9);
	ck_assert_double_eq_tol(w->mib_per_s_per_core, 25, 1e-9);
	/* The scripts: 1000 MiB over the mean of 10 s and 38 s. */
	ck_assert_double_eq_tol(w->mean_mib_per_s_per_worker, 1000.0 / 24, 1e-9);
	ck_assert_int_eq(w->slowest_worker, 2);
	ck_assert_int_eq(w->fastest_worker, 1);
	ck_assert_double_eq_tol(w->fastest_mib_per_s, 100, 1e-9);
	ck_assert_int_eq(w->start_skew_ns, 2 * NS_PER_S);
	ck_assert_int_eq(w->first_done_ns, 10 * NS_PER_S);
	ck_assert_double_eq_tol(w->fsync_ratio, 24.0 / 48, 1e-9);
	ck_assert_double_eq_tol(w->need_mib_per_s, 200, 1e-9);
	ck_assert_int_eq(w->carries_cores, 0);
	ck_assert_ptr_nonnull(find("uneven-workers"));
	ck_assert_ptr_nonnull(find("mean-differs"));
	ck_assert_int_eq(rec.report.verdict.result, VERDICT_BELOW);
	end();
}
END_TEST

START_TEST(exactly_the_requirement_passes)
{
	begin();
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.verdict.result, VERDICT_PASS);
	ck_assert_double_eq_tol(rec.report.verdict.mib_per_s_per_core, 100, 1e-9);
	ck_assert_int_eq(rec.report.read.carries_cores, 2);
	/* Nothing but the small memory of this example, and that there was one run. */
	ck_assert_uint_eq(rec.report.n_findings, 2);
	ck_assert_ptr_nonnull(find("memory-per-core-low"));
	ck_assert_ptr_nonnull(find("no-interval"));
	ck_assert_int_eq(report_exit_status(&rec.report), 0);
	end();
}
END_TEST

/* What each change of the facts does to the verdict, the exit status with --require, and which
 * finding says so. */
static void slow_write(void)
{
	rec.run.write.workers[0].end_ns = 11 * NS_PER_S;
}
static void write_failed(void)
{
	rec.run.write.status = PHASE_FAILED;
	rec.run.write.workers[1].error = 28;
	rec.run.write.workers[1].error_op = OP_WRITE;
}
static void read_killed(void)
{
	rec.run.read.status = PHASE_FAILED;
	rec.run.read.workers[1].exit_signal = 9;
}
static void silent_loss(void)
{
	rec.run.write.status = PHASE_FAILED;
}
static void nothing_ran(void)
{
	rec.run.failure = xstrdup("/saswork: cannot create the test files: Permission denied");
}
static void failed_and_slow(void)
{
	slow_write();
	read_killed();
}
static void read_from_cache(void)
{
	rec.run.read.devices[0].read_bytes = 1900 * MIB;
}
static void cache_and_slow_write(void)
{
	read_from_cache();
	slow_write();
}
static void short_read(void)
{
	rec.run.read.workers[0].end_ns = 400 * NS_PER_MS;
	rec.run.read.workers[1].end_ns = 400 * NS_PER_MS;
}
static void short_slow_read(void)
{
	short_read();
	rec.run.read.workers[0].bytes = MIB;
	rec.run.read.workers[1].bytes = MIB;
}
static void interrupted_read(void)
{
	rec.run.read.status = PHASE_INTERRUPTED;
	rec.run.interrupted_by = 15;
}
static void time_limited(void)
{
	rec.run.write.status = PHASE_TIME_LIMIT;
}
static void filled_by_others(void)
{
	rec.run.write.status = PHASE_SPACE;
	rec.run.write.least_free_bytes = 10 * MIB;
	rec.plan.keep_free_bytes = 20 * MIB;
}
static void filled_and_slow(void)
{
	filled_by_others();
	slow_write();
}
static void borderline(void)
{
	rec.run.write.workers[0].end_ns = 10400 * NS_PER_MS;
}
static void capped(void)
{
	slow_write();
	rec.plan.io.pace_is_cap = 1;
	rec.plan.io.pace_bytes_per_s = 101 * MIB;
	rec.plan.max_rate_mib_per_s = 202;
}
static void slower_than_its_cap(void)
{
	capped();
	rec.plan.io.pace_bytes_per_s = 103 * MIB;
}
static void no_time(void)
{
	for (int i = 0; i < 2; i++)
		rec.run.read.workers[i].end_ns = rec.run.read.workers[i].start_ns = 0;
}

START_TEST(verdicts_keep_their_order)
{
	static const struct {
		void (*change)(void);
		enum verdict_result result;
		int status;
		const char *finding;
	} rows[] = {
		{ slow_write, VERDICT_BELOW, 3, NULL },
		{ write_failed, VERDICT_INVALID, 4, "worker-failed" },
		{ read_killed, VERDICT_INVALID, 4, "worker-killed" },
		{ silent_loss, VERDICT_INVALID, 4, "bytes-missing" },
		{ nothing_ran, VERDICT_INVALID, 4, "run-failed" },
		{ failed_and_slow, VERDICT_INVALID, 4, "worker-killed" },
		{ read_from_cache, VERDICT_INCONCLUSIVE, 4, "read-cached" },
		{ cache_and_slow_write, VERDICT_BELOW, 3, "read-cached" },
		{ short_read, VERDICT_INCONCLUSIVE, 4, "too-short" },
		{ short_slow_read, VERDICT_INCONCLUSIVE, 4, "too-short" },
		{ interrupted_read, VERDICT_INCONCLUSIVE, 4, "interrupted" },
		{ time_limited, VERDICT_PASS, 0, "time-limit" },
		{ filled_by_others, VERDICT_PASS, 0, "space-short" },
		{ filled_and_slow, VERDICT_BELOW, 3, "space-short" },
		{ borderline, VERDICT_BELOW, 3, "borderline-unit" },
		{ capped, VERDICT_INCONCLUSIVE, 4, "rate-capped" },
		{ slower_than_its_cap, VERDICT_BELOW, 3, NULL },
		{ no_time, VERDICT_INCONCLUSIVE, 4, NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		begin();
		rows[i].change();
		analyze(&rec.report);
		ck_assert_msg(rec.report.verdict.result == (int)rows[i].result, "row %zu: %s", i,
			      rec.report.verdict.text);
		if (rows[i].finding)
			ck_assert_msg(find(rows[i].finding) != NULL, "row %zu: no %s", i,
				      rows[i].finding);
		rec.plan.requirement_given = 1;
		ck_assert_msg(report_exit_status(&rec.report) == rows[i].status, "row %zu", i);
		rec.plan.requirement_given = 0;
		ck_assert_int_eq(report_exit_status(&rec.report),
				 rows[i].result == VERDICT_INVALID ? 4 : 0);
		end();
	}
}
END_TEST

/* The worker that says why is not always the first that did not end well. */
START_TEST(the_worker_with_a_reason_is_named)
{
	begin();
	rec.run.write.status = PHASE_FAILED;
	rec.run.write.workers[0].exit_signal = 9;
	rec.run.write.workers[1].error = 28;
	rec.run.write.workers[1].error_op = OP_WRITE;
	analyze(&rec.report);
	ck_assert_ptr_nonnull(strstr(find("worker-failed")->text, "worker 2"));
	ck_assert_ptr_nonnull(strstr(find("worker-killed")->text, "worker 1"));
	end();

	/* One that somebody stopped for good, and that iotest had to end. */
	begin();
	rec.run.write.status = PHASE_FAILED;
	rec.run.write.workers[1].exit_signal = 9;
	rec.run.write.workers[1].given_up = 1;
	rec.run.write.workers[1].stopped_ns = 31 * NS_PER_S;
	analyze(&rec.report);
	ck_assert_str_eq(find("worker-killed")->text,
			 "write worker 2 did not end when it was told to: a signal had stopped it "
			 "31.0 s before; iotest ended it");
	end();

	begin();
	rec.run.read.status = PHASE_FAILED;
	rec.run.read.failure = xstrdup("cannot start worker process 2 of 2");
	rec.run.read.workers[0].exit_status = 1;
	analyze(&rec.report);
	ck_assert_ptr_nonnull(strstr(find("phase-failed")->text, "worker process 2"));
	end();

	begin();
	rec.run.read.status = PHASE_FAILED;
	rec.run.read.workers[0].exit_status = 1;
	analyze(&rec.report);
	ck_assert_ptr_nonnull(find("bytes-missing"));
	end();
}
END_TEST

START_TEST(who_stops_a_run_is_no_accident)
{
	begin();
	rec.run.write.status = PHASE_INTERRUPTED;
	rec.run.write.workers[0].exit_signal = 15;
	rec.run.interrupted_by = 15;
	analyze(&rec.report);
	ck_assert_ptr_null(find("worker-killed"));
	ck_assert_ptr_nonnull(find("interrupted"));
	end();
}
END_TEST

START_TEST(a_failed_run_shows_no_rate_of_either_phase)
{
	begin();
	read_killed();
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.write.usable, 0);
	ck_assert_double_lt(rec.report.write.mib_per_s_per_core, 0);
	ck_assert_ptr_nonnull(strstr(rec.report.verdict.text, "write n/a"));
	end();
}
END_TEST

START_TEST(absurd_facts_do_not_overflow)
{
	begin();
	for (int i = 0; i < 2; i++) {
		rec.run.read.workers[i].bytes = INT64_MAX;
		rec.run.read.workers[i].storage_bytes = INT64_MAX;
		rec.run.read.workers[i].end_ns = INT64_MAX;
		rec.run.read.workers[i].fsync_ns = INT64_MAX;
		rec.run.write.workers[i] = rec.run.read.workers[i];
		rec.run.write.workers[i].start_ns = -1;
	}
	add_leaf(&rec.run.read, INT64_MAX);
	add_leaf(&rec.run.read, INT64_MAX);
	rec.plan.requirement_mib_per_s = 1e-300;
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.read.bytes, INT64_MAX);
	end();
}
END_TEST

START_TEST(a_pass_by_time_limit_names_its_window)
{
	begin();
	analyze(&rec.report);
	ck_assert_ptr_null(strstr(rec.report.verdict.text, "in the time it had"));
	time_limited();
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.verdict.result, VERDICT_PASS);
	ck_assert_ptr_nonnull(strstr(rec.report.verdict.text, "in the time it had"));
	end();
}
END_TEST

START_TEST(a_failed_phase_has_no_rate)
{
	begin();
	write_failed();
	analyze(&rec.report);
	ck_assert_double_lt(rec.report.write.aggregate_mib_per_s, 0);
	ck_assert_double_lt(rec.report.write.mib_per_s_per_core, 0);
	ck_assert_int_eq(rec.report.write.usable, 0);
	ck_assert_double_lt(rec.report.verdict.mib_per_s_per_core, 0);
	end();
}
END_TEST

START_TEST(workers_and_cores_are_told_apart)
{
	begin();
	rec.plan.cores = 4;
	rec.plan.cores_overridden = 1;
	analyze(&rec.report);
	ck_assert_double_eq_tol(rec.report.write.mib_per_s_per_core, 50, 1e-9);
	ck_assert_double_eq_tol(rec.report.write.mean_mib_per_s_per_worker, 100, 1e-9);
	ck_assert_ptr_nonnull(find("overridden"));
	end();
}
END_TEST

static void disagree(void)
{
	rec.host.physical_cores_hwloc = 4;
}
static void sixteen_sockets(void)
{
	rec.host.sockets = 16;
}
static void throttle(void)
{
	rec.host.io_limits = xstrdup("254:0 read 100 MiB/s");
}
static void quota(void)
{
	rec.host.cpu_quota_cores = 0.5;
}
static void huge(void)
{
	rec.host.hugepages_bytes = 900 * MIB;
}
static void shrunk(void)
{
	rec.plan.shrunk = 1;
	rec.plan.bytes_per_worker = MIB;
	rec.plan.wanted_bytes_per_worker = GIB;
}
static void cached_loop(void)
{
	struct target *t = &rec.host.targets[0];
	struct device *d = XGROW(&t->devices, &t->n_devices);

	d->kind = DEVICE_LOOP;
	d->name = xstrdup("loop0");
}

START_TEST(facts_of_the_host_become_findings)
{
	static const struct {
		void (*change)(void);
		const char *finding;
	} rows[] = {
		{ disagree, "cores-disagree" }, { sixteen_sockets, "many-sockets" },
		{ throttle, "io-limit" },	{ quota, "cpu-quota" },
		{ huge, "hugepages" },		{ shrunk, "shrunk" },
		{ cached_loop, "loop-cached" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		begin();
		rows[i].change();
		analyze(&rec.report);
		ck_assert_msg(find(rows[i].finding) != NULL, "no %s", rows[i].finding);
		end();
	}
}
END_TEST

START_TEST(virtual_sockets_are_no_numa_machine)
{
	begin();
	sixteen_sockets();
	rec.host.os.hypervisor = xstrdup("vmware");
	analyze(&rec.report);
	ck_assert_ptr_null(find("many-sockets"));
	end();
}
END_TEST

START_TEST(an_empty_record_is_judged_without_a_crash)
{
	record_init(&rec);
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.verdict.result, VERDICT_INCONCLUSIVE);
	end();
}
END_TEST

START_TEST(analyze_again_gives_the_same)
{
	begin();
	borderline();
	analyze(&rec.report);
	size_t n = rec.report.n_findings;
	char *text = xstrdup(rec.report.verdict.text);

	analyze(&rec.report);
	ck_assert_uint_eq(rec.report.n_findings, n);
	ck_assert_str_eq(rec.report.verdict.text, text);
	free(text);
	end();
}
END_TEST

START_TEST(finding_ids_are_unique_and_plain)
{
	struct finding_kind a;
	struct finding_kind b;

	for (size_t i = 0; finding_kind_at(i, &a); i++) {
		ck_assert_uint_eq(strspn(a.id, "abcdefghijklmnopqrstuvwxyz-"), strlen(a.id));
		for (size_t k = i + 1; finding_kind_at(k, &b); k++)
			ck_assert_str_ne(a.id, b.id);
	}
}
END_TEST

SUITE_MAIN("analyze", rates_are_bytes_over_first_start_to_last_end, exactly_the_requirement_passes,
	   verdicts_keep_their_order, the_worker_with_a_reason_is_named,
	   who_stops_a_run_is_no_accident, a_failed_run_shows_no_rate_of_either_phase,
	   absurd_facts_do_not_overflow, a_pass_by_time_limit_names_its_window,
	   a_failed_phase_has_no_rate, workers_and_cores_are_told_apart,
	   facts_of_the_host_become_findings, virtual_sockets_are_no_numa_machine,
	   an_empty_record_is_judged_without_a_crash, analyze_again_gives_the_same,
	   finding_ids_are_unique_and_plain)
