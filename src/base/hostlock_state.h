/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostlock_state - what stands in the lock file, as text
 */
#ifndef IOTEST_BASE_HOSTLOCK_STATE_H
#define IOTEST_BASE_HOSTLOCK_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "iotest/compiler.h"
#include "iotest/hostlock.h"

/* Written in one piece, so that nobody reads half of it. */
#define HOSTLOCK_STATE_BYTES 4096

/* When a process began, in clock ticks since boot; -1 unknown. Tells it from another one with the
 * same pid. */
int64_t hostlock_process_start(int64_t pid);

/* The rest of out is zeros; targets are cut where they are too long. */
void hostlock_state_format(const struct hostlock_holder *self, char out[HOSTLOCK_STATE_BYTES]);

/* Fills all but uid. text may hold anything. Returns the start of the process that wrote it, or
 * -1. */
int64_t hostlock_state_parse(const char *text, size_t len, struct hostlock_holder *out);

#endif
