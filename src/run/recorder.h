/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder - the series of a phase, as it grows
 *
 * Every sample goes to samples.tsv; the phase itself keeps at most SERIES_POINTS_MAX of them: when
 * it is full, every second one goes, and from then on only every second one is kept.
 */
#ifndef IOTEST_RUN_RECORDER_H
#define IOTEST_RUN_RECORDER_H

#include <stdbool.h>

#include "iotest/run.h"

/* Zeroed at the gate. */
struct recorder {
	size_t every; /* of the samples is kept; 0: 1 */
	size_t skipped;
	struct series_point last; /* not kept yet, if skipped is not 0 */
};

void recorder_add(struct recorder *r, struct phase *phase, const struct series_point *point);

/* The last sample is always in the series. */
void recorder_end(struct recorder *r, struct phase *phase);

/*
 * Whether the rate of the workers has become steady, by rounds of a phase as long as budget_ns.
 * Only for phases whose writers cannot run ahead of the storage.
 */
bool recorder_is_steady(const struct phase *phase, int64_t budget_ns);

#endif
