/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ensemble - the runs that go on at the same time, phase by phase
 *
 * Usually one. The runner says which phases there are; here one of them is done by all.
 */
#ifndef IOTEST_RUN_ENSEMBLE_H
#define IOTEST_RUN_ENSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/io_ops.h"
#include "iotest/runner.h"
#include "brake.h"
#include "content.h"
#include "counters.h"
#include "meter.h"
#include "recorder.h"
#include "space.h"
#include "workspace.h"

/* One of them. */
struct execution {
	const struct plan *plan;
	const struct target *target;
	struct run *run;
	struct workspace workspace;
	struct content_source source;
	bool takes_part;   /* in the phase to come */
	int64_t looked_ns; /* for neighbours */
	struct space_watch *space;
	bool gave_back; /* half of what was written, for others */

	/* Of the phase that goes on. */
	struct counters_sampler *sampler;
	int64_t top_bytes; /* moved at the topmost devices, by the last sample; -1 */
	struct recorder recorder;
	struct run_sample last; /* what was told last */
	struct buf devices;
};

struct ensemble {
	const struct io_ops *io;
	const struct host *host;
	const struct run_watch *watch;
	struct execution *items;
	size_t n_items;
	int64_t end_ns; /* of the time limit; INT64_MAX: none */
	int phase;
	struct execution **parts; /* those that take part */
	size_t n_parts;
	struct meter_reading meter;
	int lazy_init; /* of ext4, when the phase began; -1 */
	struct brake brake;
	struct brake_facts brake_facts;
	int64_t patience_ns; /* for others, that is left */
	int64_t moved_ns;    /* when a byte moved last, of the workers or of a device */
};

int64_t ensemble_remaining_ns(const struct ensemble *x);

void ensemble_tell(const struct ensemble *x, const struct execution *e, enum run_event_kind kind);

/* Bytes of all workers of a phase. */
int64_t ensemble_phase_bytes(const struct phase *phase);

/* Bytes of a worker's file that can be read. */
int64_t ensemble_kept_bytes(const struct execution *e, int64_t written_bytes);

/* Test files that a plan needs. */
size_t ensemble_files(const struct plan *plan);

/*
 * Does one phase of those that take part, until deadline_ns. Returns 0 if the gate was opened;
 * else a negative errno with the sentence in err.
 */
MUST_CHECK int ensemble_run_phase(struct ensemble *x, int kind, int64_t deadline_ns,
				  struct err *err);

#endif
