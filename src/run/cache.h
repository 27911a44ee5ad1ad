/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache - what of the test files is in memory, and how it gets out of there
 */
#ifndef IOTEST_RUN_CACHE_H
#define IOTEST_RUN_CACHE_H

#include <stdint.h>

#include "iotest/compiler.h"
#include "workspace.h"

/*
 * syncfs(2) of the file system that fd lies on, in a child that is left behind if it takes longer
 * than deadline_ns. Returns 0, -ETIMEDOUT, or another negative errno.
 */
MUST_CHECK int cache_sync_fs(int fd, int64_t deadline_ns);

/* Writes what is dirty of a file, then drops its pages: dirty ones would stay. 0 or -errno. */
MUST_CHECK int cache_drop(int fd);

/* Bytes of the file that are in the page cache, in whole pages; -1 if it cannot be learned. */
int64_t cache_resident_bytes(int fd);

/* The same of all test files; -1 if it cannot be learned of one of them. */
int64_t cache_resident_total(const struct workspace *ws);

#endif
