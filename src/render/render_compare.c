/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_compare - two reports side by side, for people
 */
#include "iotest/render.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "iotest/wrap.h"
#include "layout.h"
#include "sentences.h"
#include "text_parts.h"

#define SIDE_COLUMN 5
#define VALUE_COLUMN 6

static void add_side(const struct report *r, const char *side, const char *name, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_printf(&text, "%s: %s on %s, ", name,
		   *text_of(r->plan->target) ? r->plan->target : "unknown target",
		   *text_of(r->host->name) ? r->host->name : "unknown host");
	sentence_add_times(r->run, &text);
	buf_add_text(&text, ", ");
	sentence_add_kind_of_run(r, &text);
	if (*text_of(r->plan->method))
		buf_printf(&text, " (%s)", r->plan->method);
	layout_row(out, SIDE_COLUMN, side, "%s", buf_text(&text));
}

static void cell(struct buf *out, size_t width, double rate)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	text_add_rate(&text, rate);
	buf_add_text(out, " ");
	layout_cell(out, width, buf_text(&text));
}

static void add_ratio(struct buf *out, double ratio)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!isfinite(ratio))
		buf_add_text(&text, "n/a");
	else
		buf_printf(&text, "%+.1f %%", ratio < 1e6 ? 100 * ratio : 1e8);
	buf_add_text(out, " ");
	layout_cell(out, 10, buf_text(&text));
}

static void add_range(struct buf *out, const struct compared_rate *rate)
{
	if (rate->spread_of == SPREAD_UNKNOWN) {
		buf_add_text(out, "n/a");
		return;
	}
	text_add_rate(out, rate->lowest);
	buf_add_text(out, "-");
	text_add_rate(out, rate->highest);
}

static bool is_of_runs(const struct rate_change *c)
{
	return c->a.spread_of == SPREAD_RUNS && c->b.spread_of == SPREAD_RUNS;
}

static const char *words(const struct rate_change *c)
{
	static const char *const results[] = {
		[CHANGE_UNKNOWN] = "not told",
		[CHANGE_NONE] = "within the spread",
		[CHANGE_LOWER] = "LOWER",
		[CHANGE_HIGHER] = "HIGHER",
	};
	_Static_assert(ARRAY_LEN(results) == CHANGE_COUNT, "words for every result");

	return results[c->result];
}

static void add_change(const struct rate_change *c, struct buf *out)
{
	CLEANUP(buf_done) struct buf lead = { 0 };
	CLEANUP(buf_done) struct buf spread = { 0 };

	buf_printf(&lead, "  %-6s", phase_kind_name(c->kind));
	cell(&lead, 9, c->a.mib_per_s_per_core);
	cell(&lead, 9, c->b.mib_per_s_per_core);
	add_ratio(&lead, c->ratio);
	buf_add_text(&lead, "  ");
	buf_printf(&spread, "%s (spread: A ", words(c));
	add_range(&spread, &c->a);
	buf_add_text(&spread, ", B ");
	add_range(&spread, &c->b);
	buf_add_text(&spread, ")");
	layout_wrap(out, buf_text(&lead), 41, buf_text(&spread));
}

static void add_legend(const struct comparison *c, struct buf *out)
{
	bool all_of_runs = true;

	for (size_t i = 0; i < c->n_changes; i++)
		all_of_runs &= is_of_runs(&c->changes[i]);
	layout_wrap(out, "  ", 2,
		    all_of_runs
			    ? "spread: the lowest and the highest of the runs; LOWER and HIGHER "
			      "are where the two do not touch"
			    : "spread: of the last rounds within one run, where there are not "
			      "several; runs differ by more than that, and --repeat 3 on both "
			      "sides tells by how much");
}

static void add_rates(const struct comparison *c, struct buf *out)
{
	if (!c->n_changes) {
		buf_add_text(out, "RATES  none was judged in either\n");
		return;
	}
	buf_add_text(out, "RATES           A         B     change  (MiB/s per core, judged)\n");
	for (size_t i = 0; i < c->n_changes; i++)
		add_change(&c->changes[i], out);
	add_legend(c, out);
}

/* On one line if that has room for all three. */
static void add_difference(const struct difference *d, struct buf *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	buf_printf(&line, "A %s | B %s", d->a, d->b);
	if (layout_columns(d->key) + layout_columns(buf_text(&line)) + 5 <= WRAP_WIDTH) {
		layout_row(out, 0, "", "%s: %s", d->key, buf_text(&line));
		return;
	}
	layout_row(out, 0, "", "%s:", d->key);
	layout_row(out, VALUE_COLUMN, "  A", "%s", d->a);
	layout_row(out, VALUE_COLUMN, "  B", "%s", d->b);
}

static void add_differences(const struct comparison *c, const char *noun, struct buf *out)
{
	bool any = false;

	for (const char *p = noun; *p; p++)
		buf_printf(out, "%c", toupper((unsigned char)*p));
	for (size_t i = 0; i < c->n_differences; i++) {
		const struct difference *d = &c->differences[i];

		if (strcmp(d->noun, noun) != 0)
			continue;
		buf_add_text(out, any ? "" : "\n");
		any = true;
		add_difference(d, out);
	}
	buf_add_text(out, any ? "" : "  the same\n");
}

void render_comparison_text(const struct comparison *comparison, const char *name_a,
			    const char *name_b, struct buf *out)
{
	static const char *const nouns[] = { "result", "plan", "target", "host" };

	buf_add_text(out, "COMPARED\n");
	add_side(comparison->a, "A", name_a, out);
	add_side(comparison->b, "B", name_b, out);
	add_rates(comparison, out);
	for (size_t i = 0; i < ARRAY_LEN(nouns); i++)
		add_differences(comparison, nouns[i], out);
}
