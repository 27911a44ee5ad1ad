/* SPDX-License-Identifier: Apache-2.0 */
/*
 * medium - how fast what lies below a target can read at most
 */
#ifndef IOTEST_ANALYZE_MEDIUM_H
#define IOTEST_ANALYZE_MEDIUM_H

#include <stddef.h>

#include "iotest/host.h"

struct medium {
	size_t n_rotating; /* disks that are known to rotate */
	size_t n_others;
	double mib_per_s; /* no storage of so many is faster; -1 not known */
};

/* target may be NULL. */
struct medium medium_of(const struct host *host, const struct target *target);

#endif
