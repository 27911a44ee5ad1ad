/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_cmd_repeats - which of several runs is shown
 */
#include "suite.h"

#include "cmd/repeats.h"
#include "iotest/analyze.h"
#include "iotest/compiler.h"
#include "iotest/xalloc.h"

/* A run that wrote 1 GiB in so many seconds; 0: it failed. */
static void add(struct records *records, int64_t target, int64_t repeat, int64_t seconds)
{
	struct record *r = records_add(records);
	struct worker_result *w;

	r->plan.target = xasprintf("/t%d", (int)target);
	r->plan.target_index = target;
	r->plan.repeat = repeat;
	r->plan.cores = 1;
	r->plan.workers = 1;
	r->plan.judges_write = 1;
	r->plan.judges_read = 0;
	r->plan.requirement_mib_per_s = 100;
	if (seconds == 0) {
		r->run.failure = xstrdup("it could not be");
		return;
	}
	r->run.write.status = PHASE_COMPLETE;
	r->run.write.planned_bytes = GIB;
	w = XGROW(&r->run.write.workers, &r->run.write.n_workers);
	w->bytes = GIB;
	w->ops = 16384;
	w->end_ns = seconds * NS_PER_S;
	w->last_io_ns = w->end_ns;
	analyze(&r->report);
}

#define RUNS_MAX 6

START_TEST(one_run_of_each_plan_is_shown_and_all_that_failed)
{
	static const struct {
		struct {
			int64_t target, repeat, seconds;
		} runs[RUNS_MAX];
		/* From 1; 0 ends them. */
		size_t shown[RUNS_MAX];
	} rows[] = {
		{ { { 0, 1, 4 } }, { 1 } },
		{ { { 0, 1, 4 }, { 1, 1, 4 } }, { 1, 2 } },
		/* The same directory twice is not the same plan twice. */
		{ { { 0, 1, 4 }, { 0, 1, 5 } }, { 1, 2 } },
		{ { { 0, 3, 8 }, { 0, 3, 2 }, { 0, 3, 4 } }, { 3 } },
		{ { { 0, 2, 2 }, { 1, 2, 8 }, { 0, 2, 4 }, { 1, 2, 4 } }, { 3, 2 } },
		{ { { 0, 3, 2 }, { 0, 3, 4 }, { 0, 3, 0 } }, { 2, 3 } },
		{ { { 0, 3, 2 }, { 0, 3, 0 } }, { 1, 2 } },
		{ { { 0, 3, 0 } }, { 1 } },
		{ { { -1, -1, 4 }, { -1, -1, 4 } }, { 1, 2 } },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(records_done) struct records records = { 0 };
		CLEANUP(repeats_forget) struct records shown = { 0 };
		size_t n = 0;

		for (size_t k = 0; k < RUNS_MAX && rows[i].runs[k].repeat; k++)
			add(&records, rows[i].runs[k].target, rows[i].runs[k].repeat,
			    rows[i].runs[k].seconds);
		repeats_choose(&records, &records, &shown);
		for (; n < RUNS_MAX && rows[i].shown[n]; n++) {
			ck_assert_msg(n < shown.n_items, "row %zu: %zu shown", i, shown.n_items);
			ck_assert_msg(shown.items[n] == records.items[rows[i].shown[n] - 1],
				      "row %zu, page %zu", i, n);
		}
		ck_assert_msg(shown.n_items == n, "row %zu: %zu shown", i, shown.n_items);
	}
}
END_TEST

START_TEST(what_is_shown_can_be_taken_from_a_copy)
{
	CLEANUP(records_done) struct records judged = { 0 };
	CLEANUP(records_done) struct records recorded = { 0 };
	CLEANUP(repeats_forget) struct records shown = { 0 };

	for (int64_t seconds = 2; seconds < 5; seconds++) {
		add(&judged, 0, 3, seconds);
		add(&recorded, 0, 3, seconds);
	}
	repeats_choose(&judged, &recorded, &shown);
	ck_assert_uint_eq(shown.n_items, 1);
	ck_assert_ptr_eq(shown.items[0], recorded.items[1]);
	ck_assert_uint_eq(recorded.items[1]->report.n_repeats, 0);
	ck_assert_uint_eq(judged.items[1]->report.n_repeats, 3);
}
END_TEST

SUITE_MAIN("repeats", one_run_of_each_plan_is_shown_and_all_that_failed,
	   what_is_shown_can_be_taken_from_a_copy)
