/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_html - the whole report as one file that any browser shows
 *
 * Nothing is loaded and nothing is run: no script, no font, no picture from elsewhere, and the
 * policy in its head forbids them. The verdict first, the evidence after it.
 */
#include "iotest/render.h"

#include <string.h>

#include "html.h"
#include "lines.h"
#include "sentences.h"

static const char *or_unknown(const char *text, const char *otherwise)
{
	return *text_of(text) ? text : otherwise;
}

static void add_paragraph(struct buf *out, const char *kind, const struct buf *text)
{
	if (!text->len)
		return;
	html_element(out, "p", kind, buf_text(text));
	buf_add_text(out, "\n");
}

static void add_head(const struct html *page)
{
	CLEANUP(buf_done) struct buf times = { 0 };
	CLEANUP(buf_done) struct buf kind = { 0 };
	const char *brand = text_of(page->r->host->cpu.brand);

	sentence_add_times(page->r->run, &times);
	sentence_add_kind_of_run(page->r, &kind);
	if (*text_of(page->r->run->case_id))
		buf_printf(&kind, "%scase %s", kind.len ? ", " : "", page->r->run->case_id);
	if (page->r->plan->cores > 0)
		buf_printf(&kind, "%s%lld %s", kind.len ? ", " : "",
			   (long long)page->r->plan->cores,
			   page->r->plan->cores == 1 ? "core" : "cores");
	if (*brand)
		buf_printf(&kind, "%s%s", kind.len ? ", " : "", brand);
	add_paragraph(page->out, "meta", &kind);
	add_paragraph(page->out, "meta", &times);
}

static void add_verdict(const struct html *page)
{
	const struct verdict *v = &page->r->verdict;
	CLEANUP(buf_done) struct buf result = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf rule = { 0 };
	CLEANUP(buf_done) struct buf next = { 0 };

	sentence_add_result(v, &result);
	buf_add_text(&text, text_of(v->text));
	buf_add_text(&rule, "Required: ");
	sentence_add_rule(v, &rule);
	buf_add_text(&next, "Next: ");
	sentence_add_next(page->r, &next);
	buf_printf(page->out, "<div class=\"verdict %s\" id=\"r%zu-verdict\">\n",
		   verdict_name(v->result), page->number);
	html_element(page->out, "strong", "badge", buf_text(&result));
	buf_add_text(page->out, "\n");
	add_paragraph(page->out, NULL, &text);
	add_paragraph(page->out, "meta", &rule);
	add_paragraph(page->out, "meta", &next);
	buf_add_text(page->out, "</div>\n");
}

static void add_lines(const struct html *page, const char *id, const char *title,
		      void (*fill)(struct lines *, const struct report *))
{
	CLEANUP(lines_done) struct lines lines = { 0 };

	fill(&lines, page->r);
	if (!lines.n_items)
		return;
	html_begin_section(page, id, title);
	buf_add_text(page->out, "<dl>\n");
	for (size_t i = 0; i < lines.n_items; i++) {
		buf_add_text(page->out, "<div>");
		html_element(page->out, "dt", NULL, lines.items[i].label);
		html_element(page->out, "dd", NULL, lines.items[i].text);
		buf_add_text(page->out, "</div>\n");
	}
	buf_add_text(page->out, "</dl>\n");
	html_end_section(page);
}

static void add_finding(const struct finding *f, struct buf *out)
{
	buf_printf(out, "<li class=\"%s\"><p><span class=\"id\">%s</span> <code>",
		   severity_name(f->severity), severity_name(f->severity));
	html_text(out, or_unknown(f->id, "unnamed"));
	buf_add_text(out, "</code></p>");
	html_element(out, "p", NULL, f->text);
	if (*text_of(f->advice)) {
		buf_add_text(out, "<p><b>What to do:</b> ");
		html_text(out, f->advice);
		buf_add_text(out, "</p>");
	}
	buf_add_text(out, "</li>\n");
}

static void add_findings(const struct html *page)
{
	const struct report *r = page->r;

	html_begin_section(page, "findings", "Findings");
	buf_add_text(page->out, r->n_findings ? "<ul class=\"findings\">\n" : "<p>none</p>\n");
	for (int severity = SEVERITY_COUNT - 1; severity >= 0; severity--)
		for (size_t i = 0; i < r->n_findings; i++)
			if (r->findings[i].severity == severity)
				add_finding(&r->findings[i], page->out);
	buf_add_text(page->out, r->n_findings ? "</ul>\n" : "");
	html_end_section(page);
}

static void add_limits(const struct html *page)
{
	add_lines(page, "limits", "Limited by", lines_add_limits);
}

static void add_proof(const struct html *page)
{
	add_lines(page, "proof", "Proof", lines_add_proof);
}

static void add_facts(const struct html *page)
{
	add_lines(page, "facts", "How it was measured", lines_add_facts);
}

static void add_pair(struct buf *out, const char *label, const char *text)
{
	buf_add_text(out, "<div>");
	html_element(out, "dt", NULL, label);
	html_element(out, "dd", NULL, or_unknown(text, "unknown"));
	buf_add_text(out, "</div>\n");
}

static void add_origin(const struct html *page)
{
	const struct report *r = page->r;
	CLEANUP(buf_done) struct buf bundle = { 0 };
	CLEANUP(buf_done) struct buf end = { 0 };
	CLEANUP(buf_done) struct buf version = { 0 };

	sentence_add_bundle(r, &bundle);
	sentence_add_end(r, &end);
	sentence_add_version(r, &version);
	html_begin_section(page, "origin", "Where this comes from");
	buf_add_text(page->out, "<dl>\n");
	add_pair(page->out, "command", r->run->invocation);
	add_pair(page->out, "bundle", buf_text(&bundle));
	add_pair(page->out, "run", r->run->id);
	add_pair(page->out, "method", r->plan->method);
	add_pair(page->out, "iotest", buf_text(&version));
	add_pair(page->out, "left behind", buf_text(&end));
	buf_add_text(page->out, "</dl>\n");
	html_end_section(page);
}

static void add_article(const struct html *page)
{
	static void (*const sections[])(const struct html *) = {
		add_verdict,	html_add_rates,	  html_add_runs, html_add_time,
		add_limits,	add_findings,	  add_proof,	 html_add_workers,
		html_add_calls, html_add_storage, add_facts,	 add_origin,
	};

	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		sections[i](page);
}

static void add_name(const struct report *r, struct buf *out)
{
	html_text(out, or_unknown(r->plan->target, "unknown target"));
	buf_add_text(out, " on ");
	html_text(out, or_unknown(r->host->name, "unknown host"));
}

static void begin_document(struct buf *out)
{
	buf_add_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			  "<meta name=\"viewport\" content=\"width=device-width, "
			  "initial-scale=1\">\n"
			  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
			  "'none'; style-src 'unsafe-inline'\">\n<title>");
}

static void begin_body(struct buf *out)
{
	buf_printf(out,
		   "</title>\n<style>\n%s</style>\n</head>\n<body>\n<a class=\"skip\" "
		   "href=\"#r1-verdict\">to the verdict</a>\n<header>\n<h1>",
		   html_style);
}

static void end_document(const struct report *r, struct buf *out)
{
	CLEANUP(buf_done) struct buf version = { 0 };

	if (r)
		sentence_add_version(r, &version);
	buf_add_text(out, "</main>\n<footer>\n<p>iotest ");
	html_text(out, buf_text(&version));
	buf_add_text(out, ": file system throughput for SAS-like work. 1 MiB/s = 2<sup>20</sup> "
			  "bytes a second = 1.049 MB/s. This page loads nothing and runs "
			  "nothing; report.json beside it has all figures.</p>\n</footer>\n"
			  "</body>\n</html>\n");
}

void render_report_html(const struct report *report, struct buf *out)
{
	const struct html page = { .out = out, .r = report, .number = 1, .level = 2 };

	begin_document(out);
	buf_add_text(out, "iotest: ");
	buf_add_text(out, verdict_name(report->verdict.result));
	buf_add_text(out, ", ");
	add_name(report, out);
	begin_body(out);
	add_name(report, out);
	buf_add_text(out, "</h1>\n");
	add_head(&page);
	buf_add_text(out, "</header>\n<main>\n");
	add_article(&page);
	end_document(report, out);
}

static void add_contents(const struct records *records, struct buf *out)
{
	buf_add_text(out, "<nav aria-label=\"targets\">\n<ul>\n");
	for (size_t i = 0; i < records->n_items; i++) {
		const struct report *r = &records->items[i]->report;

		buf_printf(out, "<li><a href=\"#r%zu\">", i + 1);
		html_text(out, or_unknown(r->plan->target, "unknown target"));
		buf_printf(out, "</a>: %s</li>\n", verdict_name(r->verdict.result));
	}
	buf_add_text(out, "</ul>\n</nav>\n</header>\n<main>\n");
}

void render_records_html(const struct records *records, struct buf *out)
{
	if (records->n_items == 1) {
		render_report_html(&records->items[0]->report, out);
		return;
	}
	begin_document(out);
	buf_printf(out, "iotest: %zu targets", records->n_items);
	begin_body(out);
	buf_printf(out, "%zu targets</h1>\n", records->n_items);
	add_contents(records, out);
	for (size_t i = 0; i < records->n_items; i++) {
		const struct html page = {
			.out = out,
			.r = &records->items[i]->report,
			.number = i + 1,
			.level = 3,
		};

		buf_printf(out, "<article id=\"r%zu\">\n<h2>", i + 1);
		add_name(page.r, out);
		buf_add_text(out, "</h2>\n");
		add_head(&page);
		add_article(&page);
		buf_add_text(out, "</article>\n");
	}
	end_document(records->n_items ? &records->items[0]->report : NULL, out);
}
