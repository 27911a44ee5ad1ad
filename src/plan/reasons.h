/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reasons - why each number of a plan is what it is
 */
#ifndef IOTEST_PLAN_REASONS_H
#define IOTEST_PLAN_REASONS_H

#include "iotest/host.h"
#include "iotest/plan.h"

/* Fills plan->reasons from its numbers; in the order in which a person asks. */
void reasons_add(const struct host *host, const struct target *target, struct plan *plan);

#endif
