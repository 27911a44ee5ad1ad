/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sizing - how large the test files may be
 *
 * Pure arithmetic. The rules, with their origin, are in docs/METHOD.md.
 */
#include "sizing.h"

#include <errno.h>

#include "iotest/units.h"

/* XFS allocates ahead of a growing file, up to its size and at most this much. */
#define XFS_PREALLOCATION_MAX (8 * GIB)
/* Up to this share per worker the allocation ahead can double the file. */
#define XFS_DOUBLING_MAX (16 * GIB)

static int64_t min_i64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* What may be taken beyond a file of that size. */
static int64_t preallocation(const struct size_question *q, int64_t bytes)
{
	if (!q->is_xfs)
		return 0;
	if (q->allocsize_bytes >= 0)
		return q->allocsize_bytes;
	return min_i64(bytes, XFS_PREALLOCATION_MAX);
}

/* The largest file that leaves room for what is taken beyond it. */
static int64_t fit_file(const struct size_question *q, int64_t share)
{
	if (!q->is_xfs)
		return share;
	/* An allocsize larger than half the share would leave next to nothing; near full, XFS gives
	 * its allocation ahead up, so half is what can be counted on. */
	if (q->allocsize_bytes >= 0 && q->allocsize_bytes <= share / 2)
		return share - q->allocsize_bytes;
	if (q->allocsize_bytes >= 0 || share <= XFS_DOUBLING_MAX)
		return share / 2;
	return share - XFS_PREALLOCATION_MAX;
}

static bool fits(const struct size_question *q, int64_t bytes, int64_t usable)
{
	int64_t one;
	int64_t all;

	if (units_add(bytes, preallocation(q, bytes), &one))
		return false;
	if (units_mul(one, q->workers, &all))
		return false;
	return all <= usable;
}

int64_t sizing_reserve_bytes(int64_t fs_bytes, int64_t percent, int64_t min_bytes)
{
	int64_t bytes = -1;

	if (fs_bytes >= 0)
		bytes = fs_bytes / 100 * percent + fs_bytes % 100 * percent / 100;
	return min_bytes > 0 && bytes < min_bytes ? min_bytes : bytes;
}

int sizing_solve(const struct size_question *q, struct size_answer *out)
{
	struct size_answer a = {
		.reserve_bytes =
			sizing_reserve_bytes(q->fs_bytes, q->reserve_percent, q->reserve_min_bytes),
		.usable_bytes = -1,
	};
	int64_t bytes = q->wanted_bytes;

	if (q->workers < 1 || q->block_bytes < 1 || bytes < q->block_bytes)
		return -EINVAL;
	if (q->free_bytes >= 0) {
		a.usable_bytes = q->free_bytes - (a.reserve_bytes > 0 ? a.reserve_bytes : 0);
		if (a.usable_bytes < 0)
			a.usable_bytes = 0;
		if (q->shares > 1)
			a.usable_bytes /= q->shares;
	}
	if (q->total_cap_bytes >= 0 && bytes > q->total_cap_bytes / q->workers) {
		bytes = q->total_cap_bytes / q->workers;
		a.shrunk_to_cap = true;
	}
	if (a.usable_bytes >= 0 &&
	    !fits(q, bytes / q->block_bytes * q->block_bytes, a.usable_bytes)) {
		bytes = min_i64(bytes, fit_file(q, a.usable_bytes / q->workers));
		a.shrunk_to_space = true;
	}
	if (q->step_bytes > 0 && bytes >= q->step_bytes)
		bytes -= bytes % q->step_bytes;
	a.blocks_per_worker = bytes / q->block_bytes;
	if (a.blocks_per_worker < 1)
		return -ENOSPC;
	a.bytes_per_worker = a.blocks_per_worker * q->block_bytes;
	a.preallocation_bytes = preallocation(q, a.bytes_per_worker);
	if (a.shrunk_to_space)
		a.preallocation_bytes = min_i64(a.preallocation_bytes,
						a.usable_bytes / q->workers - a.bytes_per_worker);
	if (units_mul(a.bytes_per_worker, q->workers, &a.total_bytes))
		return -EOVERFLOW;

	*out = a;
	return 0;
}
