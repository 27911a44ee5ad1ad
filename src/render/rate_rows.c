/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate_rows - the rates of a phase, one row for each that means something
 */
#include "rate_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "text_parts.h"

void rate_rows_done(struct rate_rows *rows)
{
	for (size_t i = 0; i < rows->n_items; i++) {
		free(rows->items[i].what);
		free(rows->items[i].when);
	}
	free(rows->items);
	*rows = (struct rate_rows){ 0 };
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

static struct rate_row *add_row(struct rate_rows *rows, const struct report *r, int kind,
				double total)
{
	struct rate_row *row = XGROW(&rows->items, &rows->n_items);

	*row = (struct rate_row){
		.kind = kind,
		.total = total,
		.per_core = r->plan->cores > 0 ? total / (double)r->plan->cores : nan(""),
		.need = report_rates_const(r, kind)->need_mib_per_s,
		.carries = -1,
	};
	return row;
}

/* The row of what can be judged in some way; in the units of both kinds if it is. */
static void add_judgeable(struct rate_rows *rows, const struct report *r, int kind, int by,
			  const char *what)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	const double totals[] = {
		[JUDGED_ALL] = rates->aggregate_mib_per_s,
		[JUDGED_SUSTAINED] = rates->sustained_mib_per_s,
		[JUDGED_UNSPOILED] = rates->unspoiled_mib_per_s,
		[JUDGED_MEDIAN] = -1,
	};
	_Static_assert(ARRAY_LEN(totals) == JUDGED_COUNT, "a rate for every way of judging");
	struct buf when = { 0 };
	struct rate_row *row;

	if (totals[by] < 0)
		return;
	add_span(&when, rates->first_done_ns, rates->last_done_ns);
	row = add_row(rows, r, kind, totals[by]);
	row->what = xstrdup(what);
	row->when = buf_take(&when);
	row->is_judged = is_judged(r, kind, by);
	row->carries = row->is_judged ? rates->carries_cores : -1;
	row->has_mb = row->is_judged || (by == JUDGED_ALL && (rates->carries_cores < 0 ||
							      rates->judged_by == JUDGED_MEDIAN));
}

static void add_before_fsync(struct rate_rows *rows, const struct report *r, int kind)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	struct buf when = { 0 };
	struct rate_row *row;

	if (rates->before_fsync_mib_per_s < 0)
		return;
	add_moment(&when, rates->before_fsync_ns);
	row = add_row(rows, r, kind, rates->before_fsync_mib_per_s);
	row->what = xstrdup("before fsync");
	row->when = buf_take(&when);
}

static void add_burst(struct rate_rows *rows, const struct report *r, int kind)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	struct buf what = { 0 };
	struct buf when = { 0 };
	struct rate_row *row;

	if (rates->burst_mib_per_s < 0)
		return;
	buf_add_text(&what, "burst, ");
	units_add_size(&what, rates->burst_bytes);
	add_moment(&when, rates->burst_ns);
	row = add_row(rows, r, kind, rates->burst_mib_per_s);
	row->what = buf_take(&what);
	row->when = buf_take(&when);
	add_judgeable(rows, r, kind, JUDGED_SUSTAINED, "after it");
}

void rate_rows_add(struct rate_rows *rows, const struct report *report, int phase_kind)
{
	if (report_rates_const(report, phase_kind)->usable != 1)
		return;
	add_judgeable(rows, report, phase_kind, JUDGED_ALL, "all bytes");
	add_before_fsync(rows, report, phase_kind);
	add_burst(rows, report, phase_kind);
	add_judgeable(rows, report, phase_kind, JUDGED_UNSPOILED, "without first touch");
}
