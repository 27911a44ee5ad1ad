/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repeats - several runs of the same plan, judged by their median
 *
 * What a run said alone is kept in the list of runs, so that it is found again when one more run
 * has come and all are judged anew.
 */
#include <stdlib.h>

#include "iotest/analyze.h"
#include "iotest/series.h"
#include "iotest/xalloc.h"
#include "stats.h"
#include "verdict.h"

/* What is judged of a phase of one run. */
static double *rate_of(struct repeat *repeat, int kind)
{
	if (kind == PHASE_WRITE)
		return &repeat->write_mib_per_s_per_core;
	if (kind == PHASE_READ)
		return &repeat->read_mib_per_s_per_core;
	return kind == PHASE_MIXED ? &repeat->mixed_mib_per_s_per_core : NULL;
}

static double own_rate(const struct report *r, int kind)
{
	return stats_is_judged(r, kind) ? report_rates_const(r, kind)->judged_mib_per_s_per_core
					: -1;
}

static void read_alone(const struct report *r, struct repeat *out)
{
	bool was_joined = r->repeat_index >= 1 && (uint64_t)r->repeat_index <= r->n_repeats;

	if (was_joined) {
		schema_copy(&repeat_schema, &r->repeats[r->repeat_index - 1], out);
		return;
	}
	schema_init(&repeat_schema, out);
	out->id = xstrdup(text_of(r->run->id));
	out->started_at_ns = r->run->started_at_ns;
	out->result = r->verdict.result;
	for (int kind = 0; kind < PHASE_COUNT; kind++)
		if (rate_of(out, kind))
			*rate_of(out, kind) = own_rate(r, kind);
}

static void list_done(struct repeat *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		schema_done(&repeat_schema, &list[i]);
	free(list);
}

static void give_list(const struct repeat *list, size_t n, size_t index, struct report *r)
{
	list_done(r->repeats, r->n_repeats);
	r->repeats = xcalloc(n, sizeof(*r->repeats));
	r->n_repeats = n;
	r->repeat_index = (int64_t)index + 1;
	for (size_t i = 0; i < n; i++)
		schema_copy(&repeat_schema, &list[i], &r->repeats[i]);
}

/* The rates of that phase, of the runs in which it was judged, ascending. */
static size_t collect(struct repeat *list, size_t n, int kind, double *out)
{
	size_t n_known = 0;

	for (size_t i = 0; i < n; i++)
		if (*rate_of(&list[i], kind) >= 0)
			out[n_known++] = *rate_of(&list[i], kind);
	series_sort(out, n_known);
	return n_known;
}

static void give_median(const double *rates, size_t n, int kind, struct report *r)
{
	struct phase_rates *out = report_rates(r, kind);
	double median = series_median(rates, n);

	out->n_runs = (int64_t)n;
	out->median_mib_per_s_per_core = median;
	out->lowest_mib_per_s_per_core = rates[0];
	out->highest_mib_per_s_per_core = rates[n - 1];
	out->judged_by = JUDGED_MEDIAN;
	stats_set_judged(r->plan, median, out);
}

/* A run that failed spoils all; else the medians decide, and each phase must be judged in all. */
static enum verdict_result result_of_all(const struct report *r, const struct repeat *list)
{
	size_t n_asked = 0;
	size_t n_full = 0;

	for (size_t i = 0; i < r->n_repeats; i++)
		if (list[i].result == VERDICT_INVALID)
			return VERDICT_INVALID;
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		if (!stats_is_asked(r->plan, kind))
			continue;
		if (stats_is_below(r, kind) && !stats_is_capped(r, kind))
			return VERDICT_BELOW;
		n_asked++;
		n_full += !stats_is_below(r, kind) &&
			  report_rates_const(r, kind)->n_runs == (int64_t)r->n_repeats;
	}
	return n_asked && n_full == n_asked ? VERDICT_PASS : VERDICT_INCONCLUSIVE;
}

static double lowest_of(struct repeat *repeat)
{
	double lowest = -1;

	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		double *rate = rate_of(repeat, kind);

		if (rate && *rate >= 0 && (lowest < 0 || *rate < lowest))
			lowest = *rate;
	}
	return lowest;
}

static size_t first_with(const struct repeat *list, size_t n, int result)
{
	size_t i = 0;

	while (i < n && list[i].result != result)
		i++;
	return i;
}

/* The first whose lowest rate is the (lower) median of all. */
static size_t middle_run(struct repeat *list, size_t n, double *sorted)
{
	size_t n_known = 0;

	for (size_t i = 0; i < n; i++)
		if (lowest_of(&list[i]) >= 0)
			sorted[n_known++] = lowest_of(&list[i]);
	series_sort(sorted, n_known);
	for (size_t i = 0; n_known && i < n; i++)
		if (lowest_of(&list[i]) == sorted[(n_known - 1) / 2])
			return i;
	return 0;
}

/* Where the runs failed, or do not tell, the one that shows why. */
static size_t stands_for_all(enum verdict_result result, struct repeat *list, size_t n,
			     double *scratch)
{
	size_t at = n;

	if (result == VERDICT_INVALID || result == VERDICT_INCONCLUSIVE)
		at = first_with(list, n, (int)result);
	return at < n ? at : middle_run(list, n, scratch);
}

size_t analyze_repeats(struct report *const *reports, size_t n)
{
	struct repeat *list;
	double *scratch;
	size_t at;

	if (n < 2)
		return 0;
	list = xcalloc(n, sizeof(*list));
	scratch = xcalloc(n, sizeof(*scratch));
	for (size_t i = 0; i < n; i++)
		read_alone(reports[i], &list[i]);
	for (size_t i = 0; i < n; i++)
		give_list(list, n, i, reports[i]);
	for (int kind = PHASE_WRITE; kind <= PHASE_MIXED; kind++) {
		size_t n_known = collect(list, n, kind, scratch);

		for (size_t i = 0; n_known && i < n; i++)
			give_median(scratch, n_known, kind, reports[i]);
	}
	for (size_t i = 0; i < n; i++)
		verdict_set(reports[i], result_of_all(reports[i], list));
	at = stands_for_all(result_of_all(reports[0], list), list, n, scratch);
	free(scratch);
	list_done(list, n);
	return at;
}
