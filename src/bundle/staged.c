/* SPDX-License-Identifier: Apache-2.0 */
/*
 * staged - a file that gets its name only when it is complete
 */
#include "staged.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/fd.h"
#include "tree.h"

/* In the 0700 folder of one process, so a fixed name is safe. */
#define STAGED_NAME ".archive.tmp"
#define FILE_MODE 0600

static int open_named(int dir_fd)
{
	/* A leftover can only be our own. */
	(void)unlinkat(dir_fd, STAGED_NAME, 0);
	return openat(dir_fd, STAGED_NAME, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      FILE_MODE);
}

int staged_open(struct staged *out, const struct bundle *bundle, bool with_name)
{
	struct staged s = { .fd = -1, .dir_fd = bundle->dir_fd };

	if (!with_name)
		s.fd = openat(bundle->out_fd, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, FILE_MODE);
	/* Each file system and kernel has its own errno for "no O_TMPFILE here". */
	if (s.fd < 0) {
		s.fd = open_named(bundle->dir_fd);
		s.has_name = true;
	}
	if (s.fd < 0)
		return -errno;
	if (fchmod(s.fd, FILE_MODE)) {
		int rc = -errno;

		staged_done(&s);
		return rc;
	}
	*out = s;
	return 0;
}

/* /proc may be missing, and the empty path needs a capability: then nothing works. */
static int link_unnamed(const struct staged *s, int out_fd, const char *name)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", s->fd);
	if (linkat(AT_FDCWD, self, out_fd, name, AT_SYMLINK_FOLLOW) == 0)
		return 0;
	if (errno == EEXIST)
		return -EEXIST;
	if (linkat(s->fd, "", out_fd, name, AT_EMPTY_PATH) == 0)
		return 0;
	return errno == EEXIST ? -EEXIST : -ENOTSUP;
}

/* Where there are no hard links and no flag: an empty file claims the name, and is replaced. */
static int claim_and_rename(const struct staged *s, int out_fd, const char *name)
{
	int fd = openat(out_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			FILE_MODE);
	int rc;

	if (fd < 0)
		return -errno;
	close(fd);
	if (renameat(s->dir_fd, STAGED_NAME, out_fd, name) == 0)
		return 0;
	rc = -errno;
	(void)unlinkat(out_fd, name, 0);
	return rc;
}

static int link_named(const struct staged *s, int out_fd, const char *name)
{
	int rc;

	if (linkat(s->dir_fd, STAGED_NAME, out_fd, name, 0) == 0) {
		(void)unlinkat(s->dir_fd, STAGED_NAME, 0);
		return 0;
	}
	if (errno == EEXIST)
		return -EEXIST;
	rc = tree_rename_new(s->dir_fd, STAGED_NAME, out_fd, name);
	return rc == -ENOSYS ? claim_and_rename(s, out_fd, name) : rc;
}

/* Some file systems cannot sync; that is their answer, not our failure. */
static int make_durable(int fd)
{
	if (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP)
		return 0;
	return -errno;
}

int staged_link(struct staged *staged, const struct bundle *bundle, const char *name)
{
	int rc = make_durable(staged->fd);

	if (rc)
		return rc;
	rc = staged->has_name ? link_named(staged, bundle->out_fd, name)
			      : link_unnamed(staged, bundle->out_fd, name);
	if (rc)
		return rc;
	staged->has_name = false;
	return make_durable(bundle->out_fd);
}

void staged_done(struct staged *staged)
{
	if (staged->has_name)
		(void)unlinkat(staged->dir_fd, STAGED_NAME, 0);
	fd_close(&staged->fd);
	*staged = (struct staged){ .fd = -1, .dir_fd = -1 };
}
