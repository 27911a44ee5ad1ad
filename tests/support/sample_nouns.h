/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_nouns - host, plan and run of a run that was never made
 *
 * 4 workers of 96 GiB on an XFS volume: 1252 s of writing, 936 s of reading.
 */
#ifndef SAMPLE_NOUNS_H
#define SAMPLE_NOUNS_H

#include "iotest/compiler.h"
#include "iotest/host.h"
#include "iotest/plan.h"
#include "iotest/run.h"

#define SAMPLE_WORKERS 4
#define SAMPLE_BEGIN (1796094004LL * NS_PER_S) /* 2026-12-01 03:00:04 UTC */
#define SAMPLE_ALL_BYTES (SAMPLE_WORKERS * 96 * GIB)

/* Nanoseconds of the calls of a phase. */
struct sample_calls {
	int64_t p50, p90, p99, p999, max;
};
extern const struct sample_calls sample_write_calls;
extern const struct sample_calls sample_read_calls;
extern const struct sample_calls sample_control_calls;

void sample_fill_host(struct host *host);
void sample_fill_plan(struct plan *plan);
void sample_fill_run(struct run *run);

/* The writes past the page cache that follow a verdict below. */
void sample_fill_control(struct run *run);

#endif
