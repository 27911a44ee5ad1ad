/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clean - remove what runs that were killed left in a target, by hand
 */
#include <stdio.h>

#include "iotest/buf.h"
#include "iotest/commands.h"
#include "iotest/probe.h"
#include "iotest/sweep.h"
#include "iotest/units.h"
#include "test_args.h"

#define DEADLINE_NS (1800 * NS_PER_S)

struct clean_args {
	struct strlist targets;
	bool dry_run;
};

static const struct cli_option options[] = {
	{ .letter = 't',
	  .name = "target",
	  .type = CLI_LIST,
	  .offset = offsetof(struct clean_args, targets),
	  .value = "DIR",
	  .help = "the directory that was tested; may be given more than once" },
	{ .name = "dry-run",
	  .type = CLI_FLAG,
	  .offset = offsetof(struct clean_args, dry_run),
	  .help = "only say what would be removed" },
};

static void clean_args_done(struct clean_args *args)
{
	strlist_done(&args->targets);
}

static void print_row(const struct swept *item, bool dry_run)
{
	CLEANUP(buf_done) struct buf row = { 0 };

	if (item->outcome == SWEEP_REMOVED) {
		buf_printf(&row, "%s %s, ", dry_run ? "would be removed:" : "removed:", item->name);
		units_add_size(&row, item->bytes);
	} else {
		buf_printf(&row, "%s %s: %s",
			   item->outcome == SWEEP_LEFT ? "left alone:" : "failed:", item->name,
			   item->why);
	}
	puts(buf_text(&row));
}

static void print_total(const struct sweep *sweep, const char *path, bool dry_run)
{
	CLEANUP(buf_done) struct buf row = { 0 };

	buf_add_visible(&row, path);
	buf_printf(&row, ": %zu %s, ", sweep_count(sweep, SWEEP_REMOVED),
		   dry_run ? "would be removed" : "removed");
	units_add_size(&row, sweep_bytes(sweep));
	buf_printf(&row, "; %zu left alone, %zu failed", sweep_count(sweep, SWEEP_LEFT),
		   sweep_count(sweep, SWEEP_FAILED));
	puts(buf_text(&row));
}

/* Returns an exit status, or a negative errno with err filled. */
static int clean(const struct host *host, size_t target, bool dry_run, struct err *err)
{
	CLEANUP(sweep_done) struct sweep sweep = { 0 };
	const struct sweep_wish wish = {
		.path = text_of(host->targets[target].path),
		.host_name = text_of(host->name),
		.dry_run = dry_run,
		.deadline_ns = DEADLINE_NS,
	};
	int rc = sweep_target(&wish, &sweep);

	if (rc)
		return err_set(err, rc, "%s: cannot look for directories of dead runs", wish.path);
	for (size_t i = 0; i < sweep.n_items; i++)
		print_row(&sweep.items[i], dry_run);
	print_total(&sweep, wish.path, dry_run);
	return sweep_count(&sweep, SWEEP_FAILED) ? EXIT_STATUS_FAILED : EXIT_STATUS_DONE;
}

static int clean_main(int argc, char **argv, struct err *err)
{
	CLEANUP(clean_args_done) struct clean_args args = { 0 };
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(host_done) struct host host = { 0 };
	int status = EXIT_STATUS_DONE;
	int rc;

	rc = cli_parse(&cmd_clean, argc, argv, &args, NULL, err);
	if (!rc && args.targets.n_items == 0) {
		rc = err_usage(err, "no target given");
		err_advise(err, "name the directory: iotest clean -t /saswork");
	}
	if (!rc)
		rc = test_args_open_sysroot(NULL, &root, err);
	if (!rc)
		rc = probe_host(&root, &args.targets, &host, err);
	for (size_t i = 0; rc >= 0 && i < host.n_targets; i++) {
		rc = clean(&host, i, args.dry_run, err);
		if (rc > 0)
			status = rc;
	}
	return rc < 0 ? rc : status;
}

const struct command cmd_clean = {
	.name = "clean",
	.synopsis = "-t DIR [--dry-run]",
	.summary = "remove what runs that were killed left in a directory",
	.details = "Every run does so in its target before it begins. Removed is only what is\n"
		   "provably of a run of this user on this host that is dead; all else is named,\n"
		   "with the reason why it was left.",
	.options = options,
	.n_options = ARRAY_LEN(options),
	.main = clean_main,
};
