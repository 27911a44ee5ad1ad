/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle_dir - the partial folder: its name, its lock, its files
 *
 * The existing folder is the claim on a name, its flock says that the owner lives.
 */
#include "bundle_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/fd.h"
#include "iotest/xalloc.h"
#include "tree.h"

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define SUFFIX_MAX 9999
/* Only ever in the 0700 folder of one process, so a fixed name does. */
#define PUT_NAME ".put.tmp"

static bool name_exists(int dirfd, const char *name, const char *ending)
{
	CLEANUP(xfree) char *full = xasprintf("%s%s", name, ending);
	struct stat st;

	return fstatat(dirfd, full, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static char *suffixed_name(const char *stem, size_t stem_len, int suffix)
{
	if (suffix == 1)
		return xstrndup(stem, stem_len);
	return xasprintf("%.*s_%d", (int)stem_len, stem, suffix);
}

static int advise_elsewhere(struct err *err, int rc)
{
	err_advise(err, "choose an existing directory that you can write to with -o DIR");
	return rc;
}

static int open_output(struct bundle *b, const char *path, struct err *err)
{
	char *real = realpath(path, NULL);
	int rc;

	if (!real) {
		rc = err_set(err, -errno, "%s: cannot use it as the output directory", path);
		return advise_elsewhere(err, rc);
	}
	b->out_path = real;
	b->out_fd = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (b->out_fd < 0) {
		rc = err_set(err, -errno, "%s: cannot use it as the output directory", path);
		return advise_elsewhere(err, rc);
	}
	return 0;
}

/* Takes the first free name; the folder that is made is the claim on it. */
static int make_folder(struct bundle *b, const char *stem, struct err *err)
{
	for (int suffix = 1; suffix <= SUFFIX_MAX; suffix++) {
		CLEANUP(xfree) char *name = suffixed_name(stem, strlen(stem), suffix);
		CLEANUP(xfree) char *folder = xasprintf("%s" BUNDLE_PARTIAL, name);
		int rc;

		if (name_exists(b->out_fd, name, "") ||
		    name_exists(b->out_fd, name, BUNDLE_ARCHIVE))
			continue;
		if (mkdirat(b->out_fd, folder, 0700) == 0) {
			b->name = xstrdup(name);
			return 0;
		}
		if (errno == EEXIST)
			continue;
		rc = err_set(err, -errno, "%s: cannot make the folder %s", b->out_path, folder);
		return advise_elsewhere(err, rc);
	}
	return err_say(err, -EEXIST, "%s: every name from %s to %s_%d is taken", b->out_path, stem,
		       stem, SUFFIX_MAX);
}

/*
 * Waits, because the only others that lock this folder are other starts that look for a moment
 * whether it is abandoned. A file system without locks is no reason not to measure.
 */
static void lock_folder(int fd)
{
	while (flock(fd, LOCK_EX) && errno == EINTR)
		;
}

static int open_folder(struct bundle *b, struct err *err)
{
	CLEANUP(xfree) char *folder = xasprintf("%s" BUNDLE_PARTIAL, b->name);

	b->dir_fd = openat(b->out_fd, folder, OPEN_DIR);
	if (b->dir_fd < 0 || fchmod(b->dir_fd, 0700)) {
		int rc = err_set(err, -errno, "%s/%s: cannot open the folder just made",
				 b->out_path, folder);

		(void)unlinkat(b->out_fd, folder, AT_REMOVEDIR);
		return rc;
	}
	lock_folder(b->dir_fd);
	return 0;
}

static bool is_abandoned(int out_fd, const char *name)
{
	CLEANUP(fd_close) int fd = -1;
	struct stat st;

	if (fnmatch("iotest_*" BUNDLE_PARTIAL, name, 0) != 0)
		return false;
	fd = openat(out_fd, name, OPEN_DIR | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) || st.st_uid != geteuid())
		return false;
	/* Closing the descriptor gives the lock back. */
	return flock(fd, LOCK_SH | LOCK_NB) == 0;
}

/* Best effort: not being able to look is no reason to stop. */
static void find_abandoned(int out_fd, struct strlist *abandoned)
{
	CLEANUP(strlist_done) struct strlist names = { 0 };

	if (tree_names(out_fd, &names))
		return;
	for (size_t i = 0; i < names.n_items; i++)
		if (is_abandoned(out_fd, names.items[i]))
			strlist_add(abandoned, names.items[i]);
}

int bundle_check_place(const char *out_path, struct err *err)
{
	CLEANUP(bundle_done) struct bundle b = { .out_fd = -1, .dir_fd = -1 };
	int rc = open_output(&b, out_path, err);

	if (rc || !faccessat(b.out_fd, ".", W_OK | X_OK, AT_EACCESS))
		return rc;
	return advise_elsewhere(err, err_set(err, -errno, "%s: the bundle cannot be written there",
					     b.out_path));
}

int bundle_open(struct bundle *out, const char *out_path, const char *stem,
		struct strlist *abandoned, struct err *err)
{
	CLEANUP(bundle_done) struct bundle b = { .out_fd = -1, .dir_fd = -1 };
	int rc;

	if (!tree_path_is_safe(stem) || strchr(stem, '/'))
		return err_say(err, -EINVAL, "%s: cannot be the name of a bundle", stem);
	b.stem_len = strlen(stem);
	rc = open_output(&b, out_path, err);
	if (rc)
		return rc;
	rc = make_folder(&b, stem, err);
	if (rc)
		return rc;
	rc = open_folder(&b, err);
	if (rc)
		return rc;
	find_abandoned(b.out_fd, abandoned);

	*out = b;
	b = (struct bundle){ 0 };
	return 0;
}

void bundle_done(struct bundle *bundle)
{
	/* A zeroed struct owns no descriptor, not even 0; an open one has its path. */
	if (bundle->out_path) {
		fd_close(&bundle->dir_fd);
		fd_close(&bundle->out_fd);
	}
	free(bundle->out_path);
	free(bundle->name);
	*bundle = (struct bundle){ 0 };
}

/* Writes the temporary file in full; it is gone again if that fails. */
static int write_put_file(int at, const void *data, size_t len)
{
	CLEANUP(fd_close) int fd = -1;
	int rc;

	/* A leftover can only be our own. */
	(void)unlinkat(at, PUT_NAME, 0);
	fd = openat(at, PUT_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	rc = fchmod(fd, 0600) ? -errno : 0;
	if (!rc)
		rc = fd_write_all(fd, data, len);
	return rc;
}

static int put_file(const struct bundle *b, const char *path, const void *data, size_t len)
{
	CLEANUP(fd_close) int at = -1;
	const char *last = NULL;
	int rc;

	at = tree_open_parent(b->dir_fd, path, true, &last);
	if (at < 0)
		return at;
	rc = write_put_file(at, data, len);
	if (!rc && renameat(at, PUT_NAME, at, last))
		rc = -errno;
	if (rc)
		(void)unlinkat(at, PUT_NAME, 0);
	return rc;
}

static int file_error(const struct bundle *b, int rc, const char *path, struct err *err)
{
	CLEANUP(buf_done) struct buf shown = { 0 };

	buf_add_visible(&shown, path);
	return err_set(err, rc, "%s/%s" BUNDLE_PARTIAL ": cannot write %s", b->out_path, b->name,
		       buf_text(&shown));
}

int bundle_put(struct bundle *bundle, const char *path, const void *data, size_t len,
	       struct err *err)
{
	int rc = put_file(bundle, path, data, len);

	return rc ? file_error(bundle, rc, path, err) : 0;
}

static int open_to_append(const struct bundle *b, const char *path)
{
	CLEANUP(fd_close) int at = -1;
	const char *last = NULL;
	int fd;

	at = tree_open_parent(b->dir_fd, path, true, &last);
	if (at < 0)
		return at;
	fd = openat(at, last, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return -errno;
	if (fchmod(fd, 0600)) {
		int rc = -errno;

		close(fd);
		return rc;
	}
	return fd;
}

int bundle_create(struct bundle *bundle, const char *path, int *fd, struct err *err)
{
	int rc = open_to_append(bundle, path);

	if (rc < 0)
		return file_error(bundle, rc, path, err);
	*fd = rc;
	return 0;
}

static int open_made_dir(const struct bundle *b, const char *path)
{
	CLEANUP(fd_close) int at = -1;
	const char *last = NULL;
	int fd;

	at = tree_open_parent(b->dir_fd, path, true, &last);
	if (at < 0)
		return at;
	if (mkdirat(at, last, 0700) && errno != EEXIST)
		return -errno;
	fd = openat(at, last, OPEN_DIR);
	return fd < 0 ? -errno : fd;
}

int bundle_make_dir(struct bundle *bundle, const char *path, int *fd, struct err *err)
{
	int rc = open_made_dir(bundle, path);

	if (rc < 0)
		return file_error(bundle, rc, path, err);
	*fd = rc;
	return 0;
}

int bundle_dir_rename(const struct bundle *bundle, const char *from, const char *to)
{
	int fd = bundle->out_fd;
	int rc = tree_rename_new(fd, from, fd, to);

	if (rc != -ENOSYS)
		return rc;
	/* Here without the flag (NFS): a folder replaces nothing but an empty folder anyway. */
	if (name_exists(fd, to, ""))
		return -EEXIST;
	if (renameat(fd, from, fd, to) == 0)
		return 0;
	return errno == ENOTEMPTY || errno == ENOTDIR ? -EEXIST : -errno;
}

int bundle_dir_take_next_name(struct bundle *bundle, struct err *err)
{
	CLEANUP(xfree) char *from = xasprintf("%s" BUNDLE_PARTIAL, bundle->name);

	for (int suffix = 2; suffix <= SUFFIX_MAX; suffix++) {
		CLEANUP(xfree)
		char *name = suffixed_name(bundle->name, bundle->stem_len, suffix);
		CLEANUP(xfree) char *to = xasprintf("%s" BUNDLE_PARTIAL, name);
		int rc;

		if (name_exists(bundle->out_fd, name, "") ||
		    name_exists(bundle->out_fd, name, BUNDLE_ARCHIVE))
			continue;
		rc = bundle_dir_rename(bundle, from, to);
		if (rc == -EEXIST)
			continue;
		if (rc)
			return err_set(err, rc, "%s/%s: cannot rename it to %s", bundle->out_path,
				       from, to);
		xstr_set(&bundle->name, name);
		return 0;
	}
	return err_say(err, -EEXIST, "%s: every name up to %.*s_%d is taken", bundle->out_path,
		       (int)bundle->stem_len, bundle->name, SUFFIX_MAX);
}

int bundle_dir_remove(const struct bundle *bundle)
{
	CLEANUP(xfree) char *folder = xasprintf("%s" BUNDLE_PARTIAL, bundle->name);
	int rc = tree_empty(bundle->dir_fd);

	if (rc)
		return rc;
	return unlinkat(bundle->out_fd, folder, AT_REMOVEDIR) ? -errno : 0;
}
