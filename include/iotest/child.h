/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child - something that may hang, done where it can be left behind
 *
 * Runs work in a forked child with a deadline. The child's answer comes back through a pipe. A
 * child that is stuck in the kernel is killed and not waited for: it ends with its call.
 */
#ifndef IOTEST_CHILD_H
#define IOTEST_CHILD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"

/* Runs in the child; what it adds to answer reaches the parent. Returns 0 or -errno. */
typedef int child_work(void *context, struct buf *answer);

/*
 * Returns what work returned; -ETIMEDOUT after deadline_ns; -EINTR if a signal asked us to stop
 * meanwhile; -ECHILD if the child ended without an answer.
 * answer gets the child's bytes if work returned 0, else it is untouched.
 */
MUST_CHECK int child_run(child_work *work, void *context, int64_t deadline_ns, struct buf *answer);

/* The same; as soon as the child exists, the parent calls meanwhile(context) in its own memory. */
MUST_CHECK int child_run_while(child_work *work, void (*meanwhile)(void *context), void *context,
			       int64_t deadline_ns, struct buf *answer);

/*
 * A process that does this again and again, with a pause between, until child_end or until we are
 * gone. It shares what is mapped as shared, and none of our standard streams. Returns 0 or -errno.
 */
MUST_CHECK int child_start(void (*work)(void *context), void *context, int64_t pause_ns,
			   pid_t *out);
void child_end(pid_t pid);

/*
 * For descriptors whose close would hang: the kernel closes what a process has open before anybody
 * hears of its end. A process that shares the table of descriptors is left behind; when this one
 * has ended it closes all others at once, and then these. Returns 0 or -errno.
 */
MUST_CHECK int child_take_over(const int *fds, size_t n);

#endif
