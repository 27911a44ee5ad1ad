/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema - init and release of any noun, by its table
 */
#include "iotest/schema.h"

#include <stdlib.h>
#include <string.h>

#include "iotest/xalloc.h"

static void *at(void *object, size_t offset)
{
	return (char *)object + offset;
}

static void list_done(const struct field *f, void *object)
{
	void **list = at(object, f->offset);
	size_t *n = at(object, f->count_offset);

	for (size_t i = 0; *list && i < *n; i++)
		schema_done(f->sub, (char *)*list + i * f->sub->size);
	free(*list);
}

static void init_field(const struct field *f, void *object)
{
	switch (f->type) {
	case FIELD_I64:
		*(int64_t *)at(object, f->offset) = -1;
		break;
	case FIELD_DOUBLE:
		*(double *)at(object, f->offset) = -1;
		break;
	case FIELD_BOOL:
		*(int *)at(object, f->offset) = -1;
		break;
	case FIELD_STRUCT:
		schema_init(f->sub, at(object, f->offset));
		break;
	case FIELD_TEXT:
	case FIELD_ENUM:
	case FIELD_LIST:
		break;
	}
}

void schema_init(const struct schema *schema, void *object)
{
	memset(object, 0, schema->size);
	for (size_t i = 0; i < schema->n_fields; i++)
		init_field(&schema->fields[i], object);
}

/* schema->size is that of the struct; a table may describe a part of it only. */
void schema_done(const struct schema *schema, void *object)
{
	for (size_t i = 0; i < schema->n_fields; i++) {
		const struct field *f = &schema->fields[i];

		if (f->type == FIELD_TEXT)
			free(*(char **)at(object, f->offset));
		else if (f->type == FIELD_STRUCT)
			schema_done(f->sub, at(object, f->offset));
		else if (f->type == FIELD_LIST)
			list_done(f, object);
	}
	memset(object, 0, schema->size);
}

static void list_copy(const struct field *f, const void *from, void *to)
{
	const char *items = *(void *const *)((const char *)from + f->offset);
	size_t n = *(const size_t *)((const char *)from + f->count_offset);
	char *copy = n ? xcalloc(n, f->sub->size) : NULL;

	for (size_t i = 0; i < n; i++)
		schema_copy(f->sub, items + i * f->sub->size, copy + i * f->sub->size);
	*(void **)at(to, f->offset) = copy;
}

/* Numbers and counts are copied as bytes; what is owned is then replaced by copies of its own. */
void schema_copy(const struct schema *schema, const void *from, void *to)
{
	memcpy(to, from, schema->size);
	for (size_t i = 0; i < schema->n_fields; i++) {
		const struct field *f = &schema->fields[i];
		const char *source = (const char *)from + f->offset;

		if (f->type == FIELD_TEXT && *(char *const *)source)
			*(char **)at(to, f->offset) = xstrdup(*(char *const *)source);
		else if (f->type == FIELD_STRUCT)
			schema_copy(f->sub, source, at(to, f->offset));
		else if (f->type == FIELD_LIST)
			list_copy(f, from, to);
	}
}
