/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advice - settings that somebody published, held against those in effect
 *
 * Nothing here is a rule: sources contradict each other, and each is named with its year.
 */
#ifndef IOTEST_ANALYZE_ADVICE_H
#define IOTEST_ANALYZE_ADVICE_H

#include "iotest/report.h"

/* One entry per published value of a setting that is known here and that the target is meant by. */
void advice_fill(struct report *r);

#endif
