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
	{ "1 2 3 4 5 6 7", 0, 1536, 3584 },
	{ "1 2 8589934592 99999999999 5 6 4294967296 8", 0, 4398046511104, 2199023255552 },
	{ "1 2 3 4 5 6", -EINVAL, -5, -5 },
	{ "", -EINVAL, -5, -5 },
	{ "no numbers here at all really", -EINVAL, -5, -5 },
	{ "1 2 18446744073709551615 4 5 6 7", -EINVAL, -5, -5 },
};

START_TEST(a_stat_line_gives_bytes)
{
	int64_t read_bytes = -5, written_bytes = -5;

	ck_assert_int_eq(counters_parse_stat(stats[_i].text, &read_bytes, &written_bytes),
			 stats[_i].want_rc);
	ck_assert_int_eq(read_bytes, stats[_i].want_read);
	ck_assert_int_eq(written_bytes, stats[_i].want_written);
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
	struct run run;

	testdir_put(top, "devices/block/sda/sda1/stat", STAT_BEFORE);
	testdir_link(top, "class/block/sda1", "../../devices/block/sda/sda1");
	if (accounts[_i].iostats)
		testdir_put(top, "devices/block/sda/queue/iostats", accounts[_i].iostats);
	run_init(&run);
	counters_begin_at(blocks, &one_target, &run.write);
	testdir_put(top, "devices/block/sda/sda1/stat", accounts[_i].later);
	counters_end_at(blocks, &run.write);
	ck_assert_int_eq(run.write.devices[0].read_bytes, accounts[_i].want_read);
	ck_assert_int_eq(run.write.devices[0].written_bytes, accounts[_i].want_written);
	run_done(&run);
}
END_TEST

START_TEST(a_whole_disk_has_its_own_switch)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *blocks = xasprintf("%s/class/block", top);
	struct run run;

	testdir_put(top, "devices/block/sda1/stat", STAT_BEFORE);
	testdir_put(top, "devices/block/sda1/queue/iostats", "0\n");
	testdir_put(top, "devices/block/queue/iostats", "1\n");
	testdir_link(top, "class/block/sda1", "../../devices/block/sda1");
	run_init(&run);
	counters_begin_at(blocks, &one_target, &run.write);
	counters_end_at(blocks, &run.write);
	ck_assert_int_eq(run.write.devices[0].read_bytes, -1);
	ck_assert_int_eq(run.write.devices[0].written_bytes, -1);
	run_done(&run);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("run_counters");
	TCase *tc = tcase_create("counters");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, a_stat_line_gives_bytes, 0, ARRAY_LEN(stats));
	tcase_add_loop_test(tc, a_line_of_self_io_is_found_by_its_whole_key, 0, ARRAY_LEN(values));
	tcase_add_test(tc, a_device_that_is_not_there_is_unknown);
	tcase_add_loop_test(tc, a_device_that_does_not_count_is_unknown, 0, ARRAY_LEN(accounts));
	tcase_add_test(tc, a_whole_disk_has_its_own_switch);
	suite_add_tcase(suite, tc);
	sr = srunner_create(suite);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
