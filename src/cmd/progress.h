/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress - what a person sees while it runs, on stderr
 *
 * On a terminal one live line per phase; elsewhere one line at the start and the end of each
 * phase, without control characters. Quiet: nothing.
 */
#ifndef IOTEST_CMD_PROGRESS_H
#define IOTEST_CMD_PROGRESS_H

#include <stdbool.h>

#include "iotest/runner.h"

struct progress {
	bool is_quiet;
	bool is_terminal;
	const struct plan *plans;   /* of the jobs that run together, borrowed */
	struct run_sample *samples; /* the last of each */
	size_t n_jobs;
	int64_t last_bytes;
	int64_t last_ns;
	double current_mib_per_s;
};

void progress_init(struct progress *p, bool is_quiet);
void progress_done(struct progress *p);

/* A run of n plans begins, which must stay until the next one; run is from 0. */
void progress_begin(struct progress *p, const struct plan *plans, size_t n, size_t run);
void progress_tell(struct progress *p, const struct run_event *event);

#endif
