/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_cmd_start_at - which moment a local time means
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "suite.h"

#include "cmd/start_at.h"
#include "iotest/compiler.h"

/* 2026-12-01 HH:MM:SS UTC */
static int64_t at(int64_t hours, int64_t minutes, int64_t seconds)
{
	return (1796083200 + hours * 3600 + minutes * 60 + seconds) * NS_PER_S;
}

START_TEST(it_is_within_the_next_twelve_hours)
{
	static const struct {
		int now[3];
		const char *text;
		int want[3]; /* hours may be above 23 */
	} rows[] = {
		{ { 9, 0, 0 }, "09:00:00", { 9, 0, 0 } },
		{ { 9, 0, 0 }, "09:00:01", { 9, 0, 1 } },
		{ { 9, 0, 0 }, "20:59:59", { 20, 59, 59 } },
		{ { 23, 58, 0 }, "00:05:00", { 24, 5, 0 } },
		{ { 23, 58, 0 }, "11:57:59", { 35, 57, 59 } },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = { 0 };
		int64_t ns = -1;

		ck_assert_int_eq(start_at_parse(rows[i].text,
						at(rows[i].now[0], rows[i].now[1], rows[i].now[2]),
						&ns, &err),
				 0);
		ck_assert_int_eq(ns, at(rows[i].want[0], rows[i].want[1], rows[i].want[2]));
	}
}
END_TEST

START_TEST(what_has_passed_or_is_no_time_is_a_mistake)
{
	static const struct {
		int64_t now_hours;
		const char *text, *want;
	} rows[] = {
		{ 9, "08:59:59", "--start-at 08:59:59: that was 1.0 s ago" },
		{ 9, "21:00:01", "that was 12 h 00 min ago" },
		{ 0, "23:59:00", "that was 1 min 00 s ago" },
		{ 9, "24:00:00", "'24:00:00' is not a local time as HH:MM:SS" },
		{ 9, "12:60:00", "is not a local time" },
		{ 9, "12:00:60", "is not a local time" },
		{ 9, "12:00", "is not a local time" },
		{ 9, "9:00:00", "is not a local time" },
		{ 9, "12:00:000", "is not a local time" },
		{ 9, "+1:00:00", "is not a local time" },
		{ 9, "", "is not a local time" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = { 0 };
		int64_t ns = -7;

		ck_assert_int_eq(start_at_parse(rows[i].text, at(rows[i].now_hours, 0, 0), &ns,
						&err),
				 -EINVAL);
		ck_assert_msg(strstr(err.sentence, rows[i].want) != NULL, "%s", err.sentence);
		ck_assert_int_eq(err.status, EXIT_STATUS_USAGE);
		ck_assert_int_eq(ns, -7);
	}
}
END_TEST

/* The night in which the clock goes back has 02:30:00 twice; it is one of them. */
START_TEST(a_change_to_winter_time_is_no_obstacle)
{
	struct err err = { 0 };
	int64_t now_ns = 1792886400 * NS_PER_S; /* 2026-10-25 00:00:00 UTC, 02:00 in summer */
	int64_t ns = -1;

	ck_assert_int_eq(setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1), 0);
	tzset();
	ck_assert_int_eq(start_at_parse("02:30:00", now_ns, &ns, &err), 0);
	ck_assert(ns == now_ns + 1800 * NS_PER_S || ns == now_ns + 5400 * NS_PER_S);
	ck_assert_int_eq(start_at_parse("04:00:00", now_ns, &ns, &err), 0);
	ck_assert_int_eq(ns, now_ns + 3 * 3600 * NS_PER_S);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { it_is_within_the_next_twelve_hours,
				       what_has_passed_or_is_no_time_is_a_mistake,
				       a_change_to_winter_time_is_no_obstacle };

	setenv("TZ", "UTC", 1);
	return suite_run("start_at", tests, ARRAY_LEN(tests));
}
