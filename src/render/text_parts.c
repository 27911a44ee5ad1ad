/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_parts - what the sections of the text report share
 */
#include "text_parts.h"

#include "iotest/units.h"
#include "layout.h"
#include "lines.h"

const int text_phases[TEXT_PHASES] = { PHASE_READ, PHASE_WRITE, PHASE_MIXED };

/* Reports that do not say what is judged had both phases. */
static bool is_planned(const struct plan *plan, int kind)
{
	if (kind == PHASE_WRITE)
		return plan->judges_write != 0;
	if (kind == PHASE_READ)
		return plan->judges_read != 0;
	return plan_judges(plan, kind);
}

bool text_has_phase(const struct report *report, int phase_kind)
{
	return is_planned(report->plan, phase_kind) ||
	       run_phase_const(report->run, phase_kind)->status != PHASE_NOT_RUN;
}

void text_add_rate(struct buf *out, double mib_per_s)
{
	if (mib_per_s >= 1e8)
		buf_printf(out, "%.2e", mib_per_s);
	else
		layout_add_number(out, mib_per_s, mib_per_s >= 1000 ? 0 : mib_per_s >= 100 ? 1 : 2);
}

int64_t text_plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return units_add(a, b, &sum) ? INT64_MAX : sum;
}

static void add_lines(const char *title, const struct lines *lines, size_t column, struct buf *out)
{
	if (!lines->n_items)
		return;
	buf_printf(out, "%s\n", title);
	lines_print(lines, column, out);
}

void text_add_proof(const struct report *report, struct buf *out)
{
	CLEANUP(lines_done) struct lines lines = { 0 };

	lines_add_proof(&lines, report);
	add_lines("PROOF", &lines, 11, out);
}

void text_add_limits(const struct report *report, struct buf *out)
{
	CLEANUP(lines_done) struct lines lines = { 0 };

	lines_add_limits(&lines, report);
	add_lines("LIMITED BY", &lines, 11, out);
}

void text_add_limits_short(const struct report *report, struct buf *out)
{
	CLEANUP(lines_done) struct lines lines = { 0 };

	lines_add_limits_short(&lines, report);
	add_lines("LIMITED BY", &lines, 11, out);
}

void text_add_facts(const struct report *report, struct buf *out)
{
	CLEANUP(lines_done) struct lines lines = { 0 };

	lines_add_facts(&lines, report);
	add_lines("FACTS", &lines, 14, out);
}

void text_add_workers(const struct report *report, struct buf *out)
{
	CLEANUP(lines_done) struct lines lines = { 0 };

	lines_add_workers(&lines, report);
	add_lines("WORKERS (MiB/s each)", &lines, 9, out);
}
