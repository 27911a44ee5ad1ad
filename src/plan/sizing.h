/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sizing - how large the test files may be
 */
#ifndef IOTEST_PLAN_SIZING_H
#define IOTEST_PLAN_SIZING_H

#include <stdbool.h>
#include <stdint.h>

#include "iotest/compiler.h"

struct size_question {
	int64_t wanted_bytes; /* per file, before rounding to blocks */
	int64_t workers;
	int64_t block_bytes;
	int64_t free_bytes; /* for this user; -1: unknown, then nothing is shrunk */
	int64_t fs_bytes;   /* of the file system; -1: unknown, then there is no reserve */
	int64_t reserve_percent;
	bool is_xfs;
	int64_t allocsize_bytes; /* XFS mount option, -1 if not set */
	int64_t total_cap_bytes; /* all files together, -1: none */
	int64_t step_bytes; /* a file is a multiple of this, if it is that large; 0: of a block */
	int64_t shares;	    /* tests that use the space at the same time; 0, 1: alone */
	int64_t reserve_min_bytes; /* whatever the percentage is; 0: none */
};

struct size_answer {
	int64_t bytes_per_worker;
	int64_t blocks_per_worker;
	int64_t total_bytes;
	int64_t preallocation_bytes; /* per file */
	int64_t reserve_bytes;	     /* -1 unknown */
	int64_t usable_bytes;	     /* of free less reserve, its share; -1 unknown */
	bool shrunk_to_space;
	bool shrunk_to_cap;
};

/* What stays free of a file system: its percentage, at least min_bytes; -1 if neither is known. */
int64_t sizing_reserve_bytes(int64_t fs_bytes, int64_t percent, int64_t min_bytes);

/*
 * Returns 0; -ENOSPC if not even one block per worker fits; -EINVAL if less than a block is
 * wanted; -EOVERFLOW. out is untouched unless 0.
 */
MUST_CHECK int sizing_solve(const struct size_question *q, struct size_answer *out);

#endif
