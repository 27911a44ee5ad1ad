/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archiver - what libarchive does for us: tar.gz out, tar.gz in, SHA-256
 *
 * Private to the bundle; the only file behind it that knows libarchive.
 */
#ifndef IOTEST_BUNDLE_ARCHIVER_H
#define IOTEST_BUNDLE_ARCHIVER_H

#include <stddef.h>
#include <stdint.h>

#include "iotest/bundle.h"
#include "iotest/compiler.h"
#include "iotest/err.h"
#include "tree.h"

/* The digest as 64 hex digits; what names the data in the sentence. */
MUST_CHECK int archiver_digest_memory(const void *data, size_t len, const char *what,
				      char out[DIGEST_TEXT_SIZE], struct err *err);

/* Of the first len_bytes of a file, wherever its offset is; -EIO if it has fewer. */
MUST_CHECK int archiver_digest_file(int fd, int64_t len_bytes, const char *what,
				    char out[DIGEST_TEXT_SIZE], struct err *err);

/*
 * Writes the items of tree, found below dirfd, as one top folder of that name to fd. The same
 * folder gives the same bytes. Of a file that grew only the listed size is taken.
 */
MUST_CHECK int archiver_write(int fd, int dirfd, const char *name, const struct tree *tree,
			      struct err *err);

/*
 * Reads a whole archive within the limits of content.h; path names it in sentences. *top, to be
 * freed, is the one top folder. Nothing is checked against a MANIFEST here.
 */
MUST_CHECK int archiver_read(int fd, const char *path, struct bundle_content *out, char **top,
			     struct err *err);

#endif
