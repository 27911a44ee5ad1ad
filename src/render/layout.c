/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout - how text pages are set: columns, wrapping, unknown values
 */
#include "layout.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "iotest/wrap.h"

size_t layout_columns(const char *text)
{
	return wrap_columns(text, strlen(text));
}

static void add_spaces(struct buf *out, size_t n)
{
	buf_printf(out, "%*s", (int)n, "");
}

void layout_wrap(struct buf *out, const char *lead, size_t hang, const char *text)
{
	CLEANUP(buf_done) struct buf visible = { 0 };
	size_t column = layout_columns(lead);
	const char *shown;

	buf_add_visible(&visible, text);
	buf_add_visible(out, lead);
	shown = buf_text(&visible);
	if (shown[strspn(shown, " ")] && column < hang) {
		add_spaces(out, hang - column);
		column = hang;
	}
	wrap_add(out, column, hang, shown, visible.len);
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
	layout_add_text(out, target->mount_point,
			*text_of(target->mount_source) ? "(not visible here)" : "unknown");
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
	const struct target *t = plan_target(host, plan);

	return t ? t : &unknown;
}
