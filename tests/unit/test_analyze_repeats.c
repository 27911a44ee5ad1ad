/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_analyze_repeats - several runs of a plan are judged by their median
 */
#include "suite.h"

#include <stdlib.h>

#include "analyze_facts.h"

#define RUNS_MAX 5

static struct record recs[RUNS_MAX];
static struct report *reports[RUNS_MAX];
static size_t n_runs;

/* One more run, written at that many MiB/s per core; less than 0: killed; 0: interrupted. */
static void add_run(double per_core)
{
	struct record *rec = &recs[n_runs];
	double rate = per_core > 0 ? 2 * per_core : 200;
	const struct stretch list[] = { { 20, rate, rate, 0.1 } };

	facts_begin(rec);
	xstr_set(&rec->run.id, (const char *const[]){ "a", "b", "c", "d", "e" }[n_runs]);
	rec->run.started_at_ns = (int64_t)n_runs * NS_PER_S;
	rec->plan.repeat = 3;
	facts_phase(rec, PHASE_WRITE, list, 1);
	if (per_core < 0)
		rec->run.write.status = PHASE_FAILED;
	else if (per_core == 0)
		rec->run.write.status = PHASE_INTERRUPTED;
	analyze(&rec->report);
	reports[n_runs++] = &rec->report;
}

static void add_runs(const double *per_core, size_t n)
{
	n_runs = 0;
	for (size_t i = 0; i < n; i++)
		add_run(per_core[i]);
}

static void end(void)
{
	for (size_t i = 0; i < n_runs; i++)
		record_done(&recs[i]);
}

START_TEST(the_median_is_judged)
{
	static const struct {
		double per_core[4];
		size_t n;
		int result;
		double median;
		size_t stands;
	} rows[] = {
		{ { 120, 95, 101 }, 3, VERDICT_PASS, 101, 2 },
		{ { 120, 95, 99 }, 3, VERDICT_BELOW, 99, 2 },
		{ { 90, 120 }, 2, VERDICT_PASS, 105, 0 },
		{ { 130, 90, 104, 120 }, 4, VERDICT_PASS, 112, 2 },
		{ { 120, 0, 110 }, 3, VERDICT_INCONCLUSIVE, 115, 1 },
		{ { 80, 0, 90 }, 3, VERDICT_BELOW, 85, 0 },
		{ { 120, 130, -1 }, 3, VERDICT_INVALID, 125, 2 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t at;

		add_runs(rows[i].per_core, rows[i].n);
		at = analyze_repeats(reports, n_runs);
		ck_assert_msg(at == rows[i].stands, "row %zu: run %zu", i, at);
		for (size_t k = 0; k < n_runs; k++) {
			const struct phase_rates *w = &reports[k]->write;

			ck_assert_msg(reports[k]->verdict.result == rows[i].result, "row %zu: %s",
				      i, reports[k]->verdict.text);
			ck_assert_double_eq_tol(w->median_mib_per_s_per_core, rows[i].median, 1e-6);
			ck_assert_double_eq_tol(w->judged_mib_per_s_per_core, rows[i].median, 1e-6);
			ck_assert_int_eq(w->judged_by, JUDGED_MEDIAN);
		}
		end();
	}
}
END_TEST

START_TEST(every_report_has_all_runs)
{
	static const double per_core[] = { 120, 95, 101 };

	add_runs(per_core, 3);
	analyze_repeats(reports, 3);
	for (size_t k = 0; k < 3; k++) {
		const struct report *r = reports[k];

		ck_assert_uint_eq(r->n_repeats, 3);
		ck_assert_int_eq(r->repeat_index, (int64_t)k + 1);
		ck_assert_str_eq(r->repeats[1].id, "b");
		ck_assert_int_eq(r->repeats[1].started_at_ns, NS_PER_S);
		ck_assert_double_eq_tol(r->repeats[1].write_mib_per_s_per_core, 95, 1e-6);
		ck_assert_double_lt(r->repeats[1].read_mib_per_s_per_core, 0);
		ck_assert_int_eq(r->repeats[1].result, VERDICT_BELOW);
		ck_assert_int_eq(r->write.n_runs, 3);
		ck_assert_double_eq_tol(r->write.lowest_mib_per_s_per_core, 95, 1e-6);
		ck_assert_double_eq_tol(r->write.highest_mib_per_s_per_core, 120, 1e-6);
		ck_assert_int_eq(r->write.carries_cores, 2);
		ck_assert_double_eq_tol(r->verdict.mib_per_s_per_core, 101, 1e-6);
		ck_assert_str_eq(r->verdict.text,
				 "fast enough for the requirement, median of 3 runs: write 101.0 "
				 "MiB/s per core (95.0 to 120.0)");
	}
	end();
}
END_TEST

/* The folder of a repeated run is as new as its last run. */
START_TEST(one_more_run_is_judged_with_those_before)
{
	static const double per_core[] = { 120, 95 };

	add_runs(per_core, 2);
	analyze_repeats(reports, 2);
	add_run(90);
	analyze_repeats(reports, 3);
	for (size_t k = 0; k < 3; k++) {
		ck_assert_double_eq_tol(reports[k]->write.median_mib_per_s_per_core, 95, 1e-6);
		ck_assert_double_eq_tol(reports[k]->repeats[0].write_mib_per_s_per_core, 120, 1e-6);
		ck_assert_int_eq(reports[k]->repeats[0].result, VERDICT_PASS);
		ck_assert_int_eq(reports[k]->verdict.result, VERDICT_BELOW);
	}
	end();
}
END_TEST

START_TEST(the_exit_status_follows_the_median)
{
	static const double per_core[] = { 120, 95, 99 };

	add_runs(per_core, 3);
	for (size_t k = 0; k < 3; k++)
		recs[k].plan.requirement_given = 1;
	analyze_repeats(reports, 3);
	for (size_t k = 0; k < 3; k++)
		ck_assert_int_eq(reports[k]->exit_status, 3);
	end();
}
END_TEST

START_TEST(a_run_that_could_not_be_used_is_named)
{
	static const double per_core[] = { 120, 130, -1 };

	add_runs(per_core, 3);
	analyze_repeats(reports, 3);
	ck_assert_ptr_nonnull(strstr(reports[0]->verdict.text, "one of the runs failed"));
	ck_assert_ptr_nonnull(strstr(reports[2]->verdict.text, "the run failed"));
	end();
}
END_TEST

START_TEST(a_single_run_stays_as_it_is)
{
	static const double per_core[] = { 120 };

	add_runs(per_core, 1);
	ck_assert_uint_eq(analyze_repeats(reports, 1), 0);
	ck_assert_uint_eq(reports[0]->n_repeats, 0);
	ck_assert_int_eq(reports[0]->write.judged_by, JUDGED_ALL);
	end();
}
END_TEST

SUITE_MAIN("analyze_repeats", the_median_is_judged, every_report_has_all_runs,
	   one_more_run_is_judged_with_those_before, the_exit_status_follows_the_median,
	   a_run_that_could_not_be_used_is_named, a_single_run_stays_as_it_is)
