/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rounds - a phase over time: steady or not, a lasting fall, memory touched for the first time
 */
#ifndef IOTEST_ANALYZE_ROUNDS_H
#define IOTEST_ANALYZE_ROUNDS_H

#include "iotest/report.h"

/* Fills the figures "over time" of out, whose aggregate is known; else it stays as it is. */
void rounds_fill(const struct report *report, int phase_kind, struct phase_rates *out);

#endif
