/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_base_sysroot - recorded trees, links that try to leave them, and replay
 *
 * "live" roots here are small trees opened as recorded ones: the calls are the same but for the
 * way a path is resolved.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/resolve.h"
#include "iotest/sysroot.h"
#include "iotest/xalloc.h"
#include "suite.h"
#include "testdir.h"

/* A tree as sysfs has it: real directories, links to them, attributes that fail. */
static void build_sysfs(const char *top)
{
	testdir_put(top, "sys/devices/pci0/sda/size", "2048\n");
	testdir_put(top, "sys/devices/pci0/sda/queue/rotational", "1\n");
	testdir_put(top, "sys/devices/pci0/sda/queue/scheduler", "  [none] mq \nsecond line\n");
	testdir_put(top, "sys/devices/pci0/sda/sda1/partition", "1\n");
	testdir_put(top, "sys/devices/pci0/sda/sda1/start", "-34\n");
	testdir_put(top, "sys/devices/pci0/sda/empty", "");
	testdir_link(top, "sys/class/block/sda", "../../devices/pci0/sda");
	testdir_link(top, "sys/class/block/sda1", "../../devices/pci0/sda/sda1");
	testdir_link(top, "sys/dev/block/8:1", "/sys/devices/pci0/sda/sda1");
	testdir_link(top, "sys/dev/dangling", "nowhere");
	testdir_link(top, "sys/dev/loop", "loop");
	testdir_link(top, "sys/escape", "../../../../../../../../../../../../etc");
	testdir_put(top, "etc/passwd", "inside\n");
}

static void open_tree(struct sysroot *root, const char *path, struct evidence *evidence)
{
	struct err err = { 0 };

	ck_assert_msg(sysroot_open(root, path, &err) == 0, "%s", err.sentence);
	root->evidence = evidence;
}

START_TEST(sysroot_reads_through_links_of_the_tree)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(sysroot_close) struct sysroot root = { 0 };
	CLEANUP(xfree) char *text = NULL;
	int64_t n = 0;

	build_sysfs(top);
	open_tree(&root, top, NULL);
	ck_assert_int_eq(sysroot_read_i64(&root, &n, "/sys/class/block/%s/size", "sda"), 0);
	ck_assert_int_eq(n, 2048);
	ck_assert_int_eq(sysroot_read_i64(&root, &n, "/sys/dev/block/8:1/start"), 0);
	ck_assert_int_eq(n, -34);
	ck_assert_int_eq(sysroot_read_i64(&root, &n, "/sys/dev/block/8:1/../size"), 0);
	ck_assert_int_eq(n, 2048);
	ck_assert_int_eq(sysroot_read_text(&root, &text, "/sys/class/block/sda/queue/scheduler"),
			 0);
	ck_assert_str_eq(text, "[none] mq");
	ck_assert_int_eq(sysroot_read_text(&root, &text, "/sys/class/block/sda/empty"), 0);
	ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(sysroot_links_and_dots_cannot_leave_the_tree)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(sysroot_close) struct sysroot root = { 0 };
	CLEANUP(xfree) char *text = NULL;

	build_sysfs(top);
	open_tree(&root, top, NULL);
	ck_assert_int_eq(sysroot_read_text(&root, &text, "/sys/escape/passwd"), 0);
	ck_assert_str_eq(text, "inside");
	ck_assert_int_eq(sysroot_read_text(&root, &text, "/../../../../../../../etc/passwd"), 0);
	ck_assert_str_eq(text, "inside");
	ck_assert_int_eq(sysroot_read_text(&root, &text, "/../../../../../../../etc/group"),
			 -ENOENT);
}
END_TEST

START_TEST(walking_resolves_as_the_kernel_does)
{
	static const struct {
		const char *path;
		int flags;
	} rows[] = {
		{ "sys/class/block/sda/size", O_RDONLY },
		{ "/sys/class/block/sda/size", O_RDONLY },
		{ "sys/class/block/sda/", O_RDONLY },
		{ "sys//class/./block/sda/../sda/size", O_RDONLY },
		{ "sys/dev/block/8:1", O_RDONLY },
		{ "sys/dev/block/8:1/..", O_RDONLY | O_DIRECTORY },
		{ "sys/dev/block/8:1", O_PATH | O_NOFOLLOW },
		{ "sys/dev/block/8:1", O_RDONLY | O_NOFOLLOW },
		{ "sys/escape/passwd", O_RDONLY },
		{ "sys/escape", O_RDONLY },
		{ "../../../../etc/passwd", O_RDONLY },
		{ "..", O_RDONLY },
		{ ".", O_RDONLY },
		{ "/", O_RDONLY },
		{ "sys/dev/dangling", O_RDONLY },
		{ "sys/dev/dangling", O_PATH | O_NOFOLLOW },
		{ "sys/dev/loop", O_RDONLY },
		{ "sys/nothing/below", O_RDONLY },
		{ "sys/devices/pci0/sda/size/below", O_RDONLY },
	};
	CLEANUP(testdir_done) char *top = testdir_new();
	int dirfd;

	build_sysfs(top);
	dirfd = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(dirfd, 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int want = resolve_open(dirfd, rows[i].path, rows[i].flags | O_CLOEXEC);
		int got = resolve_open_by_walking(dirfd, rows[i].path, rows[i].flags | O_CLOEXEC);
		struct stat a;
		struct stat b;

		if (want < 0) {
			ck_assert_msg(got == want, "%s: %d, want %d", rows[i].path, got, want);
			continue;
		}
		ck_assert_msg(got >= 0, "%s: %d", rows[i].path, got);
		ck_assert_int_eq(fstat(want, &a) | fstat(got, &b), 0);
		ck_assert_msg(a.st_ino == b.st_ino, "%s: another file", rows[i].path);
		close(want);
		close(got);
	}
	close(dirfd);
}
END_TEST

START_TEST(sysroot_reads_numbers_only_where_there_are_some)
{
	static const struct {
		const char *content;
		int64_t want;
		int want_rc;
	} rows[] = {
		{ "42\n", 42, 0 },
		{ " 42 \n", 42, 0 },
		{ "-1\n", -1, 0 },
		{ "42\nmore\n", 42, 0 },
		{ "max\n", 7, -EINVAL },
		{ "", 7, -EINVAL },
		{ "42 kB\n", 7, -EINVAL },
		{ "18446744073709551615", 7, -ERANGE },
		{ "9223372036854771712\n", 9223372036854771712, 0 },
	};
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(sysroot_close) struct sysroot root = { 0 };

	open_tree(&root, top, NULL);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int64_t n = 7;

		testdir_put(top, "n", rows[i].content);
		ck_assert_int_eq(sysroot_read_i64(&root, &n, "/n"), rows[i].want_rc);
		ck_assert(n == rows[i].want);
	}
}
END_TEST

START_TEST(sysroot_never_waits_for_a_fifo)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(sysroot_close) struct sysroot root = { 0 };
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(xfree) char *path = xasprintf("%s/fifo", top);

	ck_assert_int_eq(mkfifo(path, 0600), 0);
	open_tree(&root, top, NULL);
	ck_assert_int_eq(sysroot_read(&root, &b, "/fifo"), -EINVAL);
	ck_assert_int_eq(sysroot_read(&root, &b, "/"), -EISDIR);
	ck_assert_int_eq(sysroot_read(&root, &b, "/nothing"), -ENOENT);
	ck_assert_uint_eq(b.len, 0);
}
END_TEST

START_TEST(sysroot_reads_the_live_host)
{
	CLEANUP(sysroot_close) struct sysroot root = { 0 };
	CLEANUP(evidence_done) struct evidence e = { 0 };
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(xfree) char *link = NULL;

	open_tree(&root, NULL, &e);
	ck_assert(root.is_live);
	ck_assert_int_eq(sysroot_read(&root, &b, "/proc/self/status"), 0);
	ck_assert_ptr_nonnull(strstr(buf_text(&b), "VmRSS"));
	ck_assert_ptr_nonnull(evidence_find(&e, "/proc/self/status"));
	ck_assert_int_eq(sysroot_read_link(&root, &link, "/proc/self"), 0);
	ck_assert_int_eq(atoi(link), getpid());
	ck_assert(sysroot_has(&root, "/"));
	ck_assert(sysroot_has(&root, "/dev/null"));
	ck_assert(!sysroot_has(&root, "/proc/self/nothing"));
	ck_assert_int_eq(sysroot_read_fact(&root, &b, "etc/passwd"), -ENOENT);
}
END_TEST

START_TEST(sysroot_names_a_tree_that_is_not_there)
{
	struct sysroot root = { .dirfd = 55 };
	struct err err = { 0 };

	ck_assert_int_eq(sysroot_open(&root, "/nothing/here", &err), -ENOENT);
	ck_assert_str_eq(err.sentence,
			 "/nothing/here: cannot open the tree of files: No such file or directory");
	ck_assert_int_eq(root.dirfd, 55);
}
END_TEST

START_TEST(closing_a_sysroot_that_was_never_opened_closes_nothing)
{
	struct sysroot root = { 0 };

	sysroot_close(&root);
	sysroot_close(&root);
	ck_assert_int_ge(fcntl(0, F_GETFD), 0);
}
END_TEST

START_TEST(sysroot_cuts_what_is_too_large)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(sysroot_close) struct sysroot root = { 0 };
	CLEANUP(evidence_done) struct evidence e = { 0 };
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(xfree) char *large = xcalloc(EVIDENCE_FILE_MAX + 2, 1);

	memset(large, 'x', EVIDENCE_FILE_MAX + 1);
	testdir_put(top, "cut", large);
	large[EVIDENCE_FILE_MAX] = '\0';
	testdir_put(top, "whole", large);
	open_tree(&root, top, &e);
	ck_assert_int_eq(sysroot_read(&root, &b, "/cut"), 0);
	ck_assert_uint_eq(b.len, EVIDENCE_FILE_MAX);
	ck_assert_int_eq(sysroot_read(&root, &b, "/whole"), 0);
	ck_assert_uint_eq(b.len, 2 * EVIDENCE_FILE_MAX);
	ck_assert_int_eq(evidence_find(&e, "cut")->error, EFBIG);
	ck_assert_uint_eq(evidence_find(&e, "cut")->len, EVIDENCE_FILE_MAX);
	ck_assert_int_eq(evidence_find(&e, "whole")->error, 0);
}
END_TEST

START_TEST(sysroot_does_not_keep_what_it_only_looked_for)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(sysroot_close) struct sysroot root = { 0 };
	CLEANUP(evidence_done) struct evidence e = { 0 };
	CLEANUP(buf_done) struct buf b = { 0 };

	testdir_put(top, "run/token", "secret");
	open_tree(&root, top, &e);
	ck_assert(sysroot_has(&root, "/run/token"));
	ck_assert(sysroot_has(&root, "/run"));
	ck_assert_uint_eq(evidence_find(&e, "run/token")->len, 0);
	ck_assert_int_eq(sysroot_read(&root, &b, "/run/token"), 0);
	ck_assert_str_eq(evidence_find(&e, "run/token")->data, "secret");
}
END_TEST

/* Adds what every call answers about path, so that two trees can be compared. */
static void ask(const struct sysroot *root, const char *path, struct buf *out)
{
	CLEANUP(buf_done) struct buf content = { 0 };
	CLEANUP(strlist_done) struct strlist names = { 0 };
	CLEANUP(xfree) char *link = NULL;
	int64_t n = -7;
	int rc;

	rc = sysroot_has(root, "%s", path);
	buf_printf(out, "%s: has %d", path, rc);
	rc = sysroot_read(root, &content, "%s", path);
	buf_printf(out, " read %d '%s'", rc, buf_text(&content));
	rc = sysroot_read_i64(root, &n, "%s", path);
	buf_printf(out, " number %d %lld", rc, (long long)n);
	rc = sysroot_read_link(root, &link, "%s", path);
	buf_printf(out, " link %d '%s'", rc, link ? link : "");
	rc = sysroot_list(root, &names, "%s", path);
	buf_printf(out, " list %d", rc);
	for (size_t i = 0; i < names.n_items; i++)
		buf_printf(out, " '%s'", names.items[i]);
	buf_add_text(out, "\n");
}

static void ask_all(const struct sysroot *root, struct buf *out)
{
	static const char *const paths[] = {
		"/sys/class/block",
		"/sys/class/block/",
		"/sys/class/block/sda",
		"/sys/class/block/sda/queue",
		"/sys/class/block/sda/queue/rotational",
		"/sys/class/block/sda1",
		"/sys/class/block/sda1/partition",
		"/sys/class/block/sda/partition",
		"/sys/class/block/sda/empty",
		"/sys/dev/block/8:1",
		"/sys/dev/block/8:1/start",
		"/sys/dev/block/8:1/../queue/rotational",
		"/sys/dev/block/8:1/..",
		"/sys/dev/dangling",
		"/sys/dev/loop",
		"/sys/devices/pci0/sda/size/below",
		"/sys/nothing",
		"/nothing/below",
	};

	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		ask(root, paths[i], out);
}

/* Asks the tree at from, and writes the evidence of that to to. */
static void ask_and_record(const char *from, const char *to, struct buf *answers)
{
	CLEANUP(sysroot_close) struct sysroot root = { 0 };
	CLEANUP(evidence_done) struct evidence e = { 0 };
	int dirfd = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	open_tree(&root, from, &e);
	ask_all(&root, answers);
	ck_assert_int_ge(dirfd, 0);
	ck_assert_int_eq(evidence_write(&e, dirfd), 0);
	close(dirfd);
}

START_TEST(recorded_tree_gives_the_same_answers)
{
	CLEANUP(testdir_done) char *original = testdir_new();
	CLEANUP(testdir_done) char *recorded = testdir_new();
	CLEANUP(testdir_done) char *again = testdir_new();
	CLEANUP(buf_done) struct buf want = { 0 };
	CLEANUP(buf_done) struct buf got = { 0 };
	CLEANUP(buf_done) struct buf got_again = { 0 };

	build_sysfs(original);
	ask_and_record(original, recorded, &want);
	ask_and_record(recorded, again, &got);
	ck_assert_str_eq(buf_text(&got), buf_text(&want));
	ask_and_record(again, again, &got_again);
	ck_assert_str_eq(buf_text(&got_again), buf_text(&want));
}
END_TEST

START_TEST(recorded_tree_fails_as_the_host_did)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(sysroot_close) struct sysroot root = { 0 };
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(strlist_done) struct strlist names = { 0 };

	testdir_put(top, "iotest.errors",
		    "13\tsys/denied\tPermission denied\n22\tsys/dir.list\tInvalid argument\n"
		    "5\tsys/mended\n27\tsys/cut\tFile too large\nnonsense\n\n-3\tx\ty\n");
	testdir_put(top, "sys/mended", "fine");
	open_tree(&root, top, NULL);
	ck_assert_int_eq(sysroot_read(&root, &b, "/sys/denied"), -EACCES);
	ck_assert_int_eq(sysroot_list(&root, &names, "/sys/dir"), -EINVAL);
	ck_assert_int_eq(sysroot_read(&root, &b, "/sys/mended"), 0);
	ck_assert_int_eq(sysroot_read(&root, &b, "/x"), -ENOENT);
	ck_assert_str_eq(buf_text(&b), "fine");
}
END_TEST

START_TEST(tree_made_by_hand_needs_no_lists)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(sysroot_close) struct sysroot root = { 0 };
	CLEANUP(strlist_done) struct strlist names = { 0 };
	CLEANUP(xfree) char *link = NULL;

	testdir_put(top, "sys/block/b/size", "1");
	testdir_put(top, "sys/block/a.link", "../a");
	testdir_put(top, "sys/block/b.list", "size\nro\n");
	open_tree(&root, top, NULL);
	ck_assert_int_eq(sysroot_list(&root, &names, "/sys/block"), 0);
	ck_assert_uint_eq(names.n_items, 2);
	ck_assert_str_eq(names.items[0], "a");
	ck_assert_str_eq(names.items[1], "b");
	ck_assert_int_eq(sysroot_read_link(&root, &link, "/sys/block/a"), 0);
	ck_assert_str_eq(link, "../a");
	ck_assert_int_eq(sysroot_list(&root, &names, "/sys/block/b"), 0);
	ck_assert_uint_eq(names.n_items, 2);
	ck_assert_str_eq(names.items[0], "ro");
}
END_TEST

START_TEST(facts_are_kept_and_read_back)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(evidence_done) struct evidence e = { 0 };
	CLEANUP(sysroot_close) struct sysroot live = { 0 };
	CLEANUP(sysroot_close) struct sysroot recorded = { 0 };
	CLEANUP(buf_done) struct buf b = { 0 };
	int dirfd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	open_tree(&live, NULL, &e);
	sysroot_keep_fact(&live, "os/uname", "release=1\n", 10);
	ck_assert_int_eq(evidence_write(&e, dirfd), 0);
	close(dirfd);

	open_tree(&recorded, top, NULL);
	ck_assert_int_eq(sysroot_read_fact(&recorded, &b, "os/uname"), 0);
	ck_assert_str_eq(buf_text(&b), "release=1\n");
	ck_assert_int_eq(sysroot_read_fact(&recorded, &b, "os/other"), -ENOENT);
}
END_TEST

START_TEST(facts_are_found_by_their_whole_key)
{
	static const char text[] = "ab=1\nb=two words=2 \nempty=\nn=-5\nlast=9";
	CLEANUP(xfree) char *value = NULL;
	int64_t n = 0;

	ck_assert_int_eq(fact_text(text, "b", &value), 0);
	ck_assert_str_eq(value, "two words=2 ");
	ck_assert_int_eq(fact_text(text, "empty", &value), 0);
	ck_assert_str_eq(value, "");
	ck_assert_int_eq(fact_text(text, "a", &value), -ENOENT);
	ck_assert_int_eq(fact_text("", "a", &value), -ENOENT);
	ck_assert_str_eq(value, "");
	ck_assert_int_eq(fact_i64(text, "n", &n), 0);
	ck_assert_int_eq(n, -5);
	ck_assert_int_eq(fact_i64(text, "last", &n), 0);
	ck_assert_int_eq(n, 9);
	ck_assert_int_eq(fact_i64(text, "b", &n), -EINVAL);
	ck_assert_int_eq(fact_i64(text, "empty", &n), -EINVAL);
	ck_assert_int_eq(n, 9);
}
END_TEST

SUITE_MAIN("base sysroot", sysroot_reads_through_links_of_the_tree,
	   sysroot_links_and_dots_cannot_leave_the_tree, walking_resolves_as_the_kernel_does,
	   sysroot_reads_numbers_only_where_there_are_some, sysroot_never_waits_for_a_fifo,
	   sysroot_reads_the_live_host, sysroot_names_a_tree_that_is_not_there,
	   closing_a_sysroot_that_was_never_opened_closes_nothing, sysroot_cuts_what_is_too_large,
	   sysroot_does_not_keep_what_it_only_looked_for, recorded_tree_gives_the_same_answers,
	   recorded_tree_fails_as_the_host_did, tree_made_by_hand_needs_no_lists,
	   facts_are_kept_and_read_back, facts_are_found_by_their_whole_key)
