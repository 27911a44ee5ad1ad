/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units - sizes, durations and rates in the words people write them
 *
 * Sizes are binary everywhere, as in the SAS tools: 1K = 1KB = 1KiB = 1024 bytes.
 */
#ifndef IOTEST_UNITS_H
#define IOTEST_UNITS_H

#include <stdint.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"

/*
 * "64", "64K", "64kb", "64KiB", "1.5G" -> bytes. Suffixes K M G T P E, with or without B or iB,
 * any case; no spaces, no sign. A fraction must come out as whole bytes.
 *
 * Returns 0; -EINVAL if it is not a size; -ERANGE above INT64_MAX.
 */
MUST_CHECK int units_parse_size(const char *text, int64_t *bytes);

/* "90", "90s", "10m", "1.5h", "1h30m", "500ms" -> nanoseconds; a bare number is seconds. */
MUST_CHECK int units_parse_duration(const char *text, int64_t *ns);

/* A whole number in [min, max], decimal digits only. Returns 0, -EINVAL, -ERANGE. */
MUST_CHECK int units_parse_count(const char *text, int64_t min, int64_t max, int64_t *n);

/* A whole number as the kernel prints it, "-" allowed. Returns 0, -EINVAL, -ERANGE. */
MUST_CHECK int units_parse_i64(const char *text, int64_t *n);

/* A non-negative decimal number such as "100" or "95.5". Returns 0, -EINVAL, -ERANGE. */
MUST_CHECK int units_parse_number(const char *text, double *value);

/* 251.47 GiB, 64 KiB, 512 B: whole units without decimals; "unknown" below 0. */
void units_add_size(struct buf *b, int64_t bytes);

/* 40.2 ms, 0.8 s, 59.9 s, 12 min 05 s, 1 h 37 min; "unknown" below 0. */
void units_add_duration(struct buf *b, int64_t ns);

double units_mib(int64_t bytes);
double units_gib(int64_t bytes);
double units_seconds(int64_t ns);

/* a * b, a + b for non-negative values, checked. Return 0 or -EOVERFLOW; out is untouched then. */
MUST_CHECK int units_mul(int64_t a, int64_t b, int64_t *out);
MUST_CHECK int units_add(int64_t a, int64_t b, int64_t *out);

#endif
