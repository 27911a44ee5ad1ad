/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign - what others moved at the device in the meantime
 */
#ifndef IOTEST_ANALYZE_FOREIGN_H
#define IOTEST_ANALYZE_FOREIGN_H

#include "iotest/buf.h"
#include "iotest/report.h"

/* Above this share of the bytes at the device, others have used it as well. */
#define FOREIGN_RATIO_MAX 0.05

struct foreign {
	int64_t bytes;	     /* of others, at least; -1 not attributable */
	int64_t total_bytes; /* read and written there */
	const char *reason;  /* why not attributable, "" */
};

/* Of a phase whose rates are filled. The names of the devices are added to names, if that is
 * not NULL. */
struct foreign foreign_find(const struct report *r, int kind, struct buf *names);

/* Fills foreign_ratio and foreign_reason of the phase. */
void foreign_phase(struct report *r, int kind);

#endif
