/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_render_chart - rates over time in characters
 */
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/compiler.h"
#include "iotest/xalloc.h"
#include "render/chart.h"

#define ROUNDS_MAX 64

static void fill(const double *rates, size_t n, struct round *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (struct round){ .mib_per_s = rates[i], .is_spoiled = 0 };
}

static const struct {
	const char *what;
	double rates[16]; /* up to the first NaN */
	const char *want;
} charts[] = {
	{ "a steady phase is one row", { 100, 98, 103, 99, 101, NAN }, "   100.2 #####\n" },
	{ "a fall by a fifth is seen",
	  { 100, 101, 99, 80, 79, 81, NAN },
	  "   100.0 ###\n   80.00    ###\n" },
	{ "a dip has its own row",
	  { 400, 400, 100, 400, 400, NAN },
	  "   400.0 ## ##\n   100.0   #\n" },
	{ "nothing moved is a rate",
	  { 1000, 0, 0, 1000, 500, NAN },
	  "    1000 #  #\n   500.0     #\n    0.00  ##\n" },
	{ "what is not known leaves a gap",
	  { 100, -1, 100, HUGE_VAL, 100, NAN },
	  "   100.0 # # #\n" },
	{ "nothing known is no row", { -1, -1, -1, NAN }, "" },
	{ "all zeros are one row", { 0, 0, 0, NAN }, "    0.00 ###\n" },
	{ "no rounds are no row", { NAN }, "" },
	{ "a ramp has four rows at most",
	  { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, NAN },
	  "    9.50       ######\n    5.00    ###\n    2.50  ##\n    1.00 #\n" },
};

START_TEST(chart_puts_each_level_into_a_row)
{
	struct round rounds[ROUNDS_MAX];
	CLEANUP(buf_done) struct buf out = { 0 };
	size_t n = 0;

	while (!isnan(charts[_i].rates[n]))
		n++;
	fill(charts[_i].rates, n, rounds);
	chart_add(rounds, n, &out);
	ck_assert_msg(!strcmp(buf_text(&out), charts[_i].want), "%s:\n%s", charts[_i].what,
		      buf_text(&out));
}
END_TEST

START_TEST(chart_marks_spoiled_rounds)
{
	static const double rates[] = { 50, 50, 100, 100 };
	struct round rounds[ROUNDS_MAX];
	CLEANUP(buf_done) struct buf out = { 0 };

	fill(rates, ARRAY_LEN(rates), rounds);
	rounds[0].is_spoiled = 1;
	rounds[1].is_spoiled = -1;
	chart_add(rounds, ARRAY_LEN(rates), &out);
	ck_assert_str_eq(buf_text(&out), "   100.0   ##\n   50.00 o#\n");
}
END_TEST

static const struct {
	size_t n, merged, columns;
} merges[] = { { 59, 1, 59 },  { 60, 1, 60 },  { 61, 2, 31 },
	       { 120, 2, 60 }, { 121, 3, 41 }, { 65536, 1093, 60 } };

START_TEST(chart_is_at_most_60_columns_wide)
{
	struct round *rounds = xcalloc(merges[_i].n, sizeof(*rounds));
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < merges[_i].n; i++)
		rounds[i].mib_per_s = 100;
	chart_add(rounds, merges[_i].n, &out);
	free(rounds);
	ck_assert_uint_eq(chart_merged(merges[_i].n), merges[_i].merged);
	ck_assert_uint_eq(out.len, 9 + merges[_i].columns + 1);
}
END_TEST

/* Each column has exactly one mark, whatever the rates are. */
START_TEST(chart_loses_no_column_and_needs_no_more_than_four_rows)
{
	struct round rounds[ROUNDS_MAX];
	CLEANUP(buf_done) struct buf out = { 0 };
	unsigned int seed = (unsigned int)_i + 1;
	size_t marks = 0, rows = 0;

	for (size_t i = 0; i < CHART_COLUMNS; i++) {
		seed = seed * 1103515245U + 12345U;
		rounds[i] = (struct round){ .mib_per_s = pow(2, (double)(seed >> 16 & 0xff) / 8) };
	}
	chart_add(rounds, CHART_COLUMNS, &out);
	for (const char *p = buf_text(&out); *p; p++) {
		marks += *p == '#';
		rows += *p == '\n';
	}
	ck_assert_uint_eq(marks, CHART_COLUMNS);
	ck_assert_uint_ge(rows, 1);
	ck_assert_uint_le(rows, CHART_ROWS);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("render_chart");
	TCase *all = tcase_create("render_chart");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	suite_add_tcase(suite, all);
	tcase_add_loop_test(all, chart_puts_each_level_into_a_row, 0, ARRAY_LEN(charts));
	tcase_add_test(all, chart_marks_spoiled_rounds);
	tcase_add_loop_test(all, chart_is_at_most_60_columns_wide, 0, ARRAY_LEN(merges));
	tcase_add_loop_test(all, chart_loses_no_column_and_needs_no_more_than_four_rows, 0, 20);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? 1 : 0;
}
