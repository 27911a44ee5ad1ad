/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_base_units - sizes, durations and numbers
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "iotest/units.h"
#include "suite.h"

#define UNTOUCHED (-77)
#define MINUTE (60 * NS_PER_S)
#define HOUR (60 * MINUTE)

struct parse_row {
	const char *in;
	int64_t want;
	int want_rc;
};

static void check_rows(int (*parse)(const char *text, int64_t *out), const struct parse_row *rows,
		       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t got = UNTOUCHED;
		int rc = parse(rows[i].in, &got);

		ck_assert_msg(rc == rows[i].want_rc, "'%s': rc %d, want %d", rows[i].in, rc,
			      rows[i].want_rc);
		ck_assert_msg(got == (rc ? UNTOUCHED : rows[i].want), "'%s': %lld", rows[i].in,
			      (long long)got);
	}
}

START_TEST(units_reads_sizes_as_binary)
{
	static const struct parse_row rows[] = {
		{ "0", 0, 0 },
		{ "64", 64, 0 },
		{ "64B", 64, 0 },
		{ "64K", 65536, 0 },
		{ "64kb", 65536, 0 },
		{ "64KiB", 65536, 0 },
		{ "64kIb", 65536, 0 },
		{ "1.5GiB", 1610612736, 0 },
		{ "0.5k", 512, 0 },
		{ "1.5000000000000000000000G", 1610612736, 0 },
		{ "3T", 3 * 1024 * GIB, 0 },
		{ "2P", 2 * MIB * GIB, 0 },
		{ "7E", 7 * GIB * GIB, 0 },
		{ "7.5E", 7 * GIB * GIB + GIB * GIB / 2, 0 },
		{ "9223372036854775807", INT64_MAX, 0 },
	};

	check_rows(units_parse_size, rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(units_rejects_what_is_no_size)
{
	static const struct parse_row rows[] = {
		{ "", 0, -EINVAL },
		{ "12 MB", 0, -EINVAL },
		{ "12 QB", 0, -EINVAL },
		{ "12Q", 0, -EINVAL },
		{ "-5", 0, -EINVAL },
		{ "+5", 0, -EINVAL },
		{ " 5", 0, -EINVAL },
		{ "5 ", 0, -EINVAL },
		{ "G", 0, -EINVAL },
		{ ".5G", 0, -EINVAL },
		{ "1.G", 0, -EINVAL },
		{ "1..5G", 0, -EINVAL },
		{ "1.5", 0, -EINVAL },
		{ "0.1K", 0, -EINVAL },
		{ "0x10", 0, -EINVAL },
		{ "1e3", 0, -EINVAL },
		{ "64iB", 0, -EINVAL },
		{ "64KiBs", 0, -EINVAL },
		{ "1K1K", 0, -EINVAL },
		{ "1\n", 0, -EINVAL },
		{ "1.50000000000000000001G", 0, -EINVAL },
		{ "99999999999999999999Q", 0, -EINVAL },
	};

	check_rows(units_parse_size, rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(units_knows_what_is_too_large)
{
	static const struct parse_row rows[] = {
		{ "8E", 0, -ERANGE },
		{ "99999999999G", 0, -ERANGE },
		{ "9223372036854775808", 0, -ERANGE },
		{ "99999999999999999999999999999999", 0, -ERANGE },
	};

	check_rows(units_parse_size, rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(units_reads_durations)
{
	static const struct parse_row rows[] = {
		{ "90", 90 * NS_PER_S, 0 },
		{ "90s", 90 * NS_PER_S, 0 },
		{ "10m", 10 * MINUTE, 0 },
		{ "1.5h", 90 * MINUTE, 0 },
		{ "1h30m", 90 * MINUTE, 0 },
		{ "1H30M5S", 90 * MINUTE + 5 * NS_PER_S, 0 },
		{ "500ms", 500 * NS_PER_MS, 0 },
		{ "1s500ms", 1500 * NS_PER_MS, 0 },
		{ "0.25", NS_PER_S / 4, 0 },
		{ "0", 0, 0 },
		{ "", 0, -EINVAL },
		{ "abc", 0, -EINVAL },
		{ "-5", 0, -EINVAL },
		{ "5x", 0, -EINVAL },
		{ "h", 0, -EINVAL },
		{ "1h30", 0, -EINVAL },
		{ "30m1h", 0, -EINVAL },
		{ "1h1h", 0, -EINVAL },
		{ "1h 30m", 0, -EINVAL },
		{ "5 s", 0, -EINVAL },
		{ "0.0000000001s", 0, -EINVAL },
		{ "9223372037", 0, -ERANGE },
		{ "2562048h", 0, -ERANGE },
		{ "2562047h59m", 0, -ERANGE },
		{ "99999999999999999999h", 0, -ERANGE },
		{ "99999999999999999999h5x", 0, -EINVAL },
	};

	check_rows(units_parse_duration, rows, ARRAY_LEN(rows));
}
END_TEST

static int parse_small_count(const char *text, int64_t *out)
{
	return units_parse_count(text, 1, 100, out);
}

START_TEST(units_reads_counts_within_their_range)
{
	static const struct parse_row rows[] = {
		{ "1", 1, 0 },	       { "100", 100, 0 },
		{ "007", 7, 0 },       { "0", 0, -ERANGE },
		{ "101", 0, -ERANGE }, { "99999999999999999999", 0, -ERANGE },
		{ "", 0, -EINVAL },    { "-1", 0, -EINVAL },
		{ "1.5", 0, -EINVAL }, { "10G", 0, -EINVAL },
		{ "0x1", 0, -EINVAL }, { " 1", 0, -EINVAL },
	};

	check_rows(parse_small_count, rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(units_reads_the_kernels_signed_numbers)
{
	static const struct parse_row rows[] = {
		{ "-1", -1, 0 },
		{ "0", 0, 0 },
		{ "9223372036854775807", INT64_MAX, 0 },
		{ "-9223372036854775808", INT64_MIN, 0 },
		{ "18446744073709551615", 0, -ERANGE },
		{ "max", 0, -EINVAL },
		{ "", 0, -EINVAL },
		{ "-", 0, -EINVAL },
		{ "--1", 0, -EINVAL },
		{ "12 kB", 0, -EINVAL },
	};

	check_rows(units_parse_i64, rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(units_reads_plain_decimal_numbers)
{
	static const char *const bad[] = { "",	   "-1", "1e3", "nan", "inf",
					   "0x10", "1.", ".5",	"1 ",  "5G" };
	double v = 0;

	ck_assert_int_eq(units_parse_number("95.5", &v), 0);
	ck_assert_double_eq(v, 95.5);
	ck_assert_int_eq(units_parse_number("100", &v), 0);
	ck_assert_double_eq(v, 100);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		ck_assert_msg(units_parse_number(bad[i], &v) == -EINVAL, "'%s'", bad[i]);
	ck_assert_double_eq(v, 100);
}
END_TEST

START_TEST(units_rejects_a_number_no_double_holds)
{
	char digits[400];
	double v = 1;

	memset(digits, '9', sizeof(digits));
	digits[sizeof(digits) - 1] = '\0';
	ck_assert_int_eq(units_parse_number(digits, &v), -ERANGE);
	ck_assert_double_eq(v, 1);
}
END_TEST

struct text_row {
	int64_t in;
	const char *want;
};

static void check_text(void (*add)(struct buf *b, int64_t value), const struct text_row *rows,
		       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		CLEANUP(buf_done) struct buf b = { 0 };

		add(&b, rows[i].in);
		ck_assert_str_eq(buf_text(&b), rows[i].want);
	}
}

START_TEST(units_writes_sizes)
{
	static const struct text_row rows[] = {
		{ 0, "0 B" },
		{ 512, "512 B" },
		{ 1023, "1023 B" },
		{ 1024, "1 KiB" },
		{ 1500, "1.46 KiB" },
		{ 65536, "64 KiB" },
		{ 24 * GIB, "24 GiB" },
		{ 270014021632, "251.47 GiB" },
		{ MIB - 1, "1.00 MiB" },
		{ 1023 * KIB, "1023 KiB" },
		{ GIB - 6 * MIB, "1018 MiB" },
		{ INT64_MAX, "8.00 EiB" },
		{ -1, "unknown" },
	};

	check_text(units_add_size, rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(units_writes_durations)
{
	static const struct text_row rows[] = {
		{ 0, "0.0 s" },
		{ 300000, "0.3 ms" },
		{ 40 * NS_PER_MS, "40.0 ms" },
		{ 60 * NS_PER_MS, "0.1 s" },
		{ 800 * NS_PER_MS, "0.8 s" },
		{ 59900 * NS_PER_MS, "59.9 s" },
		{ 59960 * NS_PER_MS, "1 min 00 s" },
		{ 12 * MINUTE + 5 * NS_PER_S, "12 min 05 s" },
		{ 59 * MINUTE + 59600 * NS_PER_MS, "1 h 00 min" },
		{ HOUR + 37 * MINUTE, "1 h 37 min" },
		{ 30 * HOUR, "30 h 00 min" },
		{ -1, "unknown" },
	};

	check_text(units_add_duration, rows, ARRAY_LEN(rows));
}
END_TEST

START_TEST(units_checks_sums_and_products)
{
	int64_t n = UNTOUCHED;

	ck_assert_int_eq(units_mul(INT64_MAX, 2, &n), -EOVERFLOW);
	ck_assert_int_eq(units_add(INT64_MAX, 1, &n), -EOVERFLOW);
	ck_assert_int_eq(n, UNTOUCHED);
	ck_assert_int_eq(units_mul(3, 5, &n), 0);
	ck_assert_int_eq(n, 15);
	ck_assert_int_eq(units_add(INT64_MAX - 1, 1, &n), 0);
	ck_assert(n == INT64_MAX);
	ck_assert_double_eq(units_mib(3 * MIB / 2), 1.5);
	ck_assert_double_eq(units_gib(GIB / 4), 0.25);
	ck_assert_double_eq(units_seconds(1500 * NS_PER_MS), 1.5);
}
END_TEST

SUITE_MAIN("base units", units_reads_sizes_as_binary, units_rejects_what_is_no_size,
	   units_knows_what_is_too_large, units_reads_durations,
	   units_reads_counts_within_their_range, units_reads_the_kernels_signed_numbers,
	   units_reads_plain_decimal_numbers, units_rejects_a_number_no_double_holds,
	   units_writes_sizes, units_writes_durations, units_checks_sums_and_products)
