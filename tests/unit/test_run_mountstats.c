/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_mountstats - what a mount of NFS moved
 */
#include <errno.h>
#include <stdint.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/xalloc.h"
#include "run/counters.h"
#include "suite.h"
#include "testdir.h"

#define BLOCK_OF(device, point, bytes)                                           \
	"device " device " mounted on " point " with fstype nfs4 statvers=1.1\n" \
	"\topts:\trw,vers=4.2,rsize=1048576\n"                                   \
	"\tage:\t10\n"                                                           \
	"\tcaps:\tcaps=0x3fffdf,wtmult=512\n"                                    \
	"\tevents:\t1 2 3 4 5 6 7 8 9\n"                                         \
	"\tbytes:\t" bytes "\n"                                                  \
	"\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"                      \
	"\txprt:\ttcp 0 0 1 0 24 3 3 0 3 0 2 0 0\n"                              \
	"\tper-op statistics\n"                                                  \
	"\t        NULL: 1 1 0 44 24 0 0 0 0\n"                                  \
	"\n"

#define LOCAL                                              \
	"device /dev/sda1 mounted on / with fstype ext4\n" \
	"no device mounted on /run with fstype tmpfs\n"    \
	"device proc mounted on /mnt with fstype proc\n"
#define NFS_MNT BLOCK_OF("server:/x", "/mnt", "1 2 3 4 500 600 7 8")

static const struct {
	const char *text;
	const char *point;
	int want_rc;
	int64_t want_read;
	int64_t want_written;
} mounts[] = {
	{ LOCAL NFS_MNT, "/mnt", 0, 500, 600 },
	{ NFS_MNT, "/mn", -ENOENT, -5, -5 },
	{ NFS_MNT, "/mnt/", -ENOENT, -5, -5 },
	{ NFS_MNT, "/mnt2", -ENOENT, -5, -5 },
	{ NFS_MNT, "", -ENOENT, -5, -5 },
	{ NFS_MNT, "/", -ENOENT, -5, -5 },
	{ LOCAL, "/mnt", -ENOENT, -5, -5 },
	{ LOCAL, "/run", -ENOENT, -5, -5 },
	{ "", "/mnt", -ENOENT, -5, -5 },
	{ "device", "/mnt", -ENOENT, -5, -5 },
	{ "device ", "/mnt", -ENOENT, -5, -5 },
	{ "device x", "/mnt", -ENOENT, -5, -5 },
	{ "no device mounted on", "/mnt", -ENOENT, -5, -5 },
	{ "no device mounted on ", "", -ENOENT, -5, -5 },
	/* The bytes of a neighbour are none of ours. */
	{ NFS_MNT BLOCK_OF("server:/y", "/data", "1 2 3 4 50 60 7 8"), "/data", 0, 50, 60 },
	{ NFS_MNT BLOCK_OF("server:/y", "/data", "1 2 3 4 50 60 7 8"), "/mnt", 0, 500, 600 },
	{ "device a:/ mounted on /mnt with fstype nfs\n" BLOCK_OF("b:/", "/data",
								  "1 2 3 4 5 6 7 8"),
	  "/mnt", -ENOENT, -5, -5 },
	/* Mounted over: what is seen counts. */
	{ NFS_MNT BLOCK_OF("server:/y", "/mnt", "1 2 3 4 50 60 7 8"), "/mnt", 0, 50, 60 },
	{ NFS_MNT LOCAL, "/mnt", -ENOENT, -5, -5 },
	{ NFS_MNT LOCAL NFS_MNT, "/mnt", 0, 500, 600 },
	/* Blank, tab, line feed and backslash. */
	{ BLOCK_OF("s:/a\\040b", "/a\\040b\\011c\\012d\\134e", "1 2 3 4 5 6 7 8"), "/a b\tc\nd\\e",
	  0, 5, 6 },
	{ BLOCK_OF("s:/\\040mounted\\040on\\040/mnt", "/x", "1 2 3 4 5 6 7 8"), "/mnt", -ENOENT, -5,
	  -5 },
	{ BLOCK_OF("s:/", "/a\\000b", "1 2 3 4 5 6 7 8"), "/a", -ENOENT, -5, -5 },
	{ BLOCK_OF("s:/", "/a\\04", "1 2 3 4 5 6 7 8"), "/a\\04", 0, 5, 6 },
	/* Lines that are none. */
	{ BLOCK_OF("s:/", "/mnt", "1 2 3 4 5"), "/mnt", -ENOENT, -5, -5 },
	{ BLOCK_OF("s:/", "/mnt", "1 2 3 4 5 6"), "/mnt", 0, 5, 6 },
	{ BLOCK_OF("s:/", "/mnt", "1 2 3 4 5 99999999999999999999"), "/mnt", -ENOENT, -5, -5 },
	{ BLOCK_OF("s:/", "/mnt", ""), "/mnt", -ENOENT, -5, -5 },
};

START_TEST(a_mount_has_the_bytes_of_its_server)
{
	for (size_t i = 0; i < ARRAY_LEN(mounts); i++) {
		int64_t read_bytes = -5, written_bytes = -5;
		int rc = counters_parse_mountstats(mounts[i].text, mounts[i].point, &read_bytes,
						   &written_bytes);

		ck_assert_msg(rc == mounts[i].want_rc, "row %zu: %d", i, rc);
		ck_assert_msg(read_bytes == mounts[i].want_read, "row %zu", i);
		ck_assert_msg(written_bytes == mounts[i].want_written, "row %zu", i);
	}
}
END_TEST

static char mount_point[] = "/mnt";
static char nfs_type[] = "nfs";
static char nfs4_type[] = "nfs4";

static void expect_by_mount(char *fs_type)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *file = xasprintf("%s/mountstats", top);
	struct counters_place place = { .blocks = "", .mountstats = file };
	struct target target = {
		.kind = TARGET_NETWORK,
		.fs_type = fs_type,
		.mount_point = mount_point,
	};
	const struct device_count *count;
	struct run run;

	testdir_put(top, "mountstats", NFS_MNT);
	run_init(&run);
	counters_begin_at(&place, &target, &run.read);
	testdir_put(top, "mountstats", BLOCK_OF("s:/x", "/mnt", "1 2 3 4 504 630 7 8"));
	counters_end_at(&place, &run.read);
	ck_assert_uint_eq(run.read.n_devices, 1);
	count = &run.read.devices[0];
	ck_assert_str_eq(count->name, "/mnt");
	ck_assert_int_eq(count->is_leaf, 1);
	ck_assert_int_eq(count->is_top, 1);
	ck_assert_int_eq(count->read_bytes, 4);
	ck_assert_int_eq(count->written_bytes, 30);
	ck_assert_int_eq(count->read_ops, -1);
	ck_assert_int_eq(count->write_ops, -1);
	ck_assert_int_eq(count->read_ns, -1);
	ck_assert_int_eq(count->write_ns, -1);
	ck_assert_int_eq(count->busy_ns, -1);
	ck_assert_int_eq(count->queue_ns, -1);
	run_done(&run);
}

START_TEST(an_nfs_target_is_counted_by_its_mount)
{
	expect_by_mount(nfs_type);
	expect_by_mount(nfs4_type);
}
END_TEST

START_TEST(a_mount_that_moved_nothing_is_no_unknown)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *file = xasprintf("%s/mountstats", top);
	struct counters_place place = { .blocks = top, .mountstats = file };
	struct target target = {
		.kind = TARGET_NETWORK,
		.fs_type = nfs_type,
		.mount_point = mount_point,
	};
	struct run run;

	testdir_put(top, "mountstats", NFS_MNT);
	run_init(&run);
	counters_begin_at(&place, &target, &run.read);
	counters_end_at(&place, &run.read);
	ck_assert_int_eq(run.read.devices[0].read_bytes, 0);
	ck_assert_int_eq(run.read.devices[0].written_bytes, 0);
	run_done(&run);
}
END_TEST

START_TEST(a_mountstats_file_of_megabytes_is_read_to_its_end)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *file = xasprintf("%s/mountstats", top);
	CLEANUP(buf_done) struct buf text = { 0 };
	struct counters_place place = { .blocks = "", .mountstats = file };
	struct target target = {
		.kind = TARGET_NETWORK,
		.fs_type = nfs4_type,
		.mount_point = mount_point,
	};
	struct run run;

	while (text.len < 3 * MIB)
		buf_add_text(&text, BLOCK_OF("s:/other", "/other", "1 2 3 4 5 6 7 8"));
	buf_add_text(&text, NFS_MNT);
	testdir_put(top, "mountstats", buf_text(&text));
	run_init(&run);
	counters_begin_at(&place, &target, &run.read);
	ck_assert_int_eq(run.read.devices[0].read_bytes, 500);
	run_done(&run);
}
END_TEST

START_TEST(a_network_target_that_is_no_nfs_has_no_counts)
{
	char type[] = "cifs";
	struct target target = { .kind = TARGET_NETWORK, .fs_type = type };
	struct run run;

	run_init(&run);
	counters_begin(&target, &run.read);
	ck_assert_uint_eq(run.read.n_devices, 0);
	run_done(&run);
}
END_TEST

SUITE_MAIN("run_mountstats", a_mount_has_the_bytes_of_its_server,
	   an_nfs_target_is_counted_by_its_mount, a_mount_that_moved_nothing_is_no_unknown,
	   a_mountstats_file_of_megabytes_is_read_to_its_end,
	   a_network_target_that_is_no_nfs_has_no_counts)
