/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blockstat - the stat file of a block device, and the switch that stops its counting
 */
#ifndef IOTEST_RUN_BLOCKSTAT_H
#define IOTEST_RUN_BLOCKSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/compiler.h"

/* The line has up to 17 fields, each of at most 20 digits. */
#define BLOCKSTAT_TEXT_SIZE 512

/* In the order of Documentation/block/stat.rst, where bytes are sectors and times milliseconds;
 * newer kernels have more behind them. */
enum blockstat_field {
	BLOCKSTAT_READ_OPS,
	BLOCKSTAT_READ_MERGES,
	BLOCKSTAT_READ_BYTES,
	BLOCKSTAT_READ_NS,
	BLOCKSTAT_WRITE_OPS,
	BLOCKSTAT_WRITE_MERGES,
	BLOCKSTAT_WRITE_BYTES,
	BLOCKSTAT_WRITE_NS,
	BLOCKSTAT_IN_FLIGHT,
	BLOCKSTAT_BUSY_NS,
	BLOCKSTAT_QUEUE_NS,
	BLOCKSTAT_FIELDS
};

/* Returns 0, or -EINVAL if the text is none or a number of it does not fit. */
MUST_CHECK int blockstat_parse(const char *text, int64_t fields[BLOCKSTAT_FIELDS]);

/* The name of a file of the device, such as "stat". Returns 0 or -ENAMETOOLONG. */
MUST_CHECK int blockstat_path(char *path, size_t size, const char *blocks, const char *name,
			      const char *file);

bool blockstat_is_told_not_to_count(const char *blocks, const char *name);

#endif
