/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram - how often a call took how long
 */
#include "iotest/histogram.h"

/* What two roundings of a double may add to share * all: 0.07 * 100 is a little more than 7. */
#define ROUNDING 1e-15

int64_t histogram_middle_ns(size_t class_index)
{
	size_t octave, step;

	if (class_index >= HISTOGRAM_CLASSES)
		class_index = HISTOGRAM_CLASSES - 1;
	if (class_index < HISTOGRAM_STEPS)
		return (int64_t)class_index;
	octave = class_index / HISTOGRAM_STEPS - 1;
	step = HISTOGRAM_STEPS + class_index % HISTOGRAM_STEPS;
	return (int64_t)(step << octave) + (int64_t)((1ULL << octave) / 2);
}

/* From 1 to all: the call up to which the share reaches. */
static uint64_t rank_of(double share, uint64_t all)
{
	double want = share * (double)all;
	uint64_t rank;

	if (!(want > 1))
		return 1;
	if (want >= (double)all)
		return all;
	rank = (uint64_t)want;
	return want - (double)rank > ROUNDING * want ? rank + 1 : rank;
}

int64_t histogram_percentile_ns(const uint64_t *counts, double share)
{
	uint64_t all = 0, seen = 0, rank;

	for (size_t i = 0; i < HISTOGRAM_CLASSES; i++)
		all += counts[i];
	if (all == 0)
		return -1;
	rank = rank_of(share, all);
	for (size_t i = 0; i < HISTOGRAM_CLASSES; i++) {
		seen += counts[i];
		if (seen >= rank)
			return histogram_middle_ns(i);
	}
	return histogram_middle_ns(HISTOGRAM_CLASSES - 1);
}
