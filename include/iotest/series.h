/* SPDX-License-Identifier: Apache-2.0 */
/*
 * series - what a rate did over time: rounds, steady or not, a lasting fall
 *
 * Pure arithmetic. Used while a run goes on, to end it when it is steady, and after it, to judge.
 * Modelled on the steady state of the SNIA Solid State Storage Performance Test Specification:
 * a window of five rounds whose values lie within 20 % of their average, and whose best line rises
 * or falls by no more than 10 % of it.
 */
#ifndef IOTEST_SERIES_H
#define IOTEST_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERIES_WINDOW 5
#define SERIES_RANGE_RATIO_MAX 0.20
#define SERIES_SLOPE_RATIO_MAX 0.10
#define SERIES_ROUND_NS_MIN (2LL * 1000000000)
#define SERIES_ROUNDS 30

/* A count that only grows, at a time. */
struct series_sample {
	int64_t at_ns;
	int64_t count;
};

/* Sorts values, the lowest first. */
void series_sort(double *values, size_t n);

/* Of values that are sorted; n is at least 1. Of an even number, the mean of the middle two. */
double series_median(const double *sorted, size_t n);

/* The length of a round: a thirtieth of the phase, at least 2 s. */
int64_t series_round_ns(int64_t phase_ns);

/* The count at a time, by a straight line between the samples around it (from 0 at 0 ns); the
 * last count after the last sample. Samples are ascending in time. */
double series_count_at(const struct series_sample *samples, size_t n, int64_t at_ns);

/*
 * What was counted in each whole round from from_ns to until_ns, per second. Fills at most max
 * of rates; returns how many rounds there are, at most max.
 */
size_t series_rates(const struct series_sample *samples, size_t n, int64_t round_ns,
		    int64_t from_ns, int64_t until_ns, double *rates, size_t max);

/* The last SERIES_WINDOW rates. If nothing moved, both ratios are 0 and it is not steady. */
struct series_steady {
	bool is_steady;
	double range_ratio; /* (highest - lowest) / average */
	double slope_ratio; /* rise of the best line over the window / average, without sign */
};
/* False if there are fewer rates; out is untouched then. */
bool series_judge_steady(const double *rates, size_t n, struct series_steady *out);

/* A fall that lasts: nearly all after it is lower than nearly all before it. */
struct series_cliff {
	size_t at; /* rates[at] is the first of the lower ones */
	double before;
	double after;
};
/*
 * Looks for the one place that divides the rates best into two levels. It is a cliff if the
 * level after it is lower by more than a fifth of the one before, there are at least two rounds
 * before and three after, and the two levels explain most of what varies, more than a straight
 * line does. A ramp, a dip that ends and noise are none. False: out is untouched.
 */
bool series_find_cliff(const double *rates, size_t n, struct series_cliff *out);

#endif
