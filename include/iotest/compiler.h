/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compiler - the few macros that every file may use
 *
 * CLEANUP(fn) runs fn(&variable) when the variable leaves its scope. MUST_CHECK makes an ignored
 * return value a warning. PRINTF_LIKE lets the compiler check formats.
 */
#ifndef IOTEST_COMPILER_H
#define IOTEST_COMPILER_H

#include <stdint.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define CLEANUP(fn) __attribute__((cleanup(fn)))
#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define UNUSED __attribute__((unused))

#define KIB ((int64_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

#define NS_PER_MS ((int64_t)1000000)
#define NS_PER_S ((int64_t)1000000000)
#define DAY_S 86400

/* What the kernel counts device sizes, I/O and st_blocks in, whatever the device's own block is. */
#define SECTOR_BYTES 512

/* What SHA-256 needs as hex text, with the terminating zero. */
#define DIGEST_TEXT_SIZE 65

#endif
