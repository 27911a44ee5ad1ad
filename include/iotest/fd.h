/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fd - what is done with descriptors again and again: close, write all, read all, list
 */
#ifndef IOTEST_FD_H
#define IOTEST_FD_H

#include <stddef.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"

struct strlist; /* of iotest/sysroot.h */

/* For CLEANUP: closes *fd unless it is negative, and makes it -1. */
void fd_close(int *fd);

/* Whether it lies on the device "major:minor". Returns 1, 0, or -errno. */
int fd_is_on_device(int fd, const char *number);

/* Makes the folders that a path lies in, 0700, where they are missing. Returns 0 or -errno. */
MUST_CHECK int fd_make_parents(const char *path);

/* All len bytes. Returns 0 or -errno. */
MUST_CHECK int fd_write_all(int fd, const void *data, size_t len);

/*
 * Appends what can be read to the end. Sizes are not asked for: those of /proc are made up, and a
 * file may grow. Returns 0, -EFBIG if there is more than max (that much is in out then), -ENOMEM
 * or -errno.
 */
MUST_CHECK int fd_read_all(int fd, size_t max, struct buf *out);

/* The names in a directory, sorted, without "." and "..". *out is replaced; fd is closed in any
 * case. Returns 0 or -errno. */
MUST_CHECK int fd_list(int fd, struct strlist *out);

#endif
