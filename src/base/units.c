/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units - sizes, durations and numbers in the words people write them
 */
#include "iotest/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Digits of a fraction that matter; 10^18 still fits 64 bits. */
#define FRACTION_DIGITS 18

/* whole + part / scale */
struct decimal {
	uint64_t whole;
	uint64_t part;
	uint64_t scale;
	bool is_huge; /* digits were fine, the number does not fit */
	bool is_inexact;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads "12" or "12.5" and moves *text behind it. Returns 0 or -EINVAL. */
static int take_decimal(const char **text, struct decimal *out)
{
	struct decimal d = { .scale = 1 };
	const char *s = *text;

	if (!is_digit(*s))
		return -EINVAL;
	for (; is_digit(*s); s++) {
		if (d.whole > (UINT64_MAX - 9) / 10)
			d.is_huge = true;
		else
			d.whole = d.whole * 10 + (uint64_t)(*s - '0');
	}
	if (*s == '.') {
		if (!is_digit(*++s))
			return -EINVAL;
		for (int n = 0; is_digit(*s); s++, n++) {
			if (n >= FRACTION_DIGITS) {
				d.is_inexact |= *s != '0';
				continue;
			}
			d.part = d.part * 10 + (uint64_t)(*s - '0');
			d.scale *= 10;
		}
	}

	*text = s;
	*out = d;
	return 0;
}

/* d * unit as a whole number. Returns 0, -EINVAL if it is none, -ERANGE. */
static int scale_decimal(const struct decimal *d, int64_t unit, int64_t *out)
{
	unsigned __int128 part = (unsigned __int128)d->part * (uint64_t)unit;
	unsigned __int128 sum = (unsigned __int128)d->whole * (uint64_t)unit + part / d->scale;

	if (d->is_huge)
		return -ERANGE;
	if (d->is_inexact || part % d->scale)
		return -EINVAL;
	if (sum > INT64_MAX)
		return -ERANGE;
	*out = (int64_t)sum;
	return 0;
}

/* "", "B", "K", "KB", "KiB" and so on -> the power of 1024, or -1. */
static int size_power(const char *suffix)
{
	static const char letters[] = "KMGTPE";
	const char *letter;

	if (strcasecmp(suffix, "") == 0 || strcasecmp(suffix, "B") == 0)
		return 0;
	letter = strchr(letters, suffix[0] & ~0x20);
	if (!letter || *letter == '\0')
		return -1;
	if (suffix[1] && strcasecmp(suffix + 1, "B") && strcasecmp(suffix + 1, "iB"))
		return -1;
	return (int)(letter - letters) + 1;
}

int units_parse_size(const char *text, int64_t *bytes)
{
	struct decimal d;
	int power;
	int rc;

	rc = take_decimal(&text, &d);
	if (rc)
		return rc;
	power = size_power(text);
	if (power < 0)
		return -EINVAL;
	return scale_decimal(&d, (int64_t)1 << (10 * power), bytes);
}

/* Longest first, so that "ms" is not taken for minutes; each may follow only a larger one. */
static const struct {
	const char *suffix;
	int64_t ns;
} time_units[] = {
	{ "ms", NS_PER_MS },
	{ "h", 3600 * NS_PER_S },
	{ "m", 60 * NS_PER_S },
	{ "s", NS_PER_S },
};

static int64_t take_time_unit(const char **text)
{
	for (size_t i = 0; i < ARRAY_LEN(time_units); i++) {
		size_t len = strlen(time_units[i].suffix);

		if (strncasecmp(*text, time_units[i].suffix, len) != 0)
			continue;
		*text += len;
		return time_units[i].ns;
	}
	return 0;
}

int units_parse_duration(const char *text, int64_t *ns)
{
	int64_t smaller_than = INT64_MAX;
	int64_t total = 0;
	const char *s = text;
	int range = 0;

	do {
		bool is_first = s == text;
		struct decimal d;
		int64_t unit;
		int64_t part = 0;
		int rc;

		rc = take_decimal(&s, &d);
		if (rc)
			return rc;
		unit = is_first && *s == '\0' ? NS_PER_S : take_time_unit(&s);
		if (unit == 0 || unit >= smaller_than)
			return -EINVAL;
		smaller_than = unit;
		rc = scale_decimal(&d, unit, &part);
		if (rc == -EINVAL)
			return rc;
		if (rc || units_add(total, part, &total))
			range = -ERANGE; /* what follows may still be wrong */
	} while (*s);

	if (range)
		return range;
	*ns = total;
	return 0;
}

int units_parse_count(const char *text, int64_t min, int64_t max, int64_t *n)
{
	struct decimal d;
	int64_t value = 0;
	int rc;

	if (strspn(text, "0123456789") != strlen(text))
		return -EINVAL;
	rc = take_decimal(&text, &d);
	if (rc == 0)
		rc = scale_decimal(&d, 1, &value);
	if (rc)
		return rc;
	if (value < min || value > max)
		return -ERANGE;
	*n = value;
	return 0;
}

int units_parse_i64(const char *text, int64_t *n)
{
	const char *digits = text + (*text == '-');
	long long v;

	if (digits[0] == '\0' || strspn(digits, "0123456789") != strlen(digits))
		return -EINVAL;
	errno = 0;
	v = strtoll(text, NULL, 10);
	if (errno)
		return -ERANGE;
	*n = v;
	return 0;
}

int units_parse_number(const char *text, double *value)
{
	const char *s = text;
	struct decimal d;
	double v;
	int rc;

	rc = take_decimal(&s, &d);
	if (rc)
		return rc;
	if (*s)
		return -EINVAL;
	v = strtod(text, NULL);
	if (!isfinite(v))
		return -ERANGE;
	*value = v;
	return 0;
}

void units_add_size(struct buf *b, int64_t bytes)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	int64_t unit = 1;
	size_t i = 0;

	if (bytes < 0) {
		buf_add_text(b, "unknown");
		return;
	}
	/* What would be printed as 1024.00 is one of the next unit. */
	while (i + 1 < ARRAY_LEN(names) && (double)bytes / (double)unit >= 1023.995) {
		unit *= 1024;
		i++;
	}
	if (bytes % unit == 0)
		buf_printf(b, "%" PRId64 " %s", bytes / unit, names[i]);
	else
		buf_printf(b, "%.2f %s", (double)bytes / (double)unit, names[i]);
}

static int64_t divide_rounded(int64_t n, int64_t by)
{
	return n / by + (n % by >= by - by / 2);
}

void units_add_duration(struct buf *b, int64_t ns)
{
	int64_t tenths = divide_rounded(ns, NS_PER_S / 10);
	int64_t seconds = divide_rounded(ns, NS_PER_S);
	int64_t minutes = divide_rounded(ns, 60 * NS_PER_S);

	if (ns < 0)
		buf_add_text(b, "unknown");
	else if (ns > 0 && tenths == 0)
		buf_printf(b, "%.1f ms", (double)ns / (double)NS_PER_MS);
	else if (tenths < 600)
		buf_printf(b, "%" PRId64 ".%" PRId64 " s", tenths / 10, tenths % 10);
	else if (seconds < 3600)
		buf_printf(b, "%" PRId64 " min %02" PRId64 " s", seconds / 60, seconds % 60);
	else
		buf_printf(b, "%" PRId64 " h %02" PRId64 " min", minutes / 60, minutes % 60);
}

double units_mib(int64_t bytes)
{
	return (double)bytes / (double)MIB;
}

double units_gib(int64_t bytes)
{
	return (double)bytes / (double)GIB;
}

double units_seconds(int64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

int units_mul(int64_t a, int64_t b, int64_t *out)
{
	int64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return -EOVERFLOW;
	*out = product;
	return 0;
}

int units_add(int64_t a, int64_t b, int64_t *out)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return -EOVERFLOW;
	*out = sum;
	return 0;
}
