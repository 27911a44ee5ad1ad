/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_base_cpulist - sets of CPU numbers
 */
#include <errno.h>

#include "iotest/cpulist.h"
#include "suite.h"

struct row {
	const char *in;
	const char *want; /* NULL: refused */
	size_t count;
};

static void check_rows(int (*parse)(const char *text, struct cpulist *out), const struct row *rows,
		       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		CLEANUP(cpulist_done) struct cpulist set = { 0 };
		CLEANUP(buf_done) struct buf text = { 0 };
		int rc;

		cpulist_set(&set, 9);
		rc = parse(rows[i].in, &set);
		ck_assert_msg(rc == (rows[i].want ? 0 : -EINVAL), "'%s': %d", rows[i].in, rc);
		cpulist_add_text(&set, &text);
		ck_assert_str_eq(buf_text(&text), rows[i].want ? rows[i].want : "9");
		ck_assert_uint_eq(cpulist_count(&set), rows[i].want ? rows[i].count : 1);
	}
}

START_TEST(cpulist_reads_lists)
{
	static const struct row rows[] = {
		{ "", "", 0 },
		{ "\n", "", 0 },
		{ "0", "0", 1 },
		{ "0-3,8\n", "0-3,8", 5 },
		{ "0,1", "0-1", 2 },
		{ "63-64", "63-64", 2 },
		{ "8,0-3,2", "0-3,8", 5 },
		{ "0-65535", "0-65535", 65536 },
		{ "65536", NULL, 0 },
		{ "0-99999999999999999999", NULL, 0 },
		{ "3-1", NULL, 0 },
		{ "1-", NULL, 0 },
		{ "-1", NULL, 0 },
		{ "1,", NULL, 0 },
		{ ",1", NULL, 0 },
		{ "1,,2", NULL, 0 },
		{ "1 2", NULL, 0 },
		{ "1 \n", "1", 1 },
		{ "x", NULL, 0 },
	};

	check_rows(cpulist_parse, rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(cpulist_keeps_what_is_valid_of_a_list)
{
	static const struct {
		const char *in;
		const char *want;
		size_t n_bad;
	} rows[] = {
		{ "", "", 0 },
		{ " \n", "", 0 },
		{ "0-3,8\n", "0-3,8", 0 },
		{ "0-1,70000", "0-1", 1 },
		{ "65534-70000", "65534-65535", 1 },
		{ "0-99999999999999999999", "0-65535", 1 },
		{ "70000-80000", "", 1 },
		{ "0-10:2/4", "", 1 },
		{ "0-10:2/4,12", "12", 1 },
		{ "3-0", "", 1 },
		{ "1-,-2,3", "3", 2 },
		{ "1,,2", "1-2", 1 },
		{ "1,", "1", 1 },
		{ ",1", "1", 1 },
		{ "1 2", "", 1 },
		{ "x,2 \n", "2", 1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(cpulist_done) struct cpulist set = { 0 };
		CLEANUP(buf_done) struct buf text = { 0 };
		size_t n_bad;

		cpulist_set(&set, 9);
		n_bad = cpulist_parse_valid(rows[i].in, &set);
		cpulist_add_text(&set, &text);
		ck_assert_str_eq(buf_text(&text), rows[i].want);
		ck_assert_msg(n_bad == rows[i].n_bad, "'%s': %zu", rows[i].in, n_bad);
	}
}
END_TEST

START_TEST(cpulist_reads_masks)
{
	static const struct row rows[] = {
		{ "", "", 0 },
		{ "0\n", "", 0 },
		{ "f", "0-3", 4 },
		{ "F0", "4-7", 4 },
		{ "00ff,0000000f", "0-3,32-39", 12 },
		{ "80000000,00000000,00000001", "0,95", 2 },
		{ "00000000,00000000,3", "0-1", 2 },
		{ "g", NULL, 0 },
		{ "0x3", NULL, 0 },
		{ "1ffffffff", NULL, 0 },
		{ "1,", NULL, 0 },
		{ ",1", NULL, 0 },
		{ "1,,1", NULL, 0 },
		{ "1 1", NULL, 0 },
	};

	check_rows(cpulist_parse_mask, rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(cpulist_walks_its_members_in_order)
{
	CLEANUP(cpulist_done) struct cpulist set = { 0 };
	static const int want[] = { 0, 63, 64, 200, 65535 };
	size_t n = 0;

	for (size_t i = ARRAY_LEN(want); i-- > 0;)
		cpulist_set(&set, (unsigned int)want[i]);
	for (int c = cpulist_next(&set, 0); c >= 0; c = cpulist_next(&set, c + 1)) {
		ck_assert_uint_lt(n, ARRAY_LEN(want));
		ck_assert_int_eq(c, want[n++]);
	}
	ck_assert_uint_eq(n, ARRAY_LEN(want));
}
END_TEST

START_TEST(cpulist_intersects_and_copies)
{
	CLEANUP(cpulist_done) struct cpulist a = { 0 };
	CLEANUP(cpulist_done) struct cpulist b = { 0 };
	CLEANUP(cpulist_done) struct cpulist c = { 0 };

	ck_assert_int_eq(cpulist_parse("0-7,128", &a), 0);
	ck_assert_int_eq(cpulist_parse("4-9", &b), 0);
	cpulist_copy(&c, &a);
	cpulist_intersect(&a, &b);
	ck_assert_uint_eq(cpulist_count(&a), 4);
	ck_assert(cpulist_has(&a, 4) && cpulist_has(&a, 7) && !cpulist_has(&a, 128));
	ck_assert(!cpulist_has(&a, 60000));
	ck_assert_uint_eq(cpulist_count(&c), 9);
	cpulist_copy(&c, &a);
	ck_assert_uint_eq(cpulist_count(&c), 4);
}
END_TEST

SUITE_MAIN("base cpulist", cpulist_reads_lists, cpulist_keeps_what_is_valid_of_a_list,
	   cpulist_reads_masks, cpulist_walks_its_members_in_order, cpulist_intersects_and_copies)
