/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines - what a section says, as labels and sentences
 */
#include "lines.h"

#include <stdarg.h>
#include <stdlib.h>

#include "iotest/xalloc.h"
#include "layout.h"

void lines_done(struct lines *lines)
{
	for (size_t i = 0; i < lines->n_items; i++) {
		free(lines->items[i].label);
		free(lines->items[i].text);
	}
	free(lines->items);
	*lines = (struct lines){ 0 };
}

void lines_add(struct lines *lines, const char *label, const char *fmt, ...)
{
	struct line *line = XGROW(&lines->items, &lines->n_items);
	struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	line->label = xstrdup(label);
	line->text = buf_take(&text);
}

void lines_print(const struct lines *lines, size_t column, struct buf *out)
{
	for (size_t i = 0; i < lines->n_items; i++)
		layout_row(out, column, lines->items[i].label, "%s", lines->items[i].text);
}
