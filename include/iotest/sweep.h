/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep - what runs that were killed left in a target
 *
 * Only named test files can stay, in their directory ".iotest-<host>-<pid>-<boot id>-<random>".
 * It is removed if it is provably ours and its owner is provably dead, and left alone otherwise:
 *
 *  - it is a directory, of this user, with mode 0700, on the file system of the target;
 *  - its name is whole and names this host;
 *  - nobody holds its lock, and no iotest with its pid lives; or it is of an earlier start of this
 *    host, and nothing in it has changed since this one: a host of the same name is no proof;
 *  - it holds nothing but test files: regular ones of this user, with one name, "worker-N", and
 *    empty, or beginning with the line that iotest writes there, or with zeros.
 */
#ifndef IOTEST_SWEEP_H
#define IOTEST_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"

enum sweep_outcome {
	SWEEP_REMOVED, /* or would be */
	SWEEP_LEFT,    /* not provably ours, or not provably dead */
	SWEEP_FAILED,  /* ours and dead, but it could not be removed, or holds what is not ours */
	SWEEP_OUTCOME_COUNT
};

struct swept {
	char *name; /* as a terminal may show it */
	int outcome;
	int64_t bytes; /* allocated to its files; of what was removed */
	char *why;     /* it was left; "" if it was removed */
};

struct sweep {
	struct swept *items;
	size_t n_items;
};
void sweep_done(struct sweep *sweep);

struct sweep_wish {
	const char *path; /* the target; a link at its end is not followed */
	const char *host_name;
	bool dry_run;
	int64_t deadline_ns; /* all of it is done in a child */
};

/* Returns 0, or -errno: -ETIMEDOUT if the storage did not answer in time, -EINTR by a signal. */
MUST_CHECK int sweep_target(const struct sweep_wish *wish, struct sweep *out);

size_t sweep_count(const struct sweep *sweep, enum sweep_outcome outcome);

/* Bytes of all that was removed. */
int64_t sweep_bytes(const struct sweep *sweep);

/* Names with that outcome, separated by ", "; what was left with its reason in brackets. */
void sweep_add_names(const struct sweep *sweep, enum sweep_outcome outcome, struct buf *out);

#endif
