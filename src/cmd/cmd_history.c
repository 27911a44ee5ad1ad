/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history - what earlier runs measured
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "history_page.h"
#include "iotest/clock.h"
#include "iotest/commands.h"
#include "iotest/history.h"
#include "iotest/render.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "past.h"

#define DAY_NS (24 * 3600 * NS_PER_S)

struct history_args {
	struct strlist targets;
	const char *since;
	const char *history_file;
	int format;
};

enum { HISTORY_TEXT, HISTORY_JSON, HISTORY_CSV, HISTORY_FORMAT_COUNT };
static const char *const formats[HISTORY_FORMAT_COUNT + 1] = {
	[HISTORY_TEXT] = "text",
	[HISTORY_JSON] = "json",
	[HISTORY_CSV] = "csv",
};

static const struct cli_option options[] = {
	{ .letter = 't',
	  .name = "target",
	  .type = CLI_LIST,
	  .offset = offsetof(struct history_args, targets),
	  .value = "DIR",
	  .help = "only runs on this directory; default: all" },
	{ .name = "since",
	  .type = CLI_TEXT,
	  .offset = offsetof(struct history_args, since),
	  .value = "WHEN",
	  .help = "only runs since then: a local date as 2026-01-31, or so long ago: 12h, 30d" },
	OPTION_HISTORY_FILE(history_args),
	{ .name = "format",
	  .type = CLI_CHOICE,
	  .offset = offsetof(struct history_args, format),
	  .value = "FORMAT",
	  .choices = formats,
	  .help = "of the output; default: text" },
};

static void history_args_done(struct history_args *args)
{
	strlist_done(&args->targets);
}

static int parse_ago(const char *text, int64_t *ns)
{
	size_t len = strlen(text);
	CLEANUP(xfree) char *number = xstrndup(text, len ? len - 1 : 0);
	int64_t days;

	if (len && text[len - 1] == 'd')
		return units_parse_count(number, 0, INT64_MAX, &days) ? -EINVAL
								      : units_mul(days, DAY_NS, ns);
	return units_parse_duration(text, ns);
}

static int parse_since(const char *text, int64_t *since_ns, struct err *err)
{
	struct tm tm = { .tm_isdst = -1 };
	const char *end;
	int64_t ago_ns;

	if (!text)
		return 0;
	end = strptime(text, "%Y-%m-%d", &tm);
	if (end && *end == '\0') {
		*since_ns = (int64_t)mktime(&tm) * NS_PER_S;
		return 0;
	}
	if (parse_ago(text, &ago_ns))
		return err_usage(err,
				 "--since: '%s' is neither a date as 2026-01-31 nor a time "
				 "as 12h or 30d",
				 text);
	*since_ns = clock_wall_ns() - ago_ns;
	return 0;
}

static int find(const struct history_args *args, struct history_filter *filter,
		struct history_list *out, struct err *err)
{
	CLEANUP(history_close) struct history *h = NULL;
	CLEANUP(buf_done) struct buf path = { 0 };
	CLEANUP(xfree) char *target = NULL;
	int rc = past_path(args->history_file, &path, err);

	if (!rc)
		rc = history_open(buf_text(&path), HISTORY_READ, &h, err);
	if (rc)
		return rc;
	if (args->targets.n_items) {
		target = realpath(args->targets.items[0], NULL);
		filter->target = target ? target : args->targets.items[0];
	}
	return history_find(h, filter, out, err);
}

static int history_main(int argc, char **argv, struct err *err)
{
	CLEANUP(history_args_done) struct history_args args = { 0 };
	CLEANUP(history_list_done) struct history_list list = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };
	struct history_filter filter = HISTORY_ALL;
	int rc = cli_parse(&cmd_history, argc, argv, &args, NULL, err);

	if (!rc && args.targets.n_items > 1)
		rc = err_usage(err, "one target at a time, or all of them without -t");
	if (!rc)
		rc = parse_since(args.since, &filter.since_ns, err);
	if (!rc)
		rc = find(&args, &filter, &list, err);
	if (rc)
		return rc;
	if (args.format == HISTORY_JSON)
		rc = render_list_json(&history_entry_schema, list.items, list.n_items, "history",
				      &page, err);
	else if (args.format == HISTORY_CSV)
		history_page_csv(&list, &page);
	else
		history_page_text(&list, &page);
	if (rc)
		return rc;
	fwrite(buf_text(&page), 1, page.len, stdout);
	return EXIT_STATUS_DONE;
}

const struct command cmd_history = {
	.name = "history",
	.synopsis = "[-t DIR] [options]",
	.summary = "what earlier runs measured, and whether they became slower",
	.details = "Rates are MiB/s per core, as they were judged. Only runs of one host, target,\n"
		   "method and plan are compared with each other.",
	.options = options,
	.n_options = ARRAY_LEN(options),
	.main = history_main,
};
