/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_text_details - the whole report as a long page, with all that was measured
 *
 * The verdict first, the evidence after it, what to do last. Time zone, host and version come
 * from the report, so that it prints alike everywhere.
 */
#include "iotest/render.h"

#include "text_parts.h"

/* Blank lines stand between groups of sections, and no group is empty. */
static void add_groups(const struct report *r, struct buf *out)
{
	static void (*const sections[])(const struct report *, struct buf *) = {
		text_add_block,
		NULL,
		text_add_rates,
		text_add_runs,
		text_add_workers,
		NULL,
		text_add_time,
		text_add_calls,
		NULL,
		text_add_proof,
		text_add_limits,
		NULL,
		text_add_facts,
		NULL,
		text_add_findings,
		NULL,
		text_add_end,
	};
	bool has_gap = true;

	buf_add_text(out, "\n");
	for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
		size_t before = out->len;

		if (sections[i]) {
			sections[i](r, out);
			has_gap = has_gap && out->len == before;
		} else if (!has_gap) {
			buf_add_text(out, "\n");
			has_gap = true;
		}
	}
}

void render_report_details(const struct report *report, struct buf *out)
{
	text_add_head(report, out);
	add_groups(report, out);
}

void render_records_details(const struct records *records, struct buf *out)
{
	for (size_t i = 0; i < records->n_items; i++) {
		buf_add_text(out, i ? "\n" : "");
		render_report_details(&records->items[i]->report, out);
	}
}
