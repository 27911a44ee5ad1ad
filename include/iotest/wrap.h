/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrap - paragraphs on a terminal
 */
#ifndef IOTEST_WRAP_H
#define IOTEST_WRAP_H

#include <stddef.h>

#include "iotest/buf.h"

#define WRAP_WIDTH 80

/* The columns that len bytes of text take: one for each code point. */
size_t wrap_columns(const char *text, size_t len);

/*
 * Adds len bytes of text, of which the first word goes where out ends now: in that column. Breaks
 * at spaces before WRAP_WIDTH is passed; a longer word stays whole. The lines after the first start
 * at hang. Ends with a line feed.
 */
void wrap_add(struct buf *out, size_t column, size_t hang, const char *text, size_t len);

#endif
