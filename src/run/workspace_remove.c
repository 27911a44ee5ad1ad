/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workspace_remove - nothing stays in the target
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "iotest/child.h"
#include "iotest/fd.h"
#include "iotest/signals.h"
#include "iotest/host.h"
#include "iotest/xalloc.h"
#include "workspace_parts.h"

/* An NFS client removes a renamed file a moment after its last close. */
#define REMOVE_TRIES 20
#define REMOVE_PAUSE_NS (100 * NS_PER_MS)

/* What a second signal leaves for it. */
#define HURRIED_NS (3 * NS_PER_S)
#define SIGNALS_MAX 3

bool workspace_is_local(int target_kind)
{
	return target_kind == TARGET_LOCAL || target_kind == TARGET_MEMORY;
}

void workspace_remove_names(struct workspace *ws)
{
	for (size_t i = 0; i < ws->n_files; i++) {
		char name[FILE_NAME_SIZE];

		if (!ws->files[i].has_name)
			continue;
		workspace_file_name(name, i);
		if (unlinkat(ws->dir_fd, name, 0) == 0 || errno == ENOENT)
			ws->files[i].has_name = false;
	}
}

int workspace_remove_dir(struct workspace *ws)
{
	if (unlinkat(ws->target_fd, ws->dir_name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return -errno;
	ws->dir_name[0] = '\0';
	return 0;
}

/* A file that should have no name any more, but has: somebody linked it elsewhere. */
static void look_for_links(const struct workspace *ws, struct leftover *left)
{
	for (size_t i = 0; i < ws->n_files; i++) {
		struct stat st;

		if (ws->files[i].has_name || ws->files[i].is_given ||
		    fstat(ws->files[i].fd, &st) < 0)
			continue;
		if (st.st_nlink == 0)
			continue;
		left->bytes += (int64_t)st.st_blocks * SECTOR_BYTES;
		xstr_set(&left->path, ws->path);
	}
}

/* Bytes of what lies in our directory, or -1. */
static int64_t bytes_in_dir(const struct workspace *ws)
{
	int fd = openat(ws->target_fd, ws->dir_name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int64_t bytes = 0;

	if (!dir) {
		if (fd >= 0)
			(void)close(fd);
		return -1;
	}
	for (entry = readdir(dir); entry; entry = readdir(dir)) {
		struct stat st;

		if (fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode))
			bytes += (int64_t)st.st_blocks * SECTOR_BYTES;
	}
	(void)closedir(dir);
	return bytes;
}

/* Where these are the answer, asking again brings no other one. */
static bool is_final(int rc)
{
	static const int errors[] = { ENOTCONN, ECONNABORTED, ESTALE, EROFS, ENODEV, EPERM };

	for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
		if (errors[i] == -rc)
			return true;
	}
	return false;
}

/* The names, too: a server may have refused one for a moment. */
static void remove_dir_patiently(struct workspace *ws, struct leftover *left)
{
	const struct timespec pause = { .tv_nsec = REMOVE_PAUSE_NS };
	int tries = workspace_is_local(ws->target_kind) ? 1 : REMOVE_TRIES;
	CLEANUP(xfree) char *path = NULL;
	int64_t bytes;
	int rc;

	for (rc = workspace_remove_dir(ws); rc && !is_final(rc) && --tries > 0;
	     rc = workspace_remove_dir(ws)) {
		(void)nanosleep(&pause, NULL);
		workspace_remove_names(ws);
	}
	if (!ws->dir_name[0])
		return;
	bytes = bytes_in_dir(ws);
	left->bytes = bytes < 0 ? -1 : left->bytes + bytes;
	path = xasprintf("%s/%s", ws->path, ws->dir_name);
	xstr_set(&left->path, path);
}

void workspace_close(struct workspace *ws, struct leftover *left)
{
	struct leftover found = { 0 };

	if (!ws->files)
		return;
	workspace_remove_empty(ws);
	if (left)
		look_for_links(ws, &found);
	/* Closed first: an NFS client would rename an open file instead of removing it. */
	for (size_t i = 0; i < ws->n_files; i++)
		fd_close(&ws->files[i].fd);
	if (ws->dir_fd >= 0)
		workspace_remove_names(ws);
	if (ws->dir_name[0])
		remove_dir_patiently(ws, &found);
	fd_close(&ws->dir_fd);
	fd_close(&ws->target_fd);

	if (left)
		*left = found;
	else
		free(found.path);
	free(ws->files);
	free(ws->path);
	*ws = (struct workspace){ 0 };
}

void workspace_done(struct workspace *ws)
{
	workspace_close(ws, NULL);
}

/* A removal in a child, while the parent lets go of its own descriptors. */
struct removal {
	struct workspace *ws;
	int go[2]; /* ends when the parent has let go */
};

static void close_files(struct workspace *ws)
{
	for (size_t i = 0; i < ws->n_files; i++)
		fd_close(&ws->files[i].fd);
}

static int close_work(void *context, struct buf *answer)
{
	const struct removal *r = context;

	(void)answer;
	close_files(r->ws);
	return 0;
}

/* The last one to close a file waits until its space is given back: that is to be the child. */
static int remove_work(void *context, struct buf *answer)
{
	struct removal *r = context;
	struct leftover left = { 0 };
	char byte;

	fd_close(&r->go[1]);
	while (read(r->go[0], &byte, 1) < 0 && errno == EINTR)
		;
	workspace_close(r->ws, &left);
	buf_add(answer, (const char *)&left.bytes, sizeof(left.bytes));
	buf_add_text(answer, text_of(left.path));
	free(left.path);
	return 0;
}

static void let_go(void *context)
{
	struct removal *r = context;

	fd_close(&r->go[0]);
	close_files(r->ws);
	fd_close(&r->go[1]);
}

/* Closing asks the daemon or the server: one that does not answer the child is not asked by the
 * parent, which would hang. */
static int try_to_close(struct removal *r, int64_t deadline_ns)
{
	CLEANUP(buf_done) struct buf answer = { 0 };

	if (workspace_is_local(r->ws->target_kind))
		return 0;
	return child_run(close_work, r, deadline_ns, &answer);
}

static int remove_in_child(struct removal *r, int64_t deadline_ns, struct leftover *left)
{
	CLEANUP(buf_done) struct buf answer = { 0 };
	struct leftover found = { 0 };
	int rc;

	if (pipe2(r->go, O_CLOEXEC) < 0)
		return -errno;
	rc = child_run_while(remove_work, let_go, r, deadline_ns, &answer);
	fd_close(&r->go[0]);
	fd_close(&r->go[1]);
	if (rc)
		return rc;
	if (answer.len < sizeof(found.bytes))
		return -ECHILD;
	memcpy(&found.bytes, answer.data, sizeof(found.bytes));
	if (answer.len > sizeof(found.bytes))
		found.path = xstrdup(buf_text(&answer) + sizeof(found.bytes));
	*left = found;
	return 0;
}

/* The names, while somebody else has the files. */
static void forget(struct workspace *ws)
{
	close_files(ws);
	fd_close(&ws->dir_fd);
	fd_close(&ws->target_fd);
	free(ws->files);
	free(ws->path);
	*ws = (struct workspace){ 0 };
}

/* Descriptors that would hang stay open until this process ends, and must not hold up its end. */
static void leave_open(const struct workspace *ws)
{
	CLEANUP(xfree) int *fds = xcalloc(ws->n_files + 2, sizeof(*fds));
	size_t n = 0;

	for (size_t i = 0; i < ws->n_files; i++)
		fds[n++] = ws->files[i].fd;
	fds[n++] = ws->dir_fd;
	fds[n++] = ws->target_fd;
	/* Without one, the end takes as long as the storage. */
	(void)!child_take_over(fds, n);
}

/* A signal ends the child. The first one is no reason to leave something; after a second one
 * somebody waits for the end. */
static int remove_despite_signals(struct removal *r, int64_t deadline_ns, struct leftover *left)
{
	int rc = try_to_close(r, deadline_ns);

	if (rc == 0)
		rc = remove_in_child(r, deadline_ns, left);
	for (int i = 0; rc == -EINTR && i < SIGNALS_MAX; i++) {
		bool is_hurried = signals_count() > 1 && deadline_ns > HURRIED_NS;

		rc = remove_in_child(r, is_hurried ? HURRIED_NS : deadline_ns, left);
	}
	return rc == -EINTR ? -ETIMEDOUT : rc;
}

int workspace_remove(struct workspace *ws, int64_t deadline_ns, struct leftover *left)
{
	struct removal removal = { .ws = ws, .go = { -1, -1 } };
	int rc;

	if (!ws->files)
		return 0;
	rc = remove_despite_signals(&removal, deadline_ns, left);
	if (rc == -ETIMEDOUT) {
		left->bytes = -1;
		left->path = ws->dir_name[0] ? xasprintf("%s/%s", ws->path, ws->dir_name) : NULL;
		leave_open(ws);
		free(ws->files);
		free(ws->path);
		*ws = (struct workspace){ 0 };
		return rc;
	}
	if (rc) {
		/* No child could be made: then without one. */
		workspace_close(ws, left);
		return 0;
	}
	forget(ws);
	return 0;
}
