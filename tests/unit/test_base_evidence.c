/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_base_evidence - what is kept, and that writing it stays where it belongs
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/evidence.h"
#include "iotest/xalloc.h"
#include "suite.h"
#include "testdir.h"

static void add_text(struct evidence *e, const char *path, const char *text)
{
	evidence_add(e, path, EVIDENCE_FILE, text, strlen(text), 0);
}

static int write_to(const struct evidence *e, const char *top)
{
	int dirfd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc;

	ck_assert_int_ge(dirfd, 0);
	rc = evidence_write(e, dirfd);
	close(dirfd);
	return rc;
}

START_TEST(evidence_holds_each_path_once)
{
	CLEANUP(evidence_done) struct evidence e = { 0 };

	add_text(&e, "/proc/stat", "first");
	add_text(&e, "proc//./stat", "second");
	evidence_add(&e, "proc/stat", EVIDENCE_ERROR, NULL, 0, EIO);
	ck_assert_uint_eq(e.n_items, 1);
	ck_assert_str_eq(evidence_find(&e, "/proc/stat")->data, "first");
	ck_assert_str_eq(evidence_find(&e, "/proc/stat")->path, "proc/stat");
	ck_assert_ptr_null(evidence_find(&e, "proc"));
}
END_TEST

START_TEST(evidence_finds_each_of_many_paths)
{
	CLEANUP(evidence_done) struct evidence e = { 0 };
	char path[64];

	ck_assert_ptr_null(evidence_find(&e, "x"));
	for (int i = 0; i < 5000; i++) {
		snprintf(path, sizeof(path), "sys/cpu%d/topology", i);
		add_text(&e, path, path);
	}
	for (int i = 0; i < 5000; i++) {
		snprintf(path, sizeof(path), "sys/cpu%d/topology", i);
		ck_assert_str_eq(evidence_find(&e, path)->data, path);
	}
	ck_assert_uint_eq(e.n_items, 5000);
}
END_TEST

START_TEST(evidence_paths_have_no_way_up)
{
	static const struct {
		const char *in;
		const char *want;
	} rows[] = {
		{ "/proc/stat", "proc/stat" },
		{ "//a///b/", "a/b" },
		{ "./a/./b/.", "a/b" },
		{ "/../x", "@parent/x" },
		{ "a/../../b", "a/@parent/@parent/b" },
		{ "/", "" },
		{ "a/..b/c..", "a/..b/c.." },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(xfree) char *got = evidence_path(rows[i].in);

		ck_assert_str_eq(got, rows[i].want);
	}
}
END_TEST

START_TEST(evidence_is_written_as_private_files)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(evidence_done) struct evidence e = { 0 };
	CLEANUP(xfree) char *file = xasprintf("%s/proc/1/stat", top);
	CLEANUP(xfree) char *folder = xasprintf("%s/proc/1", top);
	struct stat st;

	add_text(&e, "/proc/1/stat", "content");
	evidence_add(&e, "proc/seen", EVIDENCE_PRESENT, NULL, 0, 0);
	evidence_add(&e, "cut", EVIDENCE_FILE, "half", 4, EFBIG);
	evidence_add(&e, "sys/denied", EVIDENCE_ERROR, NULL, 0, EACCES);
	evidence_add(&e, "odd\nname", EVIDENCE_ERROR, NULL, 0, EACCES);
	ck_assert_int_eq(write_to(&e, top), 0);
	testdir_expect(top, "proc/1/stat", "content");
	testdir_expect(top, "proc/seen", "");
	testdir_expect(top, "cut", "half");
	testdir_expect(top, "sys/denied", NULL);
	testdir_expect(top, "iotest.errors",
		       "27\tcut\tFile too large\n13\tsys/denied\tPermission denied\n");
	ck_assert_int_eq(stat(file, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
	ck_assert_int_eq(stat(folder, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0700);

	ck_assert_int_eq(write_to(&e, top), 0); /* a second time is fine */
	testdir_expect(top, "proc/1/stat", "content");
}
END_TEST

START_TEST(evidence_follows_no_link_on_its_way)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(testdir_done) char *elsewhere = testdir_new();
	CLEANUP(xfree) char *victim = xasprintf("%s/victim", elsewhere);
	CLEANUP(evidence_done) struct evidence e = { 0 };

	testdir_put(elsewhere, "victim", "safe");
	testdir_link(top, "folder", elsewhere);
	testdir_link(top, "file", victim);
	add_text(&e, "folder/planted", "x");
	add_text(&e, "file", "overwritten");
	add_text(&e, "../outside", "x");
	add_text(&e, "last", "still written");
	ck_assert_int_eq(write_to(&e, top), -ENOTDIR);
	testdir_expect(elsewhere, "planted", NULL);
	testdir_expect(elsewhere, "victim", "safe");
	testdir_expect(top, "file", "overwritten");
	testdir_expect(top, "../outside", NULL);
	testdir_expect(top, "last", "still written");
}
END_TEST

SUITE_MAIN("base evidence", evidence_holds_each_path_once, evidence_finds_each_of_many_paths,
	   evidence_paths_have_no_way_up, evidence_is_written_as_private_files,
	   evidence_follows_no_link_on_its_way)
