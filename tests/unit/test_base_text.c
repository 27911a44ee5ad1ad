/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_base_text - err, buf, xalloc, log, strlist
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iotest/buf.h"
#include "iotest/err.h"
#include "iotest/log.h"
#include "iotest/sysroot.h"
#include "iotest/xalloc.h"
#include "suite.h"

START_TEST(err_set_names_the_object_and_the_cause)
{
	struct err err = { .advice = "old" };

	ck_assert_int_eq(err_set(&err, -ENOSPC, "%s: cannot write", "/mnt"), -ENOSPC);
	ck_assert_str_eq(err.sentence, "/mnt: cannot write: No space left on device");
	ck_assert_str_eq(err.advice, "");
	ck_assert_int_eq(err.rc, -ENOSPC);
	ck_assert_int_eq(err.status, EXIT_STATUS_FAILED);
}
END_TEST

START_TEST(err_set_keeps_the_cause_behind_a_long_path)
{
	struct err err = { 0 };
	char path[3000];

	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	ck_assert_int_eq(err_set(&err, -EIO, "%s", path), -EIO);
	ck_assert_ptr_nonnull(strstr(err.sentence, "xxx: Input/output error"));
}
END_TEST

START_TEST(err_usage_ends_with_status_2)
{
	struct err err = { 0 };

	ck_assert_int_eq(err_usage(&err, "no target"), -EINVAL);
	err_advise(&err, "give one with -t %s", "DIR");
	ck_assert_int_eq(err.status, EXIT_STATUS_USAGE);
	ck_assert_str_eq(err.sentence, "no target");
	ck_assert_str_eq(err.advice, "give one with -t DIR");
}
END_TEST

START_TEST(err_functions_accept_no_err)
{
	ck_assert_int_eq(err_set(NULL, -EIO, "x"), -EIO);
	ck_assert_int_eq(err_say(NULL, -EIO, "x"), -EIO);
	ck_assert_int_eq(err_usage(NULL, "x"), -EINVAL);
	err_advise(NULL, "x");
}
END_TEST

START_TEST(buf_without_data_is_an_empty_text)
{
	struct buf b = { 0 };
	char *text;

	ck_assert_str_eq(buf_text(&b), "");
	text = buf_take(&b);
	ck_assert_str_eq(text, "");
	free(text);
	buf_done(&b);
	buf_done(&b);
}
END_TEST

START_TEST(buf_grows_and_stays_terminated)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	for (int i = 0; i < 1000; i++) {
		buf_printf(&b, "%03d,", i);
		ck_assert_uint_eq(b.len, (size_t)(i + 1) * 4);
		ck_assert_uint_eq(strlen(b.data), b.len);
	}
	ck_assert_int_eq(strncmp(b.data + 3996, "999,", 4), 0);
	buf_add(&b, "a\0b", 3);
	ck_assert_uint_eq(b.len, 4003);
}
END_TEST

START_TEST(buf_take_hands_the_text_over)
{
	struct buf b = { 0 };
	char *text;

	buf_add_text(&b, "mine");
	text = buf_take(&b);
	ck_assert_str_eq(text, "mine");
	ck_assert_ptr_null(b.data);
	free(text);
}
END_TEST

START_TEST(visible_text_cannot_move_the_cursor)
{
	static const struct {
		const char *in;
		const char *want;
	} rows[] = {
		{ "plain text", "plain text" },
		{ "tab\tnewline\n", "tab\\011newline\\012" },
		{ "\033[2J", "\\033[2J" },
		{ "\177", "\\177" },
		{ "back\\slash", "back\\slash" },
		{ "gr\303\274n \342\202\254 \360\237\230\200",
		  "gr\303\274n \342\202\254 \360\237\230\200" },
		{ "\302\233[2J", "\\302\\233[2J" },		/* C1: CSI */
		{ "\377\376", "\\377\\376" },			/* never in UTF-8 */
		{ "\303", "\\303" },				/* cut */
		{ "\342\202x", "\\342\\202x" },			/* cut in the middle */
		{ "\300\257", "\\300\\257" },			/* overlong */
		{ "\355\240\200", "\\355\\240\\200" },		/* surrogate */
		{ "\364\220\200\200", "\\364\\220\\200\\200" }, /* above U+10FFFF */
		{ "\200", "\\200" },				/* continuation alone */
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(buf_done) struct buf b = { 0 };

		buf_add_visible(&b, rows[i].in);
		ck_assert_str_eq(buf_text(&b), rows[i].want);
	}
}
END_TEST

START_TEST(xgrow_returns_zeroed_elements_and_keeps_the_others)
{
	struct pair {
		int a;
		long b;
	} *items = NULL;
	size_t n = 0;

	for (int i = 0; i < 100; i++) {
		struct pair *p = XGROW(&items, &n);

		ck_assert_int_eq(p->a, 0);
		ck_assert_int_eq(p->b, 0);
		p->a = i;
		p->b = -i;
	}
	ck_assert_uint_eq(n, 100);
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(items[i].a, i);
	free(items);
}
END_TEST

START_TEST(xstr_set_replaces_and_takes_null_as_empty)
{
	char *s = NULL;

	xstr_set(&s, "one");
	xstr_set(&s, s); /* its own text is copied before it is freed */
	ck_assert_str_eq(s, "one");
	xstr_set(&s, NULL);
	ck_assert_str_eq(s, "");
	xfree(&s);
	ck_assert_ptr_null(s);
}
END_TEST

START_TEST(strlist_owns_copies)
{
	struct strlist l = { 0 };
	char word[] = "word";

	strlist_add(&l, word);
	word[0] = 'W';
	strlist_add(&l, "second");
	ck_assert_uint_eq(l.n_items, 2);
	ck_assert_str_eq(l.items[0], "word");
	ck_assert_str_eq(l.items[1], "second");
	strlist_done(&l);
	ck_assert_uint_eq(l.n_items, 0);
	strlist_done(&l);
}
END_TEST

START_TEST(log_file_gets_stamped_lines_of_every_level)
{
	FILE *file = tmpfile();
	char line[200];
	int year;
	int n = 0;

	ck_assert_ptr_nonnull(file);
	log_set_file(fileno(file));
	log_line(LOG_LEVEL_DEBUG, "two\nlines %d", 1);
	log_set_file(-1);
	log_line(LOG_LEVEL_DEBUG, "to nobody");

	rewind(file);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
	ck_assert_int_eq(sscanf(line, "%4d-%*2d-%*2dT%*2d:%*2d:%*2d.%*3dZ debug two%n", &year, &n),
			 1);
	ck_assert_int_eq(n, (int)strlen("2026-01-31T12:00:00.123Z debug two"));
	ck_assert_str_eq(line + n, "\\012lines 1\n");
	ck_assert_ptr_null(fgets(line, sizeof(line), file));
	fclose(file);
}
END_TEST

/* What log_line(level) writes to stderr. */
static size_t stderr_of(enum log_level level, char *out, size_t size)
{
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	size_t n;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(dup2(fileno(file), STDERR_FILENO), 0);
	log_line(level, "said");
	ck_assert_int_ge(dup2(saved, STDERR_FILENO), 0);
	close(saved);
	rewind(file);
	n = fread(out, 1, size - 1, file);
	out[n] = '\0';
	fclose(file);
	return n;
}

START_TEST(stderr_gets_warnings_only)
{
	char text[100];

	ck_assert_uint_eq(stderr_of(LOG_LEVEL_NOTE, text, sizeof(text)), 0);
	stderr_of(LOG_LEVEL_WARNING, text, sizeof(text));
	ck_assert_str_eq(text, "iotest: said\n");
}
END_TEST

SUITE_MAIN("base text", err_set_names_the_object_and_the_cause,
	   err_set_keeps_the_cause_behind_a_long_path, err_usage_ends_with_status_2,
	   err_functions_accept_no_err, buf_without_data_is_an_empty_text,
	   buf_grows_and_stays_terminated, buf_take_hands_the_text_over,
	   visible_text_cannot_move_the_cursor, xgrow_returns_zeroed_elements_and_keeps_the_others,
	   xstr_set_replaces_and_takes_null_as_empty, strlist_owns_copies,
	   log_file_gets_stamped_lines_of_every_level, stderr_gets_warnings_only)
