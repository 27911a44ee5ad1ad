/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shuffle - the numbers from 0 to n - 1, each once, in an order that looks like chance
 *
 * Computed, not stored: a file of any size costs nothing. The same n and seed give the same order.
 */
#ifndef IOTEST_RUN_SHUFFLE_H
#define IOTEST_RUN_SHUFFLE_H

#include <stdint.h>

#define SHUFFLE_ROUNDS 4

struct shuffle {
	uint64_t n;
	uint64_t mask; /* of the smallest power of two that is not below n */
	unsigned int shift;
	uint64_t factors[SHUFFLE_ROUNDS];
	uint64_t addends[SHUFFLE_ROUNDS];
};

/* n is at least 1. */
void shuffle_init(struct shuffle *s, uint64_t n, uint64_t seed);

/* The number at this place; place is below n. */
uint64_t shuffle_at(const struct shuffle *s, uint64_t place);

#endif
