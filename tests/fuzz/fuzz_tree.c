/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_tree - a directory of small files, made from one text
 */
#include "fuzz_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "iotest/fd.h"

#define FILE_MARK "--- "
#define LINK_MARK "--> "
#define MARK_LEN 4
#define ENTRIES_MAX 256
#define DEPTH_MAX 24

/* In the order in which they were made, so that the way back empties every directory. */
static struct {
	char *path;
	int fd;
	struct strlist made;
} tree = { .fd = -1 };

static void empty_tree(void)
{
	for (size_t i = tree.made.n_items; i-- > 0;) {
		if (unlinkat(tree.fd, tree.made.items[i], 0))
			unlinkat(tree.fd, tree.made.items[i], AT_REMOVEDIR);
	}
	strlist_done(&tree.made);
}

static void remove_tree(void)
{
	empty_tree();
	fd_close(&tree.fd);
	rmdir(tree.path);
	free(tree.path);
}

static void open_tree(void)
{
	const char *place = getenv("TMPDIR");

	if (!place)
		place = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	tree.path = xasprintf("%s/iotest-fuzz.XXXXXX", place);
	FUZZ_REQUIRE(mkdtemp(tree.path) != NULL);
	tree.fd = open(tree.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	FUZZ_REQUIRE(tree.fd >= 0);
	atexit(remove_tree);
}

static void remember(const char *path, size_t len)
{
	CLEANUP(xfree) char *made = xstrndup(path, len);

	strlist_add(&tree.made, made);
}

/* Makes the folders of path, which no link may lead out of. Returns the innermost and, in *last,
 * the name in it; or -1. */
static int open_parent(const char *path, const char **last)
{
	int at = openat(tree.fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const char *name = path;

	for (int depth = 0; at >= 0 && depth < DEPTH_MAX; depth++) {
		size_t len = strcspn(name, "/");
		CLEANUP(xfree) char *folder = xstrndup(name, len);
		int next;

		if (!len || !strcmp(folder, ".") || !strcmp(folder, ".."))
			break;
		*last = name;
		if (!name[len])
			return at;
		if (mkdirat(at, folder, 0700) == 0)
			remember(path, (size_t)(name - path) + len);
		next = openat(at, folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(at);
		at = next;
		name += len + 1;
	}
	if (at >= 0)
		close(at);
	return -1;
}

static void put_file(const char *path, const char *data, size_t len)
{
	const char *last = NULL;
	CLEANUP(fd_close) int dir = open_parent(path, &last);
	CLEANUP(fd_close) int fd = -1;

	if (dir < 0)
		return;
	fd = openat(dir, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	remember(path, strlen(path));
	FUZZ_REQUIRE(fd_write_all(fd, data, len) == 0);
}

static void put_link(const char *path, const char *target)
{
	const char *last = NULL;
	CLEANUP(fd_close) int dir = open_parent(path, &last);

	if (dir >= 0 && symlinkat(target, dir, last) == 0)
		remember(path, strlen(path));
}

static const char *skip_slashes(const char *path)
{
	return path + strspn(path, "/");
}

static bool is_mark(const char *line)
{
	return !strncmp(line, FILE_MARK, MARK_LEN) || !strncmp(line, LINK_MARK, MARK_LEN);
}

static const char *next_line_of(const char *line)
{
	const char *end = strchrnul(line, '\n');

	return end + (*end == '\n');
}

/* The entry whose mark is at line; returns where the next one begins. */
static const char *put_entry(const char *line)
{
	size_t len = strcspn(line, "\n");
	CLEANUP(xfree) char *name = xstrndup(line + MARK_LEN, len > MARK_LEN ? len - MARK_LEN : 0);
	const char *data = next_line_of(line);
	const char *end = data;
	char *space;

	while (*end && !is_mark(end))
		end = next_line_of(end);
	if (!strncmp(line, FILE_MARK, MARK_LEN)) {
		put_file(skip_slashes(name), data, (size_t)(end - data));
		return end;
	}
	space = strchr(name, ' ');
	if (space) {
		*space = '\0';
		put_link(skip_slashes(name), space + 1);
	}
	return end;
}

const char *fuzz_tree_make(const char *text, struct strlist *head)
{
	if (!tree.path)
		open_tree();
	empty_tree();
	for (; *text && !is_mark(text); text = next_line_of(text)) {
		CLEANUP(xfree) char *line = xstrndup(text, strcspn(text, "\n"));

		if (head && *line)
			strlist_add(head, line);
	}
	while (*text && tree.made.n_items < ENTRIES_MAX)
		text = put_entry(text);
	return tree.path;
}

const char *fuzz_tree_file(const char *name, const void *data, size_t len)
{
	if (!tree.path)
		open_tree();
	empty_tree();
	put_file(name, data, len);
	return tree.path;
}

char *fuzz_tree_read(const char *name)
{
	CLEANUP(fd_close) int fd = openat(tree.fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct buf data = { 0 };

	if (fd >= 0 && fd_read_all(fd, MIB, &data))
		buf_done(&data);
	return buf_take(&data);
}
