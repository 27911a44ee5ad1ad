/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io_limit - whether a phase came near an I/O limit of the control groups
 */
#ifndef IOTEST_ANALYZE_IO_LIMIT_H
#define IOTEST_ANALYZE_IO_LIMIT_H

#include <stdbool.h>

#include "iotest/buf.h"
#include "iotest/report.h"

/* Whether the phase, at this rate of all cores, came to a limit that holds for it; text is then
 * what the limit is and what was done. */
bool io_limit_reached(const struct report *r, int phase_kind, double mib_per_s, struct buf *text);

/* Appends the entries of host.io_limits that are for a device of the target, and what became of
 * them in the phases. */
void io_limit_add_own(const struct report *r, struct buf *out);

#endif
