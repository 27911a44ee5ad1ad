/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern - data that cannot be compressed and does not repeat
 *
 * Both generators are bijections of a counter that holds the worker and the position, so
 * that uniqueness is a property of the construction and not of luck. Two AES rounds spread every
 * bit of the counter over all 16 bytes; the counter moves by a large odd number, so that all its
 * bytes change from one unit to the next.
 */
#include "pattern.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#include <wmmintrin.h>
#endif

#define UNIT_BYTES 16

/* Odd, about half of the bits set: the fractions of the golden ratio and of the root of 3. */
#define STEP_LOW 0x9e3779b97f4a7c15ULL
#define STEP_HIGH 0xbb67ae8584caa73bULL

/* A bijection of 64 bits in which each input bit flips each output bit half of the time. */
static inline uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static void portable_units(const struct pattern *p, uint64_t first, uint8_t *out, size_t n)
{
	uint64_t state = p->keys[0] + STEP_LOW * ((p->worker << 44) + first * 2);

	for (size_t i = 0; i < n; i++) {
		uint64_t pair[2] = { htole64(mix(state)), htole64(mix(state + STEP_LOW)) };

		memcpy(out + i * UNIT_BYTES, pair, UNIT_BYTES);
		state += 2 * STEP_LOW;
	}
}

#if defined(__x86_64__)
#define WITH_AES __attribute__((target("aes")))

struct aes_keys {
	__m128i whitening;
	__m128i first;
	__m128i second;
};

WITH_AES static inline __m128i aes_unit(const struct aes_keys *k, __m128i counter)
{
	__m128i x = _mm_xor_si128(counter, k->whitening);

	x = _mm_aesenc_si128(x, k->first);
	return _mm_aesenc_si128(x, k->second);
}

WITH_AES static inline __m128i counter_at(uint64_t worker, uint64_t unit)
{
	return _mm_set_epi64x((int64_t)(worker + unit * STEP_HIGH), (int64_t)(unit * STEP_LOW));
}

/* Four at a time: one AES round takes several cycles, and a new one can begin in each. */
WITH_AES static void aes_units(const struct pattern *p, uint64_t first, uint8_t *out, size_t n)
{
	const struct aes_keys k = {
		.whitening = _mm_loadu_si128((const __m128i *)&p->keys[0]),
		.first = _mm_loadu_si128((const __m128i *)&p->keys[2]),
		.second = _mm_loadu_si128((const __m128i *)&p->keys[4]),
	};
	const uint64_t worker = mix(p->worker);
	const __m128i step = counter_at(0, 1);
	const __m128i step4 = counter_at(0, 4);
	__m128i *to = (__m128i *)out;
	__m128i a = counter_at(worker, first);
	__m128i b = _mm_add_epi64(a, step);
	__m128i c = _mm_add_epi64(b, step);
	__m128i d = _mm_add_epi64(c, step);

	for (; n >= 4; n -= 4, to += 4) {
		_mm_storeu_si128(to, aes_unit(&k, a));
		_mm_storeu_si128(to + 1, aes_unit(&k, b));
		_mm_storeu_si128(to + 2, aes_unit(&k, c));
		_mm_storeu_si128(to + 3, aes_unit(&k, d));
		a = _mm_add_epi64(a, step4);
		b = _mm_add_epi64(b, step4);
		c = _mm_add_epi64(c, step4);
		d = _mm_add_epi64(d, step4);
	}
	for (; n > 0; n--, to++) {
		_mm_storeu_si128(to, aes_unit(&k, a));
		a = _mm_add_epi64(a, step);
	}
}

static bool has_aes(void)
{
	return __builtin_cpu_supports("aes");
}
#else
#define aes_units portable_units

static bool has_aes(void)
{
	return false;
}
#endif

uint64_t pattern_hash(const char *text)
{
	uint64_t state = 0;

	for (; *text; text++)
		state = mix(state + STEP_LOW + (uint8_t)*text);
	return state;
}

/* A run's keys: the hash of its id, stretched. */
static void make_keys(struct pattern *p, const char *run_id)
{
	uint64_t state = pattern_hash(run_id);

	for (size_t i = 0; i < sizeof(p->keys) / sizeof(p->keys[0]); i++) {
		state += STEP_HIGH;
		p->keys[i] = mix(state);
	}
}

void pattern_init_portable(struct pattern *p, const char *run_id, int64_t worker)
{
	*p = (struct pattern){ .units = portable_units, .worker = (uint64_t)worker };
	make_keys(p, run_id);
}

void pattern_init(struct pattern *p, const char *run_id, int64_t worker)
{
	pattern_init_portable(p, run_id, worker);
	if (has_aes())
		p->units = aes_units;
}

/* The part of one unit from skip on; returns how many bytes. */
static size_t fill_part(const struct pattern *p, uint64_t unit, size_t skip, uint8_t *out,
			size_t len)
{
	uint8_t whole[UNIT_BYTES];
	size_t n = UNIT_BYTES - skip;

	if (n > len)
		n = len;
	p->units(p, unit, whole, 1);
	memcpy(out, whole + skip, n);
	return n;
}

void pattern_fill(const struct pattern *p, int64_t offset_bytes, void *out, size_t len)
{
	uint64_t unit = (uint64_t)offset_bytes / UNIT_BYTES;
	size_t skip = (uint64_t)offset_bytes % UNIT_BYTES;
	uint8_t *to = out;

	if (skip) {
		size_t n = fill_part(p, unit++, skip, to, len);

		to += n;
		len -= n;
	}
	p->units(p, unit, to, len / UNIT_BYTES);
	if (len % UNIT_BYTES)
		(void)fill_part(p, unit + len / UNIT_BYTES, 0, to + len - len % UNIT_BYTES,
				len % UNIT_BYTES);
}
