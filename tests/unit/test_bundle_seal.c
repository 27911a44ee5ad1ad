/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the folder to the archive, and what stays when that fails
 */
#include <locale.h>
#include <sched.h>
#include <sys/mount.h>

#include "bundle/archiver.h"
#include "bundle/bundle_dir.h"
#include "bundle/staged.h"
#include "bundle_scratch.h"

#define STEM "iotest_host_20260131-120000"

static void fill(struct bundle *b)
{
	put_text(b, "report.txt", "verdict: pass\n");
	put_text(b, "report.json", "{}\n");
	put_text(b, "empty", "");
	put_text(b, "results/write.0", "bytes=1\n");
	put_text(b, "results/write.1", "bytes=2\n");
	put_text(b, "system_files/proc/cpuinfo", "processor\t: 0\n");
}

/* A shell command in the scratch directory; its status must be 0. */
static void shell(const struct scratch *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void shell(const struct scratch *s, const char *fmt, ...)
{
	char command[2048];
	char full[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	snprintf(full, sizeof(full), "cd '%s' && { %s; } >/dev/null 2>&1", s->path, command);
	ck_assert_msg(system(full) == 0, "failed: %s", command);
}

START_TEST(sealed_bundle_is_read_back_whole)
{
	static const struct {
		const char *path, *text;
	} want[] = {
		{ "empty", "" },
		{ "report.json", "{}\n" },
		{ "report.txt", "verdict: pass\n" },
		{ "results/write.0", "bytes=1\n" },
		{ "results/write.1", "bytes=2\n" },
		{ "system_files/proc/cpuinfo", "processor\t: 0\n" },
	};
	struct scratch s = scratch_make();
	struct bundle_content c = { 0 };
	struct bundle b = { 0 };
	char path[PATH_MAX];
	struct err err = { 0 };

	open_bundle_in(&s, STEM, &b);
	fill(&b);
	seal(&b, false, false);
	ck_assert_uint_eq(scratch_count(&s), 1);
	scratch_path(&s, path, STEM ".tar.gz");
	ck_assert_msg(bundle_read(path, &c, &err) == 0, "%s", err.sentence);
	ck_assert(c.is_checked);
	ck_assert_uint_eq(c.n_files, ARRAY_LEN(want) + 1);
	ck_assert_str_eq(c.files[0].path, "MANIFEST");
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		ck_assert_str_eq(c.files[i + 1].path, want[i].path);
		ck_assert_str_eq(c.files[i + 1].data, want[i].text);
		ck_assert_uint_eq(c.files[i + 1].len, strlen(want[i].text));
		ck_assert_ptr_eq(bundle_content_find(&c, want[i].path), &c.files[i + 1]);
	}
	ck_assert_ptr_null(bundle_content_find(&c, "no"));
	bundle_content_done(&c);
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

START_TEST(manifest_says_size_and_digest_sorted_by_path)
{
	struct scratch s = scratch_make();
	struct bundle b = { 0 };
	char *text;

	open_bundle_in(&s, STEM, &b);
	put_text(&b, "b/c", "abc");
	put_text(&b, "a", "");
	put_text(&b, "b\\x", "abc");
	seal(&b, true, true);
	text = scratch_read(&s, STEM "/MANIFEST", NULL);
	ck_assert_str_eq(
		text,
		"# iotest bundle " STEM "\n"
		"SHA256 (a) = e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n"
		"# SIZE (a) = 0\n"
		"SHA256 (b/c) = ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n"
		"# SIZE (b/c) = 3\n"
		"\\SHA256 (b\\\\x) = "
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n"
		"\\# SIZE (b\\\\x) = 3\n");
	free(text);
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

START_TEST(tar_and_sha256sum_agree_with_the_archive)
{
	struct scratch s = scratch_make();
	struct bundle b = { 0 };

	open_bundle_in(&s, STEM, &b);
	fill(&b);
	put_text(&b, "system_files/dev-disk\\x2did (1) = x", "odd name");
	put_text(&b, "system_files/b\xc3\xa4r\xff", "not ascii, not even utf-8");
	seal(&b, false, false);
	shell(&s, "tar xzf %s.tar.gz && cd %s && sha256sum -c MANIFEST", STEM, STEM);
	shell(&s, "cd %s && test $(sha256sum -c MANIFEST | grep -c ': OK$') = 8", STEM);
	shell(&s, "test $(sha256sum <%s.tar.gz | cut -d' ' -f1) = %s", STEM, b.digest);
	shell(&s, "test $(stat -c %%s %s.tar.gz) = %lld", STEM, (long long)b.archive_bytes);
	shell(&s, "gzip -t %s.tar.gz", STEM);
	shell(&s, "! tar tvzf %s.tar.gz --numeric-owner | grep -v ' 0/0 '", STEM);
	shell(&s, "! tar tvzf %s.tar.gz | grep -v -e '^-rw------- ' -e '^drwx------ '", STEM);
	shell(&s, "test $(tar tzf %s.tar.gz | head -n 1) = %s/", STEM, STEM);
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

START_TEST(tar_has_nothing_to_complain_about)
{
	struct scratch s = scratch_make();
	struct bundle b = { 0 };

	open_bundle_in(&s, STEM, &b);
	fill(&b);
	seal(&b, false, false);
	shell(&s, "test -z \"$(tar xzf %s.tar.gz 2>&1)\"", STEM);
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

static void check_foreign_names(const char *write_locale, const char *read_locale)
{
	struct scratch s = scratch_make();
	struct bundle_content c = { 0 };
	struct bundle b = { 0 };
	char longest[1100] = "system_files";
	char path[PATH_MAX];
	struct err err = { 0 };
	static const char *const odd[] = { "b\xc3\xa4r",  "\xff\xfe", "new\nline",
					   "back\\slash", "a) = b",   "SHA256 (x) = y",
					   "#x",	  " ",	      "-rf" };

	for (int i = 0; i < 20; i++)
		strcat(longest, "/a-folder-with-a-name-of-about-fifty-characters-long");
	ck_assert_ptr_nonnull(setlocale(LC_ALL, write_locale));
	open_bundle_in(&s, STEM, &b);
	put_text(&b, longest, "deep");
	for (size_t i = 0; i < ARRAY_LEN(odd); i++)
		put_text(&b, odd[i], odd[i]);
	seal(&b, false, false);
	ck_assert_ptr_nonnull(setlocale(LC_ALL, read_locale));
	ck_assert_msg(bundle_read(scratch_path(&s, path, STEM ".tar.gz"), &c, &err) == 0, "%s",
		      err.sentence);
	ck_assert_ptr_nonnull(bundle_content_find(&c, longest));
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		ck_assert_ptr_nonnull(bundle_content_find(&c, odd[i]));
		ck_assert_str_eq(bundle_content_find(&c, odd[i])->data, odd[i]);
	}
	bundle_content_done(&c);
	bundle_done(&b);
	scratch_remove(&s);
}

START_TEST(long_and_foreign_names_come_back)
{
	/* written in the first locale, read in the second */
	static const char *const locales[][2] = {
		{ "C", "C" }, { "C.UTF-8", "C.UTF-8" }, { "C.UTF-8", "C" }, { "C", "C.UTF-8" }
	};

	for (size_t i = 0; i < ARRAY_LEN(locales); i++)
		check_foreign_names(locales[i][0], locales[i][1]);
}
END_TEST

START_TEST(two_bundles_of_one_stem_both_exist)
{
	struct scratch s = scratch_make();
	struct bundle_content c = { 0 };
	struct bundle one = { 0 };
	struct bundle two = { 0 };
	char path[PATH_MAX];

	open_bundle_in(&s, STEM, &one);
	open_bundle_in(&s, STEM, &two);
	put_text(&one, "who", "one");
	put_text(&two, "who", "two");
	seal(&two, false, false);
	seal(&one, false, false);
	ck_assert_str_eq(one.name, STEM);
	ck_assert_str_eq(two.name, STEM "_2");
	ck_assert_int_eq(bundle_read(scratch_path(&s, path, STEM ".tar.gz"), &c, NULL), 0);
	ck_assert_str_eq(bundle_content_find(&c, "who")->data, "one");
	bundle_content_done(&c);
	ck_assert_int_eq(bundle_read(scratch_path(&s, path, STEM "_2.tar.gz"), &c, NULL), 0);
	ck_assert_str_eq(bundle_content_find(&c, "who")->data, "two");
	bundle_content_done(&c);
	bundle_done(&one);
	bundle_done(&two);
	scratch_remove(&s);
}
END_TEST

/* keep_dir or not, and what takes the name after the bundle was opened */
static const struct {
	const char *taken;
	bool without_archive, keep_dir;
} late[] = {
	{ STEM ".tar.gz", false, false },
	{ STEM ".tar.gz", false, true },
	{ STEM, false, true },
	{ STEM, true, true },
};

START_TEST(name_that_is_taken_late_is_left_alone)
{
	for (size_t i = 0; i < ARRAY_LEN(late); i++) {
		struct scratch s = scratch_make();
		struct bundle_content c = { 0 };
		struct bundle b = { 0 };
		char path[PATH_MAX];
		struct err err = { 0 };
		char *text;

		open_bundle_in(&s, STEM, &b);
		fill(&b);
		scratch_write(&s, late[i].taken, "precious", 8);
		seal(&b, late[i].without_archive, late[i].keep_dir);
		ck_assert_str_eq(b.name, STEM "_2");
		text = scratch_read(&s, late[i].taken, NULL);
		ck_assert_str_eq(text, "precious");
		free(text);
		/* The top folder and MANIFEST inside have the new name too, or this fails. */
		if (!late[i].without_archive) {
			ck_assert_msg(bundle_read(scratch_path(&s, path, STEM "_2.tar.gz"), &c,
						  &err) == 0,
				      "%s", err.sentence);
			bundle_content_done(&c);
		}
		ck_assert_int_eq(scratch_has(&s, STEM "_2"), late[i].keep_dir);
		ck_assert_uint_eq(scratch_count(&s),
				  1U + !late[i].without_archive + late[i].keep_dir);
		bundle_done(&b);
		scratch_remove(&s);
	}
}
END_TEST

START_TEST(link_planted_late_at_the_archive_is_not_followed)
{
	struct scratch s = scratch_make();
	struct bundle b = { 0 };

	open_bundle_in(&s, STEM, &b);
	fill(&b);
	ck_assert_int_eq(symlinkat("victim", s.fd, STEM ".tar.gz"), 0);
	seal(&b, false, false);
	ck_assert(!scratch_has(&s, "victim"));
	ck_assert_str_eq(b.name, STEM "_2");
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

START_TEST(without_archive_and_folder_nothing_is_left)
{
	struct scratch s = scratch_make();
	struct bundle b = { 0 };

	open_bundle_in(&s, STEM, &b);
	fill(&b);
	ck_assert_int_eq(mkdirat(s.fd, "trap", 0700), 0);
	scratch_write(&s, "trap/file", "", 0);
	seal(&b, true, false);
	ck_assert_uint_eq(scratch_count(&s), 1);
	ck_assert(scratch_has(&s, "trap/file"));
	ck_assert_str_eq(b.digest, "");
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

START_TEST(what_is_no_file_stops_the_seal_and_is_named)
{
	struct scratch s = scratch_make();
	struct bundle b = { 0 };
	struct err err = { 0 };

	open_bundle_in(&s, STEM, &b);
	put_text(&b, "results/write.0", "x");
	ck_assert_int_eq(mkfifoat(b.dir_fd, "results/pipe", 0600), 0);
	ck_assert_int_lt(bundle_seal(&b, false, false, &err), 0);
	ck_assert_ptr_nonnull(strstr(err.sentence, "results/pipe"));
	ck_assert_ptr_nonnull(strstr(err.sentence, STEM ".partial"));
	ck_assert_uint_eq(scratch_count(&s), 1);
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

START_TEST(same_folder_gives_the_same_bytes)
{
	struct scratch s = scratch_make();
	struct tree tree = { 0 };
	struct bundle b = { 0 };
	char *data[2];
	size_t len[2];

	open_bundle_in(&s, STEM, &b);
	fill(&b);
	ck_assert_int_eq(tree_list(b.dir_fd, "x", &tree, NULL), 0);
	for (int i = 0; i < 2; i++) {
		int fd = openat(s.fd, "a", O_RDWR | O_CREAT | O_TRUNC, 0600);

		ck_assert_int_eq(archiver_write(fd, b.dir_fd, STEM, &tree, NULL), 0);
		close(fd);
		data[i] = scratch_read(&s, "a", &len[i]);
		/* The next second must not matter. */
		usleep(i ? 0 : 1100 * 1000);
	}
	ck_assert_uint_eq(len[0], len[1]);
	ck_assert_mem_eq(data[0], data[1], len[0]);
	free(data[0]);
	free(data[1]);
	tree_done(&tree);
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

START_TEST(file_that_still_grows_is_taken_as_it_was_listed)
{
	struct scratch s = scratch_make();
	struct tree tree = { 0 };
	struct bundle b = { 0 };
	struct err err = { 0 };
	int fd;

	open_bundle_in(&s, STEM, &b);
	put_text(&b, "log", "one\n");
	ck_assert_int_eq(tree_list(b.dir_fd, "x", &tree, NULL), 0);
	put_text(&b, "log", "one\ntwo\n");
	fd = openat(s.fd, "a.tar.gz", O_RDWR | O_CREAT, 0600);
	ck_assert_int_eq(archiver_write(fd, b.dir_fd, STEM, &tree, NULL), 0);
	shell(&s, "test \"$(tar xzOf a.tar.gz %s/log)\" = one", STEM);
	put_text(&b, "log", "1");
	ck_assert_int_eq(archiver_write(fd, b.dir_fd, STEM, &tree, &err), -EIO);
	ck_assert_str_eq(err.sentence, "log: became shorter while it was read");
	close(fd);
	tree_done(&tree);
	bundle_done(&b);
	scratch_remove(&s);
}
END_TEST

/* With a name from the start, as on file systems without O_TMPFILE, and without. */
START_TEST(staged_file_appears_only_complete_and_never_over_another)
{
	for (int with_name = 0; with_name < 2; with_name++) {
		struct scratch s = scratch_make();
		struct staged staged;
		struct bundle b = { 0 };
		char *text;

		open_bundle_in(&s, STEM, &b);
		scratch_write(&s, "taken", "precious", 8);
		ck_assert_int_eq(staged_open(&staged, &b, with_name), 0);
		ck_assert_int_eq(write(staged.fd, "new", 3), 3);
		ck_assert_int_eq(staged_link(&staged, &b, "taken"), -EEXIST);
		ck_assert_int_eq(staged_link(&staged, &b, "free"), 0);
		staged_done(&staged);
		text = scratch_read(&s, "taken", NULL);
		ck_assert_str_eq(text, "precious");
		free(text);
		text = scratch_read(&s, "free", NULL);
		ck_assert_str_eq(text, "new");
		free(text);
		ck_assert_uint_eq(scratch_mode(&s, "free"), 0600);

		ck_assert_int_eq(staged_open(&staged, &b, with_name), 0);
		staged_done(&staged);
		ck_assert_uint_eq(scratch_count(&s), 3);
		ck_assert_uint_eq(scratch_count(&(struct scratch){ .fd = b.dir_fd }), 0);
		bundle_done(&b);
		scratch_remove(&s);
	}
}
END_TEST

/* The mount lives in a namespace of this process, and dies with it. */
static bool mount_small(const struct scratch *s)
{
	if (geteuid() != 0) {
		puts("skipped: full_disk: only root can mount a small tmpfs");
		return false;
	}
	if (unshare(CLONE_NEWNS) || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", s->path, "tmpfs", 0, "size=1m")) {
		printf("skipped: full_disk: cannot mount a small tmpfs: %s\n", strerror(errno));
		return false;
	}
	return true;
}

START_TEST(full_disk_leaves_the_folder_and_nothing_half_written)
{
	struct scratch outer = scratch_make();
	struct scratch s = outer;
	struct bundle_content c = { 0 };
	struct bundle b = { 0 };
	struct err err = { 0 };
	char path[PATH_MAX];
	static char noise[600 * 1024];

	if (mount_small(&outer)) {
		s.fd = open(s.path, O_RDONLY | O_DIRECTORY);
		for (size_t i = 0; i < sizeof(noise); i++)
			noise[i] = (char)(random() >> 7);
		open_bundle_in(&s, STEM, &b);
		ck_assert_int_eq(bundle_put(&b, "noise", noise, sizeof(noise), NULL), 0);
		ck_assert_int_eq(bundle_put(&b, "noise2", noise, sizeof(noise), &err), -ENOSPC);
		ck_assert_uint_eq(scratch_count(&(struct scratch){ .fd = b.dir_fd }), 1);

		ck_assert_int_eq(bundle_seal(&b, false, false, &err), -ENOSPC);
		ck_assert_int_eq(err.rc, -ENOSPC);
		ck_assert_ptr_nonnull(strstr(err.sentence, "No space left on device"));
		ck_assert_ptr_nonnull(strstr(err.sentence, STEM ".partial"));
		ck_assert_str_eq(b.digest, "");
		ck_assert_uint_eq(scratch_count(&s), 1);

		/* The folder that stays can be read, and sealed once there is room. */
		scratch_path(&s, path, STEM ".partial");
		ck_assert_msg(bundle_read(path, &c, &err) == 0, "%s", err.sentence);
		ck_assert(c.is_checked);
		bundle_content_done(&c);
		ck_assert_int_eq(mount("tmpfs", s.path, "tmpfs", MS_REMOUNT, "size=4m"), 0);
		seal(&b, false, false);
		ck_assert_uint_eq(scratch_count(&s), 1);
		ck_assert(scratch_has(&s, STEM ".tar.gz"));
		bundle_done(&b);
		close(s.fd);
		ck_assert_int_eq(umount2(s.path, MNT_DETACH), 0);
	}
	scratch_remove(&outer);
}
END_TEST

SUITE_MAIN("bundle_seal", sealed_bundle_is_read_back_whole,
	   manifest_says_size_and_digest_sorted_by_path, tar_and_sha256sum_agree_with_the_archive,
	   tar_has_nothing_to_complain_about, long_and_foreign_names_come_back,
	   two_bundles_of_one_stem_both_exist, name_that_is_taken_late_is_left_alone,
	   link_planted_late_at_the_archive_is_not_followed,
	   without_archive_and_folder_nothing_is_left, what_is_no_file_stops_the_seal_and_is_named,
	   same_folder_gives_the_same_bytes, file_that_still_grows_is_taken_as_it_was_listed,
	   staged_file_appears_only_complete_and_never_over_another,
	   full_disk_leaves_the_folder_and_nothing_half_written)
