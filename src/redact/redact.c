/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact - values, their tokens, and the texts without them
 *
 * What a mark names is always replaced. A value that was learned is replaced wherever it stands
 * as a word, unless it is too common a word, such as a user called sas; and one that is
 * distinctive is searched for even inside of other words.
 */
#include "iotest/redact.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "iotest/compiler.h"
#include "iotest/siphash.h"
#include "iotest/xalloc.h"
#include "marks.h"
#include "squeeze.h"

#define WORD_LEN_MIN 3

struct value {
	int kind;
	bool is_word; /* to be replaced wherever it stands */
	bool is_main; /* and no other way to write one */
	char *text;   /* lower case */
	size_t len;
	char *token;
	char *squeezed; /* letters and digits alone, of a distinctive one; else NULL */
};

struct redactor {
	int level;
	uint8_t key[16];
	struct value *values;
	size_t n_values;
	/* Which pairs of bytes some value that is a word begins with. */
	uint8_t starts[65536 / 8];
};

static const char *const kinds[] = {
	[REDACTED_SECRET] = "secret", [REDACTED_SERIAL] = "serial", [REDACTED_MAC] = "mac",
	[REDACTED_USER] = "user",     [REDACTED_HOST] = "host",	    [REDACTED_ADDRESS] = "addr",
	[REDACTED_WWN] = "wwn",	      [REDACTED_UUID] = "uuid",
};
_Static_assert(ARRAY_LEN(kinds) == REDACTED_KIND_COUNT, "name every kind");

static const char *const levels[] = {
	[REDACT_SUPPORT] = "support",
	[REDACT_PUBLIC] = "public",
	[REDACT_NONE] = "none",
};
_Static_assert(ARRAY_LEN(levels) == REDACT_COUNT, "name every level");

/* Names of people and machines that are words of every system: replaced where they are marked
 * as a name, but not wherever they stand. */
static const char *const common[] = {
	"admin",   "block",   "bus",	 "class",  "cpu",     "data",	     "default", "dev",
	"device",  "devices", "disk",	 "file",   "files",   "ftp",	     "games",	"guest",
	"home",	   "host",    "info",	 "iotest", "kernel",  "linux",	     "local",	"localhost",
	"mail",	   "memory",  "mnt",	 "mount",  "nas",     "net",	     "network", "nfs",
	"node",	   "none",    "null",	 "opt",	   "path",    "proc",	     "queue",	"read",
	"root",	   "run",     "sas",	 "sasadm", "saswork", "server",	     "size",	"srv",
	"state",   "storage", "support", "sys",	   "system",  "target",	     "test",	"time",
	"tmp",	   "true",    "false",	 "type",   "unknown", "user",	     "users",	"usr",
	"utilloc", "var",     "work",	 "write",  "yes",     "localdomain",
};

const char *redact_level_name(int level)
{
	return levels[level];
}

const char *redact_kind_name(int kind)
{
	return kinds[kind];
}

struct redactor *redactor_new(int level, const uint8_t key[16])
{
	struct redactor *r = xcalloc(1, sizeof(*r));

	r->level = level;
	memcpy(r->key, key, sizeof(r->key));
	return r;
}

void redactor_free(struct redactor *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_values; i++) {
		free(r->values[i].text);
		free(r->values[i].token);
		free(r->values[i].squeezed);
	}
	free(r->values);
	free(r);
}

/* Kinds are ordered: up to the names of users they are taken out for support, too. */
static bool is_wanted(const struct redactor *r, int kind)
{
	return r->level == REDACT_PUBLIC || (r->level == REDACT_SUPPORT && kind <= REDACTED_USER);
}

static char *lower(const char *text, size_t len)
{
	char *copy = xstrndup(text, len);

	for (char *c = copy; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return copy;
}

static char *make_token(const struct redactor *r, int kind, const char *text)
{
	CLEANUP(xfree) char *named = xasprintf("%s:%s", kinds[kind], text);
	uint64_t digest = siphash(r->key, named, strlen(named));

	return xasprintf("%s-%08" PRIx32, kinds[kind], (uint32_t)digest);
}

static bool is_common(const char *text)
{
	for (size_t i = 0; i < ARRAY_LEN(common); i++)
		if (strcmp(common[i], text) == 0)
			return true;
	return false;
}

static struct value *find(const struct redactor *r, int kind, const char *text)
{
	for (size_t i = 0; i < r->n_values; i++)
		if (r->values[i].kind == kind && strcmp(r->values[i].text, text) == 0)
			return &r->values[i];
	return NULL;
}

static unsigned int start_of(const char *text)
{
	return (unsigned int)tolower((unsigned char)text[0]) << 8 |
	       (unsigned int)tolower((unsigned char)text[1]);
}

static void keep(struct redactor *r, int kind, const char *text, const char *token, bool is_main)
{
	struct value *v;

	if (find(r, kind, text))
		return;
	v = XGROW(&r->values, &r->n_values);
	v->kind = kind;
	v->text = xstrdup(text);
	v->len = strlen(text);
	v->token = xstrdup(token);
	v->is_main = is_main;
	v->is_word = v->len >= WORD_LEN_MIN && !is_common(text);
	v->squeezed = v->is_word ? squeeze_distinctive(text) : NULL;
	if (v->is_word)
		r->starts[start_of(text) / 8] |= (uint8_t)(1u << (start_of(text) % 8));
}

/* The other ways in which the same is written somewhere. */
static void keep_variants(struct redactor *r, int kind, const char *text, const char *token)
{
	if (kind == REDACTED_MAC) {
		CLEANUP(xfree) char *bare = squeeze(text, strlen(text));

		keep(r, kind, bare, token, false);
	}
	if (kind == REDACTED_WWN && strncmp(text, "0x", 2) == 0)
		keep(r, kind, text + 2, token, false);
	if (kind == REDACTED_WWN &&
	    (strncmp(text, "naa.", 4) == 0 || strncmp(text, "eui.", 4) == 0))
		keep(r, kind, text + 4, token, false);
	if (kind == REDACTED_HOST && strchr(text, '.')) {
		CLEANUP(xfree) char *name = xstrndup(text, strcspn(text, "."));

		/* Under a token of its own: "a.x" and "a.y" are not the same host. */
		CLEANUP(xfree) char *own = make_token(r, kind, name);

		keep(r, kind, name, own, true);
	}
}

/* Returns the token. */
static char *take(struct redactor *r, int kind, const char *text, size_t len)
{
	CLEANUP(xfree) char *value = lower(text, len);
	char *token = make_token(r, kind, value);

	keep(r, kind, value, token, true);
	keep_variants(r, kind, value, token);
	return token;
}

void redactor_add(struct redactor *r, int kind, const char *value)
{
	if (is_wanted(r, kind) && value && *value)
		free(take(r, kind, value, strlen(value)));
}

char *redactor_token(struct redactor *r, int kind, const char *value)
{
	if (!is_wanted(r, kind) || !*value)
		return xstrdup(value);
	return take(r, kind, value, strlen(value));
}

/* Nobody's name, and what is no secret. */
static bool is_nobody(const struct mark *m, const char *text)
{
	return m->kind == REDACTED_USER && m->len == 4 &&
	       strncasecmp(text + m->start, "root", 4) == 0;
}

static bool wanted_mark(const struct redactor *r, const struct mark *m, const char *text)
{
	return is_wanted(r, m->kind) && !is_nobody(m, text);
}

void redactor_learn(struct redactor *r, const char *path, const char *text, size_t len)
{
	struct mark m;

	if (r->level == REDACT_NONE)
		return;
	if (mark_whole(path, text, len, &m)) {
		if (wanted_mark(r, &m, text))
			free(take(r, m.kind, text + m.start, m.len));
		return;
	}
	for (size_t at = 0; at < len; at++) {
		if (!mark_at(path, text, len, at, &m))
			continue;
		if (wanted_mark(r, &m, text))
			free(take(r, m.kind, text + m.start, m.len));
		at = m.start + m.len - 1;
	}
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A short value must be a word of its own; a distinctive one is known inside of words as well. */
static bool stands_at(const struct value *v, const char *text, size_t len, size_t at)
{
	if (!v->is_word || v->len > len - at || strncasecmp(text + at, v->text, v->len) != 0)
		return false;
	if (v->squeezed)
		return true;
	return (at == 0 || !is_word_char(text[at - 1])) &&
	       (at + v->len == len || !is_word_char(text[at + v->len]));
}

/* The longest one. In names of files only distinctive ones: "block" is a folder, too. */
static const struct value *value_at(const struct redactor *r, bool is_name, const char *text,
				    size_t len, size_t at)
{
	const struct value *best = NULL;
	unsigned int start;

	if (at + 1 >= len)
		return NULL;
	start = start_of(text + at);
	if (!(r->starts[start / 8] & 1u << (start % 8)))
		return NULL;
	for (size_t i = 0; i < r->n_values; i++) {
		const struct value *v = &r->values[i];

		if ((!is_name || v->squeezed) && (!best || v->len > best->len) &&
		    is_wanted(r, v->kind) && stands_at(v, text, len, at))
			best = v;
	}
	return best;
}

static void rewrite_mark(struct redactor *r, const struct mark *m, const char *text,
			 struct buf *out)
{
	CLEANUP(xfree) char *token = take(r, m->kind, text + m->start, m->len);

	buf_add_text(out, token);
}

static void rewrite_text(struct redactor *r, const char *path, const char *text, size_t len,
			 struct buf *out)
{
	for (size_t at = 0; at < len;) {
		const struct value *v;
		struct mark m;

		if (mark_at(path, text, len, at, &m) && wanted_mark(r, &m, text)) {
			buf_add(out, text + at, m.start - at);
			rewrite_mark(r, &m, text, out);
			at = m.start + m.len;
			continue;
		}
		v = value_at(r, !path, text, len, at);
		if (v) {
			buf_add_text(out, v->token);
			at += v->len;
			continue;
		}
		buf_add(out, text + at, 1);
		at++;
	}
}

void redactor_rewrite(struct redactor *r, const char *path, const char *text, size_t len,
		      struct buf *out)
{
	struct mark m;

	if (r->level == REDACT_NONE) {
		buf_add(out, text, len);
		return;
	}
	if (path && mark_whole(path, text, len, &m) && wanted_mark(r, &m, text)) {
		buf_add(out, text, m.start);
		rewrite_mark(r, &m, text, out);
		buf_add(out, text + m.start + m.len, len - m.start - m.len);
		return;
	}
	rewrite_text(r, path, text, len, out);
}

const char *redactor_leak(const struct redactor *r, const char *text, size_t len)
{
	CLEANUP(xfree) char *squeezed = squeeze(text, len);

	for (size_t i = 0; i < r->n_values; i++) {
		const struct value *v = &r->values[i];

		if (v->squeezed && is_wanted(r, v->kind) && strstr(squeezed, v->squeezed))
			return kinds[v->kind];
	}
	return NULL;
}

void redactor_add_summary(const struct redactor *r, struct buf *out)
{
	const char *comma = "";

	for (int kind = 0; kind < REDACTED_KIND_COUNT; kind++) {
		int n = 0;

		for (size_t i = 0; i < r->n_values; i++)
			n += r->values[i].kind == kind && r->values[i].is_main;
		if (!n)
			continue;
		buf_printf(out, "%s%s %d", comma, kinds[kind], n);
		comma = ", ";
	}
}

void redactor_add_map(const struct redactor *r, struct buf *out)
{
	for (size_t i = 0; i < r->n_values; i++) {
		const struct value *v = &r->values[i];

		if (!v->is_main)
			continue;
		buf_printf(out, "%s\t%s\t", v->token, kinds[v->kind]);
		buf_add_visible(out, v->text);
		buf_add_text(out, "\n");
	}
}
