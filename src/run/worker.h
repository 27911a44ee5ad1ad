/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker - one process of a phase: it moves its bytes and stamps its slot
 */
#ifndef IOTEST_RUN_WORKER_H
#define IOTEST_RUN_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "iotest/compiler.h"
#include "iotest/io_ops.h"
#include "board.h"
#include "content.h"

/* One file and what is done with it. */
struct worker_file {
	int fd;
	int64_t bytes;	      /* to move */
	int64_t first_block;  /* blocks first, first + stride, ... are this worker's */
	int64_t block_stride; /* 1: all of them */
	int64_t size_bytes;   /* read at random: of the whole file */
	bool is_foreign;      /* what it holds is not known: nothing is compared */
	struct content content;
};

/* Pages of one transfer; the kernel takes no more at once. */
#define WORKER_PAGES_MAX 1024

/* What a worker does, as plain data; everything is borrowed. */
struct worker_job {
	const struct io_ops *io;
	const struct board *board; /* only the stop order is read */
	struct worker_slot *slot;
	int phase;		  /* enum phase_kind */
	struct worker_file file;  /* written; in a read phase read */
	struct worker_file other; /* of a mixed phase: read */
	int64_t block_bytes;	  /* of one transfer */
	int64_t page_bytes;	  /* shorter than that: scattered and gathered in such pages */
	int order;		  /* enum io_order, where it is read */
	uint64_t seed;		  /* of a random order */
	int integrity;		  /* enum integrity */
	int fsync_in_window;	  /* where anything is written */
	int64_t window_bytes;	  /* see struct io_spec; 0 or less: off */
	int64_t back_bytes;	  /* with a window: write-back is started in such pieces */
	int64_t pace_bytes_per_s; /* 0 or less: off */
	bool pace_is_cap;	  /* who was held up does not catch up */
	bool is_gentle;		  /* the lowest priority */
	const char *cpus;	  /* to be bound to, "0,64"; NULL: not */
};

/* How a worker is bound to the process that started it. */
struct worker_bond {
	pid_t parent;
	int gate_fd; /* one byte of it lets one worker go; its end means the parent is gone */
	int done_fd; /* a byte in it wakes the parent */
};

/* A block each, page aligned: what is moved, and what it is compared with. */
struct worker_buffers {
	void *data;
	void *other; /* of the second file of a mixed phase */
	void *scratch;
};

/*
 * Moves all blocks of the job between its first and last stamp; each buffer has block_bytes. What
 * happened is in the slot, also on failure. Returns 0, or -errno of what the slot tells.
 */
MUST_CHECK int worker_move(const struct worker_job *job, const struct worker_buffers *buffers);

/* The life of a worker process, from fork to its end. */
_Noreturn void worker_main(const struct worker_job *job, const struct worker_bond *bond);

#endif
