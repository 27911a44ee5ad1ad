/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main - the table of commands, and the one place that prints an error
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "iotest/commands.h"
#include "iotest/environment.h"
#include "iotest/signals.h"

static const struct command *const commands[] = {
	&cmd_run,    &cmd_probe,  &cmd_plan,	&cmd_report,   &cmd_clean,     &cmd_ps,
	&cmd_verify, &cmd_ticket, &cmd_compare, &cmd_evidence, &cmd_sasiotest,
};

static const struct command *find(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (!strcmp(word, commands[i]->name))
			return commands[i];
	return NULL;
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
			return cmd_refuse_word(commands, ARRAY_LEN(commands), argv[1], err);
		shift = 1;
	}
	if (argc > 1 && !strcmp(argv[1], "--version")) {
		cmd_print_version();
		return EXIT_STATUS_DONE;
	}
	if (!cli_wants_help(argc, argv))
		return command->main(argc - shift, argv + shift, err);
	if (shift || called)
		cli_print_help(command);
	else
		cmd_print_overview(commands, ARRAY_LEN(commands));
	return EXIT_STATUS_DONE;
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
