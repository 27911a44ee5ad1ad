/* SPDX-License-Identifier: Apache-2.0 */
/*
 * siphash - a short digest that nobody can compute without the key
 */
#include "iotest/siphash.h"

struct state {
	uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

/* The first n of 8 bytes, little-endian; the rest is zero. */
static uint64_t load(const uint8_t *bytes, size_t n)
{
	uint64_t x = 0;

	for (size_t i = 0; i < n; i++)
		x |= (uint64_t)bytes[i] << (8 * i);
	return x;
}

static void rounds(struct state *s, int n)
{
	for (; n > 0; n--) {
		s->v0 += s->v1;
		s->v1 = rotate(s->v1, 13) ^ s->v0;
		s->v0 = rotate(s->v0, 32);
		s->v2 += s->v3;
		s->v3 = rotate(s->v3, 16) ^ s->v2;
		s->v0 += s->v3;
		s->v3 = rotate(s->v3, 21) ^ s->v0;
		s->v2 += s->v1;
		s->v1 = rotate(s->v1, 17) ^ s->v2;
		s->v2 = rotate(s->v2, 32);
	}
}

static void absorb(struct state *s, uint64_t word)
{
	s->v3 ^= word;
	rounds(s, 2);
	s->v0 ^= word;
}

uint64_t siphash(const uint8_t key[16], const void *data, size_t len)
{
	const uint8_t *at = data;
	uint64_t k0 = load(key, 8);
	uint64_t k1 = load(key + 8, 8);
	struct state s = {
		.v0 = k0 ^ 0x736f6d6570736575,
		.v1 = k1 ^ 0x646f72616e646f6d,
		.v2 = k0 ^ 0x6c7967656e657261,
		.v3 = k1 ^ 0x7465646279746573,
	};
	size_t left = len;

	for (; left >= 8; left -= 8, at += 8)
		absorb(&s, load(at, 8));
	absorb(&s, load(at, left) | (uint64_t)len << 56);
	s.v2 ^= 0xff;
	rounds(&s, 4);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
