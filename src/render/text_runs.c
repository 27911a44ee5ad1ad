/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_runs - several runs of the same plan beside each other
 */
#include "text_parts.h"

#include <inttypes.h>

#include "layout.h"

#define WIDTH 10

static double rate_of(const struct repeat *run, int kind)
{
	if (kind == PHASE_WRITE)
		return run->write_mib_per_s_per_core;
	return kind == PHASE_READ ? run->read_mib_per_s_per_core : run->mixed_mib_per_s_per_core;
}

/* A phase that was asked for has one even if it could not be judged in any run. */
static bool has_column(const struct report *r, int kind)
{
	if (plan_judges(r->plan, kind))
		return true;
	for (size_t i = 0; i < r->n_repeats; i++)
		if (rate_of(&r->repeats[i], kind) >= 0)
			return true;
	return false;
}

static void cell(struct buf *out, double rate)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	text_add_rate(&text, rate);
	buf_add_text(out, " ");
	layout_cell(out, WIDTH - 1, buf_text(&text));
}

static void add_heads(const struct report *r, struct buf *out)
{
	buf_printf(out, "%-28s", "RUNS (MiB/s per core)");
	for (size_t i = 0; i < TEXT_PHASES; i++)
		if (has_column(r, text_phases[i]))
			layout_cell(out, WIDTH, phase_kind_name(text_phases[i]));
	buf_add_text(out, "  verdict\n");
}

/* The rate of this very run is hidden as everywhere on its page. */
static void add_run(const struct report *r, size_t index, struct buf *out)
{
	const struct repeat *run = &r->repeats[index];
	bool is_this = r->repeat_index == (int64_t)index + 1;
	CLEANUP(buf_done) struct buf when = { 0 };

	layout_add_clock(&when, run->started_at_ns, 0, -1);
	buf_add_text(&when, run->started_at_ns < 0 ? "" : "Z");
	buf_printf(out, "  %-3zu %-22s", index + 1, buf_text(&when));
	for (size_t i = 0; i < TEXT_PHASES; i++) {
		int kind = text_phases[i];
		bool is_hidden = is_this && report_rates_const(r, kind)->usable != 1;

		if (has_column(r, kind))
			cell(out, is_hidden ? -1 : rate_of(run, kind));
	}
	buf_printf(out, "  %s\n", verdict_name(run->result));
}

static double median_of(const struct phase_rates *rates)
{
	return rates->median_mib_per_s_per_core;
}

static double lowest_of(const struct phase_rates *rates)
{
	return rates->lowest_mib_per_s_per_core;
}

static double highest_of(const struct phase_rates *rates)
{
	return rates->highest_mib_per_s_per_core;
}

/* Of all runs in which the phase could be judged, whether or not this is one of them. */
static void add_of_all(const struct report *r, const char *label,
		       double (*of_all)(const struct phase_rates *), struct buf *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	bool any = false;

	buf_printf(&line, "  %-26s", label);
	for (size_t i = 0; i < TEXT_PHASES; i++) {
		const struct phase_rates *rates = report_rates_const(r, text_phases[i]);
		bool is_known = rates->judged_by == JUDGED_MEDIAN && of_all(rates) >= 0;

		any |= is_known;
		if (has_column(r, text_phases[i]))
			cell(&line, is_known ? of_all(rates) : -1);
	}
	if (any)
		buf_printf(out, "%s\n", buf_text(&line));
}

/* In some runs a phase may not have been judged. */
static const char *median_label(const struct report *r)
{
	for (size_t i = 0; i < TEXT_PHASES; i++)
		if (plan_judges(r->plan, text_phases[i]) &&
		    report_rates_const(r, text_phases[i])->n_runs != (int64_t)r->n_repeats)
			return "median of the runs judged";
	return "median (judged)";
}

static bool is_any_unknown(const struct report *r)
{
	for (size_t i = 0; i < r->n_repeats; i++)
		for (size_t j = 0; j < TEXT_PHASES; j++)
			if (has_column(r, text_phases[j]) &&
			    rate_of(&r->repeats[i], text_phases[j]) < 0)
				return true;
	return false;
}

static void add_legend(const struct report *r, struct buf *out)
{
	if (is_any_unknown(r))
		layout_wrap(out, "  ", 2,
			    "n/a: not judged, such as a phase that was too short or not proved");
	if (r->repeat_index > 0)
		buf_printf(out,
			   "  verdict and exit status are of all runs; the rest of this page is of "
			   "run %" PRId64 "\n",
			   r->repeat_index);
}

void text_add_runs(const struct report *report, struct buf *out)
{
	if (report->n_repeats < 2)
		return;
	add_heads(report, out);
	for (size_t i = 0; i < report->n_repeats; i++)
		add_run(report, i, out);
	add_of_all(report, median_label(report), median_of, out);
	add_of_all(report, "lowest", lowest_of, out);
	add_of_all(report, "highest", highest_of, out);
	add_legend(report, out);
}
