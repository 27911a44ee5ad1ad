/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf - text that grows
 *
 * A zeroed struct buf is an empty text. data is zero-terminated as soon as anything was added;
 * buf_text gives "" before that.
 */
#ifndef IOTEST_BUF_H
#define IOTEST_BUF_H

#include <stdarg.h>
#include <stddef.h>

#include "iotest/compiler.h"

struct buf {
	char *data;
	size_t len;
	size_t cap;
};

void buf_done(struct buf *b);
void buf_add(struct buf *b, const void *data, size_t len);
void buf_add_text(struct buf *b, const char *text);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vprintf(struct buf *b, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);

/*
 * Adds text as a terminal may show it: control characters and bytes that are not UTF-8 become
 * \ooo as in mountinfo, everything else stays.
 */
void buf_add_visible(struct buf *b, const char *text);

/*
 * Adds a word as a shell reads it: as it is, in quotes where the shell would split or expand it, or
 * as $'...' with \ooo for what a terminal may not show.
 */
void buf_add_shell_word(struct buf *b, const char *word);

/* Room for len more bytes and a zero; for sizes that others choose. Returns 0 or -ENOMEM. */
MUST_CHECK int buf_reserve(struct buf *b, size_t len);

const char *buf_text(const struct buf *b);

/* The text becomes the caller's, to be freed; b is empty again. Never NULL. */
char *buf_take(struct buf *b);

#endif
