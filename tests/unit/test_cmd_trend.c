/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_cmd_trend - what is said of a run among those before it
 */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/trend.h"
#include "iotest/xalloc.h"

#define DAY_NS (24 * 3600 * NS_PER_S)
#define N_MAX 60

static struct history_entry entries[N_MAX];
static size_t n_entries;
static struct buf text;

static void begin(void)
{
	memset(entries, 0, sizeof(entries));
	n_entries = 0;
	text = (struct buf){ 0 };
}

static void end(void)
{
	for (size_t i = 0; i < n_entries; i++)
		schema_done(&history_entry_schema, &entries[i]);
	buf_done(&text);
}

/* n runs, a day apart; a rate of -1 is none. */
static void add(size_t n, double write, double read, const char *settings)
{
	for (size_t i = 0; i < n; i++) {
		struct history_entry *e = &entries[n_entries];

		schema_init(&history_entry_schema, e);
		e->started_at_ns = 1700000000 * NS_PER_S + (int64_t)n_entries++ * DAY_NS;
		e->write_mib_per_s = write;
		e->read_mib_per_s = read;
		xstr_set(&e->settings, settings);
	}
}

static enum regression_state judge(void)
{
	buf_done(&text);
	return trend_judge(entries, n_entries, REGRESSION_BASELINE_MIN, &text);
}

static void must_say(const char *words)
{
	ck_assert_msg(strstr(buf_text(&text), words) != NULL, "'%s' in: %s", words,
		      buf_text(&text));
}

START_TEST(too_few_runs_are_learning)
{
	begin();
	ck_assert_int_eq(judge(), REGRESSION_NONE);
	add(22, 100, 100, "");
	ck_assert_int_eq(judge(), REGRESSION_LEARNING);
	must_say("learning, 22 of 23 runs");
	add(1, 100, 100, "");
	ck_assert_int_eq(judge(), REGRESSION_NONE);
	ck_assert_str_eq(buf_text(&text), "");
	end();
}
END_TEST

START_TEST(a_regression_names_the_change_that_came_with_it)
{
	begin();
	add(30, 100, 200, "os.kernel=6.1\nvm.swappiness=10\n");
	add(1, 60, 200, "os.kernel=6.2\nvm.swappiness=10\n");
	add(4, 60, 200, "os.kernel=6.2\nvm.swappiness=60\n");
	ck_assert_int_eq(judge(), REGRESSION_CONFIRMED);
	must_say("regression of write: 60.0 MiB/s per core in the last 3 runs, 100.0 in the");
	must_say("changed on the host: os.kernel 6.1 -> 6.2");
	ck_assert_ptr_null(strstr(buf_text(&text), "read"));
	end();
}
END_TEST

START_TEST(a_regression_without_a_change_says_so)
{
	begin();
	add(30, -1, 200, "os.kernel=6.1\n");
	add(5, -1, 90, "os.kernel=6.1\n");
	ck_assert_int_eq(judge(), REGRESSION_CONFIRMED);
	must_say("regression of read: 90.0");
	must_say("no setting of the host that iotest knows has changed");
	end();
}
END_TEST

START_TEST(one_slow_run_is_only_a_suspicion)
{
	begin();
	add(30, 100, 200, "a=1\n");
	add(1, 10, 200, "a=2\n");
	ck_assert_int_eq(judge(), REGRESSION_SUSPECTED);
	must_say("write may have become slower");
	must_say("a run of a later session decides");
	end();
}
END_TEST

START_TEST(runs_without_the_rate_are_not_counted)
{
	begin();
	add(40, -1, 200, "");
	add(3, 50, -1, "");
	ck_assert_int_eq(judge(), REGRESSION_LEARNING);
	add(1, -1, -1, "");
	ck_assert_int_eq(judge(), REGRESSION_NONE);
	end();
}
END_TEST

SUITE_MAIN("trend", too_few_runs_are_learning, a_regression_names_the_change_that_came_with_it,
	   a_regression_without_a_change_says_so, one_slow_run_is_only_a_suspicion,
	   runs_without_the_rate_are_not_counted)
