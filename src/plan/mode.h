/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mode - which test it is, which phases it has, and how its workers do their I/O
 */
#ifndef IOTEST_PLAN_MODE_H
#define IOTEST_PLAN_MODE_H

#include <stdbool.h>

#include "iotest/err.h"
#include "iotest/host.h"
#include "iotest/plan.h"

/* Mode, method, phases, repeats, budgets and the way of I/O, when workers, blocks and the
 * requirement are known. n_at_once tests share the memory. Returns 0 or -errno. */
MUST_CHECK int mode_take(const struct host *host, const struct plan_wishes *wishes,
			 int64_t n_at_once, struct plan *plan, struct err *err);

/* The method id of what mode, phases and the way of I/O say. */
void mode_name_method(struct plan *plan);

/* Bounded in time and space: quick or prove. */
bool mode_is_bounded(const struct plan *plan);

/* Passes over all files that the phases make: what is written, and what is read. */
double mode_passes(const struct plan *plan);

#endif
