/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict - is it fast enough
 */
#ifndef IOTEST_ANALYZE_VERDICT_H
#define IOTEST_ANALYZE_VERDICT_H

#include <stdbool.h>

#include "iotest/report.h"

/* Fills report->verdict from its rates: of this run alone. */
void verdict_reach(struct report *report);

/* The same where the result is known from several runs, and judged by their median. */
void verdict_set(struct report *report, enum verdict_result result);

/* A phase, the control left out, did not end because the storage did not answer. */
bool verdict_is_stuck(const struct run *run);

/* The requirement read as 10^6 bytes would be met, as 2^20 it is not. */
bool verdict_is_borderline(double mib_per_s, double requirement_mib_per_s);

#endif
