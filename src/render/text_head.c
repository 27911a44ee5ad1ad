/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_head - what both text pages begin and end with
 */
#include <string.h>

#include "iotest/wrap.h"
#include "layout.h"
#include "sentences.h"
#include "text_parts.h"

#define VERDICT_COLUMN 9
#define FINDING_COLUMN 11

static void add_title(const struct report *r, struct buf *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	sentence_add_version(r, &line);
	buf_printf(&line, "  %s", *text_of(r->host->name) ? r->host->name : "unknown host");
	buf_printf(&line, "  %s", *text_of(r->plan->target) ? r->plan->target : "unknown target");
	if (r->plan->workers >= 1)
		buf_add_text(&line, "  ");
	sentence_add_kind_of_run(r, &line);
	if (*text_of(r->run->case_id))
		buf_printf(&line, "  case %s", r->run->case_id);
	layout_wrap(out, "iotest ", 7, buf_text(&line));
}

static void add_times(const struct run *run, struct buf *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	sentence_add_times(run, &line);
	layout_wrap(out, "", 0, buf_text(&line));
}

static void add_verdict(const struct verdict *v, struct buf *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	sentence_add_result(v, &line);
	buf_printf(&line, "  %s", text_of(v->text));
	layout_wrap(out, "VERDICT", VERDICT_COLUMN, buf_text(&line));
}

void text_add_head_short(const struct report *report, struct buf *out)
{
	add_title(report, out);
	add_times(report->run, out);
	add_verdict(&report->verdict, out);
}

static void add_finding(const struct finding *f, struct buf *out)
{
	layout_row(out, FINDING_COLUMN, severity_name(f->severity), "%s  %s",
		   *text_of(f->id) ? f->id : "unnamed", text_of(f->text));
	if (*text_of(f->advice))
		layout_wrap(out, "        -> ", FINDING_COLUMN, f->advice);
}

void text_add_findings(const struct report *r, struct buf *out)
{
	buf_add_text(out, r->n_findings ? "FINDINGS\n" : "FINDINGS  none\n");
	for (int severity = SEVERITY_COUNT - 1; severity >= 0; severity--) {
		for (size_t i = 0; i < r->n_findings; i++) {
			if (r->findings[i].severity == severity)
				add_finding(&r->findings[i], out);
		}
	}
}

#define DOTS " ..."

/* The length of line at a blank before its columns and the dots are more than a line has. */
static size_t cut_line(const char *line, size_t len)
{
	size_t room = WRAP_WIDTH - strlen(DOTS);

	while (len > 0 && wrap_columns(line, len) > room)
		for (len--; len > 0 && line[len] != ' ';)
			len--;
	return len;
}

/* Text that is wrapped already, at most so many lines of it; what is cut ends in dots. */
static void add_cut(const char *text, size_t n_lines, struct buf *out)
{
	const char *last = text;
	size_t len;

	for (size_t i = 0; *last && i + 1 < n_lines; i++)
		last += strcspn(last, "\n") + 1;
	len = strcspn(last, "\n");
	if (!*last || !last[len + (last[len] != '\0')]) {
		buf_add_text(out, text);
		return;
	}
	len = cut_line(last, len);
	buf_add(out, text, (size_t)(last - text) + len);
	buf_add_text(out, DOTS "\n");
}

static void add_finding_short(const struct finding *f, struct buf *out)
{
	bool is_grave = f->severity > SEVERITY_INFO;
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf advice = { 0 };

	layout_row(&text, FINDING_COLUMN, severity_name(f->severity), "%s  %s",
		   *text_of(f->id) ? f->id : "unnamed", text_of(f->text));
	add_cut(buf_text(&text), is_grave ? 2 : 1, out);
	if (!is_grave || !*text_of(f->advice))
		return;
	layout_wrap(&advice, "        -> ", FINDING_COLUMN, f->advice);
	add_cut(buf_text(&advice), 2, out);
}

void text_add_findings_short(const struct report *r, struct buf *out)
{
	CLEANUP(buf_done) struct buf all = { 0 };

	for (int severity = SEVERITY_COUNT - 1; severity >= 0; severity--)
		for (size_t i = 0; i < r->n_findings; i++)
			if (r->findings[i].severity == severity)
				add_finding_short(&r->findings[i], &all);
	buf_add_text(out, !r->n_findings ? "FINDINGS  none\n"
			  : strstr(buf_text(&all), DOTS "\n")
				  ? "FINDINGS (in full: report.html, report --format details)\n"
				  : "FINDINGS\n");
	buf_add_text(out, buf_text(&all));
}

void text_add_end(const struct report *r, struct buf *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	sentence_add_bundle(r, &line);
	layout_wrap(out, "BUNDLE", 8, buf_text(&line));
	buf_done(&line);
	sentence_add_end(r, &line);
	layout_wrap(out, "CLEAN", 8, buf_text(&line));
}

void text_add_head(const struct report *report, struct buf *out)
{
	CLEANUP(buf_done) struct buf rule = { 0 };

	text_add_head_short(report, out);
	sentence_add_rule(&report->verdict, &rule);
	layout_row(out, VERDICT_COLUMN, "rule", "%s", buf_text(&rule));
	text_add_control(report, VERDICT_COLUMN, out);
}
