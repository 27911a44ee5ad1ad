/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_place - where a path leads to, and what the kernel says of the file system there
 *
 * Asked in a child with a deadline, because a dead network or FUSE mount never answers; only the
 * target itself is ever touched. The answer is kept as a fact, "os/target.N", and read back on a
 * recorded tree. A tree that nobody asked on has none: then the path is only tidied up.
 */
#include "probe_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "iotest/child.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"

#define DEADLINE_NS (10 * NS_PER_S)

/* No file system of today is larger; those that do not know their size tell such numbers. */
#define ABSURD_BYTES (1LL << 60)

/* A line of a fact holds any path: the two bytes that would break it become octal. */
static void add_escaped(struct buf *out, const char *key, const char *path)
{
	buf_printf(out, "%s=", key);
	for (; *path; path++) {
		if (*path == '\n' || *path == '\\')
			buf_printf(out, "\\%03o", (unsigned int)*path);
		else
			buf_add(out, path, 1);
	}
	buf_add_text(out, "\n");
}

/* A backslash and just three octal digits: the trees of strangers hold anything. */
static bool is_escape(const char *at)
{
	return at[0] == '\\' && strspn(at + 1, "01234567") >= 3 && at[1] < '4';
}

static char *unescaped(const char *text, const char *key)
{
	CLEANUP(xfree) char *value = NULL;
	struct buf out = { 0 };
	const char *at;

	if (fact_text(text, key, &value))
		return NULL;
	for (at = value; *at; at++) {
		if (is_escape(at)) {
			char c = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));

			buf_add(&out, &c, 1);
			at += 3;
		} else {
			buf_add(&out, at, 1);
		}
	}
	return buf_take(&out);
}

/* The id by which the mount table names the mount: statx tells it from Linux 5.8 on only. */
static int64_t mount_id_of(const char *path)
{
	char name[64], line[256];
	long long id = -1;
	FILE *f;
	int fd;

	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", fd);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "mnt_id: %lld", &id) == 1)
			break;
	if (f)
		fclose(f);
	close(fd);
	return id;
}

static void add_space(struct buf *out, const char *path)
{
	struct statvfs v;
	struct statfs s;

	if (statvfs(path, &v) == 0)
		buf_printf(out,
			   "frsize=%lu\nblocks=%llu\nbfree=%llu\nbavail=%llu\n"
			   "files=%llu\nfavail=%llu\nread_only=%d\n",
			   v.f_frsize, (unsigned long long)v.f_blocks,
			   (unsigned long long)v.f_bfree, (unsigned long long)v.f_bavail,
			   (unsigned long long)v.f_files, (unsigned long long)v.f_favail,
			   (v.f_flag & ST_RDONLY) != 0);
	else
		buf_printf(out, "statvfs_error=%d\n", errno);
	if (statfs(path, &s) == 0)
		buf_printf(out, "magic=%" PRIu32 "\n", (uint32_t)s.f_type);
}

/* In the child: all that touches the file system. What failed is part of the answer. */
static int ask(void *context, struct buf *out)
{
	const char *given = context;
	char path[PATH_MAX];
	struct statfs unused;
	struct stat st;

	add_escaped(out, "given", given);
	/* Unlike stat, this makes an automounter mount what belongs here. */
	statfs(given, &unused);
	if (!realpath(given, path) || stat(path, &st)) {
		buf_printf(out, "error=%d\n", errno);
		return 0;
	}
	add_escaped(out, "path", path);
	buf_printf(out, "mode=%u\n", st.st_mode & S_IFMT);
	buf_printf(out, "device=%u:%u\n", major(st.st_dev), minor(st.st_dev));
	if (!S_ISDIR(st.st_mode))
		return 0;
	buf_printf(out, "mount_id=%" PRId64 "\n", mount_id_of(path));
	add_space(out, path);
	/* Read as well: the run opens the directory. */
	buf_printf(out, "writable=%d\n",
		   faccessat(AT_FDCWD, path, R_OK | W_OK | X_OK, AT_EACCESS) == 0);
	return 0;
}

/* The sentences for the failures that a directory under test meets in practice. */
static const struct {
	int error;
	const char *sentence;
	const char *advice;
} failures[] = {
	{ ENOENT, "does not exist", "create the directory, or give another one with -t" },
	{ ENOTDIR, "a part of this path is a file, not a directory", "check the spelling" },
	{ EACCES, "this user may not enter the directory",
	  "root has no rights on NFS exports with root_squash, and Kerberos mounts need a ticket: "
	  "run iotest as a user who may write there" },
	{ ENOTCONN, "the file system is not connected, its server or process is gone",
	  "unmount it and mount it again" },
	{ ESTALE, "the directory is gone on the server (stale file handle)",
	  "unmount the file system and mount it again" },
	{ EHOSTDOWN, "the file server is down", "bring it back, or give another directory" },
	{ ENODEV, "the device of the file system is gone", "check the storage and mount it again" },
	{ EIO, "the file system answers with an I/O error", "check the kernel log" },
	{ ELOOP, "symbolic links lead in a circle here", "give the real directory" },
	{ ENAMETOOLONG, "the path is too long", "give a shorter one" },
	{ EINTR, "not examined, a signal came", "run iotest again" },
	{ ETIMEDOUT, "does not answer within 10 s",
	  "probably a dead network or FUSE mount: check its server, or give another directory" },
};

static int refuse(const char *given, int error, struct err *err)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(failures); i++) {
		if (failures[i].error != error)
			continue;
		err_say(err, -error, "%s: %s", given, failures[i].sentence);
		err_advise(err, "%s", failures[i].advice);
		return -error;
	}
	return err_set(err, -error, "%s: cannot be examined", given);
}

static int refuse_mode(const char *given, unsigned int mode, struct err *err)
{
	if (S_ISBLK(mode)) {
		err_say(err, -ENOTDIR, "%s: is a block device, not a directory", given);
		err_advise(err, "iotest never writes to a block device: give a directory of the "
				"file system on it");
		return -ENOTDIR;
	}
	err_say(err, -ENOTDIR, "%s: is %s, not a directory", given,
		S_ISREG(mode)	 ? "a file"
		: S_ISCHR(mode)	 ? "a character device"
		: S_ISFIFO(mode) ? "a named pipe"
		: S_ISSOCK(mode) ? "a socket"
				 : "something else");
	err_advise(err, "give the directory in which the test files may be created");
	return -ENOTDIR;
}

/* blocks * frsize; -1 if it overflows or is absurd. */
static int64_t space(const char *fact, const char *key)
{
	int64_t frsize = fact_or_unknown(fact, "frsize");
	int64_t blocks = fact_or_unknown(fact, key);
	int64_t bytes;

	if (frsize <= 0 || blocks < 0 || units_mul(blocks, frsize, &bytes) || bytes >= ABSURD_BYTES)
		return -1;
	return bytes;
}

static void take_space(const char *fact, struct place *out)
{
	int64_t unused = space(fact, "bfree");

	out->size_bytes = space(fact, "blocks");
	out->inodes = fact_or_unknown(fact, "files");
	if (out->inodes <= 0)
		out->inodes = -1; /* made as they are needed */
	else
		out->free_inodes = fact_or_unknown(fact, "favail");
	if (out->size_bytes <= 0) {
		out->size_bytes = -1;
		return;
	}
	out->free_bytes = space(fact, "bavail");
	if (out->free_bytes > out->size_bytes)
		out->free_bytes = -1;
	if (unused >= 0 && unused <= out->size_bytes)
		out->used_bytes = out->size_bytes - unused;
}

static void take_fact(const char *fact, struct place *out)
{
	out->path = unescaped(fact, "path");
	if (!out->path)
		return;
	out->is_told = true;
	if (fact_text(fact, "device", &out->number))
		out->number = NULL;
	out->mount_id = fact_or_unknown(fact, "mount_id");
	out->magic = fact_or_unknown(fact, "magic");
	out->read_only = (int)fact_or_unknown(fact, "read_only");
	out->writable = (int)fact_or_unknown(fact, "writable");
	take_space(fact, out);
}

/* The same path from any directory; what is in it is not looked at. */
static char *absolute(const char *given)
{
	char cwd[PATH_MAX];

	if (*given == '/' || !getcwd(cwd, sizeof(cwd)))
		return xstrdup(given);
	return xasprintf("%s/%s", strcmp(cwd, "/") ? cwd : "", given);
}

static int find_live(struct probe *p, const char *given, size_t number, struct place *out,
		     struct err *err)
{
	CLEANUP(buf_done) struct buf fact = { 0 };
	CLEANUP(xfree) char *name = xasprintf("os/target.%zu", number);
	CLEANUP(xfree) char *copy = xstrdup(given);
	CLEANUP(xfree) char *shown = absolute(given);
	int64_t error;
	int rc;

	rc = child_run(ask, copy, DEADLINE_NS, &fact);
	if (rc)
		return refuse(shown, -rc, err);
	error = fact_or_unknown(buf_text(&fact), "error");
	if (error > 0)
		return refuse(shown, (int)error, err);
	if (!S_ISDIR((unsigned int)fact_or_unknown(buf_text(&fact), "mode")))
		return refuse_mode(shown, (unsigned int)fact_or_unknown(buf_text(&fact), "mode"),
				   err);
	sysroot_keep_fact(p->root, name, fact.data, fact.len);
	take_fact(buf_text(&fact), out);
	return 0;
}

/* Whether the fact is about the path, by either of its names. */
static bool is_about(const char *fact, const char *path)
{
	static const char *const keys[] = { "given", "path" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(keys); i++) {
		CLEANUP(xfree) char *value = unescaped(fact, keys[i]);

		if (value && !strcmp(value, path))
			return true;
	}
	return false;
}

/* Without looking: "//a/./b/../c/" is "/a/c". A relative path starts at the root of the tree. */
static char *tidy_path(const char *path)
{
	struct buf out = { 0 };

	while (*path) {
		size_t len = strcspn(path, "/");

		if (len == 2 && !strncmp(path, "..", 2)) {
			while (out.len && out.data[--out.len] != '/')
				;
			if (out.data)
				out.data[out.len] = '\0';
		} else if (len && !(len == 1 && *path == '.')) {
			buf_add_text(&out, "/");
			buf_add(&out, path, len);
		}
		path += len;
		path += *path == '/';
	}
	if (!out.len)
		buf_add_text(&out, "/");
	return buf_take(&out);
}

static int find_recorded(struct probe *p, const char *given, struct place *out)
{
	CLEANUP(xfree) char *tidy = tidy_path(given);
	size_t i;

	for (i = 1; i <= HOST_TARGETS_MAX; i++) {
		CLEANUP(xfree) char *name = xasprintf("os/target.%zu", i);
		CLEANUP(buf_done) struct buf fact = { 0 };

		if (sysroot_read_fact(p->root, &fact, name))
			break;
		if (!is_about(buf_text(&fact), given) && !is_about(buf_text(&fact), tidy))
			continue;
		take_fact(buf_text(&fact), out);
		if (out->path)
			return 0;
	}
	out->path = tidy;
	tidy = NULL;
	return 0;
}

int place_find(struct probe *p, const char *given, size_t number, struct place *out,
	       struct err *err)
{
	CLEANUP(place_done)
	struct place place = {
		.mount_id = -1,
		.magic = -1,
		.size_bytes = -1,
		.used_bytes = -1,
		.free_bytes = -1,
		.inodes = -1,
		.free_inodes = -1,
		.read_only = -1,
		.writable = -1,
	};
	int rc;

	if (p->root->is_live)
		rc = find_live(p, given, number, &place, err);
	else
		rc = find_recorded(p, given, &place);
	if (rc)
		return rc;
	*out = place;
	place = (struct place){ 0 };
	return 0;
}

void place_done(struct place *place)
{
	free(place->path);
	free(place->number);
	*place = (struct place){ 0 };
}
