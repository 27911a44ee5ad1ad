/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats - rates of one phase from its bytes and nanoseconds
 */
#ifndef IOTEST_ANALYZE_STATS_H
#define IOTEST_ANALYZE_STATS_H

#include "iotest/report.h"

/* Below this a phase is too short to be judged. */
#define SHORTEST_JUDGED_NS (NS_PER_S / 2)

/* Of the bytes read, this share must have come from the storage. */
#define UNCACHED_RATIO_MIN 0.98

/* Fills the figures of out, which report_init has set to unknown; not usable, not its reason. */
void stats_phase(const struct report *report, int phase_kind, struct phase_rates *out);

/* A phase that ran and whose bytes add up: complete, or ended by the time limit. */
int stats_is_measured(const struct phase *phase);

/* Whether that phase is long enough to be judged. */
int stats_is_long_enough(const struct phase_rates *rates);

/* What was written fits into the memory that caches files: by plan, or cut short. */
int stats_fits_in_cache(const struct report *report);

/* Bytes read from the lowest known devices, or -1 if none is known or one proves nothing. */
int64_t stats_leaf_read_bytes(const struct target *target, const struct phase *phase);

#endif
