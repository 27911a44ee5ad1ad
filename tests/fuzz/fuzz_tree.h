/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_tree - a directory of small files, made from one text
 *
 *	/saswork
 *	--- /proc/meminfo
 *	MemTotal:       2097152 kB
 *	--> /sys/class/block/sda ../../devices/sda
 *
 * What stands before the first mark is for the caller. "---" begins a file, "-->" is a symbolic
 * link. The directory lies in memory where that can be had, and holds only what the last text
 * made. Nothing outside of it is written, wherever its links lead.
 */
#ifndef FUZZ_TREE_H
#define FUZZ_TREE_H

#include "iotest/sysroot.h"

/* Makes it, in place of what the last call has made. Returns its path. Lines before the first mark
 * are added to head, if that is not NULL. */
const char *fuzz_tree_make(const char *text, struct strlist *head);

/* The same with one file alone, whose content is just these bytes. */
const char *fuzz_tree_file(const char *name, const void *data, size_t len);

/* A file of it, "" if there is none; to be freed. */
char *fuzz_tree_read(const char *name);

#endif
