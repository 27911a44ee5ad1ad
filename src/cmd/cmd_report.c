/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report - show again what was recorded, or judge it by today's rules
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/analyze.h"
#include "iotest/bundle.h"
#include "iotest/commands.h"
#include "iotest/fd.h"
#include "iotest/log.h"
#include "iotest/render.h"
#include "iotest/xalloc.h"
#include "repeats.h"
#include "test_args.h"

#define REPORT_FILE_MAX (64 * MIB)

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
	  .help = "of the output; default: text" },
	{ .name = "rejudge",
	  .type = CLI_FLAG,
	  .offset = offsetof(struct report_args, rejudge),
	  .help = "analyze the recorded facts again with the rules of this version" },
};

/* What was found under the given name. */
struct source {
	struct bundle_content content;
	struct buf json;
	const char *text; /* the recorded page, NULL if there is none */
	bool is_checked;
};

static void source_done(struct source *s)
{
	bundle_content_done(&s->content);
	buf_done(&s->json);
}

static int read_plain(int fd, const char *path, struct buf *out, struct err *err)
{
	int rc = fd_read_all(fd, REPORT_FILE_MAX, out);

	if (rc == -EFBIG)
		return err_say(err, rc, "%s: too large to be a report of iotest", path);
	return rc ? err_set(err, rc, "%s: cannot be read", path) : 0;
}

/* The first byte that is not blank decides; an archive begins with bytes of its own. */
static bool begins_like_json(int fd)
{
	char head[512];
	ssize_t n = pread(fd, head, sizeof(head) - 1, 0);

	if (n <= 0)
		return false;
	head[n] = '\0';
	return head[strspn(head, " \t\r\n")] == '{';
}

static int load_bundle(const char *path, struct source *s, struct err *err)
{
	const struct bundle_file *json;
	const struct bundle_file *text;
	int rc = bundle_read(path, &s->content, err);

	if (rc)
		return rc;
	json = bundle_content_find(&s->content, "report.json");
	text = bundle_content_find(&s->content, "report.txt");
	if (!json) {
		err_say(err, -EINVAL, "%s: holds no report.json; the run did not get that far",
			path);
		err_advise(err, "iotest.log and samples.tsv in it can be read as they are; once "
				"no run is going on, it may be deleted");
		return -EINVAL;
	}
	buf_add(&s->json, json->data, json->len);
	s->text = text ? text->data : NULL;
	s->is_checked = s->content.is_checked;
	return 0;
}

/* Opened only after a look: opening alone can start a tape, or wait for the writer of a pipe. */
static int open_plain(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

/* A plain report.json is read here, everything else is for the bundle reader. */
static int load(const char *path, struct source *s, struct err *err)
{
	int fd = open_plain(path);
	bool is_json = fd >= 0 && begins_like_json(fd);
	int rc = is_json ? read_plain(fd, path, &s->json, err) : 0;

	if (fd >= 0)
		close(fd);
	return is_json ? rc : load_bundle(path, s, err);
}

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

/* Which runs stand for all is asked of a copy, so that what was recorded is shown as it is. */
static int find_shown(const struct source *s, const char *path, const struct records *records,
		      struct records *shown, struct err *err)
{
	CLEANUP(records_done) struct records copy = { 0 };
	int rc = render_read_json(buf_text(&s->json), s->json.len, path, &copy, err);

	if (!rc)
		repeats_choose(&copy, records, shown);
	return rc;
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
			   : find_shown(s, path, &records, &shown, err);
	if (rc)
		return rc;
	if (args->format == FORMAT_TEXT) {
		render_records_text(&shown, page);
		return 0;
	}
	fputs(buf_text(page), stderr);
	buf_done(page);
	if (args->format == FORMAT_JSON)
		return render_records_json(&records, page, err);
	render_records_html(&shown, page);
	return 0;
}

static void say_checked(const struct source *s, const char *path)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	if (s->content.n_files == 0)
		return;
	buf_add_text(&line, "iotest: ");
	buf_add_visible(&line, path);
	if (s->is_checked)
		buf_printf(&line, ": %zu files match their digests", s->content.n_files);
	else
		buf_add_text(&line, ": a folder without MANIFEST, its files were not checked");
	fprintf(stderr, "%s\n", buf_text(&line));
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
	rc = load(words.items[0], &source, err);
	if (rc)
		return rc;
	rc = render(&args, words.items[0], &source, &page, err);
	if (rc)
		return rc;
	say_checked(&source, words.items[0]);
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
