/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats - rates of one phase from its bytes and nanoseconds
 */
#ifndef IOTEST_ANALYZE_STATS_H
#define IOTEST_ANALYZE_STATS_H

#include <stdbool.h>

#include "iotest/report.h"

/* Below this a phase is too short to be judged. */
#define SHORTEST_JUDGED_NS (NS_PER_S / 2)

/* Fills the figures of out, which report_init has set to unknown; not usable, not its reason. */
void stats_phase(const struct report *report, int phase_kind, struct phase_rates *out);

/* Whether that phase is long enough to be judged. */
bool stats_is_long_enough(const struct phase_rates *rates);

/* a + b, where -1 is nothing and the sum ends at the largest number. */
int64_t stats_plus(int64_t a, int64_t b);

#endif
