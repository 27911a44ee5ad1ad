/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io_real - the I/O calls and the clock of the system
 */
#include "iotest/io_ops.h"

#include <time.h>
#include <unistd.h>

#include "iotest/compiler.h"

static int64_t monotonic_ns(void)
{
	struct timespec t;

	/* Cannot fail: the clock exists and the pointer is good. */
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

const struct io_ops io_real = {
	.pwrite = pwrite,
	.pread = pread,
	.fsync = fsync,
	.clock_ns = monotonic_ns,
};
