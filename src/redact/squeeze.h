/* SPDX-License-Identifier: Apache-2.0 */
/*
 * squeeze - a text without all that is neither letter nor digit, in lower case
 *
 * Private to redact: so a value is found however it was written, and across the ends of lines.
 */
#ifndef IOTEST_REDACT_SQUEEZE_H
#define IOTEST_REDACT_SQUEEZE_H

#include <stddef.h>

char *squeeze(const char *text, size_t len); /* to be freed */

/* The same of a value, or NULL if that could stand anywhere by chance. */
char *squeeze_distinctive(const char *text);

#endif
