/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_sampler - the counters of block devices while a phase runs
 */
#include <stdint.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "run/counters.h"
#include "suite.h"
#include "testdir.h"

static char mount_point[] = "/mnt";
static char nfs_type[] = "nfs";
static char dm_name[] = "dm-0";
static char sda_name[] = "sda";
static char sdb_name[] = "sdb";
static struct device stack[] = {
	{ .name = dm_name, .parent = -1 },
	{ .name = sda_name, .is_leaf = 1 },
	{ .name = sdb_name, .is_leaf = 1 },
};
static const struct target stack_target = { .devices = stack, .n_devices = ARRAY_LEN(stack) };

#define COUNTED(read, written, in_flight) "1 0 " #read " 1 1 0 " #written " 1 " #in_flight " 1 1\n"

/* Samples once with each of the three devices' stat; NULL leaves it. */
struct step {
	const char *dm, *sda, *sdb;
	const char *want_text;
	int64_t want_read;
	int64_t want_written;
};

struct sampling {
	char *top;
	struct counters_place place;
	struct run run;
	struct counters_sampler *sampler;
};

static void sampling_put(struct sampling *s, const char *dm, const char *sda, const char *sdb)
{
	if (dm)
		testdir_put(s->top, "dm-0/stat", dm);
	if (sda)
		testdir_put(s->top, "sda/stat", sda);
	if (sdb)
		testdir_put(s->top, "sdb/stat", sdb);
}

static void sampling_open(struct sampling *s, const struct target *target)
{
	s->place = (struct counters_place){ .blocks = s->top, .mountstats = "" };
	run_init(&s->run);
	counters_begin_at(&s->place, target, &s->run.write);
	s->sampler = counters_sampler_open_at(&s->place, &s->run.write);
}

static void sampling_expect(struct sampling *s, const struct step *step)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct series_point point = { .device_read_bytes = -5, .device_written_bytes = -5 };

	sampling_put(s, step->dm, step->sda, step->sdb);
	counters_sample(s->sampler, &point, &text);
	ck_assert_str_eq(buf_text(&text), step->want_text);
	ck_assert_int_eq(point.device_read_bytes, step->want_read);
	ck_assert_int_eq(point.device_written_bytes, step->want_written);
}

static void sampling_done(struct sampling *s)
{
	counters_sampler_close(&s->sampler);
	ck_assert_ptr_null(s->sampler);
	counters_sampler_close(&s->sampler);
	run_done(&s->run);
	testdir_done(&s->top);
}

static void expect_steps(const struct step *steps, size_t n, const char *switch_file)
{
	struct sampling s = { .top = testdir_new() };

	sampling_put(&s, COUNTED(100, 200, 0), COUNTED(1000, 2000, 0), COUNTED(10, 20, 0));
	if (switch_file)
		testdir_put(s.top, switch_file, "0\n");
	sampling_open(&s, &stack_target);
	for (size_t i = 0; i < n; i++)
		sampling_expect(&s, &steps[i]);
	sampling_done(&s);
}

START_TEST(a_sample_counts_from_the_begin_and_adds_up_the_leaves)
{
	static const struct step steps[] = {
		{ NULL, NULL, NULL, "dm-0=0/0/0 sda=0/0/0 sdb=0/0/0", 0, 0 },
		{ COUNTED(104, 200, 3), COUNTED(1001, 2002, 2), COUNTED(13, 24, 0),
		  "dm-0=2048/0/3 sda=512/1024/2 sdb=1536/2048/0", 2048, 3072 },
		{ NULL, COUNTED(1002, 2002, 0), NULL,
		  "dm-0=2048/0/3 sda=1024/1024/0 sdb=1536/2048/0", 2560, 3072 },
	};

	expect_steps(steps, ARRAY_LEN(steps), NULL);
}
END_TEST

START_TEST(a_leaf_that_tells_nothing_any_more_makes_the_sum_unknown_for_good)
{
	static const struct step steps[] = {
		{ NULL, NULL, "", "dm-0=0/0/0 sda=0/0/0 sdb=-1/-1/-1", -1, -1 },
		{ NULL, NULL, COUNTED(11, 20, 0), "dm-0=0/0/0 sda=0/0/0 sdb=-1/-1/-1", -1, -1 },
	};

	expect_steps(steps, ARRAY_LEN(steps), NULL);
}
END_TEST

START_TEST(a_leaf_whose_counts_went_back_is_unknown_for_good)
{
	static const struct step steps[] = {
		{ NULL, COUNTED(1005, 2000, 0), NULL, "dm-0=0/0/0 sda=2560/0/0 sdb=0/0/0", 2560,
		  0 },
		{ NULL, COUNTED(1003, 2000, 0), NULL, "dm-0=0/0/0 sda=-1/-1/-1 sdb=0/0/0", -1, -1 },
		{ NULL, COUNTED(1009, 2000, 0), NULL, "dm-0=0/0/0 sda=-1/-1/-1 sdb=0/0/0", -1, -1 },
	};

	expect_steps(steps, ARRAY_LEN(steps), NULL);
}
END_TEST

START_TEST(an_upper_device_that_tells_nothing_does_not_touch_the_sum)
{
	static const struct step steps[] = {
		{ "", COUNTED(1001, 2000, 0), NULL, "dm-0=-1/-1/-1 sda=512/0/0 sdb=0/0/0", 512, 0 },
	};

	expect_steps(steps, ARRAY_LEN(steps), NULL);
}
END_TEST

START_TEST(a_leaf_that_is_told_not_to_count_is_unknown_until_it_counts)
{
	static const struct step steps[] = {
		{ NULL, NULL, NULL, "dm-0=0/0/0 sda=0/0/0 sdb=-1/-1/-1", -1, -1 },
		{ NULL, NULL, COUNTED(11, 20, 0), "dm-0=0/0/0 sda=0/0/0 sdb=512/0/0", 512, 0 },
	};

	expect_steps(steps, ARRAY_LEN(steps), "sdb/queue/iostats");
}
END_TEST

START_TEST(without_a_device_there_is_no_sum)
{
	static const struct target none = { .kind = TARGET_MEMORY };
	static const struct step step = { NULL, NULL, NULL, "", -1, -1 };
	struct sampling s = { .top = testdir_new() };

	sampling_open(&s, &none);
	sampling_expect(&s, &step);
	sampling_done(&s);
}
END_TEST

START_TEST(a_mount_is_not_sampled)
{
	static const struct target nfs = {
		.kind = TARGET_NETWORK,
		.fs_type = nfs_type,
		.mount_point = mount_point,
	};
	static const struct step step = { NULL, NULL, NULL, "", -1, -1 };
	struct sampling s = { .top = testdir_new() };

	sampling_open(&s, &nfs);
	sampling_expect(&s, &step);
	sampling_done(&s);
}
END_TEST

START_TEST(a_device_that_was_unknown_at_the_begin_is_not_sampled)
{
	static const struct step step = { COUNTED(1, 1, 0),
					  COUNTED(1, 1, 0),
					  COUNTED(1, 1, 0),
					  "dm-0=-1/-1/-1 sda=-1/-1/-1 sdb=-1/-1/-1",
					  -1,
					  -1 };
	struct sampling s = { .top = testdir_new() };

	sampling_open(&s, &stack_target);
	sampling_expect(&s, &step);
	sampling_done(&s);
}
END_TEST

START_TEST(a_sample_follows_what_stands_in_the_line)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	struct sampling s = { .top = testdir_new() };
	struct series_point point;

	sampling_put(&s, COUNTED(1, 1, 4), COUNTED(1, 1, 5), COUNTED(1, 1, 6));
	sampling_open(&s, &stack_target);
	buf_add_text(&line, "250\t");
	counters_sample(s.sampler, &point, &line);
	ck_assert_str_eq(buf_text(&line), "250\tdm-0=0/0/4 sda=0/0/5 sdb=0/0/6");
	sampling_done(&s);
}
END_TEST

SUITE_MAIN("run_sampler", a_sample_counts_from_the_begin_and_adds_up_the_leaves,
	   a_leaf_that_tells_nothing_any_more_makes_the_sum_unknown_for_good,
	   a_leaf_whose_counts_went_back_is_unknown_for_good,
	   an_upper_device_that_tells_nothing_does_not_touch_the_sum,
	   a_leaf_that_is_told_not_to_count_is_unknown_until_it_counts,
	   without_a_device_there_is_no_sum, a_mount_is_not_sampled,
	   a_device_that_was_unknown_at_the_begin_is_not_sampled,
	   a_sample_follows_what_stands_in_the_line)
