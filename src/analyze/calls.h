/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls - how long the calls of a phase took, and the devices' own operations
 */
#ifndef IOTEST_ANALYZE_CALLS_H
#define IOTEST_ANALYZE_CALLS_H

#include "iotest/report.h"

/* Fills the call times and the awaits of out; what is not known stays as it is. */
void calls_fill(const struct phase *phase, struct phase_rates *out);

#endif
