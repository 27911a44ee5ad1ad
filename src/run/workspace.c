/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workspace - the test files in the target, one for each worker
 */
#include "workspace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/child.h"
#include "iotest/fd.h"
#include "iotest/host.h"
#include "iotest/xalloc.h"
#include "workspace_parts.h"

/* Descriptors that are open for other things: results, pipes, standard streams. */
#define OTHER_DESCRIPTORS 64

/* What is asked for the report alone: a storage that does not answer by then is asked no more. */
#define QUESTION_NS (3 * NS_PER_S)

static const struct {
	int error;
	const char *text;
} advices[] = {
	{ EACCES, "choose a directory that this user may write to, or run as a user who may; where "
		  "the permissions allow it, SELinux or AppArmor refuse it (ausearch -m avc)" },
	{ EPERM, "the directory may be immutable (lsattr), or SELinux, AppArmor or fapolicyd may "
		 "refuse it" },
	{ EROFS, "mount it read-write, or choose another directory" },
	{ ENOSPC, "free space or inodes there (df, df -i), or choose another directory" },
	{ EDQUOT, "raise the quota there, or run as a user who has some left" },
	{ ENAMETOOLONG, "this file system takes only shorter names: choose another directory" },
	{ EMFILE, "raise the limit on open files (ulimit -n), or ask for fewer --workers" },
	{ ENFILE, "raise fs.file-max (sysctl), or ask for fewer --workers" },
	{ EFBIG, "raise the limit on file sizes (ulimit -f), or ask for a smaller --size" },
	{ ENOTCONN, "the mount has lost its server or daemon: mount it again" },
	{ ECONNABORTED, "the mount has lost its server or daemon: mount it again" },
	{ ESTALE, "the server no longer knows this directory: mount it again" },
	{ EIO, "look into the kernel log (dmesg) for errors of the storage" },
};

void workspace_advise(struct err *err, int target_kind, int rc)
{
	if (rc == -EACCES && target_kind == TARGET_NETWORK && geteuid() == 0) {
		err_advise(err, "the server may take root's rights away (NFS root squash) or ask "
				"for a Kerberos ticket: run as a user who may write there");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(advices); i++) {
		if (advices[i].error == -rc)
			err_advise(err, "%s", advices[i].text);
	}
}

static int refuse(const struct workspace *ws, struct err *err, int rc, const char *attempt)
{
	(void)err_set(err, rc, "%s: cannot %s", ws->path, attempt);
	workspace_advise(err, ws->target_kind, rc);
	return rc;
}

/* Raises the soft limit as far as it is needed and allowed. */
static int want_descriptors(size_t n_files, struct err *err)
{
	rlim_t need = (rlim_t)n_files + OTHER_DESCRIPTORS;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= need)
		return 0;
	if (limit.rlim_max >= need) {
		limit.rlim_cur = need;
		if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
			return 0;
	}
	(void)err_say(err, -EMFILE, "%zu workers need %ju open files, but the limit is %ju",
		      n_files, (uintmax_t)need, (uintmax_t)limit.rlim_max);
	workspace_advise(err, TARGET_UNKNOWN, -EMFILE);
	return -EMFILE;
}

/* File systems say in many ways that they cannot make a file without a name. */
static bool lacks_unnamed(int rc)
{
	static const int errors[] = { EOPNOTSUPP, EISDIR, ENOENT, EINVAL, ENOSYS };

	for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
		if (errors[i] == -rc)
			return true;
	}
	return false;
}

static int add_unnamed(struct workspace *ws, int flags)
{
	int fd = openat(ws->target_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600);

	if (fd < 0)
		return -errno;
	ws->files[ws->n_files++] = (struct test_file){ .fd = fd };
	return 0;
}

static int make_unnamed(struct workspace *ws, size_t n, int flags)
{
	while (ws->n_files < n) {
		int rc = add_unnamed(ws, flags);

		if (rc)
			return rc;
	}
	ws->kind = "unnamed";
	return 0;
}

static int find_others_work(void *context, struct buf *answer)
{
	CLEANUP(strlist_done) struct strlist names = { 0 };
	const struct workspace *ws = context;
	int rc = workspace_list_names(ws->target_fd, &names);

	for (size_t i = 0; rc == 0 && i < names.n_items; i++)
		if (strcmp(names.items[i], ws->dir_name) != 0)
			buf_add(answer, names.items[i], strlen(names.items[i]) + 1);
	return rc;
}

void workspace_find_others(const struct workspace *ws, struct strlist *out)
{
	CLEANUP(buf_done) struct buf names = { 0 };
	struct workspace asked = *ws;

	/* Not to know them is no reason to end. */
	(void)!child_run(find_others_work, &asked, QUESTION_NS, &names);
	for (size_t at = 0; at < names.len; at += strlen(names.data + at) + 1)
		strlist_add(out, names.data + at);
}

/* In a directory that others may write to, ours could have been replaced since mkdir. */
static int check_dir_is_ours(const struct workspace *ws)
{
	struct stat st;

	if (fstat(ws->dir_fd, &st) < 0)
		return -errno;
	if (workspace_is_local(ws->target_kind) && (st.st_uid != geteuid() || (st.st_mode & 077)))
		return -EPERM;
	return 0;
}

static int make_dir(struct workspace *ws, const char *host_name)
{
	workspace_name_make(host_name, ws->dir_name);
	if (mkdirat(ws->target_fd, ws->dir_name, 0700) < 0) {
		ws->dir_name[0] = '\0';
		return -errno;
	}
	ws->dir_fd = openat(ws->target_fd, ws->dir_name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (ws->dir_fd < 0)
		return -errno;
	/* Where locks are refused there is still the pid in the name. */
	(void)flock(ws->dir_fd, LOCK_EX | LOCK_NB);
	return check_dir_is_ours(ws);
}

static int add_named(struct workspace *ws, int flags)
{
	char name[FILE_NAME_SIZE];
	int fd;

	workspace_file_name(name, ws->n_files);
	fd = openat(ws->dir_fd, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC | flags,
		    0600);
	if (fd < 0) {
		int rc = -errno;

		/* O_DIRECT is refused after the file was made: it is ours unless it was there. */
		if (rc == -EINVAL)
			(void)unlinkat(ws->dir_fd, name, 0);
		return rc;
	}
	ws->files[ws->n_files++] = (struct test_file){ .fd = fd, .has_name = true };
	return 0;
}

static int make_in_directory(struct workspace *ws, const struct workspace_wish *wish)
{
	int rc = make_dir(ws, wish->host_name);

	if (rc)
		return rc;
	while (ws->n_files < wish->n_files) {
		rc = add_named(ws, wish->open_flags);
		if (rc)
			return rc;
	}
	ws->kind = "named";
	if (!workspace_is_local(ws->target_kind))
		return 0;
	workspace_remove_names(ws);
	if (workspace_remove_dir(ws) == 0)
		ws->kind = "unlinked";
	return 0;
}

static int make_files(struct workspace *ws, const struct workspace_wish *wish)
{
	if (!wish->in_directory) {
		int rc = make_unnamed(ws, wish->n_files, wish->open_flags);

		/* Once the first one could be made, a failure means what it says. */
		if (rc == 0 || ws->n_files > 0 || !lacks_unnamed(rc))
			return rc;
	}
	return make_in_directory(ws, wish);
}

/* While somebody was asked for consent, another file system may have come to lie there. */
static int check_same_device(int fd, const char *number)
{
	int is_on = text_of(number)[0] ? fd_is_on_device(fd, number) : 1;

	if (is_on < 0)
		return is_on;
	return is_on ? 0 : -ESTALE;
}

static int make_own(struct workspace *ws, const struct workspace_wish *wish, struct err *err)
{
	/* The caller's mask must not take our own rights away. */
	mode_t mask = umask(077);
	int rc = make_files(ws, wish);

	(void)umask(mask);
	if (rc == -EINVAL && (wish->open_flags & O_DIRECT)) {
		err_say(err, rc, "%s: this file system refuses O_DIRECT", ws->path);
		err_advise(err, "leave --direct away: SAS goes through the page cache, too");
		return rc;
	}
	return rc ? refuse(ws, err, rc, "create the test files") : 0;
}

int workspace_open(const struct workspace_wish *wish, struct workspace *out, struct leftover *left,
		   struct err *err)
{
	CLEANUP(workspace_done) struct workspace ws = { 0 };
	int rc;

	rc = want_descriptors(wish->n_files, err);
	if (rc)
		return rc;
	ws.files = calloc(wish->n_files, sizeof(*ws.files));
	if (!ws.files)
		return err_set(err, -ENOMEM, "%zu workers", wish->n_files);
	ws.path = xstrdup(wish->path);
	ws.target_kind = wish->target_kind;
	ws.dir_fd = -1;
	ws.target_fd = open(wish->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (ws.target_fd < 0)
		return refuse(&ws, err, -errno, "open the directory");

	rc = check_same_device(ws.target_fd, wish->device_number);
	if (rc) {
		err_say(err, rc, "%s: is on another file system than when it was examined",
			ws.path);
		err_advise(err,
			   "it was mounted, unmounted or exchanged meanwhile: run iotest again");
		return rc;
	}

	rc = wish->given ? workspace_open_given(&ws, wish, err) : make_own(&ws, wish, err);
	if (rc) {
		workspace_close(&ws, left);
		return rc;
	}

	*out = ws;
	ws = (struct workspace){ 0 };
	return 0;
}

int workspace_reopen(const struct workspace *ws, size_t i, int flags)
{
	const struct test_file *file = &ws->files[i];
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0 && file->has_name) {
		workspace_file_name(path, i);
		fd = openat(ws->dir_fd, path, flags | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd >= 0)
		return fd;
	return flags == O_RDONLY ? file->fd : -errno;
}

static int allocated_work(void *context, struct buf *answer)
{
	const struct workspace *ws = context;
	int64_t bytes = 0;

	for (size_t i = 0; i < ws->n_files; i++) {
		struct stat st;

		if (fstat(ws->files[i].fd, &st) < 0)
			return -errno;
		bytes += (int64_t)st.st_blocks * SECTOR_BYTES;
	}
	buf_add(answer, (const char *)&bytes, sizeof(bytes));
	return 0;
}

int64_t workspace_allocated_bytes(const struct workspace *ws)
{
	CLEANUP(buf_done) struct buf answer = { 0 };
	struct workspace asked = *ws;
	int64_t bytes;

	if (child_run(allocated_work, &asked, QUESTION_NS, &answer) || answer.len != sizeof(bytes))
		return -1;
	memcpy(&bytes, answer.data, sizeof(bytes));
	return bytes;
}
