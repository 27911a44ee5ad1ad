/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_parts - the sections of the text pages
 *
 * A section without anything to say adds nothing. No rate of a phase that is not usable is shown
 * anywhere, whatever the nouns hold.
 */
#ifndef IOTEST_RENDER_TEXT_PARTS_H
#define IOTEST_RENDER_TEXT_PARTS_H

#include <stdbool.h>

#include "iotest/buf.h"
#include "iotest/report.h"

/* Below the verdict: what the control did, if there was one. */
void text_add_control(const struct report *report, size_t column, struct buf *out);

/* Title, times, VERDICT; in the long form its rule, too. */
void text_add_head(const struct report *report, struct buf *out);
void text_add_head_short(const struct report *report, struct buf *out);

/* RESULTS to STATISTICS: lines that field scripts parse; they never change. */
void text_add_block(const struct report *report, struct buf *out);

/* RATES: what is judged, against what. */
void text_add_rates(const struct report *report, struct buf *out);

/* RATES of the short page: those that are judged or bound, and one sentence on the words. */
void text_add_rates_short(const struct report *report, struct buf *out);

/* RUNS: each of several runs, their median and range. */
void text_add_runs(const struct report *report, struct buf *out);

/* WORKERS: the slowest and the fastest. */
void text_add_workers(const struct report *report, struct buf *out);

/* OVER TIME and STEADY: the rounds as a chart. */
void text_add_time(const struct report *report, struct buf *out);

/* OVER TIME of the short page: one line for each phase. */
void text_add_lines_of_time(const struct report *report, struct buf *out);

/* CALLS: how long they took. */
void text_add_calls(const struct report *report, struct buf *out);

/* PROOF: what is known of where the bytes came from, or went. */
void text_add_proof(const struct report *report, struct buf *out);

/* LIMITED BY: what held the rates back, with the control and the host. */
void text_add_limits(const struct report *report, struct buf *out);
void text_add_limits_short(const struct report *report, struct buf *out);

/* FINDINGS: the gravest first. */
void text_add_findings(const struct report *report, struct buf *out);

/* The same on one screen: what is long is cut, and advice is for what is grave. */
void text_add_findings_short(const struct report *report, struct buf *out);

/* BUNDLE and CLEAN. */
void text_add_end(const struct report *report, struct buf *out);

/* FACTS: how it was measured, what was moved. */
void text_add_facts(const struct report *report, struct buf *out);

/* The measured phases in the order of the page: reads first, as in the results block. */
#define TEXT_PHASES 3
extern const int text_phases[TEXT_PHASES];

/* The phase was run, or should have been. */
bool text_has_phase(const struct report *report, int phase_kind);

/* A rate with four digits or so: more would look like more than is known. */
void text_add_rate(struct buf *out, double mib_per_s);

/* What a call does, by the way of the plan. */
const char *text_call_legend(const struct plan *plan);

/* "9.87 ms": three digits; "n/a" below 0. */
void text_add_call_time(struct buf *out, int64_t ns);

/* a + b for facts that may be anything: unknown is left out, the largest number is the end. */
int64_t text_plus(int64_t a, int64_t b);

#endif
