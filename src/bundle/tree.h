/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree - a folder of ours, by descriptors and without following links
 *
 * Private to the bundle. Paths are relative to the folder, with "/" between their parts.
 */
#ifndef IOTEST_BUNDLE_TREE_H
#define IOTEST_BUNDLE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/compiler.h"
#include "iotest/err.h"
#include "iotest/sysroot.h"

/* Folders in folders; deeper is refused. */
#define TREE_DEPTH_MAX 64

enum tree_kind { TREE_FILE, TREE_DIR };

struct tree_item {
	char *path;
	enum tree_kind kind;
	int64_t size_bytes; /* of a file, when it was listed */
	int64_t mtime_s;
};

struct tree {
	struct tree_item *items; /* sorted by path, as strcmp does */
	size_t n_items;
};

void tree_done(struct tree *tree);

/* Everything below dirfd. What is neither file nor folder is an error. name is for sentences. */
MUST_CHECK int tree_list(int dirfd, const char *name, struct tree *out, struct err *err);

/* Adds a file that is not in the list yet, at its place. */
void tree_add_file(struct tree *tree, const char *path, int64_t size_bytes, int64_t mtime_s);

/* Takes the item of that path out of the list, if it is there. */
void tree_drop(struct tree *tree, const char *path);

/* Relative, without "..", ".", empty parts or an overlong one. */
bool tree_path_is_safe(const char *path);

/* The folder that path lies in (made 0700 if needed with make) and path's last part.
 * Returns a descriptor to be closed or -errno. */
MUST_CHECK int tree_open_parent(int dirfd, const char *path, bool make, const char **last);

/* A regular file for reading; never follows a link, never blocks. Descriptor or -errno. */
MUST_CHECK int tree_open_file(int dirfd, const char *path);

/* The names in a folder, sorted. Returns 0 or -errno. */
MUST_CHECK int tree_names(int dirfd, struct strlist *out);

/* Removes everything below dirfd. Returns 0 or the first -errno. */
MUST_CHECK int tree_empty(int dirfd);

/* Renames without replacing anything. Returns 0, -EEXIST, -ENOSYS if the kernel or the file system
 * cannot promise that, or -errno. */
MUST_CHECK int tree_rename_new(int from_dir, const char *from, int to_dir, const char *to);

#endif
