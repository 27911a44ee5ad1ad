/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workspace_given - files that somebody named: they are written or read, and they stay
 *
 * A name can be mistyped, so what is there is overwritten only if a test wrote it, or by order.
 * All files are looked at before the first one is changed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/fd.h"
#include "iotest/xalloc.h"
#include "workspace_parts.h"

/* One file on its way into the workspace. */
struct opening {
	const struct workspace *ws;
	const struct workspace_wish *wish;
	const char *shown; /* its name for people */
	struct test_file *file;
};

static int refuse(const struct opening *o, struct err *err, int rc, const char *attempt)
{
	(void)err_set(err, rc, "%s: cannot %s", o->shown, attempt);
	workspace_advise(err, o->ws->target_kind, rc);
	return rc;
}

static int refuse_direct(const struct opening *o, struct err *err)
{
	err_say(err, -EINVAL, "%s: this file system refuses O_DIRECT", o->shown);
	err_advise(err, "leave -unbuffered away");
	return -EINVAL;
}

static const char *kind_of(mode_t mode)
{
	if (S_ISDIR(mode))
		return "a directory";
	if (S_ISBLK(mode))
		return "a block device";
	if (S_ISCHR(mode))
		return "a character device";
	if (S_ISLNK(mode))
		return "a symbolic link";
	return S_ISFIFO(mode) ? "a named pipe" : "a socket";
}

static int check_kind(const struct opening *o, mode_t mode, struct err *err)
{
	if (S_ISREG(mode))
		return 0;
	err_say(err, -EINVAL, "%s: is %s, not a regular file", o->shown, kind_of(mode));
	if (S_ISDIR(mode))
		err_advise(err, "name a file in it: %s/testfile1.dat", o->shown);
	else if (S_ISLNK(mode))
		err_advise(err, "name the file that it leads to");
	else
		err_advise(err, "only regular files are read and written, devices never");
	return -EINVAL;
}

/* The file itself, without a link to another one; a pipe or a device must not hold us. */
static int open_existing(const struct opening *o, int flags)
{
	int fd = openat(o->ws->target_fd, o->file->name,
			flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Opens it for looking at it. */
static int look(const struct opening *o, int *out, struct stat *st, struct err *err)
{
	bool writes = o->wish->given->writes;
	CLEANUP(fd_close) int fd = -1;
	int rc;

	if (fstatat(o->ws->target_fd, o->file->name, st, AT_SYMLINK_NOFOLLOW) < 0)
		return refuse(o, err, -errno, "examine the file");
	rc = check_kind(o, st->st_mode, err);
	if (rc)
		return rc;
	fd = open_existing(o, writes ? O_RDWR : O_RDONLY);
	if (fd < 0)
		return refuse(o, err, fd, writes ? "open the file for writing" : "open the file");
	/* It may have been exchanged in the meantime. */
	if (fstat(fd, st) < 0)
		return refuse(o, err, -errno, "examine the file");
	rc = check_kind(o, st->st_mode, err);
	if (rc)
		return rc;
	*out = fd;
	fd = -1;
	return 0;
}

static int recognise(const struct opening *o, int fd, struct err *err)
{
	struct test_file *file = o->file;
	int rc = content_recognise(fd, file->size_bytes, &file->owner);

	file->is_ours = rc == 1;
	if (!o->wish->given->writes || rc == 1 || o->wish->given->plan->io.overwrite == 1)
		return 0;
	if (rc < 0)
		return refuse(o, err, rc, "read what is in the file");
	err_say(err, -EEXIST, "%s: exists, and is not a test file of iotest: not overwritten",
		o->shown);
	err_advise(err, "choose another name, or give -force if what is in it can go");
	return -EEXIST;
}

/* The same file again, with the flags of the test. */
static int open_for_writing(const struct opening *o, const struct stat *seen, struct err *err)
{
	CLEANUP(fd_close) int fd = open_existing(o, O_RDWR | o->wish->open_flags);
	struct stat st;

	if (fd == -EINVAL && (o->wish->open_flags & O_DIRECT))
		return refuse_direct(o, err);
	if (fd < 0)
		return refuse(o, err, fd, "open the file for writing");
	if (fstat(fd, &st) < 0)
		return refuse(o, err, -errno, "examine the file");
	if (st.st_dev != seen->st_dev || st.st_ino != seen->st_ino)
		return err_say(err, -ESTALE, "%s: was exchanged for another file just now",
			       o->shown);
	o->file->fd = fd;
	fd = -1;
	return 0;
}

static int take_existing(const struct opening *o, struct err *err)
{
	CLEANUP(fd_close) int fd = -1;
	struct stat st;
	int rc = look(o, &fd, &st, err);

	if (rc)
		return rc;
	o->file->size_bytes = st.st_size;
	rc = recognise(o, fd, err);
	if (rc)
		return rc;
	if (o->wish->given->writes)
		return open_for_writing(o, &st, err);
	if (st.st_size == 0)
		return err_say(err, -ENODATA, "%s: the file is empty: there is nothing to read",
			       o->shown);
	o->file->fd = fd;
	fd = -1;
	return 0;
}

/* O_DIRECT is refused after the file was made. */
static int create(const struct opening *o, struct err *err)
{
	int flags = O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC | o->wish->open_flags;
	int fd = openat(o->ws->target_fd, o->file->name, flags, 0600);

	if (fd >= 0) {
		o->file->fd = fd;
		o->file->is_created = true;
		return 0;
	}
	if (errno != EINVAL || !(o->wish->open_flags & O_DIRECT))
		return refuse(o, err, -errno, "create the file");
	(void)unlinkat(o->ws->target_fd, o->file->name, 0);
	return refuse_direct(o, err);
}

static int err_missing(const struct opening *o, struct err *err)
{
	err_say(err, -ENOENT, "%s: there is no such file to read", o->shown);
	err_advise(err, "write it first: -w with the same options");
	return -ENOENT;
}

static int open_one(const struct opening *o, struct err *err)
{
	struct stat st;

	if (fstatat(o->ws->target_fd, o->file->name, &st, AT_SYMLINK_NOFOLLOW) == 0 ||
	    errno != ENOENT)
		return take_existing(o, err);
	return o->wish->given->writes ? create(o, err) : err_missing(o, err);
}

static int add_file(struct workspace *ws, const struct workspace_wish *wish, struct err *err)
{
	const struct plan *plan = wish->given->plan;
	CLEANUP(xfree) char *shown = plan_worker_file(plan, text_of(plan->io.file), ws->n_files);
	CLEANUP(xfree) char *name = plan_worker_file(plan, plan->io.file_name, ws->n_files);
	struct test_file file = { .fd = -1, .is_given = true };
	const struct opening o = { ws, wish, shown, &file };
	int rc;

	if (strlen(name) > NAME_MAX)
		return refuse(&o, err, -ENAMETOOLONG, "open the file");
	memcpy(file.name, name, strlen(name) + 1);
	rc = open_one(&o, err);
	if (rc == 0)
		ws->files[ws->n_files++] = file;
	return rc;
}

/* Now that each of them may be written. */
static int empty_all(const struct workspace *ws, struct err *err)
{
	for (size_t i = 0; i < ws->n_files; i++)
		if (ftruncate(ws->files[i].fd, 0) < 0)
			return err_set(err, -errno, "%s/%s: cannot be emptied", ws->path,
				       ws->files[i].name);
	return 0;
}

int workspace_open_given(struct workspace *ws, const struct workspace_wish *wish, struct err *err)
{
	ws->kind = "given";
	while (ws->n_files < wish->n_files) {
		int rc = add_file(ws, wish, err);

		if (rc)
			return rc;
	}
	return wish->given->writes ? empty_all(ws, err) : 0;
}

void workspace_remove_empty(const struct workspace *ws)
{
	for (size_t i = 0; i < ws->n_files; i++) {
		const struct test_file *file = &ws->files[i];
		struct stat own, named;

		if (!file->is_created || fstat(file->fd, &own) < 0 || own.st_size > 0 ||
		    fstatat(ws->target_fd, file->name, &named, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (own.st_dev == named.st_dev && own.st_ino == named.st_ino)
			(void)unlinkat(ws->target_fd, file->name, 0);
	}
}
