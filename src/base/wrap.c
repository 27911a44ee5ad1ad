/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrap - paragraphs on a terminal
 */
#include "iotest/wrap.h"

#include <stdbool.h>

size_t wrap_columns(const char *text, size_t len)
{
	size_t n = 0;

	/* The continuation bytes of UTF-8 take none. */
	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

/* How many bytes of text are spaces, or are none, before that changes. */
static size_t run_length(const char *text, const char *end, bool of_spaces)
{
	const char *p = text;

	while (p < end && (*p == ' ') == of_spaces)
		p++;
	return (size_t)(p - text);
}

void wrap_add(struct buf *out, size_t column, size_t hang, const char *text, size_t len)
{
	const char *end = text + len;
	bool is_first = true;
	size_t gap = 0;

	text += run_length(text, end, true);
	while (text < end) {
		size_t n = run_length(text, end, false);
		size_t width = wrap_columns(text, n);

		if (!is_first && column + gap + width > WRAP_WIDTH) {
			buf_add_text(out, "\n");
			gap = hang;
			column = 0;
		}
		buf_printf(out, "%*s", (int)gap, "");
		buf_add(out, text, n);
		column += gap + width;
		text += n;
		gap = run_length(text, end, true);
		text += gap;
		is_first = false;
	}
	buf_add_text(out, "\n");
}
