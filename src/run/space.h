/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space - how much is free in the target, while others use it, too
 */
#ifndef IOTEST_RUN_SPACE_H
#define IOTEST_RUN_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "iotest/compiler.h"

/* What this user can still have; -1: the file system does not tell. */
struct space_room {
	int64_t free_bytes;
	int64_t free_inodes;
};

/*
 * Looks at the file system of dir_fd, which is borrowed and must outlive the watch. Where looking
 * may hang, a process of its own does it once a second, and what it saw last is what is known.
 * Returns 0 or -errno; the watch is to be closed before the test files are.
 */
struct space_watch;
MUST_CHECK int space_watch_open(int dir_fd, bool may_hang, struct space_watch **out);
struct space_room space_watch_look(const struct space_watch *watch);
void space_watch_close(struct space_watch **watch);

/* Less is free than is to stay free; a floor of -1 is none. */
bool space_is_short(const struct space_room *room, int64_t floor_bytes, int64_t floor_inodes);

#endif
