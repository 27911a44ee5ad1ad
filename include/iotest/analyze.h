/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyze - judge the facts: report
 *
 * Pure: the same host, plan and run always give the same report.
 */
#ifndef IOTEST_ANALYZE_H
#define IOTEST_ANALYZE_H

#include <stdbool.h>

#include "iotest/report.h"

/* Fills the derived fields of out from out->host, ->plan and ->run, after releasing what they
 * held. bundle stays. */
void analyze(struct report *out);

/* A row of the findings table, for documentation and later "iotest explain". */
struct finding_kind {
	const char *id;
	int severity;
	const char *meaning;
};
/* The i-th row; false past the end, and out stays as it is. */
bool finding_kind_at(size_t i, struct finding_kind *out);

#endif
