/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_space - how much is free, seen by us or by a process of its own
 */
#include "suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "iotest/clock.h"
#include "iotest/compiler.h"
#include "iotest/io_ops.h"
#include "run/space.h"

static int open_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

START_TEST(what_is_short_is_compared_with_what_is_to_stay_free)
{
	static const struct {
		struct space_room room;
		int64_t floor_bytes;
		int64_t floor_inodes;
		bool want;
	} rows[] = {
		{ { 100, 100 }, 100, 100, false }, { { 99, 100 }, 100, 100, true },
		{ { 100, 99 }, 100, 100, true },   { { 0, 0 }, -1, -1, false },
		{ { -1, -1 }, 100, 100, false },   { { -1, 0 }, 100, 100, true },
		{ { 0, -1 }, 100, 100, true },	   { { 0, 0 }, 0, 0, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ck_assert_msg(space_is_short(&rows[i].room, rows[i].floor_bytes,
					     rows[i].floor_inodes) == rows[i].want,
			      "row %zu", i);
}
END_TEST

/* Others use /dev/shm as well: what statfs says before and after encloses it. */
static void must_be_near(struct space_room room, int dir_fd)
{
	struct statvfs v;

	ck_assert_int_eq(fstatvfs(dir_fd, &v), 0);
	ck_assert_int_ge(room.free_bytes, 0);
	ck_assert_int_le(room.free_bytes, (int64_t)(v.f_blocks * v.f_frsize));
	ck_assert_int_ge(room.free_inodes, 0);
	ck_assert_int_le(room.free_inodes, (int64_t)v.f_files);
}

START_TEST(a_file_system_of_this_host_is_asked_at_once)
{
	struct space_watch *watch = NULL;
	int fd = open_dir("/dev/shm");

	ck_assert_int_eq(space_watch_open(fd, false, &watch), 0);
	must_be_near(space_watch_look(watch), fd);
	space_watch_close(&watch);
	ck_assert_ptr_null(watch);
	space_watch_close(&watch);
	(void)close(fd);
}
END_TEST

START_TEST(what_may_hang_is_asked_by_a_process_of_its_own)
{
	struct space_watch *watch = NULL;
	int fd = open_dir("/dev/shm");
	struct space_room room = { -1, -1 };

	ck_assert_int_eq(space_watch_open(fd, true, &watch), 0);
	for (int i = 0; i < 1000 && room.free_bytes < 0; i++) {
		io_real.sleep_until(clock_monotonic_ns() + 10 * NS_PER_MS);
		room = space_watch_look(watch);
	}
	must_be_near(room, fd);
	space_watch_close(&watch);
	(void)close(fd);
}
END_TEST

START_TEST(what_does_not_tell_is_not_known)
{
	struct space_room room = space_watch_look(NULL);
	struct space_watch *watch = NULL;
	int fd = open_dir("/proc");

	ck_assert_int_eq(room.free_bytes, -1);
	ck_assert_int_eq(room.free_inodes, -1);
	ck_assert_int_eq(space_watch_open(fd, false, &watch), 0);
	room = space_watch_look(watch);
	ck_assert_int_eq(room.free_bytes, -1);
	ck_assert_int_eq(room.free_inodes, -1);
	space_watch_close(&watch);
	(void)close(fd);
}
END_TEST

SUITE_MAIN("space", what_is_short_is_compared_with_what_is_to_stay_free,
	   a_file_system_of_this_host_is_asked_at_once,
	   what_may_hang_is_asked_by_a_process_of_its_own, what_does_not_tell_is_not_known)
