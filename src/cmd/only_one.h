/* SPDX-License-Identifier: Apache-2.0 */
/*
 * only_one - a test runs alone: two that share the storage measure each other
 */
#ifndef IOTEST_CMD_ONLY_ONE_H
#define IOTEST_CMD_ONLY_ONE_H

#include "iotest/err.h"
#include "iotest/hostlock.h"
#include "iotest/runner.h"
#include "iotest/sysroot.h"

/*
 * Takes the lock of this user. Returns 0, also where there can be no lock: then *failure says why,
 * and is the caller's; else it is left alone. -EBUSY, exit status 5, if another iotest holds it.
 */
MUST_CHECK int only_one_begin(struct hostlock *lock, char **failure, struct err *err);

/* What "iotest ps" shows from now on; targets as they were given. */
void only_one_tell(struct hostlock *lock, const struct strlist *targets, const char *phase);

/* The same, by what the runner tells. */
void only_one_follow(struct hostlock *lock, const struct run_event *event);

#endif
