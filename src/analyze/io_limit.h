/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io_limit - whether a phase came near an I/O limit of the control groups
 */
#ifndef IOTEST_ANALYZE_IO_LIMIT_H
#define IOTEST_ANALYZE_IO_LIMIT_H

#include <stddef.h>

#include "iotest/buf.h"
#include "iotest/report.h"

/* The entry of host.io_limits, len bytes of it, that the phase reached with this rate; NULL if
 * there is none. */
const char *io_limit_reached(const struct report *r, int phase_kind, double mib_per_s, size_t *len);

/* Appends the entries of host.io_limits that are for a device of the target. */
void io_limit_add_own(const struct report *r, struct buf *out);

#endif
