/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child - something that may hang, done where it can be left behind
 */
#include "iotest/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "iotest/clock.h"
#include "iotest/fd.h"
#include "iotest/signals.h"
#include "iotest/units.h"

/* A signal that comes between looking at the flag and poll(2) is seen this much later. */
#define POLL_NS (100 * NS_PER_MS)

/* Of the process that only closes; and no descriptor that it has to close is above. */
#define CLOSER_STACK_BYTES (64 * KIB)
#define CLOSER_FDS 65536

#define STANDARD_FDS 3

#define REAP_TRIES 50
#define REAP_PAUSE_NS (2 * NS_PER_MS)

/* What the child sends first; len bytes of answer follow. */
struct reply {
	int rc;
	size_t len;
};

static void be_child(pid_t parent, int fd, child_work *work, void *context)
{
	struct buf answer = { 0 };
	struct reply reply = { 0 };

	signals_child();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent may have died before prctl. */
	if (getppid() != parent)
		_exit(1);

	reply.rc = work(context, &answer);
	reply.len = reply.rc ? 0 : answer.len;
	if (fd_write_all(fd, &reply, sizeof(reply)) || fd_write_all(fd, answer.data, reply.len))
		_exit(1);
	_exit(0);
}

/* Waits until fd can be read. Returns 0, -ETIMEDOUT or -EINTR. */
static int wait_readable(int fd, int64_t end_ns, int signals_before)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left_ns = end_ns - clock_monotonic_ns();
		int n;

		if (signals_count() != signals_before)
			return -EINTR;
		if (left_ns <= 0)
			return -ETIMEDOUT;
		/* Rounded up, so that the last turn does not spin. */
		n = poll(&p, 1,
			 left_ns < POLL_NS ? (int)(left_ns / NS_PER_MS) + 1 : POLL_NS / NS_PER_MS);
		if (n > 0)
			return 0;
	}
}

/* Reads until the whole reply is in. Returns 0, or why there is none. */
static int receive(int fd, int64_t end_ns, int signals_before, struct reply *reply,
		   struct buf *answer)
{
	char *head = (char *)reply;
	size_t n_head = 0;
	char chunk[4096];

	while (n_head < sizeof(*reply) || answer->len < reply->len) {
		bool in_head = n_head < sizeof(*reply);
		ssize_t n;
		int rc;

		rc = wait_readable(fd, end_ns, signals_before);
		if (rc)
			return rc;
		if (in_head)
			n = read(fd, head + n_head, sizeof(*reply) - n_head);
		else
			n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -ECHILD;
		if (in_head)
			n_head += (size_t)n;
		else
			buf_add(answer, chunk, (size_t)n);
	}
	return 0;
}

/* Collects the child, unless it hangs in the kernel: then it is left to end with its call. */
static void reap(pid_t pid)
{
	for (int i = 0; i < REAP_TRIES; i++) {
		const struct timespec pause = { .tv_nsec = REAP_PAUSE_NS };
		pid_t n = waitpid(pid, NULL, WNOHANG);

		if (n == pid || (n < 0 && errno != EINTR))
			return;
		nanosleep(&pause, NULL);
	}
}

int child_run_while(child_work *work, void (*meanwhile)(void *context), void *context,
		    int64_t deadline_ns, struct buf *answer)
{
	CLEANUP(buf_done) struct buf got = { 0 };
	CLEANUP(fd_close) int from_child = -1;
	CLEANUP(fd_close) int to_parent = -1;
	struct reply reply = { 0 };
	int64_t end_ns;
	int signals_before = signals_count();
	pid_t parent = getpid();
	int fds[2];
	pid_t pid;
	int rc;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	from_child = fds[0];
	to_parent = fds[1];

	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		be_child(parent, to_parent, work, context);
	fd_close(&to_parent);
	if (meanwhile)
		meanwhile(context);

	if (units_add(clock_monotonic_ns(), deadline_ns, &end_ns))
		end_ns = INT64_MAX;
	rc = receive(from_child, end_ns, signals_before, &reply, &got);
	if (rc)
		kill(pid, SIGKILL);
	reap(pid);
	if (rc)
		return rc;
	if (reply.rc == 0)
		buf_add(answer, buf_text(&got), got.len);
	return reply.rc;
}

int child_run(child_work *work, void *context, int64_t deadline_ns, struct buf *answer)
{
	return child_run_while(work, NULL, context, deadline_ns, answer);
}

static _Noreturn void be_repeater(void (*work)(void *context), void *context, int64_t pause_ns,
				  pid_t parent)
{
	const struct timespec pause = {
		.tv_sec = pause_ns / NS_PER_S,
		.tv_nsec = pause_ns % NS_PER_S,
	};

	signals_child();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Who reads what we print must not wait for a process that hangs. */
	for (int fd = 0; fd < STANDARD_FDS; fd++)
		(void)close(fd);
	while (getppid() == parent) {
		work(context);
		nanosleep(&pause, NULL);
	}
	_exit(0);
}

int child_start(void (*work)(void *context), void *context, int64_t pause_ns, pid_t *out)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0)
		be_repeater(work, context, pause_ns, parent);
	*out = pid;
	return 0;
}

void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	reap(pid);
}

struct closer {
	const int *fds;
	size_t n;
	pid_t parent;
};

static bool is_kept(const struct closer *c, int fd)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->fds[i] == fd)
			return true;
	}
	return false;
}

static int be_closer(void *context)
{
	const struct closer *c = context;
	sigset_t all;
	int number;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* Any other signal that can be waited for is no reason to close what is in use. */
	while (getppid() == c->parent)
		(void)sigwait(&all, &number);
	for (int fd = 0; fd < CLOSER_FDS; fd++) {
		if (!is_kept(c, fd))
			(void)close(fd);
	}
	for (size_t i = 0; i < c->n; i++)
		(void)close(c->fds[i]);
	return 0;
}

int child_take_over(const int *fds, size_t n)
{
	struct closer closer = { .fds = fds, .n = n, .parent = getpid() };
	char *stack = mmap(NULL, CLOSER_STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int pid;
	int rc;

	if (stack == MAP_FAILED)
		return -errno;
	/* Without CLONE_VM: all but the descriptors is a copy, as after fork. */
	pid = clone(be_closer, stack + CLOSER_STACK_BYTES, CLONE_FILES | SIGCHLD, &closer);
	rc = pid < 0 ? -errno : 0;
	(void)munmap(stack, CLOSER_STACK_BYTES);
	return rc;
}
