/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history_page - runs of the past as a table, with a sparkline and a trend for those that are alike
 */
#include "history_page.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "iotest/regression.h"
#include "iotest/xalloc.h"
#include "trend.h"

/* The last so many of a group. */
#define SPARKS 60

/* ------------------------------------------------------------------ text */

static bool is_alike(const struct history_entry *a, const struct history_entry *b)
{
	return !strcmp(text_of(a->host), text_of(b->host)) &&
	       !strcmp(text_of(a->target), text_of(b->target)) &&
	       !strcmp(text_of(a->method), text_of(b->method)) &&
	       !strcmp(text_of(a->plan), text_of(b->plan));
}

/* "2026-12-01 03:12", local */
static void add_time(int64_t ns, struct buf *out)
{
	time_t at = (time_t)(ns / NS_PER_S);
	struct tm tm = { 0 };
	char text[32] = "-";

	if (ns > 0 && localtime_r(&at, &tm))
		(void)strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &tm);
	buf_printf(out, "%-16s", text);
}

static void add_rate(double rate, struct buf *out)
{
	if (rate < 0)
		buf_printf(out, "  %9s", "-");
	else
		buf_printf(out, "  %9.1f", rate);
}

static void add_row(const struct history_entry *e, struct buf *out)
{
	add_time(e->started_at_ns, out);
	buf_printf(out, "  %-7s  %-12s", text_of(e->command), text_of(e->verdict));
	for (size_t i = 0; i < n_trend_rates; i++)
		add_rate(trend_rate_of(e, &trend_rates[i]), out);
	buf_add_text(out, "\n");
}

static void add_sparkline(const struct history_entry *entries, size_t n,
			  const struct trend_rate *rate, struct buf *out)
{
	static const char levels[] = "_.-=+*#";
	const size_t n_levels = sizeof(levels) - 1;
	size_t from = n > SPARKS ? n - SPARKS : 0;
	double lowest = -1;
	double highest = -1;

	for (size_t i = from; i < n; i++) {
		double value = trend_rate_of(&entries[i], rate);

		if (value < 0)
			continue;
		lowest = lowest < 0 || value < lowest ? value : lowest;
		highest = value > highest ? value : highest;
	}
	if (highest < 0)
		return;
	buf_printf(out, "  %-6s ", rate->phase);
	for (size_t i = from; i < n; i++) {
		double value = trend_rate_of(&entries[i], rate);
		size_t level = n_levels - 1;

		if (value >= 0 && highest > lowest)
			level = (size_t)((value - lowest) / (highest - lowest) *
					 (double)(n_levels - 1));
		buf_add(out, value < 0 ? " " : &levels[level < n_levels ? level : 0], 1);
	}
	buf_printf(out, "  %.1f to %.1f MiB/s per core\n", lowest, highest);
}

static bool has_rate(const struct history_entry *e)
{
	for (size_t i = 0; i < n_trend_rates; i++)
		if (trend_rate_of(e, &trend_rates[i]) > 0)
			return true;
	return false;
}

static void add_trend(const struct history_entry *entries, size_t n, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t from = n > TREND_RUNS ? n - TREND_RUNS : 0;
	enum regression_state state =
		trend_judge(entries + from, n - from, REGRESSION_BASELINE_MIN, &text);

	if (!has_rate(&entries[n - 1]))
		buf_add_text(&text, "not known: the last run has no rate that could be judged");
	buf_printf(out, "  trend  %s\n",
		   text.len		      ? buf_text(&text)
		   : state == REGRESSION_NONE ? "none: the last runs are no slower than before"
					      : regression_state_name(state));
}

/* The entries are borrowed: a list of those that are alike, from the first of them on. */
static void add_group(const struct history_list *list, size_t first, bool *is_shown,
		      struct buf *out)
{
	CLEANUP(xfree)
	struct history_entry *group = xcalloc(list->n_items, sizeof(*group));
	const struct history_entry *e = &list->items[first];
	size_t n = 0;

	for (size_t i = first; i < list->n_items; i++) {
		if (is_shown[i] || !is_alike(e, &list->items[i]))
			continue;
		is_shown[i] = true;
		group[n++] = list->items[i];
	}
	buf_add_text(out, first ? "\n" : "");
	buf_add_visible(out, text_of(e->target));
	buf_add_text(out, " on ");
	buf_add_visible(out, text_of(e->host));
	if (*text_of(e->method))
		buf_printf(out, ", %s, %s", e->method, text_of(e->plan));
	buf_printf(out, "\n%-16s  %-7s  %-12s", "TIME", "COMMAND", "VERDICT");
	for (size_t i = 0; i < n_trend_rates; i++)
		buf_printf(out, "  %9s", trend_rates[i].phase);
	buf_add_text(out, "\n");
	for (size_t i = 0; i < n; i++)
		add_row(&group[i], out);
	for (size_t i = 0; i < n_trend_rates; i++)
		add_sparkline(group, n, &trend_rates[i], out);
	add_trend(group, n, out);
}

void history_page_text(const struct history_list *list, struct buf *out)
{
	CLEANUP(xfree) bool *is_shown = xcalloc(list->n_items + 1, sizeof(*is_shown));

	for (size_t i = 0; i < list->n_items; i++)
		if (!is_shown[i])
			add_group(list, i, is_shown, out);
	if (list->n_items == 0)
		buf_add_text(out, "no runs\n");
}

/* ------------------------------------------------------------------ CSV */

static void add_quoted(const char *text, struct buf *out)
{
	if (!strpbrk(text, "\",\r\n")) {
		buf_add_text(out, text);
		return;
	}
	buf_add_text(out, "\"");
	for (const char *s = text; *s; s++)
		buf_add_text(out, *s == '"' ? "\"\"" : (char[]){ *s, '\0' });
	buf_add_text(out, "\"");
}

static void add_value(const struct field *field, const struct history_entry *entry, struct buf *out)
{
	const void *member = (const char *)entry + field->offset;

	if (field->type == FIELD_TEXT)
		add_quoted(text_of(*(char *const *)member), out);
	else if (field->type == FIELD_I64 && *(const int64_t *)member >= 0)
		buf_printf(out, "%" PRId64, *(const int64_t *)member);
	else if (field->type == FIELD_DOUBLE && *(const double *)member >= 0)
		buf_printf(out, "%.10g", *(const double *)member);
}

void history_page_csv(const struct history_list *list, struct buf *out)
{
	const struct schema *s = &history_entry_schema;

	for (size_t i = 0; i < s->n_fields; i++)
		buf_printf(out, "%s%s", i ? "," : "", s->fields[i].key);
	buf_add_text(out, "\r\n");
	for (size_t k = 0; k < list->n_items; k++) {
		for (size_t i = 0; i < s->n_fields; i++) {
			buf_add_text(out, i ? "," : "");
			add_value(&s->fields[i], &list->items[k], out);
		}
		buf_add_text(out, "\r\n");
	}
}
