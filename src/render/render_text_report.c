/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_text_report - the whole report on one screen
 *
 * At most 45 lines of 80 columns for an ordinary run: the verdict first, what to do last. Time
 * zone, host and version come from the report, so that it prints alike everywhere.
 */
#include "iotest/render.h"

#include <inttypes.h>

#include "layout.h"
#include "sentences.h"
#include "text_parts.h"

#define END_COLUMN 8
#define RULE_COLUMN 9

/* The block without its empty lines: no script looks at those. */
static void add_block(const struct report *r, struct buf *out)
{
	CLEANUP(buf_done) struct buf block = { 0 };
	const char *text;

	text_add_block(r, &block);
	text = buf_text(&block);
	for (size_t i = 0; i < block.len; i++)
		if (text[i] != '\n' || i == 0 || text[i - 1] != '\n')
			buf_add(out, &text[i], 1);
}

/* Who asks for it, where that is published. */
static void add_rule(const struct verdict *v, struct buf *rule)
{
	if (v->requirement_mib_per_s < 0) {
		buf_add_text(rule, "none");
		return;
	}
	buf_printf(rule, "%.10g MiB/s per physical core", v->requirement_mib_per_s);
	if (!*text_of(v->source))
		return;
	buf_printf(rule, " (%s%s%s", text_of(v->name), *text_of(v->name) ? ": " : "", v->source);
	if (v->year > 0)
		buf_printf(rule, ", %" PRId64, v->year);
	buf_add_text(rule, ")");
}

static void add_head(const struct report *r, struct buf *out)
{
	CLEANUP(buf_done) struct buf rule = { 0 };

	text_add_head_short(r, out);
	add_rule(&r->verdict, &rule);
	layout_row(out, RULE_COLUMN, "rule", "%s", buf_text(&rule));
	text_add_control(r, RULE_COLUMN, out);
}

static void add_next(const struct report *r, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	sentence_add_next(r, &text);
	layout_wrap(out, "NEXT", END_COLUMN, buf_text(&text));
}

void render_report_text(const struct report *report, struct buf *out)
{
	static void (*const sections[])(const struct report *, struct buf *) = {
		add_head,
		add_block,
		text_add_rates_short,
		text_add_runs,
		text_add_lines_of_time,
		text_add_proof,
		text_add_limits_short,
		text_add_findings_short,
		add_next,
		text_add_end,
	};

	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		sections[i](report, out);
}

void render_records_text(const struct records *records, struct buf *out)
{
	for (size_t i = 0; i < records->n_items; i++) {
		buf_add_text(out, i ? "\n" : "");
		render_report_text(&records->items[i]->report, out);
	}
}
