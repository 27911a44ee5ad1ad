/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procfile - the small files of proc and sysfs, and the numbers in them
 *
 * Allocates nothing and uses no stdio: workers and the sampler read them while the clock runs.
 */
#ifndef IOTEST_RUN_PROCFILE_H
#define IOTEST_RUN_PROCFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/compiler.h"

/* The first size - 1 bytes, as a text. Returns 0 or -errno; text is untouched then. */
MUST_CHECK int procfile_read(const char *path, char *text, size_t size);

/* The same of an open file, again from its begin. */
MUST_CHECK int procfile_read_again(int fd, char *text, size_t size);

/* The next number of the line; *at moves behind it. False if there is none that fits. */
bool procfile_next(const char **at, int64_t *out);

/* The numbers from at to the end of the line, at most max. Returns how many there are. */
size_t procfile_numbers(const char *at, int64_t *out, size_t max);

/* The number behind a key at the begin of a line, such as "read_bytes: "; -1: none. */
int64_t procfile_value(const char *text, const char *key);

#endif
