/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan - what a run would do, with reasons, without touching the disk
 */
#include "iotest/commands.h"
#include "test_args.h"

static const struct cli_option options[] = {
	OPTION_TARGET,
	OPTIONS_OF_THE_PLAN,
	OPTIONS_OF_THE_MODE,
	OPTION_FORMAT(test_args),
	OPTION_SYSROOT(test_args),
	/* So that the line of a run needs only one word more. */
	OPTIONS_OF_THE_RUN(NOT_LISTED),
};

static int plan_main(int argc, char **argv, struct err *err)
{
	CLEANUP(test_args_done) struct test_args args = TEST_ARGS_NONE;
	int rc;

	rc = test_args_parse(&cmd_plan, argc, argv, &args, err);
	if (rc)
		return rc;
	return test_args_show_plan(&args, err);
}

const struct command cmd_plan = {
	.name = "plan",
	.synopsis = "-t DIR [options]",
	.summary = "say what a run would do and why, without touching the disk",
	.details = test_args_details,
	.options = options,
	.n_options = ARRAY_LEN(options),
	.main = plan_main,
};
