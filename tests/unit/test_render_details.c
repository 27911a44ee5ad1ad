/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_render_details - the long page, and the lines that scripts parse
 */
#include <errno.h>
#include <math.h>
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

	render_report_details(&record->report, &out);
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
	{ sample_record_add, "details.txt" },
	{ sample_record_add_quick, "details-quick.txt" },
	{ sample_record_add_repeats, "details-repeats.txt" },
};

START_TEST(report_is_the_golden_page)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *text = page(samples[_i].add(&records));

	golden_check(samples[_i].golden, text);
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
	static const char *const sections[] = { "\nRATES", "\nFACTS\n", "\nFINDINGS", "\nCLEAN" };
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
	/* What it took to find that out may be shown. */
	assert_has(r, unusable[_i].kind == PHASE_READ ? "\n  read     19.8 us"
						      : "\n  write    17.2 us");
}
END_TEST

START_TEST(report_has_no_rate_of_an_unusable_control)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	assert_has(r, "\n  control  overwriting past the page cache (1 MiB, depth 8, 20.0 s): "
		      "231.4 MiB/s\n"
		      "           in all, 57.85 per core\n");
	assert_line(r, "  direct ",
		    "  direct control, past the page cache: overwrite 57.85 MiB/s per core");
	r->report.control_write.usable = 0;
	xstr_set(&r->report.control_write.unusable_reason, "it failed");
	assert_line(r, "  direct ", "");
	assert_line(r, "  control",
		    "  control  overwriting past the page cache (1 MiB, depth 8, 20.0 s): n/a (it");
}
END_TEST

START_TEST(report_says_why_there_is_no_control_or_none_to_compare)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	r->report.control_write.elapsed_ns = 3 * NS_PER_S / 2;
	assert_has(r, "per core; too short to compare\n");
	assert_has(r, "overwrite 57.85 MiB/s per core (too short\n         to compare)\n");
	r->run.control_write.status = PHASE_NOT_RUN;
	xstr_set(&r->run.control_write.failure, "the files are too small for it");
	assert_line(r, "  control", "  control  no writes: the files are too small for it");
	assert_line(r, "  direct ", "");
}
END_TEST

START_TEST(report_hides_the_rate_of_an_unusable_run_but_not_the_median)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add_repeats(&records);

	r->report.read.usable = 0;
	assert_line(r, "  2  ", "  2   2026-12-01 03:00:04Z         n/a     105.0  pass");
	assert_line(r, "  median", "  median (judged)                105.0     105.0");
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

	assert_line(
		r, "  read  judged",
		"  read  judged all bytes            105.03  420.1  400.0   4 cores  900-936 s");
	/* After a burst the rate that lasts. */
	assert_line(r, "  write judged",
		    "  write judged after it              56.22  224.9  400.0   2 cores  "
		    "1240-1252 s");
	/* Too short to be judged: then nothing is said of cores, either. */
	r->report.read.carries_cores = -1;
	assert_line(
		r, "  read  ",
		"  read         all bytes            105.03  420.1  400.0         -  900-936 s");
	/* Asked for reads only. */
	r->plan.judges_write = 0;
	assert_line(r, "  write judged", "");
}
END_TEST

static const struct {
	struct record *(*add)(struct records *);
	const char *want;
} done_ats[] = {
	{ sample_record_add,
	  "\n  write        before fsync          85.33  341.3  400.0         -  1152 s\n" },
	{ sample_record_add,
	  "\n  write        burst, 154.87 GiB    190.00  760.0  400.0         -  209 s\n" },
	{ sample_record_add,
	  "\n  write judged after it              56.22  224.9  400.0   2 cores  1240-1252 s\n" },
	{ sample_record_add_quick,
	  "\n  write judged without first touch  297.00   1188  400.0  11 cores  20.0-20.0 s\n" },
};

START_TEST(report_has_but_times_in_the_column_done_at)
{
	CLEANUP(records_done) struct records records = { 0 };

	assert_has(done_ats[_i].add(&records), done_ats[_i].want);
}
END_TEST

START_TEST(report_says_how_long_first_touch_took)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add_quick(&records);

	assert_has(r, "first touch: the time slowed");
	assert_has(r, "(6.5 s of write)");
}
END_TEST

/* Every word of the page that is no common one. */
START_TEST(report_explains_the_columns_of_its_rates)
{
	static const char *const words[] = { "need: requirement x cores", "carries: cores it",
					     "in MiB and GiB", "METHOD.md" };
	CLEANUP(records_done) struct records records = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		assert_has(sample_record_add(&records), words[i]);
}
END_TEST

START_TEST(report_says_why_a_phase_has_no_limit)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	xstr_set(&r->report.read.limited_by, "");
	xstr_set(&r->report.read.limited_text, "");
	r->report.read.carries_cores = -1;
	assert_has(r, "\nLIMITED BY\n  read     not told: the phase was too short to be judged\n");
	r->plan.judges_read = 0;
	assert_has(r, "\nLIMITED BY\n  write ");
}
END_TEST

START_TEST(report_calls_a_device_what_lies_below_the_file_system)
{
	CLEANUP(records_done) struct records records = { 0 };

	assert_has(sample_record_add(&records),
		   "\n  write    what lies below the file system: 34.2 requests");
}
END_TEST

START_TEST(report_of_several_runs_says_which_it_shows)
{
	CLEANUP(records_done) struct records records = { 0 };

	assert_has(sample_record_add_repeats(&records),
		   "\n  verdict and exit status are of all runs; the rest of this page is of run "
		   "2\nWORKERS");
}
END_TEST

START_TEST(report_of_runs_without_a_judged_rate_says_so)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add_repeats(&records);

	for (size_t i = 0; i < r->report.n_repeats; i++) {
		r->report.repeats[i].write_mib_per_s_per_core = -1;
		r->report.repeats[i].read_mib_per_s_per_core = -1;
		r->report.repeats[i].result = VERDICT_INCONCLUSIVE;
	}
	assert_line(r, "RUNS", "RUNS (MiB/s per core)             read     write  verdict");
	assert_line(r, "  1   ", "  1   2026-12-01 02:20:04Z         n/a       n/a  inconclusive");
	assert_has(r, "\n  n/a: not judged, such as a phase that was too short or not proved\n");
}
END_TEST

START_TEST(report_shows_a_judged_rate_in_units_of_ten_too)
{
	CLEANUP(records_done) struct records records = { 0 };

	assert_has(sample_record_add(&records), "             in MB/s (10^6)        58.95  235.8"
						"  419.4\n");
}
END_TEST

static const struct {
	int mode;
	int64_t limit_ns, mixed;
	int direct;
	const char *want;
} titles[] = {
	{ MODE_FULL, -1, -1, 0, "full run  case" },
	{ MODE_FULL, -1, 70, 1, "full run, mixed 70/30, direct  case" },
	{ MODE_QUICK, 60 * NS_PER_S, -1, 0, "quick run within 60 s  case" },
	{ MODE_QUICK, 900 * NS_PER_S, -1, 1, "quick run within 15 min 00 s, direct  case" },
	{ MODE_PROVE, 1500 * NS_PER_MS, 30, 0, "prove run within 1.5 s, mixed 30/70  case" },
	{ MODE_PROVE, -1, -1, 0, "prove run  case" },
};

START_TEST(report_title_says_what_kind_of_run_it_was)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);
	CLEANUP(xfree) char *want = xasprintf("/d  %s", titles[_i].want);

	xstr_set(&r->plan.target, "/d");
	xstr_set(&r->host.name, "h");
	r->plan.mode = titles[_i].mode;
	r->plan.time_limit_ns = titles[_i].limit_ns;
	r->plan.mixed_read_percent = titles[_i].mixed;
	r->plan.io.direct = titles[_i].direct;
	assert_has(r, want);
}
END_TEST

static const struct {
	int error;
	const char *workspace, *want;
} removals[] = {
	{ ETIMEDOUT, "unnamed",
	  "CLEAN   the storage holds the test files until it answers; they have no name, so" },
	{ ETIMEDOUT, "unlinked",
	  "CLEAN   the storage holds the test files until it answers; they have no name, so" },
	{ ETIMEDOUT, "named",
	  "CLEAN   the storage holds the test files until it answers; they lie in /left, 37" },
	{ EIO, "named",
	  "CLEAN   0 bytes left in /data/work, removing the test files failed (errno 5), 37" },
};

START_TEST(report_says_who_holds_files_that_could_not_be_removed)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	r->run.remove_error = removals[_i].error;
	xstr_set(&r->run.workspace, removals[_i].workspace);
	xstr_set(&r->run.left_path, "/left");
	assert_line(r, "CLEAN", removals[_i].want);
}
END_TEST

START_TEST(report_has_only_the_sections_that_say_something)
{
	static const char *const missing[] = { "OVER TIME", "STEADY",  "CALLS", "LIMITED BY",
					       "RUNS",	    "WORKERS", "mixed" };
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *text = page(records_add(&records));

	for (size_t i = 0; i < ARRAY_LEN(missing); i++)
		ck_assert_msg(!strstr(text, missing[i]), "%s", missing[i]);
	ck_assert_ptr_null(strstr(text, "\n\n\n"));
}
END_TEST

/* Writing prepares the files; reading them all is no part of it. */
START_TEST(report_of_a_mixed_run_judges_the_mixed_phase)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add_quick(&records);
	CLEANUP(xfree) char *text = NULL;

	r->plan.mixed_read_percent = 70;
	r->plan.judges_write = 0;
	r->plan.judges_read = 0;
	r->run.read.status = PHASE_NOT_RUN;
	r->report.read.usable = 0;
	r->report.read.call_p50_ns = -1;
	r->run.mixed.status = PHASE_STEADY;
	r->report.mixed.usable = 1;
	r->report.mixed.bytes = 20 * GIB;
	r->report.mixed.elapsed_ns = 20 * NS_PER_S;
	r->report.mixed.aggregate_mib_per_s = 1024;
	r->report.mixed.need_mib_per_s = 400;
	r->report.mixed.carries_cores = 10;
	r->report.mixed.call_p50_ns = 1000;
	r->report.mixed.device_read_await_ns = 2000000;
	r->report.mixed.device_write_await_ns = 3000000;
	assert_line(r, "  mixed judged",
		    "  mixed judged all bytes            256.00   1024  400.0"
		    "  10 cores  unknown");
	assert_line(r, "  write judged", "");
	assert_line(r, "  read  ", "");
	assert_has(r, "  write throughput rate:  n/a ");
	assert_has(r,
		   "   n/a  r_await 2.00 ms,\n" /* two lines */
		   "                                                            w_await 3.00 ms\n");
	assert_has(r, "\n  mixed       ended when steady: 20 GiB");
	assert_has(r, "quick run within 60 s, mixed\n       70/30");
}
END_TEST

static const struct {
	double read, write;
	const char *read_reason, *write_reason, *want;
} others[] = {
	/* Cut, as in the findings. */
	{ 0.09568, 0.49999, "", "",
	  "\n  others   9.5 % in read, 49.9 % in write of the I/O at sdc was not ours\n" },
	{ 0.001, 0.25, "", "",
	  "\n  others   0.1 % in read, 25.0 % in write of the I/O at sdc was not ours\n" },
	{ -1, -1, "none", "none", "\n  others   not attributable: none\n" },
	{ -1, 0.5, "a", "",
	  "\n  others   50.0 % in write of the I/O at sdc was not ours; read: not\n"
	  "           attributable, a\n" },
	{ -1, -1, "a", "b",
	  "\n  others   read: not attributable, a; write: not attributable, b\n" },
	{ -1, -1, "", "", "cycled through them\nLIMITED BY\n" },
};

START_TEST(report_says_what_was_not_ours)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	r->report.read.foreign_ratio = others[_i].read;
	r->report.write.foreign_ratio = others[_i].write;
	xstr_set(&r->report.read.foreign_reason, others[_i].read_reason);
	xstr_set(&r->report.write.foreign_reason, others[_i].write_reason);
	assert_has(r, others[_i].want);
}
END_TEST

static const struct {
	int data, integrity;
	int64_t stamps, bad;
	const char *want;
} proofs[] = {
	{ DATA_UNIQUE, INTEGRITY_STAMPS, 25165824, 0,
	  "\n  data     incompressible, unique; 384 GiB written, every stamp read back, 0 bad\n" },
	{ DATA_UNIQUE, INTEGRITY_STAMPS, 1000, 0,
	  "384 GiB written, 4000 stamps read back, 0 bad\n" },
	{ DATA_ZEROS, INTEGRITY_STAMPS, 0, 0,
	  "\n  data     zeros, of which storage may keep nothing; 384 GiB written, read back\n"
	  "           without comparing\n" },
	{ DATA_COMPRESSIBLE, INTEGRITY_FULL, 25165824, 7,
	  "\n  data     40 % of it compressible; 384 GiB written, every stamp read back,\n"
	  "           every byte compared, 28 bad (worker 1 at byte 8192: zeros)\n" },
	{ DATA_FILE, INTEGRITY_STAMPS, -1, -1,
	  "\n  data     content of /f, repeated; 384 GiB written, read back without comparing\n" },
};

START_TEST(report_says_what_was_written_and_compared)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	r->plan.io.data = proofs[_i].data;
	r->plan.io.integrity = proofs[_i].integrity;
	r->plan.io.compressible_percent = 40;
	xstr_set(&r->plan.io.data_file, "/f");
	for (size_t i = 0; i < r->run.read.n_workers; i++) {
		r->run.read.workers[i].stamps = proofs[_i].stamps;
		r->run.read.workers[i].bad_stamps = proofs[_i].bad;
		r->run.read.workers[i].bad_kind = BAD_ZEROS;
		r->run.read.workers[i].bad_offset_bytes = 8192;
	}
	assert_has(r, proofs[_i].want);
}
END_TEST

/* As in a mixed run, or one whose reads ended early. */
START_TEST(report_says_how_much_was_read_back)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);

	for (size_t i = 0; i < r->run.read.n_workers; i++) {
		r->run.read.workers[i].bytes /= 2;
		r->run.read.workers[i].stamps = r->run.read.workers[i].bytes / 4096;
	}
	assert_has(r, "384 GiB written, every stamp of 192 GiB read");
}
END_TEST

static const struct {
	int64_t ns;
	const char *want;
} call_times[] = {
	{ 0, "   0.00 us" },	    { 999, "   1.00 us" },	  { 9994, "   9.99 us" },
	{ 9995, "   10.0 us" },	    { 999499, "    999 us" },	  { 999500, "   1.00 ms" },
	{ 12345678, "   12.3 ms" }, { 4000000000, "    4.00 s" }, { -1, "       n/a" },
};

START_TEST(report_gives_call_times_with_three_digits)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);
	CLEANUP(xfree) char *want = xasprintf("\n  read  %s%s", "   1.50 ms", call_times[_i].want);

	r->report.read.call_p50_ns = 1500000;
	r->report.read.call_p90_ns = call_times[_i].ns;
	assert_has(r, want);
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
	Suite *suite = suite_create("render_details");
	TCase *all = tcase_create("render_details");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	suite_add_tcase(suite, all);
	tcase_add_loop_test(all, report_is_the_golden_page, 0, ARRAY_LEN(samples));
	tcase_add_loop_test(all, report_is_at_most_80_columns_but_for_paths_and_mounts, 0,
			    ARRAY_LEN(samples));
	tcase_add_loop_test(all, report_of_absurd_numbers_is_a_page, 0, ARRAY_LEN(extremes));
	tcase_add_loop_test(all, report_gives_the_field_command_just_the_number, 0,
			    ARRAY_LEN(cuts));
	tcase_add_test(all, report_says_per_worker_when_workers_are_not_cores);
	tcase_add_loop_test(all, report_has_no_number_of_an_unusable_phase, 0, ARRAY_LEN(unusable));
	tcase_add_test(all, report_has_no_rate_of_an_unusable_control);
	tcase_add_test(all, report_says_why_there_is_no_control_or_none_to_compare);
	tcase_add_test(all, report_hides_the_rate_of_an_unusable_run_but_not_the_median);
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
	tcase_add_loop_test(all, report_has_but_times_in_the_column_done_at, 0,
			    ARRAY_LEN(done_ats));
	tcase_add_test(all, report_says_how_long_first_touch_took);
	tcase_add_test(all, report_explains_the_columns_of_its_rates);
	tcase_add_test(all, report_says_why_a_phase_has_no_limit);
	tcase_add_test(all, report_calls_a_device_what_lies_below_the_file_system);
	tcase_add_test(all, report_of_several_runs_says_which_it_shows);
	tcase_add_test(all, report_of_runs_without_a_judged_rate_says_so);
	tcase_add_test(all, report_shows_a_judged_rate_in_units_of_ten_too);
	tcase_add_loop_test(all, report_title_says_what_kind_of_run_it_was, 0, ARRAY_LEN(titles));
	tcase_add_loop_test(all, report_says_who_holds_files_that_could_not_be_removed, 0,
			    ARRAY_LEN(removals));
	tcase_add_test(all, report_has_only_the_sections_that_say_something);
	tcase_add_test(all, report_of_a_mixed_run_judges_the_mixed_phase);
	tcase_add_loop_test(all, report_says_what_was_not_ours, 0, ARRAY_LEN(others));
	tcase_add_loop_test(all, report_says_what_was_written_and_compared, 0, ARRAY_LEN(proofs));
	tcase_add_test(all, report_says_how_much_was_read_back);
	tcase_add_loop_test(all, report_gives_call_times_with_three_digits, 0,
			    ARRAY_LEN(call_times));
	tcase_add_test(all, report_names_both_versions_when_judged_again);
	tcase_add_test(all, report_of_nothing_known_has_all_lines_and_no_number);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? 1 : 0;
}
