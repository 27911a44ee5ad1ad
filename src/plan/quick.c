/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quick - what a test may take that has to be over within a minute
 */
#include "quick.h"

#include <errno.h>

#define BUDGET_PERCENT 40
#define WINDOWS_OF_CACHE 8
#define PAGE_BYTES 4096
#define FAST_BYTES ((double)INT64_MAX / 2)

static int64_t min_i64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t quick_budget_ns(int64_t limit_ns)
{
	return limit_ns / 100 * BUDGET_PERCENT + limit_ns % 100 * BUDGET_PERCENT / 100;
}

int64_t quick_space_bytes(int64_t free_bytes, int64_t usable_bytes)
{
	int64_t bytes = QUICK_SPACE_MAX;

	if (free_bytes >= 0)
		bytes = min_i64(bytes, free_bytes / 100 * QUICK_SPACE_PERCENT +
					       free_bytes % 100 * QUICK_SPACE_PERCENT / 100);
	if (usable_bytes >= 0)
		bytes = min_i64(bytes, usable_bytes / 2);
	return bytes;
}

int64_t quick_window_bytes(int64_t cache_bytes, int64_t n_writers)
{
	int64_t bytes = WINDOW_BYTES;

	if (cache_bytes > 0)
		bytes = min_i64(bytes, cache_bytes / WINDOWS_OF_CACHE / n_writers);
	bytes -= bytes % WINDOW_STEP_BYTES;
	return bytes > WINDOW_STEP_BYTES ? bytes : WINDOW_STEP_BYTES;
}

/* A block is a multiple of 512. */
int64_t quick_step_bytes(int64_t block_bytes)
{
	int64_t step = block_bytes;

	while (step % PAGE_BYTES && step < INT64_MAX / 2)
		step *= 2;
	return step;
}

int quick_pace(double mib_per_s, int64_t cores, int64_t workers, int64_t *bytes_per_s)
{
	double pace = mib_per_s * (double)MIB * (double)cores / (double)workers *
		      (100 + PACE_ABOVE_PERCENT) / 100;

	if (!(pace < FAST_BYTES))
		return -EOVERFLOW;
	*bytes_per_s = pace > 1 ? (int64_t)pace : 1;
	return 0;
}

int64_t quick_paced_bytes(int64_t pace_bytes_per_s, int64_t ns)
{
	double bytes = (double)pace_bytes_per_s * (double)ns / (double)NS_PER_S * 100 /
		       (100 + PACE_ABOVE_PERCENT);

	return bytes < FAST_BYTES ? (int64_t)bytes : INT64_MAX / 2;
}
