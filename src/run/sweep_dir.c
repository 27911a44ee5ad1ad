/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep_dir - one directory that a run may have left: is it ours, is it dead, gone with it
 *
 * Everything goes by descriptors, without following a link, and all is looked at before anything
 * is removed. Nobody else can put a file into a directory of ours with mode 0700; who may rename
 * the directory itself, in a target of everybody without the sticky bit, only gets it emptied
 * where it is then.
 */
#include "sweep_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "iotest/fd.h"
#include "content.h"
#include "sweep_owner.h"
#include "workspace_name.h"

void sweep_dir_done(struct sweep_dir *d)
{
	fd_close(&d->fd);
	strlist_done(&d->files);
	buf_done(&d->why);
}

static void note_time(struct sweep_dir *d, const struct stat *st)
{
	int64_t ns = (int64_t)st->st_mtim.tv_sec * NS_PER_S + st->st_mtim.tv_nsec;

	if (ns > d->youngest_ns)
		d->youngest_ns = ns;
}

/* ------------------------------------------------------------------ is it ours */

/* Returns 0 if it was opened. */
static int open_dir(struct sweep_dir *d)
{
	struct stat before;

	if (fstatat(d->target_fd, d->name, &before, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (!S_ISDIR(before.st_mode)) {
		buf_add_text(&d->why, "it is no directory");
		return 0;
	}
	if (before.st_uid != geteuid()) {
		buf_printf(&d->why, "it belongs to user %ju", (uintmax_t)before.st_uid);
		return 0;
	}
	d->fd = openat(d->target_fd, d->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (d->fd < 0 || fstat(d->fd, &d->st) < 0)
		return -errno;
	if (d->st.st_ino != before.st_ino || d->st.st_dev != before.st_dev)
		buf_add_text(&d->why, "it was exchanged while it was looked at");
	return 0;
}

/* A set-group-ID bit comes from the directory above. */
static void judge_dir(struct sweep_dir *d)
{
	struct stat target;

	if (d->st.st_uid != geteuid())
		buf_printf(&d->why, "it belongs to user %ju", (uintmax_t)d->st.st_uid);
	else if ((d->st.st_mode & 07777 & ~(mode_t)S_ISGID) != 0700)
		buf_printf(&d->why, "its mode is %04o instead of 0700",
			   (unsigned int)(d->st.st_mode & 07777));
	else if (fstat(d->target_fd, &target) < 0 || target.st_dev != d->st.st_dev)
		buf_add_text(&d->why, "another file system is mounted there");
}

static void judge_name(struct sweep_dir *d)
{
	char host_part[HOST_PART_SIZE];
	struct workspace_name name;

	if (!workspace_name_parse(d->name, &name)) {
		buf_add_text(&d->why, "no run gives such a name");
		return;
	}
	workspace_host_part(d->wish->host_name, host_part);
	sweep_judge_owner(&name, host_part, d->fd, &d->must_be_older, &d->why);
}

/* Zero, or what is wrong with it, in *what; -errno if it cannot be known. */
static int judge_begin(int fd, const struct stat *st, const char **what)
{
	char begin[CONTENT_LINE_MAX];
	ssize_t n;

	if (st->st_size == 0)
		return 0;
	n = pread(fd, begin, sizeof(begin), 0);
	if (n < 0)
		return -errno;
	if (!content_is_ours(begin, (size_t)n))
		*what = "does not begin as a test file does";
	return 0;
}

static const char *judge_stat(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "is no regular file";
	if (st->st_uid != geteuid())
		return "belongs to another user";
	return st->st_nlink == 1 ? NULL : "has another name elsewhere";
}

/* No device or pipe is opened: it is looked at first. */
static int judge_file(struct sweep_dir *d, const char *name, const char **what)
{
	CLEANUP(fd_close) int fd = -1;
	struct stat st;

	if (fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	*what = judge_stat(&st);
	if (*what)
		return 0;
	fd = openat(d->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	*what = judge_stat(&st);
	if (*what)
		return 0;
	note_time(d, &st);
	d->bytes += (int64_t)st.st_blocks * SECTOR_BYTES;
	return judge_begin(fd, &st, what);
}

/* Files that were removed while a process had them open. */
static bool is_remnant(const char *name)
{
	return !strncmp(name, ".nfs", 4) || !strncmp(name, ".fuse_hidden", 12);
}

static void judge_entry(struct sweep_dir *d, const char *name)
{
	const char *what = NULL;
	int rc = 0;

	if (is_remnant(name))
		what = "is a file that was removed while a process had it open";
	else if (!workspace_is_file_name(name))
		what = "is no test file";
	else
		rc = judge_file(d, name, &what);
	if (!rc && !what)
		return;
	buf_printf(&d->why, "%s in it %s", name, rc ? "cannot be examined: " : "");
	buf_add_text(&d->why, rc ? strerror(-rc) : what);
}

/* Ours and of a dead run by all signs: what is wrong from here on leaves something of ours. */
static void judge_content(struct sweep_dir *d)
{
	int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : fd_list(fd, &d->files);

	d->outcome = SWEEP_FAILED;
	if (rc)
		buf_printf(&d->why, "it cannot be read: %s", strerror(-rc));
	note_time(d, &d->st);
	for (size_t i = 0; !d->why.len && i < d->files.n_items; i++)
		judge_entry(d, d->files.items[i]);
	if (d->why.len || !d->must_be_older || d->youngest_ns < sweep_boot_ns())
		return;
	d->outcome = SWEEP_LEFT;
	buf_add_text(&d->why, "it has changed since this host was started, so that it may be of "
			      "another host with this name");
}

/* ------------------------------------------------------------------ gone with it */

static int remove_file(const struct sweep_dir *d, const char *name)
{
	struct stat st;

	if (fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (judge_stat(&st))
		return -EPERM;
	return unlinkat(d->fd, name, 0) < 0 && errno != ENOENT ? -errno : 0;
}

/* What has that name now must be what was looked at. */
static int remove_dir(const struct sweep_dir *d)
{
	struct stat st;

	if (fstatat(d->target_fd, d->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (st.st_ino != d->st.st_ino || st.st_dev != d->st.st_dev)
		return -ESTALE;
	return unlinkat(d->target_fd, d->name, AT_REMOVEDIR) < 0 && errno != ENOENT ? -errno : 0;
}

static void remove_all(struct sweep_dir *d)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < d->files.n_items; i++)
		rc = remove_file(d, d->files.items[i]);
	if (!rc)
		rc = remove_dir(d);
	if (rc)
		buf_printf(&d->why, "it cannot be removed: %s", strerror(-rc));
	else
		d->outcome = SWEEP_REMOVED;
}

bool sweep_dir_judge(struct sweep_dir *d)
{
	int rc = open_dir(d);

	d->outcome = SWEEP_LEFT;
	if (rc == -ENOENT)
		return false;
	if (rc)
		buf_printf(&d->why, "it cannot be opened: %s", strerror(-rc));
	if (!d->why.len)
		judge_dir(d);
	if (!d->why.len)
		judge_name(d);
	if (!d->why.len)
		judge_content(d);
	if (d->why.len)
		return true;
	if (d->wish->dry_run)
		d->outcome = SWEEP_REMOVED;
	else
		remove_all(d);
	return true;
}
