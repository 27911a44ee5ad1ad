/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpulist - sets of CPU numbers, of any size
 */
#include "iotest/cpulist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/xalloc.h"

#define WORD_BITS 64
#define GROUP_BITS 32
#define GROUP_DIGITS 8

static const char white[] = " \t\r\n";

void cpulist_done(struct cpulist *set)
{
	free(set->words);
	*set = (struct cpulist){ 0 };
}

static void replace(struct cpulist *out, struct cpulist *by)
{
	cpulist_done(out);
	*out = *by;
	*by = (struct cpulist){ 0 };
}

/* A CPU number at **text, which is moved behind it; CPULIST_MAX + 1 if it is too large, -1 if there
 * is none. */
static int take_cpu(const char **text)
{
	const char *s = *text;
	int cpu = 0;

	if (*s < '0' || *s > '9')
		return -1;
	for (; *s >= '0' && *s <= '9'; s++) {
		cpu = cpu * 10 + (*s - '0');
		if (cpu > CPULIST_MAX)
			cpu = CPULIST_MAX + 1;
	}
	*text = s;
	return cpu;
}

/* "N" or "N-M" at **text, which is moved behind it. Returns 0 or -EINVAL. */
static int take_range(const char **text, int *first, int *last)
{
	*first = take_cpu(text);
	*last = *first;
	if (*first >= 0 && **text == '-') {
		++*text;
		*last = take_cpu(text);
	}
	return *first < 0 || *last < *first ? -EINVAL : 0;
}

static void set_range(struct cpulist *set, int first, int last)
{
	for (int cpu = first; cpu <= last; cpu++)
		cpulist_set(set, (unsigned int)cpu);
}

static bool is_at_end(const char *s)
{
	return s[strspn(s, white)] == '\0';
}

int cpulist_parse(const char *text, struct cpulist *out)
{
	CLEANUP(cpulist_done) struct cpulist set = { 0 };
	const char *s = text;

	while (!is_at_end(s)) {
		int first;
		int last;

		if (s != text && *s++ != ',')
			return -EINVAL;
		if (take_range(&s, &first, &last) || last > CPULIST_MAX)
			return -EINVAL;
		set_range(&set, first, last);
	}
	replace(out, &set);
	return 0;
}

/* The part of a list at s, len long. Returns whether all of it counts. */
static bool take_valid(struct cpulist *set, const char *s, size_t len)
{
	const char *at = s;
	int first;
	int last;

	if (take_range(&at, &first, &last))
		return false;
	if (at != s + len && (s[len] || !is_at_end(at)))
		return false;
	set_range(set, first, last);
	return last <= CPULIST_MAX;
}

size_t cpulist_parse_valid(const char *text, struct cpulist *out)
{
	CLEANUP(cpulist_done) struct cpulist set = { 0 };
	bool is_more = !is_at_end(text);
	size_t n_bad = 0;

	while (is_more) {
		size_t len = strcspn(text, ",");

		n_bad += !take_valid(&set, text, len);
		is_more = text[len] == ',';
		text += len + 1;
	}
	replace(out, &set);
	return n_bad;
}

/* The group of hex digits at s is the bits from first_bit on. */
static int set_group(struct cpulist *set, const char *s, size_t len, size_t first_bit)
{
	char digits[GROUP_DIGITS + 1] = { 0 };
	unsigned long bits;

	if (len == 0 || len > GROUP_DIGITS || strspn(s, "0123456789abcdefABCDEF") < len)
		return -EINVAL;
	memcpy(digits, s, len);
	bits = strtoul(digits, NULL, 16);
	for (size_t i = 0; i < GROUP_BITS; i++) {
		if (!(bits >> i & 1))
			continue;
		if (first_bit + i > CPULIST_MAX)
			return -EINVAL;
		cpulist_set(set, (unsigned int)(first_bit + i));
	}
	return 0;
}

int cpulist_parse_mask(const char *text, struct cpulist *out)
{
	CLEANUP(cpulist_done) struct cpulist set = { 0 };
	size_t end = strlen(text);
	size_t first_bit = 0;

	while (end > 0 && strchr(white, text[end - 1]))
		end--;
	/* The last group holds CPU 0, so walk from the end. */
	while (end > 0) {
		size_t start = end;
		int rc;

		while (start > 0 && text[start - 1] != ',')
			start--;
		rc = set_group(&set, text + start, end - start, first_bit);
		if (rc || start == 1)
			return -EINVAL;
		first_bit += GROUP_BITS;
		end = start ? start - 1 : 0;
	}
	replace(out, &set);
	return 0;
}

void cpulist_set(struct cpulist *set, unsigned int cpu)
{
	size_t word = cpu / WORD_BITS;

	if (cpu > CPULIST_MAX)
		return;
	while (set->n_words <= word)
		xgrow(&set->words, &set->n_words, sizeof(*set->words));
	set->words[word] |= UINT64_C(1) << (cpu % WORD_BITS);
}

bool cpulist_has(const struct cpulist *set, unsigned int cpu)
{
	return cpu / WORD_BITS < set->n_words &&
	       (set->words[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1);
}

size_t cpulist_count(const struct cpulist *set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n_words; i++)
		n += (size_t)__builtin_popcountll(set->words[i]);
	return n;
}

int cpulist_next(const struct cpulist *set, int cpu)
{
	size_t first = cpu > 0 ? (size_t)cpu : 0;

	for (size_t i = first / WORD_BITS; i < set->n_words; i++) {
		uint64_t word = set->words[i];

		if (i == first / WORD_BITS)
			word &= ~UINT64_C(0) << (first % WORD_BITS);
		if (word)
			return (int)(i * WORD_BITS) + __builtin_ctzll(word);
	}
	return -1;
}

void cpulist_intersect(struct cpulist *set, const struct cpulist *other)
{
	for (size_t i = 0; i < set->n_words; i++)
		set->words[i] &= i < other->n_words ? other->words[i] : 0;
}

void cpulist_copy(struct cpulist *to, const struct cpulist *from)
{
	struct cpulist copy = { .n_words = from->n_words };

	copy.words = xcalloc(from->n_words, sizeof(*copy.words));
	if (from->n_words)
		memcpy(copy.words, from->words, from->n_words * sizeof(*copy.words));
	replace(to, &copy);
}

void cpulist_add_text(const struct cpulist *set, struct buf *b)
{
	const char *comma = "";

	for (int first = cpulist_next(set, 0); first >= 0;) {
		int last = first;

		while (cpulist_has(set, (unsigned int)last + 1))
			last++;
		buf_printf(b, first == last ? "%s%d" : "%s%d-%d", comma, first, last);
		comma = ",";
		first = cpulist_next(set, last + 1);
	}
}
