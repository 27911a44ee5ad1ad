/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_probe_target - directories under test: of this machine, and recorded ones
 */
#include "probe_tree.h"
#include "suite.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int probe_live(const char *target, struct host *out, struct err *err)
{
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(strlist_done) struct strlist targets = { 0 };

	strlist_add(&targets, target);
	ck_assert_int_eq(sysroot_open(&root, NULL, err), 0);
	return probe_host(&root, &targets, out, err);
}

/* Fails, says the words after the path, and leaves the host alone. */
static void expect_refusal(const char *target, int rc, const char *words)
{
	struct host host;
	struct host before;
	struct err err = { 0 };

	memset(&host, 0x5a, sizeof(host));
	memcpy(&before, &host, sizeof(host));
	ck_assert_int_eq(probe_live(target, &host, &err), rc);
	ck_assert_mem_eq(&host, &before, sizeof(host));
	ck_assert_msg(!strncmp(err.sentence, target, strlen(target)), "%s", err.sentence);
	ck_assert_msg(strstr(err.sentence, words) != NULL, "%s", err.sentence);
	ck_assert_str_ne(err.advice, "");
	ck_assert_int_eq(err.status, EXIT_STATUS_FAILED);
}

START_TEST(a_missing_directory_is_refused)
{
	expect_refusal("/nonexistent/dir", -ENOENT, "does not exist");
}
END_TEST

START_TEST(a_file_is_refused)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *file = xasprintf("%s/f", top);
	CLEANUP(xfree) char *below = xasprintf("%s/f/below", top);

	testdir_put(top, "f", "x");
	expect_refusal(file, -ENOTDIR, "is a file, not a directory");
	expect_refusal(below, -ENOTDIR, "a part of this path is a file");
}
END_TEST

START_TEST(a_device_or_pipe_is_refused)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *fifo = xasprintf("%s/fifo", top);

	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	expect_refusal(fifo, -ENOTDIR, "is a named pipe");
	expect_refusal("/dev/null", -ENOTDIR, "is a character device");
}
END_TEST

START_TEST(a_block_device_is_refused)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *node = xasprintf("%s/disk", top);

	/* a node that leads nowhere does as well; making one takes root */
	if (mknod(node, S_IFBLK | 0600, makedev(7, 9999))) {
		ck_assert_int_ne(geteuid(), 0);
		return;
	}
	expect_refusal(node, -ENOTDIR, "is a block device");
}
END_TEST

START_TEST(a_circle_of_links_is_refused)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *path = xasprintf("%s/a", top);

	testdir_link(top, "a", "b");
	testdir_link(top, "b", "a");
	expect_refusal(path, -ELOOP, "symbolic links");
}
END_TEST

START_TEST(odd_names_are_resolved)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *want = xasprintf("%s/a b\nc\\040d", top);
	CLEANUP(xfree) char *given = xasprintf("%s/link", top);
	CLEANUP(host_done) struct host host = { 0 };
	struct err err = { 0 };

	testdir_put(top, "a b\nc\\040d/x", "");
	testdir_link(top, "link", "a b\nc\\040d");
	ck_assert_msg(probe_live(given, &host, &err) == 0, "%s", err.sentence);
	ck_assert_str_eq(host.targets[0].given, given);
	ck_assert_str_eq(host.targets[0].path, want);
}
END_TEST

START_TEST(a_relative_directory_is_made_absolute)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *want = xasprintf("%s/sub", top);
	CLEANUP(host_done) struct host host = { 0 };
	struct err err = { 0 };

	testdir_put(top, "sub/x", "");
	ck_assert_int_eq(chdir(top), 0);
	ck_assert_int_eq(probe_live("sub", &host, &err), 0);
	ck_assert_str_eq(host.targets[0].path, want);
	ck_assert_str_eq(host.targets[0].given, "sub");
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

START_TEST(space_is_what_this_user_may_take)
{
	CLEANUP(host_done) struct host host = { 0 };
	const struct target *t;
	struct statvfs v;
	struct err err = { 0 };

	ck_assert_int_eq(statvfs("/tmp", &v), 0);
	ck_assert_int_eq(probe_live("/tmp", &host, &err), 0);
	t = &host.targets[0];
	ck_assert_int_eq(t->size_bytes, (int64_t)(v.f_blocks * v.f_frsize));
	/* others write here, too */
	ck_assert_int_le(llabs(t->free_bytes - (int64_t)(v.f_bavail * v.f_frsize)), 64 * MIB);
	ck_assert_int_eq(t->writable, 1);
	ck_assert_int_eq(t->read_only, 0);
	ck_assert_str_ne(text_of(t->fs_type), "");
	ck_assert_str_ne(text_of(t->device_number), "");
}
END_TEST

/* The test files of a run are made in the opened directory. */
START_TEST(a_directory_that_cannot_be_opened_is_not_writable)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };
	struct err err = { 0 };
	bool is_root = geteuid() == 0;
	int rc;

	ck_assert_int_eq(chmod(top, 0300), 0);
	if (is_root) {
		ck_assert_int_eq(chown(top, 65534, (gid_t)-1), 0);
		ck_assert_int_eq(seteuid(65534), 0);
	}
	rc = probe_live(top, &host, &err);
	if (is_root)
		ck_assert_int_eq(seteuid(0), 0);
	ck_assert_int_eq(chmod(top, 0700), 0);
	ck_assert_msg(rc == 0, "%s", err.sentence);
	ck_assert_int_eq(host.targets[0].writable, 0);
}
END_TEST

START_TEST(sizes_that_cannot_be_are_unknown)
{
	CLEANUP(host_done) struct host s3 = { 0 };
	CLEANUP(host_done) struct host zero = { 0 };

	probe_grown("absurd-sizes", "/s3", &s3);
	ck_assert_int_eq(s3.targets[0].size_bytes, -1);
	ck_assert_int_eq(s3.targets[0].free_bytes, -1);
	ck_assert_int_eq(s3.targets[0].inodes, -1);
	ck_assert(has_note(&s3, "does not tell its size"));
	probe_grown("absurd-sizes", "/zero", &zero);
	ck_assert_int_eq(zero.targets[0].size_bytes, -1);
	ck_assert_int_eq(zero.targets[0].used_bytes, -1);
}
END_TEST

START_TEST(a_recorded_answer_is_found_by_either_name)
{
	static const char *const names[] = { "rel", "/frsize", "//frsize/." };
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		CLEANUP(host_done) struct host host = { 0 };
		const struct target *t;

		probe_grown("absurd-sizes", names[i], &host);
		t = &host.targets[0];
		ck_assert_str_eq(t->path, "/frsize");
		ck_assert_int_eq(t->size_bytes, 8589934592LL * 512);
		ck_assert_int_eq(t->used_bytes, 4294967296LL * 512);
		ck_assert_int_eq(t->free_bytes, 4000000000LL * 512);
		ck_assert_int_eq(t->inodes, 100);
		ck_assert_int_eq(t->free_inodes, 40);
		ck_assert_int_eq(t->writable, 0);
	}
}
END_TEST

START_TEST(a_foreign_tree_knows_no_sizes)
{
	CLEANUP(host_done) struct host host = { 0 };
	const struct target *t;

	/* the directory is there on this machine, which must not matter */
	probe_grown("mounts-stacked", "/tmp/../usr", &host);
	t = &host.targets[0];
	ck_assert_str_eq(t->path, "/usr");
	ck_assert_int_eq(t->size_bytes, -1);
	ck_assert_int_eq(t->free_bytes, -1);
	ck_assert_int_eq(t->writable, -1);
	ck_assert_int_eq(t->read_only, 0);
	ck_assert_str_eq(t->device_number, "8:1");
	ck_assert(has_note(&host, "does not hold its size"));
}
END_TEST

START_TEST(storage_of_a_kubelet_counts_as_a_pod)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown("mounts-stacked", "/var/lib/kubelet/pods/1/volumes", &host);
	ck_assert_int_eq(host.os.in_pod, 1);
	ck_assert_str_eq(text_of(host.os.container), "");
}
END_TEST

SUITE_MAIN("probe targets", a_missing_directory_is_refused, a_file_is_refused,
	   a_device_or_pipe_is_refused, a_block_device_is_refused, a_circle_of_links_is_refused,
	   odd_names_are_resolved, a_relative_directory_is_made_absolute,
	   space_is_what_this_user_may_take, a_directory_that_cannot_be_opened_is_not_writable,
	   sizes_that_cannot_be_are_unknown, a_recorded_answer_is_found_by_either_name,
	   a_foreign_tree_knows_no_sizes, storage_of_a_kubelet_counts_as_a_pod)
