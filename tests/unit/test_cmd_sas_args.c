/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_cmd_sas_args - the words of sasiotest
 */
#include <errno.h>
#include <string.h>

#include "cmd/sas_args.h"
#include "iotest/compiler.h"
#include "iotest/render.h"
#include "suite.h"

#define WORDS_MAX 16

static struct sas_args args;
static struct err err;

/* Words between spaces; the name of the program comes before them. */
static int parse(const char *line)
{
	static char text[512];
	char *words[WORDS_MAX + 2];
	char program[] = "sasiotest";
	int n = 0;

	words[n++] = program;
	strncpy(text, line, sizeof(text) - 1);
	for (char *w = strtok(text, " "); w && n <= WORDS_MAX; w = strtok(NULL, " "))
		words[n++] = w;
	words[n] = NULL;
	err = (struct err){ 0 };
	return sas_args_parse(n, words, &args, &err);
}

static void must_parse(const char *line)
{
	ck_assert_msg(parse(line) == 0, "%s: %s", line, err.sentence);
}

static const struct {
	const char *line;
	bool writes, random, sgio, unbuffered, writethru;
	int64_t file_bytes, page_bytes, n_pages, n_instances;
} good[] = {
	{ "f -w -filesize 129G -pagesize 128K", 1, 0, 0, 0, 0, 138512695296, 131072, 1, -1 },
	{ "f -w -filesize 129G \xe2\x80\x93pagesize 128K", 1, 0, 0, 0, 0, 138512695296, 131072, 1,
	  -1 },
	{ "f -W -FILESIZE 129m -PageSize 128k", 1, 0, 0, 0, 0, 135266304, 131072, 1, -1 },
	{ "f --w --filesize=5MB", 1, 0, 0, 0, 0, 5242880, 8192, 1, -1 },
	{ "f -r -filesize=800k -pagesize=64KB", 0, 0, 0, 0, 0, 819200, 65536, 1, -1 },
	{ "f", 0, 0, 0, 0, 0, 1048576, 8192, 1, -1 },
	{ "f -seq", 0, 0, 0, 0, 0, 1048576, 8192, 1, -1 },
	{ "f -ran", 0, 1, 0, 0, 0, -1, 8192, 1, -1 },
	{ "f -r -ran -filesize 2GB", 0, 1, 0, 0, 0, 2147483648, 8192, 1, -1 },
	{ "f -w -sgio -numpages 16 -unbuffered -writethru", 1, 0, 1, 1, 1, 1048576, 8192, 16, -1 },
	{ "f -w -filesize 4194304 -pagesize 4K -unbuffered", 1, 0, 0, 1, 0, 4194304, 4096, 1, -1 },
	{ "f -w -w -instances 5", 1, 0, 0, 0, 0, 1048576, 8192, 1, 5 },
	{ "-instances 3 f -w", 1, 0, 0, 0, 0, 1048576, 8192, 1, 3 },
	{ "-INSTANCES=3 f -r -ran", 0, 1, 0, 0, 0, -1, 8192, 1, 3 },
	{ "f -w -filesize 5000000000", 1, 0, 0, 0, 0, 5000000000, 8192, 1, -1 },
};

START_TEST(sasiotest_understands_its_words)
{
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		const char *line = good[i].line;

		must_parse(line);
		ck_assert_msg(!strcmp(args.file, "f"), "%s", line);
		ck_assert_msg(args.writes == good[i].writes, "%s", line);
		ck_assert_msg(args.reads == !good[i].writes, "%s", line);
		ck_assert_msg(args.random == good[i].random, "%s", line);
		ck_assert_msg(args.sgio == good[i].sgio, "%s", line);
		ck_assert_msg(args.unbuffered == good[i].unbuffered, "%s", line);
		ck_assert_msg(args.writethru == good[i].writethru, "%s", line);
		ck_assert_msg(args.file_bytes == good[i].file_bytes, "%s", line);
		ck_assert_msg(args.page_bytes == good[i].page_bytes, "%s", line);
		ck_assert_msg(args.n_pages == good[i].n_pages, "%s", line);
		ck_assert_msg(args.n_instances == good[i].n_instances, "%s", line);
		sas_args_done(&args);
	}
}
END_TEST

static const struct {
	const char *line;
	const char *sentence;
} bad[] = {
	{ "", "no file is named" },
	{ "-w f", "-w: the file name must be the first word" },
	{ "\xe2\x80\x93w f", "the file name must be the first word" },
	{ "f g", "'g' is neither an option nor the value of one" },
	{ "f -", "'-' is neither an option" },
	{ "f -w -r", "give one of them" },
	{ "f -seq -ran", "give one of them" },
	{ "f -w -ran", "-ran reads pages of an existing file" },
	{ "f -filesize", "-filesize needs a value" },
	{ "f -filesize -w", "-filesize: '-w' is not a size" },
	{ "f -filesize 12QB", "-filesize: '12QB' is not a size" },
	{ "f -filesize 0", "-filesize: '0' is not a size" },
	{ "f -filesize -5", "-filesize: '-5' is not a size" },
	{ "f -filesize 1.3", "-filesize: '1.3' is not a size" },
	{ "f -filesize=", "-filesize: '' is not a size" },
	{ "f -filesize 9E", "-filesize: 9E is more than 8 EiB" },
	{ "f -filesize 1M -filesize 1M", "-filesize is given twice" },
	{ "f -pagesize eight", "-pagesize: 'eight' is not a size" },
	{ "f -pagesize 511", "-pagesize: 511 bytes are not between 512 and 64M" },
	{ "f -pagesize 65M", "are not between 512 and 64M" },
	{ "f -sgio", "-sgio needs -numpages" },
	{ "f -numpages 4", "-numpages is for -sgio" },
	{ "f -sgio -numpages 0", "-numpages: '0' is not a number between 1 and 1024" },
	{ "f -sgio -numpages 1025", "-numpages: '1025' is not a number between 1 and 1024" },
	{ "f -sgio -numpages 4 -pagesize 12K",
	  "must be a multiple of 8K, and 12288 bytes are not" },
	{ "f -sgio -numpages 1024 -pagesize 2M", "is more than 1G" },
	{ "f -instances 0", "-instances: '0' is not a number between 1 and 1024" },
	{ "f -format xml", "-format: 'xml' is neither text nor json" },
	{ "f -w=1", "-w takes no value" },
	{ "f -w -cached", "-cached is for reading" },
	{ "f -r -force", "-force is for writing" },
	{ "f -filesiez 1M", "-filesiez: no such option" },
};

START_TEST(sasiotest_names_what_is_wrong)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		ck_assert_msg(parse(bad[i].line) == -EINVAL, "%s", bad[i].line);
		ck_assert_msg(strstr(err.sentence, bad[i].sentence) != NULL, "%s: %s", bad[i].line,
			      err.sentence);
		ck_assert_int_eq(err.status, EXIT_STATUS_USAGE);
		sas_args_done(&args);
	}
}
END_TEST

START_TEST(sasiotest_tells_the_nearest_option)
{
	ck_assert_int_eq(parse("f -filesiez 1M"), -EINVAL);
	ck_assert_str_eq(err.advice, "did you mean -filesize?");
}
END_TEST

static const struct {
	const char *line;
	size_t n;
	const char *about;
} noted[] = {
	{ "f -w -filesize 1M -pagesize 8K", 0, "" },
	{ "f -filesize 1M -pagesize 8K", 1, "-r" },
	{ "f -w -pagesize 8K", 1, "1048576 bytes" },
	{ "f -w -filesize 1M", 1, "8192 bytes" },
	{ "f -r -ran -pagesize 8K", 1, "as the file has" },
	{ "f -r -filesize 1M -pagesize 8K -writethru", 1, "no effect" },
	{ "f", 3, "-r" },
};

START_TEST(sasiotest_tells_each_default_that_it_takes)
{
	for (size_t i = 0; i < ARRAY_LEN(noted); i++) {
		must_parse(noted[i].line);
		ck_assert_msg(args.notes.n_items == noted[i].n, "%s", noted[i].line);
		if (noted[i].n > 0)
			ck_assert_msg(strstr(args.notes.items[0], noted[i].about) != NULL, "%s: %s",
				      noted[i].line, args.notes.items[0]);
		sas_args_done(&args);
	}
}
END_TEST

START_TEST(sasiotest_takes_a_format)
{
	must_parse("f -w --format JSON");
	ck_assert_int_eq(args.format, FORMAT_JSON);
	sas_args_done(&args);
}
END_TEST

SUITE_MAIN("sas_args", sasiotest_understands_its_words, sasiotest_names_what_is_wrong,
	   sasiotest_tells_the_nearest_option, sasiotest_tells_each_default_that_it_takes,
	   sasiotest_takes_a_format)
