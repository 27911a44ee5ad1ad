/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout - how text pages are set: columns, wrapping, unknown values
 *
 * For the text renderers only. Everything is appended to a buf. Texts may come from file names and
 * files of others: control characters and bytes that are not UTF-8 are escaped on the way.
 */
#ifndef IOTEST_RENDER_LAYOUT_H
#define IOTEST_RENDER_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/host.h"
#include "iotest/plan.h"

/* The columns that a text takes on a terminal: one for each code point. */
size_t layout_columns(const char *text);

/*
 * A paragraph: lead, then from column hang on the text, wrapped at WRAP_WIDTH, with a line feed
 * at the end. Lines after the first start at hang. Only spaces break; a longer word stays whole.
 */
void layout_wrap(struct buf *out, const char *lead, size_t hang, const char *text);

/* The same with a label two columns in, and the value printf-style. */
void layout_row(struct buf *out, size_t hang, const char *label, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* text right-aligned in width columns. */
void layout_cell(struct buf *out, size_t width, const char *text);

/* "unknown" for what is -1; fallback for a text that is "". */
void layout_add_text(struct buf *out, const char *text, const char *fallback);
void layout_add_count(struct buf *out, int64_t n, const char *one, const char *many);

/* Plain digits; "n/a" for what is below 0 or not finite. */
void layout_add_number(struct buf *out, double value, int decimals);

/* "2026-12-01T03:00:04Z"; nothing if it is unknown. */
void layout_add_iso_time(struct buf *out, int64_t realtime_ns);

/* "2026-12-01 03:00:04", at that offset from UTC; without the date if it is that of other_ns. */
void layout_add_clock(struct buf *out, int64_t realtime_ns, int64_t offset_s, int64_t other_ns);

/* "SOURCE on MOUNT POINT type TYPE (OPTIONS)" */
void layout_add_mount(struct buf *out, const struct target *target);

/* The target of a plan; one with everything unknown if its index is none. */
const struct target *layout_target(const struct host *host, const struct plan *plan);

#endif
