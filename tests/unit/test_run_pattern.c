/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_pattern - the data that is written: unique and repeatable (see test_run_randomness)
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/compiler.h"
#include "iotest/xalloc.h"
#include "run/pattern.h"

#define RUN_A "00112233445566778899aabbccddeeff"
#define RUN_B "00112233445566778899aabbccddeefe"
#define PIECE 512

static const struct {
	const char *name;
	void (*init)(struct pattern *p, const char *run_id, int64_t worker);
} generators[] = {
	{ "default", pattern_init },
	{ "portable", pattern_init_portable },
};

static int compare_pieces(const void *a, const void *b)
{
	return memcmp(*(const uint8_t *const *)a, *(const uint8_t *const *)b, PIECE);
}

static size_t count_equal_neighbours(const uint8_t *data, size_t len)
{
	size_t n = len / PIECE, equal = 0;
	const uint8_t **pieces = xcalloc(n, sizeof(*pieces));

	for (size_t i = 0; i < n; i++)
		pieces[i] = data + i * PIECE;
	qsort(pieces, n, sizeof(*pieces), compare_pieces);
	for (size_t i = 1; i < n; i++)
		equal += memcmp(pieces[i - 1], pieces[i], PIECE) == 0;
	free(pieces);
	return equal;
}

START_TEST(every_512_bytes_are_unique_across_offsets_workers_and_runs)
{
	static const struct {
		const char *run;
		int64_t worker;
		int64_t offset;
	} streams[] = {
		{ RUN_A, 0, 0 },	 { RUN_A, 1, 0 },
		{ RUN_A, 64, 0 }, /* a piece is 64 words long */
		{ RUN_A, 0, 1LL << 40 }, { RUN_B, 0, 0 },
	};
	const size_t len = 4 * MIB;
	uint8_t *data = xcalloc(ARRAY_LEN(streams), len);

	for (size_t i = 0; i < ARRAY_LEN(streams); i++) {
		struct pattern p;

		generators[_i].init(&p, streams[i].run, streams[i].worker);
		pattern_fill(&p, streams[i].offset, data + i * len, len);
	}
	ck_assert_uint_eq(count_equal_neighbours(data, ARRAY_LEN(streams) * len), 0);
	free(data);
}
END_TEST

START_TEST(the_same_place_gives_the_same_bytes_however_it_is_cut)
{
	static const size_t cuts[] = { 1, 15, 16, 17, 64, 511, 512, 1000, 4096 };
	uint8_t whole[20000], parts[20000];
	struct pattern p;

	generators[_i].init(&p, RUN_A, 3);
	pattern_fill(&p, 12345, whole, sizeof(whole));
	for (size_t c = 0; c < ARRAY_LEN(cuts); c++) {
		memset(parts, 0xee, sizeof(parts));
		for (size_t at = 0; at < sizeof(parts); at += cuts[c]) {
			size_t left = sizeof(parts) - at;

			pattern_fill(&p, 12345 + (int64_t)at, parts + at,
				     left < cuts[c] ? left : cuts[c]);
		}
		ck_assert_mem_eq(whole, parts, sizeof(whole));
	}
}
END_TEST

START_TEST(fills_not_one_byte_beyond_the_length)
{
	for (size_t len = 0; len < 100; len++) {
		uint8_t data[128];
		struct pattern p;

		memset(data, 0xa5, sizeof(data));
		generators[_i].init(&p, RUN_A, 0);
		pattern_fill(&p, 7, data + 3, len);
		for (size_t i = 0; i < sizeof(data); i++) {
			if (i < 3 || i >= 3 + len)
				ck_assert_uint_eq(data[i], 0xa5);
		}
	}
}
END_TEST

int main(void)
{
	const int n = ARRAY_LEN(generators);
	Suite *suite = suite_create("run_pattern");
	TCase *tc = tcase_create("pattern");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, every_512_bytes_are_unique_across_offsets_workers_and_runs, 0, n);
	tcase_add_loop_test(tc, the_same_place_gives_the_same_bytes_however_it_is_cut, 0, n);
	tcase_add_loop_test(tc, fills_not_one_byte_beyond_the_length, 0, n);
	suite_add_tcase(suite, tc);
	sr = srunner_create(suite);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
