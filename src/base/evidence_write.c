/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence_write - the evidence as files, below a directory and never outside of it
 */
#include "iotest/evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/buf.h"
#include "iotest/fd.h"
#include "iotest/xalloc.h"

/* Makes the folder if need be and opens it. No link is followed. Returns a descriptor or -errno. */
static int enter(int dirfd, const char *name)
{
	int fd;

	if (mkdirat(dirfd, name, 0700) && errno != EEXIST)
		return -errno;
	fd = openat(dirfd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * Opens the folder that path lies in, making what is missing; *name becomes its last component.
 * path is one of evidence_path, so no component is empty, "." or "..". Returns 0 or -errno.
 */
static int enter_parent(int dirfd, char *path, int *out, char **name)
{
	int at = fcntl(dirfd, F_DUPFD_CLOEXEC, 0);

	if (at < 0)
		return -errno;
	for (char *slash = strchr(path, '/'); slash; slash = strchr(path, '/')) {
		int next;

		*slash = '\0';
		next = enter(at, path);
		close(at);
		if (next < 0)
			return next;
		at = next;
		path = slash + 1;
	}
	*out = at;
	*name = path;
	return 0;
}

static int write_file(int dirfd, const char *name, const char *data, size_t len)
{
	int rc;
	int fd;

	/* What is there goes first: it might be a link, or a FIFO that would block us. */
	if (unlinkat(dirfd, name, 0) && errno != ENOENT)
		return -errno;
	fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	rc = fd_write_all(fd, data, len);
	if (close(fd) && rc == 0)
		rc = -errno;
	return rc;
}

static int write_item(const struct evidence_item *item, int dirfd)
{
	CLEANUP(xfree) char *path = xstrdup(item->path);
	CLEANUP(fd_close) int parent = -1;
	char *name = path;
	int rc;

	if (item->kind == EVIDENCE_ERROR || path[0] == '\0')
		return 0;
	rc = enter_parent(dirfd, path, &parent, &name);
	if (rc)
		return rc;
	return write_file(parent, name, item->data, item->len);
}

static int write_errors(const struct evidence *e, int dirfd)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	for (size_t i = 0; i < e->n_items; i++) {
		const struct evidence_item *item = &e->items[i];

		/* A path that would break the format is not worth an escape syntax. */
		if (!item->error || strpbrk(item->path, "\t\n"))
			continue;
		buf_printf(&text, "%d\t%s\t%s\n", item->error, item->path, strerror(item->error));
	}
	if (text.len == 0)
		return 0;
	return write_file(dirfd, EVIDENCE_ERRORS, text.data, text.len);
}

int evidence_write(const struct evidence *e, int dirfd)
{
	int first = 0;
	int rc;

	for (size_t i = 0; i < e->n_items; i++) {
		rc = write_item(&e->items[i], dirfd);
		if (rc && !first)
			first = rc;
	}
	rc = write_errors(e, dirfd);
	return first ? first : rc;
}
