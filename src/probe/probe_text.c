/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_text - the lines and lists in which the kernel tells what it knows
 */
#include "probe_parts.h"

#include <string.h>

const char *next_line(const char *at)
{
	const char *end = strchrnul(at, '\n');

	return *end ? end + 1 : end;
}

bool list_has(const char *list, const char *word, size_t len)
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
