/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regression - whether the newest of many runs are slower than those before them
 *
 * Pure arithmetic on rates, the oldest first. What is asked: is the mean of the last three below
 * what the median and the spread of all before them let expect? One answer is a suspicion; runs
 * close together agree and can all be wrong, so that it is confirmed only by a run of a later
 * session that is slow itself.
 */
#ifndef IOTEST_REGRESSION_H
#define IOTEST_REGRESSION_H

#include <stddef.h>
#include <stdint.h>

#define REGRESSION_NEWEST 3
#define REGRESSION_BASELINE_MIN 20
#define REGRESSION_SESSION_NS (15LL * 60 * 1000000000)

enum regression_state {
	REGRESSION_LEARNING, /* too few runs before the last three */
	REGRESSION_NONE,
	REGRESSION_SUSPECTED,
	REGRESSION_CONFIRMED,
	REGRESSION_STATE_COUNT
};

struct regression_run {
	int64_t at_ns;
	double rate;
};

struct regression {
	enum regression_state state;
	size_t n_before;   /* runs that the last three are held against */
	double median;	   /* of those; -1 while learning */
	double deviation;  /* of those: 1.4826 x median absolute deviation, at least 2 % */
	double newest;	   /* mean of the last three; -1 with fewer */
	double limit;	   /* below it a mean is suspicious */
	size_t first_slow; /* index of the first run of the suspicion, else n */
};

/*
 * Judges the newest of n runs. A rate of 0 or below was not measured and is not to be among them.
 * At least baseline_min runs must lie before the last three. All memory is *scratch, n doubles.
 */
void regression_judge(const struct regression_run *runs, size_t n, size_t baseline_min,
		      double *scratch, struct regression *out);

/* "learning", "none", "suspected", "regression" */
const char *regression_state_name(enum regression_state state);

#endif
