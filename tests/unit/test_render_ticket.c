/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_render_ticket - the words for a ticket, and its commands
 */
#include <stdio.h>
#include <string.h>

#include "golden.h"
#include "iotest/compiler.h"
#include "iotest/render.h"
#include "iotest/xalloc.h"
#include "sample_record.h"
#include "suite.h"

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

START_TEST(ticket_is_the_golden_text)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	sample_record_add(&records);
	render_ticket_text(&records.items[0]->report, DIGEST, &out);
	golden_check("ticket.txt", buf_text(&out));
}
END_TEST

START_TEST(ticket_has_no_rate_that_cannot_be_used)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct record *r = sample_record_add(&records);

	r->report.write.usable = 0;
	xstr_set(&r->report.write.unusable_reason, "it came from memory");
	xstr_set(&r->report.verdict.text, "");
	render_ticket_text(&r->report, "", &out);
	ck_assert_ptr_nonnull(strstr(buf_text(&out), "No write rate: it came from memory."));
	ck_assert_ptr_null(strstr(buf_text(&out), "314.1"));
	ck_assert_ptr_null(strstr(buf_text(&out), "sha256"));
}
END_TEST

START_TEST(ticket_of_nothing_known_has_no_commands_of_others)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	render_ticket_text(&records_add(&records)->report, "", &out);
	ck_assert_ptr_nonnull(strstr(buf_text(&out), "an unknown target on an unknown host"));
	ck_assert_ptr_null(strstr(buf_text(&out), "CHECK WITH"));
}
END_TEST

static const struct {
	const char *word, *want;
} words[] = {
	{ "/data/work", "/data/work" },
	{ "", "''" },
	{ "a b", "'a b'" },
	{ "it's", "'it'\\''s'" },
	{ "$(x)", "'$(x)'" },
	{ "back\\slash", "'back\\slash'" },
	{ "caf\xc3\xa9", "'caf\xc3\xa9'" },
	{ "a\nb", "$'a\\012b'" },
	{ "\033[1m'\\\xff", "$'\\033[1m\\'\\\\\\377'" },
};

START_TEST(words_are_quoted_for_shell_and_terminal)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_add_shell_word(&out, words[_i].word);
	ck_assert_str_eq(buf_text(&out), words[_i].want);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("render_ticket");
	TCase *all = tcase_create("render_ticket");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	suite_add_tcase(suite, all);
	tcase_add_test(all, ticket_is_the_golden_text);
	tcase_add_test(all, ticket_has_no_rate_that_cannot_be_used);
	tcase_add_test(all, ticket_of_nothing_known_has_no_commands_of_others);
	tcase_add_loop_test(all, words_are_quoted_for_shell_and_terminal, 0, ARRAY_LEN(words));
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? 1 : 0;
}
