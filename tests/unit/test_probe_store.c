/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_probe_store - how often data is written, and where a copy of it is kept
 */
#include "probe_tree.h"
#include "suite.h"

#include <fcntl.h>
#include <unistd.h>

#include "iotest/fd.h"

#define ARC "the ARC of ZFS"
#define PAGEPOOL "the pagepool of GPFS (Spectrum Scale)"
#define DAEMON "the memory of the FUSE daemon"

/* What stands in the mount table behind the mount point /data. */
static const struct {
	const char *mount;
	int64_t copies;
	const char *cache;
} mounts[] = {
	{ "rw - ext2 /dev/sdb rw", 1, "" },
	{ "rw - ext3 /dev/sdb rw", 1, "" },
	{ "rw - ext4 /dev/sdb rw,data=ordered", 1, "" },
	{ "rw - ext4 /dev/sdb rw,data=journal", -1, "" },
	{ "rw - ext3 /dev/sdb rw,data=journal", -1, "" },
	{ "rw - reiserfs /dev/sdb rw,data=journal", -1, "" },
	{ "rw - xfs /dev/sdb rw,logdev=/dev/sdc", 1, "" },
	{ "rw - xfs /dev/sdb rw,rtdev=/dev/sdc", -1, "" },
	{ "rw - f2fs /dev/sdb rw", 1, "" },
	{ "rw - jfs /dev/sdb rw", 1, "" },
	{ "rw - vfat /dev/sdb rw", 1, "" },
	{ "rw - exfat /dev/sdb rw", 1, "" },
	{ "rw - btrfs /dev/sdb rw", -1, "" }, /* without its directory in sysfs */
	{ "rw - bcachefs /dev/sdb rw", -1, "" },
	{ "rw - newfs /dev/sdb rw", -1, "" },
	{ "rw - tmpfs tmpfs rw", -1, "" },
	{ "rw - zfs tank/x rw", -1, ARC },
	{ "rw - gpfs fs1 rw", -1, PAGEPOOL },
	{ "rw - mmfs fs1 rw", -1, PAGEPOOL },
	{ "rw - fuse x rw", -1, DAEMON },
	{ "rw - fuse.sshfs x rw", -1, DAEMON },
	{ "rw - fuseblk /dev/sdb rw", -1, DAEMON },
	{ "rw - fusectl x rw", -1, "" },
	{ "rw - virtiofs share rw", -1, "the memory of the host below (virtiofs)" },
	{ "rw - 9p share rw,trans=virtio", -1, "the memory of the host below (9p)" },
	{ "rw - 9p 192.0.2.1 rw,trans=tcp", -1, "" },
	{ "rw - afs AFS rw", -1, "the cache of the AFS client" },
	{ "rw - nfs4 srv:/x rw", -1, "" },
	{ "rw - lustre 192.0.2.1@tcp:/x rw", -1, "" },
	{ "rw - ceph srv:/ rw", -1, "" },
	{ "rw - cifs //srv/x rw", -1, "" },
	{ "rw - autofs auto rw", -1, "" },
	/* what an overlay writes, its upper directory's file system writes */
	{ "rw - overlay o rw,upperdir=/e/u", 1, "" },
	{ "rw - overlay o rw,upperdir=/j/u", -1, "" },
	{ "rw - overlay o rw,upperdir=/z/u", -1, ARC },
	{ "rw - overlay o rw,upperdir=/m/u", -1, "" },
	{ "rw - overlay o rw", -1, "" },
	/* on a device whose file is kept elsewhere */
	{ "rw - ext4 /dev/loop0 rw", 1, ARC },
	{ "rw - xfs /dev/zd16 rw", 1, ARC },
	{ "rw - xfs /dev/zd16p1 rw", 1, ARC },
	{ "rw - xfs /dev/zdx rw", 1, "" },
};

static void probe_mount_line(const char *mount, struct host *out)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree)
	char *table = xasprintf("20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
				"21 20 8:5 / /e rw - ext4 /dev/sda5 rw\n"
				"22 20 8:6 / /j rw - ext4 /dev/sda6 rw,data=journal\n"
				"23 20 0:60 / /z rw - zfs tank/z rw\n"
				"24 20 0:61 / /m rw - tmpfs tmpfs rw\n"
				"40 20 0:50 / /data %s\n",
				mount);

	testdir_put(top, "sys/class/block/loop0/size", "2048\n");
	testdir_put(top, "sys/class/block/loop0/loop/backing_file", "/z/image\n");
	testdir_put(top, "proc/self/mountinfo", table);
	tree_probe(top, "/data", out);
}

START_TEST(copies_and_caches_are_those_of_the_file_system)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(mounts); i++) {
		CLEANUP(host_done) struct host host = { 0 };
		const struct target *t;

		probe_mount_line(mounts[i].mount, &host);
		t = &host.targets[0];
		ck_assert_msg(t->data_copies == mounts[i].copies, "%s: %ld", mounts[i].mount,
			      (long)t->data_copies);
		ck_assert_msg(!strcmp(text_of(t->own_cache), mounts[i].cache), "%s: %s",
			      mounts[i].mount, text_of(t->own_cache));
	}
}
END_TEST

#define UUID "sys/fs/btrfs/01234567-89ab-cdef-0123-456789abcdef"

/* Directories below allocation. */
static const struct {
	const char *names[3];
	int64_t copies;
} allocations[] = {
	{ { "data/single" }, 1 },
	{ { "data/raid0" }, 1 },
	{ { "data/dup" }, 2 },
	{ { "data/raid1" }, 2 },
	{ { "data/raid10" }, 2 },
	{ { "data/raid1c3" }, 3 },
	{ { "data/raid1c4" }, 4 },
	{ { "data/raid5" }, -1 },
	{ { "data/raid6" }, -1 },
	{ { "data/raid7" }, -1 },
	{ { "data/single", "data/raid1" }, -1 },
	{ { "data/single", "data/raid0" }, -1 },
	{ { "data/raid1", "metadata/raid1c3", "system/single" }, 2 },
	{ { "metadata/raid1" }, -1 },
	{ { "mixed/dup" }, 2 },
	{ { NULL }, -1 },
};

/* A btrfs on sdb and sdc, and another one beside it. */
static char *btrfs_new(void)
{
	char *top = testdir_new();

	testdir_put(top, UUID "/devices/sdb/keep", "");
	testdir_put(top, UUID "/devices/sdc/keep", "");
	testdir_put(top, "sys/fs/btrfs/features/keep", "");
	testdir_put(top, "sys/fs/btrfs/00000000-89ab-cdef-0123-456789abcdef/devices/sdd/keep", "");
	testdir_put(top,
		    "sys/fs/btrfs/00000000-89ab-cdef-0123-456789abcdef/allocation/data/raid1c4/"
		    "total_bytes",
		    "1\n");
	testdir_put(top, "proc/self/mountinfo",
		    "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		    "40 20 0:50 / /data rw - btrfs /dev/sdb rw\n"
		    "41 20 0:51 / /over rw - overlay o rw,upperdir=/data/u\n");
	return top;
}

START_TEST(btrfs_writes_as_often_as_its_profile_says)
{
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(allocations); i++) {
		CLEANUP(testdir_done) char *top = btrfs_new();
		CLEANUP(host_done) struct host host = { 0 };
		CLEANUP(host_done) struct host over = { 0 };

		for (k = 0; k < ARRAY_LEN(allocations[i].names); k++) {
			CLEANUP(xfree) char *path = NULL;

			if (!allocations[i].names[k])
				break;
			path = xasprintf(UUID "/allocation/%s/total_bytes",
					 allocations[i].names[k]);
			testdir_put(top, path, "1\n");
		}
		tree_probe(top, "/data", &host);
		tree_probe(top, "/over", &over);
		ck_assert_msg(host.targets[0].data_copies == allocations[i].copies, "row %zu", i);
		ck_assert_msg(over.targets[0].data_copies == allocations[i].copies, "row %zu", i);
	}
}
END_TEST

START_TEST(all_devices_of_a_btrfs_are_topmost)
{
	static const char *const trees[] = { "device-btrfs-single", "device-btrfs-raid1" };
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(trees); i++) {
		CLEANUP(host_done) struct host host = { 0 };
		const struct target *t;

		probe_grown(trees[i], "/data", &host);
		t = &host.targets[0];
		ck_assert_uint_eq(t->n_devices, 2);
		ck_assert_str_eq(t->devices[0].name, "sdb");
		ck_assert_str_eq(t->devices[1].name, "sdc");
		for (k = 0; k < t->n_devices; k++) {
			ck_assert_int_eq(t->devices[k].parent, -1);
			ck_assert_int_eq(t->devices[k].is_leaf, 1);
		}
	}
}
END_TEST

static const struct {
	const char *tree;
	int64_t copies;
	const char *cache;
} trees[] = {
	{ "device-btrfs-single", 1, "" }, { "device-btrfs-dup", 2, "" },
	{ "device-btrfs-raid1", 2, "" },  { "device-btrfs-balance", -1, "" },
	{ "device-zfs", -1, ARC },	  { "device-gpfs", -1, PAGEPOOL },
	{ "device-zvol", 1, ARC },	  { "device-nfs", -1, "" },
	{ "device-btrfs-loops", -1, "" },
};

/* Probes the tree and writes what was read to copy. */
static void record(const char *tree, const char *copy, struct host *out)
{
	CLEANUP(testdir_done) char *top = tree_grow(tree);
	CLEANUP(evidence_done) struct evidence evidence = { 0 };
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(strlist_done) struct strlist targets = { 0 };
	CLEANUP(fd_close) int fd = -1;
	struct err err = { 0 };

	strlist_add(&targets, "/data");
	ck_assert_int_eq(sysroot_open(&root, top, &err), 0);
	root.evidence = &evidence;
	ck_assert_int_eq(probe_host(&root, &targets, out, &err), 0);
	fd = open(copy, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(evidence_write(&evidence, fd), 0);
}

START_TEST(what_was_recorded_tells_the_same_again)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(trees); i++) {
		CLEANUP(testdir_done) char *copy = testdir_new();
		CLEANUP(host_done) struct host first = { 0 };
		CLEANUP(host_done) struct host second = { 0 };

		record(trees[i].tree, copy, &first);
		tree_probe(copy, "/data", &second);
		ck_assert_msg(first.targets[0].data_copies == trees[i].copies, "%s", trees[i].tree);
		ck_assert_int_eq(second.targets[0].data_copies, trees[i].copies);
		ck_assert_str_eq(text_of(first.targets[0].own_cache), trees[i].cache);
		ck_assert_str_eq(text_of(second.targets[0].own_cache), trees[i].cache);
		ck_assert_uint_eq(second.targets[0].n_devices, first.targets[0].n_devices);
	}
}
END_TEST

SUITE_MAIN("probe store", copies_and_caches_are_those_of_the_file_system,
	   btrfs_writes_as_often_as_its_profile_says, all_devices_of_a_btrfs_are_topmost,
	   what_was_recorded_tells_the_same_again)
