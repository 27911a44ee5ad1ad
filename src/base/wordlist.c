/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wordlist - words separated by commas, as in mount options and controllers
 */
#include "iotest/wordlist.h"

#include <string.h>

bool wordlist_has(const char *list, const char *word, size_t len)
{
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == len && !strncmp(list, word, len))
			return true;
		list += n;
		list += *list == ',';
	}
	return false;
}
