/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysroot_internal - what the files of sysroot share. Private to them.
 */
#ifndef IOTEST_BASE_SYSROOT_INTERNAL_H
#define IOTEST_BASE_SYSROOT_INTERNAL_H

#include <fcntl.h>
#include <stdarg.h>

#include "iotest/sysroot.h"
#include "iotest/xalloc.h"

#define OPEN_FILE (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define OPEN_PLACE (O_PATH | O_CLOEXEC)

/* The public functions are printf-style; this is the first line of each. */
#define FORMAT_PATH(path, fmt)                  \
	CLEANUP(xfree) char *path = NULL;       \
	do {                                    \
		va_list ap;                     \
		va_start(ap, fmt);              \
		path = sysroot_format(fmt, ap); \
		va_end(ap);                     \
	} while (0)

char *sysroot_format(const char *fmt, va_list ap) PRINTF_LIKE(1, 0);

/* Returns a descriptor or -errno. */
MUST_CHECK int sysroot_open_path(const struct sysroot *root, const char *path, int flags);

/* Appends a plain file to out. Returns 0, EFBIG if it was cut, or -errno. Keeps nothing. */
MUST_CHECK int sysroot_read_regular(const struct sysroot *root, const char *path, struct buf *out);

/* The same, cut at max bytes. */
MUST_CHECK int sysroot_read_limited(const struct sysroot *root, const char *path, size_t max,
				    struct buf *out);

/* Where the link or the list of path is kept; to be freed. */
char *sysroot_kept_path(const char *path, const char *suffix);

/* Into the evidence, if there is one. */
void sysroot_keep(const struct sysroot *root, const char *path, const struct buf *data, int error);
void sysroot_keep_error(const struct sysroot *root, const char *path, int rc);

/* What a recorded tree names as the failure of path, as a negative errno, or else otherwise. */
int sysroot_recorded_error(const struct sysroot *root, const char *path, int otherwise);

#endif
