/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_docs - docs/REPORT.md and docs/METHOD.md name what the tables hold
 *
 * PRINT_KEYS=1 prints the rows that REPORT.md must have, instead of testing.
 */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/analyze.h"
#include "iotest/collect.h"
#include "iotest/buf.h"
#include "iotest/planner.h"
#include "iotest/report.h"
#include "iotest/xalloc.h"

static const struct {
	const char *where;
	const struct schema *schema;
} nouns[] = {
	{ "host", &host_schema },
	{ "plan", &plan_schema },
	{ "run", &run_schema },
	{ "phases.write", &phase_schema },
	{ "phases.write", &rates_schema },
	{ "findings[]", &finding_schema },
	{ "advice[]", &advice_schema },
	{ "verdict", &verdict_schema },
	{ "repeats[]", &repeat_schema },
};

static void read_doc(const char *name, struct buf *out)
{
	const char *fixtures = getenv("FIXTURES");
	CLEANUP(xfree) char *path = xasprintf("%s/../../docs/%s", fixtures ? fixtures : ".", name);
	FILE *f = fopen(path, "re");
	char piece[4096];
	size_t n;

	ck_assert_msg(f != NULL, "%s", path);
	while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
		buf_add(out, piece, n);
	fclose(f);
}

/* The lists and structs inside are walked, too; run's phases stand under "phases". */
static void walk(const char *where, const struct schema *s,
		 void (*visit)(const char *key, const struct field *f, void *context),
		 void *context)
{
	for (size_t i = 0; i < s->n_fields; i++) {
		const struct field *f = &s->fields[i];
		CLEANUP(xfree)
		char *key = xasprintf("%s.%s%s", where, f->key, f->type == FIELD_LIST ? "[]" : "");

		if (s == &run_schema && f->type == FIELD_STRUCT)
			continue;
		visit(key, f, context);
		if (f->sub)
			walk(key, f->sub, visit, context);
	}
}

static void must_stand(const char *key, const struct field *f UNUSED, void *context)
{
	CLEANUP(xfree) char *cell = xasprintf("`%s`", key);

	ck_assert_msg(strstr(context, cell) != NULL, "docs/REPORT.md does not describe %s", key);
}

static const char *type_word(const struct field *f)
{
	static const char *const words[] = {
		[FIELD_TEXT] = "text",	  [FIELD_I64] = "integer", [FIELD_DOUBLE] = "number",
		[FIELD_BOOL] = "boolean", [FIELD_ENUM] = "word",   [FIELD_STRUCT] = "object",
		[FIELD_LIST] = "array",
	};
	return words[f->type];
}

static void print_row(const char *key, const struct field *f, void *context UNUSED)
{
	printf("| `%s` | %s | %s", key, type_word(f), f->doc);
	for (size_t i = 0; f->type == FIELD_ENUM && i < f->n_names; i++)
		printf("%s%s", i ? ", " : ": ", f->names[i]);
	printf(" |\n");
}

START_TEST(report_md_describes_every_key)
{
	CLEANUP(buf_done) struct buf doc = { 0 };

	for (size_t i = 0; getenv("PRINT_KEYS") && i < ARRAY_LEN(nouns); i++)
		walk(nouns[i].where, nouns[i].schema, print_row, NULL);
	read_doc("REPORT.md", &doc);
	for (size_t i = 0; i < ARRAY_LEN(nouns); i++)
		walk(nouns[i].where, nouns[i].schema, must_stand, doc.data);
}
END_TEST

START_TEST(report_md_explains_every_finding)
{
	CLEANUP(buf_done) struct buf doc = { 0 };
	struct finding_kind kind;

	read_doc("REPORT.md", &doc);
	for (size_t i = 0; finding_kind_at(i, &kind); i++) {
		CLEANUP(xfree)
		char *row = xasprintf("| `%s` | %s | %s |", kind.id, severity_name(kind.severity),
				      kind.meaning);

		if (getenv("PRINT_KEYS"))
			printf("%s\n", row);
		else
			ck_assert_msg(strstr(doc.data, row) != NULL, "docs/REPORT.md lacks: %s",
				      row);
	}
}
END_TEST

/* In a table of Markdown "|" needs a backslash. */
static void add_cell(struct buf *row, const char *text)
{
	for (; *text; text++)
		buf_printf(row, "%s%c", *text == '|' ? "\\" : "", *text);
}

START_TEST(evidence_md_lists_every_item)
{
	CLEANUP(buf_done) struct buf doc = { 0 };
	struct collect_kind kind;

	read_doc("EVIDENCE.md", &doc);
	for (size_t i = 0; collect_kind_at(i, &kind); i++) {
		CLEANUP(buf_done) struct buf row = { 0 };

		buf_add_text(&row, "| `");
		add_cell(&row, kind.pattern);
		buf_printf(&row, "` | %s | %s |",
			   kind.when == COLLECT_BOTH ? "before, after" : "before", kind.purpose);
		if (getenv("PRINT_KEYS"))
			printf("%s\n", buf_text(&row));
		else
			ck_assert_msg(strstr(doc.data, buf_text(&row)) != NULL,
				      "docs/EVIDENCE.md lacks: %s", buf_text(&row));
	}
}
END_TEST

START_TEST(method_md_lists_every_requirement)
{
	CLEANUP(buf_done) struct buf doc = { 0 };
	size_t n;
	const struct requirement *r = requirements(&n);

	read_doc("METHOD.md", &doc);
	for (size_t i = 0; i < n; i++) {
		CLEANUP(xfree) char *row = xasprintf("| `%s` | %.0f |", r[i].name, r[i].mib_per_s);

		ck_assert_msg(strstr(doc.data, row) != NULL, "docs/METHOD.md lacks: %s", row);
	}
}
END_TEST

SUITE_MAIN("docs", report_md_describes_every_key, report_md_explains_every_finding,
	   evidence_md_lists_every_item, method_md_lists_every_requirement)
