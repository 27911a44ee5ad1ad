/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain - the devices below a target, level by level, with what they counted in a phase
 *
 * Level 0 is what the file system lies on, the last one is the disks. Every byte that is moved
 * passes each level once, unless a device in between keeps it, makes it smaller, or writes it
 * more than once.
 */
#ifndef IOTEST_ANALYZE_CHAIN_H
#define IOTEST_ANALYZE_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/buf.h"
#include "iotest/host.h"
#include "iotest/run.h"

struct chain_node {
	const struct device *device;	  /* NULL: the mount of a network file system */
	const struct device_count *count; /* NULL: nothing was counted */
	size_t depth;
	bool has_below; /* in this list */
	bool is_leaf;
	bool is_multiplied; /* a device above it may write a byte more than once */
	bool is_remade;	    /* the same, but for loop devices with direct I/O */
};

/* Points into the target and the phase; released by chain_done. */
struct chain {
	struct chain_node *nodes;
	size_t n_nodes;
	size_t n_levels;
};

/* target may be NULL. A list that no probe makes, too long or without a count, is an empty one. */
void chain_make(const struct target *target, const struct phase *phase, struct chain *out);
void chain_done(struct chain *chain);

/* Read from, or written to, all devices of that level; -1 if one of them does not tell. */
int64_t chain_bytes(const struct chain *chain, size_t level, bool is_read);

/* Nothing above that level writes a byte more than once. */
bool chain_is_plain(const struct chain *chain, size_t level);

/* Every read passes that level as it is: of what could multiply writes above it there are loop
 * devices with direct I/O only. */
bool chain_is_below_loops(const struct chain *chain, size_t level);

/* "sda, sdb", at most four names. Returns how many devices there are. */
size_t chain_add_names(const struct chain *chain, size_t level, struct buf *out);

/* The device answers from this host's memory. */
bool chain_device_caches(const struct device *device);

/* It is the mount of a network file system that was counted. */
bool chain_is_mount(const struct chain *chain, const struct target *target);

#endif
