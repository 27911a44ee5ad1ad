/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli_help - the help page of a command as text
 */
#include "cli_help.h"

#include <string.h>

#include "iotest/wrap.h"

#define TEXT_COLUMN 26

/* Lines of text are paragraphs; one that begins with a space is an example and stays as it is. */
static void add_paragraphs(struct buf *b, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (*text == ' ') {
			buf_add(b, text, len);
			buf_add_text(b, "\n");
		} else {
			wrap_add(b, 0, 0, text, len);
		}
		text += len;
		text += *text == '\n';
	}
}

/* "  -t, --target DIR" */
static void add_spelling(struct buf *b, const struct cli_option *option)
{
	buf_add_text(b, "  ");
	if (option->letter)
		buf_printf(b, "-%c%s", option->letter, option->name ? ", " : "");
	else
		buf_add_text(b, "    ");
	if (option->name)
		buf_printf(b, "--%s", option->name);
	if (option->type != CLI_FLAG)
		buf_printf(b, " %s", option->value ? option->value : "VALUE");
}

static void add_meaning(struct buf *b, const struct cli_option *option)
{
	buf_add_text(b, option->help);
	if (option->type == CLI_CHOICE) {
		const char *before = " (";

		for (const char *const *c = option->choices; *c; c++) {
			buf_printf(b, "%s%s", before, *c);
			before = " | ";
		}
		buf_add_text(b, ")");
	}
}

static void add_option(struct buf *b, const struct cli_option *option)
{
	CLEANUP(buf_done) struct buf left = { 0 };
	CLEANUP(buf_done) struct buf right = { 0 };
	size_t width;

	add_spelling(&left, option);
	add_meaning(&right, option);
	width = wrap_columns(left.data, left.len);

	buf_add(b, left.data, left.len);
	if (width + 2 > TEXT_COLUMN) {
		buf_add_text(b, "\n");
		width = 0;
	}
	buf_printf(b, "%*s", (int)(TEXT_COLUMN - width), "");
	wrap_add(b, TEXT_COLUMN, TEXT_COLUMN, right.data, right.len);
}

void cli_add_help(const struct command *command, struct buf *b)
{
	static const struct cli_option help = {
		.letter = 'h', .name = "help", .type = CLI_FLAG, .help = "show this page"
	};
	CLEANUP(buf_done) struct buf usage = { 0 };
	bool lists_help = false;

	buf_printf(&usage, "usage: iotest %s%s%s", command->name, command->name[0] ? " " : "",
		   command->synopsis);
	wrap_add(b, 0, strlen("usage: "), usage.data, usage.len);
	buf_add_text(b, "\n");
	add_paragraphs(b, command->summary);
	buf_add_text(b, "\nOptions:\n");
	for (size_t i = 0; i < command->n_options; i++) {
		if (command->options[i].help)
			add_option(b, &command->options[i]);
		lists_help |= command->options[i].letter == 'h';
	}
	if (command->add_options)
		command->add_options(b);
	else if (!lists_help)
		add_option(b, &help);
	if (command->details) {
		buf_add_text(b, "\n");
		add_paragraphs(b, command->details);
	}
}
