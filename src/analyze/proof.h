/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proof - where the bytes of a phase came from, or went to
 */
#ifndef IOTEST_ANALYZE_PROOF_H
#define IOTEST_ANALYZE_PROOF_H

#include <stdbool.h>

#include "iotest/report.h"

/* Of the bytes, this share must have been moved by the storage. */
#define PROOF_RATIO_MIN 0.98

/* Share of the bytes read, 0 to 1, that the storage delivered; -1 if nothing tells. */
double proof_uncached_ratio(const struct report *r, int64_t bytes);

/* Share of the bytes written, 0 to 1, that had reached the lowest devices; -1 if nothing tells. */
double proof_written_ratio(const struct report *r, int64_t bytes);

/* Why the rates of a measured phase may not be shown as its result; "" if they may. */
const char *proof_write_reason(const struct report *r, const struct phase_rates *rates);
const char *proof_read_reason(const struct report *r, const struct phase_rates *rates);

/* What was written is no more than the memory of the machine. */
bool proof_fits_in_memory(const struct report *r);

#endif
