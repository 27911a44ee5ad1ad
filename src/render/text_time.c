/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_time - what the time looked like: rates over it, and the calls
 */
#include "text_parts.h"

#include <ctype.h>

#include "chart.h"
#include "iotest/series.h"
#include "iotest/units.h"
#include "layout.h"

#define CALL_WIDTH 10
#define DEVICE_COLUMN 60

static bool has_chart(const struct phase_rates *rates)
{
	return rates->usable == 1 && rates->n_rounds >= SERIES_WINDOW;
}

static void add_upper(struct buf *out, const char *text)
{
	for (; *text; text++)
		buf_printf(out, "%c", toupper((unsigned char)*text));
}

static void add_chart(const struct report *r, int kind, struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	bool has_spoiled = false;
	int64_t column_ns;

	if (!has_chart(rates))
		return;
	if (rates->round_ns < 0 ||
	    units_mul(rates->round_ns, (int64_t)chart_merged(rates->n_rounds), &column_ns))
		column_ns = -1;
	add_upper(out, phase_kind_name(kind));
	buf_printf(out, " OVER TIME (MiB/s at the %s, 1 column = ",
		   rates->rounds_are_devices == 1 ? "devices" : "workers");
	units_add_duration(out, column_ns);
	for (size_t i = 0; i < rates->n_rounds; i++)
		has_spoiled |= rates->rounds[i].is_spoiled == 1;
	buf_printf(out, "%s)\n", has_spoiled ? ", o: first touch" : "");
	chart_add(rates->rounds, rates->n_rounds, out);
}

static void add_line(const struct report *r, int kind, struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	CLEANUP(buf_done) struct buf note = { 0 };
	int64_t column_ns;
	double highest;

	if (!has_chart(rates))
		return;
	buf_printf(&note, "%-11s%-6s ", out->len ? "" : "OVER TIME", phase_kind_name(kind));
	highest = chart_add_line(rates->rounds, rates->n_rounds, &note);
	if (highest < 0)
		return;
	buf_add_text(&note, "  9: ");
	text_add_rate(&note, highest);
	buf_add_text(&note, " MiB/s");
	if (rates->round_ns > 0 &&
	    !units_mul(rates->round_ns, (int64_t)chart_line_merged(rates->n_rounds), &column_ns)) {
		buf_add_text(&note, ", each ");
		units_add_duration(&note, column_ns);
	}
	buf_printf(out, "%s\n", buf_text(&note));
}

void text_add_lines_of_time(const struct report *report, struct buf *out)
{
	CLEANUP(buf_done) struct buf all = { 0 };

	for (size_t i = 0; i < TEXT_PHASES; i++)
		add_line(report, text_phases[i], &all);
	buf_add_text(out, buf_text(&all));
}

static void add_steady(const struct report *r, struct buf *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	for (size_t i = 0; i < TEXT_PHASES; i++) {
		const struct phase_rates *rates = report_rates_const(r, text_phases[i]);

		if (rates->usable != 1 || rates->is_steady < 0)
			continue;
		buf_printf(&line, "%s%s %s (range ", line.len ? ", " : "",
			   phase_kind_name(text_phases[i]), rates->is_steady ? "yes" : "no");
		layout_add_number(&line, 100 * rates->steady_range_ratio, 1);
		buf_add_text(&line, " %, slope ");
		layout_add_number(&line, 100 * rates->steady_slope_ratio, 1);
		buf_add_text(&line, " %)");
	}
	if (!line.len)
		return;
	buf_printf(&line, "; of the last %d rounds, %.0f %% and %.0f %% allowed", SERIES_WINDOW,
		   100 * SERIES_RANGE_RATIO_MAX, 100 * SERIES_SLOPE_RATIO_MAX);
	layout_wrap(out, "STEADY ", 8, buf_text(&line));
}

void text_add_time(const struct report *report, struct buf *out)
{
	size_t before = out->len;

	for (size_t i = 0; i < TEXT_PHASES; i++)
		add_chart(report, text_phases[i], out);
	if (out->len > before)
		layout_wrap(out, "  ", 2,
			    "each # is one column of time, in the row of the rate that it had");
	add_steady(report, out);
}

void text_add_call_time(struct buf *out, int64_t ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = { { 1e3, "us" }, { 1e6, "ms" }, { 1e9, "s" } };
	size_t i = 0;
	double value;

	if (ns < 0) {
		buf_add_text(out, "n/a");
		return;
	}
	/* What would be printed as 1000 is one of the next unit. */
	while (i + 1 < ARRAY_LEN(units) && (double)ns >= 999.5 * units[i].ns)
		i++;
	value = (double)ns / units[i].ns;
	buf_printf(out, "%.*f %s",
		   value >= 99.95   ? 0
		   : value >= 9.995 ? 1
				    : 2,
		   value, units[i].name);
}

/* Of what the phase does itself: the other way there are only a few operations of others. */
static void add_awaits(const struct phase_rates *rates, int kind, struct buf *out)
{
	if (rates->device_read_await_ns >= 0 && kind != PHASE_WRITE) {
		buf_add_text(out, "r_await ");
		text_add_call_time(out, rates->device_read_await_ns);
	}
	if (rates->device_write_await_ns >= 0 && kind != PHASE_READ) {
		buf_add_text(out, out->len ? ", w_await " : "w_await ");
		text_add_call_time(out, rates->device_write_await_ns);
	}
}

static void add_phase_calls(const struct report *r, int kind, struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	const int64_t times[] = { rates->call_p50_ns, rates->call_p90_ns, rates->call_p99_ns,
				  rates->call_p999_ns, rates->call_max_ns };
	CLEANUP(buf_done) struct buf lead = { 0 };
	CLEANUP(buf_done) struct buf awaits = { 0 };

	if (rates->call_p50_ns < 0)
		return;
	buf_printf(&lead, "  %-6s", phase_kind_name(kind));
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		CLEANUP(buf_done) struct buf text = { 0 };

		text_add_call_time(&text, times[i]);
		buf_add_text(&lead, " ");
		layout_cell(&lead, CALL_WIDTH - 1, buf_text(&text));
	}
	add_awaits(rates, kind, &awaits);
	layout_wrap(out, buf_text(&lead), awaits.len ? DEVICE_COLUMN : 0, buf_text(&awaits));
}

const char *text_call_legend(const struct plan *plan)
{
	if (plan->io.direct == 1)
		return "call time: of O_DIRECT calls, the devices included";
	if (plan->io.window_bytes > 0)
		return "call time: a copy, or a wait until what was written is at the storage; "
		       "await: one I/O of the devices";
	return "call time: a copy, plus waits (throttling); await: one I/O of the devices";
}

void text_add_calls(const struct report *report, struct buf *out)
{
	CLEANUP(buf_done) struct buf all = { 0 };

	for (size_t i = 0; i < TEXT_PHASES; i++)
		add_phase_calls(report, text_phases[i], &all);
	if (!all.len)
		return;
	buf_printf(out, "%-8s%10s%10s%10s%10s%10s  %s\n%s", "CALLS", "p50", "p90", "p99", "p99.9",
		   "max", "at the devices", buf_text(&all));
	layout_wrap(out, "  ", 2, text_call_legend(report->plan));
}
