/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits - what held the rate of a phase down, and the figures that say so
 */
#ifndef IOTEST_ANALYZE_LIMITS_H
#define IOTEST_ANALYZE_LIMITS_H

#include "iotest/report.h"

/* Fills limited_by and limited_text of a judged phase, after the rates of all phases. */
void limits_fill(struct report *report, int phase_kind);

#endif
