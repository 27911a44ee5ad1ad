/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_probe_mount - which mount holds a path, and what it tells
 */
#include "probe_tree.h"
#include "suite.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "probe/probe_parts.h"

static const struct {
	const char *tree;
	const char *path;
	const char *point;
	const char *source;
	const char *fs_type;
	const char *options;
	enum target_kind kind;
} holders[] = {
	/* escapes, decoded once; other tables and prefixes that are none */
	{ "mounts-escaped", "/mnt/My Data/x", "/mnt/My Data", "/dev/sdb1", "xfs", "rw",
	  TARGET_LOCAL },
	{ "mounts-escaped", "/mnt/My Data2", "/", "/dev/sda1", "xfs", "rw,relatime,attr2",
	  TARGET_LOCAL },
	{ "mounts-escaped", "/mnt/tab\tnl\nx/y", "/mnt/tab\tnl\nx", "/dev/sdb2", "ext4", "rw",
	  TARGET_LOCAL },
	{ "mounts-escaped", "/mnt/lit\\040x", "/mnt/lit\\040x", "/dev/sdb3", "ext4", "rw",
	  TARGET_LOCAL },
	{ "mounts-escaped", "/mnt/lit x", "/", "/dev/sda1", "xfs", "rw,relatime,attr2",
	  TARGET_LOCAL },
	{ "mounts-escaped", "/mnt/a - b", "/mnt/a - b", "srv:/exp ort", "nfs4", "rw",
	  TARGET_NETWORK },
	{ "mounts-escaped", "/mnt/double", "/mnt/double", "/dev/sdb4", "ext4", "rw", TARGET_LOCAL },
	{ "mounts-escaped", "/mnt/dash", "/mnt/dash", "-", "tmpfs", "rw", TARGET_MEMORY },
	{ "mounts-escaped", "/mnt/none", "/mnt/none", "none", "tmpfs", "rw", TARGET_MEMORY },
	/* one over the other */
	{ "mounts-stacked", "/data/x", "/data", "/dev/sdb2", "xfs", "rw", TARGET_LOCAL },
	{ "mounts-stacked", "/auto", "/auto", "srv:/auto", "nfs4", "rw", TARGET_NETWORK },
	{ "mounts-stacked", "/srv/old/x", "/srv", "/dev/sdc2", "ext4", "rw", TARGET_LOCAL },
	{ "mounts-stacked", "//data/../srv/./", "/srv", "/dev/sdc2", "ext4", "rw", TARGET_LOCAL },
	{ "mounts-many", "/saswork", "/saswork", "/dev/sdb1", "ext4", "rw,noatime", TARGET_LOCAL },
	{ "mounts-autofs", "/tied/x", "/tied", "srv:/tied", "nfs4", "rw", TARGET_NETWORK },
	{ "mounts-autofs", "/named", "/named", "srv:/named", "nfs4", "rw", TARGET_NETWORK },
	{ "mounts-autofs", "/saswork/x", "/saswork", "systemd-1", "autofs", "rw,fd=29,direct",
	  TARGET_KERNEL },
	{ "mounts-trimmed", "/mnt/dup/x", "/mnt/dup", "192.0.2.1:/srv", "nfs", "rw,vers=3",
	  TARGET_NETWORK },
	{ "mounts-trimmed", "/mnt/auto", "/mnt/auto", "/dev/sdb1", "xfs", "rw", TARGET_LOCAL },
	{ "mounts-trimmed", "/home", "/", "/dev/sda1", "ext4", "rw,errors=remount-ro",
	  TARGET_LOCAL },
	/* bad lines before and between, and a root that is no path */
	{ "mounts-broken", "/data", "/data", "/dev/sda3", "xfs", "ro,relatime,allocsize=64k",
	  TARGET_LOCAL },
	{ "mounts-broken", "/cut", "/", "/dev/sda1", "ext4", "rw,relatime", TARGET_LOCAL },
	{ "mounts-broken", "/run/netns/x", "/run/netns/x", "nsfs", "nsfs", "rw", TARGET_KERNEL },
	{ "mounts-long", "/after", "/after", "/dev/sdb2", "ext4", "rw", TARGET_LOCAL },
	{ "mounts-old", "/", "/", "/dev/root", "ext4", "rw,relatime", TARGET_LOCAL },
	{ "mounts-old", "/mnt/My Data", "/mnt/My Data", "/dev/sdb1", "xfs",
	  "ro,noatime,allocsize=1048576", TARGET_LOCAL },
	{ "mounts-secret", "/share", "/share", "//srv/share", "cifs",
	  "rw,relatime,vers=3.0,username=a,password=***,uid=0", TARGET_NETWORK },
	{ "device-btrfs", "/home/x", "/home", "/dev/nvme0n1p3", "btrfs",
	  "rw,compress=no,subvol=/@home", TARGET_LOCAL },
};

START_TEST(the_mount_that_really_holds_a_path_is_found)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(holders); i++) {
		CLEANUP(host_done) struct host host = { 0 };
		const struct target *t;

		probe_grown(holders[i].tree, holders[i].path, &host);
		t = &host.targets[0];
		ck_assert_str_eq(text_of(t->mount_point), holders[i].point);
		ck_assert_str_eq(text_of(t->mount_source), holders[i].source);
		ck_assert_str_eq(text_of(t->fs_type), holders[i].fs_type);
		ck_assert_str_eq(text_of(t->mount_options), holders[i].options);
		ck_assert_int_eq(t->kind, (int)holders[i].kind);
		ck_assert_int_eq(t->read_only, !strncmp(holders[i].options, "ro", 2));
	}
}
END_TEST

START_TEST(a_line_of_20_kilobytes_is_one_line)
{
	CLEANUP(host_done) struct host host = { 0 };
	const struct target *t;

	probe_grown("mounts-long", "/merged/x", &host);
	t = &host.targets[0];
	ck_assert_str_eq(t->fs_type, "overlay");
	ck_assert_uint_gt(strlen(t->mount_options), 20000);
	ck_assert_str_eq(t->backing_path, "/upper/u");
	ck_assert_str_eq(t->backing_fs_type, "xfs");
	ck_assert_int_eq(t->xfs_allocsize_bytes, 1073741824);
}
END_TEST

START_TEST(an_overlay_in_memory_is_in_memory)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown("mounts-long", "/inram", &host);
	ck_assert_int_eq(host.targets[0].kind, TARGET_MEMORY);
	ck_assert_str_eq(host.targets[0].backing_fs_type, "tmpfs");
}
END_TEST

START_TEST(an_upper_directory_of_another_namespace_is_noted)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown("cgroup-docker", "/data", &host);
	ck_assert_str_eq(text_of(host.targets[0].backing_fs_type), "");
	ck_assert(has_note(&host, "is not in this mount namespace"));
}
END_TEST

/* The table has a mount that holds the path; the kernel says that it is another one. */
static const struct {
	const char *device;
	const char *mount_id;
	const char *point;
} unseen[] = {
	{ "8:33", "77", "" }, { "8:17", "77", "/saswork" }, { "8:33", "40", "/saswork" },
	{ "", "77", "" },     { "8:33", "-1", "/saswork" },
};

START_TEST(a_mount_that_the_kernel_does_not_name_must_be_on_the_device)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(unseen); i++) {
		CLEANUP(testdir_done) char *top = tree_grow("mounts-unseen");
		CLEANUP(host_done) struct host host = { 0 };
		CLEANUP(xfree)
		char *fact = xasprintf("path=/saswork\ndevice=%s\nmount_id=%s\n", unseen[i].device,
				       unseen[i].mount_id);

		testdir_put(top, "os/target.1", fact);
		tree_probe(top, "/saswork", &host);
		ck_assert_str_eq(text_of(host.targets[0].mount_point), unseen[i].point);
		ck_assert_int_eq(host.targets[0].kind,
				 *unseen[i].point ? TARGET_LOCAL : TARGET_UNKNOWN);
		ck_assert_int_eq(has_note(&host, "its mount is not in the mount table"),
				 !*unseen[i].point);
		ck_assert(!has_note(&host, "taken from its numbers"));
	}
}
END_TEST

START_TEST(an_old_table_has_no_numbers_to_compare)
{
	CLEANUP(testdir_done) char *top = tree_grow("mounts-old");
	CLEANUP(host_done) struct host host = { 0 };

	testdir_put(top, "os/target.1", "path=/mnt/My Data\ndevice=8:17\nmount_id=40\n");
	tree_probe(top, "/mnt/My Data", &host);
	ck_assert_str_eq(host.targets[0].mount_point, "/mnt/My Data");
}
END_TEST

START_TEST(a_table_that_was_cut_tells_no_mount)
{
	CLEANUP(testdir_done) char *top = tree_grow("mounts-stacked");
	CLEANUP(host_done) struct host host = { 0 };

	testdir_put(top, "iotest.errors", "27\tproc/self/mountinfo\tFile too large\n");
	tree_probe(top, "/data", &host);
	ck_assert_str_eq(text_of(host.targets[0].mount_point), "");
	ck_assert(has_note(&host, "/proc/self/mountinfo is too long"));
}
END_TEST

START_TEST(an_automounter_is_explained)
{
	CLEANUP(host_done) struct host waiting = { 0 };
	CLEANUP(host_done) struct host late = { 0 };

	probe_grown("mounts-autofs", "/saswork", &waiting);
	ck_assert(has_note(&waiting,
			   "the automounter (autofs) at /saswork has mounted nothing here"));
	/* mounted between the look at the table and the look at the directory */
	probe_grown("mounts-autofs", "/late", &late);
	ck_assert_str_eq(late.targets[0].fs_type, "nfs");
	ck_assert_int_eq(late.targets[0].kind, TARGET_NETWORK);
	ck_assert(!has_note(&late, "has mounted nothing"));
}
END_TEST

/* libmount would put in what this machine was booted from, and it knows that by the number. */
START_TEST(dev_root_stays_what_it_is)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };
	CLEANUP(xfree) char *line = NULL;
	struct stat st;

	ck_assert_int_eq(stat("/", &st), 0);
	line = xasprintf("20 1 %u:%u / / rw - ext4 /dev/root rw\n", major(st.st_dev),
			 minor(st.st_dev));
	testdir_put(top, "proc/self/mountinfo", line);
	tree_probe(top, "/", &host);
	ck_assert_str_eq(host.targets[0].mount_source, "/dev/root");
}
END_TEST

START_TEST(bad_lines_are_noted)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown("mounts-broken", NULL, &host);
	ck_assert(has_note(&host, "has 2 lines that cannot be understood"));
}
END_TEST

START_TEST(a_line_whose_mount_point_is_no_path_is_no_mount)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };

	/* Two fields that became one, and one that became two: libmount would take a
	 * neighbour for the mount point. */
	testdir_put(top, "proc/self/mountinfo",
		    "20 1 8:1 / / rw - xfs /dev/sda1 rw\n"
		    "42 20 8:17/sub /data rw - ext3 /dev/sdb1 rw\n"
		    "43 20 8: 50 0:44 / /data rw - nfs4 srv:/data rw\n");
	tree_probe(top, "/data", &host);
	ck_assert_str_eq(text_of(host.targets[0].mount_point), "/");
	ck_assert_str_eq(text_of(host.targets[0].fs_type), "xfs");
	ck_assert(has_note(&host, "2 lines that cannot be understood"));
}
END_TEST

static const struct {
	const char *option;
	int64_t want;
} allocsizes[] = {
	{ "rw,allocsize=64k", 65536 },	     { "rw,allocsize=1g", 1073741824 },
	{ "rw,allocsize=1048576", 1048576 }, { "rw,noallocsize", -1 },
	{ "rw,allocsize=much", -1 },	     { "rw", -1 },
};

START_TEST(allocsize_is_read_in_every_unit)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(allocsizes); i++) {
		CLEANUP(testdir_done) char *top = testdir_new();
		CLEANUP(host_done) struct host host = { 0 };
		CLEANUP(xfree)
		char *line =
			xasprintf("20 1 8:1 / / rw - xfs /dev/sda1 %s\n", allocsizes[i].option);

		testdir_put(top, "proc/self/mountinfo", line);
		tree_probe(top, "/", &host);
		ck_assert_int_eq(host.targets[0].xfs_allocsize_bytes, allocsizes[i].want);
	}
}
END_TEST

static const struct {
	const char *type;
	const char *options;
	int want;
} compressions[] = {
	{ "btrfs", "rw,compress=zstd:3", 1 },
	{ "btrfs", "rw,compress-force=lzo", 1 },
	{ "btrfs", "rw,compress=no", 0 },
	{ "btrfs", "rw,subvol=/compress", 0 },
	{ "ext4", "rw,compress=zstd", 0 },
	{ "zfs", "rw", -1 },
	{ "nfs4", "rw", -1 },
};

START_TEST(compressing_mounts_are_recognised)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(compressions); i++) {
		CLEANUP(testdir_done) char *top = testdir_new();
		CLEANUP(host_done) struct host host = { 0 };
		CLEANUP(xfree)
		char *line = xasprintf("20 1 0:40 / / rw - %s x %s\n", compressions[i].type,
				       compressions[i].options);

		testdir_put(top, "proc/self/mountinfo", line);
		tree_probe(top, "/", &host);
		ck_assert_int_eq(host.targets[0].compressing, compressions[i].want);
	}
}
END_TEST

START_TEST(paths_are_compared_by_component)
{
	ck_assert(path_is_below("/mnt/a", "/mnt/a"));
	ck_assert(path_is_below("/mnt/a/b", "/mnt/a"));
	ck_assert(path_is_below("/mnt/a", "/"));
	ck_assert(path_is_below("/", "/"));
	ck_assert(!path_is_below("/mnt/ab", "/mnt/a"));
	ck_assert(!path_is_below("/mnt", "/mnt/a"));
	ck_assert(!path_is_below("", "/mnt"));
}
END_TEST

START_TEST(kinds_of_file_systems_are_told_apart)
{
	ck_assert_int_eq(fs_kind("nfs4"), TARGET_NETWORK);
	ck_assert_int_eq(fs_kind("fuse.sshfs"), TARGET_NETWORK);
	ck_assert_int_eq(fs_kind("gpfs"), TARGET_NETWORK);
	ck_assert_int_eq(fs_kind("fuse.mergerfs"), TARGET_USERSPACE);
	ck_assert_int_eq(fs_kind("fuseblk"), TARGET_USERSPACE);
	ck_assert_int_eq(fs_kind("gfs2"), TARGET_LOCAL);
	ck_assert_int_eq(fs_kind("hugetlbfs"), TARGET_MEMORY);
	ck_assert_int_eq(fs_kind(""), TARGET_UNKNOWN);
}
END_TEST

SUITE_MAIN("probe mounts", the_mount_that_really_holds_a_path_is_found,
	   a_line_of_20_kilobytes_is_one_line, an_overlay_in_memory_is_in_memory,
	   an_upper_directory_of_another_namespace_is_noted, dev_root_stays_what_it_is,
	   a_mount_that_the_kernel_does_not_name_must_be_on_the_device,
	   an_old_table_has_no_numbers_to_compare, a_table_that_was_cut_tells_no_mount,
	   an_automounter_is_explained, bad_lines_are_noted,
	   a_line_whose_mount_point_is_no_path_is_no_mount, allocsize_is_read_in_every_unit,
	   compressing_mounts_are_recognised, paths_are_compared_by_component,
	   kinds_of_file_systems_are_told_apart)
