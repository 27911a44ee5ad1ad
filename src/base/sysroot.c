/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysroot - the files of a host: the live one, or a recorded tree
 *
 * What is there in a recorded tree wins over a recorded failure, so that a tree can be edited.
 */
#include "sysroot_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "iotest/fd.h"
#include "resolve.h"

char *sysroot_format(const char *fmt, va_list ap)
{
	struct buf b = { 0 };

	buf_vprintf(&b, fmt, ap);
	return buf_take(&b);
}

void sysroot_keep(const struct sysroot *root, const char *path, const struct buf *data, int error)
{
	if (root->evidence)
		evidence_add(root->evidence, path, EVIDENCE_FILE, data->data, data->len, error);
}

void sysroot_keep_error(const struct sysroot *root, const char *path, int rc)
{
	if (root->evidence)
		evidence_add(root->evidence, path, EVIDENCE_ERROR, NULL, 0, -rc);
}

char *sysroot_kept_path(const char *path, const char *suffix)
{
	CLEANUP(xfree) char *clean = evidence_path(path);

	return xasprintf("%s%s", clean, suffix);
}

int sysroot_recorded_error(const struct sysroot *root, const char *path, int otherwise)
{
	const struct evidence_item *item = NULL;

	if (root->errors)
		item = evidence_find(root->errors, path);
	return item ? -item->error : otherwise;
}

int sysroot_open_path(const struct sysroot *root, const char *path, int flags)
{
	CLEANUP(xfree) char *kept = NULL;
	int fd;

	while (*path == '/')
		path++;
	if (root->is_live) {
		fd = openat(root->dirfd, *path ? path : ".", flags);
		return fd < 0 ? -errno : fd;
	}
	if (!strstr(path, ".."))
		return resolve_open(root->dirfd, *path ? path : ".", flags);
	kept = evidence_path(path);
	fd = resolve_open(root->dirfd, *kept ? kept : ".", flags);
	if (fd == -ENOENT)
		fd = resolve_open(root->dirfd, path, flags);
	return fd;
}

int sysroot_read_limited(const struct sysroot *root, const char *path, size_t max, struct buf *out)
{
	CLEANUP(fd_close) int fd = sysroot_open_path(root, path, OPEN_FILE);
	struct stat st;
	int rc;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	rc = fd_read_all(fd, max, out);
	return rc == -EFBIG ? EFBIG : rc;
}

int sysroot_read_regular(const struct sysroot *root, const char *path, struct buf *out)
{
	return sysroot_read_limited(root, path, EVIDENCE_FILE_MAX, out);
}

static int load_errors(struct sysroot *root)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	int rc = sysroot_read_regular(root, EVIDENCE_ERRORS, &text);

	if (rc == -ENOENT)
		return 0;
	if (rc < 0)
		return rc;
	root->errors = xcalloc(1, sizeof(*root->errors));
	evidence_add_errors(root->errors, buf_text(&text));
	return 0;
}

int sysroot_open(struct sysroot *out, const char *path, struct err *err)
{
	CLEANUP(sysroot_close) struct sysroot root = { .is_live = !path };
	int rc;

	root.path = xstrdup(path ? path : "/");
	root.dirfd = open(root.path, OPEN_PLACE | O_DIRECTORY);
	if (root.dirfd < 0)
		return err_set(err, -errno, "%s: cannot open the tree of files", root.path);
	if (!root.is_live) {
		rc = load_errors(&root);
		if (rc)
			return err_set(err, rc, "%s: cannot read %s", path, EVIDENCE_ERRORS);
	}

	*out = root;
	root = (struct sysroot){ 0 };
	return 0;
}

void sysroot_close(struct sysroot *root)
{
	/* Without a path it was never opened, and dirfd 0 is not ours. */
	if (root->path)
		fd_close(&root->dirfd);
	if (root->errors)
		evidence_done(root->errors);
	free(root->errors);
	free(root->path);
	*root = (struct sysroot){ .dirfd = -1 };
}
