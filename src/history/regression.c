/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regression - whether the newest of many runs are slower than those before them
 *
 * The median and the median absolute deviation do not follow a few bad runs, which the mean and
 * the standard deviation would. The figures below were chosen by the simulation in
 * tests/unit/test_history_regression.c, whose rates are in docs/METHOD.md.
 */
#include "iotest/regression.h"

#include <math.h>
#include <stdbool.h>

#include "iotest/compiler.h"
#include "iotest/series.h"

/* The MAD of normal noise times this is its standard deviation. */
#define MAD_TO_DEVIATION 1.4826
/* A history without any spread says nothing about the next run. */
#define DEVIATION_MIN_RATIO 0.02
/* The mean of three must be this many deviations of one run below the median, */
#define SUSPICIOUS_DEVIATIONS 2.0
/* and a run of a later session that confirms it so many; and both by this much at all. */
#define CONFIRMING_DEVIATIONS 1.5
#define DROP_MIN_RATIO 0.10

static double median_of(double *values, size_t n)
{
	series_sort(values, n);
	return series_median(values, n);
}

static double mean_of_newest(const struct regression_run *runs, size_t n)
{
	double sum = 0;

	for (size_t i = n - REGRESSION_NEWEST; i < n; i++)
		sum += runs[i].rate;
	return sum / REGRESSION_NEWEST;
}

static double limit_at(const struct regression *r, double deviations)
{
	double by_spread = r->median - deviations * r->deviation;
	double by_drop = r->median * (1 - DROP_MIN_RATIO);

	return by_spread < by_drop ? by_spread : by_drop;
}

/* All but the state, for the newest of n runs. */
static void measure(const struct regression_run *runs, size_t n, double *scratch,
		    struct regression *out)
{
	out->n_before = n - REGRESSION_NEWEST;
	for (size_t i = 0; i < out->n_before; i++)
		scratch[i] = runs[i].rate;
	out->median = median_of(scratch, out->n_before);
	for (size_t i = 0; i < out->n_before; i++)
		scratch[i] = fabs(runs[i].rate - out->median);
	out->deviation = MAD_TO_DEVIATION * median_of(scratch, out->n_before);
	if (out->deviation < DEVIATION_MIN_RATIO * out->median)
		out->deviation = DEVIATION_MIN_RATIO * out->median;
	out->newest = mean_of_newest(runs, n);
	out->limit = limit_at(out, SUSPICIOUS_DEVIATIONS);
}

static bool is_suspicious(const struct regression *r)
{
	return r->newest < r->limit;
}

/*
 * The suspicion goes back as long as each run before was suspicious, too. It is confirmed if it
 * began in an earlier session, and a run since then is slow itself: three in a row share what
 * their session had.
 */
static void look_back(const struct regression_run *runs, size_t n, size_t baseline_min,
		      double *scratch, struct regression *out)
{
	int64_t slow_at_ns = -1; /* the newest run that is slow itself */

	out->state = REGRESSION_SUSPECTED;
	out->first_slow = n - 1;
	for (size_t k = n; k - REGRESSION_NEWEST >= baseline_min; k--) {
		struct regression earlier = { 0 };

		measure(runs, k, scratch, &earlier);
		if (!is_suspicious(&earlier))
			return;
		out->first_slow = k - 1;
		if (slow_at_ns >= 0 && slow_at_ns - runs[k - 1].at_ns >= REGRESSION_SESSION_NS)
			out->state = REGRESSION_CONFIRMED;
		if (slow_at_ns < 0 && runs[k - 1].rate < limit_at(&earlier, CONFIRMING_DEVIATIONS))
			slow_at_ns = runs[k - 1].at_ns;
	}
}

void regression_judge(const struct regression_run *runs, size_t n, size_t baseline_min,
		      double *scratch, struct regression *out)
{
	*out = (struct regression){
		.state = REGRESSION_LEARNING,
		.median = -1,
		.deviation = -1,
		.newest = -1,
		.limit = -1,
		.first_slow = n,
	};
	if (baseline_min < 1)
		baseline_min = 1;
	if (n < baseline_min + REGRESSION_NEWEST) {
		out->n_before = n > REGRESSION_NEWEST ? n - REGRESSION_NEWEST : 0;
		return;
	}
	measure(runs, n, scratch, out);
	out->state = REGRESSION_NONE;
	if (is_suspicious(out))
		look_back(runs, n, baseline_min, scratch, out);
}

const char *regression_state_name(enum regression_state state)
{
	static const char *const names[] = {
		[REGRESSION_LEARNING] = "learning",
		[REGRESSION_NONE] = "none",
		[REGRESSION_SUSPECTED] = "suspected",
		[REGRESSION_CONFIRMED] = "regression",
	};
	_Static_assert(ARRAY_LEN(names) == REGRESSION_STATE_COUNT, "name every state");

	return names[state];
}
