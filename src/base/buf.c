/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf - text that grows
 */
#include "iotest/buf.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/xalloc.h"

#define FIRST_CAP 64

void buf_done(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

int buf_reserve(struct buf *b, size_t len)
{
	size_t need = b->len + len + 1;
	size_t cap = b->cap ? b->cap : FIRST_CAP;
	char *data;

	if (need <= len)
		return -ENOMEM;
	if (need <= b->cap)
		return 0;
	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? SIZE_MAX : cap * 2;
	data = realloc(b->data, cap);
	if (!data)
		return -ENOMEM;
	data[b->len] = '\0';
	b->data = data;
	b->cap = cap;
	return 0;
}

static void reserve(struct buf *b, size_t len)
{
	if (buf_reserve(b, len))
		xalloc_failed();
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	reserve(b, len);
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_add_text(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, ap);
	if (len >= 0) {
		reserve(b, (size_t)len);
		vsnprintf(b->data + b->len, (size_t)len + 1, fmt, again);
		b->len += (size_t)len;
	}
	va_end(again);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

/* One row for each length of a UTF-8 sequence: lead byte, and the smallest code that needs it. */
static const struct {
	unsigned char mask;
	unsigned char lead;
	uint32_t min;
} sequences[] = {
	{ 0x80, 0x00, 0x0000 },
	{ 0xe0, 0xc0, 0x0080 },
	{ 0xf0, 0xe0, 0x0800 },
	{ 0xf8, 0xf0, 0x10000 },
};

static size_t sequence_decode(const unsigned char *s, size_t len, uint32_t *code)
{
	uint32_t c = s[0] & (unsigned char)~sequences[len - 1].mask;

	if ((s[0] & sequences[len - 1].mask) != sequences[len - 1].lead)
		return 0;
	/* The zero at the end of the text is no continuation byte, so this stops there. */
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < sequences[len - 1].min || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*code = c;
	return len;
}

/* Length of the character at s if a terminal may see it, else 0. */
static size_t visible_len(const unsigned char *s)
{
	for (size_t len = 1; len <= ARRAY_LEN(sequences); len++) {
		uint32_t code;

		if (sequence_decode(s, len, &code) == 0)
			continue;
		return code < 0x20 || (code >= 0x7f && code < 0xa0) ? 0 : len;
	}
	return 0;
}

void buf_add_visible(struct buf *b, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		size_t len = visible_len(s);

		if (len)
			buf_add(b, s, len);
		else
			buf_printf(b, "\\%03o", *s);
		s += len ? len : 1;
	}
}

static bool is_all_visible(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		size_t len = visible_len(s);

		if (!len)
			return false;
		s += len;
	}
	return true;
}

/* Every shell reads '...', newer ones $'...', too. */
void buf_add_shell_word(struct buf *b, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789-_=+./:,@%";
	bool is_visible = is_all_visible(word);

	if (*word && strspn(word, plain) == strlen(word)) {
		buf_add_text(b, word);
		return;
	}
	buf_add_text(b, is_visible ? "'" : "$'");
	for (const unsigned char *s = (const unsigned char *)word; *s; s++) {
		size_t len = visible_len(s);

		if (*s == '\'')
			buf_add_text(b, is_visible ? "'\\''" : "\\'");
		else if (!is_visible && *s == '\\')
			buf_add_text(b, "\\\\");
		else if (!len)
			buf_printf(b, "\\%03o", *s);
		else
			buf_add(b, s, len);
		s += len ? len - 1 : 0;
	}
	buf_add_text(b, "'");
}

const char *buf_text(const struct buf *b)
{
	return b->data ? b->data : "";
}

char *buf_take(struct buf *b)
{
	char *text = b->data ? b->data : xstrdup("");

	*b = (struct buf){ 0 };
	return text;
}
