/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_rates - what was measured, and what is judged
 */
#include "text_parts.h"

#include <inttypes.h>
#include <math.h>

#include "iotest/units.h"
#include "iotest/wrap.h"
#include "layout.h"

#define MB_PER_MIB ((double)MIB / 1e6)

/* One line of the table; -1 and "" where it has nothing to say. */
struct row {
	const char *phase;
	const char *what;
	bool is_judged;
	double total;
	double need;
	int64_t carries;
	const char *note;
};

/* Cells keep their distance, whatever they hold. */
static void cell(struct buf *out, size_t width, const struct buf *text)
{
	buf_add_text(out, " ");
	layout_cell(out, width - 1, buf_text(text));
}

static void cell_rate(struct buf *out, size_t width, double rate)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	text_add_rate(&text, rate);
	cell(out, width, &text);
}

static void cell_per_core(struct buf *out, size_t width, double rate)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (rate >= 1e8)
		text_add_rate(&text, rate);
	else
		layout_add_number(&text, rate, 2);
	cell(out, width, &text);
}

static void cell_cores(struct buf *out, size_t width, int64_t cores)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (cores < 0)
		buf_add_text(&text, "-");
	else
		layout_add_count(&text, cores, "core", "cores");
	cell(out, width, &text);
}

/* Below its row if it is too long for it. */
static void add_note(struct buf *row, const char *note)
{
	if (!*note)
		return;
	if (layout_columns(buf_text(row)) + 2 + layout_columns(note) <= WRAP_WIDTH) {
		buf_printf(row, "  %s", note);
		return;
	}
	buf_add_text(row, "\n");
	layout_cell(row, WRAP_WIDTH, note);
}

static void add_row(const struct plan *plan, const struct row *row, struct buf *out)
{
	CLEANUP(buf_done) struct buf lead = { 0 };
	double cores = plan->cores > 0 ? (double)plan->cores : nan("");

	buf_printf(&lead, "  %-5s %-6s %-19s", row->phase, row->is_judged ? "judged" : "",
		   row->what);
	cell_per_core(&lead, 8, row->total / cores);
	cell_rate(&lead, 7, row->total);
	cell_rate(&lead, 7, row->need);
	cell_cores(&lead, 10, row->carries);
	add_note(&lead, row->note);
	buf_printf(out, "%s\n", buf_text(&lead));
}

/* The same in units of ten: which of them a requirement means is not always said. */
static void add_mb_row(const struct report *r, double total, double need, struct buf *out)
{
	double cores = r->plan->cores > 0 ? (double)r->plan->cores : nan("");

	buf_printf(out, "%15s%-19s", "", "in MB/s (10^6)");
	cell_per_core(out, 8, total / cores * MB_PER_MIB);
	cell_rate(out, 7, total * MB_PER_MIB);
	cell_rate(out, 7, need * MB_PER_MIB);
	buf_add_text(out, "\n");
}

static void add_span(struct buf *out, int64_t from_ns, int64_t to_ns)
{
	double last = units_seconds(to_ns);
	int decimals = last < 10 ? 2 : last < 100 ? 1 : 0;

	if (from_ns < 0 || to_ns < 0)
		buf_add_text(out, "unknown");
	else
		buf_printf(out, "%.*f-%.*f s", decimals, units_seconds(from_ns), decimals, last);
}

static void add_moment(struct buf *out, int64_t ns)
{
	double seconds = units_seconds(ns);

	if (ns < 0)
		buf_add_text(out, "unknown");
	else
		buf_printf(out, "%.*f s", seconds < 10 ? 2 : seconds < 100 ? 1 : 0, seconds);
}

/* Only what is long enough to be judged has a number of cores that it carries. */
static bool is_judged(const struct report *r, int kind, int by)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	bool is_asked = kind == PHASE_MIXED ||
			(kind == PHASE_WRITE ? r->plan->judges_write : r->plan->judges_read) != 0;

	return is_asked && rates->judged_by == by && rates->carries_cores >= 0;
}

/* The row of what can be judged in some way; in the units of both kinds if it is. */
static void add_judgeable(const struct report *r, int kind, int by, const char *what,
			  const char *note, struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	const double totals[] = {
		[JUDGED_ALL] = rates->aggregate_mib_per_s,
		[JUDGED_SUSTAINED] = rates->sustained_mib_per_s,
		[JUDGED_UNSPOILED] = rates->unspoiled_mib_per_s,
		[JUDGED_MEDIAN] = -1,
	};
	_Static_assert(ARRAY_LEN(totals) == JUDGED_COUNT, "a rate for every way of judging");
	bool judged = is_judged(r, kind, by);
	const struct row row = {
		.phase = phase_kind_name(kind),
		.what = what,
		.is_judged = judged,
		.total = totals[by],
		.need = rates->need_mib_per_s,
		.carries = judged ? rates->carries_cores : -1,
		.note = note,
	};

	if (row.total < 0)
		return;
	add_row(r->plan, &row, out);
	if (judged ||
	    (by == JUDGED_ALL && (rates->carries_cores < 0 || rates->judged_by == JUDGED_MEDIAN)))
		add_mb_row(r, row.total, row.need, out);
}

static void add_all_bytes(const struct report *r, int kind, struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	CLEANUP(buf_done) struct buf note = { 0 };

	add_span(&note, rates->first_done_ns, rates->last_done_ns);
	add_judgeable(r, kind, JUDGED_ALL, "all bytes", buf_text(&note), out);
}

static void add_before_fsync(const struct report *r, int kind, struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	CLEANUP(buf_done) struct buf note = { 0 };
	struct row row = { phase_kind_name(kind),
			   "before fsync",
			   false,
			   rates->before_fsync_mib_per_s,
			   rates->need_mib_per_s,
			   -1,
			   "" };

	if (row.total < 0)
		return;
	add_moment(&note, rates->before_fsync_ns);
	row.note = buf_text(&note);
	add_row(r->plan, &row, out);
}

static void add_burst(const struct report *r, int kind, struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	CLEANUP(buf_done) struct buf what = { 0 };
	CLEANUP(buf_done) struct buf until = { 0 };
	CLEANUP(buf_done) struct buf rest = { 0 };
	struct row row = { phase_kind_name(kind), "", false, rates->burst_mib_per_s,
			   rates->need_mib_per_s, -1, "" };

	if (row.total < 0)
		return;
	buf_add_text(&what, "burst, ");
	units_add_size(&what, rates->burst_bytes);
	add_moment(&until, rates->burst_ns);
	row.what = buf_text(&what);
	row.note = buf_text(&until);
	add_row(r->plan, &row, out);
	add_span(&rest, rates->first_done_ns, rates->last_done_ns);
	add_judgeable(r, kind, JUDGED_SUSTAINED, "after it", buf_text(&rest), out);
}

static void add_unspoiled(const struct report *r, int kind, struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	CLEANUP(buf_done) struct buf note = { 0 };

	add_span(&note, rates->first_done_ns, rates->last_done_ns);
	add_judgeable(r, kind, JUDGED_UNSPOILED, "without first touch", buf_text(&note), out);
}

static void add_phase(const struct report *r, int kind, struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	CLEANUP(buf_done) struct buf lead = { 0 };

	if (!text_has_phase(r, kind))
		return;
	if (rates->usable != 1) {
		buf_printf(&lead, "  %-5s n/a    ", phase_kind_name(kind));
		layout_wrap(out, buf_text(&lead), 15,
			    *text_of(rates->unusable_reason) ? rates->unusable_reason
							     : "no reason recorded");
		return;
	}
	add_all_bytes(r, kind, out);
	add_before_fsync(r, kind, out);
	add_burst(r, kind, out);
	add_unspoiled(r, kind, out);
}

static bool shows(const struct phase_rates *rates, double rate)
{
	return rates->usable == 1 && rate >= 0;
}

static void add_burst_legend(const struct report *r, struct buf *text)
{
	for (size_t i = 0; i < TEXT_PHASES; i++) {
		const struct phase_rates *rates = report_rates_const(r, text_phases[i]);

		if (!shows(rates, rates->burst_mib_per_s))
			continue;
		buf_add_text(text, "burst: taken in before the rate fell for good. ");
		return;
	}
}

static void add_touch_legend(const struct report *r, struct buf *text)
{
	CLEANUP(buf_done) struct buf left_out = { 0 };

	for (size_t i = 0; i < TEXT_PHASES; i++) {
		const struct phase_rates *rates = report_rates_const(r, text_phases[i]);

		if (!shows(rates, rates->unspoiled_mib_per_s) || rates->spoiled_ns < 0)
			continue;
		buf_printf(&left_out, "%s%.1f s of %s", left_out.len ? ", " : "",
			   units_seconds(rates->spoiled_ns), phase_kind_name(text_phases[i]));
	}
	if (left_out.len)
		buf_printf(text,
			   "first touch: the time slowed by memory not used before (%s) is left "
			   "out. ",
			   buf_text(&left_out));
}

/* The SAS scripts say "megabytes" and "gigabytes" of 2^20 and 2^30 bytes. */
static void add_legend(const struct report *r, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_add_text(&text, "per core: total / cores; the lower judged one decides. all bytes: "
			    "first start to last end, with fsync. need: requirement x cores. "
			    "carries: cores it feeds, estimated. done at: first and last "
			    "worker. ");
	add_burst_legend(r, &text);
	add_touch_legend(r, &text);
	buf_add_text(&text, "STATISTICS: as the SAS scripts compute it, in MiB and GiB.");
	if (r->n_repeats < 2)
		buf_add_text(&text, " One run has no run-to-run interval; --repeat 3 gives one.");
	buf_add_text(&text, " Words: METHOD.md.");
	layout_wrap(out, "  ", 2, buf_text(&text));
}

void text_add_rates(const struct report *report, struct buf *out)
{
	bool any_usable = false;

	buf_printf(out, "RATES (MiB/s)%29s%7s%7s%10s  %s\n", "per core", "total", "need", "carries",
		   "done at");
	for (size_t i = 0; i < TEXT_PHASES; i++) {
		add_phase(report, text_phases[i], out);
		any_usable |= report_rates_const(report, text_phases[i])->usable == 1;
	}
	if (any_usable)
		add_legend(report, out);
}

static void add_worker(struct buf *out, const char *which, double rate, int64_t number)
{
	buf_printf(out, "%s ", which);
	text_add_rate(out, rate);
	if (number > 0)
		buf_printf(out, " (worker %" PRId64 ")", number);
}

static void add_skew(struct buf *out, int64_t ns)
{
	if (ns >= 0 && ns < NS_PER_S)
		buf_printf(out, ", starts %.1f ms apart", (double)ns / NS_PER_MS);
	else if (ns >= 0)
		buf_printf(out, ", starts %.1f s apart", units_seconds(ns));
}

void text_add_workers(const struct report *report, struct buf *out)
{
	CLEANUP(buf_done) struct buf all = { 0 };

	for (size_t i = 0; i < TEXT_PHASES; i++) {
		const struct phase_rates *rates = report_rates_const(report, text_phases[i]);
		CLEANUP(buf_done) struct buf line = { 0 };

		if (rates->usable != 1)
			continue;
		add_worker(&line, "slowest", rates->slowest_mib_per_s, rates->slowest_worker);
		add_worker(&line, ", fastest", rates->fastest_mib_per_s, rates->fastest_worker);
		add_skew(&line, rates->start_skew_ns);
		layout_row(&all, 9, phase_kind_name(text_phases[i]), "%s", buf_text(&line));
	}
	if (all.len)
		buf_printf(out, "WORKERS (MiB/s each)\n%s", buf_text(&all));
}
