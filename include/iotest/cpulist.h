/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpulist - sets of CPU numbers, of any size
 *
 * The kernel's two notations, "0-3,8" and "00ff,0000000f", read and written. A zeroed struct is
 * the empty set. Numbers above CPULIST_MAX are refused: no machine has them, a broken file may.
 */
#ifndef IOTEST_CPULIST_H
#define IOTEST_CPULIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"

#define CPULIST_MAX 65535

struct cpulist {
	uint64_t *words;
	size_t n_words;
};

void cpulist_done(struct cpulist *set);

/* Trailing white space is accepted, an empty text is the empty set. *out is replaced. Return 0 or
 * -EINVAL. */
MUST_CHECK int cpulist_parse(const char *text, struct cpulist *out);
MUST_CHECK int cpulist_parse_mask(const char *text, struct cpulist *out);

/*
 * A list that may be damaged: every part between commas that is "N" or "N-M" counts, without the
 * numbers above CPULIST_MAX; the others are left out. *out is replaced. Returns how many parts
 * were left out or shortened, 0 if the text is a valid list.
 */
size_t cpulist_parse_valid(const char *text, struct cpulist *out);

void cpulist_set(struct cpulist *set, unsigned int cpu);
bool cpulist_has(const struct cpulist *set, unsigned int cpu);
size_t cpulist_count(const struct cpulist *set);

/* The next member at or after cpu, or -1. To visit all:
 * for (c = cpulist_next(s, 0); c >= 0; c = cpulist_next(s, c + 1)) */
int cpulist_next(const struct cpulist *set, int cpu);

/* set keeps what is in other, too. */
void cpulist_intersect(struct cpulist *set, const struct cpulist *other);
void cpulist_copy(struct cpulist *to, const struct cpulist *from);

/* "0-3,8" */
void cpulist_add_text(const struct cpulist *set, struct buf *b);

#endif
