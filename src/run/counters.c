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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iotest/xalloc.h"

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

static void read_device(const char *name, int64_t *read_bytes, int64_t *written_bytes)
{
	char path[256], text[512];
	int len = snprintf(path, sizeof(path), "/sys/class/block/%s/stat", name);

	if (len < 0 || len >= (int)sizeof(path) || read_small(path, text, sizeof(text)) ||
	    counters_parse_stat(text, read_bytes, written_bytes)) {
		*read_bytes = -1;
		*written_bytes = -1;
	}
}

void counters_begin(const struct target *target, struct phase *phase)
{
	for (size_t i = 0; i < target->n_devices; i++) {
		const struct device *device = &target->devices[i];
		struct device_count *count = XGROW(&phase->devices, &phase->n_devices);

		count->name = xstrdup(text_of(device->name));
		count->is_leaf = device->is_leaf;
		read_device(count->name, &count->read_bytes, &count->written_bytes);
	}
}

/* A counter that went back was reset: the device was replaced under us. */
static int64_t difference(int64_t before, int64_t after)
{
	return before >= 0 && after >= before ? after - before : -1;
}

void counters_end(struct phase *phase)
{
	for (size_t i = 0; i < phase->n_devices; i++) {
		struct device_count *count = &phase->devices[i];
		int64_t read_bytes, written_bytes;

		read_device(count->name, &read_bytes, &written_bytes);
		count->read_bytes = difference(count->read_bytes, read_bytes);
		count->written_bytes = difference(count->written_bytes, written_bytes);
	}
}
