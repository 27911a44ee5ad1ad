/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep_owner - does the run that made a directory still live?
 *
 * Under the same kernel the lock of the directory tells, also between containers, that see each
 * other's files but not each other's processes. Where locks are refused nothing does: a pid that
 * is not to be seen from here may live next door.
 */
#include "sweep_owner.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "iotest/clock.h"
#include "iotest/process.h"

/* Not known counts as yes. This runs in a child: the parent's pid is that of a dead run, since it
 * has no directory yet. */
static bool may_be_iotest(int64_t pid)
{
	struct process process, own;

	if (pid == getpid() || pid == getppid() || (kill((pid_t)pid, 0) < 0 && errno == ESRCH))
		return false;
	if (process_read(pid, &process) || process_read(getpid(), &own))
		return true;
	return !process.is_over &&
	       (!strcmp(process.name, own.name) || !strcmp(process.name, "iotest"));
}

/* Names that many hosts have, as long as nobody gives them one. */
static bool is_any_host(const char *host)
{
	static const char *const names[] = { "", "unknown", "_none_", "localhost" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!strcmp(host, names[i]))
			return true;
	}
	return !strncmp(host, "localhost.", strlen("localhost."));
}

/* Of the kernel that runs now. */
static void judge_same_boot(const struct workspace_name *name, int lock_error, struct buf *why)
{
	if (lock_error)
		buf_printf(why,
			   "locks are refused here (%s), so that it is not known whether its run, "
			   "pid %" PRId64 ", still goes on",
			   strerror(lock_error), name->pid);
	else if (may_be_iotest(name->pid))
		buf_printf(why, "its run, pid %" PRId64 ", may still go on", name->pid);
}

void sweep_judge_owner(const struct workspace_name *name, const char *host_part, int dir_fd,
		       bool *must_be_older, struct buf *why)
{
	char boot[BOOT_PART_SIZE];
	int lock_error = 0;

	*must_be_older = false;
	if (strcmp(name->host, host_part) != 0) {
		buf_printf(why, "it is of the host %s", name->host);
		return;
	}
	if (flock(dir_fd, LOCK_EX | LOCK_NB) < 0)
		lock_error = errno;
	if (lock_error == EWOULDBLOCK) {
		buf_printf(why, "its run, pid %" PRId64 ", or a call of it still goes on",
			   name->pid);
		return;
	}
	workspace_boot_part(boot);
	if (!boot[0] || !name->boot[0]) {
		buf_add_text(why,
			     "it is not known whether it is older than this start of the host");
	} else if (strcmp(name->boot, boot) == 0) {
		judge_same_boot(name, lock_error, why);
	} else if (is_any_host(host_part)) {
		buf_printf(why, "many hosts have the name %s", host_part);
	} else {
		*must_be_older = true;
	}
}

int64_t sweep_boot_ns(void)
{
	struct timespec up = { 0 };

	if (clock_gettime(CLOCK_BOOTTIME, &up) < 0)
		return 0;
	return clock_wall_ns() - ((int64_t)up.tv_sec * NS_PER_S + up.tv_nsec);
}
