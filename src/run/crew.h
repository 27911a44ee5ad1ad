/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crew - the worker processes of one phase, from fork to the last wait
 */
#ifndef IOTEST_RUN_CREW_H
#define IOTEST_RUN_CREW_H

#include <stddef.h>
#include <stdint.h>

#include "iotest/compiler.h"
#include "iotest/io_ops.h"
#include "iotest/run.h"
#include "iotest/runner.h"
#include "workspace.h"

/* No worker is let go before all are ready; a crew that takes longer than this never will be. */
#define CREW_READY_NS (60 * NS_PER_S)

/* What is to be done, and who is told. Everything is borrowed. */
struct crew_order {
	const struct io_ops *io;
	const struct workspace *workspace;
	int phase; /* enum phase_kind */
	size_t n_workers;
	const int64_t *bytes; /* of each worker */
	int64_t planned_bytes;
	int64_t block_bytes;
	int data; /* enum data_kind */
	int fsync_in_window;
	const char *run_id;
	int64_t deadline_ns; /* of io's clock; INT64_MAX: none */

	void (*at_gate)(void *context); /* just before the gate opens */
	void (*sample)(void *context, const struct run_sample *sample);
	void *context;
};

/*
 * Runs the workers and fills status, started_at_ns and workers of the phase, also on failure.
 * When it returns no worker lives, but for one that the kernel holds after SIGKILL.
 *
 * Returns 0 if the gate was opened; else a negative errno with the sentence in err: a process
 * could not be made, a worker was not ready in time, or a signal came before.
 */
MUST_CHECK int crew_run(const struct crew_order *order, struct phase *phase, struct err *err);

#endif
