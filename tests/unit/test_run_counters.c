/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_counters - what is read from the kernel's counters
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "iotest/compiler.h"
#include "iotest/xalloc.h"
#include "run/counters.h"
#include "testdir.h"

static const struct {
	const char *text;
	int want_rc;
	int64_t want_read;
	int64_t want_written;
} stats[] = {
	{ "  117  0  2000  9  3  4  600  7  0  8  9  0 0 0 0\n", 0, 1024000, 307200 },
	{ "1 2 3 4 5 6 7 8 9 10 11", 0, 1536, 3584 },
	{ "1 2 8589934592 4 5 6 4294967296 8 0 0 0", 0, 4398046511104, 2199023255552 },
	{ "1 2 3 4 5 6 7 8 9 10\n", -EINVAL, -5, -5 },
	{ "", -EINVAL, -5, -5 },
	{ "no numbers here at all really", -EINVAL, -5, -5 },
	/* Of Linux 4.18 and of 5.5 on. */
	{ "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n", 0, 1536, 3584 },
	{ "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", 0, 1536, 3584 },
	/* Eight exbibytes less a sector, and one sector too many. */
	{ "1 2 18014398509481983 4 5 6 7 8 9 10 11", 0, INT64_MAX - 511, 3584 },
	{ "1 2 18014398509481984 4 5 6 7 8 9 10 11", -EINVAL, -5, -5 },
	{ "1 2 3 9223372036855 5 6 7 8 9 10 11", -EINVAL, -5, -5 },
	{ "1 2 18446744073709551615 4 5 6 7 8 9 10 11", -EINVAL, -5, -5 },
	{ "1 2 99999999999999999999999 4 5 6 7 8 9 10 11", -EINVAL, -5, -5 },
	{ "1 2 3 4 5 6 7 8 9 10 x", -EINVAL, -5, -5 },
	{ "1 2 -3 4 5 6 7 8 9 10 11", -EINVAL, -5, -5 },
	{ "1 2 3 4 5\n6 7 8 9 10 11", -EINVAL, -5, -5 },
};

START_TEST(a_stat_line_gives_bytes_or_is_none)
{
	struct device_count count = { .read_bytes = -5, .written_bytes = -5 };

	ck_assert_int_eq(counters_parse_stat(stats[_i].text, &count), stats[_i].want_rc);
	ck_assert_int_eq(count.read_bytes, stats[_i].want_read);
	ck_assert_int_eq(count.written_bytes, stats[_i].want_written);
}
END_TEST

START_TEST(a_stat_line_gives_operations_and_times)
{
	char name[] = "sda";
	struct device_count count = { .name = name, .is_leaf = 1, .is_top = 1 };

	ck_assert_int_eq(counters_parse_stat("1 2 3 4 5 6 7 8 9 10 11\n", &count), 0);
	ck_assert_int_eq(count.read_ops, 1);
	ck_assert_int_eq(count.read_ns, 4000000);
	ck_assert_int_eq(count.write_ops, 5);
	ck_assert_int_eq(count.write_ns, 8000000);
	ck_assert_int_eq(count.busy_ns, 10000000);
	ck_assert_int_eq(count.queue_ns, 11000000);
	ck_assert_ptr_eq(count.name, name);
	ck_assert_int_eq(count.is_leaf, 1);
	ck_assert_int_eq(count.is_top, 1);
}
END_TEST

static const char io_text[] = "rchar: 11\nwchar: 12\nsyscr: 13\nsyscw: 14\n"
			      "read_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 77\n";

static const struct {
	const char *text;
	const char *key;
	int64_t want;
} values[] = {
	{ io_text, "read_bytes: ", 4096 }, { io_text, "write_bytes: ", 8192 },
	{ io_text, "rchar: ", 11 },	   { io_text, "bytes: ", -1 },
	{ "", "read_bytes: ", -1 },	   { "\n\n", "read_bytes: ", -1 },
	{ "rchar: x\n", "rchar: ", -1 },   { "rchar: -1\n", "rchar: ", -1 },
};

START_TEST(a_line_of_self_io_is_found_by_its_whole_key)
{
	ck_assert_int_eq(counters_io_value(values[_i].text, values[_i].key), values[_i].want);
}
END_TEST

START_TEST(a_device_that_is_not_there_is_unknown)
{
	char name[] = "iotest-no-such-device";
	struct device device = { .name = name, .is_leaf = 1 };
	struct target target = { .devices = &device, .n_devices = 1 };
	struct run run;

	run_init(&run);
	counters_begin(&target, &run.write);
	counters_end(&run.write);
	ck_assert_uint_eq(run.write.n_devices, 1);
	ck_assert_str_eq(run.write.devices[0].name, name);
	ck_assert_int_eq(run.write.devices[0].is_leaf, 1);
	ck_assert_int_eq(run.write.devices[0].read_bytes, -1);
	ck_assert_int_eq(run.write.devices[0].written_bytes, -1);
	run_done(&run);
}
END_TEST

static char device_name[] = "sda1";
static struct device one_device = { .name = device_name, .is_leaf = 1 };
static const struct target one_target = { .devices = &one_device, .n_devices = 1 };

#define STAT_BEFORE "1 2 1000 4 5 6 2000 8 0 0 0\n"
#define STAT_READ "1 2 1016 4 5 6 2000 8 0 0 0\n"

/* The disk sda with its partition sda1, as sysfs links them. */
static const struct {
	const char *iostats; /* of the disk; NULL: no such file */
	const char *later;   /* stat of the partition */
	int64_t want_read;
	int64_t want_written;
} accounts[] = {
	{ "1\n", STAT_READ, 8192, 0 },
	{ "1\n", STAT_BEFORE, 0, 0 },
	{ NULL, STAT_BEFORE, 0, 0 },
	{ "0\n", STAT_BEFORE, -1, -1 },
	/* Old kernels count for dm and md all the same. */
	{ "0\n", STAT_READ, 8192, 0 },
};

START_TEST(a_device_that_does_not_count_is_unknown)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *blocks = xasprintf("%s/class/block", top);
	struct counters_place place = { .blocks = blocks, .mountstats = "" };
	struct run run;

	testdir_put(top, "devices/block/sda/sda1/stat", STAT_BEFORE);
	testdir_link(top, "class/block/sda1", "../../devices/block/sda/sda1");
	if (accounts[_i].iostats)
		testdir_put(top, "devices/block/sda/queue/iostats", accounts[_i].iostats);
	run_init(&run);
	counters_begin_at(&place, &one_target, &run.write);
	testdir_put(top, "devices/block/sda/sda1/stat", accounts[_i].later);
	counters_end_at(&place, &run.write);
	ck_assert_int_eq(run.write.devices[0].read_bytes, accounts[_i].want_read);
	ck_assert_int_eq(run.write.devices[0].written_bytes, accounts[_i].want_written);
	run_done(&run);
}
END_TEST

START_TEST(a_whole_disk_has_its_own_switch)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *blocks = xasprintf("%s/class/block", top);
	struct counters_place place = { .blocks = blocks, .mountstats = "" };
	struct run run;

	testdir_put(top, "devices/block/sda1/stat", STAT_BEFORE);
	testdir_put(top, "devices/block/sda1/queue/iostats", "0\n");
	testdir_put(top, "devices/block/queue/iostats", "1\n");
	testdir_link(top, "class/block/sda1", "../../devices/block/sda1");
	run_init(&run);
	counters_begin_at(&place, &one_target, &run.write);
	counters_end_at(&place, &run.write);
	ck_assert_int_eq(run.write.devices[0].read_bytes, -1);
	ck_assert_int_eq(run.write.devices[0].written_bytes, -1);
	run_done(&run);
}
END_TEST

/* ------------------------------------------------------------------ differences */

/* Read and write: operations, merges, sectors, ms; then in flight, busy and queue ms. */
static const struct {
	const char *what;
	const char *before;
	const char *after;
	struct device_count want;
} differences[] = {
	{ "all grow",
	  "10 0 1000 30 20 0 2000 40 0 50 60\n",
	  "13 9 1016 35 24 9 2032 46 7 57 68\n",
	  { NULL, 0, 0, 8192, 16384, 3, 4, 5000000, 6000000, 7000000, 8000000 } },
	{ "the bytes went back",
	  "10 0 1000 30 20 0 2000 40 0 50 60\n",
	  "13 9 999 35 24 9 2032 46 7 57 68\n",
	  { NULL, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1 } },
	{ "the operations went back",
	  "10 0 1000 30 20 0 2000 40 0 50 60\n",
	  "13 9 1016 35 19 9 2032 46 7 57 68\n",
	  { NULL, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1 } },
	{ "milliseconds begin anew after 2^32",
	  "10 0 1000 4294967290 20 0 2000 40 0 50 4294967295\n",
	  "13 9 1016 10 24 9 2032 46 7 57 4\n",
	  { NULL, 0, 0, 8192, 16384, 3, 4, 16000000, 6000000, 7000000, 5000000 } },
	{ "a time that went back a little is unknown",
	  "10 0 1000 30 20 0 2000 40 0 50 60\n",
	  "13 9 1016 35 24 9 2032 46 7 49 68\n",
	  { NULL, 0, 0, 8192, 16384, 3, 4, 5000000, 6000000, -1, 8000000 } },
	{ "it tells nothing at the end",
	  "10 0 1000 30 20 0 2000 40 0 50 60\n",
	  "",
	  { NULL, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1 } },
	{ "it told nothing at the begin",
	  "",
	  "13 9 1016 35 24 9 2032 46 7 57 68\n",
	  { NULL, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1 } },
};

static void expect_counts(const struct device_count *is, const struct device_count *want)
{
	ck_assert_int_eq(is->read_bytes, want->read_bytes);
	ck_assert_int_eq(is->written_bytes, want->written_bytes);
	ck_assert_int_eq(is->read_ops, want->read_ops);
	ck_assert_int_eq(is->write_ops, want->write_ops);
	ck_assert_int_eq(is->read_ns, want->read_ns);
	ck_assert_int_eq(is->write_ns, want->write_ns);
	ck_assert_int_eq(is->busy_ns, want->busy_ns);
	ck_assert_int_eq(is->queue_ns, want->queue_ns);
}

START_TEST(a_phase_has_what_was_counted_in_it)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	struct counters_place place = { .blocks = top, .mountstats = "" };
	struct run run;

	testdir_put(top, "sda1/stat", differences[_i].before);
	run_init(&run);
	counters_begin_at(&place, &one_target, &run.write);
	testdir_put(top, "sda1/stat", differences[_i].after);
	counters_end_at(&place, &run.write);
	ck_assert_uint_eq(run.write.n_devices, 1);
	expect_counts(&run.write.devices[0], &differences[_i].want);
	run_done(&run);
}
END_TEST

START_TEST(a_stack_has_its_top_and_its_leaves)
{
	char dm[] = "dm-0", sda[] = "sda", sdb[] = "sdb";
	struct device devices[] = {
		{ .name = dm, .parent = -1, .is_leaf = 0 },
		{ .name = sda, .parent = 0, .is_leaf = 1 },
		{ .name = sdb, .parent = 0, .is_leaf = 1 },
	};
	struct target target = { .devices = devices, .n_devices = ARRAY_LEN(devices) };
	struct counters_place place = { .blocks = "", .mountstats = "" };
	struct run run;

	run_init(&run);
	counters_begin_at(&place, &target, &run.write);
	ck_assert_uint_eq(run.write.n_devices, 3);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_str_eq(run.write.devices[i].name, devices[i].name);
		ck_assert_int_eq(run.write.devices[i].is_top, i == 0);
		ck_assert_int_eq(run.write.devices[i].is_leaf, i > 0);
	}
	run_done(&run);
}
END_TEST

int main(void)
{
	const TTest *const plain[] = {
		a_stat_line_gives_operations_and_times,
		a_device_that_is_not_there_is_unknown,
		a_whole_disk_has_its_own_switch,
		a_stack_has_its_top_and_its_leaves,
	};
	Suite *suite = suite_create("run_counters");
	TCase *tc = tcase_create("counters");
	SRunner *sr;
	int failed;

	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		tcase_add_test(tc, plain[i]);
	tcase_add_loop_test(tc, a_stat_line_gives_bytes_or_is_none, 0, ARRAY_LEN(stats));
	tcase_add_loop_test(tc, a_line_of_self_io_is_found_by_its_whole_key, 0, ARRAY_LEN(values));
	tcase_add_loop_test(tc, a_device_that_does_not_count_is_unknown, 0, ARRAY_LEN(accounts));
	tcase_add_loop_test(tc, a_phase_has_what_was_counted_in_it, 0, ARRAY_LEN(differences));
	suite_add_tcase(suite, tc);
	sr = srunner_create(suite);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
