/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings - what went on but affects the result, as a table of judgements
 */
#ifndef IOTEST_ANALYZE_FINDINGS_H
#define IOTEST_ANALYZE_FINDINGS_H

#include <stdbool.h>

#include "iotest/buf.h"
#include "iotest/report.h"

/*
 * One judgement. check looks at the report (rates are there, findings and verdict are not) and
 * says whether it holds; if so it has written the sentence, and advice where there is any.
 */
struct judgement {
	const char *id;
	enum severity severity;
	const char *meaning;
	bool (*check)(const struct report *r, struct buf *text, struct buf *advice);
	const char *cause;  /* what usually lies behind it */
	const char *remedy; /* what to do then; advice has the figures of the run */
};

/* The rows: about the run itself, who else was there, where its bytes went, how its time was spent,
 * and about the host and the plan. */
extern const struct judgement run_judgements[];
extern const size_t n_run_judgements;
extern const struct judgement alone_judgements[];
extern const size_t n_alone_judgements;
extern const struct judgement proof_judgements[];
extern const size_t n_proof_judgements;
extern const struct judgement time_judgements[];
extern const size_t n_time_judgements;
extern const struct judgement host_judgements[];
extern const size_t n_host_judgements;

/* What was collected beside the measurement. */
extern const struct judgement evidence_judgements[];
extern const size_t n_evidence_judgements;

void findings_add(struct report *report);

#endif
