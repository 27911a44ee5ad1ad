/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io_real - the I/O calls and the clock of the system
 */
#include "iotest/io_ops.h"

#include <unistd.h>

#include "iotest/clock.h"

const struct io_ops io_real = {
	.pwrite = pwrite,
	.pread = pread,
	.fsync = fsync,
	.clock_ns = clock_monotonic_ns,
};
