/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wordlist - words separated by commas, as in mount options and controllers
 */
#ifndef IOTEST_WORDLIST_H
#define IOTEST_WORDLIST_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a list such as "rw,cpu,cpuacct" has the word that begins there and is len long. */
bool wordlist_has(const char *list, const char *word, size_t len);

#endif
