/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain - what a finding means, what usually lies behind it, and what to do
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "iotest/analyze.h"
#include "iotest/buf.h"
#include "iotest/commands.h"
#include "iotest/wrap.h"
#include "iotest/xalloc.h"

#define TEXT_COLUMN 10

static void add_part(struct buf *page, const char *name, const char *text)
{
	buf_printf(page, "%-*s", TEXT_COLUMN, name);
	wrap_add(page, TEXT_COLUMN, TEXT_COLUMN, text, strlen(text));
}

static void add_finding(struct buf *page, const struct finding_kind *kind)
{
	buf_printf(page, "%s (%s)\n", kind->id, severity_name(kind->severity));
	add_part(page, "  meaning", kind->meaning);
	add_part(page, "  cause", kind->cause);
	add_part(page, "  to do", kind->remedy);
}

static void add_list(struct buf *page)
{
	struct finding_kind kind;

	for (size_t i = 0; finding_kind_at(i, &kind); i++)
		buf_printf(page, "%-20s  %-7s  %s\n", kind.id, severity_name(kind.severity),
			   kind.meaning);
}

static int refuse(const char *word, struct err *err)
{
	CLEANUP(xfree) const char **ids = NULL;
	struct finding_kind kind;
	const char *near;
	size_t n = 0;

	while (finding_kind_at(n, &kind))
		n++;
	ids = xcalloc(n + 1, sizeof(*ids));
	for (size_t i = 0; i < n && finding_kind_at(i, &kind); i++)
		ids[i] = kind.id;
	near = cli_nearest(word, ids, n);
	err_usage(err, "'%s' is no finding", word);
	if (near)
		err_advise(err, "did you mean %s?", near);
	else
		err_advise(err, "iotest explain lists them");
	return -EINVAL;
}

static int add_word(struct buf *page, const char *word, struct err *err)
{
	struct finding_kind kind;

	for (size_t i = 0; finding_kind_at(i, &kind); i++) {
		if (strcmp(kind.id, word) != 0)
			continue;
		buf_add_text(page, page->len ? "\n" : "");
		add_finding(page, &kind);
		return 0;
	}
	return refuse(word, err);
}

static int explain_main(int argc, char **argv, struct err *err)
{
	CLEANUP(cli_words_done) struct cli_words words = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };
	int rc = cli_parse(&cmd_explain, argc, argv, NULL, &words, err);

	for (size_t i = 0; !rc && i < words.n_items; i++)
		rc = add_word(&page, words.items[i], err);
	if (rc)
		return rc;
	if (words.n_items == 0)
		add_list(&page);
	fputs(buf_text(&page), stdout);
	return EXIT_STATUS_DONE;
}

const struct command cmd_explain = {
	.name = "explain",
	.synopsis = "[ID...]",
	.summary = "what a finding means, what usually lies behind it, what to do",
	.details = "Without an ID all of them are listed.",
	.options = NULL,
	.n_options = 0,
	.main = explain_main,
};
