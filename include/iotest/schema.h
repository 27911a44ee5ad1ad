/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema - what fields a noun has, as data
 *
 * One table per struct, in model/. Releasing, JSON writing, JSON reading and the list of keys in
 * docs/REPORT.md all walk the same tables, so that they cannot disagree. The JSON key is the name
 * of the struct member.
 */
#ifndef IOTEST_SCHEMA_H
#define IOTEST_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

enum field_type {
	FIELD_TEXT,   /* char *, owned; NULL and "" are unknown */
	FIELD_I64,    /* int64_t; -1 is unknown */
	FIELD_DOUBLE, /* double; below 0 is unknown */
	FIELD_BOOL,   /* int; 0, 1, -1 unknown */
	FIELD_ENUM,   /* int, index into names[n_names] */
	FIELD_STRUCT, /* a struct in place, described by sub */
	FIELD_LIST,   /* pointer to n structs, owned; the size_t count is at count_offset */
};

struct field {
	const char *key;
	enum field_type type;
	size_t offset;
	const char *const *names; /* FIELD_ENUM */
	size_t n_names;
	const struct schema *sub; /* FIELD_STRUCT, FIELD_LIST */
	size_t count_offset;	  /* FIELD_LIST */
	const char *doc;	  /* one sentence with the unit, for docs/REPORT.md */
};

struct schema {
	const char *name;
	size_t size; /* of the struct */
	const struct field *fields;
	size_t n_fields;
};

/* Sets every field to unknown: "" is NULL, numbers -1, enums 0, lists empty. */
void schema_init(const struct schema *schema, void *object);

/* Frees every owned text and list, and zeroes the object. A zeroed object is fine. */
void schema_done(const struct schema *schema, void *object);

/* A deep copy of from into to, which is overwritten: zeroed or released before. */
void schema_copy(const struct schema *schema, const void *from, void *to);

/* The value of a FIELD_TEXT member, never NULL. */
static inline const char *text_of(const char *s)
{
	return s ? s : "";
}

#endif
