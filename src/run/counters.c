/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters - what the kernel counted: bytes of block devices and of this process
 *
 * The fields are in Documentation/block/stat.rst and Documentation/filesystems/proc.rst.
 */
#include "counters.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "iotest/fd.h"
#include "iotest/xalloc.h"
#include "blockstat.h"
#include "procfile.h"

static const struct counters_place live = {
	.blocks = "/sys/class/block",
	.mountstats = "/proc/self/mountstats",
};

/* A host with thousands of mounts has some megabytes of them. */
#define MOUNTSTATS_BYTES_MAX ((size_t)(256 * MIB))

/* The kernel counts milliseconds in 32 bits: after 49.7 days of them it begins anew. */
#define MS_WRAP_NS ((int64_t)(1LL << 32) * NS_PER_MS)

static const struct {
	size_t offset;
	enum blockstat_field field;
	bool is_time;
} values[] = {
	{ offsetof(struct device_count, read_bytes), BLOCKSTAT_READ_BYTES, false },
	{ offsetof(struct device_count, written_bytes), BLOCKSTAT_WRITE_BYTES, false },
	{ offsetof(struct device_count, read_ops), BLOCKSTAT_READ_OPS, false },
	{ offsetof(struct device_count, write_ops), BLOCKSTAT_WRITE_OPS, false },
	{ offsetof(struct device_count, read_ns), BLOCKSTAT_READ_NS, true },
	{ offsetof(struct device_count, write_ns), BLOCKSTAT_WRITE_NS, true },
	{ offsetof(struct device_count, busy_ns), BLOCKSTAT_BUSY_NS, true },
	{ offsetof(struct device_count, queue_ns), BLOCKSTAT_QUEUE_NS, true },
};

static int64_t *value_of(struct device_count *count, size_t i)
{
	return (void *)((char *)count + values[i].offset);
}

static void make_unknown(struct device_count *count)
{
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		*value_of(count, i) = -1;
}

int64_t counters_io_value(const char *text, const char *key)
{
	return procfile_value(text, key);
}

int64_t counters_self_io(const char *key)
{
	char text[512];

	if (procfile_read("/proc/self/io", text, sizeof(text)))
		return -1;
	return procfile_value(text, key);
}

int counters_parse_stat(const char *text, struct device_count *out)
{
	int64_t fields[BLOCKSTAT_FIELDS];
	int rc = blockstat_parse(text, fields);

	if (rc)
		return rc;
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		*value_of(out, i) = fields[values[i].field];
	return 0;
}

static int read_device(const char *blocks, const char *name, struct device_count *count)
{
	char path[512], text[BLOCKSTAT_TEXT_SIZE];
	int rc = blockstat_path(path, sizeof(path), blocks, name, "stat");

	if (rc == 0)
		rc = procfile_read(path, text, sizeof(text));
	return rc ? rc : counters_parse_stat(text, count);
}

static int read_mount(const char *mountstats, const char *mount_point, struct device_count *count)
{
	CLEANUP(fd_close) int fd = open(mountstats, O_RDONLY | O_CLOEXEC);
	CLEANUP(buf_done) struct buf text = { 0 };
	int rc;

	if (fd < 0)
		return -errno;
	rc = fd_read_all(fd, MOUNTSTATS_BYTES_MAX, &text);
	return rc ? rc
		  : counters_parse_mountstats(buf_text(&text), mount_point, &count->read_bytes,
					      &count->written_bytes);
}

/* The kernel's names of devices have no slash, and the path of a mount begins with one. */
static bool is_mount(const char *name)
{
	return name[0] == '/';
}

/* What was counted since boot; what is not known is -1. */
static void read_counts(const struct counters_place *place, struct device_count *count)
{
	int rc;

	make_unknown(count);
	if (is_mount(count->name))
		rc = read_mount(place->mountstats, count->name, count);
	else
		rc = read_device(place->blocks, count->name, count);
	if (rc)
		make_unknown(count);
}

static void add_count(const struct counters_place *place, const char *name, bool is_leaf,
		      bool is_top, struct phase *phase)
{
	struct device_count *count = XGROW(&phase->devices, &phase->n_devices);

	count->name = xstrdup(text_of(name));
	count->is_leaf = is_leaf;
	count->is_top = is_top;
	read_counts(place, count);
}

static bool is_nfs(const struct target *target)
{
	const char *type = text_of(target->fs_type);

	return target->kind == TARGET_NETWORK && (!strcmp(type, "nfs") || !strcmp(type, "nfs4"));
}

void counters_begin_at(const struct counters_place *place, const struct target *target,
		       struct phase *phase)
{
	if (is_nfs(target)) {
		add_count(place, target->mount_point, true, true, phase);
		return;
	}
	for (size_t i = 0; i < target->n_devices; i++) {
		const struct device *device = &target->devices[i];

		add_count(place, device->name, device->is_leaf > 0, device->parent == -1, phase);
	}
}

/* A count that went back was reset: the device or the mount was replaced under us. */
static bool was_reset(struct device_count *before, struct device_count *after)
{
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		if (!values[i].is_time && *value_of(after, i) < *value_of(before, i))
			return true;
	}
	return false;
}

/* Times that went back a little are no wrap, and no time at all. */
static int64_t difference(int64_t before, int64_t after)
{
	if (before < 0 || after < 0)
		return -1;
	if (after >= before)
		return after - before;
	if (before >= MS_WRAP_NS || before - after < MS_WRAP_NS / 2)
		return -1;
	return after + MS_WRAP_NS - before;
}

static void end_count(const struct counters_place *place, struct device_count *count)
{
	struct device_count now = { .name = count->name };

	read_counts(place, &now);
	if (was_reset(count, &now)) {
		make_unknown(count);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		*value_of(count, i) = difference(*value_of(count, i), *value_of(&now, i));
	/* Only then: dm and md of old kernels are told not to, and count. */
	if (count->read_bytes == 0 && count->written_bytes == 0 && !is_mount(count->name) &&
	    blockstat_is_told_not_to_count(place->blocks, count->name))
		make_unknown(count);
}

void counters_end_at(const struct counters_place *place, struct phase *phase)
{
	for (size_t i = 0; i < phase->n_devices; i++)
		end_count(place, &phase->devices[i]);
}

void counters_begin(const struct target *target, struct phase *phase)
{
	counters_begin_at(&live, target, phase);
}

void counters_end(struct phase *phase)
{
	counters_end_at(&live, phase);
}

struct counters_sampler *counters_sampler_open(const struct phase *phase)
{
	return counters_sampler_open_at(&live, phase);
}
