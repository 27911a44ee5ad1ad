/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree - a directory of its own for a test, with files made from texts
 *
 *	CLEANUP(tree_done) char *top = tree_new();
 *
 *	tree_put(top, "sys/block/sda/size", "2048\n");
 *	tree_link(top, "sys/class/block/sda", "../../block/sda");
 */
#ifndef TREE_H
#define TREE_H

/* Makes an empty directory below $TMPDIR. */
char *tree_new(void);

/* Removes all of it. */
void tree_done(char **top);

/* Writes or replaces a file, and makes the folders it lies in. */
void tree_put(const char *top, const char *path, const char *text);
void tree_link(const char *top, const char *path, const char *target);

/* Fails the test unless the file holds just this text; NULL: unless there is none. */
void tree_expect(const char *top, const char *path, const char *text);

#endif
