/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_render_report - the page people read, and the lines their scripts parse
 */
#include <signal.h>
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

	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in:\n%s", part, text);
}

START_TEST(report_is_the_golden_page)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *text = page(sample_record_add(&records));

	golden_check("report.txt", text);
}
END_TEST

START_TEST(report_is_at_most_80_columns_but_for_paths_and_mounts)
{
	static const char *const longer[] = { "INVOCATION:", "  directory:", "  df -k:",
					      "  mount point:" };
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);
	CLEANUP(xfree) char *text = NULL;

	/* The widest figures: a hundred hours, many cores. */
	r->report.read.first_done_ns = 360000 * NS_PER_S;
	r->report.read.last_done_ns = 361000 * NS_PER_S;
	r->report.read.carries_cores = 12345;
	r->report.read.need_mib_per_s = 1234567;
	text = page(r);
	for (char *p = text; *p; p += strcspn(p, "\n") + 1) {
		size_t len = strcspn(p, "\n");
		bool may = false;

		for (size_t i = 0; i < ARRAY_LEN(longer); i++)
			may |= strncmp(p, longer[i], strlen(longer[i])) == 0;
		ck_assert_msg(may || len <= 80, "%zu columns: %.*s", len, (int)len, p);
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

START_TEST(report_says_per_worker_when_workers_are_not_cores)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	r->plan.workers = 3;
	assert_line(r, "  read thr",
		    "  read throughput rate:   107.09 megabytes/second per worker");
	assert_line(r, "  write thr",
		    "  write throughput rate:  78.90 megabytes/second per worker");
	assert_line(r, "  iterations", "  iterations:   3");
}
END_TEST

START_TEST(report_has_no_number_of_an_unusable_phase)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);
	CLEANUP(xfree) char *text = NULL;

	r->report.read.usable = 0;
	r->report.read.unusable_reason =
		xstrdup("part of it came from this host's memory, not from the storage");
	assert_line(r, "  read thr",
		    "  read throughput rate:   n/a megabytes/second per physical core");
	assert_line(
		r, "  read   MiB/s",
		"  read   MiB/s                n/a  part of it came from this host's memory, not");
	text = page(r);
	ck_assert_ptr_null(strstr(text, "107.09"));
	ck_assert_ptr_null(strstr(text, "105.03"));
	ck_assert_ptr_null(strstr(text, "420.1"));
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
	int64_t size, used, free;
	const char *want;
} spaces[] = {
	{ 4183836672 * KIB, 33824 * KIB, 4183802848 * KIB,
	  "  df -k:        S 4183836672 33824 4183802848 1% /m" },
	{ 100 * KIB, 0, 100 * KIB, "  df -k:        S 100 0 100 0% /m" },
	{ 100 * KIB, 45 * KIB, 45 * KIB, "  df -k:        S 100 45 45 50% /m" },
	{ 100 * KIB, 90 * KIB, 0, "  df -k:        S 100 90 0 100% /m" },
	{ 1, 1, 0, "  df -k:        S 1 1 0 100% /m" },
	{ 0, 0, 0, "  df -k:        S 0 0 0 - /m" },
	{ -1, -1, 5 * KIB, "  df -k:        S - - 5 - /m" },
	{ INT64_MAX, INT64_MAX, INT64_MAX,
	  "  df -k:        S 9007199254740992 9007199254740992 9007199254740992 50% /m" },
};

START_TEST(report_prints_space_as_df_does)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);
	struct target *t = &r->host.targets[0];

	xstr_set(&t->mount_source, "S");
	xstr_set(&t->mount_point, "/m");
	t->size_bytes = spaces[_i].size;
	t->used_bytes = spaces[_i].used;
	t->free_bytes = spaces[_i].free;
	assert_line(r, "  df -k", spaces[_i].want);
}
END_TEST

static const struct {
	int64_t bytes;
	const char *want;
} filesizes[] = {
	{ 270014000000, "  filesize:     251.47 gigabytes" },
	{ 10 * MIB, "  filesize:     0.0098 gigabytes" },
	{ 11 * MIB, "  filesize:     0.01 gigabytes" },
	{ 64 * KIB, "  filesize:     0.000061 gigabytes" },
	{ 512, "  filesize:     0.00000048 gigabytes" },
	{ -1, "  filesize:     n/a gigabytes" },
};

START_TEST(report_never_shows_a_small_file_as_nothing)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	r->plan.bytes_per_worker = filesizes[_i].bytes;
	assert_line(r, "  filesize", filesizes[_i].want);
}
END_TEST

#define START 1796094004LL /* 2026-12-01 03:00:04 UTC */

static const struct {
	int64_t start_s, end_s, offset_s;
	const char *zone, *want;
} times[] = {
	{ START, START + 60, -18000, "EST",
	  "2026-11-30 22:00:04 to 22:01:04 EST -0500 (2026-12-01 03:00:04Z to 03:01:04Z)" },
	{ START, START + 60, 0, "UTC", "2026-12-01 03:00:04Z to 03:01:04Z" },
	{ START, START + 60, 0, "GMT",
	  "2026-12-01 03:00:04 to 03:01:04 GMT +0000 (2026-12-01 03:00:04Z to 03:01:04Z)" },
	{ START, START + 60, 20700, "+0545",
	  "2026-12-01 08:45:04 to 08:46:04 +0545 (2026-12-01 03:00:04Z to 03:01:04Z)" },
	{ START, START + 86400, -1, "", "2026-12-01 03:00:04Z to 2026-12-02 03:00:04Z" },
	{ START, -1, -1, "", "2026-12-01 03:00:04Z to unknown" },
	{ START, START + 60, INT64_MAX, "X", "2026-12-01 03:00:04Z to 03:01:04Z" },
};

START_TEST(report_gives_local_time_and_utc_from_the_run_alone)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	r->run.started_at_ns = times[_i].start_s * NS_PER_S;
	r->run.ended_at_ns = times[_i].end_s < 0 ? -1 : times[_i].end_s * NS_PER_S;
	r->run.utc_offset_s = times[_i].offset_s;
	xstr_set(&r->run.timezone, times[_i].zone);
	assert_line(r, "2026", times[_i].want);
}
END_TEST

START_TEST(report_without_findings_or_bundle_says_none)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	for (size_t i = 0; i < r->report.n_findings; i++)
		schema_done(&finding_schema, &r->report.findings[i]);
	r->report.n_findings = 0;
	xstr_set(&r->report.bundle, "");
	assert_line(r, "FINDINGS", "FINDINGS  none");
	assert_line(r, "BUNDLE", "BUNDLE  none");
}
END_TEST

START_TEST(report_of_an_interrupted_run_names_the_signal)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	r->run.interrupted_by = SIGTERM;
	r->run.read.status = PHASE_INTERRUPTED;
	assert_line(r, "CLEAN",
		    "CLEAN   0 bytes left in /data/work, 37 min 36 s, ended by signal "
		    "15 (SIGTERM)");
	assert_has(r, "\n  read        interrupted: 384 GiB (412316860416 bytes) in 15 min 36 s");
}
END_TEST

static const struct {
	int64_t left;
	const char *path, *want;
} lefts[] = {
	{ 0, "",
	  "CLEAN   0 bytes left in /data/work, 37 min 36 s, exit status 4 (not to be used)" },
	{ 65536, "/data/left",
	  "CLEAN   65536 bytes left in /data/left, 37 min 36 s, exit "
	  "status 4 (not to be" },
	{ -1, "", "CLEAN   what is left in /data/work could not be checked, 37 min 36 s, exit" },
};

START_TEST(report_of_a_failed_run_is_invalid_and_says_what_is_left)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	r->run.write.status = PHASE_FAILED;
	r->run.read.status = PHASE_NOT_RUN;
	r->report.write.usable = 0;
	r->report.read.usable = 0;
	r->report.verdict.result = VERDICT_INVALID;
	r->report.exit_status = 4;
	r->report.verdict.mib_per_s_per_core = -1;
	xstr_set(&r->report.verdict.text, "the run failed and cannot be used");
	r->run.left_bytes = lefts[_i].left;
	xstr_set(&r->run.left_path, lefts[_i].path);
	assert_line(r, "VERDICT", "VERDICT  INVALID  the run failed and cannot be used");
	assert_line(r, "  write thr",
		    "  write throughput rate:  n/a megabytes/second per physical core");
	assert_line(r, "  read        ", "  read        not run");
	assert_line(r, "CLEAN", lefts[_i].want);
}
END_TEST

START_TEST(report_marks_the_phases_that_are_judged)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	assert_line(r, "  write  MiB/s",
		    "  write  MiB/s, judged      78.52    314.1    400.0    3 "
		    "cores  1240-1252 s");
	assert_line(r, "  read   MiB/s",
		    "  read   MiB/s, judged     105.03    420.1    400.0    4 "
		    "cores  900-936 s");
	/* Too short to be judged: then nothing is said of cores, either. */
	r->report.write.carries_cores = -1;
	assert_line(r, "  write  MiB/s",
		    "  write  MiB/s              78.52    314.1    400.0          -"
		    "  1240-1252 s");
}
END_TEST

START_TEST(report_names_both_versions_when_judged_again)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	xstr_set(&r->report.analyzed_by, "0.2.0");
	assert_line(r, "iotest ",
		    "iotest 0.1.0 (judged by 0.2.0)  sasnode3.example.net  /data/work"
		    "  full run  case");
}
END_TEST

START_TEST(report_of_nothing_known_has_all_lines_and_no_number)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = records_add(&records);

	assert_line(r, "iotest ", "iotest unknown  unknown host  unknown target");
	assert_line(r, "  read thr",
		    "  read throughput rate:   n/a megabytes/second per physical core");
	assert_line(r, "  df -k", "  df -k:        - - - - - -");
	assert_line(r, "  mount point",
		    "  mount point:  unknown on unknown type unknown (unknown)");
	r->plan.target_index = 7;
	assert_line(r, "  df -k", "  df -k:        - - - - - -");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("render_report");
	TCase *all = tcase_create("render_report");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	suite_add_tcase(suite, all);
	tcase_add_test(all, report_is_the_golden_page);
	tcase_add_test(all, report_is_at_most_80_columns_but_for_paths_and_mounts);
	tcase_add_loop_test(all, report_gives_the_field_command_just_the_number, 0,
			    ARRAY_LEN(cuts));
	tcase_add_test(all, report_says_per_worker_when_workers_are_not_cores);
	tcase_add_test(all, report_has_no_number_of_an_unusable_phase);
	tcase_add_test(all, report_escapes_what_a_terminal_must_not_see);
	tcase_add_loop_test(all, report_prints_space_as_df_does, 0, ARRAY_LEN(spaces));
	tcase_add_loop_test(all, report_never_shows_a_small_file_as_nothing, 0,
			    ARRAY_LEN(filesizes));
	tcase_add_loop_test(all, report_gives_local_time_and_utc_from_the_run_alone, 0,
			    ARRAY_LEN(times));
	tcase_add_test(all, report_without_findings_or_bundle_says_none);
	tcase_add_test(all, report_of_an_interrupted_run_names_the_signal);
	tcase_add_loop_test(all, report_of_a_failed_run_is_invalid_and_says_what_is_left, 0,
			    ARRAY_LEN(lefts));
	tcase_add_test(all, report_marks_the_phases_that_are_judged);
	tcase_add_test(all, report_names_both_versions_when_judged_again);
	tcase_add_test(all, report_of_nothing_known_has_all_lines_and_no_number);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? 1 : 0;
}
