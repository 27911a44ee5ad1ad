/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_target - one directory under test: its mount, its space, what lies below
 */
#include "probe_parts.h"

#include <stdlib.h>
#include <string.h>

#include "iotest/units.h"
#include "iotest/xalloc.h"

static void take_place(const struct place *place, struct target *t)
{
	xstr_set(&t->path, place->path);
	xstr_set(&t->device_number, place->number);
	t->size_bytes = place->size_bytes;
	t->used_bytes = place->used_bytes;
	t->free_bytes = place->free_bytes;
	t->inodes = place->inodes;
	t->free_inodes = place->free_inodes;
	t->read_only = place->read_only;
	t->writable = place->writable;
}

/* "allocsize=64k": how far XFS reserves ahead of a growing file. */
static int64_t xfs_allocsize(const struct mount *m)
{
	CLEANUP(xfree) char *value = mount_option(m, "allocsize");
	int64_t bytes;

	if (strcmp(m->fs_type, "xfs") || !value || units_parse_size(value, &bytes))
		return -1;
	return bytes;
}

static void take_mount(const struct mount *m, struct target *t)
{
	xstr_set(&t->mount_point, m->point);
	xstr_set(&t->mount_source, m->source);
	xstr_set(&t->mount_root, m->root);
	xstr_set(&t->fs_type, m->fs_type);
	free(t->mount_options);
	t->mount_options = mount_options(m);
	t->kind = (int)fs_kind(m->fs_type);
	t->xfs_allocsize_bytes = xfs_allocsize(m);
	t->compressing = fs_is_compressing(m);
	if (t->read_only < 0)
		t->read_only = !strncmp(t->mount_options, "ro", 2) &&
			       (t->mount_options[2] == ',' || !t->mount_options[2]);
	if (!*text_of(t->device_number))
		xstr_set(&t->device_number, m->number);
}

/* An overlay or a loop device stores its data where its backing file system does. */
static void inherit_backing(struct probe *p, struct target *t)
{
	const struct mount *m;
	enum target_kind kind;

	if (!*text_of(t->backing_fs_type))
		return;
	kind = fs_kind(t->backing_fs_type);
	if (kind == TARGET_MEMORY || kind == TARGET_NETWORK)
		t->kind = (int)kind;
	m = mounts_find(&p->mounts, t->backing_path);
	if (!m || strncmp(t->fs_type, "overlay", 7))
		return;
	t->xfs_allocsize_bytes = xfs_allocsize(m);
	t->compressing = fs_is_compressing(m);
}

/* In a chroot the mount is not in the table, but its device still has a number. */
static void take_number(struct probe *p, int64_t magic, struct target *t)
{
	xstr_set(&t->fs_type, fs_name_of_magic(magic));
	t->kind = (int)fs_kind(t->fs_type);
	probe_devices_by_number(p, t);
	if (t->n_devices > 0)
		t->mount_source = xasprintf("/dev/%s", t->devices[0].name);
	if (t->n_devices > 0 || *t->fs_type)
		host_note(p->host, "target",
			  "%s: the mount table does not show its mount point (chroot?); what is "
			  "known "
			  "of it was taken from its numbers",
			  t->path);
	else
		host_note(p->host, "target", "%s: no line of the mount table holds this path",
			  t->path);
}

static void mark_kubelet(struct probe *p, const struct target *t)
{
	static const char kubelet[] = "/var/lib/kubelet";
	const char *const paths[] = { t->path, t->mount_point, t->mount_source, t->mount_root };
	size_t i;

	for (i = 0; i < ARRAY_LEN(paths); i++)
		if (path_is_below(text_of(paths[i]), kubelet))
			p->host->os.in_pod = 1;
}

int probe_target(struct probe *p, const char *given, size_t number, struct err *err)
{
	CLEANUP(place_done) struct place place = { 0 };
	const struct mount *m;
	struct target *t;
	int rc;

	rc = place_find(p, given, number, &place, err);
	if (rc)
		return rc;
	t = XGROW(&p->host->targets, &p->host->n_targets);
	schema_init(&target_schema, t);
	xstr_set(&t->given, given);
	take_place(&place, t);

	m = mounts_by_id(&p->mounts, place.mount_id);
	if (!m)
		m = mounts_find(&p->mounts, t->path);
	if (m) {
		take_mount(m, t);
		probe_devices(p, t, m);
		inherit_backing(p, t);
	} else {
		take_number(p, place.magic, t);
	}
	mark_kubelet(p, t);
	return 0;
}
