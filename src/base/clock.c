/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock - the two clocks
 */
#include "iotest/clock.h"

#include <time.h>

#include "iotest/compiler.h"

static int64_t read_ns(clockid_t clock)
{
	struct timespec t = { 0 };

	/* Cannot fail: the clocks exist and the pointer is good. */
	(void)clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

int64_t clock_monotonic_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

int64_t clock_wall_ns(void)
{
	return read_ns(CLOCK_REALTIME);
}
