/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html_rates - what was measured and what is judged: figures, meters, tables
 */
#include "html.h"

#include <inttypes.h>
#include <math.h>

#include "layout.h"
#include "rate_rows.h"
#include "text_parts.h"

static const char *phase_title(int kind)
{
	return kind == PHASE_WRITE ? "Write" : kind == PHASE_READ ? "Read" : "Mixed";
}

static bool is_rate(double rate)
{
	return isfinite(rate) && rate >= 0;
}

/* The bar is the rate, the mark is what is asked for; the longer of both fills the box. */
static void add_meter(struct buf *out, double rate, double need)
{
	double most = rate > need ? rate : need;

	if (!is_rate(rate) || !is_rate(need) || most <= 0 || need <= 0)
		return;
	buf_printf(out,
		   "<div class=\"meter\" aria-hidden=\"true\"><i style=\"width:%.1f%%\"></i><b "
		   "style=\"left:%.1f%%\"></b></div>\n",
		   100 * rate / most, 100 * need / most);
}

static void add_need(const struct html *page, const struct phase_rates *rates, double need)
{
	struct buf *out = page->out;

	buf_add_text(out, "<p class=\"note\">");
	if (is_rate(need)) {
		CLEANUP(buf_done) struct buf text = { 0 };

		text_add_rate(&text, need);
		html_printf(out, "required: %s", buf_text(&text));
	}
	if (rates->carries_cores >= 0 && page->r->plan->cores > 0)
		html_printf(out, "%scarries %" PRId64 " of %" PRId64 " cores",
			    is_rate(need) ? "; " : "", rates->carries_cores, page->r->plan->cores);
	buf_add_text(out, "</p>\n");
}

static void add_tile(const struct html *page, int kind)
{
	const struct phase_rates *rates = report_rates_const(page->r, kind);
	double need = page->r->verdict.requirement_mib_per_s;
	double rate = rates->judged_mib_per_s_per_core;
	CLEANUP(buf_done) struct buf text = { 0 };
	struct buf *out = page->out;

	buf_printf(out, "<div class=\"tile %s\">\n<p>%s</p>\n", html_phase_class(kind),
		   phase_title(kind));
	if (rates->usable != 1) {
		buf_add_text(out, "<p class=\"figure\">n/a</p>\n<p class=\"note\">");
		html_text(out, *text_of(rates->unusable_reason) ? rates->unusable_reason
								: "no reason recorded");
		buf_add_text(out, "</p>\n</div>\n");
		return;
	}
	text_add_rate(&text, rate);
	buf_printf(out, "<p class=\"figure\">%s <span>MiB/s per core</span></p>\n",
		   buf_text(&text));
	add_meter(out, rate, need);
	add_need(page, rates, need);
	buf_add_text(out, "</div>\n");
}

static void add_row(const struct rate_row *row, struct buf *out)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	CLEANUP(buf_done) struct buf carries = { 0 };

	buf_printf(&name, "%s, %s%s", phase_kind_name(row->kind), row->what,
		   row->is_judged ? " (judged)" : "");
	if (row->carries >= 0)
		layout_add_count(&carries, row->carries, "core", "cores");
	buf_printf(out, "<tr%s>", row->is_judged ? " class=\"judged\"" : "");
	html_row_head(out, buf_text(&name));
	html_rate_cell(out, row->per_core);
	html_rate_cell(out, row->total);
	html_rate_cell(out, row->total * MB_PER_MIB);
	html_rate_cell(out, row->need);
	html_cell(out, carries.len ? buf_text(&carries) : "-");
	html_cell(out, row->when);
	buf_add_text(out, "</tr>\n");
}

static void add_table(const struct html *page)
{
	static const char *const heads[] = { "rate",	     "MiB/s per core",
					     "MiB/s total",  "MB/s total",
					     "MiB/s needed", "carries",
					     "workers done", NULL };
	CLEANUP(rate_rows_done) struct rate_rows rows = { 0 };

	for (size_t i = 0; i < TEXT_PHASES; i++)
		rate_rows_add(&rows, page->r, text_phases[i]);
	if (!rows.n_items)
		return;
	html_begin_table(page->out, "All rates; needed is the requirement times the cores", heads);
	for (size_t i = 0; i < rows.n_items; i++)
		add_row(&rows.items[i], page->out);
	html_end_table(page->out);
	html_element(page->out, "p", "note",
		     "Per core is the total divided by the cores; the lower judged rate decides. "
		     "All bytes: from the first start to the last end, with fsync. Burst: taken in "
		     "before the rate fell for good. First touch: memory that the host had not "
		     "used before slows a first run, not a storage. Carries: the cores that this "
		     "rate feeds, an estimate.");
	buf_add_text(page->out, "\n");
}

void html_add_rates(const struct html *page)
{
	html_begin_section(page, "rates", "Rates");
	buf_add_text(page->out, "<div class=\"tiles\">\n");
	for (size_t i = 0; i < TEXT_PHASES; i++)
		if (text_has_phase(page->r, text_phases[i]))
			add_tile(page, text_phases[i]);
	buf_add_text(page->out, "</div>\n");
	add_table(page);
	html_end_section(page);
}

/* The rate of this very run is hidden as everywhere on its page. */
static double run_rate(const struct report *r, size_t index, int kind)
{
	const struct repeat *run = &r->repeats[index];

	if (r->repeat_index == (int64_t)index + 1 && report_rates_const(r, kind)->usable != 1)
		return -1;
	if (kind == PHASE_WRITE)
		return run->write_mib_per_s_per_core;
	return kind == PHASE_READ ? run->read_mib_per_s_per_core : run->mixed_mib_per_s_per_core;
}

static void add_run(const struct html *page, size_t index)
{
	const struct repeat *run = &page->r->repeats[index];
	CLEANUP(buf_done) struct buf name = { 0 };

	buf_printf(&name, "%zu, ", index + 1);
	layout_add_clock(&name, run->started_at_ns, 0, -1);
	buf_add_text(&name, run->started_at_ns < 0 ? "" : "Z");
	buf_add_text(page->out, "<tr>");
	html_row_head(page->out, buf_text(&name));
	for (size_t i = 0; i < TEXT_PHASES; i++)
		html_rate_cell(page->out, run_rate(page->r, index, text_phases[i]));
	html_cell(page->out, verdict_name(run->result));
	buf_add_text(page->out, "</tr>\n");
}

static void add_median(const struct html *page)
{
	buf_add_text(page->out, "<tr class=\"judged\">");
	html_row_head(page->out, "median (judged)");
	for (size_t i = 0; i < TEXT_PHASES; i++) {
		const struct phase_rates *rates = report_rates_const(page->r, text_phases[i]);

		html_rate_cell(page->out, rates->judged_by == JUDGED_MEDIAN
						  ? rates->median_mib_per_s_per_core
						  : -1);
	}
	html_cell(page->out, verdict_name(page->r->verdict.result));
	buf_add_text(page->out, "</tr>\n");
}

void html_add_runs(const struct html *page)
{
	static const char *const heads[] = { "run", "read", "write", "mixed", "verdict", NULL };

	if (page->r->n_repeats < 2)
		return;
	html_begin_section(page, "runs", "Runs");
	html_begin_table(page->out, "MiB/s per core of each run", heads);
	for (size_t i = 0; i < page->r->n_repeats; i++)
		add_run(page, i);
	add_median(page);
	html_end_table(page->out);
	if (page->r->repeat_index > 0) {
		buf_add_text(page->out, "<p class=\"note\">");
		html_printf(page->out,
			    "The verdict is of all runs; the rest of this page is of run %" PRId64,
			    page->r->repeat_index);
		buf_add_text(page->out, "</p>\n");
	}
	html_end_section(page);
}
