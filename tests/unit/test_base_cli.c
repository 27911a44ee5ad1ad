/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_base_cli - option tables
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cli_help.h"
#include "iotest/cli.h"
#include "suite.h"

struct args {
	bool quiet;
	bool keep;
	const char *output;
	struct strlist targets;
	int64_t size;
	int64_t block_kib;
	int64_t workers;
	int64_t limit_ns;
	int format;
};

static const char *const formats[] = { "text", "json", NULL };

static const struct cli_option options[] = {
	{ 't', "target", CLI_LIST, offsetof(struct args, targets), "DIR", NULL,
	  "directory to test; may be given more than once", NULL },
	{ 'o', "output", CLI_TEXT, offsetof(struct args, output), "DIR", NULL,
	  "where the bundle goes", NULL },
	{ 0, "size", CLI_SIZE, offsetof(struct args, size), "SIZE", NULL,
	  "bytes of each worker, a text that is long enough to need a second line on a page of "
	  "eighty columns",
	  NULL },
	{ 's', NULL, CLI_COUNT, offsetof(struct args, block_kib), "KIB", NULL, "block size in KiB",
	  "size" },
	{ 'i', "workers", CLI_COUNT, offsetof(struct args, workers), "N", NULL, "workers", NULL },
	{ 0, "a-very-long-time-limit", CLI_DURATION, offsetof(struct args, limit_ns), "DURATION",
	  NULL, "end in an orderly way", NULL },
	{ 0, "format", CLI_CHOICE, offsetof(struct args, format), "FORMAT", formats,
	  "how the report is written", NULL },
	{ 'q', "quiet", CLI_FLAG, offsetof(struct args, quiet), NULL, NULL, "no progress", NULL },
	{ 'k', "keep-dir", CLI_FLAG, offsetof(struct args, keep), NULL, NULL, "keep it", NULL },
};

static const struct command command = {
	.name = "run",
	.synopsis = "-t DIR [options]",
	.summary = "Tests a directory.",
	.details = "Sizes are binary.\n\n  iotest -t /mnt",
	.options = options,
	.n_options = ARRAY_LEN(options),
};

#define MAX_ARGS 9

/* Parses the words up to NULL. What args and words borrow stays until the next call. */
static int parse(const char *const *in, struct args *args, struct cli_words *words, struct err *err)
{
	static char copies[MAX_ARGS][64];
	char *argv[MAX_ARGS + 1] = { copies[0] };
	int argc = 1;

	for (; argc < MAX_ARGS && in[argc - 1]; argc++) {
		snprintf(copies[argc], sizeof(copies[0]), "%s", in[argc - 1]);
		argv[argc] = copies[argc];
	}
	return cli_parse(&command, argc, argv, args, words, err);
}

static void args_done(struct args *args)
{
	strlist_done(&args->targets);
}

START_TEST(cli_reads_every_type)
{
	static const char *const in[] = {
		"-t/a",		 "--target=/b", "--size", "1.5G", "--a-very-long-time-limit=2m",
		"--format=json", "-qk",		NULL
	};
	CLEANUP(args_done) struct args args = { .workers = -1 };
	struct err err = { 0 };

	ck_assert_msg(parse(in, &args, NULL, &err) == 0, "%s", err.sentence);
	ck_assert_uint_eq(args.targets.n_items, 2);
	ck_assert_str_eq(args.targets.items[0], "/a");
	ck_assert_str_eq(args.targets.items[1], "/b");
	ck_assert_int_eq(args.size, 3 * GIB / 2);
	ck_assert_int_eq(args.limit_ns, 120 * NS_PER_S);
	ck_assert_int_eq(args.format, 1);
	ck_assert(args.quiet && args.keep);
	ck_assert_int_eq(args.workers, -1);
}
END_TEST

START_TEST(cli_collects_words_and_stops_at_two_dashes)
{
	static const char *const in[] = { "one", "-q", "-", "--", "-k", "--size", NULL };
	CLEANUP(args_done) struct args args = { 0 };
	CLEANUP(cli_words_done) struct cli_words words = { 0 };
	struct err err = { 0 };

	ck_assert_int_eq(parse(in, &args, &words, &err), 0);
	ck_assert(args.quiet && !args.keep);
	ck_assert_uint_eq(words.n_items, 4);
	ck_assert_str_eq(words.items[0], "one");
	ck_assert_str_eq(words.items[1], "-");
	ck_assert_str_eq(words.items[2], "-k");
	ck_assert_str_eq(words.items[3], "--size");
}
END_TEST

START_TEST(cli_flags_may_repeat)
{
	static const char *const in[] = { "-q", "--quiet", NULL };
	CLEANUP(args_done) struct args args = { 0 };
	struct err err = { 0 };

	ck_assert_int_eq(parse(in, &args, NULL, &err), 0);
	ck_assert(args.quiet);
}
END_TEST

START_TEST(cli_answers_mistakes_with_one_sentence)
{
	static const struct {
		const char *in[4];
		const char *sentence;
		const char *advice;
	} rows[] = {
		{ { "--size", "12 QB" },
		  "--size: '12 QB' is not a size",
		  "sizes are binary: 64K, 512M, 10G" },
		{ { "--size=0" }, "--size: must be at least 1, not 0", "" },
		{ { "--size=0G" }, "--size: must be at least 1, not 0G", "" },
		{ { "--size", "-5G" }, "--size: must be at least 1, not -5G", "" },
		{ { "--size=99999999999G" }, "--size: '99999999999G' is too large", "" },
		{ { "--size=" }, "--size: '' is not a size", "sizes are binary: 64K, 512M, 10G" },
		{ { "--size" }, "--size: needs a value", "write --size SIZE" },
		{ { "-s", "10G" }, "-s: '10G' is not a whole number", "did you mean --size?" },
		{ { "-s10G" }, "-s: '10G' is not a whole number", "did you mean --size?" },
		{ { "-s", "ten" }, "-s: 'ten' is not a whole number", "" },
		{ { "-i", "10G" }, "-i: '10G' is not a whole number", "" },
		{ { "--workers", "0" }, "--workers: must be at least 1, not 0", "" },
		{ { "--workers=99999999999999999999" },
		  "--workers: '99999999999999999999' is too large",
		  "" },
		{ { "--a-very-long-time-limit=5x" },
		  "--a-very-long-time-limit: '5x' is not a duration",
		  "durations are written 90s, 10m, 1h30m" },
		{ { "--format=jsno" },
		  "--format: 'jsno' is none of text, json",
		  "did you mean json?" },
		{ { "--format=yaml" }, "--format: 'yaml' is none of text, json", "" },
		{ { "--output=" }, "--output: must not be empty", "" },
		{ { "-t", "" }, "-t: must not be empty", "" },
		{ { "-t" }, "-t: needs a value", "write -t DIR" },
		{ { "--quiet=yes" }, "--quiet: takes no value", "" },
		{ { "-o", "a", "--output=b" }, "--output: given twice", "" },
		{ { "--sise", "1G" }, "--sise: no such option", "did you mean --size?" },
		{ { "--targ", "x" }, "--targ: no such option", "did you mean --target?" },
		{ { "--zzzzzz" },
		  "--zzzzzz: no such option",
		  "iotest run --help lists the options" },
		{ { "-size" }, "-size: no such option", "did you mean --size?" },
		{ { "-x" }, "-x: no such option", "iotest run --help lists the options" },
		{ { "-qx" }, "-x: no such option", "iotest run --help lists the options" },
		{ { "-T" }, "-T: no such option", "did you mean -t?" },
		{ { "-v" }, "-v: no such option", "did you mean iotest --version?" },
		{ { "-?" }, "-?: no such option", "did you mean --help?" },
		{ { "/data" },
		  "'/data': neither an option nor the value of one",
		  "did you mean -t /data?" },
		{ { "--size", "10", "G" },
		  "'G': neither an option nor the value of one",
		  "write it as one word: 10G" },
		{ { "--", "--size" },
		  "'--size': neither an option nor the value of one",
		  "did you mean --size?" },
		{ { "-quiet" }, "-quiet: no such option", "did you mean --quiet?" },
		{ { "trget" },
		  "'trget': neither an option nor the value of one",
		  "did you mean --target?" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(args_done) struct args args = { 0 };
		struct err err = { 0 };

		ck_assert_int_eq(parse(rows[i].in, &args, NULL, &err), -EINVAL);
		ck_assert_str_eq(err.sentence, rows[i].sentence);
		ck_assert_str_eq(err.advice, rows[i].advice);
		ck_assert_int_eq(err.status, EXIT_STATUS_USAGE);
	}
}
END_TEST

START_TEST(cli_leaves_a_refused_value_untouched)
{
	static const char *const in[] = { "--workers=x", NULL };
	CLEANUP(args_done) struct args args = { .workers = -1 };
	struct err err = { 0 };

	ck_assert_int_eq(parse(in, &args, NULL, &err), -EINVAL);
	ck_assert_int_eq(args.workers, -1);
}
END_TEST

START_TEST(cli_finds_the_word_that_was_meant)
{
	static const char *const words[] = { "run", "probe", "plan", "report", "time-limit" };
	static const struct {
		const char *in;
		const char *want;
	} rows[] = {
		{ "rn", "run" },
		{ "pln", "plan" },
		{ "prboe", "probe" },
		{ "reprot", "report" },
		{ "REPORT", "report" },
		{ "rep", "report" },
		{ "time", "time-limit" },
		{ "run", "run" },
		{ "xyz", NULL },
		{ "", NULL },
		{ "p", NULL },
		{ "/mnt/data", NULL },
		{ "a-word-that-is-much-too-long-to-be-any-of-the-words", NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *got = cli_nearest(rows[i].in, words, ARRAY_LEN(words));

		ck_assert_msg(!got == !rows[i].want, "'%s': %s", rows[i].in, got ? got : "none");
		if (got)
			ck_assert_str_eq(got, rows[i].want);
	}
}
END_TEST

START_TEST(cli_sees_a_wish_for_help_before_two_dashes)
{
	char run[] = "run";
	char help[] = "--help";
	char letter[] = "-h";
	char dashes[] = "--";
	char *with[] = { run, run, help };
	char *with_letter[] = { run, letter };
	char *without[] = { run, dashes, help };

	ck_assert(cli_wants_help(3, with));
	ck_assert(cli_wants_help(2, with_letter));
	ck_assert(!cli_wants_help(3, without));
	ck_assert(!cli_wants_help(1, with));
}
END_TEST

START_TEST(cli_help_page_shows_every_option_within_80_columns)
{
	static const char want[] =
		"usage: iotest run -t DIR [options]\n"
		"\n"
		"Tests a directory.\n"
		"\n"
		"Options:\n"
		"  -t, --target DIR        directory to test; may be given more than once\n"
		"  -o, --output DIR        where the bundle goes\n"
		"      --size SIZE         bytes of each worker, a text that is long enough to\n"
		"                          need a second line on a page of eighty columns\n"
		"  -s KIB                  block size in KiB\n"
		"  -i, --workers N         workers\n"
		"      --a-very-long-time-limit DURATION\n"
		"                          end in an orderly way\n"
		"      --format FORMAT     how the report is written (text | json)\n"
		"  -q, --quiet             no progress\n"
		"  -k, --keep-dir          keep it\n"
		"  -h, --help              show this page\n"
		"\n"
		"Sizes are binary.\n"
		"\n"
		"  iotest -t /mnt\n";
	CLEANUP(buf_done) struct buf page = { 0 };

	cli_add_help(&command, &page);
	ck_assert_str_eq(buf_text(&page), want);
}
END_TEST

SUITE_MAIN("base cli", cli_reads_every_type, cli_collects_words_and_stops_at_two_dashes,
	   cli_flags_may_repeat, cli_answers_mistakes_with_one_sentence,
	   cli_leaves_a_refused_value_untouched, cli_finds_the_word_that_was_meant,
	   cli_sees_a_wish_for_help_before_two_dashes,
	   cli_help_page_shows_every_option_within_80_columns)
