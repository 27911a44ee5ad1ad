/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyze - judge the facts: report
 *
 * Pure: the same host, plan and run always give the same report.
 */
#ifndef IOTEST_ANALYZE_H
#define IOTEST_ANALYZE_H

#include <stdbool.h>

#include "iotest/comparison.h"
#include "iotest/err.h"
#include "iotest/report.h"

/* Fills the derived fields of out from out->host, ->plan and ->run, after releasing what they
 * held. bundle stays. */
void analyze(struct report *out);

/*
 * Several runs of the same plan, in their order, each analyzed: fills the median, the lowest and
 * the highest of each judged rate, and the list of runs, into every one of them; the verdict of
 * each becomes that of the median. Does nothing with fewer than two. Returns the index of the run
 * that stands for all: the one whose lowest rate against the requirement is the (lower) median.
 */
size_t analyze_repeats(struct report *const *reports, size_t n);

/* Which control is wanted after this: true if plan->control says always and the phase was
 * measured, or if it is if-below, and the phase is judged, usable and below the requirement.
 * phase_kind is PHASE_WRITE or PHASE_READ (for a mixed run: as its mixed phase is). */
bool analyze_wants_control(const struct report *report, int phase_kind);

/*
 * Two reports that were analyzed. Rates of unlike methods are not comparable: -EINVAL, and the
 * sentence says in what they differ. Release with comparison_done.
 */
MUST_CHECK int analyze_compare(const struct report *a, const struct report *b,
			       struct comparison *out, struct err *err);

/* A row of the findings table, for documentation and "iotest explain". */
struct finding_kind {
	const char *id;
	int severity;
	const char *meaning;
	const char *cause;  /* what usually lies behind it */
	const char *remedy; /* what to do then */
};
/* The i-th row; false past the end, and out stays as it is. */
bool finding_kind_at(size_t i, struct finding_kind *out);

#endif
