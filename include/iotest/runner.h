/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner - do what the plan says: run
 *
 * One writer process per worker, then one reader process per worker, started together by a gate.
 * Whatever happens, no byte stays in the target.
 */
#ifndef IOTEST_RUNNER_H
#define IOTEST_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "iotest/err.h"
#include "iotest/host.h"
#include "iotest/plan.h"
#include "iotest/run.h"

/* What is told while it runs, about four times a second. */
struct run_sample {
	int phase;	    /* enum phase_kind */
	int64_t elapsed_ns; /* since the gate */
	int64_t bytes;	    /* all workers */
	int64_t planned_bytes;
	int64_t n_running;
	int is_syncing; /* all data is handed over, fsync is under way */
	struct series_point point;
	const char *devices;   /* what their counters say, as in samples.tsv; "" at the gate */
	int64_t slowest_bytes; /* of the worker that is least far, and most far */
	int64_t fastest_bytes;
};

enum run_event_kind { RUN_PHASE_BEGIN, RUN_SAMPLE, RUN_PHASE_END, RUN_REMOVING, RUN_EVENT_COUNT };

struct run_event {
	enum run_event_kind kind;
	struct run_sample sample;
	const struct run *run; /* as far as it is known */
	size_t job;	       /* of run_execute_together */
};

struct run_watch {
	void (*tell)(void *context, const struct run_event *event); /* may be NULL */
	/* Whether a control is to follow the phases that were measured, for PHASE_WRITE or
	 * PHASE_READ; may be NULL: no. */
	bool (*wants_control)(void *context, const struct run *run, size_t job, int phase_kind);
	/* What the control groups allow of I/O now, to be freed, as in host.io_limits; may be
	 * NULL. Asked after each phase. */
	char *(*io_limits)(void *context);
	void *context;
};

/*
 * Runs the plan. out must be initialised by run_init, with id, invocation, case_id and the like
 * set by the caller: the runner fills the rest, also after a failure, so that it is kept.
 *
 * Returns 0 if anything was measured, even if the result is unusable (that is analyze's matter);
 * a negative errno with the sentence in err if nothing was: test files could not be made, no
 * worker could be started.
 */
MUST_CHECK int run_execute(const struct host *host, const struct plan *plan,
			   const struct run_watch *watch, struct run *out, struct err *err);

/*
 * Several plans at the same time, for different targets of the same host: each phase begins and
 * ends together. Each run is filled as by run_execute. Returns 0 if anything was measured.
 */
struct run_job {
	const struct plan *plan;
	struct run *run;
};
MUST_CHECK int run_execute_together(const struct host *host, const struct run_job *jobs, size_t n,
				    const struct run_watch *watch, struct err *err);

#endif
