/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats - rates of one phase from its bytes and nanoseconds
 */
#ifndef IOTEST_ANALYZE_STATS_H
#define IOTEST_ANALYZE_STATS_H

#include <stdbool.h>

#include "iotest/buf.h"
#include "iotest/report.h"

/* Below this a phase is too short to be judged. */
#define SHORTEST_JUDGED_NS (NS_PER_S / 2)

/* Sleep of the machine, and steps of its clock, of less than this are within the noise. */
#define CLOCK_NOISE_NS (100 * NS_PER_MS)

/* Fills the figures of out, which report_init has set to unknown; not usable, not its reason. */
void stats_phase(const struct report *report, int phase_kind, struct phase_rates *out);

/* Chooses what is judged, once the rounds are known, and holds it against the requirement. */
void stats_judge(const struct report *report, int phase_kind, struct phase_rates *out);

/* Sets what is judged, and the cores that it carries; cores and requirement are known. */
void stats_set_judged(const struct plan *plan, double mib_per_s_per_core, struct phase_rates *out);

/* Whether that phase is long enough to be judged. */
bool stats_is_long_enough(const struct phase_rates *rates);

/* The verdict needs this phase. Plans of the time before phases could be chosen need both. */
bool stats_is_asked(const struct plan *plan, int phase_kind);

/* It is for comparison, and neither judged nor able to spoil anything. */
bool stats_is_control(int phase_kind);

/* Asked, usable, and long enough; or judged by several runs. */
bool stats_is_judged(const struct report *report, int phase_kind);

/* Is judged, and slower than the requirement. */
bool stats_is_below(const struct report *report, int phase_kind);

/* Below, but --max-rate does not let it be fast enough: it shows nothing. */
bool stats_is_capped(const struct report *report, int phase_kind);

/* Share of the workers' time that was CPU time of theirs; -1 not known. */
double stats_cpu_ratio(const struct phase *phase);

/* Whole percents, cut and not rounded; 0 where one of the two is not known. */
int stats_percent(int64_t part, int64_t all);

/* MiB per second; -1 if there was no time. */
double stats_rate(int64_t bytes, int64_t ns);

/* "4100 MiB/s", "98.3 MiB/s" */
void stats_add_rate(struct buf *b, double mib_per_s);

/* All bytes over all time are below what is needed. */
bool stats_is_low(const struct phase_rates *rates);

/* a + b, where -1 is nothing and the sum ends at the largest number. */
int64_t stats_plus(int64_t a, int64_t b);

/* a - b, at least 0, and 0 if one is not known. */
int64_t stats_minus(int64_t a, int64_t b);

#endif
