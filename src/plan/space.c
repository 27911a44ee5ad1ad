/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space - what a test may take of a file system, whatever it is for
 */
#include "space.h"

#define RESERVE_PERCENT 10
/* A kubelet starts to evict pods at 10 to 15 % free space. */
#define RESERVE_PERCENT_POD 25

int64_t space_reserve_percent(const struct host *host)
{
	return host->os.in_pod == 1 ? RESERVE_PERCENT_POD : RESERVE_PERCENT;
}

int64_t space_smaller(int64_t a, int64_t b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

/* Files in memory are memory that cannot be reclaimed: half of what is left is safe. */
int64_t space_memory_cap(const struct host *host, const struct target *t)
{
	int64_t left = host->memory_available_bytes;
	int64_t in_limit;

	if (!target_is_in_memory(t))
		return -1;
	if (left < 0)
		left = host->memory_bytes;
	if (host->memory_limit_bytes > 0) {
		in_limit = host->memory_limit_bytes;
		if (host->memory_limit_used_bytes > 0)
			in_limit -= host->memory_limit_used_bytes;
		if (left < 0 || in_limit < left)
			left = in_limit > 0 ? in_limit : 0;
	}
	return left < 0 ? -1 : left / 2;
}
