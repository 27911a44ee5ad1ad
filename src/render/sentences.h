/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sentences - what stands at the head and the foot of a report, whatever sets it
 *
 * Appended without a line feed and raw, but for the times: outputs escape them.
 */
#ifndef IOTEST_RENDER_SENTENCES_H
#define IOTEST_RENDER_SENTENCES_H

#include "iotest/buf.h"
#include "iotest/report.h"

/* "full run within a memory limit, mixed 70/30, run 2 of 3"; nothing without a plan. */
void sentence_add_kind_of_run(const struct report *report, struct buf *out);

/* "0.1.0 (judged by 0.2.0)" */
void sentence_add_version(const struct report *report, struct buf *out);

/* From when to when, in local time where its offset is known, and in UTC. */
void sentence_add_times(const struct run *run, struct buf *out);

/* "BELOW" */
void sentence_add_result(const struct verdict *verdict, struct buf *out);

/* What is asked for, where that is published; "none". */
void sentence_add_rule(const struct verdict *verdict, struct buf *out);

/* What the reader does now. */
void sentence_add_next(const struct report *report, struct buf *out);

/* What is left in the target, how long all took, how it ended. */
void sentence_add_end(const struct report *report, struct buf *out);

/* "NAME in DIR", or "none". */
void sentence_add_bundle(const struct report *report, struct buf *out);

#endif
