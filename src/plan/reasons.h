/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reasons - why each number of a plan is what it is
 */
#ifndef IOTEST_PLAN_REASONS_H
#define IOTEST_PLAN_REASONS_H

#include "iotest/host.h"
#include "iotest/plan.h"

/* Fills plan->reasons from its numbers; in the order in which a person asks. n_on_device tests
 * use the file system at the same time. */
void reasons_add(const struct host *host, const struct target *target, int64_t n_on_device,
		 struct plan *plan);

#endif
