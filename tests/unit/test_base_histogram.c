/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_base_histogram - classes of call times, and percentiles of them
 */
#include <stdint.h>
#include <string.h>

#include "iotest/compiler.h"
#include "iotest/histogram.h"
#include "suite.h"

/* The middle lies within this part of each time in the class. */
#define WITHIN 0.008

static const struct {
	int64_t ns;
	size_t want_class;
} classes[] = {
	{ INT64_MIN, 0 },
	{ -1, 0 },
	{ 0, 0 },
	{ 1, 1 },
	{ 63, 63 },
	{ 64, 64 },
	{ 127, 127 },
	{ 128, 128 },
	{ 129, 128 },
	{ 130, 129 },
	{ 255, 191 },
	{ 256, 192 },
	{ 1000000, 13 * 64 + 122 }, /* 1000000 = 122.07 x 2^13 */
	{ (1LL << 42) - 1, HISTOGRAM_CLASSES - 1 },
	{ 1LL << 42, HISTOGRAM_CLASSES - 1 },
	{ INT64_MAX, HISTOGRAM_CLASSES - 1 },
};

START_TEST(a_time_has_its_class)
{
	for (size_t i = 0; i < ARRAY_LEN(classes); i++)
		ck_assert_uint_eq(histogram_class(classes[i].ns), classes[i].want_class);
}
END_TEST

/* The lowest time of a class, as the header words it. */
static int64_t low_of(size_t class_index)
{
	size_t octave = class_index / HISTOGRAM_STEPS;

	if (octave == 0)
		return (int64_t)class_index;
	return (int64_t)(HISTOGRAM_STEPS + class_index % HISTOGRAM_STEPS) << (octave - 1);
}

START_TEST(the_classes_follow_each_other_without_gaps)
{
	for (size_t i = 1; i < HISTOGRAM_CLASSES; i++) {
		ck_assert_uint_eq(histogram_class(low_of(i)), i);
		ck_assert_uint_eq(histogram_class(low_of(i) - 1), i - 1);
		ck_assert_int_gt(histogram_middle_ns(i), histogram_middle_ns(i - 1));
	}
}
END_TEST

START_TEST(the_middle_is_near_every_time_of_its_class)
{
	for (size_t i = 1; i < HISTOGRAM_CLASSES; i++) {
		int64_t low = low_of(i);
		int64_t high = i + 1 < HISTOGRAM_CLASSES ? low_of(i + 1) - 1 : (1LL << 42) - 1;
		int64_t middle = histogram_middle_ns(i);

		ck_assert_uint_eq(histogram_class(middle), i);
		ck_assert((double)(middle - low) <= WITHIN * (double)low);
		ck_assert((double)(high - middle) <= WITHIN * (double)high);
	}
}
END_TEST

START_TEST(a_short_time_is_exact)
{
	for (int64_t ns = 0; ns < 128; ns++)
		ck_assert_int_eq(histogram_middle_ns(histogram_class(ns)), ns);
}
END_TEST

START_TEST(a_class_that_does_not_exist_is_the_last_one)
{
	int64_t last = histogram_middle_ns(HISTOGRAM_CLASSES - 1);

	ck_assert_int_eq(histogram_middle_ns(HISTOGRAM_CLASSES), last);
	ck_assert_int_eq(histogram_middle_ns(SIZE_MAX), last);
}
END_TEST

/* Calls of three times that have a class each: a x 10 ns, b x 20 ns, c x 60 ns. */
static const struct {
	uint64_t a, b, c;
	double share;
	int64_t want_ns;
} percentiles[] = {
	{ 0, 0, 0, 0.5, -1 },
	{ 0, 1, 0, 0, 20 },
	{ 0, 1, 0, 0.5, 20 },
	{ 0, 1, 0, 0.999, 20 },
	{ 0, 1, 0, 1, 20 },
	/* ceil(0.5 x 3) = 2 */
	{ 1, 1, 1, 0.5, 20 },
	{ 1, 1, 1, 0, 10 },
	{ 1, 1, 1, 1, 60 },
	{ 1, 1, 1, 0.34, 20 },
	{ 1, 1, 1, 0.33, 10 },
	/* ceil(0.5 x 4) = 2 */
	{ 2, 0, 2, 0.5, 10 },
	{ 2, 0, 2, 0.51, 60 },
	/* The 999th of 1000 calls is no slow one; if two are slow, it is. */
	{ 0, 999, 1, 0.999, 20 },
	{ 0, 998, 2, 0.999, 60 },
	{ 0, 999, 1, 0.9991, 60 },
	/* 0.07 x 100 is 7.000000000000001, and the 7th call is meant. */
	{ 7, 93, 0, 0.07, 10 },
	{ 6, 94, 0, 0.07, 20 },
	{ 900000000, 99000000, 1000000, 0.9, 10 },
	{ 900000000, 99000000, 1000000, 0.99, 20 },
	{ 900000000, 99000000, 1000000, 0.999, 20 },
	{ 900000000, 99000000, 1000000, 0.9990000011, 60 },
	{ 1, 1, 1, -1, 10 },
	{ 1, 1, 1, 2, 60 },
};

START_TEST(a_percentile_is_the_time_of_the_call_that_completes_the_share)
{
	static uint64_t counts[HISTOGRAM_CLASSES];

	for (size_t i = 0; i < ARRAY_LEN(percentiles); i++) {
		memset(counts, 0, sizeof(counts));
		counts[10] = percentiles[i].a;
		counts[20] = percentiles[i].b;
		counts[60] = percentiles[i].c;
		ck_assert_msg(histogram_percentile_ns(counts, percentiles[i].share) ==
				      percentiles[i].want_ns,
			      "row %zu", i);
	}
}
END_TEST

START_TEST(the_slowest_call_of_all_is_in_the_last_class)
{
	static uint64_t counts[HISTOGRAM_CLASSES];

	counts[histogram_class(INT64_MAX)] = 1;
	ck_assert_int_eq(histogram_percentile_ns(counts, 1),
			 histogram_middle_ns(HISTOGRAM_CLASSES - 1));
}
END_TEST

SUITE_MAIN("base_histogram", a_time_has_its_class, the_classes_follow_each_other_without_gaps,
	   the_middle_is_near_every_time_of_its_class, a_short_time_is_exact,
	   a_class_that_does_not_exist_is_the_last_one,
	   a_percentile_is_the_time_of_the_call_that_completes_the_share,
	   the_slowest_call_of_all_is_in_the_last_class)
