/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io_real - the I/O calls and the clock of the system
 */
#include "iotest/io_ops.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "iotest/clock.h"
#include "iotest/compiler.h"

static int write_back(int fd, off_t at, off_t len, bool wait)
{
	unsigned int flags = SYNC_FILE_RANGE_WRITE;

	if (wait)
		flags |= SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WAIT_AFTER;
	return sync_file_range(fd, at, len, flags);
}

static void sleep_until(int64_t monotonic_ns)
{
	const struct timespec at = {
		.tv_sec = monotonic_ns / NS_PER_S,
		.tv_nsec = monotonic_ns % NS_PER_S,
	};

	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

const struct io_ops io_real = {
	.pwrite = pwrite,
	.pread = pread,
	.pwritev = pwritev,
	.preadv = preadv,
	.fsync = fsync,
	.clock_ns = clock_monotonic_ns,
	.write_back = write_back,
	.sleep_until = sleep_until,
};
