/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_base_hostlock - one run at a time, and who it is
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hostlock_state.h"
#include "iotest/hostlock.h"
#include "iotest/xalloc.h"
#include "suite.h"
#include "testdir.h"

#define SOMEBODY 65533

static int take(const char *base, struct hostlock *lock)
{
	CLEANUP(hostlock_holder_done) struct hostlock_holder busy = { 0 };

	return hostlock_take(base, lock, &busy);
}

/* A process that takes the lock, tells, and waits to be killed; a child of its own inherits its
 * descriptors and outlives it. */
struct other {
	pid_t pid;
	pid_t heir;
};

static void be_other(const char *base, int ready_fd)
{
	struct hostlock lock = HOSTLOCK_NONE;
	pid_t heir;

	if (take(base, &lock))
		_exit(1);
	hostlock_tell(&lock, "/saswork\n, /b", "write");
	heir = fork();
	if (heir != 0 && write(ready_fd, &heir, sizeof(heir)) != sizeof(heir))
		_exit(1);
	(void)close(ready_fd);
	for (;;)
		pause();
}

static struct other start_other(const char *base)
{
	struct other other;
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	other.pid = fork();
	if (other.pid == 0)
		be_other(base, fds[1]);
	(void)close(fds[1]);
	ck_assert_int_eq(read(fds[0], &other.heir, sizeof(other.heir)), sizeof(other.heir));
	(void)close(fds[0]);
	return other;
}

static void kill_it(pid_t pid)
{
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	(void)waitpid(pid, NULL, 0);
}

static char *dir_of(const char *base, unsigned int uid)
{
	return xasprintf("%s/iotest-%u", base, uid);
}

static char *file_of(const char *base)
{
	return xasprintf("%s/iotest-%u/lock", base, (unsigned int)geteuid());
}

START_TEST(a_second_run_is_told_who_holds_it)
{
	CLEANUP(testdir_done) char *base = testdir_new();
	CLEANUP(hostlock_holder_done) struct hostlock_holder busy = { 0 };
	struct hostlock lock = HOSTLOCK_NONE;
	struct other other = start_other(base);

	ck_assert_int_eq(hostlock_take(base, &lock, &busy), -EBUSY);
	ck_assert_int_eq(busy.pid, other.pid);
	ck_assert_int_eq(busy.uid, geteuid());
	ck_assert_str_eq(busy.targets, "/saswork\\012, /b");
	ck_assert_str_eq(busy.phase, "write");
	ck_assert_int_gt(busy.since_ns, 0);
	ck_assert_int_ge(busy.phase_since_ns, busy.since_ns);
	hostlock_release(&lock);
	kill_it(other.pid);
	(void)kill(other.heir, SIGKILL);
}
END_TEST

/* As a worker that hangs in the kernel does. */
START_TEST(it_ends_with_its_process_and_not_with_the_children)
{
	CLEANUP(testdir_done) char *base = testdir_new();
	CLEANUP(hostlock_release) struct hostlock lock = HOSTLOCK_NONE;
	struct other other = start_other(base);

	ck_assert_int_eq(take(base, &lock), -EBUSY);
	hostlock_release(&lock);
	kill_it(other.pid);
	ck_assert_int_eq(kill(other.heir, 0), 0);
	ck_assert_int_eq(take(base, &lock), 0);
	(void)kill(other.heir, SIGKILL);
}
END_TEST

START_TEST(nothing_of_it_stays)
{
	CLEANUP(testdir_done) char *base = testdir_new();
	CLEANUP(xfree) char *dir = dir_of(base, geteuid());
	CLEANUP(xfree) char *file = file_of(base);
	struct hostlock lock = HOSTLOCK_NONE;
	struct stat st;

	ck_assert_int_eq(take(base, &lock), 0);
	ck_assert_str_eq(lock.path, dir);
	ck_assert_int_eq(stat(dir, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
	ck_assert_int_eq(stat(file, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	hostlock_release(&lock);
	ck_assert_int_eq(stat(dir, &st), -1);
	hostlock_release(&lock);
}
END_TEST

START_TEST(it_is_held_while_others_look_at_it)
{
	CLEANUP(testdir_done) char *base = testdir_new();
	CLEANUP(hostlock_release) struct hostlock lock = HOSTLOCK_NONE;
	CLEANUP(hostlock_holder_done) struct hostlock_holder found = { 0 };

	ck_assert_int_eq(hostlock_find(base, &found), -ENOENT);
	ck_assert_int_eq(take(base, &lock), 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(hostlock_find(base, &found), 0);
		ck_assert_int_eq(found.pid, getpid());
	}
}
END_TEST

START_TEST(the_state_follows_the_run)
{
	CLEANUP(testdir_done) char *base = testdir_new();
	CLEANUP(hostlock_release) struct hostlock lock = HOSTLOCK_NONE;
	CLEANUP(hostlock_holder_done) struct hostlock_holder found = { 0 };

	ck_assert_int_eq(take(base, &lock), 0);
	hostlock_tell(&lock, "/a", "preparing");
	hostlock_tell(&lock, NULL, "read");
	ck_assert_int_eq(hostlock_find(base, &found), 0);
	ck_assert_str_eq(found.targets, "/a");
	ck_assert_str_eq(found.phase, "read");
}
END_TEST

/* What a killed run wrote is no news of the one that has just taken its file. */
START_TEST(an_old_state_is_not_taken_for_the_holders)
{
	CLEANUP(testdir_done) char *base = testdir_new();
	CLEANUP(hostlock_release) struct hostlock lock = HOSTLOCK_NONE;
	CLEANUP(hostlock_holder_done) struct hostlock_holder found = { 0 };
	struct other other = start_other(base);

	kill_it(other.pid);
	(void)kill(other.heir, SIGKILL);
	ck_assert_int_eq(hostlock_find(base, &found), -ENOENT);
	ck_assert_int_eq(take(base, &lock), 0);
	ck_assert_int_eq(hostlock_find(base, &found), 0);
	ck_assert_int_eq(found.pid, getpid());
	ck_assert_str_eq(found.targets, "");
	ck_assert_int_eq(found.since_ns, -1);
}
END_TEST

/* Each is made in place of the directory of this user; none may be used, or changed. */
static void make_link(const char *dir)
{
	ck_assert_int_eq(symlink("elsewhere", dir), 0);
}

static void make_open_dir(const char *dir)
{
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	ck_assert_int_eq(chmod(dir, 0755), 0);
}

static void make_foreign_dir(const char *dir)
{
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	if (geteuid() == 0)
		ck_assert_int_eq(chown(dir, SOMEBODY, SOMEBODY), 0);
	else
		ck_assert_int_eq(chmod(dir, 0701), 0);
}

static void make_file(const char *dir)
{
	ck_assert_int_eq(close(open(dir, O_CREAT | O_WRONLY, 0600)), 0);
}

static void make_in(const char *dir, void (*make)(const char *path))
{
	CLEANUP(xfree) char *path = xasprintf("%s/lock", dir);

	ck_assert_int_eq(mkdir(dir, 0700), 0);
	make(path);
}

static void put_pipe(const char *path)
{
	ck_assert_int_eq(mkfifo(path, 0600), 0);
}

static void put_link(const char *path)
{
	ck_assert_int_eq(symlink("../victim", path), 0);
}

static void put_hard_link(const char *path)
{
	CLEANUP(xfree) char *victim = xasprintf("%s.victim", path);

	make_file(victim);
	ck_assert_int_eq(link(victim, path), 0);
}

static void put_open_file(const char *path)
{
	make_file(path);
	ck_assert_int_eq(chmod(path, 0666), 0);
}

static void make_pipe_inside(const char *dir)
{
	make_in(dir, put_pipe);
}

static void make_link_inside(const char *dir)
{
	make_in(dir, put_link);
}

static void make_hard_link_inside(const char *dir)
{
	make_in(dir, put_hard_link);
}

static void make_open_file_inside(const char *dir)
{
	make_in(dir, put_open_file);
}

static void (*const traps[])(const char *) = {
	make_link,	  make_open_dir,    make_foreign_dir,	   make_file,
	make_pipe_inside, make_link_inside, make_hard_link_inside, make_open_file_inside,
};

START_TEST(what_others_could_have_made_is_not_used)
{
	CLEANUP(testdir_done) char *base = testdir_new();
	CLEANUP(xfree) char *dir = dir_of(base, geteuid());
	CLEANUP(xfree) char *victim = xasprintf("%s/victim", base);
	CLEANUP(hostlock_release) struct hostlock lock = HOSTLOCK_NONE;
	struct stat before, after;

	testdir_put(base, "elsewhere/lock", "");
	testdir_put(base, "victim", "data");
	for (size_t i = 0; i < ARRAY_LEN(traps); i++) {
		CLEANUP(xfree) char *command = xasprintf("rm -rf '%s'", dir);

		traps[i](dir);
		ck_assert_int_eq(lstat(dir, &before), 0);
		ck_assert_msg(take(base, &lock) == -EPERM, "trap %zu", i);
		ck_assert_int_eq(lock.fd, -1);
		hostlock_release(&lock);
		ck_assert_int_eq(lstat(dir, &after), 0);
		ck_assert_uint_eq(before.st_ino, after.st_ino);
		testdir_expect(base, "victim", "data");
		ck_assert_int_eq(system(command), 0);
	}
}
END_TEST

START_TEST(the_list_holds_those_that_are_held)
{
	CLEANUP(testdir_done) char *base = testdir_new();
	CLEANUP(hostlock_list_done) struct hostlock_list list = { 0 };
	struct other other;

	testdir_put(base, "iotest-x/lock", "");
	testdir_put(base, "iotest-77777777777/lock", "");
	testdir_put(base, "iotest-12/lock", "pid=1\n");
	ck_assert_int_eq(hostlock_list(base, &list), 0);
	ck_assert_uint_eq(list.n_items, 0);
	other = start_other(base);
	ck_assert_int_eq(hostlock_list(base, &list), 0);
	ck_assert_uint_eq(list.n_items, 1);
	ck_assert_int_eq(list.items[0].pid, other.pid);
	kill_it(other.pid);
	(void)kill(other.heir, SIGKILL);
}
END_TEST

/* A user may write into its file what it likes: the list of root shows it. */
static const struct {
	const char *text;
	const char *phase, *targets;
	int64_t pid, since_ns;
} states[] = {
	{ "", "", "", -1, -1 },
	{ "pid=5\nsince_ns=7\nphase=read\ntargets=/a\n", "read", "/a", 5, 7 },
	{ "pid=-5\nsince_ns=99999999999999999999\nphase=\033[2J\ntargets", "\\033[2J", "", -1, -1 },
	{ "targets=\xff/x\npid=\nphase=" /* cut */, "", "\\377/x", -1, -1 },
};

START_TEST(a_state_may_hold_anything)
{
	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		CLEANUP(hostlock_holder_done) struct hostlock_holder out = { 0 };

		ck_assert_int_eq(hostlock_state_parse(states[i].text, strlen(states[i].text), &out),
				 -1);
		ck_assert_str_eq(out.phase, states[i].phase);
		ck_assert_str_eq(out.targets, states[i].targets);
		ck_assert_int_eq(out.pid, states[i].pid);
		ck_assert_int_eq(out.since_ns, states[i].since_ns);
	}
}
END_TEST

START_TEST(long_targets_are_cut)
{
	CLEANUP(xfree) char *targets = xcalloc(1, 10000);
	CLEANUP(hostlock_holder_done) struct hostlock_holder out = { 0 };
	struct hostlock_holder self = { .pid = getpid(), .targets = targets };
	char state[HOSTLOCK_STATE_BYTES];

	memset(targets, 'x', 9999);
	hostlock_state_format(&self, state);
	ck_assert_int_eq(hostlock_state_parse(state, sizeof(state), &out),
			 hostlock_process_start(getpid()));
	ck_assert_uint_gt(strlen(out.targets), 3000);
	ck_assert_int_eq(out.pid, getpid());
}
END_TEST

START_TEST(a_process_is_known_by_its_start)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)prctl(PR_SET_NAME, "a) (b 1 2");
		for (;;)
			pause();
	}
	ck_assert_int_gt(hostlock_process_start(pid), 0);
	ck_assert_int_ge(hostlock_process_start(pid), hostlock_process_start(getpid()));
	kill_it(pid);
	ck_assert_int_eq(hostlock_process_start(pid), -1);
}
END_TEST

SUITE_MAIN("hostlock", a_second_run_is_told_who_holds_it,
	   it_ends_with_its_process_and_not_with_the_children, nothing_of_it_stays,
	   it_is_held_while_others_look_at_it, the_state_follows_the_run,
	   an_old_state_is_not_taken_for_the_holders, what_others_could_have_made_is_not_used,
	   the_list_holds_those_that_are_held, a_state_may_hold_anything, long_targets_are_cut,
	   a_process_is_known_by_its_start)
