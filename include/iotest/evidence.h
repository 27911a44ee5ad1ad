/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence - what the probe read, as a tree of files kept in memory
 *
 * Each path is held once. The tree is written into the result directory, and such a directory
 * replays as a sysroot. Failed reads are kept with their errno in "iotest.errors" when written.
 */
#ifndef IOTEST_EVIDENCE_H
#define IOTEST_EVIDENCE_H

#include <stddef.h>

#include "iotest/compiler.h"

/* A file above this size is kept up to here, and named as cut in "iotest.errors". */
#define EVIDENCE_FILE_MAX (1024 * 1024)

enum evidence_kind { EVIDENCE_FILE, EVIDENCE_LINK, EVIDENCE_DIR, EVIDENCE_ERROR };

struct evidence_item {
	char *path; /* without the leading slash */
	enum evidence_kind kind;
	int error;  /* positive errno of EVIDENCE_ERROR, EFBIG of a cut file, else 0 */
	char *data; /* content, or the target of a link; zero-terminated */
	size_t len;
};

struct evidence {
	struct evidence_item *items;
	size_t n_items;
};

void evidence_done(struct evidence *e);

/* Adds an item; a path that is held already stays as it is. data is copied. */
void evidence_add(struct evidence *e, const char *path, enum evidence_kind kind, const void *data,
		  size_t len, int error);

const struct evidence_item *evidence_find(const struct evidence *e, const char *path);

/* Writes the tree below dirfd: directories 0700, files 0600. Returns 0 or -errno. */
MUST_CHECK int evidence_write(const struct evidence *e, int dirfd);

#endif
