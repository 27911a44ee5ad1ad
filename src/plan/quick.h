/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quick - what a test may take that has to be over within a minute
 *
 * Pure arithmetic. The rules are in docs/METHOD.md, "Quick and prove".
 */
#ifndef IOTEST_PLAN_QUICK_H
#define IOTEST_PLAN_QUICK_H

#include <stdint.h>

#include "iotest/compiler.h"

#define QUICK_LIMIT_NS (60 * NS_PER_S)
#define QUICK_LIMIT_MIN_NS (5 * NS_PER_S)
#define QUICK_SPACE_PERCENT 5
#define QUICK_SPACE_MAX (64 * GIB)
#define LIGHT_SPACE_MAX (4 * GIB)

/* Write-back is started each time so much was written. */
#define WINDOW_STEP_BYTES (8 * MIB)
#define WINDOW_BYTES (256 * MIB)

/* A held pace proves at least the rate, so it lies above it. */
#define PACE_ABOVE_PERCENT 2

/* Of the time limit, what writing or reading may take; the rest is for all that comes between. */
int64_t quick_budget_ns(int64_t limit_ns);

/* All files of one test together. free_bytes -1: unknown. usable_bytes is what of it lies above
 * the reserve, of which at most half is taken; -1: unknown. */
int64_t quick_space_bytes(int64_t free_bytes, int64_t usable_bytes);

/* How far each of n writers may be ahead of its write-back. cache_bytes -1: unknown. */
int64_t quick_window_bytes(int64_t cache_bytes, int64_t n_writers);

/* The smallest number of whole blocks that is whole pages of 4 KiB, too. */
int64_t quick_step_bytes(int64_t block_bytes);

/* Of each worker, so that all together carry cores x mib_per_s; -EOVERFLOW above 4 EiB/s. */
MUST_CHECK int quick_pace(double mib_per_s, int64_t cores, int64_t workers, int64_t *bytes_per_s);

/* What must be moved at that pace, so that it is done before the time is over if it is held: what
 * the rate below the pace moves in it. At most 4 EiB. */
int64_t quick_paced_bytes(int64_t pace_bytes_per_s, int64_t ns);

#endif
