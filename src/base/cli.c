/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli - option tables: parsed, checked and printed by the same rows
 */
#include "iotest/cli.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_help.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"

/* One walk over argv. */
struct parser {
	const struct command *command;
	int argc;
	char **argv;
	int at; /* of the argument in hand */
	char *args;
	struct cli_words *words;
	bool *seen; /* one for each option */
	struct err *err;
	bool only_words; /* "--" was seen */
};

/* One option as it was given. */
struct given {
	const struct cli_option *option;
	const char *as; /* "--size" or "-s", as it was written */
	const char *value;
};

/* How a type reads its value: parse stores at the place; the texts are for what went wrong. */
struct value_type {
	int (*parse)(const char *text, int64_t *out);
	const char *is_not;
	const char *advice;
};

static int parse_count(const char *text, int64_t *out)
{
	return units_parse_count(text, 0, INT64_MAX, out);
}

/* The types that are a number of at least 1. */
static const struct value_type value_types[] = {
	[CLI_SIZE] = { units_parse_size, "is not a size", "sizes are binary: 64K, 512M, 10G" },
	[CLI_COUNT] = { parse_count, "is not a whole number", NULL },
	[CLI_DURATION] = { units_parse_duration, "is not a duration",
			   "durations are written 90s, 10m, 1h30m" },
};

static bool is_sized(const char *text)
{
	int64_t bytes;

	return units_parse_size(text, &bytes) != -EINVAL;
}

static int store_number(const struct given *g, void *place, struct err *err)
{
	const struct value_type *type = &value_types[g->option->type];
	const char *text = g->value;
	bool is_negative = text[0] == '-';
	int64_t n = 0;
	int rc;

	rc = type->parse(text + is_negative, &n);
	if (rc == -EINVAL) {
		err_usage(err, "%s: '%s' %s", g->as, text, type->is_not);
		if (g->option->size_hint && is_sized(text))
			err_advise(err, "did you mean --%s?", g->option->size_hint);
		else if (type->advice)
			err_advise(err, "%s", type->advice);
		return -EINVAL;
	}
	if (is_negative || (rc == 0 && n == 0))
		return err_usage(err, "%s: must be at least 1, not %s", g->as, text);
	if (rc)
		return err_usage(err, "%s: '%s' is too large", g->as, text);
	*(int64_t *)place = n;
	return 0;
}

static int store_flag(const struct given *g UNUSED, void *place, struct err *err UNUSED)
{
	*(bool *)place = true;
	return 0;
}

static int store_text(const struct given *g, void *place, struct err *err)
{
	if (g->value[0] == '\0')
		return err_usage(err, "%s: must not be empty", g->as);
	*(const char **)place = g->value;
	return 0;
}

static int store_list(const struct given *g, void *place, struct err *err)
{
	if (g->value[0] == '\0')
		return err_usage(err, "%s: must not be empty", g->as);
	strlist_add(place, g->value);
	return 0;
}

static int store_choice(const struct given *g, void *place, struct err *err)
{
	const char *const *choices = g->option->choices;
	CLEANUP(buf_done) struct buf all = { 0 };
	const char *near;
	int n = 0;

	for (; choices[n]; n++) {
		if (strcmp(choices[n], g->value) == 0) {
			*(int *)place = n;
			return 0;
		}
		buf_printf(&all, "%s%s", n ? ", " : "", choices[n]);
	}
	err_usage(err, "%s: '%s' is none of %s", g->as, g->value, buf_text(&all));
	near = cli_nearest(g->value, choices, (size_t)n);
	if (near)
		err_advise(err, "did you mean %s?", near);
	return -EINVAL;
}

static int (*const stores[])(const struct given *g, void *place, struct err *err) = {
	[CLI_FLAG] = store_flag,     [CLI_TEXT] = store_text,	 [CLI_LIST] = store_list,
	[CLI_SIZE] = store_number,   [CLI_COUNT] = store_number, [CLI_DURATION] = store_number,
	[CLI_CHOICE] = store_choice,
};

static int store(struct parser *p, const struct given *g)
{
	size_t index = (size_t)(g->option - p->command->options);
	bool may_repeat = g->option->type == CLI_LIST || g->option->type == CLI_FLAG;

	if (p->seen[index] && !may_repeat)
		return err_usage(p->err, "%s: given twice", g->as);
	p->seen[index] = true;
	return stores[g->option->type](g, p->args + g->option->offset, p->err);
}

/* The value in the next argument. */
static int take_value(struct parser *p, struct given *g)
{
	if (p->at + 1 >= p->argc) {
		err_usage(p->err, "%s: needs a value", g->as);
		err_advise(p->err, "write %s %s", g->as,
			   g->option->value ? g->option->value : "VALUE");
		return -EINVAL;
	}
	g->value = p->argv[++p->at];
	return 0;
}

static void advise_page(struct parser *p)
{
	const char *name = p->command->name;

	err_advise(p->err, "iotest %s%s--help lists the options", name, name[0] ? " " : "");
}

static const struct cli_option *find_letter(const struct command *command, char letter)
{
	for (size_t i = 0; i < command->n_options; i++) {
		if (command->options[i].letter == letter)
			return &command->options[i];
	}
	return NULL;
}

/* A letter in the other case, or one that other programs have. */
static bool advise_letter(struct parser *p, const char *given)
{
	char other = (char)(isupper((unsigned char)given[1]) ? tolower((unsigned char)given[1])
							     : toupper((unsigned char)given[1]));

	if (given[0] != '-' || !given[1] || given[2])
		return false;
	if (given[1] == '?')
		err_advise(p->err, "did you mean --help?");
	else if (strchr("vV", given[1]))
		err_advise(p->err, "did you mean iotest --version?");
	else if (find_letter(p->command, other))
		err_advise(p->err, "did you mean -%c?", other);
	else
		return false;
	return true;
}

/* A path that stands alone is meant as the first list of the command; "10 G" is one size. */
static bool advise_word(struct parser *p, const char *given)
{
	CLEANUP(xfree) char *joined = xasprintf("%s%s", p->argv[p->at - 1], given);
	int64_t bytes;

	if (isalpha((unsigned char)given[0]) && units_parse_size(joined, &bytes) == 0) {
		err_advise(p->err, "write it as one word: %s", joined);
		return true;
	}
	for (size_t i = 0; strchr(given, '/') && i < p->command->n_options; i++) {
		if (p->command->options[i].type != CLI_LIST)
			continue;
		err_advise(p->err, "did you mean -%c %s?", p->command->options[i].letter, given);
		return true;
	}
	return false;
}

/* Fills err for a word or option that the command does not have. */
static int refuse(struct parser *p, const char *given, const char *name)
{
	CLEANUP(xfree) const char **names = xcalloc(p->command->n_options + 1, sizeof(*names));
	const char *near;
	size_t n = 0;

	for (size_t i = 0; i < p->command->n_options; i++) {
		if (p->command->options[i].name)
			names[n++] = p->command->options[i].name;
	}
	names[n++] = "help";
	near = cli_nearest(name, names, n);
	if (given[0] == '-' && !p->only_words)
		err_usage(p->err, "%s: no such option", given);
	else
		err_usage(p->err, "'%s': neither an option nor the value of one", given);
	if (near)
		err_advise(p->err, "did you mean --%s?", near);
	else if (!advise_letter(p, given) && !advise_word(p, given))
		advise_page(p);
	return -EINVAL;
}

static const struct cli_option *find_name(const struct command *command, const char *name)
{
	for (size_t i = 0; i < command->n_options; i++) {
		if (command->options[i].name && strcmp(command->options[i].name, name) == 0)
			return &command->options[i];
	}
	return NULL;
}

/* "--name", "--name value" or "--name=value" */
static int parse_long(struct parser *p, const char *arg)
{
	size_t len = strcspn(arg, "=");
	CLEANUP(xfree) char *as = xstrndup(arg, len);
	struct given g = { .option = find_name(p->command, as + 2), .as = as };
	bool has_value = arg[len] == '=';
	int rc;

	if (!g.option)
		return refuse(p, as, as + 2);
	if (g.option->type == CLI_FLAG && has_value)
		return err_usage(p->err, "%s: takes no value", as);
	if (has_value) {
		g.value = arg + len + 1;
	} else if (g.option->type != CLI_FLAG) {
		rc = take_value(p, &g);
		if (rc)
			return rc;
	}
	return store(p, &g);
}

/* "-q", "-qk", "-t value" or "-tvalue" */
static int parse_letters(struct parser *p, const char *arg)
{
	/* "-size" is hardly meant as "-s ize". */
	if (arg[2] && find_name(p->command, arg + 1))
		return refuse(p, arg, arg + 1);
	for (const char *s = arg + 1; *s; s++) {
		const char as[] = { '-', *s, '\0' };
		struct given g = { .option = find_letter(p->command, *s), .as = as };
		int rc = 0;

		if (!g.option)
			return refuse(p, s == arg + 1 ? arg : as, arg + 1);
		if (g.option->type == CLI_FLAG) {
			rc = store(p, &g);
			if (rc)
				return rc;
			continue;
		}
		if (s[1])
			g.value = s + 1;
		else
			rc = take_value(p, &g);
		return rc ? rc : store(p, &g);
	}
	return 0;
}

static int take_word(struct parser *p, char *word)
{
	char **item;

	if (!p->words)
		return refuse(p, word, word);
	item = XGROW(&p->words->items, &p->words->n_items);
	*item = word;
	return 0;
}

void cli_words_done(struct cli_words *words)
{
	free(words->items);
	*words = (struct cli_words){ 0 };
}

int cli_parse(const struct command *command, int argc, char **argv, void *args,
	      struct cli_words *words, struct err *err)
{
	CLEANUP(xfree) bool *seen = xcalloc(command->n_options, sizeof(*seen));
	struct parser p = {
		.command = command,
		.argc = argc,
		.argv = argv,
		.args = args,
		.words = words,
		.seen = seen,
		.err = err,
	};
	int rc = 0;

	for (p.at = 1; p.at < argc && rc == 0; p.at++) {
		char *arg = argv[p.at];

		if (p.only_words || arg[0] != '-' || arg[1] == '\0')
			rc = take_word(&p, arg);
		else if (strcmp(arg, "--") == 0)
			p.only_words = true;
		else if (arg[1] == '-')
			rc = parse_long(&p, arg);
		else
			rc = parse_letters(&p, arg);
	}
	return rc;
}

bool cli_wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	}
	return false;
}

void cli_print_help(const struct command *command)
{
	CLEANUP(buf_done) struct buf page = { 0 };

	cli_add_help(command, &page);
	fputs(buf_text(&page), stdout);
}
