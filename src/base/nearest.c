/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nearest - the word that was probably meant
 */
#include "iotest/cli.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Longer words are nobody's typing error. */
#define WORD_MAX_LEN 40

#define MAX_DISTANCE 2
#define MIN_PREFIX 3

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Insertions, deletions, replacements and swaps of neighbours that make a into b. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t d[WORD_MAX_LEN + 1][WORD_MAX_LEN + 1];
	size_t la = strlen(a);
	size_t lb = strlen(b);

	for (size_t i = 0; i <= la; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= lb; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		for (size_t j = 1; j <= lb; j++) {
			size_t change = d[i - 1][j - 1] + !same(a[i - 1], b[j - 1]);

			d[i][j] = min(change, 1 + min(d[i - 1][j], d[i][j - 1]));
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[la][lb];
}

/* 0 is the same word; SIZE_MAX is too far to be meant. */
static size_t distance(const char *word, const char *candidate)
{
	size_t lw = strlen(word);
	size_t lc = strlen(candidate);
	size_t n;

	if (lw > WORD_MAX_LEN || lc > WORD_MAX_LEN)
		return SIZE_MAX;
	n = edit_distance(word, candidate);
	if (n <= MAX_DISTANCE && 2 * n < (lw > lc ? lw : lc))
		return n;
	if (lw >= MIN_PREFIX && strncasecmp(word, candidate, lw) == 0)
		return MAX_DISTANCE + 1;
	return SIZE_MAX;
}

const char *cli_nearest(const char *word, const char *const *candidates, size_t n)
{
	const char *best = NULL;
	size_t best_distance = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		size_t d = distance(word, candidates[i]);

		if (d >= best_distance)
			continue;
		best = candidates[i];
		best_distance = d;
	}
	return best;
}
