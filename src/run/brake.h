/* SPDX-License-Identifier: Apache-2.0 */
/*
 * brake - whether others are held up by the storage, looked at while our own I/O stands still
 *
 * Our own load raises every such figure by itself, so that none of them says anything while we
 * write or read.
 */
#ifndef IOTEST_RUN_BRAKE_H
#define IOTEST_RUN_BRAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/compiler.h"
#include "iotest/host.h"
#include "iotest/run.h"

/* What was counted until a point in time; what cannot be read is -1. */
struct brake_counts {
	int64_t at_ns;
	int64_t stalled_ns; /* PSI: all tasks that could run waited for I/O */
	int64_t ops;	    /* of the devices below the targets, as the next two */
	int64_t ops_ns;
	int64_t queue_ns;
};

struct brake {
	int kind; /* enum brake_kind */
	const char *pressure;
	const char *blocks;
	char **devices; /* the lowest below the targets */
	size_t n_devices;
};

/* Finds out which brake there is: for the devices of these targets. */
void brake_open(const char *pressure, const char *blocks, struct brake *out);
void brake_add_target(struct brake *brake, const struct target *target);
void brake_choose(struct brake *brake);
void brake_close(struct brake *brake);

void brake_read(const struct brake *brake, int64_t now_ns, struct brake_counts *out);

/* What lies between two readings; the worst of it goes into the facts. True if others are busy. */
bool brake_judge(const struct brake *brake, const struct brake_counts *before,
		 const struct brake_counts *after, struct brake_facts *facts);

/* "full avg10=... total=N" of /proc/pressure/io, in ns; -1 if it is not there. */
int64_t brake_parse_pressure(const char *text);

#endif
