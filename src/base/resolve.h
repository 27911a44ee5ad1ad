/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolve - open a path below a directory that nothing in the path can leave
 *
 * Symbolic links are followed as if the directory were "/": absolute ones start there, ".." stops
 * there. Private to sysroot.
 */
#ifndef IOTEST_BASE_RESOLVE_H
#define IOTEST_BASE_RESOLVE_H

#include "iotest/compiler.h"

/* Like openat(2). Returns a descriptor or -errno. */
MUST_CHECK int resolve_open(int dirfd, const char *path, int flags);

/* The same without openat2(2), for kernels before 5.6 and for sandboxes that deny it. */
MUST_CHECK int resolve_open_by_walking(int dirfd, const char *path, int flags);

#endif
