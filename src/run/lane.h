/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane - a file on its way: by which calls, in which order, and what is made or looked at
 *
 * All of that is chosen before the loop of the worker begins.
 */
#ifndef IOTEST_RUN_LANE_H
#define IOTEST_RUN_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "iotest/run.h"
#include "shuffle.h"
#include "worker.h"

struct lane;

/* What differs between writing and reading, chosen once before the loop. */
struct direction {
	void (*prepare)(const struct lane *lane, int64_t at, size_t len);
	void (*look)(struct lane *lane, int64_t at, size_t len);
	enum worker_op op;
};

/* A file on its way. */
struct lane {
	const struct worker_file *file;
	const struct direction *d;
	ssize_t (*move)(const struct io_ops *io, const struct lane *lane, char *data, size_t len);
	void (*step)(struct lane *lane); /* to the next block */
	int64_t block_bytes;
	size_t page_bytes;
	int64_t end; /* no block goes beyond this offset */
	struct shuffle shuffle;
	uint64_t turn; /* of the shuffle */
	char *data;
	void *scratch;
	int64_t at; /* offset of the next byte */
	int64_t moved;
	struct content_check check;
};

/* The scratch buffer is the caller's to set, if the job compares every byte. data has the bytes of
 * a block; the first one is made in it. */
void lane_begin(struct lane *lane, const struct worker_job *job, const struct worker_file *file,
		bool reads, char *data);

static inline bool lane_is_done(const struct lane *lane)
{
	return lane->moved >= lane->file->bytes;
}

/* Of the next block. */
static inline size_t lane_block_len(const struct lane *lane)
{
	int64_t len = lane->file->bytes - lane->moved;

	if (lane->end - lane->at < len)
		len = lane->end - lane->at;
	return (size_t)(len < lane->block_bytes ? len : lane->block_bytes);
}

#endif
