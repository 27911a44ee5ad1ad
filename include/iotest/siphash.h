/* SPDX-License-Identifier: Apache-2.0 */
/*
 * siphash - a short digest that nobody can compute without the key
 */
#ifndef IOTEST_SIPHASH_H
#define IOTEST_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

/* SipHash-2-4 of Aumasson and Bernstein, 2012. */
uint64_t siphash(const uint8_t key[16], const void *data, size_t len);

#endif
