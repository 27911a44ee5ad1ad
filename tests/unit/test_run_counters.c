/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_counters - what is read from the kernel's counters
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "iotest/compiler.h"
#include "run/counters.h"

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

int main(void)
{
	Suite *suite = suite_create("run_counters");
	TCase *tc = tcase_create("counters");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, a_stat_line_gives_bytes, 0, ARRAY_LEN(stats));
	tcase_add_loop_test(tc, a_line_of_self_io_is_found_by_its_whole_key, 0, ARRAY_LEN(values));
	tcase_add_test(tc, a_device_that_is_not_there_is_unknown);
	suite_add_tcase(suite, tc);
	sr = srunner_create(suite);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
