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

/* Above this share in the page cache, files do not count as dropped, nor writes as direct. */
#define PROOF_RESIDENT_MAX 0.02

/*
 * Fills the ratios and the proof of a phase whose time and bytes are known, and in unusable_reason
 * why its rates may not be shown as its result, "" if they may. Does nothing for other phases.
 */
void proof_phase(struct report *r, int kind);

/* Why what was written cannot be the rate of the storage; "" if nothing says so. */
const char *proof_write_reason(const struct report *r, const struct phase_rates *rates);

/* Fills written_bytes and read_bytes of the report from the rates of its phases. */
void proof_totals(struct report *r);

/* Fills report->beyond from the rates of all phases. */
void proof_beyond(struct report *r);

/* Somewhere other data was read than was written: nothing of the run can be used. */
bool proof_has_bad_data(const struct report *r);

/* The phase is one of O_DIRECT, but its data went through the page cache. */
bool proof_is_not_direct(const struct report *r, int kind);

/* Of a phase whose rates are filled; -1 unknown. */
int64_t proof_bytes(const struct report *r, int kind, bool is_read);

/* What was written is no more than the memory of the machine. */
bool proof_fits_in_memory(const struct report *r);

/* The memory that could hold what is read from the target; -1 unknown. */
int64_t proof_memory_bytes(const struct report *r);

/* Times that a written byte reaches the topmost devices; -1 unknown. */
int64_t proof_copies(const struct report *r, bool is_mount);

/* Access to persistent memory goes past the block layer and its counters. */
bool proof_is_dax(const struct target *t);

/* Somewhere below, this host's memory can answer in place of the storage. */
bool proof_chain_caches(const struct target *t);

#endif
