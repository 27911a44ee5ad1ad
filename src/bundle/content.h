/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content - the files of a bundle that is being read, within limits
 *
 * Private to the bundle. What is read comes from anywhere: sizes are checked before memory is
 * asked for, and memory that is not there is an error.
 */
#ifndef IOTEST_BUNDLE_CONTENT_H
#define IOTEST_BUNDLE_CONTENT_H

#include <stdint.h>

#include "iotest/bundle.h"
#include "iotest/compiler.h"
#include "iotest/err.h"

#define CONTENT_MEMBERS_MAX 100000
#define CONTENT_FILE_MAX (64 * MIB)
#define CONTENT_TOTAL_MAX (256 * MIB)

/* Counts against the limits; zeroed at the start. */
struct content_budget {
	int64_t n_members;
	int64_t total_bytes;
};

/* Asks for one more member of that size; where is the bundle, for the sentence. */
MUST_CHECK int content_allow(struct content_budget *budget, const char *path, int64_t size_bytes,
			     const char *where, struct err *err);

/* Adds a file; data (from malloc, zero-terminated) becomes the content's. */
void content_add(struct bundle_content *content, const char *path, char *data, size_t len);

/* Sorts by path; a path that occurs twice is an error. */
MUST_CHECK int content_sort(struct bundle_content *content, const char *where, struct err *err);

/* "<where>: not a bundle of iotest", and what to give instead. Returns -EINVAL. */
int content_is_foreign(const char *where, struct err *err);

/* "<where>: the bundle is truncated or damaged". Returns -EBADMSG. */
int content_is_damaged(const char *where, struct err *err);

#endif
