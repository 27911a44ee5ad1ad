/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marks - where in a text something stands that is to be taken out
 *
 * Private to redact.
 */
#ifndef IOTEST_REDACT_MARKS_H
#define IOTEST_REDACT_MARKS_H

#include <stdbool.h>
#include <stddef.h>

#include "iotest/redact.h"

struct mark {
	int kind;
	size_t start; /* in the text */
	size_t len;
};

/*
 * What is known by its form (patterns.c) or by what stands before it (rules.c), at this place of
 * the text: a MAC address, the value of "password=". path is the name of the file; NULL: the text
 * is itself a name, and only forms count.
 */
bool mark_at(const char *path, const char *text, size_t len, size_t at, struct mark *out);

/* The whole file is the value: a "serial" of sysfs. */
bool mark_whole(const char *path, const char *text, size_t len, struct mark *out);

/* Only forms. */
bool mark_pattern(const char *text, size_t len, size_t at, struct mark *out);

#endif
