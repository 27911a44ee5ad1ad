/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_base_child - deadline children and signals
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "iotest/child.h"
#include "iotest/signals.h"
#include "suite.h"

#define LONG_NS (20 * NS_PER_S)

static int answer_size(void *context, struct buf *answer)
{
	const size_t *n = context;

	for (size_t i = 0; i < *n; i++)
		buf_add(answer, &"0123456789"[i % 10], 1);
	return 0;
}

static int fail_with(void *context, struct buf *answer)
{
	const int *rc = context;

	buf_add_text(answer, "half an answer");
	return *rc;
}

static int hang(void *context UNUSED, struct buf *answer UNUSED)
{
	for (;;)
		pause();
	return 0;
}

static int die(void *context UNUSED, struct buf *answer UNUSED)
{
	raise(SIGKILL);
	return 0;
}

static int tell_handlers(void *context UNUSED, struct buf *answer)
{
	struct sigaction a;

	sigaction(SIGINT, NULL, &a);
	buf_add_text(answer, a.sa_handler == SIG_IGN ? "int ignored" : "int handled");
	sigaction(SIGTERM, NULL, &a);
	buf_add_text(answer, a.sa_handler == SIG_DFL ? ", term default" : ", term handled");
	return 0;
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

START_TEST(child_answers_of_any_size_arrive)
{
	static const size_t sizes[] = { 0, 1, 4096, 300000 };

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		CLEANUP(buf_done) struct buf answer = { 0 };
		size_t n = sizes[i];

		buf_add_text(&answer, "+");
		ck_assert_int_eq(child_run(answer_size, &n, LONG_NS, &answer), 0);
		ck_assert_uint_eq(answer.len, n + 1);
		if (n)
			ck_assert_int_eq(answer.data[n], '0' + (int)((n - 1) % 10));
	}
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* all of them were collected */
}
END_TEST

START_TEST(child_failure_leaves_the_answer_alone)
{
	CLEANUP(buf_done) struct buf answer = { 0 };
	int rc = -ESTALE;

	ck_assert_int_eq(child_run(fail_with, &rc, LONG_NS, &answer), -ESTALE);
	ck_assert_uint_eq(answer.len, 0);
}
END_TEST

START_TEST(child_that_hangs_is_left_at_its_deadline)
{
	CLEANUP(buf_done) struct buf answer = { 0 };
	int64_t start_ns = now_ns();

	ck_assert_int_eq(child_run(hang, NULL, 50 * NS_PER_MS, &answer), -ETIMEDOUT);
	ck_assert(now_ns() - start_ns >= 50 * NS_PER_MS);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

START_TEST(child_that_is_killed_is_told_apart)
{
	CLEANUP(buf_done) struct buf answer = { 0 };

	ck_assert_int_eq(child_run(die, NULL, LONG_NS, &answer), -ECHILD);
}
END_TEST

START_TEST(child_does_not_take_our_signals)
{
	CLEANUP(buf_done) struct buf answer = { 0 };

	signals_install();
	ck_assert_int_eq(child_run(tell_handlers, NULL, LONG_NS, &answer), 0);
	ck_assert_str_eq(buf_text(&answer), "int ignored, term default");
}
END_TEST

START_TEST(waiting_for_a_child_ends_with_a_signal)
{
	CLEANUP(buf_done) struct buf answer = { 0 };
	pid_t parent = getpid();
	pid_t sender;

	signals_install();
	sender = fork();
	if (sender == 0) {
		usleep(50000);
		_exit(kill(parent, SIGTERM) != 0);
	}
	ck_assert_int_eq(child_run(hang, NULL, LONG_NS, &answer), -EINTR);
	ck_assert_int_eq(waitpid(sender, NULL, 0), sender);
}
END_TEST

START_TEST(signals_are_counted_and_the_last_is_kept)
{
	signals_install();
	ck_assert_int_eq(signals_pending(), 0);
	raise(SIGINT);
	raise(SIGTERM);
	ck_assert_int_eq(signals_pending(), SIGTERM);
	ck_assert_int_eq(signals_count(), 2);
	raise(SIGPIPE);
	raise(SIGXFSZ);
	ck_assert_int_eq(signals_count(), 2);
}
END_TEST

START_TEST(nohup_stays_in_force)
{
	signal(SIGHUP, SIG_IGN);
	signals_install();
	raise(SIGHUP);
	ck_assert_int_eq(signals_count(), 0);
}
END_TEST

START_TEST(dying_by_a_signal_shows_in_the_wait_status)
{
	int status = 0;
	pid_t pid;

	signals_install();
	pid = fork();
	if (pid == 0) {
		signals_die_by(SIGINT);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}
END_TEST

SUITE_MAIN("base child", child_answers_of_any_size_arrive, child_failure_leaves_the_answer_alone,
	   child_that_hangs_is_left_at_its_deadline, child_that_is_killed_is_told_apart,
	   child_does_not_take_our_signals, waiting_for_a_child_ends_with_a_signal,
	   signals_are_counted_and_the_last_is_kept, nohup_stays_in_force,
	   dying_by_a_signal_shows_in_the_wait_status)
