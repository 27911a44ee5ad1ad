/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters - what the kernel counted: bytes of block devices and of this process
 *
 * The fields are in Documentation/block/stat.rst and Documentation/filesystems/proc.rst.
 */
#include "counters.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iotest/xalloc.h"

#define BLOCKS "/sys/class/block"

static int read_small(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, size - 1);
	(void)close(fd);
	if (n < 0)
		return -EIO;
	text[n] = '\0';
	return 0;
}

int64_t counters_io_value(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0)
			return strtoll(line + len, NULL, 10);
	}
	return -1;
}

int64_t counters_self_io(const char *key)
{
	char text[512];

	if (read_small("/proc/self/io", text, sizeof(text)))
		return -1;
	return counters_io_value(text, key);
}

int counters_parse_stat(const char *text, int64_t *read_bytes, int64_t *written_bytes)
{
	uint64_t read_sectors, written_sectors;

	if (sscanf(text, "%*u %*u %" SCNu64 " %*u %*u %*u %" SCNu64, &read_sectors,
		   &written_sectors) != 2)
		return -EINVAL;
	if (read_sectors > INT64_MAX / SECTOR_BYTES || written_sectors > INT64_MAX / SECTOR_BYTES)
		return -EINVAL;
	*read_bytes = (int64_t)read_sectors * SECTOR_BYTES;
	*written_bytes = (int64_t)written_sectors * SECTOR_BYTES;
	return 0;
}

/* The first bytes of a file of the device. Returns 0 or -errno. */
static int read_attribute(const char *blocks, const char *name, const char *file, char *text,
			  size_t size)
{
	char path[512];
	int len = snprintf(path, sizeof(path), "%s/%s/%s", blocks, name, file);

	if (len < 0 || len >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return read_small(path, text, size);
}

static void read_device(const char *blocks, const char *name, int64_t *read_bytes,
			int64_t *written_bytes)
{
	char text[512];

	if (read_attribute(blocks, name, "stat", text, sizeof(text)) ||
	    counters_parse_stat(text, read_bytes, written_bytes)) {
		*read_bytes = -1;
		*written_bytes = -1;
	}
}

/* The queue of a partition is its disk's: the names are links to where it lies below that. */
static bool is_told_not_to_count(const char *blocks, const char *name)
{
	char text[16];

	if (read_attribute(blocks, name, "queue/iostats", text, sizeof(text)) &&
	    read_attribute(blocks, name, "../queue/iostats", text, sizeof(text)))
		return false;
	return text[0] == '0';
}

void counters_begin_at(const char *blocks, const struct target *target, struct phase *phase)
{
	for (size_t i = 0; i < target->n_devices; i++) {
		const struct device *device = &target->devices[i];
		struct device_count *count = XGROW(&phase->devices, &phase->n_devices);

		count->name = xstrdup(text_of(device->name));
		count->is_leaf = device->is_leaf;
		read_device(blocks, count->name, &count->read_bytes, &count->written_bytes);
	}
}

/* A counter that went back was reset: the device was replaced under us. */
static int64_t difference(int64_t before, int64_t after)
{
	return before >= 0 && after >= before ? after - before : -1;
}

void counters_end_at(const char *blocks, struct phase *phase)
{
	for (size_t i = 0; i < phase->n_devices; i++) {
		struct device_count *count = &phase->devices[i];
		int64_t read_bytes, written_bytes;

		read_device(blocks, count->name, &read_bytes, &written_bytes);
		count->read_bytes = difference(count->read_bytes, read_bytes);
		count->written_bytes = difference(count->written_bytes, written_bytes);
		/* Only then: dm and md of old kernels are told not to, and count. */
		if (count->read_bytes == 0 && count->written_bytes == 0 &&
		    is_told_not_to_count(blocks, count->name)) {
			count->read_bytes = -1;
			count->written_bytes = -1;
		}
	}
}

void counters_begin(const struct target *target, struct phase *phase)
{
	counters_begin_at(BLOCKS, target, phase);
}

void counters_end(struct phase *phase)
{
	counters_end_at(BLOCKS, phase);
}
