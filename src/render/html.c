/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html - marking up: escapes, elements, tables, pictures
 */
#include "html.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "text_parts.h"

/* Turn the direction of what follows, or hide it: in a name they only deceive. */
static bool is_deceiving(uint32_t c)
{
	return (c >= 0x80 && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
	       (c >= 0xfff0 && c <= 0xfffb) || (c & 0xfffe) == 0xfffe;
}

/* What buf_add_visible lets pass is UTF-8. Returns its length. */
static size_t decode(const char *text, uint32_t *out)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len = *s < 0x80 ? 1 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;
	uint32_t c = len == 1 ? *s : *s & (0xffu >> (len + 1));

	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			len = i;
		else
			c = c << 6 | (s[i] & 0x3fu);
	}
	*out = c;
	return len;
}

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void html_text(struct buf *out, const char *text)
{
	CLEANUP(buf_done) struct buf visible = { 0 };
	const char *s;

	buf_add_visible(&visible, text_of(text));
	s = buf_text(&visible);
	while (*s) {
		uint32_t c;
		size_t len = decode(s, &c);

		if (entity(*s))
			buf_add_text(out, entity(*s));
		else if (is_deceiving(c))
			buf_printf(out, "\\u%04x", (unsigned int)c);
		else
			buf_add(out, s, len);
		s += len;
	}
}

void html_printf(struct buf *out, const char *fmt, ...)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	html_text(out, buf_text(&text));
}

void html_begin_section(const struct html *page, const char *id, const char *title)
{
	buf_printf(page->out, "<section aria-labelledby=\"r%zu-%s\">\n<h%d id=\"r%zu-%s\">",
		   page->number, id, page->level, page->number, id);
	html_text(page->out, title);
	buf_printf(page->out, "</h%d>\n", page->level);
}

void html_end_section(const struct html *page)
{
	buf_add_text(page->out, "</section>\n");
}

void html_element(struct buf *out, const char *tag, const char *kind, const char *text)
{
	buf_printf(out, "<%s", tag);
	if (kind)
		buf_printf(out, " class=\"%s\"", kind);
	buf_add_text(out, ">");
	html_text(out, text);
	buf_printf(out, "</%s>", tag);
}

/* A box that scrolls must be reached by the keyboard, too, and say what it is. */
void html_begin_table(struct buf *out, const char *caption, const char *const *heads)
{
	buf_add_text(out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
	html_text(out, caption);
	buf_add_text(out, "\">\n<table>\n<caption><span>");
	html_text(out, caption);
	buf_add_text(out, "</span></caption>\n<thead><tr>");
	for (size_t i = 0; heads[i]; i++) {
		buf_add_text(out, "<th scope=\"col\">");
		html_text(out, heads[i]);
		buf_add_text(out, "</th>");
	}
	buf_add_text(out, "</tr></thead>\n<tbody>\n");
}

void html_end_table(struct buf *out)
{
	buf_add_text(out, "</tbody>\n</table>\n</div>\n");
}

void html_row_head(struct buf *out, const char *text)
{
	buf_add_text(out, "<th scope=\"row\">");
	html_text(out, text);
	buf_add_text(out, "</th>");
}

void html_cell(struct buf *out, const char *text)
{
	html_element(out, "td", NULL, text);
}

void html_rate_cell(struct buf *out, double mib_per_s)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	text_add_rate(&text, mib_per_s);
	html_cell(out, buf_text(&text));
}

void html_begin_details(struct buf *out, const char *summary)
{
	buf_add_text(out, "<details>\n<summary>");
	html_text(out, summary);
	buf_add_text(out, "</summary>\n");
}

void html_end_details(struct buf *out)
{
	buf_add_text(out, "</details>\n");
}

void html_begin_svg(const struct html *page, const char *name, const char *title, const char *desc)
{
	struct buf *out = page->out;

	buf_printf(out,
		   "<svg role=\"img\" aria-labelledby=\"r%zu-%s-t r%zu-%s-d\" viewBox=\"0 0 "
		   "1000 1000\" preserveAspectRatio=\"none\">\n<title id=\"r%zu-%s-t\">",
		   page->number, name, page->number, name, page->number, name);
	html_text(out, title);
	buf_printf(out, "</title>\n<desc id=\"r%zu-%s-d\">", page->number, name);
	html_text(out, desc);
	buf_add_text(out, "</desc>\n");
}

void html_end_svg(const struct html *page)
{
	buf_add_text(page->out, "</svg>\n");
}

const char *html_phase_class(int phase_kind)
{
	static const char *const classes[] = {
		[PHASE_WRITE] = "write",	  [PHASE_READ] = "read",
		[PHASE_MIXED] = "mixed",	  [PHASE_CONTROL_WRITE] = "control",
		[PHASE_CONTROL_READ] = "control",
	};
	_Static_assert(ARRAY_LEN(classes) == PHASE_COUNT, "a class for every phase");

	return classes[phase_kind];
}
