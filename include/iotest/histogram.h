/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram - how often a call took how long
 *
 * Log-linear classes: 64 to each power of two, so that the middle of a class is within 0.8 % of
 * every time in it. Times below 64 ns have a class each; those of 2^42 ns (73 minutes) and more
 * share the last one.
 */
#ifndef IOTEST_HISTOGRAM_H
#define IOTEST_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_STEPS_LOG2 6
#define HISTOGRAM_STEPS (1 << HISTOGRAM_STEPS_LOG2)
#define HISTOGRAM_OCTAVES 36 /* from 2^6 to below 2^42 */
#define HISTOGRAM_CLASSES (HISTOGRAM_STEPS * (HISTOGRAM_OCTAVES + 1))

/* The class of a time; what is below 0 counts as 0. */
static inline size_t histogram_class(int64_t ns)
{
	int octave;

	if (ns < HISTOGRAM_STEPS)
		return ns < 0 ? 0 : (size_t)ns;
	octave = 63 - __builtin_clzll((unsigned long long)ns) - HISTOGRAM_STEPS_LOG2;
	if (octave >= HISTOGRAM_OCTAVES)
		return HISTOGRAM_CLASSES - 1;
	return (size_t)(octave * HISTOGRAM_STEPS + (ns >> octave));
}

/* The middle of a class, in nanoseconds. */
int64_t histogram_middle_ns(size_t class_index);

/*
 * The time that a share of all calls did not exceed: the middle of the class in which the
 * ceil(share * all)-th call lies. counts has HISTOGRAM_CLASSES entries; -1 if all are 0.
 */
int64_t histogram_percentile_ns(const uint64_t *counts, double share);

#endif
