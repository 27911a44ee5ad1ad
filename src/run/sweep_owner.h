/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep_owner - does the run that made a directory still live?
 */
#ifndef IOTEST_RUN_SWEEP_OWNER_H
#define IOTEST_RUN_SWEEP_OWNER_H

#include <stdbool.h>
#include <stdint.h>

#include "iotest/buf.h"
#include "workspace_name.h"

/*
 * Adds to why what keeps the directory from being provably of a dead run of this host; nothing if
 * it is. Takes the directory's lock, which goes with dir_fd.
 * *must_be_older: then it is one only if nothing in it is younger than the start of this host.
 */
void sweep_judge_owner(const struct workspace_name *name, const char *host_part, int dir_fd,
		       bool *must_be_older, struct buf *why);

/* Realtime at which this host was started. */
int64_t sweep_boot_ns(void);

#endif
