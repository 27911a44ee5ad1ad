/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fd - what is done with descriptors again and again
 */
#include "iotest/fd.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "iotest/sysroot.h"
#include "iotest/xalloc.h"

#define PIECE ((size_t)(16 * KIB))

void fd_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

int fd_is_on_device(int fd, const char *number)
{
	char own[64];
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	snprintf(own, sizeof(own), "%u:%u", major(st.st_dev), minor(st.st_dev));
	return !strcmp(own, number);
}

int fd_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int fd_read_all(int fd, size_t max, struct buf *out)
{
	size_t left = max;

	for (;;) {
		ssize_t n;

		if (out->cap - out->len < 2 && buf_reserve(out, PIECE - 1))
			return -ENOMEM;
		n = read(fd, out->data + out->len, out->cap - out->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		out->len += (size_t)n < left ? (size_t)n : left;
		out->data[out->len] = '\0';
		if (n == 0)
			return 0;
		if ((size_t)n > left)
			return -EFBIG;
		left -= (size_t)n;
	}
}

static void close_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

int fd_list(int fd, struct strlist *out)
{
	CLEANUP(strlist_done) struct strlist names = { 0 };
	CLEANUP(close_dir) DIR *dir = fdopendir(fd);

	if (!dir) {
		int rc = -errno;

		fd_close(&fd);
		return rc;
	}
	for (;;) {
		const struct dirent *entry;

		errno = 0;
		entry = readdir(dir);
		if (!entry)
			break;
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			strlist_add(&names, entry->d_name);
	}
	if (errno)
		return -errno;
	strlist_sort(&names);
	strlist_done(out);
	*out = names;
	names = (struct strlist){ 0 };
	return 0;
}

int fd_make_parents(const char *path)
{
	CLEANUP(xfree) char *folder = xstrdup(path);

	for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(folder, 0700) < 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}
