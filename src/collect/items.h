/* SPDX-License-Identifier: Apache-2.0 */
/*
 * items - what is read, when, and what for
 *
 * Private to collect. In a pattern "*" and "?" stand for parts of one name, "a|b" for one of
 * several names, and "{device}" for the block devices below the targets. "{cgroup}" is the own
 * control group.
 */
#ifndef IOTEST_COLLECT_ITEMS_H
#define IOTEST_COLLECT_ITEMS_H

#include "iotest/collect.h"

/* A fact that is no file. Writes its text; returns 0 or -errno. */
typedef int item_fill(const struct host *host, struct buf *out);

struct item {
	int when; /* enum collect_when */
	int64_t max_bytes;
	const char *pattern; /* of files; of a fact its name, "os/..." */
	const char *purpose;
	item_fill *fill; /* NULL: files */
};

extern const struct item items[];
extern const size_t n_items;

/* expand.c: the paths that a pattern stands for on that host, not sorted. */
void item_expand(const struct sysroot *root, const struct host *host, const char *pattern,
		 struct strlist *out);

/* kernel_log.c: what the kernel said of storage. */
item_fill kernel_log_fill;
#define KERNEL_LOG "os/kernel_log"

/* geometry.c: how the file systems of the targets are laid out. */
item_fill geometry_fill;

#endif
