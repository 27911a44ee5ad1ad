/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_store - what a file system does with data: how often it writes it, where it keeps a copy
 *
 * Tables of what is documented. What is not in them is unknown, or has no cache that is known.
 */
#include "probe_parts.h"

#include <string.h>

#include "iotest/xalloc.h"

/* They write a byte of a file to one place. Of what they write beside it, journals and tables of
 * metadata, none grows with the data as fast as the data. */
static const char *const single_copy_types[] = {
	"ext2", "ext3",	 "ext4",  "xfs",     "f2fs", "jfs",   "reiserfs", "nilfs2",
	"gfs2", "ocfs2", "ntfs3", "hfsplus", "vfat", "msdos", "exfat",	  "udf",
};

/* Unless an option sends the data elsewhere: through the journal, or to a device that the mount
 * table names as an option only. value NULL: any. */
static const struct {
	const char *fs_type;
	const char *option;
	const char *value;
} detours[] = {
	{ "ext3", "data", "journal" },
	{ "ext4", "data", "journal" },
	{ "reiserfs", "data", "journal" },
	{ "xfs", "rtdev", NULL },
};

static bool has_option(const struct mount *m, const char *name, const char *value)
{
	CLEANUP(xfree) char *found = m ? mount_option(m, name) : NULL;

	return found && (!value || !strcmp(found, value));
}

int64_t fs_data_copies(const char *fs_type, const struct mount *m)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(detours); i++)
		if (!strcmp(fs_type, detours[i].fs_type) &&
		    has_option(m, detours[i].option, detours[i].value))
			return -1;
	for (i = 0; i < ARRAY_LEN(single_copy_types); i++)
		if (!strcmp(fs_type, single_copy_types[i]))
			return 1;
	return -1;
}

/*
 * Caches of file data that mincore(2) does not see, since they are not in this kernel's page
 * cache. A type that ends in a dot stands for all that begin so; option NULL: always.
 *
 * ZFS: OpenZFS documentation, "Caching and Auxiliary Devices". GPFS: IBM Spectrum Scale, "Cache
 * usage". FUSE: kernel documentation, "FUSE I/O Modes": a daemon may choose that the page cache
 * is bypassed, and answers reads from where it likes. virtiofs: the kernel's commit "virtio-fs:
 * add virtiofs filesystem": one copy of the data, on the host. 9p of a virtual machine: QEMU
 * manual, "-fsdev": the host's page cache is used. AFS: manual page afsd(8), a cache on disk or,
 * with -memcache, in memory.
 *
 * Lustre, Ceph, CIFS and NFS keep file data in the page cache.
 */
static const struct {
	const char *fs_type;
	const char *option;
	const char *value;
	const char *cache;
} caches[] = {
	{ "zfs", NULL, NULL, "the ARC of ZFS" },
	{ "gpfs", NULL, NULL, "the pagepool of GPFS (Spectrum Scale)" },
	{ "mmfs", NULL, NULL, "the pagepool of GPFS (Spectrum Scale)" },
	{ "fuse", NULL, NULL, "the memory of the FUSE daemon" },
	{ "fuseblk", NULL, NULL, "the memory of the FUSE daemon" },
	{ "fuse.", NULL, NULL, "the memory of the FUSE daemon" },
	{ "virtiofs", NULL, NULL, "the memory of the host below (virtiofs)" },
	{ "9p", "trans", "virtio", "the memory of the host below (9p)" },
	{ "afs", NULL, NULL, "the cache of the AFS client" },
};

static bool is_of_type(const char *fs_type, const char *wanted)
{
	size_t len = strlen(wanted);

	return wanted[len - 1] == '.' ? !strncmp(fs_type, wanted, len) : !strcmp(fs_type, wanted);
}

const char *fs_own_cache(const char *fs_type, const struct mount *m)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(caches); i++)
		if (is_of_type(fs_type, caches[i].fs_type) &&
		    (!caches[i].option || has_option(m, caches[i].option, caches[i].value)))
			return caches[i].cache;
	return "";
}

/* Volumes of ZFS, "zd16": zfsprops(7) has primarycache, what the ARC may hold, for them as well. */
const char *device_own_cache(const char *name)
{
	size_t digits = strncmp(name, "zd", 2) ? 0 : strspn(name + 2, "0123456789");

	return digits && (!name[2 + digits] || name[2 + digits] == 'p') ? "the ARC of ZFS" : "";
}
