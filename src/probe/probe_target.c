/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_target - one directory under test: its mount, its space, what lies below
 */
#include "probe_parts.h"

#include <stdlib.h>
#include <string.h>

#include "iotest/units.h"
#include "iotest/xalloc.h"

/* What is missing of the place. */
static void note_place(struct host *host, const struct place *place)
{
	if (!place->is_told)
		host_note(host, "target",
			  "%s: the recorded tree does not hold its size, nor who may write there",
			  place->path);
	else if (place->size_bytes < 0)
		host_note(host, "target", "%s: the file system does not tell its size",
			  place->path);
	else if (place->free_bytes < 0)
		host_note(host, "target", "%s: the file system does not tell its free space",
			  place->path);
}

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

static int64_t data_copies_of(struct probe *p, const struct target *t, const char *fs_type,
			      const struct mount *m)
{
	if (strcmp(fs_type, "btrfs") != 0)
		return fs_data_copies(fs_type, m);
	return t->n_devices ? btrfs_data_copies(p->root, t->devices[0].name) : -1;
}

/* Of the file system, of the one below it, or of a device: whichever holds data of the test. */
static const char *own_cache_of(const struct target *t, const struct mount *m,
				const struct mount *below)
{
	const char *cache = fs_own_cache(text_of(t->fs_type), m);
	size_t i;

	if (!*cache)
		cache = fs_own_cache(text_of(t->backing_fs_type), below);
	for (i = 0; i < t->n_devices && !*cache; i++)
		cache = device_own_cache(t->devices[i].name);
	return cache;
}

/* What an overlay stores is stored by the file system of its upper directory. m NULL: unknown. */
static void take_store(struct probe *p, const struct mount *m, struct target *t)
{
	bool is_overlay = !strncmp(text_of(t->fs_type), "overlay", 7);
	const struct mount *below = NULL;

	if (*text_of(t->backing_fs_type))
		below = mounts_find(&p->mounts, t->backing_path);
	t->data_copies = is_overlay ? data_copies_of(p, t, text_of(t->backing_fs_type), below)
				    : data_copies_of(p, t, text_of(t->fs_type), m);
	xstr_set(&t->own_cache, own_cache_of(t, m, below));
}

/* Why the mount is not known, to be said in a note. */
static const char *why_unknown(const struct probe *p, const struct place *place)
{
	const struct mount *m = mounts_by_id(&p->mounts, place->mount_id);

	if (m && mount_is_autofs(m))
		return "an automounter mounted it after the mount table was read";
	if (p->mounts.is_cut)
		return "what was read of the mount table does not tell its mount";
	if (place->mount_id >= 0)
		return "its mount is not in the mount table (chroot?)";
	return "no line of the mount table holds this path";
}

/* In a chroot the mount is not in the table, but its device still has a number. */
static void take_number(struct probe *p, const struct place *place, struct target *t)
{
	const char *why = why_unknown(p, place);

	xstr_set(&t->fs_type, fs_name_of_magic(place->magic));
	t->kind = (int)fs_kind(t->fs_type);
	probe_devices_by_number(p, t);
	if (t->n_devices > 0)
		t->mount_source = xasprintf("/dev/%s", t->devices[0].name);
	if (t->n_devices > 0 || *t->fs_type)
		host_note(p->host, "target",
			  "%s: %s; what is known of it was taken from its numbers", t->path, why);
	else
		host_note(p->host, "target", "%s: %s", t->path, why);
}

/*
 * The mount that the kernel named for the directory, else the one that the table has for its path.
 * An automounter's own mount gives way to what is mounted over it, also if the table does not have
 * that yet.
 */
static const struct mount *choose_mount(const struct probe *p, const struct place *place)
{
	const struct mount *m = mounts_by_id(&p->mounts, place->mount_id);
	const struct mount *over;

	if (!m && place->mount_id >= 0)
		m = mounts_find_on(&p->mounts, place->path, text_of(place->number));
	else if (!m)
		m = mounts_find(&p->mounts, place->path);
	if (!m || !mount_is_autofs(m))
		return m;
	over = mounts_find(&p->mounts, place->path);
	if (over && !mount_is_autofs(over) && path_is_below(over->point, m->point))
		return over;
	return *fs_name_of_magic(place->magic) ? NULL : m;
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

int targets_find(struct probe *p, const struct strlist *targets, struct err *err)
{
	size_t i;
	int rc;

	for (i = 0; i < targets->n_items; i++) {
		struct place place;

		rc = place_find(p, targets->items[i], i + 1, &place, err);
		if (rc)
			return rc;
		*XGROW(&p->places, &p->n_places) = place;
	}
	return 0;
}

void probe_target(struct probe *p, const char *given, const struct place *place)
{
	const struct mount *m = choose_mount(p, place);
	struct target *t;

	t = XGROW(&p->host->targets, &p->host->n_targets);
	schema_init(&target_schema, t);
	xstr_set(&t->given, given);
	take_place(place, t);
	note_place(p->host, place);

	if (m) {
		take_mount(m, t);
		probe_devices(p, t, m);
		inherit_backing(p, t);
		if (mount_is_autofs(m))
			host_note(p->host, "target",
				  "%s: the automounter (autofs) at %s has mounted nothing here: "
				  "the file system that it mounts on first use is not known",
				  t->path, m->point);
	} else {
		take_number(p, place, t);
	}
	take_store(p, m, t);
	mark_kubelet(p, t);
}
