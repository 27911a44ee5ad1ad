/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rounds - a phase over time: steady or not, a lasting fall, memory touched for the first time
 */
#ifndef IOTEST_ANALYZE_ROUNDS_H
#define IOTEST_ANALYZE_ROUNDS_H

#include <stdbool.h>

#include "iotest/report.h"

/* Fills the figures "over time" of out, whose aggregate is known; else it stays as it is. */
void rounds_fill(const struct report *report, int phase_kind, struct phase_rates *out);

/* CPU seconds per GiB: the median of the rounds that are spoiled, or of the others; -1. */
double rounds_cpu_s_per_gib(const struct phase_rates *rates, bool spoiled);

#endif
