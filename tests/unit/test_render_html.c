/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_render_html - the page for browsers: whole, closed to the world, escaped, without figures
 * that cannot be used
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "iotest/compiler.h"
#include "iotest/render.h"
#include "iotest/sysroot.h"
#include "iotest/xalloc.h"
#include "sample_record.h"
#include "suite.h"

static char *page(const struct record *record)
{
	struct buf out = { 0 };

	render_report_html(&record->report, &out);
	return buf_take(&out);
}

static const struct {
	struct record *(*add)(struct records *);
	const char *golden;
} samples[] = {
	{ sample_record_add, "report.html" },
	{ sample_record_add_quick, "report-quick.html" },
	{ sample_record_add_repeats, "report-repeats.html" },
};

START_TEST(html_is_the_golden_page)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *text = page(samples[_i].add(&records));

	golden_check(samples[_i].golden, text);
}
END_TEST

static bool is_one_of(const char *word, size_t len, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(words[i]) == len && strncmp(words[i], word, len) == 0)
			return true;
	return false;
}

/* Every element of ours is closed in its order; attributes are all quoted. */
static void assert_balanced(const char *text)
{
	static const char *const empty[] = { "meta", "!DOCTYPE" };
	struct strlist open = { 0 };

	for (const char *p = strchr(text, '<'); p; p = strchr(p, '<')) {
		const char *name = ++p;
		const char *end = strchr(p, '>');
		bool is_end = *name == '/';
		size_t len;

		ck_assert_ptr_nonnull(end);
		name += is_end;
		len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789!DOCTYPE");
		ck_assert_msg(len > 0, "a bare <: %.40s", p);
		ck_assert(!memchr(p, '<', (size_t)(end - p)));
		if (is_end) {
			ck_assert_msg(open.n_items > 0, "%.*s", (int)len, name);
			ck_assert_msg(strlen(open.items[open.n_items - 1]) == len &&
					      strncmp(open.items[open.n_items - 1], name, len) == 0,
				      "%.*s ends %s", (int)len, name, open.items[open.n_items - 1]);
			free(open.items[--open.n_items]);
		} else if (end[-1] != '/' && !is_one_of(name, len, empty, ARRAY_LEN(empty))) {
			CLEANUP(xfree) char *word = xstrndup(name, len);

			strlist_add(&open, word);
		}
		p = end;
	}
	ck_assert_uint_eq(open.n_items, 0);
	strlist_done(&open);
}

/* Each id once, and each reference has its id. */
static void assert_ids(const char *text)
{
	for (const char *p = strstr(text, " id=\""); p; p = strstr(p + 1, " id=\"")) {
		CLEANUP(xfree) char *id = xstrndup(p, strcspn(p + 5, "\"") + 6);
		const char *again = strstr(p + 1, id);

		ck_assert_msg(!again, "twice:%s", id);
	}
	for (const char *p = strstr(text, "labelledby=\""); p; p = strstr(p + 1, "labelledby=\"")) {
		const char *word = p + strlen("labelledby=\"");

		while (*word != '"') {
			size_t len = strcspn(word, " \"");
			CLEANUP(xfree) char *want = xasprintf(" id=\"%.*s\"", (int)len, word);

			ck_assert_msg(strstr(text, want) != NULL, "no%s", want);
			word += len + (word[len] == ' ');
		}
	}
}

static void assert_closed_to_the_world(const char *text)
{
	static const char *const never[] = { "<script", "javascript:", " src=",	  "http:",
					     "https:",	"url(",	       "@import", " onload",
					     "<link",	"<iframe",     "<object", "<img" };

	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		ck_assert_msg(!strstr(text, never[i]), "%s in the page", never[i]);
	ck_assert_ptr_nonnull(strstr(text, "default-src 'none'"));
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fprintf(stderr, "%s", text);
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in the page above", part);
}

START_TEST(html_is_well_formed_and_loads_nothing)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *text = page(samples[_i].add(&records));

	assert_balanced(text);
	assert_ids(text);
	assert_closed_to_the_world(text);
}
END_TEST

static void set_texts(const struct schema *schema, void *object, const char *value)
{
	for (size_t i = 0; i < schema->n_fields; i++) {
		const struct field *f = &schema->fields[i];
		char *member = (char *)object + f->offset;
		size_t count = 0;

		if (f->type == FIELD_TEXT)
			xstr_set((char **)(void *)member, value);
		else if (f->type == FIELD_STRUCT)
			set_texts(f->sub, member, value);
		else if (f->type == FIELD_LIST)
			memcpy(&count, (char *)object + f->count_offset, sizeof(count));
		for (size_t j = 0; j < count; j++)
			set_texts(f->sub, *(char **)(void *)member + j * f->sub->size, value);
	}
}

static void set_all_texts(struct record *r, const char *value)
{
	set_texts(&host_schema, &r->host, value);
	set_texts(&plan_schema, &r->plan, value);
	set_texts(&run_schema, &r->run, value);
	set_texts(&verdict_schema, &r->report.verdict, value);
	for (int kind = 0; kind < PHASE_COUNT; kind++)
		set_texts(&rates_schema, report_rates(&r->report, kind), value);
	for (size_t i = 0; i < r->report.n_findings; i++)
		set_texts(&finding_schema, &r->report.findings[i], value);
	xstr_set(&r->report.analyzed_by, value);
	xstr_set(&r->report.bundle, value);
	xstr_set(&r->report.beyond, value);
}

START_TEST(html_escapes_whatever_names_hold)
{
	static const char evil[] = "</style><script>alert(1)</script>\"' onload='x\033\n\xff&lt;"
				   "\xe2\x80\xae"
				   "\xc3\xa9";
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *text = NULL;
	struct record *r = samples[_i].add(&records);

	set_all_texts(r, evil);
	text = page(r);
	assert_balanced(text);
	assert_ids(text);
	ck_assert(!strstr(text, "<script"));
	ck_assert(!strstr(text, "' onload"));
	/* Visible: control characters, what is no UTF-8, what turns the direction. */
	assert_has(text, "&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39; "
			 "onload=&#39;x\\033\\012\\377&amp;lt;\\u202e\xc3\xa9");
	for (const char *p = text; *p; p++)
		ck_assert_msg(*p == '\n' || (unsigned char)*p >= ' ', "byte %d", *p);
}
END_TEST

static void set_numbers(const struct schema *schema, void *object, int64_t n, double value)
{
	for (size_t i = 0; i < schema->n_fields; i++) {
		const struct field *f = &schema->fields[i];
		char *member = (char *)object + f->offset;
		size_t count = 0;

		if (f->type == FIELD_I64)
			memcpy(member, &n, sizeof(n));
		else if (f->type == FIELD_DOUBLE)
			memcpy(member, &value, sizeof(value));
		else if (f->type == FIELD_STRUCT)
			set_numbers(f->sub, member, n, value);
		else if (f->type == FIELD_LIST)
			memcpy(&count, (char *)object + f->count_offset, sizeof(count));
		for (size_t j = 0; j < count; j++)
			set_numbers(f->sub, *(char **)(void *)member + j * f->sub->size, n, value);
	}
}

static const struct {
	int64_t n;
	double value;
} extremes[] = {
	{ -1, -1 },
	{ 0, 0 },
	{ 1, 1e-300 },
	{ INT64_MAX, 1e300 },
	{ INT64_MAX / 2, HUGE_VAL },
	{ INT64_MIN, -HUGE_VAL },
	{ 1000000000, 5e-324 },
};

START_TEST(html_of_absurd_numbers_is_a_page)
{
	static const char *const never[] = { "=\"nan", "=\"-nan", "=\"inf\"", ":nan", ":inf",
					     "Hinf",   "Vinf",	  "Hnan",     "Vnan", "=\"-" };
	CLEANUP(records_done) struct records records = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		CLEANUP(xfree) char *text = NULL;
		struct record *r = samples[i].add(&records);
		int64_t n = extremes[_i].n;

		set_numbers(&host_schema, &r->host, n, extremes[_i].value);
		set_numbers(&plan_schema, &r->plan, n, extremes[_i].value);
		set_numbers(&run_schema, &r->run, n, extremes[_i].value);
		set_numbers(&verdict_schema, &r->report.verdict, n, extremes[_i].value);
		for (int kind = 0; kind < PHASE_COUNT; kind++)
			set_numbers(&rates_schema, report_rates(&r->report, kind), n,
				    extremes[_i].value);
		text = page(r);
		assert_balanced(text);
		for (size_t j = 0; j < ARRAY_LEN(never); j++)
			ck_assert_msg(!strstr(text, never[j]), "%s in %s", never[j],
				      samples[i].golden);
		assert_has(text, "</html>\n");
	}
}
END_TEST

START_TEST(html_has_no_figure_of_an_unusable_phase)
{
	static const char *const hidden[] = { "78.52",		 "314.1",      "85.33",
					      "341.3",		 "190.0<",     "760.0",
					      "56.22",		 "224.9",      "235.8",
					      "class=\"cliff\"", "line write", "34.2 requests" };
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *text = NULL;
	struct record *r = sample_record_add(&records);

	xstr_set(&r->report.verdict.text, "");
	r->report.write.usable = 0;
	xstr_set(&r->report.write.unusable_reason, "part of it came from memory");
	text = page(r);
	for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
		ck_assert_msg(!strstr(text, hidden[i]), "%s in the page", hidden[i]);
	assert_has(text, "<p class=\"figure\">n/a</p>\n<p class=\"note\">part of it came from "
			 "memory</p>");
	/* The other one is all there. */
	assert_has(text, "105.0 <span>MiB/s per core");
	assert_has(text, "line read");
	assert_has(text, "write for 20 min 52 s, without a rate that can be used");
}
END_TEST

START_TEST(html_marks_the_fall_and_says_it_in_words)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *text = page(sample_record_add(&records));

	assert_has(text, "<line class=\"cliff\"");
	assert_has(text, "write fell for good after 3 min 29 s and 154.87 GiB: from 760.0 to 224.9 "
			 "MiB/s");
	assert_has(text, "760.0 before and 224.9 after it fell");
}
END_TEST

START_TEST(html_shows_memory_touched_for_the_first_time)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *text = page(sample_record_add_quick(&records));

	assert_has(text, "<rect class=\"touched\"");
	assert_has(text, "memory touched for the first time");
}
END_TEST

START_TEST(html_draws_the_stack_as_nested_lists)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *text = page(sample_record_add(&records));
	const char *fs = strstr(text, "xfs at /data");
	const char *dm = strstr(text, "dm-4 (data-saswork)");
	const char *disk = strstr(text, "<span class=\"id\">sdc</span> scsi");

	ck_assert(fs && dm && disk && fs < dm && dm < disk);
	ck_assert_ptr_nonnull(memmem(fs, (size_t)(dm - fs), "<ul>", 4));
	ck_assert_ptr_nonnull(memmem(dm, (size_t)(disk - dm), "<ul>", 4));
	assert_has(text, "<b>write</b>: written 384 GiB, 72 % busy, a write 9.40 ms");
}
END_TEST

START_TEST(html_of_a_stack_that_is_a_ring_ends)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *text = NULL;
	struct record *r = sample_record_add(&records);

	r->host.targets[0].devices[0].parent = 1;
	r->host.targets[0].devices[1].parent = 0;
	text = page(r);
	assert_balanced(text);
	r->host.targets[0].devices[0].parent = 0;
	xfree(&text);
	text = page(r);
	assert_balanced(text);
}
END_TEST

START_TEST(html_of_several_targets_has_an_article_for_each)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	sample_record_add(&records);
	sample_record_add_quick(&records);
	xstr_set(&records.items[1]->plan.target, "/b<b>");
	render_records_html(&records, &out);
	assert_balanced(buf_text(&out));
	assert_ids(buf_text(&out));
	assert_closed_to_the_world(buf_text(&out));
	assert_has(buf_text(&out), "<a href=\"#r1\">/data/work</a>: below");
	assert_has(buf_text(&out), "<a href=\"#r2\">/b&lt;b&gt;</a>: pass");
	assert_has(buf_text(&out), "<article id=\"r2\">");
}
END_TEST

START_TEST(html_of_nothing_known_is_a_page)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *text = page(records_add(&records));

	assert_balanced(text);
	assert_ids(text);
	assert_has(text, "unknown target on unknown host</h1>");
	assert_has(text, "INCONCLUSIVE");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("render_html");
	TCase *all = tcase_create("render_html");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	suite_add_tcase(suite, all);
	tcase_add_loop_test(all, html_is_the_golden_page, 0, ARRAY_LEN(samples));
	tcase_add_loop_test(all, html_is_well_formed_and_loads_nothing, 0, ARRAY_LEN(samples));
	tcase_add_loop_test(all, html_escapes_whatever_names_hold, 0, ARRAY_LEN(samples));
	tcase_add_loop_test(all, html_of_absurd_numbers_is_a_page, 0, ARRAY_LEN(extremes));
	tcase_add_test(all, html_has_no_figure_of_an_unusable_phase);
	tcase_add_test(all, html_marks_the_fall_and_says_it_in_words);
	tcase_add_test(all, html_shows_memory_touched_for_the_first_time);
	tcase_add_test(all, html_draws_the_stack_as_nested_lists);
	tcase_add_test(all, html_of_a_stack_that_is_a_ring_ends);
	tcase_add_test(all, html_of_several_targets_has_an_article_for_each);
	tcase_add_test(all, html_of_nothing_known_is_a_page);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? 1 : 0;
}
