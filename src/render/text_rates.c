/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_rates - what was measured, and what is judged
 */
#include "text_parts.h"

#include <inttypes.h>
#include <string.h>

#include "iotest/units.h"
#include "iotest/wrap.h"
#include "layout.h"
#include "lines.h"
#include "rate_rows.h"

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

static void add_row(const struct rate_row *row, struct buf *out)
{
	CLEANUP(buf_done) struct buf lead = { 0 };

	buf_printf(&lead, "  %-5s %-6s %-19s", phase_kind_name(row->kind),
		   row->is_judged ? "judged" : "", row->what);
	cell_per_core(&lead, 8, row->per_core);
	cell_rate(&lead, 7, row->total);
	cell_rate(&lead, 7, row->need);
	cell_cores(&lead, 10, row->carries);
	add_note(&lead, row->when);
	buf_printf(out, "%s\n", buf_text(&lead));
}

/* The same in units of ten: which of them a requirement means is not always said. */
static void add_mb_row(const struct rate_row *row, struct buf *out)
{
	buf_printf(out, "%15s%-19s", "", "in MB/s (10^6)");
	cell_per_core(out, 8, row->per_core * MB_PER_MIB);
	cell_rate(out, 7, row->total * MB_PER_MIB);
	cell_rate(out, 7, row->need * MB_PER_MIB);
	buf_add_text(out, "\n");
}

/* The short page has the rates that bind: all bytes, the fall, and what is judged. */
static bool is_for_short(const struct rate_row *row)
{
	return row->is_judged || strcmp(row->what, "before fsync") != 0;
}

static void add_phase(const struct report *r, int kind, bool is_short, struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	CLEANUP(rate_rows_done) struct rate_rows rows = { 0 };
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
	rate_rows_add(&rows, r, kind);
	for (size_t i = 0; i < rows.n_items; i++) {
		if (is_short && !is_for_short(&rows.items[i]))
			continue;
		add_row(&rows.items[i], out);
		if (rows.items[i].has_mb && !is_short)
			add_mb_row(&rows.items[i], out);
	}
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

/* True if a rate of a phase can be used. */
static bool add_table(const struct report *r, bool is_short, struct buf *out)
{
	bool any_usable = false;

	buf_printf(out, "RATES (MiB/s)%29s%7s%7s%10s  %s\n", "per core", "total", "need", "carries",
		   "done at");
	for (size_t i = 0; i < TEXT_PHASES; i++) {
		add_phase(r, text_phases[i], is_short, out);
		any_usable |= report_rates_const(r, text_phases[i])->usable == 1;
	}
	return any_usable;
}

void text_add_rates(const struct report *report, struct buf *out)
{
	if (add_table(report, false, out))
		add_legend(report, out);
}

void text_add_rates_short(const struct report *report, struct buf *out)
{
	if (!add_table(report, true, out))
		return;
	buf_printf(out, "  1 MiB/s = 1.049 MB/s.%s\n",
		   report->n_repeats < 2 ? " One run has no interval: --repeat 3 gives one." : "");
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

void lines_add_workers(struct lines *lines, const struct report *report)
{
	for (size_t i = 0; i < TEXT_PHASES; i++) {
		const struct phase_rates *rates = report_rates_const(report, text_phases[i]);
		CLEANUP(buf_done) struct buf line = { 0 };

		if (rates->usable != 1)
			continue;
		add_worker(&line, "slowest", rates->slowest_mib_per_s, rates->slowest_worker);
		add_worker(&line, ", fastest", rates->fastest_mib_per_s, rates->fastest_worker);
		add_skew(&line, rates->start_skew_ns);
		lines_add(lines, phase_kind_name(text_phases[i]), "%s", buf_text(&line));
	}
}
