/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status - what the last check said, without measuring anything
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "iotest/clock.h"
#include "iotest/commands.h"
#include "iotest/history.h"
#include "iotest/render.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "past.h"
#include "plugin.h"

#define MAX_AGE_NS (26 * 3600 * NS_PER_S)

struct status_args {
	struct strlist targets;
	int64_t max_age_ns;
	const char *history_file;
	bool quiet;
};

static const struct cli_option options[] = {
	{ .letter = 't',
	  .name = "target",
	  .type = CLI_LIST,
	  .offset = offsetof(struct status_args, targets),
	  .value = "DIR",
	  .help = "directory that was checked" },
	{ .name = "max-age",
	  .type = CLI_DURATION,
	  .offset = offsetof(struct status_args, max_age_ns),
	  .value = "TIME",
	  .help = "UNKNOWN if the last check is older; default: 26h" },
	OPTION_HISTORY_FILE(status_args),
	{ .letter = 'q',
	  .name = "quiet",
	  .type = CLI_FLAG,
	  .offset = offsetof(struct status_args, quiet),
	  .help = "print nothing if the state is OK" },
};

static void status_args_done(struct status_args *args)
{
	strlist_done(&args->targets);
}

static int find_last(const char *file, const char *target, struct history_list *out,
		     struct err *err)
{
	CLEANUP(history_close) struct history *h = NULL;
	CLEANUP(buf_done) struct buf path = { 0 };
	struct history_filter filter = HISTORY_ALL;
	struct utsname host;
	int rc = past_path(file, &path, err);

	if (!rc)
		rc = history_open(buf_text(&path), HISTORY_READ, &h, err);
	if (rc)
		return rc;
	filter.host = uname(&host) ? NULL : host.nodename;
	filter.target = target;
	filter.command = "check";
	filter.newest = 1;
	return history_find(h, &filter, out, err);
}

/* A check that is stamped in the future was made before the clock was set. */
static int judge_age(const struct history_entry *e, int64_t max_age_ns, struct err *err)
{
	CLEANUP(buf_done) struct buf age = { 0 };
	int64_t ns = clock_wall_ns() - e->started_at_ns;

	if (ns < 0 - 60 * NS_PER_S)
		return err_say(err, -ESTALE, "the last check is dated in the future");
	if (ns <= max_age_ns)
		return 0;
	units_add_duration(&age, ns);
	return err_say(err, -ESTALE, "the last check was %s ago; it said: %s", buf_text(&age),
		       text_of(e->line));
}

static int look(const struct status_args *args, const char *target, struct err *err)
{
	CLEANUP(history_list_done) struct history_list list = { 0 };
	const struct history_entry *e;
	int rc = find_last(args->history_file, target, &list, err);

	if (rc)
		return rc;
	if (list.n_items == 0) {
		err_say(err, -ENOENT, "was never checked by this user on this host");
		err_advise(err, "iotest check -t %s", target);
		return -ENOENT;
	}
	e = &list.items[0];
	rc = judge_age(e, args->max_age_ns, err);
	if (rc)
		return rc;
	if (e->exit_status < MONITOR_OK || e->exit_status > MONITOR_UNKNOWN || !*text_of(e->line))
		return err_say(err, -EINVAL, "the last check left no state");
	if (!args->quiet || e->exit_status != MONITOR_OK)
		plugin_print(e->line);
	return (int)e->exit_status;
}

static int status(int argc, char **argv, char **target, struct err *err)
{
	CLEANUP(status_args_done) struct status_args args = { .max_age_ns = MAX_AGE_NS };
	int rc = cli_parse(&cmd_status, argc, argv, &args, NULL, err);

	if (rc)
		return rc;
	if (args.targets.n_items != 1) {
		err_usage(err, args.targets.n_items ? "one target at a time" : "no target given");
		err_advise(err, "name the directory: iotest status -t /saswork");
		return -EINVAL;
	}
	/* Of a directory that is gone, the last state is still known. */
	*target = plugin_resolve(args.targets.items[0]);
	return look(&args, *target, err);
}

static int status_main(int argc, char **argv, struct err *err)
{
	CLEANUP(xfree) char *target = NULL;
	CLEANUP(buf_done) struct buf line = { 0 };
	int rc = status(argc, argv, &target, err);

	if (rc >= 0)
		return rc;
	plugin_add_failure(MONITOR_UNKNOWN, target, err, &line);
	plugin_print(buf_text(&line));
	return MONITOR_UNKNOWN;
}

const struct command cmd_status = {
	.name = "status",
	.synopsis = "-t DIR [options]",
	.summary = "the line of the last check again, for systems that ask often",
	.details = "Nothing is measured. Exit status: as of the check, or 3 UNKNOWN if it is too\n"
		   "old, which is also the status of this page.",
	.options = options,
	.n_options = ARRAY_LEN(options),
	.is_plugin = true,
	.main = status_main,
};
