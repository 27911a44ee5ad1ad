/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion - a script with which bash completes commands, options and their values
 *
 * Made of the option tables, so that it says what this program understands.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "iotest/analyze.h"
#include "iotest/buf.h"
#include "iotest/commands.h"

/* The words stand behind "=", too, which bash takes for a word of its own. */
static const char script_begin[] =
	"# bash completion for iotest, made by: iotest completion bash\n"
	"_iotest()\n"
	"{\n"
	"\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"\tlocal command=run words='' kind='' names='";

static const char script_words[] =
	" --help --version'\n"
	"\tif [[ $word == = ]]; then\n"
	"\t\tword=''\n"
	"\telif [[ $before == = && $COMP_CWORD -gt 1 ]]; then\n"
	"\t\tbefore=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"\tfi\n"
	"\t[[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} != -* ]] && command=${COMP_WORDS[1]}\n"
	"\tcase \"$command $before\" in\n";

static const char script_middle[] = "\tesac\n"
				    "\tif [[ -z $kind ]]; then\n"
				    "\t\tcase $command in\n";

static const char script_end[] =
	"\t\tesac\n"
	"\t\t[[ $COMP_CWORD -gt 1 || $word == -* ]] || words=$names\n"
	"\tfi\n"
	"\tcase $kind in\n"
	"\tdirectory) mapfile -t COMPREPLY < <(compgen -d -- \"$word\") ;;\n"
	"\tfile) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
	"\tnone) COMPREPLY=() ;;\n"
	"\t*) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\") ;;\n"
	"\tesac\n"
	"\t[[ $kind == directory || $kind == file ]] && compopt -o filenames 2>/dev/null\n"
	"\treturn 0\n"
	"}\n"
	"complete -F _iotest iotest\n";

/* "directory" for DIR, "file" for what may be one, else none that can be guessed. */
static const char *kind_of(const struct cli_option *option)
{
	const char *value = option->value ? option->value : "";

	if (!strcmp(value, "DIR"))
		return "directory";
	return !strcmp(value, "FILE") || !strcmp(value, "DATA") ? "file" : "none";
}

static void add_choices(const struct cli_option *option, struct buf *out)
{
	buf_add_text(out, "words='");
	for (const char *const *c = option->choices; *c; c++)
		buf_printf(out, "%s%s", c == option->choices ? "" : " ", *c);
	buf_add_text(out, "' kind=word");
}

/* A row of the case: what follows an option that has a value. */
static void add_value(const struct command *command, const struct cli_option *option,
		      struct buf *out)
{
	if (option->type == CLI_FLAG)
		return;
	buf_add_text(out, "\t");
	if (option->letter)
		buf_printf(out, "'%s -%c'", command->name, option->letter);
	if (option->name)
		buf_printf(out, "%s'%s --%s'", option->letter ? " | " : "", command->name,
			   option->name);
	buf_add_text(out, ") ");
	if (option->type == CLI_CHOICE)
		add_choices(option, out);
	else
		buf_printf(out, "kind='%s'", kind_of(option));
	buf_add_text(out, " ;;\n");
}

static void add_options(const struct command *command, struct buf *out)
{
	buf_printf(out, "\t\t%s) words='", command->name);
	for (size_t i = 0; i < command->n_options; i++) {
		if (command->options[i].letter)
			buf_printf(out, "-%c ", command->options[i].letter);
		if (command->options[i].name)
			buf_printf(out, "--%s ", command->options[i].name);
	}
	buf_add_text(out, "--help");
}

static void add_findings(struct buf *out)
{
	struct finding_kind kind;

	for (size_t i = 0; finding_kind_at(i, &kind); i++)
		buf_printf(out, " %s", kind.id);
}

static void add_script(struct buf *out)
{
	size_t n;
	const struct command *const *all = commands_all(&n);

	buf_add_text(out, script_begin);
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%s", i ? " " : "", all[i]->name);
	buf_add_text(out, script_words);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < all[i]->n_options; k++)
			add_value(all[i], &all[i]->options[k], out);
	buf_add_text(out, script_middle);
	for (size_t i = 0; i < n; i++) {
		add_options(all[i], out);
		if (all[i] == &cmd_explain)
			add_findings(out);
		if (all[i] == &cmd_completion)
			buf_add_text(out, " bash");
		buf_add_text(out, "' ;;\n");
	}
	buf_add_text(out, script_end);
}

static int completion_main(int argc, char **argv, struct err *err)
{
	CLEANUP(cli_words_done) struct cli_words words = { 0 };
	CLEANUP(buf_done) struct buf script = { 0 };
	int rc = cli_parse(&cmd_completion, argc, argv, NULL, &words, err);

	if (rc)
		return rc;
	if (words.n_items != 1 || strcmp(words.items[0], "bash") != 0) {
		err_usage(err, "for which shell? bash is known");
		err_advise(err, "iotest completion bash > "
				"/usr/share/bash-completion/completions/iotest");
		return -EINVAL;
	}
	add_script(&script);
	fputs(buf_text(&script), stdout);
	return EXIT_STATUS_DONE;
}

const struct command cmd_completion = {
	.name = "completion",
	.synopsis = "bash",
	.summary = "print a script with which bash completes commands and options",
	.details = "To load it: source <(iotest completion bash)",
	.options = NULL,
	.n_options = 0,
	.main = completion_main,
};
