/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shuffle - the numbers from 0 to n - 1, each once, in an order that looks like chance
 *
 * Multiplying by an odd number, adding, and folding the upper bits into the lower ones can each be
 * undone in a range that is a power of two, so together they only change the order there. What
 * falls outside of n goes through again until it falls inside: that can be undone, too.
 */
#include "shuffle.h"

/* The next of a series of 64 bits that have nothing to do with each other. */
static uint64_t next_bits(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

void shuffle_init(struct shuffle *s, uint64_t n, uint64_t seed)
{
	unsigned int bits = 0;

	while (bits < 63 && (uint64_t)1 << bits < n)
		bits++;
	*s = (struct shuffle){
		.n = n,
		.mask = ((uint64_t)1 << bits) - 1,
		.shift = bits > 1 ? (bits + 1) / 2 : 1,
	};
	for (int i = 0; i < SHUFFLE_ROUNDS; i++) {
		s->factors[i] = next_bits(&seed) | 1;
		s->addends[i] = next_bits(&seed);
	}
}

uint64_t shuffle_at(const struct shuffle *s, uint64_t place)
{
	uint64_t x = place;

	do {
		for (int i = 0; i < SHUFFLE_ROUNDS; i++) {
			x = (x * s->factors[i] + s->addends[i]) & s->mask;
			x ^= x >> s->shift;
		}
	} while (x >= s->n);
	return x;
}
