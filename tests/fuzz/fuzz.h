/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz - what every fuzz target needs
 *
 * A target is one file target_NAME.c with LLVMFuzzerTestOneInput, which libFuzzer calls with more
 * and more odd bytes. Whatever they are, nothing may crash, leak or hang, and what a contract
 * promises must hold: FUZZ_REQUIRE says so.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/compiler.h"
#include "iotest/xalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_REQUIRE(condition)                                                            \
	do {                                                                               \
		if (!(condition)) {                                                        \
			fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, \
				#condition);                                               \
			abort();                                                           \
		}                                                                          \
	} while (0)

/* The bytes as a text of just their length, so that reading behind its end is seen. It ends at the
 * first zero. To be freed. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = xcalloc(size + 1, 1);
	char *exact;

	if (size)
		memcpy(text, data, size);
	exact = xstrdup(text);
	free(text);
	return exact;
}

/* Bytes that are taken for numbers, from the front. */
struct fuzz_bytes {
	const uint8_t *at;
	size_t left;
};

/* Zeros follow the end. */
static inline void fuzz_take(struct fuzz_bytes *bytes, void *out, size_t size)
{
	size_t n = size < bytes->left ? size : bytes->left;

	memset(out, 0, size);
	if (n)
		memcpy(out, bytes->at, n);
	bytes->at += n;
	bytes->left -= n;
}

static inline uint8_t fuzz_take_u8(struct fuzz_bytes *bytes)
{
	uint8_t v;

	fuzz_take(bytes, &v, sizeof(v));
	return v;
}

static inline int64_t fuzz_take_i64(struct fuzz_bytes *bytes)
{
	int64_t v;

	fuzz_take(bytes, &v, sizeof(v));
	return v;
}

static inline double fuzz_take_double(struct fuzz_bytes *bytes)
{
	double v;

	fuzz_take(bytes, &v, sizeof(v));
	return v;
}

#endif
