/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison - two reports side by side: what differs, and by how much the rates changed
 */
#ifndef IOTEST_COMPARISON_H
#define IOTEST_COMPARISON_H

#include <stddef.h>
#include <stdint.h>

#include "iotest/report.h"

/* What a change is held against: the range of several runs, or of the last rounds of one. */
enum spread_of { SPREAD_UNKNOWN, SPREAD_ROUNDS, SPREAD_RUNS, SPREAD_COUNT };

enum change_result { CHANGE_UNKNOWN, CHANGE_NONE, CHANGE_LOWER, CHANGE_HIGHER, CHANGE_COUNT };

struct compared_rate {
	double mib_per_s_per_core; /* judged; -1 */
	double lowest;		   /* of the spread */
	double highest;
	enum spread_of spread_of;
};

struct rate_change {
	int kind; /* enum phase_kind */
	struct compared_rate a;
	struct compared_rate b;
	double ratio; /* b / a - 1; not a number if one is not known */
	enum change_result result;
};

/* A fact that is not the same in both. */
struct difference {
	const char *noun; /* "host", "target", "plan", "result" */
	char *key;	  /* "memory_bytes", as in JSON */
	char *a;	  /* as people read it, "unknown" */
	char *b;
};

struct comparison {
	const struct report *a; /* borrowed */
	const struct report *b;
	struct rate_change *changes;
	size_t n_changes;
	struct difference *differences;
	size_t n_differences;
};

void comparison_done(struct comparison *comparison);

#endif
