/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_probe_device - the block devices below a target
 */
#include "probe_tree.h"
#include "suite.h"

#include "iotest/buf.h"

/* "name:kind:parent", a dot after a leaf; one device after the other. */
static char *stack_text(const struct target *t)
{
	struct buf out = { 0 };
	size_t i;

	for (i = 0; i < t->n_devices; i++) {
		const struct device *d = &t->devices[i];

		buf_printf(&out, "%s%s:%s:%d%s", i ? " " : "", d->name, device_kind_name(d->kind),
			   (int)d->parent, d->is_leaf ? "." : "");
	}
	return buf_take(&out);
}

static const struct {
	const char *tree;
	const char *path;
	const char *want;
} stacks[] = {
	{ "device-stack", "/saswork",
	  "dm-0:dm:-1 md0:md:0 sda1:partition:1 sda:scsi:2. sdb1:partition:1 sdb:scsi:4." },
	{ "device-btrfs", "/", "nvme0n1p3:partition:-1 nvme0n1:nvme:0. nvme1n1:nvme:-1." },
	{ "device-bcachefs", "/data", "sdd:scsi:-1. sde:scsi:-1." },
	{ "device-loop", "/image", "loop0:loop:-1." },
	{ "device-root", "/", "vda2:partition:-1 vda:virtio:0." },
	{ "device-circle", "/", "dm-0:dm:-1 dm-1:dm:0" },
	{ "device-btrfs-loops", "/data",
	  "loop0:loop:-1 vda1:partition:0 vda:virtio:1. loop1:loop:-1 vda2:partition:3 "
	  "loop2:loop:-1" },
	{ "device-one-disk", "/data",
	  "dm-0:dm:-1 md0:md:0 sda1:partition:1 sda:scsi:2. sda2:partition:1" },
	{ "device-loop-over", "/data", "loop0:loop:-1." },
	{ "device-loop-disk", "/data", "loop0:loop:-1 sdc:scsi:0." },
	{ "device-nvme-paths", "/data",
	  "nvme0n1p1:partition:-1 nvme0n1:nvme:0 nvme0c0n1:nvme:1. nvme0c1n1:nvme:1." },
	{ "device-pmem", "/data", "pmem0:other:-1." },
	{ "device-ram", "/data", "ram0:memory:-1." },
	{ "mounts-escaped", "/mnt/a - b", "" },
	{ "mounts-escaped", "/mnt/dash", "" },
};

START_TEST(the_stack_is_followed_down_to_the_disks)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(stacks); i++) {
		CLEANUP(host_done) struct host host = { 0 };
		CLEANUP(xfree) char *text = NULL;

		probe_grown(stacks[i].tree, stacks[i].path, &host);
		text = stack_text(&host.targets[0]);
		ck_assert_str_eq(text, stacks[i].want);
	}
}
END_TEST

START_TEST(a_partition_has_the_queue_of_its_disk)
{
	CLEANUP(host_done) struct host host = { 0 };
	const struct device *d;

	probe_grown("device-stack", "/saswork", &host);
	d = &host.targets[0].devices[2];
	ck_assert_str_eq(d->name, "sda1");
	ck_assert_str_eq(d->number, "8:1");
	ck_assert_int_eq(d->size_bytes, 1953523120LL * 512);
	ck_assert_str_eq(d->model, "DISK sda");
	ck_assert_str_eq(d->scheduler, "mq-deadline");
	ck_assert_str_eq(d->write_cache, "write back");
	ck_assert_int_eq(d->rotational, 0);
	ck_assert_int_eq(d->logical_block_bytes, 512);
	ck_assert_int_eq(d->physical_block_bytes, 4096);
	ck_assert_int_eq(d->read_ahead_bytes, 128 * KIB);
	ck_assert_int_eq(d->max_transfer_bytes, 1280 * KIB);
	ck_assert_int_eq(d->queue_requests, 256);
	ck_assert_int_eq(d->discard_max_bytes, 0);
}
END_TEST

START_TEST(names_of_volumes_are_kept_as_they_are)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown("device-stack", "/saswork", &host);
	ck_assert_str_eq(host.targets[0].devices[0].dm_name, "vg0-var--log");
	ck_assert_str_eq(host.targets[0].devices[0].dm_uuid, "LVM-0000");
}
END_TEST

START_TEST(a_volume_is_found_by_its_name_alone)
{
	CLEANUP(testdir_done) char *top = tree_grow("device-stack");
	CLEANUP(host_done) struct host host = { 0 };
	CLEANUP(xfree) char *text = NULL;

	/* as it is with the anonymous numbers of btrfs, and without the links of udev */
	testdir_put(top, "proc/self/mountinfo",
		    "20 1 0:30 / / rw - btrfs /dev/mapper/vg0-var--log rw\n");
	tree_probe(top, "/", &host);
	text = stack_text(&host.targets[0]);
	ck_assert_str_eq(text, stacks[0].want);
}
END_TEST

START_TEST(links_in_dev_are_followed)
{
	CLEANUP(testdir_done) char *top = tree_grow("device-stack");
	CLEANUP(host_done) struct host host = { 0 };

	testdir_link(top, "dev/disk/by-label/x", "../../sdb");
	testdir_put(top, "proc/self/mountinfo",
		    "20 1 0:30 / / rw - btrfs /dev/disk/by-label/x rw\n");
	tree_probe(top, "/", &host);
	ck_assert_uint_eq(host.targets[0].n_devices, 1);
	ck_assert_str_eq(host.targets[0].devices[0].name, "sdb");
}
END_TEST

START_TEST(a_loop_device_leads_to_the_file_system_of_its_file)
{
	CLEANUP(host_done) struct host host = { 0 };
	const struct target *t;

	probe_grown("device-loop", "/image", &host);
	t = &host.targets[0];
	ck_assert_str_eq(t->devices[0].backing_file, "/net/images/a b.img");
	ck_assert_int_eq(t->devices[0].direct_io, 0);
	ck_assert_str_eq(t->backing_path, "/net/images/a b.img");
	ck_assert_str_eq(t->backing_fs_type, "nfs4");
	ck_assert_int_eq(t->kind, TARGET_NETWORK);
}
END_TEST

START_TEST(a_loop_device_on_a_disk_leads_to_the_disk)
{
	CLEANUP(testdir_done) char *top = tree_grow("device-stack");
	CLEANUP(host_done) struct host host = { 0 };
	CLEANUP(xfree) char *text = NULL;

	testdir_put(top, "sys/class/block/loop3/size", "2048\n");
	testdir_put(top, "sys/class/block/loop3/dev", "7:3\n");
	testdir_put(top, "sys/class/block/loop3/loop/backing_file", "/big/image\n");
	testdir_put(
		top, "proc/self/mountinfo",
		"20 1 8:1 / / rw - ext4 /dev/sda1 rw\n21 20 7:3 / /img rw - xfs /dev/loop3 rw\n");
	tree_probe(top, "/img", &host);
	text = stack_text(&host.targets[0]);
	ck_assert_str_eq(text, "loop3:loop:-1 sda1:partition:0 sda:scsi:1.");
	ck_assert_str_eq(host.targets[0].backing_fs_type, "ext4");
}
END_TEST

static const struct {
	const char *tree;
	const char *backing_path;
	const char *backing_fs_type;
	enum target_kind kind;
	int note;
} loop_files[] = {
	{ "device-loop-missing", "", "", TARGET_LOCAL, 1 },
	{ "device-loop-other", "", "", TARGET_LOCAL, 1 },
	{ "device-loop-directory", "", "", TARGET_LOCAL, 1 },
	{ "device-loop-small", "", "", TARGET_LOCAL, 1 },
	{ "device-loop-over", "", "", TARGET_LOCAL, 1 },
	{ "device-loop-here", "/images/a.img", "tmpfs", TARGET_MEMORY, 0 },
	{ "device-loop-sized", "/images/a.img", "tmpfs", TARGET_MEMORY, 0 },
	{ "device-loop-disk", "", "", TARGET_LOCAL, 0 },
};

START_TEST(the_file_of_a_loop_device_is_followed_only_if_it_is_here)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(loop_files); i++) {
		CLEANUP(host_done) struct host host = { 0 };
		const struct target *t;

		probe_grown(loop_files[i].tree, "/data", &host);
		t = &host.targets[0];
		ck_assert_msg(!strcmp(text_of(t->backing_path), loop_files[i].backing_path),
			      "%s: %s", loop_files[i].tree, text_of(t->backing_path));
		ck_assert_str_eq(text_of(t->backing_fs_type), loop_files[i].backing_fs_type);
		ck_assert_int_eq(t->kind, loop_files[i].kind);
		ck_assert_int_eq(t->n_devices, i + 1 < ARRAY_LEN(loop_files) ? 1 : 2);
		ck_assert_msg(has_note(&host, "is not visible from here") == loop_files[i].note,
			      "%s", loop_files[i].tree);
	}
}
END_TEST

START_TEST(a_device_that_sysfs_lacks_is_noted)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown("mounts-stacked", "/data", &host);
	ck_assert_str_eq(host.targets[0].devices[0].name, "sdb2");
	ck_assert(has_note(&host, "sdb2: sysfs does not describe this device"));
}
END_TEST

SUITE_MAIN("probe devices", the_stack_is_followed_down_to_the_disks,
	   a_partition_has_the_queue_of_its_disk, names_of_volumes_are_kept_as_they_are,
	   a_volume_is_found_by_its_name_alone, links_in_dev_are_followed,
	   a_loop_device_leads_to_the_file_system_of_its_file,
	   a_loop_device_on_a_disk_leads_to_the_disk,
	   the_file_of_a_loop_device_is_followed_only_if_it_is_here,
	   a_device_that_sysfs_lacks_is_noted)
