/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_btrfs - the devices of a btrfs file system, and how often it writes each byte
 *
 * The mount table names one device of many. /sys/fs/btrfs/UUID has them all, and a directory for
 * every profile that block groups of the file system have.
 */
#include "probe_parts.h"

#include <errno.h>
#include <string.h>

#include "iotest/xalloc.h"

#define TOP "/sys/fs/btrfs"
#define UUID_LEN 36

static bool has_name(const struct strlist *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->n_items; i++)
		if (!strcmp(names->items[i], name))
			return true;
	return false;
}

/* The directory in TOP of the file system that has the device; *out is replaced, to be freed.
 * Returns 0, -ENOENT or -errno. */
static int find_uuid(const struct sysroot *root, const char *device, char **out)
{
	CLEANUP(strlist_done) struct strlist ids = { 0 };
	size_t i;
	int rc;

	rc = sysroot_list(root, &ids, TOP);
	if (rc)
		return rc;
	for (i = 0; i < ids.n_items; i++) {
		CLEANUP(strlist_done) struct strlist names = { 0 };

		if (strlen(ids.items[i]) != UUID_LEN || /* "features", "debug" */
		    sysroot_list(root, &names, TOP "/%s/devices", ids.items[i]) ||
		    !has_name(&names, device))
			continue;
		xstr_set(out, ids.items[i]);
		return 0;
	}
	return -ENOENT;
}

int btrfs_devices(const struct sysroot *root, const char *device, struct strlist *out)
{
	CLEANUP(xfree) char *uuid = NULL;
	int rc;

	rc = find_uuid(root, device, &uuid);
	if (rc)
		return rc;
	return sysroot_list(root, out, TOP "/%s/devices", uuid);
}

/* -1: the parity of a stripe is written as often as the sizes of the writes make it. */
static const struct {
	const char *profile;
	int copies;
} profiles[] = {
	{ "single", 1 }, { "raid0", 1 },   { "dup", 2 },     { "raid1", 2 },  { "raid10", 2 },
	{ "raid5", -1 }, { "raid1c3", 3 }, { "raid1c4", 4 }, { "raid6", -1 },
};

int64_t btrfs_data_copies(const struct sysroot *root, const char *device)
{
	CLEANUP(strlist_done) struct strlist names = { 0 };
	CLEANUP(xfree) char *uuid = NULL;
	int64_t copies = -1;
	size_t i, n = 0;

	/* Small file systems keep data and metadata in the same block groups: "mixed". */
	if (find_uuid(root, device, &uuid) ||
	    (sysroot_list(root, &names, TOP "/%s/allocation/data", uuid) &&
	     sysroot_list(root, &names, TOP "/%s/allocation/mixed", uuid)))
		return -1;
	for (i = 0; i < ARRAY_LEN(profiles); i++) {
		if (!has_name(&names, profiles[i].profile))
			continue;
		copies = profiles[i].copies;
		n++;
	}
	/* With several, as after a balance that did not end, new data may go to any. */
	return n == 1 ? copies : -1;
}
