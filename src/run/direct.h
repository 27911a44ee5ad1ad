/* SPDX-License-Identifier: Apache-2.0 */
/*
 * direct - what O_DIRECT wants on this file system
 */
#ifndef IOTEST_RUN_DIRECT_H
#define IOTEST_RUN_DIRECT_H

#include <stdint.h>

#include "iotest/compiler.h"

/*
 * The alignment of offsets and lengths, in bytes: what statx(2) tells (STATX_DIOALIGN, Linux
 * 6.1), else the smallest with which a write to the empty file fd, opened with O_DIRECT,
 * succeeds. The file is empty again afterwards. *source is "statx" or "tried", static.
 * Returns 0; -EINVAL if direct I/O is refused at any alignment up to 64 KiB; another -errno.
 */
MUST_CHECK int direct_learn(int fd, int64_t *alignment_bytes, const char **source);

/* The same for a file that is only read: it is tried by reading. */
MUST_CHECK int direct_learn_reading(int fd, int64_t *alignment_bytes, const char **source);

#endif
