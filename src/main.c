/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main - which command is meant, and the one place that prints an error
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "iotest/commands.h"
#include "iotest/environment.h"
#include "iotest/signals.h"

/* UNKNOWN, of a monitoring plugin. */
#define EXIT_STATUS_OF_A_PAGE 3

static const struct command *find(const char *word)
{
	size_t n;
	const struct command *const *commands = commands_all(&n);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(word, commands[i]->name))
			return commands[i];
	return NULL;
}

/* Of a monitoring plugin neither page is a state that is well. */
static int page_status(const struct command *command)
{
	return command->is_plugin ? EXIT_STATUS_OF_A_PAGE : EXIT_STATUS_DONE;
}

static int dispatch(int argc, char **argv, struct err *err)
{
	/* By a link of this name scripts have what they had elsewhere. */
	bool called = argc > 0 && !strcmp(basename(argv[0]), cmd_sasiotest.name);
	const struct command *command = called ? &cmd_sasiotest : &cmd_run;
	int shift = 0;

	if (!called && argc > 1 && argv[1][0] != '-') {
		command = find(argv[1]);
		if (!command)
			return cmd_refuse_word(argv[1], err);
		shift = 1;
	}
	if (argc > 1 + shift && !strcmp(argv[1 + shift], "--version")) {
		cmd_print_version();
		return page_status(command);
	}
	if (!cli_wants_help(argc, argv))
		return command->main(argc - shift, argv + shift, err);
	if (shift || called)
		cli_print_help(command);
	else
		cmd_print_overview();
	return page_status(command);
}

static int close_output(int status, struct err *err)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	return err_set(err, errno ? -errno : -EIO, "standard output: cannot be written");
}

int main(int argc, char **argv)
{
	struct err err = { 0 };
	int status;

	environment_tidy();
	signals_install();
	status = dispatch(argc, argv, &err);
	if (status >= 0)
		status = close_output(status, &err);
	if (status < 0) {
		cmd_print_error(&err);
		status = err.status;
	}
	signals_die_by(signals_pending());
	return status;
}
