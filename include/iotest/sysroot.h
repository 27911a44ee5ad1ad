/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysroot - the files of a host: the live one, or a recorded tree
 *
 * First parameter of everything in probe/. Paths are absolute, as the kernel documents them, and
 * written printf-style. Below a recorded tree, symbolic links and ".." cannot leave it. Every
 * read, also a failed one, is kept in the evidence if there is one.
 */
#ifndef IOTEST_SYSROOT_H
#define IOTEST_SYSROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/err.h"
#include "iotest/evidence.h"

struct sysroot {
	int dirfd;
	bool is_live;
	char *path;		   /* of the recorded tree, as given; "/" if live */
	struct evidence *evidence; /* borrowed; NULL: nothing is kept */
	struct evidence *errors;   /* failures that a recorded tree names; owned; NULL: none */
};

struct strlist {
	char **items;
	size_t n_items;
};
void strlist_done(struct strlist *l);
void strlist_add(struct strlist *l, const char *s);
void strlist_sort(struct strlist *l); /* as strcmp does */

/* path NULL: the live host. Returns 0 or a negative errno with the sentence in err. */
MUST_CHECK int sysroot_open(struct sysroot *out, const char *path, struct err *err);
void sysroot_close(struct sysroot *root);

/* The whole file up to EVIDENCE_FILE_MAX, appended to out. Never blocks on a FIFO or device.
 * Returns 0 or -errno. */
MUST_CHECK int sysroot_read(const struct sysroot *root, struct buf *out, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* Reads a file for the evidence alone, up to max bytes; one that has more is marked as cut.
 * Returns 0 or -errno. */
int sysroot_keep_file(const struct sysroot *root, const char *path, size_t max);

/* The first line, without white space at either end; *out is replaced, to be freed.
 * Returns 0 or -errno; an empty file is 0 and "". */
MUST_CHECK int sysroot_read_text(const struct sysroot *root, char **out, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* A decimal number alone on the first line. Returns 0, -errno, -EINVAL if it is no number,
 * -ERANGE if it does not fit. */
MUST_CHECK int sysroot_read_i64(const struct sysroot *root, int64_t *out, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* Where a symbolic link points, not followed. *out is replaced, to be freed. */
MUST_CHECK int sysroot_read_link(const struct sysroot *root, char **out, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* The names in a directory, sorted, without "." and ".."; *out is replaced. The list is kept as
 * evidence. */
MUST_CHECK int sysroot_list(const struct sysroot *root, struct strlist *out, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* There is a file that can be opened, a directory that can be listed, or a device node. That it is
 * there is kept as evidence; what is in a file is not, as it may be a secret. */
bool sysroot_has(const struct sysroot *root, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * Facts that are not files (statvfs, uname, limits, affinity, topology). name is a path at the
 * top of the tree, such as "os/uname". Live callers compute the text and keep it; on a recorded
 * tree it is read back, and on the live host reading is -ENOENT.
 */
void sysroot_keep_fact(const struct sysroot *root, const char *name, const void *data, size_t len);
MUST_CHECK int sysroot_read_fact(const struct sysroot *root, struct buf *out, const char *name);

/* "key=value" lines: the value of key. *out is replaced, to be freed. Returns 0; -ENOENT if there
 * is no such line, -EINVAL and -ERANGE as sysroot_read_i64. */
MUST_CHECK int fact_text(const char *text, const char *key, char **out);
MUST_CHECK int fact_i64(const char *text, const char *key, int64_t *out);

#endif
