/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict - is it fast enough
 */
#ifndef IOTEST_ANALYZE_VERDICT_H
#define IOTEST_ANALYZE_VERDICT_H

#include <stdbool.h>

#include "iotest/report.h"

/* Fills report->verdict from its rates. */
void verdict_reach(struct report *report);

/* The requirement read as 10^6 bytes would be met, as 2^20 it is not. */
bool verdict_is_borderline(double mib_per_s, double requirement_mib_per_s);

#endif
