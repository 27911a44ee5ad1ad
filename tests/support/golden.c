/* SPDX-License-Identifier: Apache-2.0 */
/*
 * golden - compare text with a file in tests/golden
 */
#include "golden.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/buf.h"

static FILE *open_golden(const char *name, const char *mode)
{
	const char *fixtures = getenv("FIXTURES");
	CLEANUP(buf_done) struct buf path = { 0 };

	buf_printf(&path, "%s/../golden/%s", fixtures ? fixtures : "tests/fixtures", name);
	return fopen(buf_text(&path), mode);
}

static void update(const char *name, const char *text)
{
	FILE *f = open_golden(name, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

/* The first line that differs: whole pages are more than Check can pass on. */
static void check_same(const char *name, const char *got, const char *want)
{
	int number = 1;

	while (*got && *got == *want) {
		number += *got == '\n';
		got++;
		want++;
	}
	ck_assert_msg(*got == *want,
		      "tests/golden/%s differs in line %d at \"%.60s\", not \"%.60s\"", name,
		      number, got, want);
}

void golden_check(const char *name, const char *text)
{
	CLEANUP(buf_done) struct buf want = { 0 };
	char block[4096];
	size_t n;
	FILE *f;

	if (getenv("UPDATE_GOLDEN"))
		update(name, text);
	f = open_golden(name, "r");
	ck_assert_msg(f != NULL, "tests/golden/%s cannot be opened", name);
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		buf_add(&want, block, n);
	fclose(f);
	check_same(name, text, buf_text(&want));
}
