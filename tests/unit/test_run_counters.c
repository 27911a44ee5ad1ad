/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_counters - what is read from the kernel's counters
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/xalloc.h"
#include "run/counters.h"
#include "testdir.h"

static const struct {
	const char *text;
	int want_rc;
	int64_t want_read;
	int64_t want_written;
} stats[] = {
	{ "  117  0  2000  9  3  4  600  7  0  8  9  0 0 0 0\n", 0, 1024000, 307200 },
	{ "1 2 3 4 5 6 7 8 9 10 11", 0, 1536, 3584 },
	{ "1 2 8589934592 4 5 6 4294967296 8 0 0 0", 0, 4398046511104, 2199023255552 },
	{ "1 2 3 4 5 6 7 8 9 10\n", -EINVAL, -5, -5 },
	{ "", -EINVAL, -5, -5 },
	{ "no numbers here at all really", -EINVAL, -5, -5 },
	/* Of Linux 4.18 and of 5.5 on. */
	{ "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n", 0, 1536, 3584 },
	{ "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", 0, 1536, 3584 },
	/* Eight exbibytes less a sector, and one sector too many. */
	{ "1 2 18014398509481983 4 5 6 7 8 9 10 11", 0, INT64_MAX - 511, 3584 },
	{ "1 2 18014398509481984 4 5 6 7 8 9 10 11", -EINVAL, -5, -5 },
	{ "1 2 3 9223372036855 5 6 7 8 9 10 11", -EINVAL, -5, -5 },
	{ "1 2 18446744073709551615 4 5 6 7 8 9 10 11", -EINVAL, -5, -5 },
	{ "1 2 99999999999999999999999 4 5 6 7 8 9 10 11", -EINVAL, -5, -5 },
	{ "1 2 3 4 5 6 7 8 9 10 x", -EINVAL, -5, -5 },
	{ "1 2 -3 4 5 6 7 8 9 10 11", -EINVAL, -5, -5 },
	{ "1 2 3 4 5\n6 7 8 9 10 11", -EINVAL, -5, -5 },
};

START_TEST(a_stat_line_gives_bytes_or_is_none)
{
	struct device_count count = { .read_bytes = -5, .written_bytes = -5 };

	ck_assert_int_eq(counters_parse_stat(stats[_i].text, &count), stats[_i].want_rc);
	ck_assert_int_eq(count.read_bytes, stats[_i].want_read);
	ck_assert_int_eq(count.written_bytes, stats[_i].want_written);
}
END_TEST

START_TEST(a_stat_line_gives_operations_and_times)
{
	char name[] = "sda";
	struct device_count count = { .name = name, .is_leaf = 1, .is_top = 1 };

	ck_assert_int_eq(counters_parse_stat("1 2 3 4 5 6 7 8 9 10 11\n", &count), 0);
	ck_assert_int_eq(count.read_ops, 1);
	ck_assert_int_eq(count.read_ns, 4000000);
	ck_assert_int_eq(count.write_ops, 5);
	ck_assert_int_eq(count.write_ns, 8000000);
	ck_assert_int_eq(count.busy_ns, 10000000);
	ck_assert_int_eq(count.queue_ns, 11000000);
	ck_assert_ptr_eq(count.name, name);
	ck_assert_int_eq(count.is_leaf, 1);
	ck_assert_int_eq(count.is_top, 1);
}
END_TEST

static const char io_text[] = "rchar: 11\nwchar: 12\nsyscr: 13\nsyscw: 14\n"
			      "read_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 77\n";

static const struct {
	const char *text;
	const char *key;
	int64_t want;
} values[] = {
	{ io_text, "read_bytes: ", 4096 }, { io_text, "write_bytes: ", 8192 },
	{ io_text, "rchar: ", 11 },	   { io_text, "bytes: ", -1 },
	{ "", "read_bytes: ", -1 },	   { "\n\n", "read_bytes: ", -1 },
	{ "rchar: x\n", "rchar: ", -1 },   { "rchar: -1\n", "rchar: ", -1 },
};

START_TEST(a_line_of_self_io_is_found_by_its_whole_key)
{
	ck_assert_int_eq(counters_io_value(values[_i].text, values[_i].key), values[_i].want);
}
END_TEST

START_TEST(a_device_that_is_not_there_is_unknown)
{
	char name[] = "iotest-no-such-device";
	struct device device = { .name = name, .is_leaf = 1 };
	struct target target = { .devices = &device, .n_devices = 1 };
	struct run run;

	run_init(&run);
	counters_begin(&target, &run.write);
	counters_end(&run.write);
	ck_assert_uint_eq(run.write.n_devices, 1);
	ck_assert_str_eq(run.write.devices[0].name, name);
	ck_assert_int_eq(run.write.devices[0].is_leaf, 1);
	ck_assert_int_eq(run.write.devices[0].read_bytes, -1);
	ck_assert_int_eq(run.write.devices[0].written_bytes, -1);
	run_done(&run);
}
END_TEST

static char device_name[] = "sda1";
static struct device one_device = { .name = device_name, .is_leaf = 1 };
static const struct target one_target = { .devices = &one_device, .n_devices = 1 };

#define STAT_BEFORE "1 2 1000 4 5 6 2000 8 0 0 0\n"
#define STAT_READ "1 2 1016 4 5 6 2000 8 0 0 0\n"

/* The disk sda with its partition sda1, as sysfs links them. */
static const struct {
	const char *iostats; /* of the disk; NULL: no such file */
	const char *later;   /* stat of the partition */
	int64_t want_read;
	int64_t want_written;
} accounts[] = {
	{ "1\n", STAT_READ, 8192, 0 },
	{ "1\n", STAT_BEFORE, 0, 0 },
	{ NULL, STAT_BEFORE, 0, 0 },
	{ "0\n", STAT_BEFORE, -1, -1 },
	/* Old kernels count for dm and md all the same. */
	{ "0\n", STAT_READ, 8192, 0 },
};

START_TEST(a_device_that_does_not_count_is_unknown)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *blocks = xasprintf("%s/class/block", top);
	struct counters_place place = { .blocks = blocks, .mountstats = "" };
	struct run run;

	testdir_put(top, "devices/block/sda/sda1/stat", STAT_BEFORE);
	testdir_link(top, "class/block/sda1", "../../devices/block/sda/sda1");
	if (accounts[_i].iostats)
		testdir_put(top, "devices/block/sda/queue/iostats", accounts[_i].iostats);
	run_init(&run);
	counters_begin_at(&place, &one_target, &run.write);
	testdir_put(top, "devices/block/sda/sda1/stat", accounts[_i].later);
	counters_end_at(&place, &run.write);
	ck_assert_int_eq(run.write.devices[0].read_bytes, accounts[_i].want_read);
	ck_assert_int_eq(run.write.devices[0].written_bytes, accounts[_i].want_written);
	run_done(&run);
}
END_TEST

START_TEST(a_whole_disk_has_its_own_switch)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *blocks = xasprintf("%s/class/block", top);
	struct counters_place place = { .blocks = blocks, .mountstats = "" };
	struct run run;

	testdir_put(top, "devices/block/sda1/stat", STAT_BEFORE);
	testdir_put(top, "devices/block/sda1/queue/iostats", "0\n");
	testdir_put(top, "devices/block/queue/iostats", "1\n");
	testdir_link(top, "class/block/sda1", "../../devices/block/sda1");
	run_init(&run);
	counters_begin_at(&place, &one_target, &run.write);
	counters_end_at(&place, &run.write);
	ck_assert_int_eq(run.write.devices[0].read_bytes, -1);
	ck_assert_int_eq(run.write.devices[0].written_bytes, -1);
	run_done(&run);
}
END_TEST

/* ------------------------------------------------------------------ differences */

/* Read and write: operations, merges, sectors, ms; then in flight, busy and queue ms. */
static const struct {
	const char *what;
	const char *before;
	const char *after;
	struct device_count want;
} differences[] = {
	{ "all grow",
	  "10 0 1000 30 20 0 2000 40 0 50 60\n",
	  "13 9 1016 35 24 9 2032 46 7 57 68\n",
	  { NULL, 0, 0, 8192, 16384, 3, 4, 5000000, 6000000, 7000000, 8000000 } },
	{ "the bytes went back",
	  "10 0 1000 30 20 0 2000 40 0 50 60\n",
	  "13 9 999 35 24 9 2032 46 7 57 68\n",
	  { NULL, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1 } },
	{ "the operations went back",
	  "10 0 1000 30 20 0 2000 40 0 50 60\n",
	  "13 9 1016 35 19 9 2032 46 7 57 68\n",
	  { NULL, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1 } },
	{ "milliseconds begin anew after 2^32",
	  "10 0 1000 4294967290 20 0 2000 40 0 50 4294967295\n",
	  "13 9 1016 10 24 9 2032 46 7 57 4\n",
	  { NULL, 0, 0, 8192, 16384, 3, 4, 16000000, 6000000, 7000000, 5000000 } },
	{ "a time that went back a little is unknown",
	  "10 0 1000 30 20 0 2000 40 0 50 60\n",
	  "13 9 1016 35 24 9 2032 46 7 49 68\n",
	  { NULL, 0, 0, 8192, 16384, 3, 4, 5000000, 6000000, -1, 8000000 } },
	{ "it tells nothing at the end",
	  "10 0 1000 30 20 0 2000 40 0 50 60\n",
	  "",
	  { NULL, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1 } },
	{ "it told nothing at the begin",
	  "",
	  "13 9 1016 35 24 9 2032 46 7 57 68\n",
	  { NULL, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1 } },
};

static void expect_counts(const struct device_count *is, const struct device_count *want)
{
	ck_assert_int_eq(is->read_bytes, want->read_bytes);
	ck_assert_int_eq(is->written_bytes, want->written_bytes);
	ck_assert_int_eq(is->read_ops, want->read_ops);
	ck_assert_int_eq(is->write_ops, want->write_ops);
	ck_assert_int_eq(is->read_ns, want->read_ns);
	ck_assert_int_eq(is->write_ns, want->write_ns);
	ck_assert_int_eq(is->busy_ns, want->busy_ns);
	ck_assert_int_eq(is->queue_ns, want->queue_ns);
}

START_TEST(a_phase_has_what_was_counted_in_it)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	struct counters_place place = { .blocks = top, .mountstats = "" };
	struct run run;

	testdir_put(top, "sda1/stat", differences[_i].before);
	run_init(&run);
	counters_begin_at(&place, &one_target, &run.write);
	testdir_put(top, "sda1/stat", differences[_i].after);
	counters_end_at(&place, &run.write);
	ck_assert_uint_eq(run.write.n_devices, 1);
	expect_counts(&run.write.devices[0], &differences[_i].want);
	run_done(&run);
}
END_TEST

START_TEST(a_stack_has_its_top_and_its_leaves)
{
	char dm[] = "dm-0", sda[] = "sda", sdb[] = "sdb";
	struct device devices[] = {
		{ .name = dm, .parent = -1, .is_leaf = 0 },
		{ .name = sda, .parent = 0, .is_leaf = 1 },
		{ .name = sdb, .parent = 0, .is_leaf = 1 },
	};
	struct target target = { .devices = devices, .n_devices = ARRAY_LEN(devices) };
	struct counters_place place = { .blocks = "", .mountstats = "" };
	struct run run;

	run_init(&run);
	counters_begin_at(&place, &target, &run.write);
	ck_assert_uint_eq(run.write.n_devices, 3);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_str_eq(run.write.devices[i].name, devices[i].name);
		ck_assert_int_eq(run.write.devices[i].is_top, i == 0);
		ck_assert_int_eq(run.write.devices[i].is_leaf, i > 0);
	}
	run_done(&run);
}
END_TEST

/* ------------------------------------------------------------------ mounts */

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
	int64_t read_bytes = -5, written_bytes = -5;

	ck_assert_int_eq(counters_parse_mountstats(mounts[_i].text, mounts[_i].point, &read_bytes,
						   &written_bytes),
			 mounts[_i].want_rc);
	ck_assert_int_eq(read_bytes, mounts[_i].want_read);
	ck_assert_int_eq(written_bytes, mounts[_i].want_written);
}
END_TEST

static char mount_point[] = "/mnt";
static char nfs_types[][8] = { "nfs", "nfs4" };

START_TEST(an_nfs_target_is_counted_by_its_mount)
{
	static const struct device_count want = { NULL, 0, 0, 4, 30, -1, -1, -1, -1, -1, -1 };
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *file = xasprintf("%s/mountstats", top);
	struct counters_place place = { .blocks = "", .mountstats = file };
	struct target target = {
		.kind = TARGET_NETWORK,
		.fs_type = nfs_types[_i],
		.mount_point = mount_point,
	};
	struct run run;

	testdir_put(top, "mountstats", NFS_MNT);
	run_init(&run);
	counters_begin_at(&place, &target, &run.read);
	testdir_put(top, "mountstats", BLOCK_OF("s:/x", "/mnt", "1 2 3 4 504 630 7 8"));
	counters_end_at(&place, &run.read);
	ck_assert_uint_eq(run.read.n_devices, 1);
	ck_assert_str_eq(run.read.devices[0].name, "/mnt");
	ck_assert_int_eq(run.read.devices[0].is_leaf, 1);
	ck_assert_int_eq(run.read.devices[0].is_top, 1);
	expect_counts(&run.read.devices[0], &want);
	run_done(&run);
}
END_TEST

START_TEST(a_mount_that_moved_nothing_is_no_unknown)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *file = xasprintf("%s/mountstats", top);
	struct counters_place place = { .blocks = top, .mountstats = file };
	struct target target = {
		.kind = TARGET_NETWORK,
		.fs_type = nfs_types[0],
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
		.fs_type = nfs_types[1],
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

/* ------------------------------------------------------------------ sampler */

static char dm_name[] = "dm-0";
static char sda_name[] = "sda";
static char sdb_name[] = "sdb";
static struct device stack[] = {
	{ .name = dm_name, .parent = -1 },
	{ .name = sda_name, .is_leaf = 1 },
	{ .name = sdb_name, .is_leaf = 1 },
};
static const struct target stack_target = { .devices = stack, .n_devices = ARRAY_LEN(stack) };

#define COUNTED(read, written, in_flight) "1 0 " #read " 1 1 0 " #written " 1 " #in_flight " 1 1\n"

/* Samples once with each of the three devices' stat; NULL leaves it. */
struct step {
	const char *dm, *sda, *sdb;
	const char *want_text;
	int64_t want_read;
	int64_t want_written;
};

struct sampling {
	char *top;
	struct counters_place place;
	struct run run;
	struct counters_sampler *sampler;
};

static void sampling_put(struct sampling *s, const char *dm, const char *sda, const char *sdb)
{
	if (dm)
		testdir_put(s->top, "dm-0/stat", dm);
	if (sda)
		testdir_put(s->top, "sda/stat", sda);
	if (sdb)
		testdir_put(s->top, "sdb/stat", sdb);
}

static void sampling_open(struct sampling *s, const struct target *target)
{
	s->place = (struct counters_place){ .blocks = s->top, .mountstats = "" };
	run_init(&s->run);
	counters_begin_at(&s->place, target, &s->run.write);
	s->sampler = counters_sampler_open_at(&s->place, &s->run.write);
}

static void sampling_expect(struct sampling *s, const struct step *step)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct series_point point = { .device_read_bytes = -5, .device_written_bytes = -5 };

	sampling_put(s, step->dm, step->sda, step->sdb);
	counters_sample(s->sampler, &point, &text);
	ck_assert_str_eq(buf_text(&text), step->want_text);
	ck_assert_int_eq(point.device_read_bytes, step->want_read);
	ck_assert_int_eq(point.device_written_bytes, step->want_written);
}

static void sampling_done(struct sampling *s)
{
	counters_sampler_close(&s->sampler);
	ck_assert_ptr_null(s->sampler);
	counters_sampler_close(&s->sampler);
	run_done(&s->run);
	testdir_done(&s->top);
}

static void expect_steps(const struct step *steps, size_t n, const char *switch_file)
{
	struct sampling s = { .top = testdir_new() };

	sampling_put(&s, COUNTED(100, 200, 0), COUNTED(1000, 2000, 0), COUNTED(10, 20, 0));
	if (switch_file)
		testdir_put(s.top, switch_file, "0\n");
	sampling_open(&s, &stack_target);
	for (size_t i = 0; i < n; i++)
		sampling_expect(&s, &steps[i]);
	sampling_done(&s);
}

START_TEST(a_sample_counts_from_the_begin_and_adds_up_the_leaves)
{
	static const struct step steps[] = {
		{ NULL, NULL, NULL, "dm-0=0/0/0 sda=0/0/0 sdb=0/0/0", 0, 0 },
		{ COUNTED(104, 200, 3), COUNTED(1001, 2002, 2), COUNTED(13, 24, 0),
		  "dm-0=2048/0/3 sda=512/1024/2 sdb=1536/2048/0", 2048, 3072 },
		{ NULL, COUNTED(1002, 2002, 0), NULL,
		  "dm-0=2048/0/3 sda=1024/1024/0 sdb=1536/2048/0", 2560, 3072 },
	};

	expect_steps(steps, ARRAY_LEN(steps), NULL);
}
END_TEST

START_TEST(a_leaf_that_tells_nothing_any_more_makes_the_sum_unknown_for_good)
{
	static const struct step steps[] = {
		{ NULL, NULL, "", "dm-0=0/0/0 sda=0/0/0 sdb=-1/-1/-1", -1, -1 },
		{ NULL, NULL, COUNTED(11, 20, 0), "dm-0=0/0/0 sda=0/0/0 sdb=-1/-1/-1", -1, -1 },
	};

	expect_steps(steps, ARRAY_LEN(steps), NULL);
}
END_TEST

START_TEST(a_leaf_whose_counts_went_back_is_unknown_for_good)
{
	static const struct step steps[] = {
		{ NULL, COUNTED(1005, 2000, 0), NULL, "dm-0=0/0/0 sda=2560/0/0 sdb=0/0/0", 2560,
		  0 },
		{ NULL, COUNTED(1003, 2000, 0), NULL, "dm-0=0/0/0 sda=-1/-1/-1 sdb=0/0/0", -1, -1 },
		{ NULL, COUNTED(1009, 2000, 0), NULL, "dm-0=0/0/0 sda=-1/-1/-1 sdb=0/0/0", -1, -1 },
	};

	expect_steps(steps, ARRAY_LEN(steps), NULL);
}
END_TEST

START_TEST(an_upper_device_that_tells_nothing_does_not_touch_the_sum)
{
	static const struct step steps[] = {
		{ "", COUNTED(1001, 2000, 0), NULL, "dm-0=-1/-1/-1 sda=512/0/0 sdb=0/0/0", 512, 0 },
	};

	expect_steps(steps, ARRAY_LEN(steps), NULL);
}
END_TEST

START_TEST(a_leaf_that_is_told_not_to_count_is_unknown_until_it_counts)
{
	static const struct step steps[] = {
		{ NULL, NULL, NULL, "dm-0=0/0/0 sda=0/0/0 sdb=-1/-1/-1", -1, -1 },
		{ NULL, NULL, COUNTED(11, 20, 0), "dm-0=0/0/0 sda=0/0/0 sdb=512/0/0", 512, 0 },
	};

	expect_steps(steps, ARRAY_LEN(steps), "sdb/queue/iostats");
}
END_TEST

START_TEST(without_a_device_there_is_no_sum)
{
	static const struct target none = { .kind = TARGET_MEMORY };
	static const struct step step = { NULL, NULL, NULL, "", -1, -1 };
	struct sampling s = { .top = testdir_new() };

	sampling_open(&s, &none);
	sampling_expect(&s, &step);
	sampling_done(&s);
}
END_TEST

START_TEST(a_mount_is_not_sampled)
{
	static const struct target nfs = {
		.kind = TARGET_NETWORK,
		.fs_type = nfs_types[0],
		.mount_point = mount_point,
	};
	static const struct step step = { NULL, NULL, NULL, "", -1, -1 };
	struct sampling s = { .top = testdir_new() };

	sampling_open(&s, &nfs);
	sampling_expect(&s, &step);
	sampling_done(&s);
}
END_TEST

START_TEST(a_device_that_was_unknown_at_the_begin_is_not_sampled)
{
	static const struct step step = { COUNTED(1, 1, 0),
					  COUNTED(1, 1, 0),
					  COUNTED(1, 1, 0),
					  "dm-0=-1/-1/-1 sda=-1/-1/-1 sdb=-1/-1/-1",
					  -1,
					  -1 };
	struct sampling s = { .top = testdir_new() };

	sampling_open(&s, &stack_target);
	sampling_expect(&s, &step);
	sampling_done(&s);
}
END_TEST

START_TEST(a_sample_follows_what_stands_in_the_line)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	struct sampling s = { .top = testdir_new() };
	struct series_point point;

	sampling_put(&s, COUNTED(1, 1, 4), COUNTED(1, 1, 5), COUNTED(1, 1, 6));
	sampling_open(&s, &stack_target);
	buf_add_text(&line, "250\t");
	counters_sample(s.sampler, &point, &line);
	ck_assert_str_eq(buf_text(&line), "250\tdm-0=0/0/4 sda=0/0/5 sdb=0/0/6");
	sampling_done(&s);
}
END_TEST

int main(void)
{
	const TTest *const plain[] = {
		a_stat_line_gives_operations_and_times,
		a_device_that_is_not_there_is_unknown,
		a_whole_disk_has_its_own_switch,
		a_stack_has_its_top_and_its_leaves,
		a_mount_that_moved_nothing_is_no_unknown,
		a_mountstats_file_of_megabytes_is_read_to_its_end,
		a_network_target_that_is_no_nfs_has_no_counts,
		a_sample_counts_from_the_begin_and_adds_up_the_leaves,
		a_leaf_that_tells_nothing_any_more_makes_the_sum_unknown_for_good,
		a_leaf_whose_counts_went_back_is_unknown_for_good,
		an_upper_device_that_tells_nothing_does_not_touch_the_sum,
		a_leaf_that_is_told_not_to_count_is_unknown_until_it_counts,
		without_a_device_there_is_no_sum,
		a_mount_is_not_sampled,
		a_device_that_was_unknown_at_the_begin_is_not_sampled,
		a_sample_follows_what_stands_in_the_line,
	};
	Suite *suite = suite_create("run_counters");
	TCase *tc = tcase_create("counters");
	SRunner *sr;
	int failed;

	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		tcase_add_test(tc, plain[i]);
	tcase_add_loop_test(tc, a_stat_line_gives_bytes_or_is_none, 0, ARRAY_LEN(stats));
	tcase_add_loop_test(tc, a_line_of_self_io_is_found_by_its_whole_key, 0, ARRAY_LEN(values));
	tcase_add_loop_test(tc, a_device_that_does_not_count_is_unknown, 0, ARRAY_LEN(accounts));
	tcase_add_loop_test(tc, a_phase_has_what_was_counted_in_it, 0, ARRAY_LEN(differences));
	tcase_add_loop_test(tc, a_mount_has_the_bytes_of_its_server, 0, ARRAY_LEN(mounts));
	tcase_add_loop_test(tc, an_nfs_target_is_counted_by_its_mount, 0, ARRAY_LEN(nfs_types));
	suite_add_tcase(suite, tc);
	sr = srunner_create(suite);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
