/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_base_series - rounds, steady or not, a lasting fall
 */
#include <stdint.h>

#include "iotest/compiler.h"
#include "iotest/series.h"
#include "suite.h"

#define MS NS_PER_MS
#define S NS_PER_S
#define ROUNDS 30

/* A tiny part of what is compared: doubles are not exact. */
static bool is_near(double is, double want)
{
	double off = is - want;

	return (off < 0 ? -off : off) <= 1e-9 * (want < 0 ? -want : want) + 1e-12;
}

/* ------------------------------------------------------------------ rounds */

static const struct {
	int64_t phase_ns;
	int64_t want_ns;
} round_lengths[] = {
	{ 0, 2 * S },	      { -5, 2 * S },
	{ 30 * S, 2 * S },    { 60 * S, 2 * S },
	{ 90 * S, 3 * S },    { 3600 * S, 120 * S },
	{ INT64_MIN, 2 * S }, { INT64_MAX, INT64_MAX / 30 },
};

START_TEST(a_round_is_a_thirtieth_of_the_phase_and_no_shorter_than_two_seconds)
{
	for (size_t i = 0; i < ARRAY_LEN(round_lengths); i++)
		ck_assert_int_eq(series_round_ns(round_lengths[i].phase_ns),
				 round_lengths[i].want_ns);
}
END_TEST

/* Stands still from 2 s to 3 s. */
static const struct series_sample samples[] = {
	{ 1 * S, 100 },
	{ 2 * S, 300 },
	{ 3 * S, 300 },
	{ 5 * S, 700 },
};

static const struct {
	size_t n;
	int64_t at_ns;
	double want;
} counts
	[] = {
		{ 4, -1, 0 },	     { 4, 0, 0 },
		{ 4, 500 * MS, 50 }, /* from nothing at the gate */
		{ 4, 1 * S, 100 },   { 4, 1750 * MS, 250 },
		{ 4, 2 * S, 300 },   { 4, 2500 * MS, 300 },
		{ 4, 4 * S, 500 },   { 4, 5 * S, 700 },
		{ 4, 6 * S, 700 },   { 4, INT64_MAX, 700 },
		{ 1, 250 * MS, 25 }, { 1, 9 * S, 100 },
		{ 0, 1 * S, 0 },
	};

START_TEST(a_count_lies_on_the_line_between_two_samples)
{
	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		ck_assert_msg(is_near(series_count_at(samples, counts[i].n, counts[i].at_ns),
				      counts[i].want),
			      "row %zu", i);
}
END_TEST

START_TEST(two_samples_at_the_same_time_divide_nothing_by_zero)
{
	static const struct series_sample twice[] = { { 0, 5 }, { S, 10 }, { S, 20 }, { S, 30 } };

	ck_assert(is_near(series_count_at(twice, ARRAY_LEN(twice), S / 2), 7.5));
	ck_assert(is_near(series_count_at(twice, ARRAY_LEN(twice), S), 10));
	ck_assert(is_near(series_count_at(twice, ARRAY_LEN(twice), S + 1), 30));
}
END_TEST

static const struct {
	size_t n;
	int64_t round_ns, from_ns, until_ns;
	size_t max;
	size_t want_n;
	double want[6];
} rates[] = {
	{ 4, S, 0, 5 * S, 6, 5, { 100, 200, 0, 200, 200 } },
	{ 4, 2 * S, 0, 5 * S, 6, 2, { 150, 100 } }, /* whole rounds only */
	{ 4, S, S, 3 * S, 6, 2, { 200, 0 } },
	{ 4, S, 500 * MS, 2500 * MS, 6, 2, { 150, 100 } },
	{ 4, S, 4 * S, 7 * S, 6, 3, { 200, 0, 0 } }, /* after the last sample */
	{ 4, S, 8 * S, 10 * S, 6, 2, { 0, 0 } },
	{ 4, S, 0, 5 * S, 2, 2, { 100, 200 } },
	{ 4, S, 0, 5 * S, 0, 0, { 0 } },
	{ 4, S, 3 * S, 3 * S, 6, 0, { 0 } },
	{ 4, S, 3 * S, 2 * S, 6, 0, { 0 } },
	{ 4, 0, 0, 5 * S, 6, 0, { 0 } },
	{ 4, -S, 0, 5 * S, 6, 0, { 0 } },
	{ 4, 6 * S, 0, 5 * S, 6, 0, { 0 } },
	{ 0, S, 0, 2 * S, 6, 2, { 0, 0 } },
	{ 1, S, 0, 2 * S, 6, 2, { 100, 0 } },
	{ 4, INT64_MAX, INT64_MIN, INT64_MAX, 6, 2, { 0, 700 / 9223372036.854775807 } },
};

START_TEST(the_rates_are_those_of_whole_rounds)
{
	for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
		double out[6];
		size_t n = series_rates(samples, rates[i].n, rates[i].round_ns, rates[i].from_ns,
					rates[i].until_ns, out, rates[i].max);

		ck_assert_msg(n == rates[i].want_n, "row %zu: %zu rounds", i, n);
		for (size_t k = 0; k < n; k++)
			ck_assert_msg(is_near(out[k], rates[i].want[k]), "row %zu, round %zu: %g",
				      i, k, out[k]);
	}
}
END_TEST

/* ------------------------------------------------------------------ steady */

static const struct {
	const char *what;
	size_t n;
	double rates[7];
	bool want_steady;
	double want_range;
	double want_slope;
} windows[] = {
	{ "flat", 5, { 100, 100, 100, 100, 100 }, true, 0, 0 },
	{ "a range just within", 5, { 90.01, 109.99, 100, 109.99, 90.01 }, true, 0.1998, 0 },
	{ "a range just beyond", 5, { 89.99, 110.01, 100, 110.01, 89.99 }, false, 0.2002, 0 },
	{ "a rise just within", 5, { 95.01, 97.505, 100, 102.495, 104.99 }, true, 0.0998, 0.0998 },
	{ "a rise just beyond", 5, { 94.99, 97.495, 100, 102.505, 105.01 }, false, 0.1002, 0.1002 },
	{ "a fall just within", 5, { 104.99, 102.495, 100, 97.505, 95.01 }, true, 0.0998, 0.0998 },
	{ "a fall just beyond", 5, { 105.01, 102.505, 100, 97.495, 94.99 }, false, 0.1002, 0.1002 },
	{ "only the last five", 7, { 1, 900, 100, 100, 100, 100, 100 }, true, 0, 0 },
	/* Best line: (-2 x -10 + -1 x 0 + 0 + 1 x 0 + 2 x -10) / 10 = 0. */
	{ "both ends low", 5, { 90, 105, 110, 105, 90 }, true, 0.2, 0 },
	{ "a slow start", 5, { 40, 70, 100, 100, 100 }, false, 60 / 82.0, 60 / 82.0 },
	{ "nothing", 5, { 0, 0, 0, 0, 0 }, false, 0, 0 },
};

START_TEST(a_window_is_steady_within_its_range_and_slope)
{
	for (size_t i = 0; i < ARRAY_LEN(windows); i++) {
		struct series_steady out;

		ck_assert(series_judge_steady(windows[i].rates, windows[i].n, &out));
		ck_assert_msg(out.is_steady == windows[i].want_steady, "%s", windows[i].what);
		ck_assert_msg(is_near(out.range_ratio, windows[i].want_range), "%s: range %g",
			      windows[i].what, out.range_ratio);
		ck_assert_msg(is_near(out.slope_ratio, windows[i].want_slope), "%s: slope %g",
			      windows[i].what, out.slope_ratio);
	}
}
END_TEST

START_TEST(fewer_rounds_than_a_window_are_not_judged)
{
	static const double few[4] = { 1, 1, 1, 1 };
	struct series_steady out = { .range_ratio = -7 };

	for (size_t n = 0; n <= ARRAY_LEN(few); n++)
		ck_assert(!series_judge_steady(few, n, &out));
	ck_assert(is_near(out.range_ratio, -7));
}
END_TEST

/* ------------------------------------------------------------------ shapes */

/* Noise like that of a normal distribution, the same in each run: 12 even ones have variance 1. */
static double noise(uint64_t *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++) {
		*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
		sum += (double)(*state >> 11) / (double)(1ULL << 53);
	}
	return sum;
}

static void add_noise(double *out, size_t n, double ratio, uint64_t *state)
{
	for (size_t i = 0; i < n; i++)
		out[i] *= 1 + ratio * noise(state);
}

typedef double shape_fn(size_t i);

static double flat(size_t i UNUSED)
{
	return 1000;
}

static double ramp_up(size_t i)
{
	return 200 + 40 * (double)i;
}

static double ramp_down(size_t i)
{
	return ramp_up(ROUNDS - 1 - i);
}

static double slide(size_t i)
{
	double rate = 1000;

	while (i-- > 0)
		rate *= 0.9;
	return rate;
}

static double slide_to_a_level(size_t i)
{
	return i < 15 ? 1000 - 40 * (double)i : 400;
}

static double cliff_at_10(size_t i)
{
	return i < 3 ? 2500 : 1000;
}

static double cliff_at_50(size_t i)
{
	return i < 15 ? 2500 : 1000;
}

static double cliff_at_90(size_t i)
{
	return i < 27 ? 2500 : 1000;
}

static double too_late(size_t i)
{
	return i < 28 ? 2500 : 1000;
}

static double burst_of_one_round(size_t i)
{
	return i < 1 ? 2500 : 1000;
}

static double dip(size_t i)
{
	return i >= 12 && i < 18 ? 400 : 1000;
}

static double slow_start(size_t i)
{
	return i < 2 ? 300 : 1000;
}

static double slow_start_then_cliff(size_t i)
{
	return i < 2 ? 500 : cliff_at_50(i);
}

static double growing(size_t i)
{
	return i < 15 ? 1000 : 2500;
}

static double saw_tooth(size_t i)
{
	return i % 2 ? 600 : 1400;
}

static double step_of_a_tenth(size_t i)
{
	return i < 15 ? 1000 : 900;
}

static double two_falls(size_t i)
{
	return i < 10 ? 3000 : i < 20 ? 1500 : 1200;
}

static double nothing(size_t i UNUSED)
{
	return 0;
}

static double to_a_standstill(size_t i)
{
	return i < 20 ? 1000 : 0;
}

static const struct {
	const char *what;
	shape_fn *shape;
	size_t want_at; /* 0: no cliff */
	double want_before;
	double want_after;
	bool is_exact_only; /* noise may move it */
} shapes[] = {
	{ "flat", flat, 0, 0, 0, false },
	{ "ramp up", ramp_up, 0, 0, 0, false },
	{ "ramp down", ramp_down, 0, 0, 0, false },
	{ "slide", slide, 0, 0, 0, false },
	{ "slide to a level", slide_to_a_level, 0, 0, 0, false },
	{ "cliff at 10 %", cliff_at_10, 3, 2500, 1000, false },
	{ "cliff at 50 %", cliff_at_50, 15, 2500, 1000, false },
	{ "cliff at 90 %", cliff_at_90, 27, 2500, 1000, false },
	{ "too late", too_late, 0, 0, 0, false },
	{ "burst of one round", burst_of_one_round, 0, 0, 0, false },
	{ "dip", dip, 0, 0, 0, false },
	{ "slow start", slow_start, 0, 0, 0, false },
	{ "slow start, then cliff", slow_start_then_cliff, 15, (2 * 500 + 13 * 2500) / 15.0, 1000,
	  true },
	{ "growing", growing, 0, 0, 0, false },
	{ "saw-tooth", saw_tooth, 0, 0, 0, false },
	{ "step of a tenth", step_of_a_tenth, 0, 0, 0, false },
	{ "two falls", two_falls, 10, 3000, 1350, false },
	{ "nothing", nothing, 0, 0, 0, false },
	{ "to a standstill", to_a_standstill, 20, 1000, 0, false },
};

static void draw(double *out, shape_fn *shape)
{
	for (size_t i = 0; i < ROUNDS; i++)
		out[i] = shape(i);
}

START_TEST(only_a_fall_that_lasts_is_a_cliff)
{
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		struct series_cliff cliff = { 0 };
		double series[ROUNDS];

		draw(series, shapes[i].shape);
		ck_assert_msg(series_find_cliff(series, ROUNDS, &cliff) == (shapes[i].want_at > 0),
			      "%s", shapes[i].what);
		ck_assert_msg(cliff.at == shapes[i].want_at, "%s: at %zu", shapes[i].what,
			      cliff.at);
		ck_assert_msg(is_near(cliff.before, shapes[i].want_before), "%s: before %g",
			      shapes[i].what, cliff.before);
		ck_assert_msg(is_near(cliff.after, shapes[i].want_after), "%s: after %g",
			      shapes[i].what, cliff.after);
	}
}
END_TEST

START_TEST(noise_of_five_percent_changes_none_of_that)
{
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		size_t n_right = 0;
		uint64_t state = 5;

		for (int k = 0; k < 200; k++) {
			struct series_cliff cliff = { 0 };
			double series[ROUNDS];

			draw(series, shapes[i].shape);
			add_noise(series, ROUNDS, 0.05, &state);
			(void)series_find_cliff(series, ROUNDS, &cliff);
			n_right += cliff.at == shapes[i].want_at;
		}
		if (!shapes[i].is_exact_only)
			ck_assert_msg(n_right >= 198, "%s: %zu of 200", shapes[i].what, n_right);
	}
}
END_TEST

START_TEST(too_few_rounds_have_no_cliff)
{
	static const double few[] = { 100, 100, 10, 10, 10 };
	struct series_cliff cliff = { .at = 77 };

	for (size_t n = 0; n < ARRAY_LEN(few); n++)
		ck_assert(!series_find_cliff(few, n, &cliff));
	ck_assert_uint_eq(cliff.at, 77);
	ck_assert(series_find_cliff(few, ARRAY_LEN(few), &cliff));
	ck_assert_uint_eq(cliff.at, 2);
}
END_TEST

START_TEST(a_short_ramp_is_no_cliff)
{
	static const double ramp[] = { 600, 500, 400, 300, 200, 100 };
	struct series_cliff cliff;

	for (size_t n = 0; n <= ARRAY_LEN(ramp); n++)
		ck_assert(!series_find_cliff(ramp, n, &cliff));
}
END_TEST

START_TEST(the_fall_must_be_more_than_a_fifth)
{
	double series[] = { 100, 100, 100, 80.1, 80.1, 80.1 };
	struct series_cliff cliff;

	ck_assert(!series_find_cliff(series, ARRAY_LEN(series), &cliff));
	for (size_t i = 3; i < ARRAY_LEN(series); i++)
		series[i] = 79.9;
	ck_assert(series_find_cliff(series, ARRAY_LEN(series), &cliff));
}
END_TEST

START_TEST(noise_of_ten_percent_is_hardly_ever_taken_for_a_cliff)
{
	uint64_t state = 1;
	size_t n_found = 0;

	for (int k = 0; k < 2000; k++) {
		struct series_cliff cliff;
		double series[ROUNDS];

		draw(series, flat);
		add_noise(series, ROUNDS, 0.10, &state);
		n_found += series_find_cliff(series, ROUNDS, &cliff);
	}
	ck_assert_uint_le(n_found, 2000 / 200);
}
END_TEST

/* Anywhere from a tenth to nine tenths of the way. */
START_TEST(nearly_every_fall_by_30_percent_is_found_in_such_noise)
{
	uint64_t state = 2;
	size_t n_found = 0;

	for (size_t k = 0; k < 2000; k++) {
		size_t at = ROUNDS / 10 + k % (ROUNDS * 8 / 10 + 1);
		struct series_cliff cliff;
		double series[ROUNDS];

		for (size_t i = 0; i < ROUNDS; i++)
			series[i] = i < at ? 1000 : 700;
		add_noise(series, ROUNDS, 0.10, &state);
		n_found += series_find_cliff(series, ROUNDS, &cliff);
	}
	ck_assert_uint_ge(n_found, 2000 * 9 / 10);
}
END_TEST

SUITE_MAIN("base_series", a_round_is_a_thirtieth_of_the_phase_and_no_shorter_than_two_seconds,
	   a_count_lies_on_the_line_between_two_samples,
	   two_samples_at_the_same_time_divide_nothing_by_zero, the_rates_are_those_of_whole_rounds,
	   a_window_is_steady_within_its_range_and_slope, fewer_rounds_than_a_window_are_not_judged,
	   only_a_fall_that_lasts_is_a_cliff, noise_of_five_percent_changes_none_of_that,
	   too_few_rounds_have_no_cliff, a_short_ramp_is_no_cliff,
	   the_fall_must_be_more_than_a_fifth,
	   noise_of_ten_percent_is_hardly_ever_taken_for_a_cliff,
	   nearly_every_fall_by_30_percent_is_found_in_such_noise)
