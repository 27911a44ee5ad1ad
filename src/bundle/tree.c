/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree - a folder of ours, by descriptors and without following links
 */
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "iotest/fd.h"
#include "iotest/xalloc.h"

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE (1 << 0)
#endif

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static void item_done(struct tree_item *item)
{
	free(item->path);
	*item = (struct tree_item){ 0 };
}

void tree_done(struct tree *tree)
{
	for (size_t i = 0; i < tree->n_items; i++)
		item_done(&tree->items[i]);
	free(tree->items);
	*tree = (struct tree){ 0 };
}

static int compare_items(const void *a, const void *b)
{
	const struct tree_item *const x = a;
	const struct tree_item *const y = b;

	return strcmp(x->path, y->path);
}

static void sort_tree(struct tree *tree)
{
	if (tree->n_items)
		qsort(tree->items, tree->n_items, sizeof(*tree->items), compare_items);
}

static void add_item(struct tree *tree, struct tree_item item)
{
	struct tree_item *added = XGROW(&tree->items, &tree->n_items);

	*added = item;
}

int tree_names(int dirfd, struct strlist *out)
{
	/* Opened anew: a duplicate would share its position with dirfd. */
	int fd = openat(dirfd, ".", OPEN_DIR);

	return fd < 0 ? -errno : fd_list(fd, out);
}

static int list_folder(int dirfd, const char *prefix, int depth, struct tree *tree,
		       struct buf *where);

static int list_one(int dirfd, const char *name, const char *path, int depth, struct tree *tree,
		    struct buf *where)
{
	struct tree_item item = { 0 };
	struct stat st;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	item.mtime_s = st.st_mtim.tv_sec;
	if (S_ISREG(st.st_mode)) {
		item.kind = TREE_FILE;
		item.size_bytes = st.st_size;
	} else if (S_ISDIR(st.st_mode)) {
		item.kind = TREE_DIR;
	} else {
		return -EINVAL;
	}
	item.path = xstrdup(path);
	add_item(tree, item);

	if (item.kind == TREE_DIR) {
		CLEANUP(fd_close) int fd = openat(dirfd, name, OPEN_DIR);

		if (fd < 0)
			return -errno;
		return list_folder(fd, path, depth + 1, tree, where);
	}
	return 0;
}

/* where is left naming the item that failed. */
static int list_folder(int dirfd, const char *prefix, int depth, struct tree *tree,
		       struct buf *where)
{
	CLEANUP(strlist_done) struct strlist names = { 0 };
	int rc;

	if (depth > TREE_DEPTH_MAX)
		return -ELOOP;
	rc = tree_names(dirfd, &names);
	if (rc)
		return rc;
	for (size_t i = 0; i < names.n_items; i++) {
		const char *name = names.items[i];
		CLEANUP(xfree)
		char *path = *prefix ? xasprintf("%s/%s", prefix, name) : xstrdup(name);

		rc = list_one(dirfd, name, path, depth, tree, where);
		if (rc && !where->len)
			buf_add_visible(where, path);
		if (rc)
			return rc;
	}
	return 0;
}

int tree_list(int dirfd, const char *name, struct tree *out, struct err *err)
{
	CLEANUP(tree_done) struct tree tree = { 0 };
	CLEANUP(buf_done) struct buf where = { 0 };
	int rc;

	rc = list_folder(dirfd, "", 1, &tree, &where);
	if (rc == -EINVAL)
		return err_say(err, rc, "%s: %s is neither a file nor a folder", name,
			       buf_text(&where));
	if (rc)
		return err_set(err, rc, "%s: cannot list %s", name,
			       where.len ? buf_text(&where) : "the folder");
	sort_tree(&tree);
	*out = tree;
	tree = (struct tree){ 0 };
	return 0;
}

void tree_add_file(struct tree *tree, const char *path, int64_t size_bytes, int64_t mtime_s)
{
	add_item(tree, (struct tree_item){
			       .path = xstrdup(path),
			       .kind = TREE_FILE,
			       .size_bytes = size_bytes,
			       .mtime_s = mtime_s,
		       });
	sort_tree(tree);
}

void tree_drop(struct tree *tree, const char *path)
{
	for (size_t i = 0; i < tree->n_items; i++) {
		if (strcmp(tree->items[i].path, path) != 0)
			continue;
		item_done(&tree->items[i]);
		tree->n_items--;
		memmove(&tree->items[i], &tree->items[i + 1],
			(tree->n_items - i) * sizeof(*tree->items));
		return;
	}
}

static bool part_is_safe(const char *part, size_t len)
{
	if (len == 0 || len > NAME_MAX)
		return false;
	if (len == 1 && part[0] == '.')
		return false;
	return !(len == 2 && part[0] == '.' && part[1] == '.');
}

bool tree_path_is_safe(const char *path)
{
	if (strlen(path) >= PATH_MAX)
		return false;
	for (;;) {
		size_t len = strcspn(path, "/");

		if (!part_is_safe(path, len))
			return false;
		if (!path[len])
			return true;
		path += len + 1;
	}
}

/* Steps into one folder; at is closed in any case. */
static int step_into(int at, const char *name, bool make)
{
	int rc = 0;
	int next;

	if (make && mkdirat(at, name, 0700) && errno != EEXIST)
		rc = -errno;
	next = rc ? -1 : openat(at, name, OPEN_DIR);
	if (!rc && next < 0)
		rc = -errno;
	close(at);
	return rc ? rc : next;
}

int tree_open_parent(int dirfd, const char *path, bool make, const char **last)
{
	int at;

	if (!tree_path_is_safe(path))
		return -EINVAL;
	at = openat(dirfd, ".", OPEN_DIR);
	if (at < 0)
		return -errno;
	for (;;) {
		char name[NAME_MAX + 1];
		size_t len = strcspn(path, "/");

		if (!path[len])
			break;
		memcpy(name, path, len);
		name[len] = '\0';
		at = step_into(at, name, make);
		if (at < 0)
			return at;
		path += len + 1;
	}
	*last = path;
	return at;
}

int tree_open_file(int dirfd, const char *path)
{
	CLEANUP(fd_close) int at = -1;
	const char *last = NULL;
	struct stat st;
	int fd;

	at = tree_open_parent(dirfd, path, false, &last);
	if (at < 0)
		return at;
	fd = openat(at, last, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

static int remove_one(int dirfd, const char *name)
{
	CLEANUP(fd_close) int fd = -1;
	struct stat st;
	int rc;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return unlinkat(dirfd, name, 0) ? -errno : 0;
	fd = openat(dirfd, name, OPEN_DIR);
	if (fd < 0)
		return -errno;
	rc = tree_empty(fd);
	if (rc)
		return rc;
	return unlinkat(dirfd, name, AT_REMOVEDIR) ? -errno : 0;
}

int tree_empty(int dirfd)
{
	CLEANUP(strlist_done) struct strlist names = { 0 };
	int first;

	first = tree_names(dirfd, &names);
	for (size_t i = 0; i < names.n_items; i++) {
		int rc = remove_one(dirfd, names.items[i]);

		if (rc && !first)
			first = rc;
	}
	return first;
}

int tree_rename_new(int from_dir, const char *from, int to_dir, const char *to)
{
	if (syscall(SYS_renameat2, from_dir, from, to_dir, to, RENAME_NOREPLACE) == 0)
		return 0;
	return errno == EINVAL ? -ENOSYS : -errno;
}
