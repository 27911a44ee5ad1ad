/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_device - the block devices below a mount, down to the disks
 *
 * A node leads to the next by what sysfs says of it: a partition to its disk, device mapper, md
 * and bcache to their slaves, a loop device to the mount that holds its file. Which link points
 * where is read from the link; the attributes are then read by the name in /sys/class/block.
 */
#include "probe_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/units.h"
#include "iotest/xalloc.h"

#define DEVICES_MAX 256

/* Where the files of one device are. */
struct location {
	char *dir;
	char *name;
	char *disk; /* of a partition, else NULL */
};

static void location_done(struct location *l)
{
	free(l->dir);
	free(l->name);
	free(l->disk);
	*l = (struct location){ 0 };
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The name before the last one in the target of a link: of a partition, its disk. */
static char *parent_name(const char *link)
{
	CLEANUP(xfree) char *copy = xstrdup(link);
	char *slash = strrchr(copy, '/');

	if (!slash)
		return NULL;
	*slash = '\0';
	return xstrdup(base_name(copy));
}

/* sda1 -> sda, nvme0n1p1 -> nvme0n1 where no link tells. */
static char *disk_by_name(const struct sysroot *root, const char *name)
{
	size_t len = strlen(name);
	char *disk;

	while (len > 0 && name[len - 1] >= '0' && name[len - 1] <= '9')
		len--;
	if (len > 1 && name[len - 1] == 'p' && name[len - 2] >= '0' && name[len - 2] <= '9')
		len--;
	if (len == 0 || len == strlen(name))
		return NULL;
	disk = xstrndup(name, len);
	if (sysroot_has(root, "/sys/block/%s/%s/partition", disk, name) ||
	    sysroot_has(root, "/sys/class/block/%s/size", disk))
		return disk;
	free(disk);
	return NULL;
}

/* Recorded trees hold the files under one of these. Returns 0 or -ENOENT. */
static int locate(const struct sysroot *root, const char *name, struct location *out)
{
	CLEANUP(location_done) struct location l = { .name = xstrdup(name) };
	CLEANUP(xfree) char *link = NULL;
	CLEANUP(xfree) char *size = NULL;

	l.dir = xasprintf("/sys/class/block/%s", name);
	if (sysroot_read_text(root, &size, "%s/size", l.dir)) {
		free(l.dir);
		l.dir = xasprintf("/sys/block/%s", name);
		if (sysroot_read_text(root, &size, "%s/size", l.dir)) {
			l.disk = disk_by_name(root, name);
			free(l.dir);
			l.dir = xasprintf("/sys/block/%s/%s", l.disk ? l.disk : "?", name);
			if (!l.disk || sysroot_read_text(root, &size, "%s/size", l.dir))
				return -ENOENT;
		}
	}
	if (!l.disk && sysroot_has(root, "%s/partition", l.dir)) {
		if (sysroot_read_link(root, &link, "%s", l.dir) == 0)
			l.disk = parent_name(link);
		else
			l.disk = disk_by_name(root, name);
	}
	*out = l;
	l = (struct location){ 0 };
	return 0;
}

/* The name of the device with a number; to be freed, NULL if sysfs does not tell. */
static char *name_by_number(const struct sysroot *root, const char *number)
{
	static const char *const dirs[] = { "/sys/class/block", "/sys/block" };
	CLEANUP(xfree) char *link = NULL;
	size_t i, k;

	if (sysroot_read_link(root, &link, "/sys/dev/block/%s", number) == 0)
		return xstrdup(base_name(link));
	for (i = 0; i < ARRAY_LEN(dirs); i++) {
		CLEANUP(strlist_done) struct strlist names = { 0 };

		if (sysroot_list(root, &names, "%s", dirs[i]))
			continue;
		for (k = 0; k < names.n_items; k++) {
			CLEANUP(xfree) char *text = NULL;

			if (!sysroot_read_text(root, &text, "%s/%s/dev", dirs[i], names.items[k]) &&
			    !strcmp(text, number))
				return xstrdup(names.items[k]);
		}
	}
	return NULL;
}

/* /dev/mapper names are those of dm, where udev's links were not recorded. */
static char *name_by_dm_name(const struct sysroot *root, const char *dm_name)
{
	CLEANUP(strlist_done) struct strlist names = { 0 };
	size_t i;

	if (sysroot_list(root, &names, "/sys/class/block") &&
	    sysroot_list(root, &names, "/sys/block"))
		return NULL;
	for (i = 0; i < names.n_items; i++) {
		CLEANUP(xfree) char *text = NULL;

		if (strncmp(names.items[i], "dm-", 3))
			continue;
		if (sysroot_read_text(root, &text, "/sys/class/block/%s/dm/name", names.items[i]) &&
		    sysroot_read_text(root, &text, "/sys/block/%s/dm/name", names.items[i]))
			continue;
		if (!strcmp(text, dm_name))
			return xstrdup(names.items[i]);
	}
	return NULL;
}

/* The device that a path in /dev stands for: a link of udev leads to the kernel's name. */
static char *name_by_source(const struct sysroot *root, const char *source)
{
	CLEANUP(xfree) char *link = NULL;

	if (strncmp(source, "/dev/", 5) || !strcmp(source, "/dev/root"))
		return NULL;
	if (sysroot_read_link(root, &link, "%s", source) == 0)
		return xstrdup(base_name(link));
	if (!strncmp(source, "/dev/mapper/", 12))
		return name_by_dm_name(root, source + 12);
	return xstrdup(base_name(source));
}

static enum device_kind kind_of(const struct location *l)
{
	return l->disk ? DEVICE_PARTITION : device_kind_of_name(l->name);
}

/* "none [mq-deadline] kyber": the one in brackets; alone without brackets: that. */
static void take_scheduler(char *text, char **out)
{
	char *open = strchr(text, '[');
	char *close = open ? strchr(open, ']') : NULL;

	if (!close) {
		xstr_set(out, text);
		return;
	}
	*close = '\0';
	xstr_set(out, open + 1);
}

static int64_t read_number(const struct sysroot *root, const char *dir, const char *file,
			   int64_t unit)
{
	int64_t n, bytes;

	if (sysroot_read_i64(root, &n, "%s/%s", dir, file) || n < 0 || units_mul(n, unit, &bytes))
		return -1;
	return bytes;
}

static char *read_text(const struct sysroot *root, const char *dir, const char *file)
{
	char *text = NULL;

	if (sysroot_read_text(root, &text, "%s/%s", dir, file))
		return NULL;
	return text;
}

/* A partition has no queue of its own: its disk's counts. */
static void take_queue(const struct sysroot *root, const char *dir, struct device *d)
{
	CLEANUP(xfree) char *scheduler = read_text(root, dir, "queue/scheduler");

	d->rotational = (int)read_number(root, dir, "queue/rotational", 1);
	d->logical_block_bytes = read_number(root, dir, "queue/logical_block_size", 1);
	d->physical_block_bytes = read_number(root, dir, "queue/physical_block_size", 1);
	d->read_ahead_bytes = read_number(root, dir, "queue/read_ahead_kb", KIB);
	d->max_transfer_bytes = read_number(root, dir, "queue/max_sectors_kb", KIB);
	d->queue_requests = read_number(root, dir, "queue/nr_requests", 1);
	d->discard_max_bytes = read_number(root, dir, "queue/discard_max_bytes", 1);
	d->write_cache = read_text(root, dir, "queue/write_cache");
	if (scheduler)
		take_scheduler(scheduler, &d->scheduler);
}

static void take_device(const struct sysroot *root, const struct location *l, struct device *d)
{
	CLEANUP(location_done) struct location disk = { 0 };

	d->kind = kind_of(l);
	d->number = read_text(root, l->dir, "dev");
	d->size_bytes = read_number(root, l->dir, "size", SECTOR_BYTES);
	if (l->disk && locate(root, l->disk, &disk) == 0) {
		take_queue(root, disk.dir, d);
		device_take_facts(root, disk.dir, d);
		d->model = read_text(root, disk.dir, "device/model");
		return;
	}
	take_queue(root, l->dir, d);
	device_take_facts(root, l->dir, d);
	if (d->kind == DEVICE_DM) {
		d->dm_name = read_text(root, l->dir, "dm/name");
		d->dm_uuid = read_text(root, l->dir, "dm/uuid");
	} else if (d->kind == DEVICE_LOOP) {
		d->backing_file = loop_backing_file(root, l->dir);
		d->direct_io = (int)read_number(root, l->dir, "loop/dio", 1);
	} else {
		d->model = read_text(root, l->dir, "device/model");
	}
}

static bool is_listed(const struct target *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->n_devices; i++)
		if (!strcmp(t->devices[i].name, name))
			return true;
	return false;
}

/* Whether it is device number i, or one that lies on it. */
static bool is_above(const struct target *t, const char *name, int64_t i)
{
	for (; i >= 0; i = t->devices[i].parent)
		if (!strcmp(t->devices[i].name, name))
			return true;
	return false;
}

static bool add_device(struct probe *p, struct target *t, const char *name, int64_t parent);

/*
 * With native multipath the requests go through a hidden disk for each path, and only these count
 * them before Linux 6.4. Returns whether there are any.
 */
static bool add_nvme_paths(struct probe *p, struct target *t, const char *head, int64_t i)
{
	CLEANUP(strlist_done) struct strlist names = { 0 };
	bool has_below = false;
	size_t k;

	if (sysroot_list(p->root, &names, "/sys/class/block") &&
	    sysroot_list(p->root, &names, "/sys/block"))
		return false;
	for (k = 0; k < names.n_items; k++)
		if (device_is_nvme_path(names.items[k], head))
			has_below = add_device(p, t, names.items[k], i) || has_below;
	return has_below;
}

/* What lies below device number i: its disk, its slaves, or its paths. Returns whether there is
 * anything. */
static bool add_below(struct probe *p, struct target *t, const struct location *l, int64_t i)
{
	CLEANUP(strlist_done) struct strlist slaves = { 0 };
	size_t k;

	if (l->disk) {
		add_device(p, t, l->disk, i);
		return true;
	}
	if (t->devices[i].kind == DEVICE_NVME && add_nvme_paths(p, t, l->name, i))
		return true;
	if (sysroot_list(p->root, &slaves, "%s/slaves", l->dir))
		return false;
	for (k = 0; k < slaves.n_items; k++)
		add_device(p, t, slaves.items[k], i);
	return slaves.n_items > 0;
}

static bool add_mount_devices(struct probe *p, struct target *t, const struct mount *m,
			      int64_t parent);

/* The file system that a file or directory below another one lies on. Returns whether a device is
 * known below it. */
static bool follow(struct probe *p, struct target *t, const char *path, int64_t parent)
{
	const struct mount *m = mounts_find(&p->mounts, path);

	if (!m)
		return false;
	if (!*text_of(t->backing_path)) {
		xstr_set(&t->backing_path, path);
		xstr_set(&t->backing_fs_type, m->fs_type);
	}
	return add_mount_devices(p, t, m, parent);
}

/* Below loop device number i. Returns whether a device is known there. */
static bool add_below_loop(struct probe *p, struct target *t, int64_t i)
{
	CLEANUP(xfree) char *file = xstrdup(t->devices[i].backing_file);
	CLEANUP(xfree) char *number = NULL;
	CLEANUP(xfree) char *disk = NULL;

	if (!loop_file_is_here(p, &t->devices[i], &number))
		return false;
	if (!number)
		return follow(p, t, file, i);
	disk = name_by_number(p->root, number);
	return disk && add_device(p, t, disk, i);
}

/* Returns whether the device is in the list now, and does not lie on itself. */
static bool add_device(struct probe *p, struct target *t, const char *name, int64_t parent)
{
	CLEANUP(location_done) struct location l = { 0 };
	struct device *d;
	int64_t i = (int64_t)t->n_devices;
	bool has_below;

	/* Two volumes on one disk, or a circle: each device stands there once. */
	if (is_listed(t, name))
		return !is_above(t, name, parent);
	if (t->n_devices >= DEVICES_MAX)
		return false;
	d = XGROW(&t->devices, &t->n_devices);
	schema_init(&device_schema, d);
	d->name = xstrdup(name);
	d->parent = parent;
	d->is_leaf = 1;
	if (locate(p->root, name, &l)) {
		l = (struct location){ .name = xstrdup(name) };
		d->kind = kind_of(&l);
		host_note(p->host, "devices", "%s: sysfs does not describe this device", name);
		return true;
	}
	take_device(p->root, &l, d);
	if (d->kind == DEVICE_LOOP && *text_of(d->backing_file))
		has_below = add_below_loop(p, t, i);
	else
		has_below = add_below(p, t, &l, i);
	t->devices[i].is_leaf = !has_below; /* the list may have moved */
	return true;
}

/* "/dev/sdd:/dev/sde": bcachefs names them all. Names made by udev may have a colon in them. */
static bool add_listed_devices(struct probe *p, struct target *t, const char *source,
			       int64_t parent)
{
	bool is_known = false;

	while (*source) {
		const char *end = strstr(source, ":/");
		size_t len = end ? (size_t)(end - source) : strlen(source);
		CLEANUP(xfree) char *one = xstrndup(source, len);
		CLEANUP(xfree) char *name = name_by_source(p->root, one);

		if (name)
			is_known = add_device(p, t, name, parent) || is_known;
		source += len;
		source += *source == ':';
	}
	return is_known;
}

/* The other devices of the btrfs file system that has this one: its data may be on any of them. */
static void add_btrfs_devices(struct probe *p, struct target *t, const char *name, int64_t parent)
{
	CLEANUP(strlist_done) struct strlist names = { 0 };
	size_t i;

	if (btrfs_devices(p->root, name, &names))
		return;
	for (i = 0; i < names.n_items; i++)
		add_device(p, t, names.items[i], parent);
}

static bool is_anonymous(const char *number)
{
	return !*number || !strncmp(number, "0:", 2);
}

/* File systems without a device number of their own are found by their source. Returns whether a
 * device is known. */
static bool add_mount_devices(struct probe *p, struct target *t, const struct mount *m,
			      int64_t parent)
{
	CLEANUP(xfree) char *name = NULL;
	enum target_kind kind = fs_kind(m->fs_type);
	bool is_known;

	if (!strcmp(m->fs_type, "bcachefs") && strstr(m->source, ":/"))
		return add_listed_devices(p, t, m->source, parent);
	if (!is_anonymous(m->number))
		name = name_by_number(p->root, m->number);
	if (!name && kind != TARGET_NETWORK && kind != TARGET_MEMORY)
		name = name_by_source(p->root, m->source);
	if (!name) {
		if (kind == TARGET_LOCAL && strcmp(m->fs_type, "overlay"))
			host_note(p->host, "devices",
				  "%s: the block devices below %s are not known", m->point,
				  m->fs_type);
		return false;
	}
	is_known = add_device(p, t, name, parent);
	if (!strcmp(m->fs_type, "btrfs"))
		add_btrfs_devices(p, t, name, parent);
	return is_known;
}

/* What is written to an overlay lands in its upper directory. */
static void follow_overlay(struct probe *p, struct target *t, const struct mount *m)
{
	CLEANUP(xfree) char *upper = mount_option(m, "upperdir");
	const struct mount *below;

	if (!upper) {
		host_note(p->host, "devices", "%s: this overlay has no upper directory", m->point);
		return;
	}
	below = *upper == '/' ? mounts_find(&p->mounts, upper) : NULL;
	/* In a container the path is the host's: it would only seem to lie on the overlay. */
	if (!below || below == m) {
		xstr_set(&t->backing_path, upper);
		host_note(p->host, "devices",
			  "%s: the upper directory of the overlay, %s, is not in this mount "
			  "namespace: its file system and devices are not known",
			  m->point, upper);
		return;
	}
	follow(p, t, upper, -1);
}

void probe_devices(struct probe *p, struct target *t, const struct mount *m)
{
	if (!strcmp(m->fs_type, "overlay") || !strcmp(m->fs_type, "overlayfs"))
		follow_overlay(p, t, m);
	else
		add_mount_devices(p, t, m, -1);
}

void probe_devices_by_number(struct probe *p, struct target *t)
{
	CLEANUP(xfree) char *name = NULL;

	if (is_anonymous(text_of(t->device_number)))
		return;
	name = name_by_number(p->root, t->device_number);
	if (name)
		add_device(p, t, name, -1);
}
