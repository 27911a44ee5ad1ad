/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blockstat - the stat file of a block device, and the switch that stops its counting
 */
#include "blockstat.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "procfile.h"

static const int64_t units[] = {
	[BLOCKSTAT_READ_OPS] = 1,
	[BLOCKSTAT_READ_MERGES] = 1,
	[BLOCKSTAT_READ_BYTES] = SECTOR_BYTES,
	[BLOCKSTAT_READ_NS] = NS_PER_MS,
	[BLOCKSTAT_WRITE_OPS] = 1,
	[BLOCKSTAT_WRITE_MERGES] = 1,
	[BLOCKSTAT_WRITE_BYTES] = SECTOR_BYTES,
	[BLOCKSTAT_WRITE_NS] = NS_PER_MS,
	[BLOCKSTAT_IN_FLIGHT] = 1,
	[BLOCKSTAT_BUSY_NS] = NS_PER_MS,
	[BLOCKSTAT_QUEUE_NS] = NS_PER_MS,
};
_Static_assert(ARRAY_LEN(units) == BLOCKSTAT_FIELDS, "every field has its unit");

int blockstat_parse(const char *text, int64_t fields[BLOCKSTAT_FIELDS])
{
	int64_t found[BLOCKSTAT_FIELDS];

	if (procfile_numbers(text, found, BLOCKSTAT_FIELDS) != BLOCKSTAT_FIELDS)
		return -EINVAL;
	for (size_t i = 0; i < BLOCKSTAT_FIELDS; i++) {
		if (__builtin_mul_overflow(found[i], units[i], &found[i]))
			return -EINVAL;
	}
	memcpy(fields, found, sizeof(found));
	return 0;
}

int blockstat_path(char *path, size_t size, const char *blocks, const char *name, const char *file)
{
	int len = snprintf(path, size, "%s/%s/%s", blocks, name, file);

	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : 0;
}

static int read_switch(const char *blocks, const char *name, const char *file, char *text,
		       size_t size)
{
	char path[512];
	int rc = blockstat_path(path, sizeof(path), blocks, name, file);

	return rc ? rc : procfile_read(path, text, size);
}

/* The queue of a partition is its disk's: the names are links to where it lies below that. */
bool blockstat_is_told_not_to_count(const char *blocks, const char *name)
{
	char text[16];

	if (read_switch(blocks, name, "queue/iostats", text, sizeof(text)) &&
	    read_switch(blocks, name, "../queue/iostats", text, sizeof(text)))
		return false;
	return text[0] == '0';
}
