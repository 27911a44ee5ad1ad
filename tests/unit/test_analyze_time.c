/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_analyze_time - what the time of a phase looked like, and what is judged then
 */
#include "suite.h"

#include "analyze_facts.h"

static struct record rec;

#define PHASE_OF(kind, ...)                                              \
	facts_phase(&rec, kind, (const struct stretch[]){ __VA_ARGS__ }, \
		    sizeof((const struct stretch[]){ __VA_ARGS__ }) / sizeof(struct stretch))

static void begin(void)
{
	facts_begin(&rec);
}

static void end(void)
{
	record_done(&rec);
}

static void only_read(void)
{
	rec.plan.judges_write = 0;
	rec.plan.judges_read = 1;
}

static void verdict_says(const char *text)
{
	ck_assert_msg(strstr(rec.report.verdict.text, text) != NULL, "%s", rec.report.verdict.text);
}

static void finding_says(const char *id, const char *text)
{
	const struct finding *f = facts_find(&rec, id);

	ck_assert_msg(f != NULL, "no %s", id);
	ck_assert_msg(strstr(f->text, text) != NULL, "%s", f->text);
}

START_TEST(an_even_phase_is_steady_and_judged_by_all)
{
	const struct phase_rates *w = &rec.report.write;

	begin();
	PHASE_OF(PHASE_WRITE, { 60, 300, 300, 0.3 });
	analyze(&rec.report);
	ck_assert_int_eq(w->round_ns, 2 * NS_PER_S);
	ck_assert_uint_eq(w->n_rounds, 30);
	ck_assert_int_eq(w->is_steady, 1);
	ck_assert_double_eq_tol(w->rounds[29].mib_per_s, 300, 1e-6);
	ck_assert_double_eq_tol(w->rounds[29].cpu_s_per_gib, 0.3, 1e-6);
	ck_assert_int_eq(w->rounds[29].end_ns, 60 * NS_PER_S);
	ck_assert_int_eq(w->judged_by, JUDGED_ALL);
	ck_assert_double_eq_tol(w->judged_mib_per_s_per_core, 150, 1e-6);
	ck_assert_int_eq(w->carries_cores, 3);
	ck_assert_double_lt(w->burst_mib_per_s, 0);
	ck_assert_double_lt(w->unspoiled_mib_per_s, 0);
	ck_assert_ptr_null(facts_find(&rec, "cliff"));
	ck_assert_ptr_null(facts_find(&rec, "not-steady"));
	ck_assert_int_eq(rec.report.verdict.result, VERDICT_PASS);
	end();
}
END_TEST

START_TEST(less_than_five_rounds_are_neither_steady_nor_not)
{
	begin();
	PHASE_OF(PHASE_WRITE, { 9, 300, 300, 0.3 });
	analyze(&rec.report);
	ck_assert_uint_eq(rec.report.write.n_rounds, 4);
	ck_assert_int_eq(rec.report.write.is_steady, -1);
	end();
}
END_TEST

START_TEST(a_ramp_is_not_steady_and_no_cliff)
{
	begin();
	only_read();
	PHASE_OF(PHASE_READ, { 4, 700, 700, 0.3 }, { 4, 600, 600, 0.3 }, { 4, 500, 500, 0.3 },
		 { 4, 400, 400, 0.3 }, { 4, 300, 300, 0.3 });
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.read.is_steady, 0);
	ck_assert_double_lt(rec.report.read.sustained_mib_per_s, 0);
	finding_says("not-steady", "rounds of read");
	end();
}
END_TEST

START_TEST(a_cliff_is_judged_by_what_is_sustained)
{
	const struct phase_rates *w = &rec.report.read;

	begin();
	only_read();
	PHASE_OF(PHASE_READ, { 212, 4100, 4100, 0.1 }, { 388, 160, 160, 0.1 });
	analyze(&rec.report);
	ck_assert_double_eq_tol(w->burst_mib_per_s, 4100, 1e-3);
	ck_assert_double_eq_tol(w->sustained_mib_per_s, 160, 1e-3);
	ck_assert_double_eq_tol((double)w->burst_ns, 212e9, 1e3);
	ck_assert_int_eq(w->judged_by, JUDGED_SUSTAINED);
	ck_assert_double_gt(w->mib_per_s_per_core, 700);
	ck_assert_double_eq_tol(w->judged_mib_per_s_per_core, w->sustained_mib_per_s / 2, 1e-9);
	ck_assert_int_eq(w->carries_cores, 1);
	finding_says("cliff", "read fell from 4100 to 160 MiB/s after 848.83 GiB");
	finding_says("cliff", "plan with 160");
	ck_assert_ptr_null(facts_find(&rec, "not-steady"));
	ck_assert_int_eq(rec.report.verdict.result, VERDICT_BELOW);
	verdict_says("slower than the requirement: read 80.0 MiB/s per core sustained, below");
	end();
}
END_TEST

START_TEST(the_sentence_of_a_cliff_has_the_burst)
{
	begin();
	PHASE_OF(PHASE_WRITE, { 200, 4096, 4096, 0.1 }, { 400, 1610, 1610, 0.1 });
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.write.burst_bytes, 800 * GIB);
	ck_assert_str_eq(facts_find(&rec, "cliff")->text,
			 "write fell from 4096 to 1610 MiB/s after 800 GiB (3 min 20 s): "
			 "plan with 1610");
	end();
}
END_TEST

START_TEST(a_page_cache_burst_is_no_cliff_when_the_device_is_even)
{
	begin();
	PHASE_OF(PHASE_WRITE, { 20, 2000, 400, 0.3 }, { 80, 150, 400, 0.3 }, { 30, 0, 400, 0 });
	analyze(&rec.report);
	ck_assert_double_lt(rec.report.write.sustained_mib_per_s, 0);
	ck_assert_int_eq(rec.report.write.judged_by, JUDGED_ALL);
	ck_assert_int_eq(rec.report.write.is_steady, 1);
	ck_assert_int_eq(rec.report.write.before_fsync_ns, 100 * NS_PER_S);
	ck_assert_double_eq_tol(rec.report.write.before_fsync_mib_per_s, 520, 1e-6);
	ck_assert_double_eq_tol(rec.report.write.aggregate_mib_per_s, 400, 1e-6);
	end();
}
END_TEST

START_TEST(writes_without_device_counters_have_no_cliff)
{
	begin();
	PHASE_OF(PHASE_WRITE, { 40, 2000, 400, 0.3 }, { 40, 300, 400, 0.3 }, { 30, 0, 400, 0 });
	for (size_t i = 0; i < rec.run.write.n_series; i++)
		rec.run.write.series[i].device_written_bytes = -1;
	rec.run.write.devices[0].written_bytes = -1;
	analyze(&rec.report);
	/* The rounds end with the writes: fsync moves nothing that is seen. */
	ck_assert_int_gt(rec.report.write.rounds[rec.report.write.n_rounds - 1].end_ns,
			 76 * NS_PER_S);
	ck_assert_int_le(rec.report.write.rounds[rec.report.write.n_rounds - 1].end_ns,
			 80 * NS_PER_S);
	ck_assert_double_lt(rec.report.write.sustained_mib_per_s, 0);
	end();
}
END_TEST

START_TEST(direct_writes_without_device_counters_can_have_a_cliff)
{
	begin();
	rec.plan.io.direct = 1;
	PHASE_OF(PHASE_WRITE, { 40, 2000, 2000, 0.3 }, { 80, 300, 300, 0.3 });
	for (size_t i = 0; i < rec.run.write.n_series; i++)
		rec.run.write.series[i].device_written_bytes = -1;
	rec.run.write.devices[0].written_bytes = -1;
	analyze(&rec.report);
	ck_assert_double_eq_tol(rec.report.write.sustained_mib_per_s, 300, 1e-6);
	end();
}
END_TEST

START_TEST(load_of_others_is_no_burst_of_ours)
{
	begin();
	/* Ours go on at 300; somebody else writes as much as twice that for the first half. */
	PHASE_OF(PHASE_WRITE, { 40, 300, 900, 0.3 }, { 80, 300, 300, 0.3 });
	analyze(&rec.report);
	ck_assert_double_gt(rec.report.write.foreign_ratio, 0.05);
	ck_assert_double_lt(rec.report.write.sustained_mib_per_s, 0);
	ck_assert_int_eq(rec.report.write.judged_by, JUDGED_ALL);
	end();
}
END_TEST

START_TEST(writers_held_to_the_storage_are_looked_at_themselves)
{
	begin();
	rec.plan.io.window_bytes = 256 * MIB;
	PHASE_OF(PHASE_WRITE, { 40, 300, 900, 0.3 }, { 80, 300, 300, 0.3 });
	analyze(&rec.report);
	ck_assert_double_eq_tol(rec.report.write.rounds[0].mib_per_s, 300, 1e-6);
	ck_assert_double_lt(rec.report.write.sustained_mib_per_s, 0);
	ck_assert_int_eq(rec.report.write.is_steady, 1);
	end();
}
END_TEST

START_TEST(a_mirror_counts_once)
{
	begin();
	rec.host.targets[0].data_copies = 2;
	PHASE_OF(PHASE_WRITE, { 40, 800, 1600, 0.3 }, { 80, 300, 600, 0.3 });
	analyze(&rec.report);
	ck_assert_double_eq_tol(rec.report.write.rounds[0].mib_per_s, 800, 1e-6);
	ck_assert_double_eq_tol(rec.report.write.sustained_mib_per_s, 300, 1e-6);
	ck_assert_int_eq(rec.report.write.burst_bytes, 32000 * MIB);
	end();
}
END_TEST

START_TEST(who_finishes_last_counts_below_a_sustained_rate)
{
	begin();
	only_read();
	PHASE_OF(PHASE_READ, { 40, 2000, 2000, 0.3 }, { 80, 300, 300, 0.3 });
	rec.run.read.workers[1].end_ns = 400 * NS_PER_S;
	analyze(&rec.report);
	ck_assert_double_gt(rec.report.read.sustained_mib_per_s,
			    rec.report.read.aggregate_mib_per_s);
	ck_assert_int_eq(rec.report.read.judged_by, JUDGED_ALL);
	finding_says("cliff", "plan with 260");
	end();
}
END_TEST

static void spoiled(void)
{
	begin();
	rec.host.os.hypervisor = xstrdup("kvm");
	PHASE_OF(PHASE_WRITE, { 8, 600, 600, 1.6 }, { 16, 1200, 1200, 0.3 });
}

START_TEST(rounds_of_first_touch_are_shown_and_all_is_judged)
{
	const struct phase_rates *w = &rec.report.write;

	spoiled();
	analyze(&rec.report);
	ck_assert_int_eq(w->n_spoiled_rounds, 4);
	ck_assert_int_eq(w->rounds[3].is_spoiled, 1);
	ck_assert_int_eq(w->rounds[4].is_spoiled, 0);
	ck_assert_double_eq_tol(w->unspoiled_mib_per_s, 1200, 1e-6);
	ck_assert_double_eq_tol(w->judged_mib_per_s_per_core, 500, 1e-6);
	ck_assert_int_eq(w->judged_by, JUDGED_ALL);
	ck_assert_double_eq_tol((double)w->spoiled_ns, 8e9, 1);
	finding_says("first-touch", "33 % of the time of write took 1.60 CPU s/GiB, the rest 0.30: "
				    "1000 MiB/s in all, 1200 MiB/s without that time");
	finding_says("first-touch", "(kvm)");
	end();
}
END_TEST

START_TEST(a_quick_run_leaves_the_first_touch_out)
{
	spoiled();
	rec.plan.mode = MODE_QUICK;
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.write.judged_by, JUDGED_UNSPOILED);
	ck_assert_double_eq_tol(rec.report.write.judged_mib_per_s_per_core, 600, 1e-6);
	ck_assert_double_eq_tol(rec.report.write.mib_per_s_per_core, 500, 1e-6);
	verdict_says("600.0 MiB/s per core without first touch of memory");
	end();
}
END_TEST

START_TEST(first_touch_is_found_wherever_it_is)
{
	static const struct {
		struct stretch parts[4];
		double spoiled_s;
		double unspoiled_mib_per_s; /* -1: too little is left */
		int64_t n_rounds;
	} rows[] = {
		/* at the end, in a phase too short for rounds: what is there is given out first */
		{ { { 2, 1800, 1800, 0.1 }, { 3, 600, 600, 1.9 } }, 3, 1800, 1 },
		/* in the middle */
		{ { { 8, 900, 900, 0.3 }, { 4, 450, 450, 1.6 }, { 12, 900, 900, 0.3 } },
		  4,
		  900,
		  2 },
		/* it comes and goes */
		{ { { 2, 900, 900, 0.1 },
		    { 1, 300, 300, 1.9 },
		    { 1, 900, 900, 0.1 },
		    { 2, 300, 300, 1.9 } },
		  3,
		  900,
		  1 },
		/* most of it: the rest is too short to stand for all */
		{ { { 0.75, 1800, 1800, 0.1 }, { 3, 600, 600, 1.9 } }, 3, -1, 1 },
		/* low in absolute terms */
		{ { { 8, 150, 150, 0.49 }, { 8, 300, 300, 0.05 } }, 0, -1, 0 },
		/* less than three times */
		{ { { 8, 150, 150, 0.85 }, { 8, 300, 300, 0.3 } }, 0, -1, 0 },
		/* the workers wait for something else: a throttle, a device */
		{ { { 8, 300, 300, 0.1 }, { 8, 60, 60, 1.9 } }, 0, -1, 0 },
		/* from beginning to end: nothing to compare with */
		{ { { 8, 150, 150, 1.9 } }, 0, -1, 0 },
	};
	const struct phase_rates *w = &rec.report.write;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t n = 0;

		begin();
		while (n < ARRAY_LEN(rows[i].parts) && rows[i].parts[n].seconds > 0)
			n++;
		facts_phase(&rec, PHASE_WRITE, rows[i].parts, n);
		analyze(&rec.report);
		ck_assert_msg(w->spoiled_ns == (int64_t)(rows[i].spoiled_s * 1e9), "row %zu: %lld",
			      i, (long long)w->spoiled_ns);
		ck_assert_msg(w->n_spoiled_rounds == rows[i].n_rounds, "row %zu: %lld", i,
			      (long long)w->n_spoiled_rounds);
		ck_assert_double_eq_tol(w->unspoiled_mib_per_s, rows[i].unspoiled_mib_per_s, 1e-6);
		ck_assert_int_eq(facts_find(&rec, "first-touch") != NULL, rows[i].spoiled_s > 0);
		end();
	}
}
END_TEST

START_TEST(first_touch_from_beginning_to_end_is_a_suspicion)
{
	begin();
	rec.host.os.hypervisor = xstrdup("kvm");
	PHASE_OF(PHASE_WRITE, { 8, 400, 400, 1.9 });
	analyze(&rec.report);
	finding_says("first-touch", "write took 1.90 CPU s/GiB from beginning to end");
	ck_assert_int_eq(rec.report.write.judged_by, JUDGED_ALL);
	end();
}
END_TEST

START_TEST(first_touch_is_no_fall_of_the_storage)
{
	begin();
	only_read();
	PHASE_OF(PHASE_READ, { 30, 900, 900, 0.1 }, { 30, 600, 600, 1.9 });
	analyze(&rec.report);
	ck_assert_double_lt(rec.report.read.sustained_mib_per_s, 0);
	ck_assert_ptr_null(facts_find(&rec, "cliff"));
	ck_assert_ptr_null(facts_find(&rec, "not-steady"));
	ck_assert_int_eq(rec.report.read.is_steady, 1);
	end();
}
END_TEST

START_TEST(a_quick_run_that_was_mostly_first_touch_is_not_below)
{
	begin();
	rec.plan.mode = MODE_QUICK;
	PHASE_OF(PHASE_WRITE, { 0.75, 250, 250, 0.1 }, { 4, 180, 180, 3 });
	PHASE_OF(PHASE_READ, { 10, 250, 250, 0.1 });
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.verdict.result, VERDICT_INCONCLUSIVE);
	verdict_says("slowed by first touch of memory");
	rec.plan.mode = MODE_FULL;
	end();
}
END_TEST

START_TEST(rounds_without_a_known_cpu_time_are_not_spoiled)
{
	spoiled();
	for (size_t i = 0; i < rec.run.write.n_series; i++)
		rec.run.write.series[i].cpu_ns = -1;
	analyze(&rec.report);
	ck_assert_double_lt(rec.report.write.rounds[0].cpu_s_per_gib, 0);
	ck_assert_int_eq(rec.report.write.n_spoiled_rounds, 0);
	end();
}
END_TEST

/* ------------------------------------------------------------------ calls */

static void add_calls(struct phase *p, int64_t ns, int64_t calls)
{
	struct call_time *c = XGROW(&p->call_times, &p->n_call_times);

	c->ns = ns;
	c->calls = calls;
}

START_TEST(call_times_are_those_of_all_workers)
{
	const struct phase_rates *w = &rec.report.write;

	begin();
	PHASE_OF(PHASE_WRITE, { 10, 300, 300, 0.3 });
	add_calls(&rec.run.write, 20000, 500);
	add_calls(&rec.run.write, 30000, 400);
	add_calls(&rec.run.write, 400000, 98);
	add_calls(&rec.run.write, 9000000, 1);
	add_calls(&rec.run.write, 70400000, 1);
	rec.run.write.workers[0].call_max_ns = 9000000;
	rec.run.write.workers[1].call_max_ns = 70000000;
	analyze(&rec.report);
	ck_assert_int_eq(w->call_p50_ns, 20000);
	ck_assert_int_eq(w->call_p90_ns, 30000);
	ck_assert_int_eq(w->call_p99_ns, 400000);
	ck_assert_int_eq(w->call_p999_ns, 9000000);
	ck_assert_int_eq(w->call_max_ns, 70000000);
	end();

	/* The middle of a class is never above the longest call. */
	begin();
	PHASE_OF(PHASE_WRITE, { 10, 300, 300, 0.3 });
	add_calls(&rec.run.write, 70400000, 7);
	rec.run.write.workers[1].call_max_ns = 70000000;
	analyze(&rec.report);
	ck_assert_int_eq(w->call_p50_ns, 70000000);
	end();
}
END_TEST

START_TEST(awaits_are_those_of_the_topmost_devices)
{
	struct device_count *d;

	begin();
	PHASE_OF(PHASE_WRITE, { 10, 300, 300, 0.3 });
	d = &rec.run.write.devices[0];
	d->write_ops = 100;
	d->write_ns = 100 * 8 * NS_PER_MS;
	d->read_ops = 0;
	d->read_ns = 0;
	d = facts_device(&rec.run.write, "sdb");
	d->is_top = 0;
	d->write_ops = 1000;
	d->write_ns = 1;
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.write.device_write_await_ns, 8 * NS_PER_MS);
	ck_assert_int_eq(rec.report.write.device_read_await_ns, -1);
	end();
}
END_TEST

/* ------------------------------------------------------------------ spoiled numbers */

static void slept(void)
{
	rec.run.write.suspended_ns = 30 * NS_PER_S;
}
static void stopped_long(void)
{
	rec.run.write.workers[1].stopped_ns = 1 * NS_PER_S;
}
static void stopped_briefly(void)
{
	rec.run.write.workers[1].stopped_ns = 300 * NS_PER_MS;
}
static void held_up(void)
{
	rec.run.write.longest_gap_ns = 3 * NS_PER_S;
}
static void clock_set(void)
{
	rec.run.write.clock_step_ns = 3600 * NS_PER_S;
}
static void ended_steady(void)
{
	rec.run.write.status = PHASE_STEADY;
}
static void control_failed(void)
{
	rec.run.control_write.status = PHASE_FAILED;
	rec.run.control_write.failure = xstrdup("O_DIRECT is refused");
}
static void hung(void)
{
	rec.run.write.status = PHASE_STUCK;
}

START_TEST(what_spoils_a_number_is_told_and_not_used)
{
	static const struct {
		void (*change)(void);
		const char *finding;
		int severity;
		int result;
		const char *text;
	} rows[] = {
		{ slept, "suspended", SEVERITY_WARNING, VERDICT_INCONCLUSIVE,
		  "the machine slept during it" },
		{ stopped_long, "worker-stopped", SEVERITY_WARNING, VERDICT_INCONCLUSIVE,
		  "a worker was stopped during it" },
		{ stopped_briefly, "worker-stopped", SEVERITY_WARNING, VERDICT_PASS,
		  "fast enough" },
		{ held_up, "sampler-gap", SEVERITY_WARNING, VERDICT_PASS, "fast enough" },
		{ clock_set, "clock-stepped", SEVERITY_INFO, VERDICT_PASS, "fast enough" },
		{ ended_steady, "ended-steady", SEVERITY_INFO, VERDICT_PASS, "in the time it had" },
		{ control_failed, "control-failed", SEVERITY_INFO, VERDICT_PASS, "fast enough" },
		{ hung, "stuck", SEVERITY_ERROR, VERDICT_INVALID,
		  "the storage hung: write n/a (the storage did not answer)" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		begin();
		PHASE_OF(PHASE_WRITE, { 20, 300, 300, 0.3 });
		rows[i].change();
		analyze(&rec.report);
		ck_assert_msg(rec.report.verdict.result == rows[i].result, "row %zu: %s", i,
			      rec.report.verdict.text);
		verdict_says(rows[i].text);
		finding_says(rows[i].finding, "");
		ck_assert_int_eq(facts_find(&rec, rows[i].finding)->severity, rows[i].severity);
		end();
	}
}
END_TEST

START_TEST(a_quiet_run_has_none_of_these_findings)
{
	static const char *const ids[] = {
		"suspended",	"worker-stopped", "sampler-gap", "clock-stepped",
		"ended-steady", "control-failed", "stuck",	 "cliff",
		"first-touch",	"not-steady",	  "no-interval",
	};

	begin();
	PHASE_OF(PHASE_WRITE, { 20, 300, 300, 0.3 });
	analyze(&rec.report);
	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		ck_assert_msg(!facts_find(&rec, ids[i]), "%s", ids[i]);
	end();
}
END_TEST

START_TEST(a_failed_control_says_why)
{
	begin();
	PHASE_OF(PHASE_WRITE, { 20, 300, 300, 0.3 });
	PHASE_OF(PHASE_CONTROL_WRITE, { 1, 10, 10, 0.1 });
	rec.run.control_write.status = PHASE_FAILED;
	rec.run.control_write.workers[1].error = 22;
	rec.run.control_write.workers[1].error_op = OP_WRITE;
	rec.run.control_write.workers[1].error_offset_bytes = 4096;
	analyze(&rec.report);
	finding_says("control-failed", "O_DIRECT writes failed: write at offset 4096: Invalid");
	ck_assert_int_eq(rec.report.verdict.result, VERDICT_PASS);
	end();
}
END_TEST

START_TEST(a_control_always_ends_by_its_time)
{
	begin();
	PHASE_OF(PHASE_WRITE, { 20, 300, 300, 0.3 });
	PHASE_OF(PHASE_CONTROL_WRITE, { 20, 300, 300, 0.1 });
	rec.run.control_write.status = PHASE_TIME_LIMIT;
	analyze(&rec.report);
	ck_assert_ptr_null(facts_find(&rec, "time-limit"));
	rec.plan.mode = MODE_QUICK;
	rec.run.write.status = PHASE_TIME_LIMIT;
	analyze(&rec.report);
	finding_says("time-limit", "write ended after 5.86 GiB of 5.86 GiB, by its budget");
	end();
}
END_TEST

START_TEST(the_unit_matters_for_what_is_judged)
{
	begin();
	only_read();
	PHASE_OF(PHASE_READ, { 60, 800, 800, 0.1 }, { 120, 196, 196, 0.1 });
	analyze(&rec.report);
	finding_says("borderline-unit", "read does 98.0 MiB/s");
	end();
}
END_TEST

START_TEST(a_failed_control_is_no_error)
{
	begin();
	PHASE_OF(PHASE_WRITE, { 20, 300, 300, 0.3 });
	PHASE_OF(PHASE_CONTROL_WRITE, { 1, 10, 10, 0.1 });
	rec.run.control_write.status = PHASE_FAILED;
	rec.run.control_write.failure = xstrdup("O_DIRECT is refused");
	rec.run.control_write.workers[1].error = 22;
	rec.run.control_write.workers[1].error_op = OP_WRITE;
	analyze(&rec.report);
	for (size_t i = 0; i < rec.report.n_findings; i++)
		ck_assert_int_ne(rec.report.findings[i].severity, SEVERITY_ERROR);
	end();
}
END_TEST

START_TEST(a_control_that_hung_does_not_take_the_result_away)
{
	begin();
	PHASE_OF(PHASE_WRITE, { 20, 300, 300, 0.3 });
	rec.run.control_write.status = PHASE_STUCK;
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.verdict.result, VERDICT_PASS);
	ck_assert_ptr_nonnull(facts_find(&rec, "stuck"));
	end();
}
END_TEST

/* ------------------------------------------------------------------ modes */

START_TEST(each_mode_has_its_own_words)
{
	static const struct {
		int mode;
		double mib_per_s;
		int result;
		const char *text;
	} rows[] = {
		{ MODE_FULL, 300, VERDICT_PASS, "fast enough for the requirement: write" },
		{ MODE_QUICK, 300, VERDICT_PASS,
		  "fast enough in this window (longer bursts cannot be seen): write 150.0" },
		{ MODE_QUICK, 100, VERDICT_BELOW, "slower than the requirement: write 50.0" },
		{ MODE_PROVE, 204, VERDICT_PASS,
		  "the storage carried the requirement at a held pace (its limit was not looked "
		  "for): write 102.0" },
		{ MODE_PROVE, 190, VERDICT_BELOW,
		  "the pace could not be held: write 95.0 MiB/s per core, below" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		begin();
		rec.plan.mode = rows[i].mode;
		PHASE_OF(PHASE_WRITE, { 20, rows[i].mib_per_s, rows[i].mib_per_s, 0.3 });
		analyze(&rec.report);
		ck_assert_int_eq(rec.report.verdict.result, rows[i].result);
		verdict_says(rows[i].text);
		end();
	}
}
END_TEST

START_TEST(a_small_quick_run_is_worded_as_quick)
{
	begin();
	rec.host.memory_bytes = 1024 * GIB;
	PHASE_OF(PHASE_WRITE, { 20, 300, 300, 0.3 });
	analyze(&rec.report);
	verdict_says("memory holds");
	rec.plan.mode = MODE_QUICK;
	analyze(&rec.report);
	ck_assert_ptr_null(strstr(rec.report.verdict.text, "memory holds"));
	end();
}
END_TEST

START_TEST(a_small_held_pace_does_not_hide_caches)
{
	begin();
	rec.host.memory_bytes = 1024 * GIB;
	rec.plan.mode = MODE_PROVE;
	PHASE_OF(PHASE_WRITE, { 20, 204, 204, 0.3 });
	analyze(&rec.report);
	verdict_says("was not looked for), with no more data than this machine's memory holds "
		     "(caches behind it can have helped): write 102.0");
	end();
}
END_TEST

START_TEST(only_what_is_asked_is_needed)
{
	begin();
	PHASE_OF(PHASE_WRITE, { 20, 100, 100, 0.3 });
	PHASE_OF(PHASE_READ, { 20, 300, 300, 0.1 });
	only_read();
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.verdict.result, VERDICT_PASS);
	ck_assert_double_lt(rec.report.write.judged_mib_per_s_per_core, 0);
	ck_assert_double_eq_tol(rec.report.write.mib_per_s_per_core, 50, 1e-6);
	ck_assert_ptr_null(strstr(rec.report.verdict.text, "write"));
	rec.plan.judges_write = 1;
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.verdict.result, VERDICT_BELOW);
	end();
}
END_TEST

START_TEST(a_mixed_phase_counts_the_bytes_of_both_ways)
{
	begin();
	rec.plan.judges_write = 0;
	rec.plan.mixed_read_percent = 70;
	PHASE_OF(PHASE_WRITE, { 20, 300, 300, 0.3 });
	PHASE_OF(PHASE_MIXED, { 20, 250, 75, 0.3 });
	for (int i = 0; i < 2; i++) {
		struct worker_result *w = &rec.run.mixed.workers[i];

		w->read_bytes = w->bytes / 10 * 7;
	}
	rec.run.mixed.devices[0].read_bytes = 3500 * MIB;
	analyze(&rec.report);
	ck_assert_msg(rec.report.mixed.usable == 1, "%s", rec.report.mixed.unusable_reason);
	ck_assert_double_eq_tol(rec.report.mixed.judged_mib_per_s_per_core, 125, 1e-6);
	ck_assert_int_eq(rec.report.verdict.result, VERDICT_PASS);
	verdict_says("mixed 125.0");
	end();
}
END_TEST

START_TEST(a_control_is_never_judged)
{
	begin();
	PHASE_OF(PHASE_WRITE, { 20, 300, 300, 0.3 });
	PHASE_OF(PHASE_CONTROL_WRITE, { 20, 10, 10, 0.1 });
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.control_write.usable, 1);
	ck_assert_double_eq_tol(rec.report.control_write.aggregate_mib_per_s, 10, 1e-6);
	ck_assert_double_lt(rec.report.control_write.judged_mib_per_s_per_core, 0);
	ck_assert_int_eq(rec.report.verdict.result, VERDICT_PASS);
	ck_assert_double_eq_tol(rec.report.verdict.mib_per_s_per_core, 150, 1e-6);
	end();
}
END_TEST

START_TEST(a_control_is_wanted_below_or_always)
{
	static const struct {
		int control;
		double mib_per_s;
		bool want;
	} rows[] = {
		{ CONTROL_IF_BELOW, 300, false },
		{ CONTROL_IF_BELOW, 100, true },
		{ CONTROL_ALWAYS, 300, true },
		{ CONTROL_NEVER, 100, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		begin();
		rec.plan.control = rows[i].control;
		PHASE_OF(PHASE_WRITE, { 20, rows[i].mib_per_s, rows[i].mib_per_s, 0.3 });
		analyze(&rec.report);
		ck_assert_int_eq(analyze_wants_control(&rec.report, PHASE_WRITE), rows[i].want);
		ck_assert(!analyze_wants_control(&rec.report, PHASE_READ));
		end();
	}
}
END_TEST

START_TEST(a_control_is_wanted_where_the_mixed_phase_is_below)
{
	begin();
	rec.plan.judges_write = 0;
	rec.plan.mixed_read_percent = 0;
	PHASE_OF(PHASE_MIXED, { 20, 100, 100, 0.3 });
	rec.run.mixed.workers[0].read_bytes = 0;
	rec.run.mixed.workers[1].read_bytes = 0;
	analyze(&rec.report);
	ck_assert_int_eq(analyze_wants_control(&rec.report, PHASE_WRITE),
			 rec.report.mixed.usable == 1);
	rec.plan.control = CONTROL_ALWAYS;
	ck_assert(analyze_wants_control(&rec.report, PHASE_READ));
	end();
}
END_TEST

START_TEST(one_run_near_the_requirement_has_no_interval)
{
	static const struct {
		double mib_per_s;
		int repeat;
		bool want;
	} rows[] = {
		{ 218, 1, true },  { 182, 1, true },  { 222, 1, false },
		{ 178, 1, false }, { 218, 3, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		begin();
		rec.plan.repeat = rows[i].repeat;
		PHASE_OF(PHASE_WRITE, { 20, rows[i].mib_per_s, rows[i].mib_per_s, 0.3 });
		analyze(&rec.report);
		ck_assert_msg(!!facts_find(&rec, "no-interval") == rows[i].want, "row %zu", i);
		end();
	}
}
END_TEST

/* Facts of a file may be in any order, or nonsense. */
START_TEST(absurd_series_do_no_harm)
{
	static const struct series_point points[] = {
		{ .at_ns = INT64_MAX, .bytes = INT64_MAX, .cpu_ns = INT64_MAX },
		{ .at_ns = 5, .bytes = -7, .cpu_ns = -1 },
		{ .at_ns = -1, .bytes = 1, .device_written_bytes = INT64_MAX },
		{ .at_ns = 0, .bytes = 0, .device_written_bytes = 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(points); i++) {
		begin();
		PHASE_OF(PHASE_WRITE, { 20, 300, 300, 0.3 });
		rec.run.write.series[i * 20] = points[i];
		rec.run.write.series[79] = points[i];
		rec.run.write.workers[0].end_ns = INT64_MAX;
		add_calls(&rec.run.write, INT64_MAX, INT64_MAX);
		add_calls(&rec.run.write, -1, -1);
		add_calls(&rec.run.write, 1, INT64_MAX);
		analyze(&rec.report);
		ck_assert_uint_le(rec.report.write.n_rounds, 64);
		end();
	}
}
END_TEST

SUITE_MAIN("analyze_time", an_even_phase_is_steady_and_judged_by_all,
	   less_than_five_rounds_are_neither_steady_nor_not, a_ramp_is_not_steady_and_no_cliff,
	   a_cliff_is_judged_by_what_is_sustained, the_sentence_of_a_cliff_has_the_burst,
	   a_page_cache_burst_is_no_cliff_when_the_device_is_even,
	   writes_without_device_counters_have_no_cliff,
	   direct_writes_without_device_counters_can_have_a_cliff,
	   load_of_others_is_no_burst_of_ours, writers_held_to_the_storage_are_looked_at_themselves,
	   a_mirror_counts_once, who_finishes_last_counts_below_a_sustained_rate,
	   rounds_of_first_touch_are_shown_and_all_is_judged,
	   a_quick_run_leaves_the_first_touch_out, first_touch_is_found_wherever_it_is,
	   first_touch_from_beginning_to_end_is_a_suspicion, first_touch_is_no_fall_of_the_storage,
	   a_quick_run_that_was_mostly_first_touch_is_not_below,
	   rounds_without_a_known_cpu_time_are_not_spoiled, call_times_are_those_of_all_workers,
	   awaits_are_those_of_the_topmost_devices, what_spoils_a_number_is_told_and_not_used,
	   a_quiet_run_has_none_of_these_findings, a_failed_control_says_why,
	   a_control_always_ends_by_its_time, the_unit_matters_for_what_is_judged,
	   a_failed_control_is_no_error, a_control_that_hung_does_not_take_the_result_away,
	   each_mode_has_its_own_words, a_small_quick_run_is_worded_as_quick,
	   a_small_held_pace_does_not_hide_caches, only_what_is_asked_is_needed,
	   a_mixed_phase_counts_the_bytes_of_both_ways, a_control_is_never_judged,
	   a_control_is_wanted_below_or_always, a_control_is_wanted_where_the_mixed_phase_is_below,
	   one_run_near_the_requirement_has_no_interval, absurd_series_do_no_harm)
