/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count_twins - how many pieces of 512 bytes of the standard input were there before
 *
 * What an array that deduplicates would not store. Prints "PIECES TWINS".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE 512
#define INPUT_MAX ((size_t)1 << 30)

static int compare(const void *a, const void *b)
{
	return memcmp(*(const unsigned char *const *)a, *(const unsigned char *const *)b, PIECE);
}

/* The whole input in memory; what is left of a last piece is dropped. */
static unsigned char *read_all(size_t *n)
{
	size_t room = 1 << 20, len = 0, got;
	unsigned char *data = malloc(room);

	do {
		if (len == room && room < INPUT_MAX) {
			unsigned char *more = realloc(data, room * 2);

			if (!more)
				break;
			data = more;
			room *= 2;
		}
		got = data ? fread(data + len, 1, room - len, stdin) : 0;
		len += got;
	} while (got > 0);
	*n = len / PIECE;
	return data;
}

int main(void)
{
	size_t n, twins = 0;
	unsigned char *data = read_all(&n);
	const unsigned char **pieces = malloc((n + 1) * sizeof(*pieces));

	if (!data || !pieces || !feof(stdin))
		return 1;
	for (size_t i = 0; i < n; i++)
		pieces[i] = data + i * PIECE;
	qsort(pieces, n, sizeof(*pieces), compare);
	for (size_t i = 1; i < n; i++)
		twins += memcmp(pieces[i - 1], pieces[i], PIECE) == 0;
	printf("%zu %zu\n", n, twins);
	free(pieces);
	free(data);
	return 0;
}
