/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_brake - what tells that others are held up, and what does not
 */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>

#include "iotest/compiler.h"
#include "iotest/xalloc.h"
#include "run/brake.h"
#include "testdir.h"

START_TEST(the_pressure_of_all_is_read)
{
	static const struct {
		const char *text;
		int64_t want_ns;
	} rows[] = {
		{ "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n"
		  "full avg10=0.00 avg60=0.00 avg300=0.00 total=1234\n",
		  1234000 },
		{ "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n", -1 },
		{ "full avg10=0.00\n", -1 },
		{ "full total=\n", -1 },
		{ "full total=9223372036854775807\n", -1 },
		{ "", -1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ck_assert_msg(brake_parse_pressure(rows[i].text) == rows[i].want_ns, "row %zu", i);
}
END_TEST

#define STAT "1000 0 80 5000 2000 0 160 7000 3 900 12000 0 0 0 0 0 0\n"

/* The brake borrows the path. */
static char pressure[256];

static void choose(const char *top, const char *device, struct brake *brake)
{
	struct device d = { .is_leaf = 1 };
	struct target t = { .devices = &d, .n_devices = device ? 1 : 0 };

	(void)snprintf(pressure, sizeof(pressure), "%s/pressure", top);
	d.name = xstrdup(text_of(device));
	brake_open(pressure, top, brake);
	brake_add_target(brake, &t);
	brake_choose(brake);
	free(d.name);
}

START_TEST(both_are_looked_at_where_they_are_there)
{
	static const struct {
		const char *pressure;
		const char *stat;
		const char *switched; /* queue/iostats */
		int want;
	} rows[] = {
		{ "some total=1\nfull total=2\n", STAT, "1\n", BRAKE_BOTH },
		{ "some total=1\nfull total=2\n", NULL, NULL, BRAKE_PRESSURE },
		{ NULL, STAT, "1\n", BRAKE_DEVICES },
		{ "", STAT, NULL, BRAKE_DEVICES },
		{ NULL, STAT, "0\n", BRAKE_NONE },
		{ NULL, "1 2 3\n", NULL, BRAKE_NONE },
		{ NULL, NULL, NULL, BRAKE_NONE },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(testdir_done) char *top = testdir_new();
		struct brake brake;

		if (rows[i].pressure)
			testdir_put(top, "pressure", rows[i].pressure);
		if (rows[i].stat)
			testdir_put(top, "sda/stat", rows[i].stat);
		if (rows[i].switched)
			testdir_put(top, "sda/queue/iostats", rows[i].switched);
		choose(top, "sda", &brake);
		ck_assert_msg(brake.kind == rows[i].want, "row %zu: %d", i, brake.kind);
		brake_close(&brake);
	}
}
END_TEST

START_TEST(the_counters_are_those_of_the_lowest_devices)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	struct brake_counts now;
	struct brake brake;

	testdir_put(top, "sda/stat", STAT);
	choose(top, "sda", &brake);
	brake_read(&brake, 7, &now);
	ck_assert_int_eq(now.at_ns, 7);
	ck_assert_int_eq(now.stalled_ns, -1);
	ck_assert_int_eq(now.ops, 3000);
	ck_assert_int_eq(now.ops_ns, 12000 * NS_PER_MS);
	ck_assert_int_eq(now.queue_ns, 12000 * NS_PER_MS);
	brake_close(&brake);
	choose(top, NULL, &brake);
	ck_assert_int_eq(brake.kind, BRAKE_NONE);
	brake_close(&brake);
}
END_TEST

#define MS NS_PER_MS

START_TEST(others_are_busy_when_they_wait)
{
	/* Over half a second. */
	static const struct {
		int kind;
		struct brake_counts before, after;
		bool want;
	} rows[] = {
		{ BRAKE_PRESSURE, { 0, 0, -1, -1, -1 }, { 500 * MS, 51 * MS, -1, -1, -1 }, true },
		{ BRAKE_PRESSURE, { 0, 0, -1, -1, -1 }, { 500 * MS, 49 * MS, -1, -1, -1 }, false },
		/* It went back, or is gone. */
		{ BRAKE_PRESSURE, { 0, 99 * MS, 0, 0, 0 }, { 500 * MS, 0, 0, 0, 0 }, false },
		{ BRAKE_PRESSURE, { 0, 9, 0, 0, 0 }, { 500 * MS, -1, 0, 0, 0 }, false },
		/* Many that are slow; a single one; many that are fast. */
		{ BRAKE_DEVICES, { 0, -1, 0, 0, 0 }, { 500 * MS, -1, 20, 500 * MS, MS }, true },
		{ BRAKE_DEVICES, { 0, -1, 0, 0, 0 }, { 500 * MS, -1, 1, 400 * MS, MS }, false },
		{ BRAKE_DEVICES, { 0, -1, 0, 0, 0 }, { 500 * MS, -1, 9999, 999 * MS, MS }, false },
		/* More than one under way all the time. */
		{ BRAKE_DEVICES, { 0, -1, 0, 0, 0 }, { 500 * MS, -1, 5, 5, 501 * MS }, true },
		{ BRAKE_DEVICES, { 0, -1, 0, 0, 0 }, { 500 * MS, -1, 5, 5, 499 * MS }, false },
		{ BRAKE_DEVICES, { 0, -1, -1, -1, -1 }, { 500 * MS, -1, -1, -1, -1 }, false },
		{ BRAKE_BOTH, { 0, 0, 0, 0, 0 }, { 500 * MS, 51 * MS, 0, 0, 0 }, true },
		{ BRAKE_BOTH, { 0, 0, 0, 0, 0 }, { 500 * MS, 0, 5, 5, 501 * MS }, true },
		{ BRAKE_BOTH, { 0, 0, 0, 0, 0 }, { 500 * MS, 0, 5, 5, 0 }, false },
		{ BRAKE_NONE, { 0, 0, 0, 0, 0 }, { 500 * MS, 500 * MS, 1, 1, 1 }, false },
		{ BRAKE_PRESSURE, { 5, 0, 0, 0, 0 }, { 5, 99 * MS, 0, 0, 0 }, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct brake brake = { .kind = rows[i].kind };
		struct brake_facts facts = { 0 };

		ck_assert_msg(brake_judge(&brake, &rows[i].before, &rows[i].after, &facts) ==
				      rows[i].want,
			      "row %zu", i);
		ck_assert_int_eq(facts.n_busy, rows[i].want);
	}
}
END_TEST

START_TEST(the_worst_look_is_kept)
{
	const struct brake_counts at[] = {
		{ 0, 0, 0, 0, 0 },
		{ 500 * MS, 250 * MS, 0, 0, 0 },
		{ 1000 * MS, 251 * MS, 0, 0, 0 },
	};
	struct brake brake = { .kind = BRAKE_PRESSURE };
	struct brake_facts facts = { .stalled_ratio = -1 };

	ck_assert(brake_judge(&brake, &at[0], &at[1], &facts));
	ck_assert(!brake_judge(&brake, &at[1], &at[2], &facts));
	ck_assert_int_eq(facts.n_looks, 2);
	ck_assert_int_eq(facts.n_busy, 1);
	ck_assert_double_eq_tol(facts.stalled_ratio, 0.5, 1e-9);
}
END_TEST

SUITE_MAIN("brake", the_pressure_of_all_is_read, both_are_looked_at_where_they_are_there,
	   the_counters_are_those_of_the_lowest_devices, others_are_busy_when_they_wait,
	   the_worst_look_is_kept)
