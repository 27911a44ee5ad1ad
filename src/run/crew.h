/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crew - the worker processes of one phase, from fork to the last wait
 *
 * Several runs can have their phase together: then each is a part of the crew, with one gate for
 * all.
 */
#ifndef IOTEST_RUN_CREW_H
#define IOTEST_RUN_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/compiler.h"
#include "iotest/io_ops.h"
#include "iotest/run.h"
#include "iotest/runner.h"
#include "content.h"
#include "workspace.h"

/* No worker is let go before all are ready; a crew that takes longer than this never will be. */
#define CREW_READY_NS (60 * NS_PER_S)

/* One file of a task. */
struct crew_file {
	size_t index; /* in the workspace; its content is that of this number */
	int64_t bytes;
	int64_t first_block; /* see struct worker_file */
	int64_t block_stride;
	int64_t size_bytes;
};

/* What one worker does, as plain data; everything is borrowed. */
struct crew_task {
	const struct io_spec *io;
	const struct workspace *workspace;
	const struct content_source *source; /* of DATA_FILE, else NULL */
	const char *run_id;
	struct crew_file file;
	struct crew_file other; /* of a mixed phase: read */
	const char *cpus;	/* to be bound to, or NULL */
	bool is_gentle;		/* at the lowest priority */
};

/* The tasks of one run, one after the other in the order's list. */
struct crew_part {
	struct phase *phase;
	size_t n_tasks;
};

/* What is to be done, and who is told. Everything is borrowed. */
struct crew_order {
	const struct io_ops *io;
	int phase; /* enum phase_kind */
	const struct crew_task *tasks;
	size_t n_tasks;
	const struct crew_part *parts;
	size_t n_parts;
	int64_t deadline_ns; /* of io's clock; INT64_MAX: none */
	/* After an order to stop: a call, fsync too, is given up when nothing has moved for
	 * patience_ns, and in any case after limit_ns. INT64_MAX: fsync may take its time. */
	int64_t patience_ns;
	int64_t limit_ns;
	/* After so much work all pause, with nothing under way, until pause comes back; 0: never.
	 * The deadline moves by that time. */
	int64_t slice_ns;
	void (*pause)(void *context);

	void (*at_gate)(void *context); /* just before the gate opens */
	/* device fields and dirty_bytes of the point are for the receiver to fill */
	void (*sample)(void *context, size_t part, struct run_sample *sample);
	bool (*is_enough)(void *context);   /* after the samples: all may end in order; or NULL */
	bool (*is_short)(void *context);    /* before the gate, too: of space, all must; or NULL */
	int64_t (*moved_ns)(void *context); /* when anything moved last, by io's clock; or NULL */
	void *context;
};

/*
 * Runs the workers and fills status, planned_bytes, started_at_ns, budget_ns, longest_gap_ns,
 * workers and call_times of each part's phase, also on failure. When it returns no worker lives,
 * but for one that the kernel holds after SIGKILL.
 *
 * Returns 0 if the gate was opened; else a negative errno with the sentence in err: a process
 * could not be made, a worker was not ready in time, or a signal came before.
 */
MUST_CHECK int crew_run(const struct crew_order *order, struct err *err);

#endif
