/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html_workers - a bar for each worker: is one of them slow, or are all alike
 */
#include "html.h"

#include <inttypes.h>
#include <math.h>

#include "iotest/units.h"
#include "lines.h"
#include "plot.h"
#include "text_parts.h"

/* More bars than this are narrower than a dot; more rows nobody reads. */
#define BARS_MAX 2048
#define ROWS_MAX 256

/* -1 for a worker that has none. */
static double rate_of(const struct worker_result *w)
{
	if (w->bytes < 0 || w->start_ns < 0 || w->end_ns <= w->start_ns)
		return -1;
	return units_mib(w->bytes) / units_seconds(w->end_ns - w->start_ns);
}

static bool is_odd(const struct worker_result *w)
{
	return w->error > 0 || w->exit_status > 0 || w->exit_signal > 0 || w->bad_stamps > 0;
}

static bool has_bars(const struct report *r, int kind)
{
	return report_rates_const(r, kind)->usable == 1 && run_phase_const(r->run, kind)->n_workers;
}

static double highest(const struct phase *phase)
{
	double most = 0;

	for (size_t i = 0; i < phase->n_workers; i++)
		if (rate_of(&phase->workers[i]) > most)
			most = rate_of(&phase->workers[i]);
	return most;
}

static void add_bars(const struct phase *phase, double top, struct buf *out)
{
	size_t n = phase->n_workers < BARS_MAX ? phase->n_workers : BARS_MAX;
	double width = HTML_SVG_SIZE / (double)n;

	for (size_t i = 0; i < n; i++) {
		double height = plot_length(rate_of(&phase->workers[i]), top);

		buf_printf(out,
			   "<rect class=\"bar%s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" "
			   "height=\"%.1f\"/>\n",
			   is_odd(&phase->workers[i]) ? " odd" : "", ((double)i + 0.12) * width,
			   HTML_SVG_SIZE - height, width * 0.76, height);
	}
}

static void add_chart(const struct html *page, int kind)
{
	const struct phase *phase = run_phase_const(page->r->run, kind);
	const struct phase_rates *rates = report_rates_const(page->r, kind);
	double top = plot_nice_top(highest(phase));
	CLEANUP(buf_done) struct buf name = { 0 };
	CLEANUP(buf_done) struct buf title = { 0 };
	CLEANUP(buf_done) struct buf desc = { 0 };
	struct buf *out = page->out;

	buf_printf(&name, "workers-%s", phase_kind_name(kind));
	buf_printf(&title, "%s rate of each worker", phase_kind_name(kind));
	buf_add_text(&desc, "slowest ");
	text_add_rate(&desc, rates->slowest_mib_per_s);
	buf_add_text(&desc, " MiB/s, fastest ");
	text_add_rate(&desc, rates->fastest_mib_per_s);
	buf_add_text(&desc, " MiB/s");
	buf_printf(out, "<figure class=\"%s\">\n<figcaption>", html_phase_class(kind));
	html_printf(out, "%s, MiB/s of each worker, from worker 1 on the left to %zu on the right",
		    phase_kind_name(kind), phase->n_workers);
	/* A few bars look odd over the whole width. */
	buf_printf(out, "</figcaption>\n<div class=\"plot low\" style=\"max-width:%zurem\">\n",
		   4 * (phase->n_workers < 16 ? phase->n_workers + 1 : 16));
	html_begin_svg(page, buf_text(&name), buf_text(&title), buf_text(&desc));
	plot_add_grid(out, 2);
	add_bars(phase, top, out);
	html_end_svg(page);
	plot_add_y_labels(out, top, 2);
	buf_add_text(out, "</div>\n</figure>\n");
}

static void add_table(const struct html *page)
{
	static const char *const heads[] = {
		"worker", "phase", "MiB/s", "done after", "fsync", NULL
	};

	html_begin_details(page->out, "Figures of the workers");
	html_begin_table(page->out, "Each worker", heads);
	for (size_t kind = 0; kind < TEXT_PHASES; kind++) {
		const struct phase *phase = run_phase_const(page->r->run, text_phases[kind]);

		for (size_t i = 0;
		     has_bars(page->r, text_phases[kind]) && i < phase->n_workers && i < ROWS_MAX;
		     i++) {
			const struct worker_result *w = &phase->workers[i];
			CLEANUP(buf_done) struct buf number = { 0 };
			CLEANUP(buf_done) struct buf end = { 0 };
			CLEANUP(buf_done) struct buf fsync = { 0 };

			buf_printf(&number, "%zu", i + 1);
			units_add_duration(&end, w->end_ns);
			units_add_duration(&fsync, w->fsync_ns);
			buf_add_text(page->out, "<tr>");
			html_row_head(page->out, buf_text(&number));
			html_cell(page->out, phase_kind_name(text_phases[kind]));
			html_rate_cell(page->out, rate_of(w));
			html_cell(page->out, buf_text(&end));
			html_cell(page->out, buf_text(&fsync));
			buf_add_text(page->out, "</tr>\n");
		}
		if (has_bars(page->r, text_phases[kind]) && phase->n_workers > ROWS_MAX)
			buf_printf(page->out,
				   "<tr><th scope=\"row\" colspan=\"5\">and %zu more in "
				   "report.json</th></tr>\n",
				   phase->n_workers - ROWS_MAX);
	}
	html_end_table(page->out);
	html_end_details(page->out);
}

void html_add_workers(const struct html *page)
{
	CLEANUP(lines_done) struct lines lines = { 0 };
	bool any = false;

	for (size_t i = 0; i < TEXT_PHASES; i++)
		any |= has_bars(page->r, text_phases[i]);
	if (!any)
		return;
	html_begin_section(page, "workers", "Workers");
	for (size_t i = 0; i < TEXT_PHASES; i++)
		if (has_bars(page->r, text_phases[i]))
			add_chart(page, text_phases[i]);
	lines_add_workers(&lines, page->r);
	for (size_t i = 0; i < lines.n_items; i++) {
		buf_add_text(page->out, "<p class=\"note\">");
		html_printf(page->out, "%s: %s (MiB/s)", lines.items[i].label, lines.items[i].text);
		buf_add_text(page->out, "</p>\n");
	}
	add_table(page);
	html_end_section(page);
}
