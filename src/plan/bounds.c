/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds - how much may wait in memory, and how fast all workers together may be
 *
 * Pure arithmetic. A writer waits for its write-back each time it has written a piece (or a block,
 * if that is larger), until no more than its window is ahead of it. So it can have its window and
 * one such step in memory, and both together are its share of --max-dirty.
 */
#include "bounds.h"

#include <errno.h>
#include <inttypes.h>

#include "iotest/units.h"
#include "mode.h"
#include "quick.h"

/* All writers together have so much under way, and one at most so much. */
#define PIECES_BYTES (64 * MIB)
#define PIECE_BYTES_MAX WINDOW_STEP_BYTES
#define PIECE_BYTES_MIN MIB

/* Where little memory is allowed: smaller ones are a call for each block. */
#define PIECE_BYTES_SMALLEST (64 * KIB)

/* A look takes half a second. */
#define SLICE_NS (10 * NS_PER_S)
#define PATIENCE_NS (600 * NS_PER_S)

int64_t bounds_piece_bytes(int64_t n_writers)
{
	int64_t bytes = PIECE_BYTES_MAX;

	while (bytes > PIECE_BYTES_MIN && bytes * n_writers > PIECES_BYTES)
		bytes /= 2;
	return bytes;
}

int bounds_take_rate(const struct plan_wishes *w, int64_t n_at_once, struct plan *p,
		     struct err *err)
{
	int64_t bytes_per_s;

	if (w->max_rate_mib_per_s <= 0)
		return 0;
	if (units_mul(w->max_rate_mib_per_s, MIB, &bytes_per_s))
		return err_usage(err, "--max-rate: %" PRId64 " MiB/s are more than can be paced",
				 w->max_rate_mib_per_s);
	p->max_rate_mib_per_s = w->max_rate_mib_per_s;
	p->io.pace_bytes_per_s = bytes_per_s / (p->workers * n_at_once);
	p->io.pace_is_cap = 1;
	return 0;
}

/* What one writer adds before it waits again. */
static int64_t step_bytes(const struct plan *p)
{
	return p->io.piece_bytes > p->block_bytes ? p->io.piece_bytes : p->block_bytes;
}

static int take_max_dirty(int64_t max_bytes, int64_t n_writers, struct plan *p, struct err *err)
{
	CLEANUP(buf_done) struct buf least = { 0 };
	int64_t share = max_bytes / n_writers;

	while (p->io.piece_bytes > PIECE_BYTES_SMALLEST && p->io.piece_bytes > share / 2)
		p->io.piece_bytes /= 2;
	if (share / 2 < step_bytes(p)) {
		units_add_size(&least, 2 * step_bytes(p) * n_writers);
		return err_usage(err, "--max-dirty: %" PRId64 " writers need at least %s",
				 n_writers, buf_text(&least));
	}
	share -= step_bytes(p);
	share -= share % p->io.piece_bytes;
	if (p->io.window_bytes < 0 || share < p->io.window_bytes)
		p->io.window_bytes = share;
	return 0;
}

/* What is to be over in a minute, seen by the storage at its pace, or waited for at each pause. */
static bool is_windowed(const struct plan *p)
{
	return mode_is_bounded(p) || p->io.pace_is_cap || p->gentle;
}

/* O_DIRECT leaves nothing behind that could be written back. */
int bounds_take_dirty(const struct plan_wishes *w, int64_t n_at_once, struct plan *p,
		      struct err *err)
{
	int64_t n_writers = p->workers * n_at_once;
	bool is_asked = w->max_dirty_bytes > 0;

	p->max_dirty_bytes = w->max_dirty_bytes;
	if (p->io.direct || !(is_windowed(p) || is_asked))
		return 0;
	p->io.piece_bytes = bounds_piece_bytes(n_writers);
	if (is_windowed(p))
		p->io.window_bytes = quick_window_bytes(p->cache_bytes, n_writers);
	return is_asked ? take_max_dirty(w->max_dirty_bytes, n_writers, p, err) : 0;
}

void bounds_take_patience(struct plan *p)
{
	if (!p->gentle)
		return;
	p->slice_ns = SLICE_NS;
	p->patience_ns = PATIENCE_NS;
	if (p->time_limit_ns > 0 && p->time_limit_ns < p->patience_ns)
		p->patience_ns = p->time_limit_ns;
}

int64_t bounds_dirty_bytes(const struct plan *p)
{
	int64_t bytes;

	if (p->io.direct)
		return 0;
	if (p->io.window_bytes <= 0)
		return -1;
	return units_mul(p->io.window_bytes + step_bytes(p), p->workers, &bytes) ? -1 : bytes;
}
