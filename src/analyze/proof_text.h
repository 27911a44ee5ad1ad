/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proof_text - what is proved, and what is not, in one line each
 */
#ifndef IOTEST_ANALYZE_PROOF_TEXT_H
#define IOTEST_ANALYZE_PROOF_TEXT_H

#include "chain.h"
#include "iotest/buf.h"
#include "iotest/report.h"

/* How a reason begins that says that nothing tells. */
#define PROOF_UNPROVED "not proved here: "

/* The reason without that. */
const char *proof_text_of_reason(const char *reason);

/* Fills rates->proof, from ratios and the reason. */
void proof_text_phase(struct report *r, int kind, const struct chain *chain);

/* What no host can see. */
void proof_text_beyond(const struct report *r, struct buf *out);

/* In percent, cut to 0.1: 99.99 is not 100. */
double proof_text_percent(double ratio);

#endif
