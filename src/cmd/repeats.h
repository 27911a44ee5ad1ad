/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repeats - which of several runs of the same plan stands for all of them
 */
#ifndef IOTEST_CMD_REPEATS_H
#define IOTEST_CMD_REPEATS_H

#include <stdbool.h>

#include "iotest/report.h"

/* Of the records from that one on none failed or hung: then it would do so again. */
bool repeats_are_worthwhile(const struct records *records, size_t from);

/*
 * Judges the runs of each target, which must have been analyzed, by their median. shown gets what
 * a person is to read, of from, which is judged itself or has the same records in the same order:
 * one record for each plan, and those of which nothing was measured. Release shown with
 * repeats_forget; the records stay those of from.
 */
void repeats_choose(struct records *judged, const struct records *from, struct records *shown);
void repeats_forget(struct records *shown);

#endif
