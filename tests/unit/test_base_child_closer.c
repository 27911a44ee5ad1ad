/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_base_child_closer - descriptors that outlive their process
 */
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iotest/child.h"
#include "suite.h"

#define PATIENCE_MS 20000

/* Both ends of two pipes; the writing ends are the process's, one of them taken over. */
struct pipes {
	int taken[2];
	int other[2];
	int ready[2];
};

static void open_pipes(struct pipes *p)
{
	ck_assert_int_eq(pipe(p->taken), 0);
	ck_assert_int_eq(pipe(p->other), 0);
	ck_assert_int_eq(pipe(p->ready), 0);
}

/* Ends when it is told to, or killed. */
static _Noreturn void be_owner(const struct pipes *p)
{
	int rc = child_take_over(&p->taken[1], 1);

	(void)!write(p->ready[1], rc ? "n" : "y", 1);
	for (;;)
		pause();
}

static bool has_ended(int fd, int patience_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, patience_ms) == 1 && (poll_fd.revents & POLLHUP);
}

START_TEST(all_is_closed_once_the_owner_has_ended_and_not_before)
{
	struct pipes p;
	char answer = 0;
	pid_t owner;

	open_pipes(&p);
	owner = fork();
	if (owner == 0)
		be_owner(&p);
	(void)close(p.taken[1]);
	(void)close(p.other[1]);
	ck_assert_int_eq(read(p.ready[0], &answer, 1), 1);
	ck_assert_int_eq(answer, 'y');
	ck_assert(!has_ended(p.taken[0], 0));
	ck_assert(!has_ended(p.other[0], 0));

	(void)kill(owner, SIGKILL);
	ck_assert_int_eq(waitpid(owner, NULL, 0), owner);
	ck_assert(has_ended(p.other[0], PATIENCE_MS));
	ck_assert(has_ended(p.taken[0], PATIENCE_MS));
}
END_TEST

/* What was opened later is in the same table, and must not be held either. */
START_TEST(what_is_opened_later_is_let_go_too)
{
	int later[2], none = -1;
	pid_t owner;

	ck_assert_int_eq(pipe(later), 0);
	owner = fork();
	if (owner == 0) {
		int rc = child_take_over(&none, 1);
		int copy = dup(later[1]);

		_exit(rc || copy < 0 ? 1 : 0);
	}
	(void)close(later[1]);
	ck_assert_int_eq(waitpid(owner, NULL, 0), owner);
	ck_assert(has_ended(later[0], PATIENCE_MS));
}
END_TEST

SUITE_MAIN("base child closer", all_is_closed_once_the_owner_has_ended_and_not_before,
	   what_is_opened_later_is_let_go_too)
