/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysroot_read - files and links of a host
 */
#include "sysroot_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iotest/fd.h"
#include "iotest/units.h"

/* The file at path, kept; out is filled only on success. Returns 0 or -errno. */
static int read_kept(const struct sysroot *root, const char *path, struct buf *out)
{
	CLEANUP(buf_done) struct buf data = { 0 };
	int rc = sysroot_read_regular(root, path, &data);

	if (rc < 0) {
		rc = sysroot_recorded_error(root, path, rc);
		sysroot_keep_error(root, path, rc);
		return rc;
	}
	sysroot_keep(root, path, &data, rc);
	buf_add(out, buf_text(&data), data.len);
	return 0;
}

int sysroot_keep_file(const struct sysroot *root, const char *path, size_t max)
{
	CLEANUP(buf_done) struct buf data = { 0 };
	int rc = sysroot_read_limited(root, path, max, &data);

	if (rc < 0) {
		rc = sysroot_recorded_error(root, path, rc);
		sysroot_keep_error(root, path, rc);
		return rc;
	}
	sysroot_keep(root, path, &data, rc);
	return 0;
}

int sysroot_read(const struct sysroot *root, struct buf *out, const char *fmt, ...)
{
	FORMAT_PATH(path, fmt);

	return read_kept(root, path, out);
}

static const char white[] = " \t\r\n\v\f";

/* The first line of path without white space around it, to be freed. */
static int read_line(const struct sysroot *root, const char *path, char **out)
{
	CLEANUP(buf_done) struct buf data = { 0 };
	const char *start;
	size_t len;
	int rc;

	rc = read_kept(root, path, &data);
	if (rc)
		return rc;
	start = buf_text(&data);
	len = strcspn(start, "\n");
	while (len > 0 && strchr(white, start[len - 1]))
		len--;
	for (; len > 0 && strchr(white, *start); len--)
		start++;
	*out = xstrndup(start, len);
	return 0;
}

static void replace_text(char **out, char *text)
{
	free(*out);
	*out = text;
}

int sysroot_read_text(const struct sysroot *root, char **out, const char *fmt, ...)
{
	FORMAT_PATH(path, fmt);
	char *line;
	int rc;

	rc = read_line(root, path, &line);
	if (rc)
		return rc;
	replace_text(out, line);
	return 0;
}

int sysroot_read_i64(const struct sysroot *root, int64_t *out, const char *fmt, ...)
{
	FORMAT_PATH(path, fmt);
	CLEANUP(xfree) char *line = NULL;
	int rc;

	rc = read_line(root, path, &line);
	return rc ? rc : units_parse_i64(line, out);
}

/* Reads the link itself. Its text is added to out. */
static int read_own_link(const struct sysroot *root, const char *path, struct buf *out)
{
	CLEANUP(fd_close) int fd = sysroot_open_path(root, path, OPEN_PLACE | O_NOFOLLOW);
	char target[PATH_MAX];
	ssize_t len;

	if (fd < 0)
		return fd;
	len = readlinkat(fd, "", target, sizeof(target));
	if (len < 0) /* of an empty path the kernel says ENOENT if it is no link */
		return errno == ENOENT ? -EINVAL : -errno;
	buf_add(out, target, (size_t)len);
	return 0;
}

int sysroot_read_link(const struct sysroot *root, char **out, const char *fmt, ...)
{
	FORMAT_PATH(path, fmt);
	CLEANUP(xfree) char *kept = sysroot_kept_path(path, EVIDENCE_LINK_SUFFIX);
	CLEANUP(buf_done) struct buf target = { 0 };
	int rc;

	rc = read_own_link(root, path, &target);
	if (rc && !root->is_live && sysroot_read_regular(root, kept, &target) == 0)
		rc = 0;
	if (rc) {
		rc = sysroot_recorded_error(root, kept, rc);
		sysroot_keep_error(root, kept, rc);
		return rc;
	}
	sysroot_keep(root, kept, &target, 0);
	replace_text(out, buf_take(&target));
	return 0;
}
