/* SPDX-License-Identifier: Apache-2.0 */
/*
 * differences - the members of two nouns that are not the same
 *
 * Walks the schema tables, so that a new member is compared without a line here.
 */
#include "differences.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "iotest/units.h"
#include "iotest/xalloc.h"

/* A list that is longer is told by its length. */
#define ITEMS_MAX 64

struct walk {
	struct comparison *out;
	const char *noun;
	const char *const *leave_out;
};

static const char *or_unknown(const char *text)
{
	return *text_of(text) ? text : "unknown";
}

void differences_add(struct comparison *out, const char *noun, const char *key, const char *a,
		     const char *b)
{
	struct difference *d;

	if (strcmp(text_of(a), text_of(b)) == 0)
		return;
	d = XGROW(&out->differences, &out->n_differences);
	*d = (struct difference){
		.noun = noun,
		.key = xstrdup(key),
		.a = xstrdup(or_unknown(a)),
		.b = xstrdup(or_unknown(b)),
	};
}

static bool ends_with(const char *text, const char *ending)
{
	size_t len = strlen(text), n = strlen(ending);

	return len >= n && strcmp(text + len - n, ending) == 0;
}

static void add_i64(const char *key, int64_t n, struct buf *out)
{
	if (n == -1)
		return;
	if (ends_with(key, "_bytes") && n >= 0)
		units_add_size(out, n);
	else if (ends_with(key, "_ns") && n >= 0)
		units_add_duration(out, n);
	else
		buf_printf(out, "%" PRId64, n);
}

/* The value as people read it; nothing if it is unknown. */
static void add_value(const struct field *f, const void *member, struct buf *out)
{
	static const char *const words[] = { "no", "yes" };
	int word;

	if (f->type == FIELD_TEXT) {
		buf_add_text(out, text_of(*(char *const *)member));
	} else if (f->type == FIELD_I64) {
		add_i64(f->key, *(const int64_t *)member, out);
	} else if (f->type == FIELD_DOUBLE) {
		double value = *(const double *)member;

		if (isfinite(value) && value >= 0)
			buf_printf(out, "%.6g", value);
	} else {
		word = *(const int *)member;
		if (f->type == FIELD_BOOL && (word == 0 || word == 1))
			buf_add_text(out, words[word]);
		if (f->type == FIELD_ENUM && word >= 0 && (size_t)word < f->n_names &&
		    f->names[word])
			buf_add_text(out, f->names[word]);
	}
}

/* Two sizes may read alike and not be the same: then the bytes are told. */
static void add_leaf(const struct walk *w, const struct field *f, const char *key, const void *a,
		     const void *b)
{
	CLEANUP(buf_done) struct buf x = { 0 };
	CLEANUP(buf_done) struct buf y = { 0 };

	add_value(f, a, &x);
	add_value(f, b, &y);
	if (f->type == FIELD_I64 && *(const int64_t *)a != *(const int64_t *)b &&
	    strcmp(buf_text(&x), buf_text(&y)) == 0) {
		buf_printf(&x, " (%" PRId64 ")", *(const int64_t *)a);
		buf_printf(&y, " (%" PRId64 ")", *(const int64_t *)b);
	}
	differences_add(w->out, w->noun, key, buf_text(&x), buf_text(&y));
}

static bool is_left_out(const struct walk *w, const char *key)
{
	for (size_t i = 0; w->leave_out[i]; i++)
		if (strcmp(w->leave_out[i], key) == 0)
			return true;
	return false;
}

static void walk(const struct walk *w, const struct schema *schema, const char *prefix,
		 const void *a, const void *b);

static size_t count_of(const struct field *f, const void *object)
{
	size_t n;

	memcpy(&n, (const char *)object + f->count_offset, sizeof(n));
	return n;
}

static void walk_list(const struct walk *w, const struct field *f, const char *key, const void *a,
		      const void *b)
{
	const char *x = *(const char *const *)(const void *)((const char *)a + f->offset);
	const char *y = *(const char *const *)(const void *)((const char *)b + f->offset);
	size_t n_x = count_of(f, a), n_y = count_of(f, b);
	CLEANUP(xfree) char *text_x = xasprintf("%zu of them", n_x);
	CLEANUP(xfree) char *text_y = xasprintf("%zu of them", n_y);

	differences_add(w->out, w->noun, key, text_x, text_y);
	for (size_t i = 0; i < n_x && i < n_y && i < ITEMS_MAX; i++) {
		CLEANUP(xfree) char *item = xasprintf("%s[%zu].", key, i);

		walk(w, f->sub, item, x + i * f->sub->size, y + i * f->sub->size);
	}
}

static void walk(const struct walk *w, const struct schema *schema, const char *prefix,
		 const void *a, const void *b)
{
	for (size_t i = 0; i < schema->n_fields; i++) {
		const struct field *f = &schema->fields[i];
		const char *x = (const char *)a + f->offset;
		const char *y = (const char *)b + f->offset;
		CLEANUP(xfree) char *key = xasprintf("%s%s", prefix, f->key);

		if (is_left_out(w, f->key))
			continue;
		if (f->type == FIELD_STRUCT) {
			CLEANUP(xfree) char *inner = xasprintf("%s.", key);

			walk(w, f->sub, inner, x, y);
		} else if (f->type == FIELD_LIST) {
			walk_list(w, f, key, a, b);
		} else {
			add_leaf(w, f, key, x, y);
		}
	}
}

void differences_add_noun(struct comparison *out, const char *noun, const struct schema *schema,
			  const void *a, const void *b, const char *const *leave_out)
{
	const struct walk w = { .out = out, .noun = noun, .leave_out = leave_out };

	walk(&w, schema, "", a, b);
}
