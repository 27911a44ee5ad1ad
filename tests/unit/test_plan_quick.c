/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_plan_quick - what a test may take that is over within a minute
 */
#include <errno.h>

#include "iotest/compiler.h"
#include "plan/quick.h"
#include "suite.h"

START_TEST(quick_space_is_the_smallest_of_its_caps)
{
	static const struct {
		int64_t free_bytes;
		int64_t usable_bytes;
		int64_t want;
	} rows[] = {
		{ 4000 * GIB, 3600 * GIB, 64 * GIB },
		{ 1000 * GIB, 900 * GIB, 50 * GIB },
		{ 1000, 1000, 50 },
		{ 199, 199, 9 },
		/* Near the reserve half of what is left stays free. */
		{ 11 * GIB, GIB / 2, GIB / 4 },
		{ 10 * GIB, 0, 0 },
		{ 0, 0, 0 },
		{ -1, -1, 64 * GIB },
		{ INT64_MAX, INT64_MAX, 64 * GIB },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ck_assert_msg(quick_space_bytes(rows[i].free_bytes, rows[i].usable_bytes) ==
				      rows[i].want,
			      "row %zu", i);
}
END_TEST

START_TEST(quick_windows_take_an_eighth_of_the_memory_at_most)
{
	static const struct {
		int64_t cache_bytes;
		int64_t n_writers;
		int64_t want;
	} rows[] = {
		{ 256 * GIB, 12, 256 * MIB },
		{ 24 * GIB, 12, 256 * MIB },
		{ 24 * GIB, 13, 232 * MIB },
		{ 2 * GIB, 2, 128 * MIB },
		{ 2 * GIB, 4, 64 * MIB },
		{ 256 * MIB, 2, 16 * MIB },
		/* Less than that would be no window at all. */
		{ 256 * MIB, 64, 8 * MIB },
		{ 1, 16384, 8 * MIB },
		{ -1, 12, 256 * MIB },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ck_assert_msg(quick_window_bytes(rows[i].cache_bytes, rows[i].n_writers) ==
				      rows[i].want,
			      "row %zu", i);
}
END_TEST

START_TEST(quick_budgets_leave_a_fifth_of_the_time)
{
	ck_assert_int_eq(quick_budget_ns(60 * NS_PER_S), 24 * NS_PER_S);
	ck_assert_int_eq(quick_budget_ns(5 * NS_PER_S), 2 * NS_PER_S);
	ck_assert_int_le(quick_budget_ns(INT64_MAX), INT64_MAX / 2);
	ck_assert_int_gt(quick_budget_ns(INT64_MAX), INT64_MAX / 3);
}
END_TEST

START_TEST(quick_steps_are_blocks_and_pages)
{
	static const struct {
		int64_t block_bytes;
		int64_t want;
	} rows[] = {
		{ 64 * KIB, 64 * KIB }, { 4096, 4096 },	 { 512, 4096 },
		{ 1536, 12288 },	{ 6144, 12288 }, { 63 * KIB + 512, 8 * (63 * KIB + 512) },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ck_assert_int_eq(quick_step_bytes(rows[i].block_bytes), rows[i].want);
}
END_TEST

START_TEST(quick_pace_proves_at_least_the_rate)
{
	static const struct {
		double rate;
		int64_t cores;
		int64_t workers;
		int64_t want;
	} rows[] = {
		{ 100, 12, 12, 102 * MIB },
		{ 100, 12, 6, 204 * MIB },
		{ 50, 1, 2, 26738688 },
		{ 0.0000001, 1, 16384, 1 },
	};
	int64_t pace = -7;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		ck_assert_int_eq(quick_pace(rows[i].rate, rows[i].cores, rows[i].workers, &pace),
				 0);
		ck_assert_int_eq(pace, rows[i].want);
	}
	ck_assert_int_eq(quick_pace(1e300, 12, 1, &pace), -EOVERFLOW);
	ck_assert_int_eq(quick_pace(1e13, 1, 1, &pace), -EOVERFLOW);
	ck_assert_int_eq(pace, 1);
}
END_TEST

START_TEST(quick_bytes_are_done_in_time_at_their_pace)
{
	ck_assert_int_eq(quick_paced_bytes(102 * MIB, 24 * NS_PER_S), 24 * 100 * MIB);
	ck_assert_int_eq(quick_paced_bytes(1, NS_PER_S / 2), 0);
	ck_assert_int_eq(quick_paced_bytes(INT64_MAX, INT64_MAX), INT64_MAX / 2);
}
END_TEST

SUITE_MAIN("quick", quick_space_is_the_smallest_of_its_caps,
	   quick_windows_take_an_eighth_of_the_memory_at_most,
	   quick_budgets_leave_a_fifth_of_the_time, quick_steps_are_blocks_and_pages,
	   quick_pace_proves_at_least_the_rate, quick_bytes_are_done_in_time_at_their_pace)
