/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern - data that cannot be compressed and does not repeat
 *
 * No 16 bytes of it (8 with the portable generator) occur twice within a run: not at another
 * offset, not in another worker's file. Other runs have other keys. The same run, worker and
 * offset always give the same bytes on the same machine.
 */
#ifndef IOTEST_RUN_PATTERN_H
#define IOTEST_RUN_PATTERN_H

#include <stddef.h>
#include <stdint.h>

struct pattern {
	void (*units)(const struct pattern *p, uint64_t first, uint8_t *out, size_t n);
	uint64_t keys[6];
	uint64_t worker;
};

/* Takes the processor's AES instructions if it has them. */
void pattern_init(struct pattern *p, const char *run_id, int64_t worker);

/* The same promises by plain arithmetic, other bytes. */
void pattern_init_portable(struct pattern *p, const char *run_id, int64_t worker);

/* 64 bits that stand for a text: the keys come from it. */
uint64_t pattern_hash(const char *text);

/* The bytes of the file from offset_bytes on. Fastest if offset and length are multiples of 16. */
void pattern_fill(const struct pattern *p, int64_t offset_bytes, void *out, size_t len);

#endif
