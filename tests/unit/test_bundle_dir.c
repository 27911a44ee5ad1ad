/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The partial folder: names, locks and files
 */
#include <sys/wait.h>

#include "bundle_scratch.h"

#define STEM "iotest_host_20260131-120000"

START_TEST(bundle_takes_the_next_name_while_anything_has_it)
{
	static const char *const taken[] = { STEM ".partial", STEM "_2.tar.gz", STEM "_3" };
	struct scratch s = scratch_make();
	struct bundle b = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(taken); i++)
		scratch_write(&s, taken[i], "", 0);
	open_bundle_in(&s, STEM, &b);
	ck_assert_str_eq(b.name, STEM "_4");
	ck_assert_str_eq(b.out_path, s.path);
	ck_assert_uint_eq(scratch_mode(&s, STEM "_4.partial"), 0700);
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

START_TEST(planted_links_are_never_followed)
{
	static const char *const planted[] = { STEM ".partial", STEM "_2.tar.gz", STEM "_3" };
	struct scratch s = scratch_make();
	struct bundle b = { 0 };

	ck_assert_int_eq(mkdirat(s.fd, "trap", 0700), 0);
	for (size_t i = 0; i < ARRAY_LEN(planted); i++)
		ck_assert_int_eq(symlinkat("trap", s.fd, planted[i]), 0);
	open_bundle_in(&s, STEM, &b);
	put_text(&b, "report.txt", "x");
	seal(&b, false, false);
	ck_assert_str_eq(b.name, STEM "_4");
	ck_assert(scratch_has(&s, STEM "_4.tar.gz"));
	/* rmdir succeeds only on an empty folder */
	ck_assert_int_eq(unlinkat(s.fd, "trap", AT_REMOVEDIR), 0);
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

START_TEST(link_inside_the_folder_is_not_followed)
{
	struct scratch s = scratch_make();
	struct bundle b = { 0 };
	struct err err = { 0 };
	int fd = -1;

	ck_assert_int_eq(mkdirat(s.fd, "trap", 0700), 0);
	open_bundle_in(&s, STEM, &b);
	ck_assert_int_eq(symlinkat("../trap", b.dir_fd, "results"), 0);
	ck_assert_int_lt(bundle_put(&b, "results/write.0", "x", 1, &err), 0);
	ck_assert_int_lt(bundle_create(&b, "results/log", &fd, &err), 0);
	ck_assert_int_lt(bundle_create(&b, "results", &fd, &err), 0);
	ck_assert_int_lt(bundle_make_dir(&b, "results", &fd, &err), 0);
	ck_assert_int_eq(fd, -1);
	ck_assert_int_eq(unlinkat(s.fd, "trap", AT_REMOVEDIR), 0);
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

START_TEST(unusable_output_directory_is_one_sentence_with_advice)
{
	static const struct {
		const char *name;
		int want_rc;
	} rows[] = {
		{ "missing", -ENOENT },
		{ "file", -ENOTDIR },
		{ "file/below", -ENOTDIR },
		{ "loop", -ELOOP },
	};
	struct scratch s = scratch_make();
	char path[PATH_MAX];

	scratch_write(&s, "file", "", 0);
	ck_assert_int_eq(symlinkat("loop", s.fd, "loop"), 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct strlist abandoned = { 0 };
		struct bundle b = { 0 };
		struct err err = { 0 };

		scratch_path(&s, path, rows[i].name);
		ck_assert_int_eq(bundle_open(&b, path, STEM, &abandoned, &err), rows[i].want_rc);
		ck_assert_ptr_nonnull(strstr(err.sentence, path));
		ck_assert_ptr_nonnull(strstr(err.advice, "-o DIR"));
		ck_assert_ptr_null(b.name);
	}
	scratch_remove(&s);
}
END_TEST

START_TEST(directory_that_may_not_be_written_is_named)
{
	struct scratch s = scratch_make();
	int status = -1;
	pid_t pid;

	ck_assert_int_eq(chmod(s.path, 0755), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		struct strlist abandoned = { 0 };
		struct bundle b = { 0 };
		struct err err = { 0 };
		int rc;

		/* root may write everywhere, so it becomes somebody else */
		if (geteuid() == 0 ? seteuid(65534) : fchmod(s.fd, 0500))
			_exit(9);
		rc = bundle_open(&b, s.path, STEM, &abandoned, &err);
		_exit(rc == -EACCES && strstr(err.sentence, s.path) && strstr(err.advice, "-o DIR")
			      ? 0
			      : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(chmod(s.path, 0700), 0);
	scratch_remove(&s);
}
END_TEST

START_TEST(relative_output_directory_becomes_absolute)
{
	struct scratch s = scratch_make();
	struct strlist abandoned = { 0 };
	struct bundle b = { 0 };

	ck_assert_int_eq(chdir(s.path), 0);
	ck_assert_int_eq(bundle_open(&b, ".", STEM, &abandoned, NULL), 0);
	ck_assert_str_eq(b.out_path, s.path);
	bundle_done(&b);
	ck_assert_int_eq(chdir("/"), 0);
	scratch_remove(&s);
}
END_TEST

START_TEST(stem_that_leaves_the_directory_is_refused)
{
	static const char *const stems[] = { "", ".", "..", "a/b", "/a", "../a" };
	struct scratch s = scratch_make();

	for (size_t i = 0; i < ARRAY_LEN(stems); i++) {
		struct strlist abandoned = { 0 };
		struct bundle b = { 0 };

		ck_assert_int_eq(bundle_open(&b, s.path, stems[i], &abandoned, NULL), -EINVAL);
	}
	ck_assert_uint_eq(scratch_count(&s), 0);
	scratch_remove(&s);
}
END_TEST

START_TEST(files_are_private_whatever_the_umask)
{
	static const mode_t masks[] = { 0, 022, 077 };

	for (size_t i = 0; i < ARRAY_LEN(masks); i++) {
		struct scratch s = scratch_make();
		struct bundle b = { 0 };
		int fd = -1;

		umask(masks[i]);
		open_bundle_in(&s, STEM, &b);
		put_text(&b, "results/write.0", "x");
		ck_assert_int_eq(bundle_create(&b, "iotest.log", &fd, NULL), 0);
		close(fd);
		ck_assert_int_eq(bundle_make_dir(&b, "system_files/sys", &fd, NULL), 0);
		close(fd);
		ck_assert_uint_eq(scratch_mode(&s, STEM ".partial"), 0700);
		ck_assert_uint_eq(scratch_mode(&s, STEM ".partial/results"), 0700);
		ck_assert_uint_eq(scratch_mode(&s, STEM ".partial/results/write.0"), 0600);
		ck_assert_uint_eq(scratch_mode(&s, STEM ".partial/iotest.log"), 0600);
		ck_assert_uint_eq(scratch_mode(&s, STEM ".partial/system_files/sys"), 0700);
		seal(&b, false, false);
		ck_assert_uint_eq(scratch_mode(&s, STEM ".tar.gz"), 0600);
		bundle_done(&b);
		scratch_remove(&s);
	}
}
END_TEST

START_TEST(put_replaces_and_create_appends)
{
	struct scratch s = scratch_make();
	struct bundle b = { 0 };
	char *text;

	open_bundle_in(&s, STEM, &b);
	put_text(&b, "report.json", "{\"a long\": 1}");
	put_text(&b, "report.json", "{}");
	for (int i = 0; i < 2; i++) {
		int fd = -1;

		ck_assert_int_eq(bundle_create(&b, "iotest.log", &fd, NULL), 0);
		ck_assert_int_eq(write(fd, "line\n", 5), 5);
		close(fd);
	}
	text = scratch_read(&s, STEM ".partial/report.json", NULL);
	ck_assert_str_eq(text, "{}");
	free(text);
	text = scratch_read(&s, STEM ".partial/iotest.log", NULL);
	ck_assert_str_eq(text, "line\nline\n");
	free(text);
	ck_assert_uint_eq(scratch_count(&(struct scratch){ .fd = b.dir_fd }), 2);
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

START_TEST(path_that_leaves_the_folder_is_refused)
{
	static const char *const paths[] = { "",  "/etc/x", "../x",  "a/../b", "a//b", "a/",
					     ".", "..",	    "a/./b", "a/..",   "./a",  "//" };
	struct scratch s = scratch_make();
	struct bundle b = { 0 };

	open_bundle_in(&s, STEM, &b);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		int fd = -1;

		ck_assert_int_eq(bundle_put(&b, paths[i], "x", 1, NULL), -EINVAL);
		ck_assert_int_eq(bundle_create(&b, paths[i], &fd, NULL), -EINVAL);
		ck_assert_int_eq(bundle_make_dir(&b, paths[i], &fd, NULL), -EINVAL);
	}
	ck_assert_uint_eq(scratch_count(&(struct scratch){ .fd = b.dir_fd }), 0);
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

START_TEST(abandoned_is_what_nobody_holds_any_more)
{
	struct scratch s = scratch_make();
	struct strlist abandoned = { 0 };
	struct bundle alive = { 0 };
	struct bundle b = { 0 };

	open_bundle_in(&s, "iotest_alive", &alive);
	ck_assert_int_eq(mkdirat(s.fd, "iotest_b.partial", 0700), 0);
	ck_assert_int_eq(mkdirat(s.fd, "iotest_a.partial", 0700), 0);
	ck_assert_int_eq(mkdirat(s.fd, "other.partial", 0700), 0);
	ck_assert_int_eq(mkdirat(s.fd, "iotest_kept", 0700), 0);
	ck_assert_int_eq(symlinkat("iotest_kept", s.fd, "iotest_link.partial"), 0);
	ck_assert_int_eq(mkfifoat(s.fd, "iotest_fifo.partial", 0600), 0);
	if (geteuid() == 0) {
		ck_assert_int_eq(mkdirat(s.fd, "iotest_foreign.partial", 0700), 0);
		ck_assert_int_eq(fchownat(s.fd, "iotest_foreign.partial", 65534, 65534, 0), 0);
	}
	ck_assert_int_eq(bundle_open(&b, s.path, STEM, &abandoned, NULL), 0);
	ck_assert_uint_eq(abandoned.n_items, 2);
	ck_assert_str_eq(abandoned.items[0], "iotest_a.partial");
	ck_assert_str_eq(abandoned.items[1], "iotest_b.partial");
	strlist_done(&abandoned);
	bundle_done(&b);
	bundle_done(&alive);
	scratch_remove(&s);
}
END_TEST

START_TEST(folder_of_a_killed_process_is_abandoned)
{
	struct scratch s = scratch_make();
	struct strlist abandoned = { 0 };
	struct bundle b = { 0 };
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		struct bundle mine = { 0 };

		open_bundle_in(&s, STEM, &mine);
		raise(SIGKILL);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	ck_assert_int_eq(bundle_open(&b, s.path, STEM, &abandoned, NULL), 0);
	ck_assert_uint_eq(abandoned.n_items, 1);
	ck_assert_str_eq(abandoned.items[0], STEM ".partial");
	ck_assert_str_eq(b.name, STEM "_2");
	strlist_done(&abandoned);
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

START_TEST(done_of_a_zeroed_bundle_closes_nothing)
{
	struct bundle b = { 0 };
	int fd = open("/dev/null", O_RDONLY);

	ck_assert_int_eq(dup2(fd, 0), 0);
	bundle_done(&b);
	bundle_done(&b);
	ck_assert_int_ge(fcntl(0, F_GETFD), 0);
	close(fd);
}
END_TEST

SUITE_MAIN("bundle_dir", bundle_takes_the_next_name_while_anything_has_it,
	   planted_links_are_never_followed, link_inside_the_folder_is_not_followed,
	   unusable_output_directory_is_one_sentence_with_advice,
	   directory_that_may_not_be_written_is_named, relative_output_directory_becomes_absolute,
	   stem_that_leaves_the_directory_is_refused, files_are_private_whatever_the_umask,
	   put_replaces_and_create_appends, path_that_leaves_the_folder_is_refused,
	   abandoned_is_what_nobody_holds_any_more, folder_of_a_killed_process_is_abandoned,
	   done_of_a_zeroed_bundle_closes_nothing)
