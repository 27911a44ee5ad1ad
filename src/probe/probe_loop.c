/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_loop - whether the file of a loop device is where sysfs says, seen from here
 *
 * loop/backing_file is a path in the mount namespace of whoever set the device up. Here it may
 * lead to nothing, or to another file. So the path is asked for what lies there, in a child as its
 * file system may hang, and compared with what the loop device itself tells of its file. The
 * answer is kept as a fact, "os/loop.NAME". A tree that nobody asked on has none: then the path
 * is believed.
 */
#include "probe_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/loop.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "iotest/child.h"
#include "iotest/fd.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"

#define DEADLINE_NS (2 * NS_PER_S)

/* ' (deleted)' is what the kernel adds to the name of a file without one. */
char *loop_backing_file(const struct sysroot *root, const char *dir)
{
	static const char mark[] = " (deleted)";
	char *path = NULL;
	size_t len;

	if (sysroot_read_text(root, &path, "%s/loop/backing_file", dir))
		return NULL;
	len = strlen(path);
	if (len > strlen(mark) && !strcmp(path + len - strlen(mark), mark))
		path[len - strlen(mark)] = '\0';
	return path;
}

static void add_number(struct buf *out, const char *key, uint64_t number)
{
	buf_printf(out, "%s=%u:%u\n", key, major((dev_t)number), minor((dev_t)number));
}

/* What the device tells of its file. Not every user may open it, and a container may have another
 * one by this name. */
static void add_status(struct buf *out, const struct device *d)
{
	CLEANUP(xfree) char *path = xasprintf("/dev/%s", d->name);
	CLEANUP(xfree) char *number = NULL;
	CLEANUP(fd_close) int fd = -1;
	struct loop_info64 info;
	struct stat st;

	/* Before it is opened: that can do something. */
	if (stat(path, &st) || !S_ISBLK(st.st_mode))
		return;
	number = xasprintf("%u:%u", major(st.st_rdev), minor(st.st_rdev));
	if (strcmp(number, text_of(d->number)))
		return;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, LOOP_GET_STATUS64, &info))
		return;
	add_number(out, "lo_device", info.lo_device);
	buf_printf(out, "lo_inode=%" PRIu64 "\n", (uint64_t)info.lo_inode);
	add_number(out, "lo_number", info.lo_rdevice);
}

/* In the child. What failed is part of the answer. */
static int ask(void *context, struct buf *out)
{
	const struct device *d = context;
	struct stat st;

	if (stat(d->backing_file, &st)) {
		buf_printf(out, "error=%d\n", errno);
		return 0;
	}
	buf_printf(out, "mode=%u\nsize=%" PRId64 "\n", st.st_mode & S_IFMT, (int64_t)st.st_size);
	add_number(out, "device", st.st_dev);
	buf_printf(out, "inode=%" PRIu64 "\n", (uint64_t)st.st_ino);
	if (S_ISBLK(st.st_mode))
		add_number(out, "number", st.st_rdev);
	add_status(out, d);
	return 0;
}

static int fill(void *context, struct buf *out)
{
	int rc = child_run(ask, context, DEADLINE_NS, out);

	if (rc)
		buf_printf(out, "error=%d\n", -rc);
	return 0;
}

/* Whether both stand there and are the same; -1 if one does not. */
static int is_same(const char *fact, const char *key, const char *other_key)
{
	CLEANUP(xfree) char *one = NULL;
	CLEANUP(xfree) char *other = NULL;

	if (fact_text(fact, key, &one) || fact_text(fact, other_key, &other))
		return -1;
	return !strcmp(one, other);
}

/* Whether it is the disk that the loop device lies on: its nodes may be many. */
static bool is_the_disk(const char *fact)
{
	return is_same(fact, "number", "lo_number") != 0;
}

/* Without the numbers of the file, it can be it if it is large enough. */
static bool is_the_file(const char *fact, int64_t size_bytes)
{
	int same_device = is_same(fact, "device", "lo_device");
	int same_inode = is_same(fact, "inode", "lo_inode");

	if (same_device >= 0 && same_inode >= 0)
		return same_device && same_inode;
	return fact_or_unknown(fact, "size") >= size_bytes;
}

static bool is_here(const char *fact, int64_t size_bytes)
{
	int64_t mode = fact_or_unknown(fact, "mode");

	if (mode < 0)
		return false;
	if (S_ISBLK((mode_t)mode))
		return is_the_disk(fact);
	return S_ISREG((mode_t)mode) && is_the_file(fact, size_bytes);
}

/* A file system was mounted over the directory of the file that holds it. */
static bool is_under_itself(const struct probe *p, const struct device *loop)
{
	const struct mount *m = mounts_find(&p->mounts, loop->backing_file);

	return m && *m->number && !strcmp(m->number, text_of(loop->number));
}

static bool find_file(struct probe *p, struct device *loop, char **number)
{
	CLEANUP(xfree) char *name = xasprintf("os/loop.%s", loop->name);
	CLEANUP(buf_done) struct buf fact = { 0 };
	int rc;

	if (is_under_itself(p, loop))
		return false;
	if (probe_fact(p->root, name, fill, loop, &fact))
		return true;
	if (!is_here(buf_text(&fact), loop->size_bytes))
		return false;
	rc = fact_text(buf_text(&fact), "number", number);
	return rc == 0 || rc == -ENOENT; /* the latter if it is a file */
}

bool loop_file_is_here(struct probe *p, struct device *loop, char **number)
{
	if (find_file(p, loop, number))
		return true;
	host_note(p->host, "devices",
		  "%s: its file, %s, is not visible from here: what lies below is not known",
		  loop->name, loop->backing_file);
	return false;
}
