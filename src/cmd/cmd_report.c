/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report - show again what was recorded, or judge it by today's rules
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/analyze.h"
#include "iotest/commands.h"
#include "iotest/log.h"
#include "iotest/render.h"
#include "iotest/xalloc.h"
#include "repeats.h"
#include "source.h"
#include "test_args.h"

struct report_args {
	int format;
	bool rejudge;
};

static const struct cli_option options[] = {
	{ .name = "format",
	  .type = CLI_CHOICE,
	  .offset = offsetof(struct report_args, format),
	  .value = "FORMAT",
	  .choices = report_format_choices,
	  .help = "text (the default), json, html, or details: text with all that was measured" },
	{ .name = "rejudge",
	  .type = CLI_FLAG,
	  .offset = offsetof(struct report_args, rejudge),
	  .help = "analyze the recorded facts again with the rules of this version" },
};

/* A stranger's page may hold what a terminal obeys; ours holds only lines of plain text. */
static void add_page(struct buf *page, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		CLEANUP(xfree) char *line = xstrndup(text, len);

		buf_add_visible(page, line);
		if (text[len])
			buf_add_text(page, "\n");
		text += len + (text[len] != '\0');
	}
}

static int judge_again(struct records *records, struct records *shown, struct buf *note)
{
	for (size_t i = 0; i < records->n_items; i++) {
		struct report *r = &records->items[i]->report;

		buf_add_text(note, "judged by iotest ");
		buf_add_visible(note, text_of(r->analyzed_by));
		analyze(r);
		buf_printf(note, ", and again by iotest %s\n", text_of(r->analyzed_by));
	}
	repeats_choose(records, records, shown);
	return 0;
}

static int render(const struct report_args *args, const char *path, const struct source *s,
		  struct buf *page, struct err *err)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(repeats_forget) struct records shown = { 0 };
	int rc = render_read_json(buf_text(&s->json), s->json.len, path, &records, err);

	if (rc)
		return rc;
	if (!args->rejudge && args->format == FORMAT_JSON) {
		buf_add(page, s->json.data, s->json.len);
		return 0;
	}
	if (!args->rejudge && args->format == FORMAT_TEXT && s->text) {
		add_page(page, s->text);
		return 0;
	}
	rc = args->rejudge ? judge_again(&records, &shown, page)
			   : source_find_shown(s, path, &records, &shown, err);
	if (rc)
		return rc;
	if (args->format == FORMAT_TEXT) {
		render_records_text(&shown, page);
		return 0;
	}
	if (args->format == FORMAT_DETAILS) {
		render_records_details(&shown, page);
		return 0;
	}
	fputs(buf_text(page), stderr);
	buf_done(page);
	if (args->format == FORMAT_JSON)
		return render_records_json(&records, page, err);
	render_records_html(&shown, page);
	return 0;
}

static int report_main(int argc, char **argv, struct err *err)
{
	struct report_args args = { 0 };
	CLEANUP(cli_words_done) struct cli_words words = { 0 };
	CLEANUP(source_done) struct source source = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };
	int rc;

	rc = cli_parse(&cmd_report, argc, argv, &args, &words, err);
	if (rc)
		return rc;
	if (words.n_items != 1) {
		err_usage(err, words.n_items ? "one report at a time" : "no report given");
		err_advise(err, "name a bundle, its folder or a report.json");
		return -EINVAL;
	}
	rc = source_load(words.items[0], &source, err);
	if (rc)
		return rc;
	rc = render(&args, words.items[0], &source, &page, err);
	if (rc)
		return rc;
	source_say_checked(&source, words.items[0]);
	fwrite(buf_text(&page), 1, page.len, stdout);
	return EXIT_STATUS_DONE;
}

const struct command cmd_report = {
	.name = "report",
	.synopsis = "FILE|DIR|BUNDLE [options]",
	.summary = "check a bundle and show its report again",
	.details = "A bundle is the archive that a run leaves; DIR is its folder, FILE its "
		   "report.json.",
	.options = options,
	.n_options = ARRAY_LEN(options),
	.main = report_main,
};
