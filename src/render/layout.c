/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout - how text pages are set: columns, wrapping, unknown values
 */
#include "layout.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "iotest/units.h"

static size_t columns_of(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

size_t layout_columns(const char *text)
{
	return columns_of(text, strlen(text));
}

static void add_spaces(struct buf *out, size_t n)
{
	buf_printf(out, "%*s", (int)n, "");
}

void layout_wrap(struct buf *out, const char *lead, size_t hang, const char *text)
{
	CLEANUP(buf_done) struct buf visible = { 0 };
	size_t column = layout_columns(lead);
	size_t gap = 0;
	bool is_first = true;
	const char *p;

	buf_add_visible(&visible, text);
	buf_add_visible(out, lead);
	p = buf_text(&visible);
	p += strspn(p, " ");
	if (*p && column < hang) {
		add_spaces(out, hang - column);
		column = hang;
	}
	while (*p) {
		size_t len = strcspn(p, " ");
		size_t width = columns_of(p, len);

		if (!is_first && column + gap + width > LAYOUT_WIDTH) {
			buf_add_text(out, "\n");
			gap = hang;
			column = 0;
		}
		add_spaces(out, gap);
		buf_add(out, p, len);
		column += gap + width;
		p += len;
		gap = strspn(p, " ");
		p += gap;
		is_first = false;
	}
	buf_add_text(out, "\n");
}

void layout_row(struct buf *out, size_t hang, const char *label, const char *fmt, ...)
{
	CLEANUP(buf_done) struct buf lead = { 0 };
	CLEANUP(buf_done) struct buf value = { 0 };
	va_list ap;

	buf_printf(&lead, "  %s", label);
	va_start(ap, fmt);
	buf_vprintf(&value, fmt, ap);
	va_end(ap);
	layout_wrap(out, buf_text(&lead), hang, buf_text(&value));
}

void layout_cell(struct buf *out, size_t width, const char *text)
{
	size_t used = layout_columns(text);

	if (used < width)
		add_spaces(out, width - used);
	buf_add_text(out, text);
}

void layout_add_text(struct buf *out, const char *text, const char *fallback)
{
	buf_add_visible(out, *text_of(text) ? text : fallback);
}

void layout_add_size(struct buf *out, int64_t bytes)
{
	if (bytes < 0)
		buf_add_text(out, "unknown");
	else
		units_add_size(out, bytes);
}

void layout_add_duration(struct buf *out, int64_t ns)
{
	if (ns < 0)
		buf_add_text(out, "unknown");
	else
		units_add_duration(out, ns);
}

void layout_add_count(struct buf *out, int64_t n, const char *one, const char *many)
{
	if (n < 0)
		buf_printf(out, "unknown %s", many);
	else
		buf_printf(out, "%lld %s", (long long)n, n == 1 ? one : many);
}

void layout_add_number(struct buf *out, double value, int decimals)
{
	if (!isfinite(value) || value < 0)
		buf_add_text(out, "n/a");
	else
		buf_printf(out, "%.*f", decimals, value);
}

/* Broken-down time without the machine's time zone: two hosts print one file alike. */
static struct tm clock_of(int64_t realtime_ns, int64_t offset_s)
{
	time_t seconds = (time_t)(realtime_ns / NS_PER_S + offset_s);
	struct tm tm = { 0 };

	gmtime_r(&seconds, &tm);
	return tm;
}

void layout_add_iso_time(struct buf *out, int64_t realtime_ns)
{
	struct tm tm = clock_of(realtime_ns, 0);

	if (realtime_ns < 0)
		return;
	buf_printf(out, "%04d-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900, tm.tm_mon + 1,
		   tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

void layout_add_clock(struct buf *out, int64_t realtime_ns, int64_t offset_s, int64_t other_ns)
{
	struct tm tm = clock_of(realtime_ns, offset_s);
	struct tm other = clock_of(other_ns, offset_s);

	if (realtime_ns < 0) {
		buf_add_text(out, "unknown");
		return;
	}
	if (other_ns < 0 || tm.tm_year != other.tm_year || tm.tm_yday != other.tm_yday)
		buf_printf(out, "%04d-%02d-%02d ", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
	buf_printf(out, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
}

void layout_add_mount(struct buf *out, const struct target *target)
{
	layout_add_text(out, target->mount_source, "unknown");
	buf_add_text(out, " on ");
	layout_add_text(out, target->mount_point, "unknown");
	buf_add_text(out, " type ");
	layout_add_text(out, target->fs_type, "unknown");
	buf_add_text(out, " (");
	layout_add_text(out, target->mount_options, "unknown");
	buf_add_text(out, ")");
}

const struct target *layout_target(const struct host *host, const struct plan *plan)
{
	static const struct target unknown = {
		.size_bytes = -1,
		.used_bytes = -1,
		.free_bytes = -1,
		.inodes = -1,
		.free_inodes = -1,
		.read_only = -1,
		.writable = -1,
		.xfs_allocsize_bytes = -1,
		.compressing = -1,
	};

	if (plan->target_index < 0 || (uint64_t)plan->target_index >= host->n_targets)
		return &unknown;
	return &host->targets[plan->target_index];
}
