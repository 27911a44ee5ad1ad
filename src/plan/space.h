/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space - what a test may take of a file system, whatever it is for
 */
#ifndef IOTEST_PLAN_SPACE_H
#define IOTEST_PLAN_SPACE_H

#include <stdint.h>

#include "iotest/host.h"

/* Of the file system, never touched. */
int64_t space_reserve_percent(const struct host *host);

/* All files together on a file system in memory; -1: it is none, or nothing is known. */
int64_t space_memory_cap(const struct host *host, const struct target *target);

/* The smaller of two, where -1 is unknown. */
int64_t space_smaller(int64_t a, int64_t b);

#endif
