/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_units - sizes, durations and numbers, as people and the kernel write them
 */
#include <errno.h>
#include <math.h>

#include "fuzz.h"
#include "iotest/units.h"

#define UNTOUCHED (-77)

/* What a number is shown as must never be longer than a line of a table. */
static void show(void (*add)(struct buf *b, int64_t n), int64_t n)
{
	CLEANUP(buf_done) struct buf shown = { 0 };

	add(&shown, n);
	FUZZ_REQUIRE(shown.len > 0 && shown.len < 32);
}

static void check_whole(int (*parse)(const char *text, int64_t *n), const char *text,
			void (*add)(struct buf *b, int64_t n))
{
	int64_t n = UNTOUCHED;
	int rc = parse(text, &n);

	FUZZ_REQUIRE(rc == 0 || rc == -EINVAL || rc == -ERANGE);
	FUZZ_REQUIRE(rc == 0 ? n >= 0 : n == UNTOUCHED);
	if (rc == 0)
		show(add, n);
}

/* A whole number is read as it was written. */
static void check_i64(const char *text)
{
	CLEANUP(xfree) char *written = NULL;
	int64_t n = UNTOUCHED, again = 0;

	if (units_parse_i64(text, &n)) {
		FUZZ_REQUIRE(n == UNTOUCHED);
		return;
	}
	written = xasprintf("%lld", (long long)n);
	FUZZ_REQUIRE(units_parse_i64(written, &again) == 0 && again == n);
	show(units_add_size, n);
	show(units_add_duration, n);
}

static void check_count(const char *text)
{
	int64_t n = UNTOUCHED;
	int rc = units_parse_count(text, 1, 4096, &n);

	FUZZ_REQUIRE(rc == 0 ? n >= 1 && n <= 4096 : n == UNTOUCHED);
}

static void check_number(const char *text)
{
	double n = UNTOUCHED;
	int rc = units_parse_number(text, &n);

	FUZZ_REQUIRE(rc == 0 ? isfinite(n) && n >= 0 : n < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(xfree) char *text = fuzz_text(data, size);

	check_whole(units_parse_size, text, units_add_size);
	check_whole(units_parse_duration, text, units_add_duration);
	check_i64(text);
	check_count(text);
	check_number(text);
	return 0;
}
