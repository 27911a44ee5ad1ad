/* SPDX-License-Identifier: Apache-2.0 */
/*
 * squeeze - a text without all that is neither letter nor digit, in lower case
 */
#include "squeeze.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/xalloc.h"

/* With digits among letters fewer are enough; digits alone stand in every table of numbers. */
#define MIXED_MIN 8
#define MIXED_DIGITS_MIN 2
#define LETTERS_MIN 10
#define DIGITS_MIN 14

char *squeeze(const char *text, size_t len)
{
	char *out = xcalloc(len + 1, 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		if (isalnum((unsigned char)text[i]))
			out[n++] = (char)tolower((unsigned char)text[i]);
	return out;
}

char *squeeze_distinctive(const char *text)
{
	char *out = squeeze(text, strlen(text));
	size_t n_digits = 0;
	size_t len = strlen(out);
	bool is_distinctive;

	for (size_t i = 0; i < len; i++)
		n_digits += isdigit((unsigned char)out[i]) != 0;
	if (n_digits == len)
		is_distinctive = len >= DIGITS_MIN;
	else
		is_distinctive =
			len >= LETTERS_MIN || (len >= MIXED_MIN && n_digits >= MIXED_DIGITS_MIN);
	if (is_distinctive)
		return out;
	free(out);
	return NULL;
}
