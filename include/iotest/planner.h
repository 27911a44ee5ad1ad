/* SPDX-License-Identifier: Apache-2.0 */
/*
 * planner - decide how much is written and read, and give the reason of each number: plan
 *
 * Pure: no I/O, no clock. The rules are in docs/METHOD.md.
 */
#ifndef IOTEST_PLANNER_H
#define IOTEST_PLANNER_H

#include <stdbool.h>
#include <stdint.h>

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

/* One test of files that somebody named: what sasiotest was asked for. */
struct file_wishes {
	const char *given;  /* the file, as it was named */
	const char *name;   /* in the target */
	bool writes;	    /* else it reads */
	bool random;	    /* reads only */
	int64_t bytes;	    /* of each file; -1: as many as the file has */
	int64_t file_bytes; /* read: what the largest file has */
	int64_t own_bytes;  /* written: what files of that name occupy now */
	int64_t page_bytes;
	int64_t pages;	   /* of one transfer */
	int64_t instances; /* -1: one, of just this name */
	bool direct;
	bool dsync;
	bool cached; /* the file is left in the page cache */
	bool force;  /* the file may hold anything */
};

/*
 * Plans it for host->targets[0]. out is untouched on failure. Nothing is made smaller than it was
 * asked for: what does not fit above the reserve of the file system is an error.
 */
MUST_CHECK int plan_build_file(const struct host *host, const struct file_wishes *wishes,
			       struct plan *out, struct err *err);

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
