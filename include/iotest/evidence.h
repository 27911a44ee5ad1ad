/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence - what the probe read, as a tree of files kept in memory
 *
 * Each path is held once. The tree is written into the result directory, and such a directory
 * replays as a sysroot. It is made of plain files, so that archives and git carry it whole:
 *
 *	X		what was read from X; empty if it was only looked for
 *	X.link		where the symbolic link X points
 *	X.list		the names in the directory X, one a line
 *	iotest.errors	reads that failed: "errno <tab> path <tab> message" lines
 *
 * A ".." in a path is kept as a folder "@parent", because what it means depends on links.
 */
#ifndef IOTEST_EVIDENCE_H
#define IOTEST_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"

/* A file above this size is kept up to here, and named as cut in "iotest.errors". With 1024 CPUs
 * cpuinfo has 1.6 MB, and the mount table of a node with 6000 pod volumes 1.1 MB. */
#define EVIDENCE_FILE_MAX (16 * 1024 * 1024)

#define EVIDENCE_LINK_SUFFIX ".link"
#define EVIDENCE_LIST_SUFFIX ".list"
#define EVIDENCE_ERRORS "iotest.errors"

enum evidence_kind {
	EVIDENCE_FILE,
	EVIDENCE_PRESENT, /* a file that was seen and not read: written empty */
	EVIDENCE_ERROR,
};

struct evidence_item {
	char *path; /* without the leading slash, as evidence_path gives it */
	enum evidence_kind kind;
	int error;  /* positive errno of EVIDENCE_ERROR, EFBIG of a cut file, else 0 */
	char *data; /* content; zero-terminated */
	size_t len;
};

struct evidence {
	struct evidence_item *items;
	size_t n_items;
	uint32_t *slots; /* hash table of item index + 1 */
	size_t n_slots;
};

void evidence_done(struct evidence *e);

/* Adds an item; a path that is held already stays as it is, but for a file that was only seen
 * and now is read. data is copied. */
void evidence_add(struct evidence *e, const char *path, enum evidence_kind kind, const void *data,
		  size_t len, int error);

const struct evidence_item *evidence_find(const struct evidence *e, const char *path);

/* The path as it is kept: no leading, double or trailing slashes, no ".", ".." as "@parent".
 * To be freed. */
char *evidence_path(const char *path);

/*
 * Writes the tree below dirfd: directories 0700, files 0600, which replace files of the same
 * name. Symbolic links below dirfd are not followed. Returns 0, or the first -errno after trying
 * every item.
 */
MUST_CHECK int evidence_write(const struct evidence *e, int dirfd);

/* All items as bytes that evidence_unpack adds to another evidence, of the same program. */
void evidence_pack(const struct evidence *e, struct buf *out);

/* Returns 0, or -EINVAL for what evidence_pack did not write; what came before that is added. */
MUST_CHECK int evidence_unpack(struct evidence *e, const void *data, size_t len);

/* Adds the EVIDENCE_ERROR items that the text of an "iotest.errors" names, and marks the files as
 * cut that were. */
void evidence_add_errors(struct evidence *e, const char *text);

#endif
