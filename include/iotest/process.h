/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process - what /proc/PID/stat says of a process
 */
#ifndef IOTEST_PROCESS_H
#define IOTEST_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "iotest/compiler.h"

/* The kernel keeps 15 characters of a name. */
#define PROCESS_NAME_SIZE 17

struct process {
	char name[PROCESS_NAME_SIZE]; /* of its program */
	bool is_over;		      /* and only waits to be collected */
	int64_t start;		      /* clock ticks since the host started; -1 not known */
};

/* Returns 0; -EIO if there is no such process, or it cannot be read; -EINVAL for another text. */
MUST_CHECK int process_read(int64_t pid, struct process *out);

#endif
