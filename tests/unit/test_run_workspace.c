/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_workspace - test files come, are private, and go
 */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "iotest/compiler.h"
#include "iotest/host.h"
#include "run/cache.h"
#include "run/workspace.h"

#define N_FILES 5

static const char *const places[] = { "/tmp", "/dev/shm" };
static char target[64];

static void make_target(const char *place)
{
	(void)snprintf(target, sizeof(target), "%s/iotest-unit-XXXXXX", place);
	ck_assert_ptr_nonnull(mkdtemp(target));
}

static void tear_down(void)
{
	if (target[0])
		ck_assert_int_eq(rmdir(target), 0);
	target[0] = '\0';
}

static struct workspace_wish wish_of(int kind, bool in_directory)
{
	return (struct workspace_wish){
		.path = target,
		.target_kind = kind,
		.host_name = "node1.example/../x",
		.n_files = N_FILES,
		.in_directory = in_directory,
	};
}

/* The names in a directory; the last one is kept in name. */
static int count_names(const char *path, char name[256])
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int n = 0;

	ck_assert_ptr_nonnull(dir);
	for (entry = readdir(dir); entry; entry = readdir(dir)) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (name)
			(void)snprintf(name, 256, "%s", entry->d_name);
		n++;
	}
	(void)closedir(dir);
	return n;
}

static void fill_files(const struct workspace *ws)
{
	static const char block[8192] = "x";

	for (size_t i = 0; i < ws->n_files; i++)
		ck_assert_int_eq(pwrite(ws->files[i].fd, block, sizeof(block), 0), sizeof(block));
}

static const struct {
	int kind;
	bool in_directory;
	const char *want;
	int want_names; /* in the target, while it is open */
	int want_links;
} modes[] = {
	{ TARGET_LOCAL, false, "unnamed", 0, 0 },  { TARGET_LOCAL, true, "unlinked", 0, 0 },
	{ TARGET_MEMORY, true, "unlinked", 0, 0 }, { TARGET_NETWORK, true, "named", 1, 1 },
	{ TARGET_USERSPACE, true, "named", 1, 1 }, { TARGET_UNKNOWN, true, "named", 1, 1 },
};

START_TEST(files_are_private_and_nothing_stays)
{
	const size_t n_modes = ARRAY_LEN(modes);
	const size_t m = (size_t)_i % n_modes;
	struct workspace_wish wish = wish_of(modes[m].kind, modes[m].in_directory);
	struct workspace ws = { 0 };
	struct leftover left = { .bytes = -2 };
	struct err err = { 0 };
	mode_t mask;

	make_target(places[(size_t)_i / n_modes]);
	mask = umask(0777);
	ck_assert_msg(workspace_open(&wish, &ws, &left, &err) == 0, "%s", err.sentence);
	ck_assert_uint_eq(umask(mask), 0777);
	ck_assert_str_eq(ws.kind, modes[m].want);
	ck_assert_uint_eq(ws.n_files, N_FILES);
	ck_assert_int_eq(count_names(target, NULL), modes[m].want_names);
	for (size_t i = 0; i < ws.n_files; i++) {
		struct stat st;

		ck_assert_int_eq(fstat(ws.files[i].fd, &st), 0);
		ck_assert_uint_eq(st.st_nlink, modes[m].want_links);
		ck_assert_uint_eq(st.st_mode & 07777, 0600);
	}
	fill_files(&ws);
	ck_assert_int_ge(workspace_allocated_bytes(&ws), N_FILES * 8192);

	workspace_close(&ws, &left);
	ck_assert_int_eq(left.bytes, 0);
	ck_assert_ptr_null(left.path);
	ck_assert_int_eq(count_names(target, NULL), 0);
	workspace_close(&ws, NULL);
}
END_TEST

START_TEST(the_directory_is_locked_and_names_its_owner)
{
	struct workspace_wish wish = wish_of(TARGET_NETWORK, true);
	CLEANUP(workspace_done) struct workspace ws = { 0 };
	char name[256], path[512], want[64];
	struct stat st;
	int fd;

	make_target("/tmp");
	ck_assert_int_eq(workspace_open(&wish, &ws, NULL, NULL), 0);
	ck_assert_int_eq(count_names(target, name), 1);
	(void)snprintf(want, sizeof(want), ".iotest-node1.example_.._x-%d-", (int)getpid());
	ck_assert_int_eq(strncmp(name, want, strlen(want)), 0);
	(void)snprintf(path, sizeof(path), "%s/%s", target, name);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
	fd = open(path, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), -1);
	ck_assert_int_eq(errno, EWOULDBLOCK);
	(void)close(fd);
	workspace_done(&ws);
}
END_TEST

START_TEST(what_is_not_ours_stays_and_is_told)
{
	struct workspace_wish wish = wish_of(TARGET_LOCAL, true);
	struct workspace ws = { 0 };
	struct leftover left = { 0 };
	char name[256], path[512], alien[600] = "";
	int fd;

	wish.target_kind = TARGET_NETWORK;
	make_target("/tmp");
	ck_assert_int_eq(workspace_open(&wish, &ws, NULL, NULL), 0);
	/* Removed without the patience that a network file system gets. */
	ws.target_kind = TARGET_LOCAL;
	ck_assert_int_eq(count_names(target, name), 1);
	(void)snprintf(path, sizeof(path), "%s/%s", target, name);
	(void)snprintf(alien, sizeof(alien), "%s/alien", path);
	fd = open(alien, O_WRONLY | O_CREAT | O_EXCL, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, alien, 100), 100);
	ck_assert_int_eq(fsync(fd), 0);
	(void)close(fd);

	workspace_close(&ws, &left);
	ck_assert_int_gt(left.bytes, 0);
	ck_assert_str_eq(left.path, path);
	ck_assert_int_eq(count_names(path, NULL), 1);
	free(left.path);
	ck_assert_int_eq(unlink(alien), 0);
	ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

START_TEST(a_file_that_was_linked_elsewhere_is_told)
{
	struct workspace_wish wish = wish_of(TARGET_LOCAL, false);
	struct workspace ws = { 0 };
	struct leftover left = { 0 };
	char from[64], to[128];

	make_target("/tmp");
	ck_assert_int_eq(workspace_open(&wish, &ws, NULL, NULL), 0);
	fill_files(&ws);
	(void)snprintf(from, sizeof(from), "/proc/self/fd/%d", ws.files[2].fd);
	(void)snprintf(to, sizeof(to), "%s/link", target);
	ck_assert_int_eq(linkat(AT_FDCWD, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW), 0);
	workspace_close(&ws, &left);
	ck_assert_int_ge(left.bytes, 8192);
	ck_assert_str_eq(left.path, target);
	free(left.path);
	ck_assert_int_eq(unlink(to), 0);
}
END_TEST

START_TEST(a_reader_has_a_description_of_its_own_that_cannot_write)
{
	struct workspace_wish wish = wish_of(TARGET_NETWORK, _i);
	struct workspace ws = { 0 };
	char block[100] = "";
	int fd;

	make_target("/tmp");
	ck_assert_int_eq(workspace_open(&wish, &ws, NULL, NULL), 0);
	fill_files(&ws);
	fd = workspace_reopen(&ws, 3, O_RDONLY);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_ne(fd, ws.files[3].fd);
	ck_assert_int_eq(pread(fd, block, sizeof(block), 0), sizeof(block));
	ck_assert_int_eq(block[0], 'x');
	ck_assert_int_eq(pwrite(fd, block, sizeof(block), 0), -1);
	(void)close(fd);
	workspace_done(&ws);
}
END_TEST

START_TEST(a_missing_directory_is_named)
{
	struct workspace_wish wish = wish_of(TARGET_LOCAL, false);
	struct workspace ws = { 0 };
	struct err err = { 0 };

	wish.path = "/tmp/iotest-unit-is-not-here";
	ck_assert_int_eq(workspace_open(&wish, &ws, NULL, &err), -ENOENT);
	ck_assert_str_eq(err.sentence, "/tmp/iotest-unit-is-not-here: cannot open the directory: "
				       "No such file or directory");
	ck_assert_ptr_null(ws.files);
}
END_TEST

START_TEST(a_symbolic_link_is_not_followed)
{
	struct workspace_wish wish = wish_of(TARGET_LOCAL, false);
	struct workspace ws = { 0 };
	char link[128];

	make_target("/tmp");
	(void)snprintf(link, sizeof(link), "%s/link", target);
	ck_assert_int_eq(symlink("/dev/shm", link), 0);
	wish.path = link;
	ck_assert_int_lt(workspace_open(&wish, &ws, NULL, NULL), 0);
	ck_assert_int_eq(unlink(link), 0);
}
END_TEST

START_TEST(the_limit_on_open_files_is_raised_as_far_as_needed)
{
	struct rlimit limit = { .rlim_cur = 20, .rlim_max = 200 };
	struct workspace_wish wish = wish_of(TARGET_LOCAL, false);
	struct workspace ws = { 0 };

	make_target("/tmp");
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	wish.n_files = 100;
	ck_assert_int_eq(workspace_open(&wish, &ws, NULL, NULL), 0);
	workspace_done(&ws);
}
END_TEST

START_TEST(a_hard_limit_on_open_files_below_the_need_is_a_sentence)
{
	struct rlimit limit = { .rlim_cur = 20, .rlim_max = 100 };
	struct workspace_wish wish = wish_of(TARGET_LOCAL, false);
	struct workspace ws = { 0 };
	struct err err = { 0 };

	make_target("/tmp");
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	wish.n_files = 100;
	ck_assert_int_eq(workspace_open(&wish, &ws, NULL, &err), -EMFILE);
	ck_assert_str_eq(err.sentence, "100 workers need 164 open files, but the limit is 100");
	ck_assert_ptr_nonnull(strstr(err.advice, "ulimit -n"));
}
END_TEST

START_TEST(running_out_of_descriptors_half_way_leaves_nothing)
{
	struct rlimit limit = { .rlim_cur = 80, .rlim_max = 80 };
	struct workspace_wish wish = wish_of(TARGET_NETWORK, true);
	struct workspace ws = { 0 };
	struct leftover left = { .bytes = -2 };
	struct err err = { 0 };

	make_target("/tmp");
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	wish.n_files = 16;
	for (int i = 0; i < 60; i++)
		ck_assert_int_ge(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
	ck_assert_int_eq(workspace_open(&wish, &ws, &left, &err), -EMFILE);
	ck_assert_ptr_nonnull(strstr(err.sentence, target));
	ck_assert_int_eq(left.bytes, 0);
	/* opendir needs one. */
	(void)close(50);
	ck_assert_int_eq(count_names(target, NULL), 0);
}
END_TEST

static const struct {
	int kind;
	int error;
	const char *want;
} advices[] = {
	{ TARGET_LOCAL, EACCES, "run as a user who may" },
	{ TARGET_LOCAL, EACCES, "SELinux" },
	{ TARGET_LOCAL, EPERM, "fapolicyd" },
	{ TARGET_LOCAL, EROFS, "read-write" },
	{ TARGET_LOCAL, ENOSPC, "df -i" },
	{ TARGET_LOCAL, EDQUOT, "quota" },
	{ TARGET_LOCAL, ENAMETOOLONG, "shorter names" },
	{ TARGET_LOCAL, EFBIG, "ulimit -f" },
};

START_TEST(each_refusal_has_its_advice)
{
	struct err err = { 0 };

	workspace_advise(&err, advices[_i].kind, -advices[_i].error);
	ck_assert_ptr_nonnull(strstr(err.advice, advices[_i].want));
}
END_TEST

START_TEST(root_refused_on_a_network_file_system_hears_of_squash_and_kerberos)
{
	struct err err = { 0 };

	if (geteuid() != 0)
		return;
	workspace_advise(&err, TARGET_NETWORK, -EACCES);
	ck_assert_ptr_nonnull(strstr(err.advice, "root squash"));
	ck_assert_ptr_nonnull(strstr(err.advice, "Kerberos"));
}
END_TEST

START_TEST(dropping_takes_a_file_out_of_the_cache)
{
	struct workspace_wish wish = wish_of(TARGET_LOCAL, false);
	struct statfs fs;
	struct workspace ws = { 0 };

	/* Nothing leaves a file system in memory. */
	ck_assert_int_eq(statfs("/var/tmp", &fs), 0);
	if (fs.f_type == TMPFS_MAGIC)
		return;
	make_target("/var/tmp");
	ck_assert_int_eq(workspace_open(&wish, &ws, NULL, NULL), 0);
	fill_files(&ws);
	ck_assert_int_eq(cache_resident_bytes(ws.files[0].fd), 8192);
	ck_assert_int_eq(cache_drop(ws.files[0].fd), 0);
	ck_assert_int_eq(cache_resident_bytes(ws.files[0].fd), 0);
	ck_assert_int_eq(cache_resident_bytes(ws.files[1].fd), 8192);
	ck_assert_int_eq(cache_sync_fs(ws.target_fd, 60 * NS_PER_S), 0);
	workspace_done(&ws);
}
END_TEST

START_TEST(a_bad_descriptor_is_an_unknown_not_a_zero)
{
	ck_assert_int_eq(cache_resident_bytes(-1), -1);
	ck_assert_int_eq(cache_drop(-1), -EBADF);
	ck_assert_int_eq(cache_sync_fs(-1, NS_PER_S), -EBADF);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("run_workspace");
	TCase *tc = tcase_create("workspace");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, NULL, tear_down);
	tcase_add_loop_test(tc, files_are_private_and_nothing_stays, 0,
			    ARRAY_LEN(modes) * ARRAY_LEN(places));
	tcase_add_test(tc, the_directory_is_locked_and_names_its_owner);
	tcase_add_test(tc, what_is_not_ours_stays_and_is_told);
	tcase_add_test(tc, a_file_that_was_linked_elsewhere_is_told);
	tcase_add_loop_test(tc, a_reader_has_a_description_of_its_own_that_cannot_write, 0, 2);
	tcase_add_test(tc, a_missing_directory_is_named);
	tcase_add_test(tc, a_symbolic_link_is_not_followed);
	tcase_add_test(tc, the_limit_on_open_files_is_raised_as_far_as_needed);
	tcase_add_test(tc, a_hard_limit_on_open_files_below_the_need_is_a_sentence);
	tcase_add_test(tc, running_out_of_descriptors_half_way_leaves_nothing);
	tcase_add_loop_test(tc, each_refusal_has_its_advice, 0, ARRAY_LEN(advices));
	tcase_add_test(tc, root_refused_on_a_network_file_system_hears_of_squash_and_kerberos);
	tcase_add_test(tc, dropping_takes_a_file_out_of_the_cache);
	tcase_add_test(tc, a_bad_descriptor_is_an_unknown_not_a_zero);
	suite_add_tcase(suite, tc);
	sr = srunner_create(suite);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
