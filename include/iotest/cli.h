/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli - option tables: parsed, checked and printed by the same rows
 *
 * A command is one descriptor with one table. Options may stand anywhere after the command word,
 * "--name value" and "--name=value" both work, "--" ends them.
 */
#ifndef IOTEST_CLI_H
#define IOTEST_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/err.h"
#include "iotest/sysroot.h"

/* What the bytes at offset are, and what a value must look like. */
enum cli_type {
	CLI_FLAG,     /* bool, no value */
	CLI_TEXT,     /* const char *, borrowed from argv; may not be empty */
	CLI_LIST,     /* struct strlist, one entry each time it is given */
	CLI_SIZE,     /* int64_t bytes, at least 1 */
	CLI_COUNT,    /* int64_t, at least 1 */
	CLI_DURATION, /* int64_t ns, at least 1 */
	CLI_CHOICE,   /* int, index into choices */
};

struct cli_option {
	char letter;	  /* 0: none */
	const char *name; /* without the dashes; NULL: only the letter */
	enum cli_type type;
	size_t offset;		    /* in the command's args struct */
	const char *value;	    /* the word for the value in --help: "DIR" */
	const char *const *choices; /* of CLI_CHOICE, ends with NULL */
	const char *help;	    /* NULL: understood, but not listed */

	/* Of CLI_COUNT: the option to name if somebody gives a size with a unit, or NULL. */
	const char *size_hint;
};

struct command {
	const char *name;
	const char *synopsis; /* what follows "iotest <name>": "-t DIR [options]" */
	const char *summary;  /* one line */
	const char *details;  /* paragraphs after the options, or NULL */
	const struct cli_option *options;
	size_t n_options;
	bool is_plugin; /* --help and --version are status 3, as monitoring systems have it */

	/* Of a command that parses its words itself: adds its options to the help page. Or NULL. */
	void (*add_options)(struct buf *page);

	/* Returns an exit status (>= 0), or a negative errno with err filled. */
	int (*main)(int argc, char **argv, struct err *err);
};

/* What is no option, in order; borrowed from argv. */
struct cli_words {
	char **items;
	size_t n_items;
};
void cli_words_done(struct cli_words *words);

/*
 * Fills args (the command's own struct, defaults set by the caller) from argv[1..]. words may be
 * NULL: then a word is a usage error. An option given twice is one too, except CLI_LIST and
 * CLI_FLAG. Returns 0 or -EINVAL with err filled.
 */
MUST_CHECK int cli_parse(const struct command *command, int argc, char **argv, void *args,
			 struct cli_words *words, struct err *err);

/* True if --help or -h stands among the arguments before "--". */
bool cli_wants_help(int argc, char **argv);

/* The help page of one command, on stdout; at most 80 columns. */
void cli_print_help(const struct command *command);

/* The candidate nearest to word, or NULL if none is near enough to be meant. */
const char *cli_nearest(const char *word, const char *const *candidates, size_t n);

#endif
