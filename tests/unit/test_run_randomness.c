/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_randomness - both generators look like chance, to the eyes of an array that compresses
 *
 * Each measure is a count over independent fair bits, told as its distance from the mean in
 * standard deviations. Chance alone leaves six of them once in 500 million; fewer than 1000 are
 * looked at. What is made never changes, so that this is no game of luck: a generator passes for
 * ever or was changed. Streams with a small fault each show that the measures can fail.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/compiler.h"
#include "iotest/xalloc.h"
#include "run/pattern.h"

#define RUN_A "00112233445566778899aabbccddeeff"
#define RUN_B "00112233445566778899aabbccddeefe"
#define UNIT 16
#define UNIT_BITS (UNIT * 8)
#define LEN ((size_t)(16 * MIB))
#define DEVIATIONS_MAX 6

typedef void make_fn(const char *run_id, int64_t worker, uint8_t *out);

/* ------------------------------------------------------------------ measures */

/* n fair coins, of which so many fell on one side. */
static double coins(size_t heads, size_t n)
{
	return ((double)heads - (double)n / 2) / (sqrt((double)n) / 2);
}

static uint8_t *made(make_fn *make, const char *run_id, int64_t worker)
{
	uint8_t *data = xcalloc(1, LEN);

	make(run_id, worker, data);
	return data;
}

/* Of the counts for each bit of a unit the most unusual one. */
static double worst_of_bits(const size_t *counts, size_t n)
{
	double worst = 0;

	for (size_t i = 0; i < UNIT_BITS; i++)
		worst = fmax(worst, fabs(coins(counts[i], n)));
	return worst;
}

/* How often each bit of a unit differs between a and b. */
static void count_differences(const uint8_t *a, const uint8_t *b, size_t len, size_t *counts)
{
	for (size_t i = 0; i < len; i++) {
		uint8_t differs = a[i] ^ b[i];

		for (size_t bit = 0; bit < 8; bit++)
			counts[i % UNIT * 8 + bit] += differs >> bit & 1;
	}
}

static double differences(const uint8_t *a, const uint8_t *b, size_t len)
{
	size_t counts[UNIT_BITS] = { 0 }, all = 0;

	count_differences(a, b, len, counts);
	for (size_t i = 0; i < UNIT_BITS; i++)
		all += counts[i];
	return fmax(fabs(coins(all, len * 8)), worst_of_bits(counts, len / UNIT));
}

/* As many ones as zeros, in all and in each place of a unit. */
static double monobit(make_fn *make)
{
	CLEANUP(xfree) uint8_t *data = made(make, RUN_A, 7);
	CLEANUP(xfree) uint8_t *zeros = xcalloc(1, LEN);

	return differences(data, zeros, LEN);
}

/* Chi-square over the 256 values: 255 degrees of freedom, variance 510. */
static double bytes(make_fn *make)
{
	CLEANUP(xfree) uint8_t *data = made(make, RUN_A, 7);
	const double expected = (double)LEN / 256;
	size_t counts[256] = { 0 };
	double chi = 0;

	for (size_t i = 0; i < LEN; i++)
		counts[data[i]]++;
	for (size_t i = 0; i < 256; i++)
		chi += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
	return (chi - 255) / sqrt(510);
}

/* Runs of equal bits: from one bit to the next, in reading order, a coin decides if one ends. */
static double runs(make_fn *make)
{
	CLEANUP(xfree) uint8_t *data = made(make, RUN_A, 7);
	size_t ends = 0;

	for (size_t i = 0; i < LEN; i++) {
		unsigned int next = i + 1 < LEN ? data[i + 1] >> 7 : data[i] & 1U;
		unsigned int nine = (unsigned int)data[i] << 1 | next;

		ends += (size_t)__builtin_popcount((nine ^ nine >> 1) & 0xff);
	}
	return coins(ends, LEN * 8 - 1);
}

/* Serial correlation: each bit differs from the one a unit before half of the time. */
static double neighbours(make_fn *make)
{
	CLEANUP(xfree) uint8_t *data = made(make, RUN_A, 7);

	return differences(data, data + UNIT, LEN - UNIT);
}

/* Avalanche: the smallest change of what the data is made from changes half of the bits. */
static double workers(make_fn *make)
{
	CLEANUP(xfree) uint8_t *a = made(make, RUN_A, 7);
	CLEANUP(xfree) uint8_t *b = made(make, RUN_A, 8);

	return differences(a, b, LEN);
}

static double run_ids(make_fn *make)
{
	CLEANUP(xfree) uint8_t *a = made(make, RUN_A, 7);
	CLEANUP(xfree) uint8_t *b = made(make, RUN_B, 7);

	return differences(a, b, LEN);
}

/* ------------------------------------------------------------------ streams */

static void by_default(const char *run_id, int64_t worker, uint8_t *out)
{
	struct pattern p;

	pattern_init(&p, run_id, worker);
	pattern_fill(&p, 0, out, LEN);
}

static void portably(const char *run_id, int64_t worker, uint8_t *out)
{
	struct pattern p;

	pattern_init_portable(&p, run_id, worker);
	pattern_fill(&p, 0, out, LEN);
}

/* One bit in 1024 is a one for sure. */
static void with_a_stuck_bit(const char *run_id, int64_t worker, uint8_t *out)
{
	portably(run_id, worker, out);
	for (size_t i = 0; i < LEN; i += 128)
		out[i] |= 0x10;
}

/* One byte in 128 is a zero or its complement. */
static void with_favourite_values(const char *run_id, int64_t worker, uint8_t *out)
{
	portably(run_id, worker, out);
	for (size_t i = 0; i < LEN; i += 128)
		out[i] = out[i] & 1 ? 0xff : 0;
}

/* One byte in 128 has as many ones as zeros, but never two of them side by side. */
static void with_alternating_bits(const char *run_id, int64_t worker, uint8_t *out)
{
	portably(run_id, worker, out);
	for (size_t i = 0; i < LEN; i += 128)
		out[i] = out[i] & 1 ? 0x55 : 0xaa;
}

/* One unit in 32 is that before it. */
static void with_an_echo(const char *run_id, int64_t worker, uint8_t *out)
{
	portably(run_id, worker, out);
	for (size_t i = UNIT; i < LEN; i += 32 * UNIT)
		memcpy(out + i, out + i - UNIT, UNIT);
}

static void for_any_worker(const char *run_id, int64_t worker, uint8_t *out)
{
	(void)worker;
	portably(run_id, 0, out);
}

static void for_any_run(const char *run_id, int64_t worker, uint8_t *out)
{
	(void)run_id;
	portably("", worker, out);
}

/* ------------------------------------------------------------------ verdicts */

static const struct {
	const char *name;
	double (*deviations)(make_fn *make);
	make_fn *faulty; /* has just the fault that this measure is for */
} measures[] = {
	{ "ones and zeros", monobit, with_a_stuck_bit },
	{ "byte values", bytes, with_favourite_values },
	{ "runs of bits", runs, with_alternating_bits },
	{ "neighbouring units", neighbours, with_an_echo },
	{ "workers n and n + 1", workers, for_any_worker },
	{ "two run ids", run_ids, for_any_run },
};

START_TEST(the_default_generator_looks_like_chance)
{
	double z = measures[_i].deviations(by_default);

	ck_assert_msg(fabs(z) < DEVIATIONS_MAX, "%s: %.1f deviations", measures[_i].name, z);
}
END_TEST

START_TEST(the_portable_generator_looks_like_chance)
{
	double z = measures[_i].deviations(portably);

	ck_assert_msg(fabs(z) < DEVIATIONS_MAX, "%s: %.1f deviations", measures[_i].name, z);
}
END_TEST

START_TEST(a_small_fault_is_seen_by_the_measure_for_it)
{
	double z = measures[_i].deviations(measures[_i].faulty);

	ck_assert_msg(fabs(z) > DEVIATIONS_MAX, "%s: %.1f deviations", measures[_i].name, z);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("run_randomness");
	TCase *tc = tcase_create("randomness");
	SRunner *runner;
	int n_failed;

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, the_default_generator_looks_like_chance, 0, ARRAY_LEN(measures));
	tcase_add_loop_test(tc, the_portable_generator_looks_like_chance, 0, ARRAY_LEN(measures));
	tcase_add_loop_test(tc, a_small_fault_is_seen_by_the_measure_for_it, 0,
			    ARRAY_LEN(measures));
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
