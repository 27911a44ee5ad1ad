/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_list - the table of commands
 */
#include "iotest/commands.h"

const struct command *const *commands_all(size_t *n)
{
	static const struct command *const all[] = {
		&cmd_run,     &cmd_probe,    &cmd_plan,	     &cmd_report,
		&cmd_clean,   &cmd_ps,	     &cmd_verify,    &cmd_ticket,
		&cmd_compare, &cmd_evidence, &cmd_sasiotest, &cmd_check,
		&cmd_status,  &cmd_history,  &cmd_explain,   &cmd_completion,
	};

	*n = ARRAY_LEN(all);
	return all;
}
