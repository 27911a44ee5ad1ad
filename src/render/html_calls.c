/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html_calls - how long the write and read calls took
 */
#include "html.h"

#include <math.h>

#include "text_parts.h"

#define N_TIMES 5
#define SLOWEST_NS (100.0 * NS_PER_S)
#define FASTEST_NS 100.0

static void get_times(const struct phase_rates *rates, int64_t times[N_TIMES])
{
	times[0] = rates->call_p50_ns;
	times[1] = rates->call_p90_ns;
	times[2] = rates->call_p99_ns;
	times[3] = rates->call_p999_ns;
	times[4] = rates->call_max_ns;
}

/* Each decade from 100 ns to 100 s is as wide as all others. */
static double place(int64_t ns)
{
	double at = log10((double)(ns > 0 ? ns : 1) / FASTEST_NS) / log10(SLOWEST_NS / FASTEST_NS);

	return at < 0 ? 0 : at > 1 ? HTML_SVG_SIZE : at * HTML_SVG_SIZE;
}

static void add_tick(struct buf *out, int64_t ns)
{
	if (ns >= 0)
		buf_printf(out,
			   "<line class=\"tick\" x1=\"%.1f\" x2=\"%.1f\" y1=\"150\" y2=\"850\"/>\n",
			   place(ns), place(ns));
}

static void describe(const int64_t times[N_TIMES], struct buf *out)
{
	static const char *const names[N_TIMES] = { "half", "90 %", "99 %", "99.9 %", "all" };

	for (size_t i = 0; i < N_TIMES; i++) {
		buf_printf(out, "%s%s of the calls within ", i ? ", " : "", names[i]);
		text_add_call_time(out, times[i]);
	}
}

/* A bar from p50 to p99, a line to the slowest, a tick for each. */
static void add_strip(const struct html *page, int kind)
{
	const struct phase_rates *rates = report_rates_const(page->r, kind);
	CLEANUP(buf_done) struct buf name = { 0 };
	CLEANUP(buf_done) struct buf title = { 0 };
	CLEANUP(buf_done) struct buf desc = { 0 };
	struct buf *out = page->out;
	int64_t times[N_TIMES];
	double from, to;

	get_times(rates, times);
	from = place(times[0]);
	to = place(times[2]);
	describe(times, &desc);
	buf_printf(&name, "calls-%s", phase_kind_name(kind));
	buf_printf(&title, "times of %s calls", phase_kind_name(kind));
	buf_printf(out, "<div class=\"plot strip %s\">\n", html_phase_class(kind));
	html_begin_svg(page, buf_text(&name), buf_text(&title), buf_text(&desc));
	buf_printf(out,
		   "<rect class=\"area\" x=\"%.1f\" y=\"250\" width=\"%.1f\" height=\"500\"/>\n"
		   "<line class=\"whisker\" x1=\"%.1f\" x2=\"%.1f\" y1=\"500\" y2=\"500\"/>\n",
		   from, to > from ? to - from : 0, from, place(times[4]));
	for (size_t i = 0; i < N_TIMES; i++)
		add_tick(out, times[i]);
	html_end_svg(page);
	buf_add_text(out, "</div>\n");
}

static void add_scale(struct buf *out)
{
	static const char *const names[] = { "1 us", "100 us", "10 ms", "1 s" };

	buf_add_text(out, "<div class=\"plot strip scale\" aria-hidden=\"true\">");
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		buf_printf(out, "<span style=\"left:%.1f%%\">%s</span>",
			   100.0 * (double)(2 * i + 1) / 9, names[i]);
	buf_add_text(out, "</div>\n");
}

static void time_cell(struct buf *out, int64_t ns)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	text_add_call_time(&text, ns);
	html_cell(out, buf_text(&text));
}

static void add_row(const struct html *page, int kind)
{
	const struct phase_rates *rates = report_rates_const(page->r, kind);
	int64_t times[N_TIMES];

	get_times(rates, times);
	buf_add_text(page->out, "<tr>");
	html_row_head(page->out, phase_kind_name(kind));
	for (size_t i = 0; i < N_TIMES; i++)
		time_cell(page->out, times[i]);
	time_cell(page->out, kind == PHASE_WRITE ? -1 : rates->device_read_await_ns);
	time_cell(page->out, kind == PHASE_READ ? -1 : rates->device_write_await_ns);
	buf_add_text(page->out, "</tr>\n");
}

static bool has_calls(const struct html *page, int kind)
{
	return report_rates_const(page->r, kind)->call_p50_ns >= 0;
}

void html_add_calls(const struct html *page)
{
	static const char *const heads[] = { "calls", "p50",	    "p90",	   "p99", "p99.9",
					     "max",   "disk reads", "disk writes", NULL };
	bool any = false;

	for (size_t i = 0; i < TEXT_PHASES; i++)
		any |= has_calls(page, text_phases[i]);
	if (!any)
		return;
	html_begin_section(page, "calls", "How long calls took");
	buf_add_text(page->out, "<figure>\n");
	for (size_t i = 0; i < TEXT_PHASES; i++)
		if (has_calls(page, text_phases[i])) {
			html_element(page->out, "div", "note", phase_kind_name(text_phases[i]));
			add_strip(page, text_phases[i]);
		}
	add_scale(page->out);
	html_element(page->out, "figcaption", NULL,
		     "The box reaches from the median to p99, the line to the slowest call; the "
		     "scale is logarithmic, from 100 ns to 100 s.");
	buf_add_text(page->out, "\n</figure>\n");
	html_begin_table(page->out, "Percentiles of the calls; disk: mean of one I/O", heads);
	for (size_t i = 0; i < TEXT_PHASES; i++)
		if (has_calls(page, text_phases[i]))
			add_row(page, text_phases[i]);
	html_end_table(page->out);
	html_element(page->out, "p", "note", text_call_legend(page->r->plan));
	buf_add_text(page->out, "\n");
	html_end_section(page);
}
