/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collect - read what explains a result: the evidence beside what the probe needed
 *
 * A table of items (src/collect/items.c) says what is read, when, how much of it and what for.
 * Everything is read by children with deadlines, so that a file that never answers costs its own
 * entry only. No mount is touched but that of the target.
 */
#ifndef IOTEST_COLLECT_H
#define IOTEST_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/host.h"
#include "iotest/run.h"
#include "iotest/sysroot.h"

enum collect_when { COLLECT_BEFORE = 1, COLLECT_AFTER = 2, COLLECT_BOTH = 3 };

/*
 * Reads the items of before or after a run into root->evidence. What is not there is no matter;
 * what could not be read stands there as an error. Returns how many items that are.
 */
int64_t collect(const struct sysroot *root, const struct host *host, enum collect_when when);

/* The error counters that rose, and the kernel's messages, between the two: into run. */
void collect_changes(const struct evidence *before, const struct evidence *after, struct run *run);

/* The rows of the table, for the documents. */
struct collect_kind {
	int when;
	const char *pattern;
	const char *purpose;
};
bool collect_kind_at(size_t i, struct collect_kind *out);

#endif
