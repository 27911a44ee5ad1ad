/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle - from the partial folder to the archive, and back to the files in it
 */
#include "iotest/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archiver.h"
#include "bundle_dir.h"
#include "content.h"
#include "iotest/fd.h"
#include "iotest/xalloc.h"
#include "manifest.h"
#include "staged.h"
#include "tree.h"

/* Each one writes the whole archive; somebody else has taken the name meanwhile. */
#define SEAL_ATTEMPTS_MAX 20

/* --- sealing --- */

/*
 * Writes MANIFEST and leaves the list of all files, with it, in tree. The list is made once, so
 * that MANIFEST and archive agree even about a file that still grows.
 */
static int write_manifest(struct bundle *b, struct tree *tree, struct err *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	int64_t mtime_s = 0;
	int rc;

	rc = tree_list(b->dir_fd, b->name, tree, err);
	if (rc)
		return rc;
	tree_drop(tree, BUNDLE_MANIFEST);
	rc = manifest_format(b->dir_fd, b->name, tree, &text, err);
	if (rc)
		return rc;
	rc = bundle_put(b, BUNDLE_MANIFEST, text.data, text.len, err);
	if (rc)
		return rc;
	/* As old as what it lists, so that the same files give the same archive. */
	for (size_t i = 0; i < tree->n_items; i++)
		if (tree->items[i].kind == TREE_FILE && tree->items[i].mtime_s > mtime_s)
			mtime_s = tree->items[i].mtime_s;
	tree_add_file(tree, BUNDLE_MANIFEST, (int64_t)text.len, mtime_s);
	return 0;
}

static int write_archive(struct bundle *b, struct staged *staged, const struct tree *tree,
			 struct err *err)
{
	struct stat st;
	int rc;

	rc = archiver_write(staged->fd, b->dir_fd, b->name, tree, err);
	if (rc)
		return rc;
	if (fstat(staged->fd, &st))
		return err_set(err, -errno, "%s.tar.gz: cannot read its size", b->name);
	b->archive_bytes = st.st_size;
	return archiver_digest_file(staged->fd, st.st_size, b->name, b->digest, err);
}

/* Folder first: it can be named back if the archive then finds its name taken. */
static int give_names(const struct bundle *b, struct staged *staged, bool keep_dir)
{
	CLEANUP(xfree) char *partial = xasprintf("%s" BUNDLE_PARTIAL, b->name);
	CLEANUP(xfree) char *archive = xasprintf("%s" BUNDLE_ARCHIVE, b->name);
	int rc = keep_dir ? bundle_dir_rename(b, partial, b->name) : 0;

	if (rc || !staged)
		return rc;
	rc = staged_link(staged, b, archive);
	if (rc && keep_dir) {
		int back = bundle_dir_rename(b, b->name, partial);

		return back ? back : rc;
	}
	return rc;
}

struct sealing {
	bool without_archive;
	bool keep_dir;
	bool with_name; /* O_TMPFILE was tried, and could not be linked */
};

/* The names could not be given: what to change before all is written again. */
static int prepare_again(struct bundle *b, struct sealing *how, int rc, struct err *err)
{
	if (rc == -EEXIST)
		return bundle_dir_take_next_name(b, err);
	if (rc == -ENOTSUP && !how->with_name) {
		how->with_name = true;
		return 0;
	}
	return err_set(err, rc, "%s: cannot finish the bundle", b->name);
}

/* Under the name that the bundle has now. *is_done stays false if that has to be done again. */
static int seal_once(struct bundle *b, struct sealing *how, bool *is_done, struct err *err)
{
	CLEANUP(tree_done) struct tree tree = { 0 };
	CLEANUP(staged_done) struct staged staged = { .fd = -1, .dir_fd = -1 };
	int rc;

	rc = write_manifest(b, &tree, err);
	if (rc)
		return rc;
	if (!how->without_archive) {
		rc = staged_open(&staged, b, how->with_name);
		if (rc)
			return err_set(err, rc, "%s.tar.gz: cannot create the archive", b->name);
		rc = write_archive(b, &staged, &tree, err);
		if (rc)
			return rc;
	}
	rc = give_names(b, how->without_archive ? NULL : &staged, how->keep_dir);
	*is_done = rc == 0;
	return rc ? prepare_again(b, how, rc, err) : 0;
}

/* Adds to the sentence where the results are now. */
static int seal_failed(struct bundle *b, int rc, struct err *err)
{
	CLEANUP(xfree) char *cause = err ? xstrdup(err->sentence) : NULL;

	b->digest[0] = '\0';
	b->archive_bytes = 0;
	if (cause)
		err_say(err, rc, "%s; the results stay in %s/%s" BUNDLE_PARTIAL, cause, b->out_path,
			b->name);
	return rc;
}

int bundle_seal(struct bundle *bundle, bool without_archive, bool keep_dir, struct err *err)
{
	struct sealing how = { .without_archive = without_archive, .keep_dir = keep_dir };
	bool is_done = false;
	int rc = 0;

	for (int attempt = 0; !rc && !is_done; attempt++) {
		if (attempt == SEAL_ATTEMPTS_MAX)
			rc = err_say(err, -EEXIST,
				     "%s: the names of the bundle are taken again and again",
				     bundle->out_path);
		else
			rc = seal_once(bundle, &how, &is_done, err);
	}
	if (rc)
		return seal_failed(bundle, rc, err);
	if (keep_dir)
		return 0;
	rc = bundle_dir_remove(bundle);
	if (rc)
		return err_set(err, rc, "%s/%s" BUNDLE_PARTIAL ": cannot remove the folder%s",
			       bundle->out_path, bundle->name,
			       without_archive ? "" : ", though the archive is complete");
	return 0;
}

static int copy(int from, int64_t len, int to)
{
	char block[64 * 1024];

	for (int64_t at = 0; at < len;) {
		ssize_t n = pread(from, block, sizeof(block), at);
		int rc;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		rc = fd_write_all(to, block, (size_t)n);
		if (rc)
			return rc;
		at += n;
	}
	return 0;
}

static int stream_once(struct bundle *b, int fd, struct err *err)
{
	CLEANUP(tree_done) struct tree tree = { 0 };
	CLEANUP(staged_done) struct staged staged = { .fd = -1, .dir_fd = -1 };
	int rc;

	rc = write_manifest(b, &tree, err);
	if (rc)
		return rc;
	rc = staged_open(&staged, b, false);
	if (rc)
		return err_set(err, rc, "%s.tar.gz: cannot create the archive", b->name);
	rc = write_archive(b, &staged, &tree, err);
	if (rc)
		return rc;
	rc = copy(staged.fd, b->archive_bytes, fd);
	return rc ? err_set(err, rc, "%s.tar.gz: cannot be written to standard output", b->name)
		  : 0;
}

int bundle_stream(struct bundle *bundle, int fd, struct err *err)
{
	int rc = stream_once(bundle, fd, err);

	if (rc)
		return seal_failed(bundle, rc, err);
	rc = bundle_dir_remove(bundle);
	return rc ? err_set(err, rc, "%s/%s" BUNDLE_PARTIAL ": cannot remove the folder",
			    bundle->out_path, bundle->name)
		  : 0;
}

int bundle_discard(struct bundle *bundle)
{
	return bundle_dir_remove(bundle);
}

/* --- reading --- */

/* To the end, because a file of a run that still goes on may grow. */
static int read_item(int dirfd, const struct tree_item *item, struct bundle_content *content,
		     const char *where, struct err *err)
{
	CLEANUP(fd_close) int fd = tree_open_file(dirfd, item->path);
	CLEANUP(buf_done) struct buf data = { 0 };
	int rc = fd < 0 ? fd : fd_read_all(fd, CONTENT_FILE_MAX, &data);
	size_t len = data.len;

	if (rc)
		return err_set(err, rc, "%s: cannot read %s", where, item->path);
	content_add(content, item->path, buf_take(&data), len);
	return 0;
}

static int read_folder(int dirfd, const char *where, struct bundle_content *out, struct err *err)
{
	CLEANUP(bundle_content_done) struct bundle_content content = { 0 };
	CLEANUP(tree_done) struct tree tree = { 0 };
	struct content_budget budget = { 0 };
	int rc;

	rc = tree_list(dirfd, where, &tree, err);
	for (size_t i = 0; !rc && i < tree.n_items; i++) {
		const struct tree_item *item = &tree.items[i];

		rc = content_allow(&budget, item->path, item->size_bytes, where, err);
		if (!rc && item->kind == TREE_FILE)
			rc = read_item(dirfd, item, &content, where, err);
	}
	if (rc)
		return rc;
	*out = content;
	content = (struct bundle_content){ 0 };
	return 0;
}

int bundle_load(const struct bundle *bundle, struct bundle_content *out, struct err *err)
{
	return read_folder(bundle->dir_fd, bundle->name, out, err);
}

int bundle_remove(struct bundle *bundle, const char *path)
{
	const char *last = NULL;
	CLEANUP(fd_close) int at = tree_open_parent(bundle->dir_fd, path, false, &last);

	if (at < 0)
		return at;
	return unlinkat(at, last, 0) ? -errno : 0;
}

int bundle_put_beside(const struct bundle *bundle, const char *ending, const void *data, size_t len,
		      struct err *err)
{
	CLEANUP(xfree) char *name = xasprintf("%s%s", bundle->name, ending);
	CLEANUP(fd_close)
	int fd = openat(bundle->out_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);
	int rc = fd < 0 ? -errno : fd_write_all(fd, data, len);

	return rc ? err_set(err, rc, "%s/%s: cannot be written", bundle->out_path, name) : 0;
}

/* By its real name, so that "." inside such a folder is recognised. */
static bool is_partial(const char *path)
{
	CLEANUP(xfree) char *real = realpath(path, NULL);
	size_t ending = strlen(BUNDLE_PARTIAL);
	size_t len = real ? strlen(real) : 0;

	return len > ending && strcmp(real + len - ending, BUNDLE_PARTIAL) == 0;
}

/* Before anything below is read: the folder may be "/". */
static int check_folder_is_ours(int dirfd, const char *path, struct err *err)
{
	struct stat st;

	if (fstatat(dirfd, BUNDLE_MANIFEST, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
		return 0;
	return is_partial(path) ? 0 : content_is_foreign(path, err);
}

/* content.is_checked stays false where there is no MANIFEST to check against. */
static int check_folder(int fd, const char *path, struct bundle_check *out, struct err *err)
{
	int rc;

	rc = check_folder_is_ours(fd, path, err);
	if (rc)
		return rc;
	rc = read_folder(fd, path, &out->content, err);
	if (rc)
		return rc;
	if (is_partial(path) && !bundle_content_find(&out->content, BUNDLE_MANIFEST))
		return 0;
	rc = manifest_compare(out, path, NULL, err);
	out->content.is_checked = rc == 0;
	return rc;
}

static int digest_archive(int fd, const char *path, struct bundle_check *out, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_set(err, -errno, "%s: cannot read the bundle", path);
	return archiver_digest_file(fd, st.st_size, path, out->content.digest, err);
}

static int check_archive(int fd, const char *path, struct bundle_check *out, struct err *err)
{
	CLEANUP(xfree) char *top = NULL;
	int rc;

	rc = archiver_read(fd, path, &out->content, &top, err);
	if (!rc)
		rc = content_sort(&out->content, path, err);
	if (!rc)
		rc = manifest_compare(out, path, top, err);
	if (!rc)
		rc = digest_archive(fd, path, out, err);
	out->content.is_checked = rc == 0;
	return rc;
}

/* Looks before it opens: opening alone can start a tape or wait for a FIFO's writer. */
static int open_bundle(const char *path, bool *is_dir, struct err *err)
{
	struct stat st;
	int fd;

	if (stat(path, &st))
		return err_set(err, -errno, "%s: cannot read the bundle", path);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return content_is_foreign(path, err);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		int rc = err_set(err, -errno, "%s: cannot read the bundle", path);

		fd_close(&fd);
		return rc;
	}
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		close(fd);
		return content_is_foreign(path, err);
	}
	*is_dir = S_ISDIR(st.st_mode);
	return fd;
}

void bundle_check_done(struct bundle_check *check)
{
	for (size_t i = 0; i < check->n_differences; i++) {
		free(check->differences[i].path);
		free(check->differences[i].text);
	}
	free(check->differences);
	bundle_content_done(&check->content);
	*check = (struct bundle_check){ 0 };
}

static int check_bundle(const char *path, struct bundle_check *out, struct err *err)
{
	CLEANUP(fd_close) int fd = -1;
	bool is_dir = false;

	fd = open_bundle(path, &is_dir, err);
	if (fd < 0)
		return fd;
	return is_dir ? check_folder(fd, path, out, err) : check_archive(fd, path, out, err);
}

int bundle_verify(const char *path, struct bundle_check *out, struct err *err)
{
	CLEANUP(bundle_check_done) struct bundle_check check = { 0 };
	int rc = check_bundle(path, &check, err);

	if (rc)
		return rc;
	if (!check.content.is_checked) {
		err_say(err, -EINVAL, "%s: a run that did not finish, without a MANIFEST", path);
		err_advise(err, "its files can be read, but not be checked");
		return -EINVAL;
	}
	*out = check;
	check = (struct bundle_check){ 0 };
	return 0;
}

int bundle_read(const char *path, struct bundle_content *out, struct err *err)
{
	CLEANUP(bundle_check_done) struct bundle_check check = { 0 };
	CLEANUP(buf_done) struct buf shown = { 0 };
	int rc = check_bundle(path, &check, err);

	if (rc)
		return rc;
	if (check.n_differences) {
		buf_add_visible(&shown, check.differences[0].path);
		return err_say(err, -EBADMSG, "%s: %s %s", path, buf_text(&shown),
			       check.differences[0].text);
	}
	*out = check.content;
	check.content = (struct bundle_content){ 0 };
	return 0;
}
