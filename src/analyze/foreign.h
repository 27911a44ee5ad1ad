/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign - what others moved at the device in the meantime
 */
#ifndef IOTEST_ANALYZE_FOREIGN_H
#define IOTEST_ANALYZE_FOREIGN_H

#include <stdbool.h>

#include "iotest/buf.h"
#include "iotest/report.h"

/* Above this share of the bytes at the device, others have used it as well. */
#define FOREIGN_RATIO_MAX 0.05

struct foreign {
	int64_t bytes;	       /* of others, at least; -1 not attributable */
	int64_t written_bytes; /* of those, written */
	int64_t total_bytes;   /* read and written there, by anybody */
	size_t level;	       /* of the chain */
	const char *reason;    /* why not attributable, "" */
};

/* Of a phase whose rates are filled: at the level where most was not ours. The names of its
 * devices are added to names, if that is not NULL. */
struct foreign foreign_find(const struct report *r, int kind, struct buf *names);

/* The same, but above all that could write our bytes more than once: what a loop device is given,
 * and not what its disk does. */
struct foreign foreign_find_above(const struct report *r, int kind);

/* Above FOREIGN_RATIO_MAX. */
bool foreign_is_much(const struct foreign *f);

/* Fills foreign_ratio, foreign_device and foreign_reason of the phase. */
void foreign_phase(struct report *r, int kind);

#endif
