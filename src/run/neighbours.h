/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neighbours - who else tests the same directory
 *
 * By an advisory lock on the directory itself, so that no file is needed: every run shares it, and
 * asks now and then whether it could have it for itself alone. Where the file system carries locks
 * on directories between hosts, other hosts are seen; elsewhere other users of this one. And by
 * the names of their directories, where test files have names.
 */
#ifndef IOTEST_RUN_NEIGHBOURS_H
#define IOTEST_RUN_NEIGHBOURS_H

#include "ensemble.h"

/* Shares the lock as long as the target is open, and notes in the run whether others do. */
void neighbours_look(const struct ensemble *x, struct execution *e);

/* The same, but not more often than every few seconds. */
void neighbours_glance(const struct ensemble *x, struct execution *e);

/* Adds the names that are not yet in the run: of those that came later. */
void neighbours_name(struct execution *e);

#endif
