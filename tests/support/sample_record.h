/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_record - finished runs that were never made, every figure chosen by hand
 *
 * 4 workers on an XFS volume.
 */
#ifndef SAMPLE_RECORD_H
#define SAMPLE_RECORD_H

#include "iotest/report.h"

/*
 * Each adds one to records, which owns it.
 *
 * A full run that is below: 105 MiB/s per core read; written 190 for 209 s, 56.2 after that, with
 * the control.
 */
struct record *sample_record_add(struct records *records);

/* A quick run that passes, the first rounds of writing spoiled by the first touch of memory. */
struct record *sample_record_add_quick(struct records *records);

/* The second of three full runs, whose median passes. */
struct record *sample_record_add_repeats(struct records *records);

#endif
