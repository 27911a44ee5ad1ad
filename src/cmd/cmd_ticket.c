/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ticket - the words to paste, and the commands with which others can check them
 */
#include <errno.h>
#include <stdio.h>

#include "iotest/commands.h"
#include "iotest/render.h"
#include "repeats.h"
#include "source.h"

static int make_page(const struct source *s, const char *path, struct buf *page, struct err *err)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(repeats_forget) struct records shown = { 0 };
	int rc = render_read_json(buf_text(&s->json), s->json.len, path, &records, err);

	if (!rc)
		rc = source_find_shown(s, path, &records, &shown, err);
	for (size_t i = 0; !rc && i < shown.n_items; i++) {
		buf_add_text(page, i ? "\n" : "");
		render_ticket_text(&shown.items[i]->report, s->content.digest, page);
	}
	return rc;
}

static int ticket_main(int argc, char **argv, struct err *err)
{
	CLEANUP(cli_words_done) struct cli_words words = { 0 };
	CLEANUP(source_done) struct source source = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };
	int rc;

	rc = cli_parse(&cmd_ticket, argc, argv, NULL, &words, err);
	if (!rc && words.n_items != 1)
		rc = err_usage(err, words.n_items ? "one bundle at a time" : "no bundle given");
	if (!rc)
		rc = source_load(words.items[0], &source, err);
	if (!rc)
		rc = make_page(&source, words.items[0], &page, err);
	if (rc)
		return rc;
	source_say_checked(&source, words.items[0]);
	fwrite(buf_text(&page), 1, page.len, stdout);
	return EXIT_STATUS_DONE;
}

const struct command cmd_ticket = {
	.name = "ticket",
	.synopsis = "FILE|DIR|BUNDLE",
	.summary = "the words for a ticket, and commands that check them",
	.details = "Prints a paragraph to paste, the exact command to measure again, and the "
		   "dd and fio commands with which others can check it.",
	.main = ticket_main,
};
