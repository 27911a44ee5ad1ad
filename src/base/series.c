/* SPDX-License-Identifier: Apache-2.0 */
/*
 * series - what a rate did over time: rounds, steady or not, a lasting fall
 */
#include "iotest/series.h"

#include <stdlib.h>

#include "iotest/compiler.h"

/* Of a cliff: the level after it over the one before, and the rounds on each side. */
#define CLIFF_RATIO_MAX 0.80
#define CLIFF_BEFORE_MIN 2
#define CLIFF_AFTER_MIN 3

/* The share of all variation that two levels must explain. */
#define CLIFF_EXPLAINED_MIN 0.50

/* The share of all pairs of a round before and one after of which the later is the lower. */
#define CLIFF_PAIRS_MIN 0.85

/* The rounds at each side of the fall, and the share of it that must lie between them. */
#define CLIFF_EDGE 3
#define CLIFF_EDGE_MIN 0.50

static int by_value(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return (*x > *y) - (*x < *y);
}

void series_sort(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_value);
}

double series_median(const double *sorted, size_t n)
{
	return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

int64_t series_round_ns(int64_t phase_ns)
{
	int64_t round_ns = phase_ns / SERIES_ROUNDS;

	return round_ns > SERIES_ROUND_NS_MIN ? round_ns : SERIES_ROUND_NS_MIN;
}

/* The first sample that is not before the time; n if there is none. */
static size_t find_sample(const struct series_sample *samples, size_t n, int64_t at_ns)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (samples[middle].at_ns < at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

double series_count_at(const struct series_sample *samples, size_t n, int64_t at_ns)
{
	struct series_sample from = { 0 };
	size_t next = find_sample(samples, n, at_ns);
	double span_ns, part_ns;

	if (at_ns <= 0)
		return 0;
	if (next > 0)
		from = samples[next - 1];
	if (next == n)
		return (double)from.count;
	span_ns = (double)samples[next].at_ns - (double)from.at_ns;
	part_ns = (double)at_ns - (double)from.at_ns;
	if (span_ns <= 0)
		return (double)samples[next].count;
	return (double)from.count +
	       ((double)samples[next].count - (double)from.count) * part_ns / span_ns;
}

size_t series_rates(const struct series_sample *samples, size_t n, int64_t round_ns,
		    int64_t from_ns, int64_t until_ns, double *rates, size_t max)
{
	double round_s = (double)round_ns / (double)NS_PER_S;
	uint64_t n_rounds;
	double before;

	if (round_ns <= 0 || until_ns <= from_ns)
		return 0;
	n_rounds = ((uint64_t)until_ns - (uint64_t)from_ns) / (uint64_t)round_ns;
	if (n_rounds > max)
		n_rounds = max;
	before = series_count_at(samples, n, from_ns);
	for (size_t i = 0; i < n_rounds; i++) {
		double after;

		from_ns += round_ns;
		after = series_count_at(samples, n, from_ns);
		rates[i] = (after - before) / round_s;
		before = after;
	}
	return n_rounds;
}

static double average(const double *rates, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += rates[i];
	return sum / (double)n;
}

static double range_of(const double *rates, size_t n)
{
	double low = rates[0], high = rates[0];

	for (size_t i = 1; i < n; i++) {
		low = rates[i] < low ? rates[i] : low;
		high = rates[i] > high ? rates[i] : high;
	}
	return high - low;
}

/* Of the line with the least squares, from one round to the next; two rounds at least. */
static double slope_of(const double *rates, size_t n, double mean)
{
	double middle = (double)(n - 1) / 2;
	double products = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		double x = (double)i - middle;

		products += x * (rates[i] - mean);
		squares += x * x;
	}
	return products / squares;
}

bool series_judge_steady(const double *rates, size_t n, struct series_steady *out)
{
	const double *window;
	double mean, rise;

	if (n < SERIES_WINDOW)
		return false;
	window = rates + n - SERIES_WINDOW;
	mean = average(window, SERIES_WINDOW);
	*out = (struct series_steady){ 0 };
	/* Standing still is no steady rate. */
	if (!(mean > 0))
		return true;
	rise = slope_of(window, SERIES_WINDOW, mean) * (SERIES_WINDOW - 1);
	out->range_ratio = range_of(window, SERIES_WINDOW) / mean;
	out->slope_ratio = (rise < 0 ? -rise : rise) / mean;
	out->is_steady = out->range_ratio <= SERIES_RANGE_RATIO_MAX &&
			 out->slope_ratio <= SERIES_SLOPE_RATIO_MAX;
	return true;
}

static double squares_around(const double *rates, size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (rates[i] - mean) * (rates[i] - mean);
	return sum;
}

/* What a straight line through all of it leaves unexplained. */
static double left_by_line(const double *rates, size_t n, double mean, double squares)
{
	double slope = slope_of(rates, n, mean);
	double spread = (double)n * ((double)n * (double)n - 1) / 12;

	return squares - slope * slope * spread;
}

/* The place where two levels leave the least unexplained; n is at least 2. */
static struct series_cliff best_split(const double *rates, size_t n)
{
	struct series_cliff best = { 0 };
	double best_between = -1, first = 0, all = average(rates, n) * (double)n;

	for (size_t at = 1; at < n; at++) {
		struct series_cliff split = { .at = at };
		double between;

		first += rates[at - 1];
		split.before = first / (double)at;
		split.after = (all - first) / (double)(n - at);
		between = split.before - split.after;
		between *= between * (double)at * (double)(n - at);
		if (between <= best_between)
			continue;
		best_between = between;
		best = split;
	}
	return best;
}

/* A dip that ended and a saw-tooth come back to where they were; a slow start may be. */
static bool is_lasting(const double *rates, size_t n, const struct series_cliff *cliff)
{
	size_t n_pairs = cliff->at * (n - cliff->at);
	size_t n_lower = 0;

	for (size_t i = 0; i < cliff->at; i++) {
		for (size_t k = cliff->at; k < n; k++)
			n_lower += rates[k] < rates[i];
	}
	return (double)n_lower >= CLIFF_PAIRS_MIN * (double)n_pairs &&
	       average(rates + n - CLIFF_AFTER_MIN, CLIFF_AFTER_MIN) <
		       (cliff->before + cliff->after) / 2;
}

/* A slide, whatever its form, has little of its fall between a few rounds. */
static bool is_abrupt(const double *rates, const struct series_cliff *cliff)
{
	size_t n_before = cliff->at < CLIFF_EDGE ? cliff->at : CLIFF_EDGE;
	double fall = average(rates + cliff->at - n_before, n_before) -
		      average(rates + cliff->at, CLIFF_AFTER_MIN);

	return fall >= CLIFF_EDGE_MIN * (cliff->before - cliff->after);
}

/* Two levels explain most of what varies, and more than a straight line does. */
static bool is_two_levels(const double *rates, size_t n, const struct series_cliff *cliff)
{
	double mean = average(rates, n);
	double all = squares_around(rates, n, mean);
	double left = squares_around(rates, cliff->at, cliff->before) +
		      squares_around(rates + cliff->at, n - cliff->at, cliff->after);

	return left <= (1 - CLIFF_EXPLAINED_MIN) * all && left < left_by_line(rates, n, mean, all);
}

bool series_find_cliff(const double *rates, size_t n, struct series_cliff *out)
{
	struct series_cliff cliff;

	if (n < CLIFF_BEFORE_MIN + CLIFF_AFTER_MIN)
		return false;
	cliff = best_split(rates, n);
	if (cliff.at < CLIFF_BEFORE_MIN || n - cliff.at < CLIFF_AFTER_MIN)
		return false;
	if (!(cliff.after < CLIFF_RATIO_MAX * cliff.before) || !is_two_levels(rates, n, &cliff) ||
	    !is_abrupt(rates, &cliff) || !is_lasting(rates, n, &cliff))
		return false;
	*out = cliff;
	return true;
}
