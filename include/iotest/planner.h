/* SPDX-License-Identifier: Apache-2.0 */
/*
 * planner - decide how much is written and read, and give the reason of each number: plan
 *
 * Pure: no I/O, no clock. The rules are in docs/METHOD.md.
 */
#ifndef IOTEST_PLANNER_H
#define IOTEST_PLANNER_H

#include "iotest/err.h"
#include "iotest/host.h"
#include "iotest/plan.h"

/*
 * Plans the test of host->targets[target_index]. out is untouched on failure.
 *
 * Errors: wishes that contradict, not even one block fits, memory unknown without a size, a size
 * below one block, an unknown requirement, a file size limit below the plan.
 */
MUST_CHECK int plan_build(const struct host *host, size_t target_index,
			  const struct plan_wishes *wishes, struct plan *out, struct err *err);

/*
 * Whether the wishes can be fulfilled together, for so many targets. plan_build asks this, too;
 * here it is for those who want to know before the host was probed. Returns 0, or -EINVAL with a
 * usage error that names what contradicts.
 */
MUST_CHECK int plan_check_wishes(const struct plan_wishes *wishes, size_t n_targets,
				 struct err *err);

/* A published throughput requirement, MiB/s per physical core. */
struct requirement {
	const char *name;
	double mib_per_s;
	const char *published; /* the figure as its source has it */
	const char *source;
	int year; /* 0: the source has no date */
};
const struct requirement *requirements(size_t *n);

#endif
