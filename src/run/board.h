/* SPDX-License-Identifier: Apache-2.0 */
/*
 * board - the shared memory between the parent and its workers
 *
 * One slot for each worker, on cache lines of its own: the worker writes it, the parent reads it.
 * One control word that the parent writes and the workers read. All accesses are relaxed: a slot
 * is a set of single facts, and what must be ordered is ordered by the gate and by waitpid.
 */
#ifndef IOTEST_RUN_BOARD_H
#define IOTEST_RUN_BOARD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/compiler.h"
#include "iotest/histogram.h"
#include "iotest/run.h"

/* Two lines of 64 bytes: processors fetch them in pairs. */
#define BOARD_LINE_BYTES 128

enum stop_order {
	STOP_NONE,
	STOP_HOLD,    /* no further block until the order changes */
	STOP_FINISH,  /* no further block, but the window ends as it should: fsync */
	STOP_ABANDON, /* no further block, no fsync */
};

enum worker_state {
	WORKER_STARTING,
	WORKER_READY,
	WORKER_MOVING,
	WORKER_HOLDING,
	WORKER_SYNCING,
	WORKER_ENDED
};

/* Times are of the monotonic clock; -1 until they are known. */
struct worker_slot {
	_Alignas(BOARD_LINE_BYTES) _Atomic int32_t state;
	_Atomic int32_t is_complete; /* all bytes moved, fsync done where it belongs */
	_Atomic int32_t error;
	_Atomic int32_t error_op;
	_Atomic int64_t error_offset_bytes;
	_Atomic int64_t bytes;
	_Atomic int64_t read_bytes; /* of those, in a mixed phase */
	_Atomic int64_t ops;
	_Atomic int64_t start_ns;
	_Atomic int64_t last_io_ns;
	_Atomic int64_t end_ns;
	_Atomic int64_t fsync_ns;
	_Atomic int64_t user_ns;
	_Atomic int64_t system_ns;
	_Atomic int64_t storage_bytes;
	_Atomic int64_t window_ns; /* of waits for write-back; -1 without a window */
	_Atomic int64_t call_max_ns;
	_Atomic int64_t stamps;
	_Atomic int64_t bad_stamps;
	_Atomic int32_t bad_kind; /* this and the next three: of the first one */
	_Atomic int64_t bad_offset_bytes;
	_Atomic int64_t bad_found_worker;
	_Atomic int64_t bad_found_offset_bytes;
	_Atomic uint64_t calls[HISTOGRAM_CLASSES];
};

struct board {
	_Alignas(BOARD_LINE_BYTES) _Atomic int32_t stop; /* enum stop_order */
	_Atomic int64_t held_ns; /* all workers held for so long: no time of the phase */
	size_t n_slots;
	struct worker_slot slots[];
};

/* A board for n workers, nothing known of any. Returns 0 or -errno; close with board_close. */
MUST_CHECK int board_open(size_t n, struct board **out);
void board_close(struct board **board);

/* A slot as a result, with times counted from gate_ns and never negative. */
void board_collect(const struct worker_slot *slot, int64_t gate_ns, struct worker_result *out);

/* Adds the slot's calls to counts, which has HISTOGRAM_CLASSES entries. */
void board_add_calls(const struct worker_slot *slot, uint64_t *counts);

#define SLOT_PUT(member, value) atomic_store_explicit(&(member), (value), memory_order_relaxed)
#define SLOT_GET(member) atomic_load_explicit(&(member), memory_order_relaxed)

#endif
