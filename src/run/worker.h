/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker - one process of a phase: it moves its bytes and stamps its slot
 */
#ifndef IOTEST_RUN_WORKER_H
#define IOTEST_RUN_WORKER_H

#include <stdint.h>
#include <sys/types.h>

#include "iotest/compiler.h"
#include "iotest/io_ops.h"
#include "board.h"
#include "pattern.h"

/* What a worker does, as plain data; everything is borrowed. */
struct worker_job {
	const struct io_ops *io;
	const struct board *board; /* only the stop order is read */
	struct worker_slot *slot;
	int phase; /* enum phase_kind */
	int fd;
	int64_t bytes;
	int64_t block_bytes;
	int fsync_in_window; /* of a write phase */
	struct pattern pattern;
};

/* How a worker is bound to the process that started it. */
struct worker_bond {
	pid_t parent;
	int gate_fd; /* one byte of it lets one worker go; its end means the parent is gone */
	int done_fd; /* a byte in it wakes the parent */
};

/*
 * Moves all blocks of the job between its first and last stamp; buffer has block_bytes. What
 * happened is in the slot, also on failure. Returns 0, or -errno of what the slot tells.
 */
MUST_CHECK int worker_move(const struct worker_job *job, void *buffer);

/* The life of a worker process, from fork to its end. */
_Noreturn void worker_main(const struct worker_job *job, const struct worker_bond *bond);

#endif
