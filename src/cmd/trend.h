/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trend - whether a run is slower than those like it before, and what has changed since
 */
#ifndef IOTEST_CMD_TREND_H
#define IOTEST_CMD_TREND_H

#include <stddef.h>

#include "iotest/history.h"
#include "iotest/regression.h"

/* So many runs are looked back on, this one among them. */
#define TREND_RUNS 100

/* A rate of an entry. */
struct trend_rate {
	const char *phase;
	size_t offset; /* of the double in struct history_entry */
};
extern const struct trend_rate trend_rates[];
extern const size_t n_trend_rates;
double trend_rate_of(const struct history_entry *entry, const struct trend_rate *rate);

/*
 * The last of n entries that are like each other, the oldest first. Adds what is to be told, also
 * while it is still learning; returns the gravest of the states of its rates.
 */
enum regression_state trend_judge(const struct history_entry *entries, size_t n,
				  size_t baseline_min, struct buf *text);

/* The same for an entry that is not in the history yet. */
MUST_CHECK int trend_judge_next(struct history *history, const struct history_entry *entry,
				size_t baseline_min, enum regression_state *state, struct buf *text,
				struct err *err);

#endif
