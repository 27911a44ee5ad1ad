/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_base_process - real processes: this one, one with an odd name, one that is over, none
 */
#include "suite.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iotest/process.h"

START_TEST(a_process_knows_its_own_start)
{
	struct process first, second;

	ck_assert_int_eq(process_read(getpid(), &first), 0);
	ck_assert_int_eq(process_read(getpid(), &second), 0);
	ck_assert_int_gt(first.start, 0);
	ck_assert_int_eq(first.start, second.start);
	ck_assert_int_eq(first.is_over, 0);
}
END_TEST

START_TEST(a_name_may_hold_blanks_and_brackets)
{
	struct process process;
	int64_t start;

	ck_assert_int_eq(process_read(getpid(), &process), 0);
	start = process.start;
	ck_assert_int_eq(prctl(PR_SET_NAME, ") Z 1 (2 3)"), 0);
	ck_assert_int_eq(process_read(getpid(), &process), 0);
	ck_assert_str_eq(process.name, ") Z 1 (2 3)");
	ck_assert_int_eq(process.is_over, 0);
	ck_assert_int_eq(process.start, start);
}
END_TEST

START_TEST(a_process_that_only_waits_to_be_collected_is_over)
{
	struct process process;
	siginfo_t info;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(process_read(pid, &process), 0);
	ck_assert_int_eq(process.is_over, 1);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(process_read(pid, &process), -EIO);
}
END_TEST

START_TEST(what_is_no_process_is_an_error)
{
	struct process process;

	ck_assert_int_eq(process_read(-1, &process), -EIO);
	ck_assert_int_eq(process_read(INT64_MAX, &process), -EIO);
}
END_TEST

SUITE_MAIN("base process", a_process_knows_its_own_start, a_name_may_hold_blanks_and_brackets,
	   a_process_that_only_waits_to_be_collected_is_over, what_is_no_process_is_an_error)
