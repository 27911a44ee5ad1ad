/* SPDX-License-Identifier: Apache-2.0 */
/*
 * first_touch - which parts of a phase were slowed by memory that was used for the first time
 */
#ifndef IOTEST_FIRST_TOUCH_H
#define IOTEST_FIRST_TOUCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/series.h"

/* Whose CPU is idle for more than the rest of the time waits for something else, and is not slowed
 * by it. */
#define FIRST_TOUCH_CPU_RATIO 0.25

/* Counts of all workers, at the same moments. */
struct first_touch_facts {
	const struct series_sample *bytes;
	const struct series_sample *cpu_ns;
	size_t n;
	size_t n_workers;
};

/* A stretch from one sample to a later one. */
struct first_touch_part {
	int64_t start_ns;
	int64_t end_ns;
	double bytes;
	double cpu_ns;
	bool is_spoiled;
};

/* All parts of a phase, in order and without gaps, and their sums. */
struct first_touch {
	struct first_touch_part *parts;
	size_t n_parts;
	int64_t spoiled_ns;
	double spoiled_bytes;
	double spoiled_cpu_s_per_gib; /* -1 without a spoiled part */
	double other_cpu_s_per_gib;   /* -1 */
};

/* Fills *out, which is released with first_touch_done(). Without enough samples there are no
 * parts. */
void first_touch_find(const struct first_touch_facts *facts, struct first_touch *out);
void first_touch_done(struct first_touch *touch);

/* The time of spoiled parts between two moments. */
int64_t first_touch_ns(const struct first_touch *touch, int64_t from_ns, int64_t to_ns);

#endif
