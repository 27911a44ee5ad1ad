/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_text - the lines and lists in which the kernel tells what it knows
 */
#include "probe_parts.h"

#include <string.h>

#include "iotest/xalloc.h"

#define SHOWN_MAX 60

const char *next_line(const char *at)
{
	const char *end = strchrnul(at, '\n');

	return *end ? end + 1 : end;
}

char *shown_text(const char *text)
{
	CLEANUP(xfree) char *start = xstrndup(text, SHOWN_MAX);
	struct buf out = { 0 };

	buf_add_visible(&out, start);
	return buf_take(&out);
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
