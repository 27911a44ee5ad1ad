/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep_dir - one directory that a run may have left: is it ours, is it dead, gone with it
 */
#ifndef IOTEST_RUN_SWEEP_DIR_H
#define IOTEST_RUN_SWEEP_DIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "iotest/buf.h"
#include "iotest/sweep.h"
#include "iotest/sysroot.h"

/* Zeroed but for the first three and fd, which is -1. */
struct sweep_dir {
	const struct sweep_wish *wish;
	int target_fd;
	const char *name;
	int fd;
	struct stat st;
	struct strlist files; /* that were looked at */
	bool must_be_older;
	int64_t youngest_ns; /* mtime of anything in it, and of itself */
	int outcome;
	int64_t bytes;
	struct buf why;
};

void sweep_dir_done(struct sweep_dir *dir);

/* Finds outcome, bytes and why, and removes it if it is to be removed. False if there is nothing
 * of that name any more. */
bool sweep_dir_judge(struct sweep_dir *dir);

#endif
