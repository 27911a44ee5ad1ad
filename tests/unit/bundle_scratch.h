/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle_scratch - a directory for one test of the bundle, and what such tests ask of it
 */
#ifndef BUNDLE_SCRATCH_H
#define BUNDLE_SCRATCH_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bundle/tree.h"
#include "iotest/bundle.h"
#include "iotest/compiler.h"
#include "iotest/fd.h"
#include "suite.h"

struct scratch {
	char path[256];
	int fd;
};

static inline struct scratch scratch_make(void)
{
	struct scratch s;
	const char *tmp = getenv("TMPDIR");

	snprintf(s.path, sizeof(s.path), "%s/bundle-test-XXXXXX", tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(s.path));
	s.fd = open(s.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(s.fd, 0);
	return s;
}

static inline void scratch_remove(struct scratch *s)
{
	ck_assert_int_eq(tree_empty(s->fd), 0);
	close(s->fd);
	ck_assert_int_eq(rmdir(s->path), 0);
}

static inline bool scratch_has(const struct scratch *s, const char *name)
{
	struct stat st;

	return fstatat(s->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static inline unsigned scratch_mode(const struct scratch *s, const char *name)
{
	struct stat st;

	ck_assert_int_eq(fstatat(s->fd, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_mode & 07777;
}

static inline void scratch_write(const struct scratch *s, const char *name, const void *data,
				 size_t len)
{
	int fd = openat(s->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fd_write_all(fd, data, len), 0);
	close(fd);
}

/* The whole file, zero-terminated, to be freed. */
static inline char *scratch_read(const struct scratch *s, const char *name, size_t *len)
{
	int fd = openat(s->fd, name, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *data;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	data = calloc(1, (size_t)st.st_size + 1);
	ck_assert_ptr_nonnull(data);
	ck_assert_int_eq(read(fd, data, (size_t)st.st_size), st.st_size);
	close(fd);
	if (len)
		*len = (size_t)st.st_size;
	return data;
}

static inline size_t scratch_count(const struct scratch *s)
{
	struct strlist names = { 0 };
	size_t n;

	ck_assert_int_eq(tree_names(s->fd, &names), 0);
	n = names.n_items;
	strlist_done(&names);
	return n;
}

static inline const char *scratch_path(const struct scratch *s, char out[PATH_MAX],
				       const char *name)
{
	snprintf(out, PATH_MAX, "%s/%s", s->path, name);
	return out;
}

static inline void open_bundle_in(const struct scratch *s, const char *stem, struct bundle *out)
{
	struct strlist abandoned = { 0 };
	struct err err = { 0 };

	ck_assert_msg(bundle_open(out, s->path, stem, &abandoned, &err) == 0, "%s", err.sentence);
	strlist_done(&abandoned);
}

static inline void put_text(struct bundle *b, const char *path, const char *text)
{
	struct err err = { 0 };

	ck_assert_msg(bundle_put(b, path, text, strlen(text), &err) == 0, "%s", err.sentence);
}

static inline void seal(struct bundle *b, bool without_archive, bool keep_dir)
{
	struct err err = { 0 };

	ck_assert_msg(bundle_seal(b, without_archive, keep_dir, &err) == 0, "%s", err.sentence);
}

#endif
