/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe - what this machine and the targets are
 */
#include <stdio.h>

#include "iotest/commands.h"
#include "iotest/probe.h"
#include "iotest/render.h"
#include "test_args.h"

struct probe_args {
	struct strlist targets;
	int format;
	const char *sysroot;
};

static const struct cli_option options[] = {
	{ .letter = 't',
	  .name = "target",
	  .type = CLI_LIST,
	  .offset = offsetof(struct probe_args, targets),
	  .value = "DIR",
	  .help = "a directory to look at as well; may be given more than once" },
	OPTION_FORMAT(probe_args),
	OPTION_SYSROOT(probe_args),
};

static void probe_args_done(struct probe_args *args)
{
	strlist_done(&args->targets);
}

static int probe_main(int argc, char **argv, struct err *err)
{
	CLEANUP(probe_args_done) struct probe_args args = { 0 };
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(host_done) struct host host = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };
	int rc;

	rc = cli_parse(&cmd_probe, argc, argv, &args, NULL, err);
	if (rc)
		return rc;
	rc = test_args_open_sysroot(args.sysroot, &root, err);
	if (rc)
		return rc;
	rc = probe_host(&root, &args.targets, &host, err);
	if (rc)
		return rc;
	if (args.format == FORMAT_JSON)
		rc = render_host_json(&host, &page, err);
	else
		render_host_text(&host, &page);
	if (rc)
		return rc;
	fputs(buf_text(&page), stdout);
	return EXIT_STATUS_DONE;
}

const struct command cmd_probe = {
	.name = "probe",
	.synopsis = "[-t DIR] [options]",
	.summary = "show what this machine and its storage are",
	.details = NULL,
	.options = options,
	.n_options = ARRAY_LEN(options),
	.main = probe_main,
};
