/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_render_report - the page of one screen, and the lines that scripts parse
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "golden.h"
#include "iotest/compiler.h"
#include "iotest/render.h"
#include "iotest/xalloc.h"
#include "sample_record.h"
#include "suite.h"

#define LINES_MAX 45

static char *page(const struct record *record)
{
	struct buf out = { 0 };

	render_report_text(&record->report, &out);
	return buf_take(&out);
}

/* The line that starts with start, without its line feed. */
static char *line_of(const char *text, const char *start)
{
	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, start, strlen(start)) == 0)
			return xstrndup(p, strcspn(p, "\n"));
	}
	return xstrdup("");
}

static void assert_line(const struct record *record, const char *start, const char *want)
{
	CLEANUP(xfree) char *text = page(record);
	CLEANUP(xfree) char *line = line_of(text, start);

	ck_assert_str_eq(line, want);
}

static void assert_has(const struct record *record, const char *part)
{
	CLEANUP(xfree) char *text = page(record);

	/* Long messages are more than Check can pass on. */
	if (!strstr(text, part))
		fprintf(stderr, "%s", text);
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in the page above", part);
}

static const struct {
	struct record *(*add)(struct records *);
	const char *golden;
} samples[] = {
	{ sample_record_add, "report.txt" },
	{ sample_record_add_quick, "report-quick.txt" },
	{ sample_record_add_repeats, "report-repeats.txt" },
};

START_TEST(report_is_the_golden_page)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *text = page(samples[_i].add(&records));

	golden_check(samples[_i].golden, text);
}
END_TEST

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* A full run that passes, with all that can be known and a finding. */
static struct record *add_ordinary(struct records *records)
{
	struct record *r = sample_record_add(records);

	r->report.write.burst_mib_per_s = -1;
	r->report.write.sustained_mib_per_s = -1;
	r->report.write.judged_by = JUDGED_ALL;
	xstr_set(&r->report.write.limited_by, "unknown");
	r->report.verdict.result = VERDICT_PASS;
	schema_done(&finding_schema, &r->report.findings[--r->report.n_findings]);
	return r;
}

START_TEST(an_ordinary_run_is_on_one_screen)
{
	struct record *(*const ordinary[])(struct records *) = { add_ordinary,
								 sample_record_add_quick };
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *text = page(ordinary[_i](&records));
	size_t n = count_lines(text);

	ck_assert_msg(n <= LINES_MAX, "%zu lines:\n%s", n, text);
}
END_TEST

static void assert_width(const struct record *record)
{
	static const char *const longer[] = { "INVOCATION:", "  directory:", "  df -k:",
					      "  mount point:" };
	CLEANUP(xfree) char *text = page(record);

	for (char *p = text; *p; p += strcspn(p, "\n") + 1) {
		size_t len = strcspn(p, "\n");
		bool may = false;

		for (size_t i = 0; i < ARRAY_LEN(longer); i++)
			may |= strncmp(p, longer[i], strlen(longer[i])) == 0;
		ck_assert_msg(may || len <= 80, "%zu columns: %.*s", len, (int)len, p);
	}
}

START_TEST(report_is_at_most_80_columns_but_for_paths_and_mounts)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = samples[_i].add(&records);

	assert_width(r);
	/* The widest figures: a hundred hours, many cores. */
	r->report.read.first_done_ns = 360000 * NS_PER_S;
	r->report.read.last_done_ns = 361000 * NS_PER_S;
	r->report.read.carries_cores = 12345;
	r->report.read.need_mib_per_s = 1234567;
	r->report.write.burst_ns = 360000 * NS_PER_S;
	r->report.write.burst_bytes = INT64_MAX;
	r->report.write.burst_mib_per_s = 1234567;
	r->report.write.sustained_mib_per_s = 1234567;
	assert_width(r);
}
END_TEST

/* Every number of a noun, as deep as it goes. */
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
	{ -1, -1 }, { 0, 0 }, { 1, 1e-300 }, { INT64_MAX, 1e300 }, { INT64_MAX / 2, HUGE_VAL },
};

START_TEST(report_of_absurd_numbers_is_a_page)
{
	static const char *const sections[] = { "\nRATES", "\nFINDINGS", "\nNEXT", "\nCLEAN" };
	CLEANUP(records_done) struct records records = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct record *r = samples[i].add(&records);
		int64_t n = extremes[_i].n;

		set_numbers(&host_schema, &r->host, n, extremes[_i].value);
		set_numbers(&plan_schema, &r->plan, n, extremes[_i].value);
		set_numbers(&run_schema, &r->run, n, extremes[_i].value);
		set_numbers(&verdict_schema, &r->report.verdict, n, extremes[_i].value);
		for (int kind = 0; kind < PHASE_COUNT; kind++)
			set_numbers(&rates_schema, report_rates(&r->report, kind), n,
				    extremes[_i].value);
		for (size_t j = 0; j < ARRAY_LEN(sections); j++)
			assert_has(r, sections[j]);
	}
}
END_TEST

/* As people do it: write the page to a file, cut the numbers out with the shell. */
static char *shell_on_page(const struct record *record, const char *command)
{
	CLEANUP(xfree) char *text = page(record);
	CLEANUP(xfree) char *line = NULL;
	CLEANUP(buf_done) struct buf answer = { 0 };
	char path[] = "/tmp/test_render.XXXXXX";
	char block[256];
	size_t n;
	FILE *f = fdopen(mkstemp(path), "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
	line = xasprintf("F=%s; %s", path, command);
	f = popen(line, "r");
	ck_assert_ptr_nonnull(f);
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		buf_add(&answer, block, n);
	ck_assert_int_eq(pclose(f), 0);
	ck_assert_int_eq(unlink(path), 0);
	return buf_take(&answer);
}

static const struct {
	double rate;
	const char *want;
} cuts[] = {
	{ 394.301, "394.30\n" },
	{ 0.004, "0.00\n" },
	{ 1234567.891, "1234567.89\n" },
};

START_TEST(report_gives_the_field_command_just_the_number)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);
	CLEANUP(xfree) char *read = NULL;
	CLEANUP(xfree) char *write = NULL;

	r->report.read.mean_mib_per_s_per_worker = cuts[_i].rate;
	r->report.write.mean_mib_per_s_per_worker = cuts[_i].rate;
	read = shell_on_page(r, "grep \"read throughput rate\" $F |"
				"sed 's/ *read throughput rate: *//g;s/ megabytes.*$//g'");
	write = shell_on_page(r, "grep \"write throughput rate\" $F |"
				 "sed 's/ *write throughput rate: *//g;s/ megabytes.*$//g'");
	ck_assert_str_eq(read, cuts[_i].want);
	ck_assert_str_eq(write, cuts[_i].want);
}
END_TEST

/* All rates that the nouns hold of a phase, as the page would show them. */
static const struct {
	int kind;
	const char *why;
	const char *const hidden[16];
} unusable[] = {
	{ PHASE_READ,
	  "  read  n/a    part of it came from this host's memory, not from the storage",
	  { "107.09", "105.03", "105.0 (", "420.1", "READ OVER TIME", "not attributable", NULL } },
	{ PHASE_WRITE,
	  "  write n/a    part of it came from this host's memory, not from the storage",
	  { "78.90", "78.52", "314.1", "85.33", "341.3", "190.00", "760.0", "56.22", "224.9",
	    "burst", "WRITE OVER TIME", "34.2 requests", NULL } },
};

START_TEST(report_has_no_number_of_an_unusable_phase)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);
	struct phase_rates *rates = report_rates(&r->report, unusable[_i].kind);
	CLEANUP(xfree) char *text = NULL;
	CLEANUP(xfree) char *row = xasprintf("  %-5s n/a", phase_kind_name(unusable[_i].kind));

	xstr_set(&r->report.verdict.text, "");
	rates->usable = 0;
	xstr_set(&rates->unusable_reason,
		 "part of it came from this host's memory, not from the storage");
	assert_line(r, row, unusable[_i].why);
	text = page(r);
	for (size_t i = 0; unusable[_i].hidden[i]; i++)
		ck_assert_msg(!strstr(text, unusable[_i].hidden[i]), "%s in:\n%s",
			      unusable[_i].hidden[i], text);
}
END_TEST

START_TEST(report_escapes_what_a_terminal_must_not_see)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);
	CLEANUP(xfree) char *text = NULL;

	xstr_set(&r->plan.target, "/data/new\nline \033[31m\xff\xc3\xa9");
	xstr_set(&r->host.targets[0].mount_point, "/a\tb");
	xstr_set(&r->run.case_id, "\a");
	xstr_set(&r->report.findings[0].text, "\x1b]0;title\a");
	assert_line(r, "  directory", "  directory:    /data/new\\012line \\033[31m\\377\xc3\xa9");
	text = page(r);
	for (const char *p = text; *p; p++)
		ck_assert_msg(*p == '\n' || (unsigned char)*p >= ' ', "byte %d at %td", *p,
			      p - text);
}
END_TEST

static const struct {
	int result;
	const char *limited_by;
	const char *want;
} nexts[] = {
	{ VERDICT_PASS, "device",
	  "nothing; keep the bundle, to compare with later (iotest compare)" },
	{ VERDICT_BELOW, "device",
	  "ask those who run the storage; iotest ticket has the words for them" },
	{ VERDICT_BELOW, "unknown",
	  "ask those who run the storage; iotest ticket has the words for them" },
	{ VERDICT_BELOW, "host-cpu", "show this to those who run this host: what limits is on it" },
	{ VERDICT_INVALID, "device", "do what the findings advise, and run the test again" },
	{ VERDICT_INCONCLUSIVE, "", "do what the findings advise, and run the test again" },
};

START_TEST(report_says_what_to_do_next)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *want = xasprintf("NEXT    %s", nexts[_i].want);
	struct record *r = sample_record_add(&records);

	r->report.verdict.result = nexts[_i].result;
	xstr_set(&r->report.write.limited_by, nexts[_i].limited_by);
	assert_line(r, "NEXT", want);
}
END_TEST

START_TEST(report_shows_time_as_one_line_of_ninths)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	assert_line(r, "OVER TIME",
		    "OVER TIME  read   999999999999999999999999999999  9: 428.5 "
		    "MiB/s, each 31.2 s");
	r->report.read.usable = 0;
	assert_line(r, "OVER TIME",
		    "OVER TIME  write  999993333333333333333333333333  9: 775.2 "
		    "MiB/s, each 41.7 s");
	r->report.write.rounds[3].mib_per_s = 0;
	r->report.write.rounds[4].mib_per_s = -1;
	assert_line(r, "OVER TIME",
		    "OVER TIME  write  9990 3333333333333333333333333  9: 767.6 "
		    "MiB/s, each 41.7 s");
	for (size_t i = 0; i < r->report.write.n_rounds; i++)
		r->report.write.rounds[i].mib_per_s = i % 2 ? HUGE_VAL : 0;
	assert_line(r, "OVER TIME",
		    "OVER TIME  write  0 0 0 0 0 0 0 0 0 0 0 0 0 0 0   9: 0.00 "
		    "MiB/s, each 41.7 s");
}
END_TEST

START_TEST(report_cuts_long_findings_and_says_where_they_are_in_full)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	assert_line(r, "FINDINGS", "FINDINGS");
	xstr_set(
		&r->report.findings[0].text,
		"one two three four five six seven eight nine ten eleven twelve thirteen fourteen");
	assert_line(r, "FINDINGS", "FINDINGS (in full: report.html, report --format details)");
	assert_line(r, "  info",
		    "  info     cpu-quota  one two three four five six seven eight nine ten ...");
	/* Of a grave one two lines; a word that no line has room for is cut, too. */
	r->report.findings[0].severity = SEVERITY_ERROR;
	assert_has(r, "eleven\n           twelve thirteen fourteen\n");
	xstr_set(&r->report.findings[0].text,
		 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx y z");
	assert_has(r, "  error    cpu-quota\n           ...\n");
}
END_TEST

START_TEST(report_of_nothing_known_is_a_page)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = records_add(&records);

	assert_line(r, "iotest ", "iotest unknown  unknown host  unknown target");
	assert_line(r, "BUNDLE", "BUNDLE  none");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("render_report");
	TCase *all = tcase_create("render_report");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	suite_add_tcase(suite, all);
	tcase_add_loop_test(all, report_is_the_golden_page, 0, ARRAY_LEN(samples));
	tcase_add_loop_test(all, an_ordinary_run_is_on_one_screen, 0, 2);
	tcase_add_loop_test(all, report_is_at_most_80_columns_but_for_paths_and_mounts, 0,
			    ARRAY_LEN(samples));
	tcase_add_loop_test(all, report_of_absurd_numbers_is_a_page, 0, ARRAY_LEN(extremes));
	tcase_add_loop_test(all, report_gives_the_field_command_just_the_number, 0,
			    ARRAY_LEN(cuts));
	tcase_add_loop_test(all, report_has_no_number_of_an_unusable_phase, 0, ARRAY_LEN(unusable));
	tcase_add_test(all, report_escapes_what_a_terminal_must_not_see);
	tcase_add_loop_test(all, report_says_what_to_do_next, 0, ARRAY_LEN(nexts));
	tcase_add_test(all, report_shows_time_as_one_line_of_ninths);
	tcase_add_test(all, report_cuts_long_findings_and_says_where_they_are_in_full);
	tcase_add_test(all, report_of_nothing_known_is_a_page);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? 1 : 0;
}
