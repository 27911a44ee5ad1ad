/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate_rows - the rates of a phase, one row for each that means something
 *
 * All bytes; before fsync; a burst and what came after it; without memory that was touched first.
 */
#ifndef IOTEST_RENDER_RATE_ROWS_H
#define IOTEST_RENDER_RATE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/compiler.h"
#include "iotest/report.h"

#define MB_PER_MIB ((double)MIB / 1e6)

struct rate_row {
	int kind;   /* enum phase_kind */
	char *what; /* "burst, 154.87 GiB" */
	char *when; /* "900-936 s" */
	bool is_judged;
	bool has_mb;	 /* shown in units of ten, too */
	double total;	 /* MiB/s */
	double per_core; /* not a number if the cores are not known */
	double need;	 /* of all cores; -1 */
	int64_t carries; /* cores; -1 */
};

struct rate_rows {
	struct rate_row *items;
	size_t n_items;
};

void rate_rows_done(struct rate_rows *rows);

/* None of a phase that is not usable. */
void rate_rows_add(struct rate_rows *rows, const struct report *report, int phase_kind);

#endif
