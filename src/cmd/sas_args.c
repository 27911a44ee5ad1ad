/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sas_args - the words of sasiotest: "-word", "-word value" and "-word=value", in any letter case
 *
 * A parser of its own, since these are words with one dash and the file comes first, as people
 * have them in their scripts.
 */
#include "sas_args.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "iotest/cli.h"
#include "iotest/render.h"
#include "iotest/units.h"
#include "iotest/wrap.h"
#include "iotest/xalloc.h"

#define DEFAULT_FILE_BYTES MIB
#define DEFAULT_PAGE_BYTES (8 * KIB)
#define SMALLEST_PAGE_BYTES 512
#define LARGEST_PAGE_BYTES (64 * MIB)
#define LARGEST_TRANSFER_BYTES GIB
#define MOST_PAGES 1024 /* that the kernel takes in one call */
#define MOST_INSTANCES 1024

/* What the original asks of a page that is scattered or gathered, by the width of the system. */
#define SGIO_PAGE_BYTES ((int64_t)sizeof(void *) * 1024)

#define HELP_COLUMN 26

enum word_type { WORD_FLAG, WORD_SIZE, WORD_COUNT, WORD_FORMAT };

static const struct word {
	const char *name;
	enum word_type type;
	size_t offset; /* in struct sas_args */
	const char *value;
	const char *help;
	int64_t max; /* of a WORD_COUNT */
} words[] = {
#define ARG(m) offsetof(struct sas_args, m)
	{ "w", WORD_FLAG, ARG(writes), "", "create the file and write it; it stays", 0 },
	{ "r", WORD_FLAG, ARG(reads), "", "read the file; this is the default", 0 },
	{ "seq", WORD_FLAG, ARG(sequential), "", "from the begin to the end; this is the default",
	  0 },
	{ "ran", WORD_FLAG, ARG(random), "", "read pages at random, none twice", 0 },
	{ "filesize", WORD_SIZE, ARG(file_bytes), " N",
	  "bytes to write or to read: 800k, 512K, 5MB, 129G; default: 1M, and with -ran the whole "
	  "file",
	  0 },
	{ "pagesize", WORD_SIZE, ARG(page_bytes), " N", "bytes of a page; default: 8K", 0 },
	{ "sgio", WORD_FLAG, ARG(sgio), "", "gather and scatter: several pages in one call", 0 },
	{ "numpages", WORD_COUNT, ARG(n_pages), " N", "pages in one call of -sgio", MOST_PAGES },
	{ "unbuffered", WORD_FLAG, ARG(unbuffered), "", "past the page cache, with O_DIRECT", 0 },
	{ "writethru", WORD_FLAG, ARG(writethru), "",
	  "each write goes to the storage, with O_DSYNC", 0 },
	{ "cached", WORD_FLAG, ARG(cached), "",
	  "do not drop the file from the page cache before it is read", 0 },
	{ "force", WORD_FLAG, ARG(force), "", "overwrite a file that is not one of sasiotest's own",
	  0 },
	{ "instances", WORD_COUNT, ARG(n_instances), " N",
	  "so many at the same time, on FILE.1 to FILE.N", MOST_INSTANCES },
	{ "format", WORD_FORMAT, ARG(format), " FORMAT",
	  "of the output: text (the default) or json", 0 },
#undef ARG
};

/* What a word processor makes of a dash, besides the dash itself. */
static const char *const dashes[] = { "--", "-", "\xe2\x80\x93", "\xe2\x80\x94", "\xe2\x88\x92" };

/* The word behind its dash, or NULL if it has none. */
static const char *behind_dash(const char *arg)
{
	for (size_t i = 0; i < ARRAY_LEN(dashes); i++) {
		size_t len = strlen(dashes[i]);

		if (!strncmp(arg, dashes[i], len) && arg[len])
			return arg + len;
	}
	return NULL;
}

static int err_unknown(const char *arg, const char *name, struct err *err)
{
	const char *names[ARRAY_LEN(words)];
	const char *nearest;

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		names[i] = words[i].name;
	nearest = cli_nearest(name, names, ARRAY_LEN(words));
	err_usage(err, "%s: no such option", arg);
	if (nearest)
		err_advise(err, "did you mean -%s?", nearest);
	else
		err_advise(err, "sasiotest --help lists the options");
	return -EINVAL;
}

static int err_word(const char *arg, struct err *err)
{
	err_usage(err, "'%s' is neither an option nor the value of one", arg);
	err_advise(err, "the file name is the first word, and options begin with a dash");
	return -EINVAL;
}

static const struct word *find_word(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i].name) == len && !strncasecmp(words[i].name, name, len))
			return &words[i];
	return NULL;
}

static int take_size(const struct word *word, const char *value, int64_t *out, struct err *err)
{
	int64_t bytes = 0;
	int rc = units_parse_size(value, &bytes);

	if (rc == -ERANGE)
		return err_usage(err, "-%s: %s is more than 8 EiB", word->name, value);
	if (rc || bytes < 1)
		return err_usage(err, "-%s: '%s' is not a size such as 800k, 512K, 5MB or 129G",
				 word->name, value);
	*out = bytes;
	return 0;
}

static int take_count(const struct word *word, const char *value, int64_t *out, struct err *err)
{
	int64_t n = 0;

	if (units_parse_count(value, 1, word->max, &n))
		return err_usage(err, "-%s: '%s' is not a number between 1 and %" PRId64,
				 word->name, value, word->max);
	*out = n;
	return 0;
}

static int take_format(const char *value, int *out, struct err *err)
{
	for (int i = 0; format_choices[i]; i++) {
		if (strcasecmp(value, format_choices[i]))
			continue;
		*out = i;
		return 0;
	}
	return err_usage(err, "-format: '%s' is neither text nor json", value);
}

static int take_value(const struct word *word, const char *value, struct sas_args *args,
		      struct err *err)
{
	void *at = (char *)args + word->offset;

	if (word->type == WORD_FORMAT)
		return take_format(value, at, err);
	if (*(int64_t *)at >= 0)
		return err_usage(err, "-%s is given twice", word->name);
	if (word->type == WORD_SIZE)
		return take_size(word, value, at, err);
	return take_count(word, value, at, err);
}

/* One option; *next is moved behind its value. */
static int take_option(char ***next, char **end, struct sas_args *args, struct err *err)
{
	const char *arg = *(*next)++;
	const char *name = behind_dash(arg);
	size_t len = name ? strcspn(name, "=") : 0;
	const struct word *word = name ? find_word(name, len) : NULL;
	const char *value;

	if (!name)
		return err_word(arg, err);
	if (!word)
		return err_unknown(arg, name, err);
	value = name[len] ? name + len + 1 : NULL;
	if (word->type == WORD_FLAG) {
		if (value)
			return err_usage(err, "-%s takes no value", word->name);
		*(bool *)((char *)args + word->offset) = true;
		return 0;
	}
	if (!value && *next < end)
		value = *(*next)++;
	if (!value)
		return err_usage(err, "-%s needs a value", word->name);
	return take_value(word, value, args, err);
}

/* How many there are may be said before the file, as it is no option of the original's. */
static bool is_instances(const char *arg)
{
	const char *name = behind_dash(arg);
	const struct word *word = name ? find_word(name, strcspn(name, "=")) : NULL;

	return word && strcmp(word->name, "instances") == 0;
}

static int take_file(char ***next, char **end, struct sas_args *args, struct err *err)
{
	static const char advice[] =
		"such as: sasiotest /saswork/testfile1.dat -w -filesize 129G -pagesize 128K";

	if (*next >= end || !(**next)[0]) {
		err_usage(err, "no file is named: it is the first word");
	} else if (behind_dash(**next)) {
		err_usage(err, "%s: the file name must be the first word, before all options",
			  **next);
	} else {
		args->file = *(*next)++;
		return 0;
	}
	err_advise(err, "%s", advice);
	return -EINVAL;
}

/* Pairs that say the opposite, and words that have no meaning without another one. */
static int check_pairs(const struct sas_args *a, struct err *err)
{
	const struct {
		bool is_wrong;
		const char *sentence;
	} rules[] = {
		{ a->writes && a->reads, "-w writes and -r reads; give one of them" },
		{ a->sequential && a->random, "-seq and -ran are two orders; give one of them" },
		{ a->writes && a->random,
		  "-ran reads pages of an existing file, and -w writes; give one of them" },
		{ a->sgio && a->n_pages < 0, "-sgio needs -numpages: how many pages in one call" },
		{ !a->sgio && a->n_pages >= 0, "-numpages is for -sgio; give that, too" },
		{ a->writes && a->cached,
		  "-cached is for reading: what is written was not read before" },
		{ !a->writes && a->force, "-force is for writing (-w): reading harms no file" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (rules[i].is_wrong)
			return err_usage(err, "%s", rules[i].sentence);
	return 0;
}

static int check_pages(const struct sas_args *a, struct err *err)
{
	int64_t bytes = a->page_bytes;

	if (bytes < SMALLEST_PAGE_BYTES || bytes > LARGEST_PAGE_BYTES)
		return err_usage(err, "-pagesize: %" PRId64 " bytes are not between 512 and 64M",
				 bytes);
	if (!a->sgio)
		return 0;
	if (bytes % SGIO_PAGE_BYTES)
		return err_usage(err,
				 "-pagesize: with -sgio it must be a multiple of %" PRId64
				 "K, and %" PRId64 " bytes are not",
				 SGIO_PAGE_BYTES / KIB, bytes);
	if (a->n_pages > LARGEST_TRANSFER_BYTES / bytes)
		return err_usage(err,
				 "-numpages: one call of %" PRId64 " x %" PRId64
				 " bytes is more than 1G",
				 a->n_pages, bytes);
	return 0;
}

static void note(struct sas_args *args, const char *text)
{
	strlist_add(&args->notes, text);
}

static void take_defaults(struct sas_args *args)
{
	if (!args->writes && !args->reads)
		note(args, "neither -w nor -r is given: the file is read (-r)");
	args->reads = !args->writes;
	if (args->file_bytes < 0 && args->random) {
		note(args, "-filesize is not given: as many bytes are read as the file has");
	} else if (args->file_bytes < 0) {
		note(args, "-filesize is not given: 1M is taken (1048576 bytes)");
		args->file_bytes = DEFAULT_FILE_BYTES;
	}
	if (args->page_bytes < 0) {
		note(args, "-pagesize is not given: 8K is taken (8192 bytes)");
		args->page_bytes = DEFAULT_PAGE_BYTES;
	}
	if (args->reads && args->writethru)
		note(args, "-writethru is for writing, and nothing is written: it has no effect");
}

int sas_args_parse(int argc, char **argv, struct sas_args *args, struct err *err)
{
	char **next = argv + 1;
	char **end = argv + argc;
	int rc = 0;

	*args = (struct sas_args){
		.file_bytes = -1,
		.page_bytes = -1,
		.n_pages = -1,
		.n_instances = -1,
	};
	while (!rc && next < end && is_instances(*next))
		rc = take_option(&next, end, args, err);
	if (!rc)
		rc = take_file(&next, end, args, err);
	while (!rc && next < end)
		rc = take_option(&next, end, args, err);
	if (!rc)
		rc = check_pairs(args, err);
	if (rc)
		return rc;
	take_defaults(args);
	if (args->n_pages < 0)
		args->n_pages = 1;
	return check_pages(args, err);
}

void sas_args_done(struct sas_args *args)
{
	strlist_done(&args->notes);
}

static void add_row(struct buf *page, const char *name, const char *value, const char *help)
{
	CLEANUP(buf_done) struct buf left = { 0 };

	buf_printf(&left, "  %s%s", name, value);
	buf_printf(page, "%-*s", HELP_COLUMN, buf_text(&left));
	wrap_add(page, HELP_COLUMN, HELP_COLUMN, help, strlen(help));
}

void sas_args_add_help(struct buf *page)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		CLEANUP(xfree) char *name = xasprintf("-%s", words[i].name);

		add_row(page, name, words[i].value, words[i].help);
	}
	add_row(page, "-h, --help", "", "show this page");
}
