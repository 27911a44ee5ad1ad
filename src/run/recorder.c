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

bool recorder_is_steady(const struct phase *phase, int64_t budget_ns, bool is_write)
{
	struct series_sample samples[SERIES_POINTS_MAX];
	double rates[SERIES_POINTS_MAX];
	struct series_steady steady;
	int64_t round_ns = series_round_ns(budget_ns);
	int64_t until_ns;
	size_t n;

	if (phase->n_series == 0)
		return false;
	for (size_t i = 0; i < phase->n_series; i++) {
		const struct series_point *p = &phase->series[i];

		if (is_write && p->device_written_bytes < 0)
			is_write = false;
		samples[i].at_ns = p->at_ns;
	}
	for (size_t i = 0; i < phase->n_series; i++)
		samples[i].count =
			is_write ? phase->series[i].device_written_bytes : phase->series[i].bytes;
	until_ns = phase->series[phase->n_series - 1].at_ns;
	n = series_rates(samples, phase->n_series, round_ns, 0, until_ns, rates, SERIES_POINTS_MAX);
	return series_judge_steady(rates, n, &steady) && steady.is_steady;
}
