/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space - how much is free in the target, while others use it, too
 */
#include "space.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/types.h>

#include "iotest/child.h"
#include "iotest/xalloc.h"
#include "board.h"

#define LOOK_NS NS_PER_S

/* Shared with the process that looks. */
struct seen {
	_Atomic int64_t free_bytes;
	_Atomic int64_t free_inodes;
};

struct space_watch {
	int dir_fd;
	pid_t pid; /* 0: nobody looks for us */
	struct seen *seen;
};

/* Zero of zero: the file system has no such number. */
static int64_t known(uint64_t n, uint64_t of, uint64_t unit)
{
	uint64_t product;

	if (of == 0 || __builtin_mul_overflow(n, unit, &product) || product > INT64_MAX)
		return -1;
	return (int64_t)product;
}

static struct space_room look(int dir_fd)
{
	struct space_room room = { -1, -1 };
	struct statvfs v;

	if (fstatvfs(dir_fd, &v) < 0)
		return room;
	room.free_bytes = known(v.f_bavail, v.f_blocks, v.f_frsize);
	room.free_inodes = known(v.f_favail, v.f_files, 1);
	return room;
}

static void put(struct seen *seen, const struct space_room *room)
{
	SLOT_PUT(seen->free_bytes, room->free_bytes);
	SLOT_PUT(seen->free_inodes, room->free_inodes);
}

static void look_again(void *context)
{
	const struct space_watch *watch = context;
	struct space_room room = look(watch->dir_fd);

	put(watch->seen, &room);
}

static int start_looker(struct space_watch *watch)
{
	const struct space_room nothing = { -1, -1 };

	watch->seen = mmap(NULL, sizeof(*watch->seen), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (watch->seen == MAP_FAILED) {
		watch->seen = NULL;
		return -errno;
	}
	put(watch->seen, &nothing);
	return child_start(look_again, watch, LOOK_NS, &watch->pid);
}

int space_watch_open(int dir_fd, bool may_hang, struct space_watch **out)
{
	struct space_watch *watch = xcalloc(1, sizeof(*watch));
	int rc;

	watch->dir_fd = dir_fd;
	rc = may_hang ? start_looker(watch) : 0;
	if (rc)
		space_watch_close(&watch);
	else
		*out = watch;
	return rc;
}

struct space_room space_watch_look(const struct space_watch *watch)
{
	struct space_room room = { -1, -1 };

	if (!watch)
		return room;
	if (!watch->seen)
		return look(watch->dir_fd);
	room.free_bytes = SLOT_GET(watch->seen->free_bytes);
	room.free_inodes = SLOT_GET(watch->seen->free_inodes);
	return room;
}

void space_watch_close(struct space_watch **watch)
{
	struct space_watch *w = *watch;

	*watch = NULL;
	if (!w)
		return;
	if (w->pid > 0)
		child_end(w->pid);
	if (w->seen)
		(void)munmap(w->seen, sizeof(*w->seen));
	free(w);
}

bool space_is_short(const struct space_room *room, int64_t floor_bytes, int64_t floor_inodes)
{
	return (floor_bytes >= 0 && room->free_bytes >= 0 && room->free_bytes < floor_bytes) ||
	       (floor_inodes >= 0 && room->free_inodes >= 0 && room->free_inodes < floor_inodes);
}
