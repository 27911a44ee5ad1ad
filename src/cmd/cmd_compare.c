/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare - two bundles or reports side by side
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "iotest/analyze.h"
#include "iotest/commands.h"
#include "iotest/render.h"
#include "repeats.h"
#include "source.h"

/* One of the two, as it was read. */
struct side {
	const char *path;
	struct source source;
	struct records records;
	struct records shown;
};

static void side_done(struct side *s)
{
	repeats_forget(&s->shown);
	records_done(&s->records);
	source_done(&s->source);
}

static int load(const char *path, struct side *s, struct err *err)
{
	int rc;

	s->path = path;
	rc = source_load(path, &s->source, err);
	if (!rc)
		rc = render_read_json(buf_text(&s->source.json), s->source.json.len, path,
				      &s->records, err);
	return rc ? rc : source_find_shown(&s->source, path, &s->records, &s->shown, err);
}

/* The same target; if each has but one, those two, because hosts name things differently. */
static const struct record *find_other(const struct record *of, const struct side *a,
				       const struct side *b)
{
	if (a->shown.n_items == 1 && b->shown.n_items == 1)
		return b->shown.items[0];
	for (size_t i = 0; i < b->shown.n_items; i++)
		if (!strcmp(text_of(b->shown.items[i]->plan.target), text_of(of->plan.target)))
			return b->shown.items[i];
	return NULL;
}

/* By several runs on both sides, and not only within one. */
static bool is_proved_lower(const struct comparison *c)
{
	for (size_t i = 0; i < c->n_changes; i++) {
		const struct rate_change *change = &c->changes[i];

		if (change->result == CHANGE_LOWER && change->a.spread_of == SPREAD_RUNS &&
		    change->b.spread_of == SPREAD_RUNS)
			return true;
	}
	return false;
}

static int compare(const struct side *a, const struct side *b, int *status, struct buf *page,
		   struct err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < a->shown.n_items; i++) {
		CLEANUP(comparison_done) struct comparison c = { 0 };
		const struct record *other = find_other(a->shown.items[i], a, b);
		int rc;

		if (!other)
			continue;
		rc = analyze_compare(&a->shown.items[i]->report, &other->report, &c, err);
		if (rc)
			return rc;
		buf_add_text(page, n++ ? "\n" : "");
		render_comparison_text(&c, a->path, b->path, page);
		if (is_proved_lower(&c))
			*status = EXIT_STATUS_BELOW;
	}
	return n ? 0
		 : err_say(err, -EINVAL, "%s and %s have no target in common", a->path, b->path);
}

static int compare_main(int argc, char **argv, struct err *err)
{
	CLEANUP(cli_words_done) struct cli_words words = { 0 };
	CLEANUP(side_done) struct side a = { 0 };
	CLEANUP(side_done) struct side b = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };
	int status = EXIT_STATUS_DONE;
	int rc;

	rc = cli_parse(&cmd_compare, argc, argv, NULL, &words, err);
	if (!rc && words.n_items != 2)
		rc = err_usage(err, "two reports are compared, and %zu given", words.n_items);
	if (!rc)
		rc = load(words.items[0], &a, err);
	if (!rc)
		rc = load(words.items[1], &b, err);
	if (!rc)
		rc = compare(&a, &b, &status, &page, err);
	if (rc)
		return rc;
	fwrite(buf_text(&page), 1, page.len, stdout);
	return status;
}

const struct command cmd_compare = {
	.name = "compare",
	.synopsis = "A B",
	.summary = "what differs between two bundles, and how the rates changed",
	.details =
		"A and B are bundles, their folders, or report.json files. Ends with 3 if a rate "
		"of B is lower than that of A by more than the spread of the runs on both "
		"sides (--repeat), and with 4 if they were measured by unlike methods.",
	.main = compare_main,
};
