/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock - the two clocks, in nanoseconds
 */
#ifndef IOTEST_CLOCK_H
#define IOTEST_CLOCK_H

#include <stdint.h>

/* Never steps; counts from some moment of the past. For durations and deadlines. */
int64_t clock_monotonic_ns(void);

/* Since 1970 UTC, as the machine is set. For what people read. */
int64_t clock_wall_ns(void);

#endif
