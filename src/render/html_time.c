/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html_time - throughput over the time of all phases
 *
 * Phases stand where their gates opened; each is drawn in steps that are no finer than what was
 * sampled. What the workers moved is a line, what the devices moved a dotted one.
 */
#include "html.h"

#include <inttypes.h>
#include <stdlib.h>

#include "iotest/series.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "layout.h"
#include "plot.h"
#include "text_parts.h"

#define BINS_MAX 160
#define BIN_NS_MIN (NS_PER_S / 2)
#define STEPS_Y 4
#define LONGEST_NS (400LL * DAY_S * NS_PER_S)
#define ROUNDS_MAX 120
#define NAME_RATIO_MIN 0.14

struct span {
	int kind;
	int64_t from_ns; /* since the first gate */
	int64_t length_ns;
	size_t n_bins;
	double workers[BINS_MAX]; /* MiB/s */
	double devices[BINS_MAX];
	bool has_devices;
};

struct timeline {
	struct span *spans;
	size_t n_spans;
	int64_t length_ns;
	double top; /* MiB/s */
};

static void timeline_done(struct timeline *t)
{
	free(t->spans);
	*t = (struct timeline){ 0 };
}

/* By its samples; of one without them by its rates. */
static int64_t length_of(const struct report *r, int kind)
{
	const struct phase *phase = run_phase_const(r->run, kind);
	int64_t ns = report_rates_const(r, kind)->elapsed_ns;

	if (phase->n_series && phase->series[phase->n_series - 1].at_ns > ns)
		ns = phase->series[phase->n_series - 1].at_ns;
	return ns > LONGEST_NS ? -1 : ns;
}

static int64_t count_at(const struct series_point *p, int kind, int which)
{
	if (which == 0)
		return p->bytes;
	if (kind == PHASE_MIXED)
		return text_plus(p->device_read_bytes, p->device_written_bytes);
	return phase_kind_reads(kind) ? p->device_read_bytes : p->device_written_bytes;
}

/* which: 0 the workers, 1 the devices. False if one of the counts is not known. */
static bool fill_bins(const struct phase *phase, struct span *span, int which, double *rates)
{
	CLEANUP(xfree)
	struct series_sample *samples = xcalloc(phase->n_series, sizeof(*samples));
	double bin_s = units_seconds(span->length_ns) / (double)span->n_bins;
	double before = 0;

	for (size_t i = 0; i < phase->n_series; i++) {
		samples[i].at_ns = phase->series[i].at_ns;
		samples[i].count = count_at(&phase->series[i], span->kind, which);
		if (samples[i].count < 0)
			return false;
	}
	for (size_t i = 0; i < span->n_bins; i++) {
		int64_t at_ns = span->length_ns / (int64_t)span->n_bins * (int64_t)(i + 1);
		double count = series_count_at(samples, phase->n_series, at_ns);

		rates[i] = count > before ? (count - before) / MIB / bin_s : 0;
		before = count;
	}
	return true;
}

static size_t bins_of(const struct phase *phase, int64_t length_ns, int64_t all_ns)
{
	size_t n = (size_t)((double)BINS_MAX * (double)length_ns / (double)all_ns);
	size_t longest = (size_t)(length_ns / BIN_NS_MIN);

	n = n < longest ? n : longest;
	n = n < phase->n_series ? n : phase->n_series;
	return n < 1 ? 1 : n > BINS_MAX ? BINS_MAX : n;
}

static void fill_span(const struct report *r, struct timeline *t, struct span *span)
{
	const struct phase *phase = run_phase_const(r->run, span->kind);
	const struct phase_rates *rates = report_rates_const(r, span->kind);

	if (rates->need_mib_per_s > t->top && rates->usable == 1)
		t->top = rates->need_mib_per_s;
	if (rates->usable != 1 || !phase->n_series)
		return;
	span->n_bins = bins_of(phase, span->length_ns, t->length_ns);
	if (!fill_bins(phase, span, 0, span->workers))
		span->n_bins = 0;
	span->has_devices = span->n_bins && fill_bins(phase, span, 1, span->devices);
	for (size_t i = 0; i < span->n_bins; i++) {
		if (span->workers[i] > t->top)
			t->top = span->workers[i];
		if (span->has_devices && span->devices[i] > t->top)
			t->top = span->devices[i];
	}
}

static int earlier(const void *a, const void *b)
{
	const struct span *const x = a;
	const struct span *const y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* Where clocks cannot be believed the phases stand one after the other. */
static void place(const struct report *r, struct timeline *t)
{
	int64_t first_ns = INT64_MAX, next_ns = 0;
	bool is_odd = false;

	for (size_t i = 0; i < t->n_spans; i++) {
		int64_t at_ns = run_phase_const(r->run, t->spans[i].kind)->started_at_ns;

		is_odd |= at_ns < 0;
		first_ns = at_ns < first_ns ? at_ns : first_ns;
	}
	for (size_t i = 0; i < t->n_spans; i++) {
		int64_t at_ns = run_phase_const(r->run, t->spans[i].kind)->started_at_ns;

		t->spans[i].from_ns = is_odd ? 0 : at_ns - first_ns;
		is_odd |= t->spans[i].from_ns > LONGEST_NS;
	}
	for (size_t i = 0; is_odd && i < t->n_spans; i++) {
		t->spans[i].from_ns = next_ns;
		next_ns += t->spans[i].length_ns;
	}
	for (size_t i = 0; i < t->n_spans; i++)
		if (t->spans[i].from_ns + t->spans[i].length_ns > t->length_ns)
			t->length_ns = t->spans[i].from_ns + t->spans[i].length_ns;
}

static void fill(const struct report *r, struct timeline *t)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		int64_t length_ns = length_of(r, kind);

		if (run_phase_const(r->run, kind)->status != PHASE_NOT_RUN && length_ns > 0)
			*XGROW(&t->spans, &t->n_spans) =
				(struct span){ .kind = kind, .length_ns = length_ns };
	}
	place(r, t);
	for (size_t i = 0; i < t->n_spans; i++)
		fill_span(r, t, &t->spans[i]);
	if (t->n_spans)
		qsort(t->spans, t->n_spans, sizeof(*t->spans), earlier);
	t->top = plot_nice_top(t->top);
}

static double x_of(const struct timeline *t, int64_t at_ns)
{
	return plot_length((double)at_ns, (double)t->length_ns);
}

static void add_steps(const struct timeline *t, const struct span *s, const double *rates,
		      struct buf *out)
{
	for (size_t i = 0; i < s->n_bins; i++) {
		int64_t end_ns = s->from_ns + s->length_ns / (int64_t)s->n_bins * (int64_t)(i + 1);

		buf_printf(out, "V%.1fH%.1f", HTML_SVG_SIZE - plot_length(rates[i], t->top),
			   x_of(t, end_ns));
	}
}

static void add_curves(const struct timeline *t, const struct span *s, struct buf *out)
{
	double from = x_of(t, s->from_ns);

	if (!s->n_bins)
		return;
	buf_printf(out, "<path class=\"area %s\" d=\"M%.1f,1000", html_phase_class(s->kind), from);
	add_steps(t, s, s->workers, out);
	buf_printf(out, "V1000Z\"/>\n<path class=\"line %s\" d=\"M%.1f,1000",
		   html_phase_class(s->kind), from);
	add_steps(t, s, s->workers, out);
	buf_add_text(out, "\"/>\n");
	if (!s->has_devices)
		return;
	buf_printf(out, "<path class=\"devices\" d=\"M%.1f,1000", from);
	add_steps(t, s, s->devices, out);
	buf_add_text(out, "\"/>\n");
}

static void add_shade(const struct timeline *t, const struct span *s, struct buf *out)
{
	double from = x_of(t, s->from_ns);

	buf_printf(out,
		   "<rect class=\"shade %s\" x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"1000\"/>\n",
		   html_phase_class(s->kind), from, x_of(t, s->from_ns + s->length_ns) - from);
}

static bool has_cliff(const struct report *r, const struct span *s)
{
	const struct phase_rates *rates = report_rates_const(r, s->kind);

	return rates->usable == 1 && rates->burst_mib_per_s >= 0 && rates->burst_ns > 0 &&
	       rates->burst_ns <= s->length_ns;
}

static bool has_touched(const struct report *r, const struct span *s)
{
	const struct phase_rates *rates = report_rates_const(r, s->kind);

	for (size_t i = 0; rates->usable == 1 && i < rates->n_rounds; i++)
		if (rates->rounds[i].is_spoiled == 1)
			return true;
	return false;
}

static void add_touched(const struct report *r, const struct timeline *t, const struct span *s,
			struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, s->kind);

	for (size_t i = 0; i < rates->n_rounds; i++) {
		const struct round *round = &rates->rounds[i];

		if (round->is_spoiled != 1 || round->start_ns < 0 || round->end_ns > s->length_ns ||
		    round->end_ns <= round->start_ns)
			continue;
		buf_printf(out,
			   "<rect class=\"touched\" x=\"%.1f\" y=\"970\" width=\"%.1f\" "
			   "height=\"30\"/>\n",
			   x_of(t, s->from_ns + round->start_ns),
			   x_of(t, s->from_ns + round->end_ns) -
				   x_of(t, s->from_ns + round->start_ns));
	}
}

static void add_marks(const struct report *r, const struct timeline *t, const struct span *s,
		      struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, s->kind);
	double y = HTML_SVG_SIZE - plot_length(rates->need_mib_per_s, t->top);

	if (rates->usable == 1 && rates->need_mib_per_s > 0 && s->kind <= PHASE_MIXED)
		buf_printf(out,
			   "<line class=\"wanted\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
			   "y2=\"%.1f\"/>\n",
			   x_of(t, s->from_ns), x_of(t, s->from_ns + s->length_ns), y, y);
	if (has_cliff(r, s)) {
		double x = x_of(t, s->from_ns + rates->burst_ns);

		buf_printf(out,
			   "<line class=\"cliff\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"1000\"/>\n",
			   x, x);
	}
	if (has_touched(r, s))
		add_touched(r, t, s, out);
}

static const char *span_name(int kind)
{
	return kind >= PHASE_CONTROL_WRITE ? "control" : phase_kind_name(kind);
}

/* What a picture says to those who do not see it. */
static void describe(const struct report *r, const struct timeline *t, struct buf *out)
{
	for (size_t i = 0; i < t->n_spans; i++) {
		const struct span *s = &t->spans[i];
		const struct phase_rates *rates = report_rates_const(r, s->kind);

		buf_printf(out, "%s%s for ", i ? "; " : "", span_name(s->kind));
		units_add_duration(out, s->length_ns);
		if (rates->usable != 1) {
			buf_add_text(out, ", without a rate that can be used");
			continue;
		}
		buf_add_text(out, ", ");
		text_add_rate(out, rates->aggregate_mib_per_s);
		buf_add_text(out, " MiB/s in all");
		if (!has_cliff(r, s))
			continue;
		buf_add_text(out, ", ");
		text_add_rate(out, rates->burst_mib_per_s);
		buf_add_text(out, " before and ");
		text_add_rate(out, rates->sustained_mib_per_s);
		buf_add_text(out, " after it fell");
	}
}

static void add_cliff_note(const struct report *r, const struct span *s, struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, s->kind);
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!has_cliff(r, s))
		return;
	buf_printf(&text, "%s fell for good after ", phase_kind_name(s->kind));
	units_add_duration(&text, rates->burst_ns);
	buf_add_text(&text, " and ");
	units_add_size(&text, rates->burst_bytes);
	buf_add_text(&text, ": from ");
	text_add_rate(&text, rates->burst_mib_per_s);
	buf_add_text(&text, " to ");
	text_add_rate(&text, rates->sustained_mib_per_s);
	buf_add_text(&text, " MiB/s");
	html_element(out, "p", "note", buf_text(&text));
	buf_add_text(out, "\n");
}

static void legend_item(struct buf *out, const char *kind, const char *text)
{
	buf_printf(out, "<li class=\"%s\"><i></i>%s</li>\n", kind, text);
}

static void add_legend(const struct report *r, const struct timeline *t, struct buf *out)
{
	bool has_devices = false, has_need = false, has_fall = false, has_touch = false;

	buf_add_text(out, "<ul class=\"legend\" aria-label=\"legend\">\n");
	for (size_t i = 0; i < t->n_spans; i++) {
		const struct span *s = &t->spans[i];
		CLEANUP(buf_done) struct buf name = { 0 };

		has_devices |= s->has_devices;
		has_need |= s->kind <= PHASE_MIXED && report_rates_const(r, s->kind)->usable == 1 &&
			    report_rates_const(r, s->kind)->need_mib_per_s > 0;
		has_fall |= has_cliff(r, s);
		has_touch |= has_touched(r, s);
		buf_printf(&name, "%s, workers", span_name(s->kind));
		legend_item(out, html_phase_class(s->kind), buf_text(&name));
	}
	if (has_devices)
		legend_item(out, "dev", "devices");
	if (has_need)
		legend_item(out, "need", "required");
	if (has_fall)
		legend_item(out, "fall", "fell for good");
	if (has_touch)
		legend_item(out, "touch", "memory touched for the first time");
	buf_add_text(out, "</ul>\n");
}

static void add_names(const struct timeline *t, struct buf *out)
{
	for (size_t i = 0; i < t->n_spans; i++) {
		const struct span *s = &t->spans[i];
		double width = (double)s->length_ns / (double)t->length_ns;

		if (width >= NAME_RATIO_MIN)
			buf_printf(out,
				   "<span class=\"name %s\" style=\"left:%.2f%%;max-width:%.2f%%\">"
				   "%s</span>\n",
				   html_phase_class(s->kind),
				   100 * (double)s->from_ns / (double)t->length_ns, 100 * width,
				   span_name(s->kind));
	}
}

static void add_picture(const struct html *page, const struct timeline *t)
{
	CLEANUP(buf_done) struct buf desc = { 0 };
	struct buf *out = page->out;

	describe(page->r, t, &desc);
	buf_add_text(out, "<div class=\"plot\">\n");
	html_begin_svg(page, "time", "MiB/s over the time of the run", buf_text(&desc));
	for (size_t i = 0; i < t->n_spans; i++)
		add_shade(t, &t->spans[i], out);
	plot_add_grid(out, STEPS_Y);
	for (size_t i = 0; i < t->n_spans; i++)
		add_curves(t, &t->spans[i], out);
	for (size_t i = 0; i < t->n_spans; i++)
		add_marks(page->r, t, &t->spans[i], out);
	html_end_svg(page);
	add_names(t, out);
	plot_add_y_labels(out, t->top, STEPS_Y);
	plot_add_x_labels(out, t->length_ns);
	buf_add_text(out, "</div>\n");
}

static void add_round(const struct round *round, int kind, struct buf *out)
{
	CLEANUP(buf_done) struct buf from = { 0 };
	CLEANUP(buf_done) struct buf to = { 0 };

	units_add_duration(&from, round->start_ns);
	units_add_duration(&to, round->end_ns);
	buf_add_text(out, "<tr>");
	html_row_head(out, phase_kind_name(kind));
	html_cell(out, buf_text(&from));
	html_cell(out, buf_text(&to));
	html_rate_cell(out, round->mib_per_s);
	html_cell(out, round->is_spoiled == 1 ? "first touch" : "");
	buf_add_text(out, "</tr>\n");
}

static void add_table(const struct html *page)
{
	static const char *const heads[] = { "phase", "from", "to", "MiB/s", "note", NULL };
	size_t n = 0;

	for (size_t i = 0; i < TEXT_PHASES; i++)
		if (report_rates_const(page->r, text_phases[i])->usable == 1)
			n += report_rates_const(page->r, text_phases[i])->n_rounds;
	if (!n)
		return;
	html_begin_details(page->out, "Figures over time");
	html_begin_table(page->out, "Rounds of equal length, since the start of the phase", heads);
	for (size_t i = 0; i < TEXT_PHASES; i++) {
		const struct phase_rates *rates = report_rates_const(page->r, text_phases[i]);

		for (size_t j = 0; rates->usable == 1 && j < rates->n_rounds && j < ROUNDS_MAX; j++)
			add_round(&rates->rounds[j], text_phases[i], page->out);
	}
	html_end_table(page->out);
	html_end_details(page->out);
}

void html_add_time(const struct html *page)
{
	CLEANUP(timeline_done) struct timeline t = { 0 };

	fill(page->r, &t);
	if (t.length_ns <= 0)
		return;
	html_begin_section(page, "time", "Throughput over time");
	buf_add_text(page->out, "<figure>\n<figcaption>MiB/s of all workers together, and what "
				"the devices counted</figcaption>\n");
	add_picture(page, &t);
	add_legend(page->r, &t, page->out);
	buf_add_text(page->out, "</figure>\n");
	for (size_t i = 0; i < t.n_spans; i++)
		add_cliff_note(page->r, &t.spans[i], page->out);
	add_table(page);
	html_end_section(page);
}
