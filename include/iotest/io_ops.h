/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io_ops - the I/O calls and the clock that a worker uses
 *
 * The seam through which tests script short writes, errors and clock steps. The calls behave as
 * their POSIX namesakes: -1 and errno on failure.
 */
#ifndef IOTEST_IO_OPS_H
#define IOTEST_IO_OPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct io_ops {
	ssize_t (*pwrite)(int fd, const void *data, size_t len, off_t at);
	ssize_t (*pread)(int fd, void *data, size_t len, off_t at);
	ssize_t (*pwritev)(int fd, const struct iovec *pages, int n, off_t at);
	ssize_t (*preadv)(int fd, const struct iovec *pages, int n, off_t at);
	int (*fsync)(int fd);
	int64_t (*clock_ns)(void); /* monotonic */
	/* Starts the write-back of these pages; with wait, comes back when they are written. */
	int (*write_back)(int fd, off_t at, off_t len, bool wait);
	void (*sleep_until)(int64_t monotonic_ns); /* or until a signal comes */
};

extern const struct io_ops io_real;

#endif
