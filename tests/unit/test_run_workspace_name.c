/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_workspace_name - names that are made are read back, and no others
 */
#include <string.h>
#include <unistd.h>

#include "iotest/compiler.h"
#include "run/content.h"
#include "run/workspace_name.h"
#include "suite.h"

#define RANDOM "-0123456789abcdef"

START_TEST(what_is_made_is_read_back)
{
	static const struct {
		const char *host, *want;
	} rows[] = {
		{ "vm", "vm" },
		{ "a-1-2.example.com", "a-1-2.example.com" },
		{ "", "" },
		{ "x/../y z\n", "x_.._y_z_" },
		{ "0123456789012345678901234567890123456789012345678901234567890123456789",
		  "012345678901234567890123456789012345678901234567890123456789012" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char name[DIR_NAME_SIZE], boot[BOOT_PART_SIZE];
		struct workspace_name n;

		workspace_name_make(rows[i].host, name);
		workspace_boot_part(boot);
		ck_assert_msg(workspace_name_parse(name, &n), "%s", name);
		ck_assert_str_eq(n.host, rows[i].want);
		ck_assert_str_eq(n.boot, boot);
		ck_assert_int_eq(n.pid, getpid());
	}
}
END_TEST

START_TEST(a_start_that_could_not_be_learned_is_known_as_such)
{
	struct workspace_name n;

	ck_assert(workspace_name_parse(".iotest-vm-7-unknown-" RANDOM, &n));
	ck_assert_str_eq(n.boot, "");
}
END_TEST

START_TEST(what_is_near_is_none)
{
	static const char *const names[] = {
		"",
		".iotest-",
		".iotest-vm",
		"iotest-vm-7-01234567" RANDOM,
		".iotest-vm-7-01234567-0123456789abcde",
		".iotest-vm-7-01234567-0123456789abcdefg",
		".iotest-vm-7-01234567-0123456789ABCDEF",
		".iotest-vm-7-0123456g" RANDOM,
		".iotest-vm-0-01234567" RANDOM,
		".iotest-vm-07-01234567" RANDOM,
		".iotest-vm--7x-01234567" RANDOM,
		".iotest-vm-99999999999-01234567" RANDOM,
		".iotest-vm-99999999999999999999999999-01234567" RANDOM,
		".iotest-7-01234567" RANDOM,
		".iotest-v m-7-01234567" RANDOM,
		".iotest-vm\n-7-01234567" RANDOM,
		".iotest-0123456789012345678901234567890123456789012345678901234567890123-7-"
		"01234567" RANDOM,
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct workspace_name n;

		ck_assert_msg(!workspace_name_parse(names[i], &n), "%s", names[i]);
	}
}
END_TEST

START_TEST(test_files_are_numbered)
{
	static const struct {
		const char *name;
		bool is_one;
	} rows[] = {
		{ "worker-0", true },
		{ "worker-17", true },
		{ "worker-", false },
		{ "worker-07", false },
		{ "worker--1", false },
		{ "worker-1 ", false },
		{ "worker", false },
		{ "worker-1.x", false },
		{ "Worker-1", false },
		{ "", false },
		{ "worker-99999999999999999999", false },
	};
	char name[FILE_NAME_SIZE];

	workspace_file_name(name, 17);
	ck_assert_str_eq(name, "worker-17");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ck_assert_msg(workspace_is_file_name(rows[i].name) == rows[i].is_one, "%s",
			      rows[i].name);
}
END_TEST

#define LINE "iotest test file of run 1, worker 1 of 1: made by iotest to measure this file system"

START_TEST(a_test_file_is_known_by_its_begin)
{
	static const struct {
		const char *begin;
		bool is_ours;
	} rows[] = {
		{ "", true },
		{ "iotest te", true },
		{ LINE ", x\nanything", true },
		{ LINE, true },
		{ "iotest test file of run 1, worker 1 of 1: mine\n", false },
		{ "iotest test data", false },
		{ "I", false },
		{ "\n", false },
	};
	char zeros[CONTENT_LINE_MAX] = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ck_assert_msg(content_is_ours(rows[i].begin, strlen(rows[i].begin)) ==
				      rows[i].is_ours,
			      "%s", rows[i].begin);
	ck_assert(content_is_ours(zeros, sizeof(zeros)));
	zeros[sizeof(zeros) - 1] = 'x';
	ck_assert(!content_is_ours(zeros, sizeof(zeros)));
}
END_TEST

SUITE_MAIN("workspace_name", what_is_made_is_read_back,
	   a_start_that_could_not_be_learned_is_known_as_such, what_is_near_is_none,
	   test_files_are_numbered, a_test_file_is_known_by_its_begin)
