/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder - the series of a phase, as it grows
 */
#include "recorder.h"

#include "iotest/series.h"
#include "iotest/xalloc.h"

static void keep(struct phase *phase, const struct series_point *point)
{
	*XGROW(&phase->series, &phase->n_series) = *point;
}

/* The last of each pair stays: counts go on from there. */
static void thin_out(struct phase *phase)
{
	size_t n = 0;

	for (size_t i = 1; i < phase->n_series; i += 2)
		phase->series[n++] = phase->series[i];
	phase->n_series = n;
}

void recorder_add(struct recorder *r, struct phase *phase, const struct series_point *point)
{
	if (point->dirty_bytes > phase->dirty_peak_bytes)
		phase->dirty_peak_bytes = point->dirty_bytes;
	if (r->every == 0)
		r->every = 1;
	r->last = *point;
	r->skipped++;
	if (r->skipped < r->every)
		return;
	r->skipped = 0;
	if (phase->n_series == SERIES_POINTS_MAX) {
		thin_out(phase);
		r->every *= 2;
	}
	keep(phase, point);
}

void recorder_end(struct recorder *r, struct phase *phase)
{
	if (r->skipped == 0)
		return;
	if (phase->n_series == SERIES_POINTS_MAX)
		thin_out(phase);
	keep(phase, &r->last);
	r->skipped = 0;
}

bool recorder_is_steady(const struct phase *phase, int64_t budget_ns)
{
	struct series_sample samples[SERIES_POINTS_MAX];
	double rates[SERIES_POINTS_MAX];
	struct series_steady steady;
	size_t n = phase->n_series;

	if (n == 0)
		return false;
	for (size_t i = 0; i < n; i++)
		samples[i] =
			(struct series_sample){ phase->series[i].at_ns, phase->series[i].bytes };
	n = series_rates(samples, n, series_round_ns(budget_ns), 0, samples[n - 1].at_ns, rates,
			 SERIES_POINTS_MAX);
	return series_judge_steady(rates, n, &steady) && steady.is_steady;
}
