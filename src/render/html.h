/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html - marking up, and the sections of the HTML report that have a file of their own
 *
 * Whatever comes from outside goes through html_text. Sections without anything to say add
 * nothing, and no rate of a phase that is not usable is shown anywhere.
 */
#ifndef IOTEST_RENDER_HTML_H
#define IOTEST_RENDER_HTML_H

#include <stdbool.h>
#include <stddef.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/report.h"

/* One report of the document. */
struct html {
	struct buf *out;
	const struct report *r;
	size_t number; /* from 1: makes ids differ */
	int level;     /* of the headings of sections: 2 or 3 */
};

/* Escaped, for text and for attributes in double quotes. What no page may hold is made visible. */
void html_text(struct buf *out, const char *text);
void html_printf(struct buf *out, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A section with its heading; id is a word of ours. Ends with html_end_section. */
void html_begin_section(const struct html *page, const char *id, const char *title);
void html_end_section(const struct html *page);

/* <tag class="kind">text</tag>; kind may be NULL. */
void html_element(struct buf *out, const char *tag, const char *kind, const char *text);

/* A table that scrolls by itself where it is wider than the screen. heads ends with NULL. */
void html_begin_table(struct buf *out, const char *caption, const char *const *heads);
void html_end_table(struct buf *out);
void html_row_head(struct buf *out, const char *text);
void html_cell(struct buf *out, const char *text);
void html_rate_cell(struct buf *out, double mib_per_s);

/* What opens to show its figures. */
void html_begin_details(struct buf *out, const char *summary);
void html_end_details(struct buf *out);

/*
 * <svg role="img"> that fills its box, 1000 by 1000 units stretched to it, with what it shows in
 * words. name is a word of ours that no other picture of this report has.
 */
#define HTML_SVG_SIZE 1000.0
void html_begin_svg(const struct html *page, const char *name, const char *title, const char *desc);
void html_end_svg(const struct html *page);

/* "write", for classes: colours are by phase. */
const char *html_phase_class(int phase_kind);

/* The style sheet, between <style> tags. */
extern const char *const html_style;

/* Large figures, then the table of all rates; the runs of a repeated test. */
void html_add_rates(const struct html *page);
void html_add_runs(const struct html *page);

/* Throughput over the time of all phases: workers and devices. */
void html_add_time(const struct html *page);

/* A bar for each worker. */
void html_add_workers(const struct html *page);

/* How long calls took. */
void html_add_calls(const struct html *page);

/* From the directory down to the disks, with what each did. */
void html_add_storage(const struct html *page);

#endif
