/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_json_read - a JSON report back into records
 *
 * The file may come from anywhere. The tables say what may stand where; everything else is either
 * an unknown key, and ignored, or an error that names the key. Depth is limited by jansson (2048)
 * and by the tables.
 */
#include "iotest/render.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_shape.h"

#define LIST_MAX 65536

/* Where we are, from the innermost key outwards: for messages only. */
struct spot {
	const struct spot *up;
	const char *key; /* NULL: the element at index */
	size_t index;
};

struct reader {
	const char *name; /* of the file */
	struct err *err;
};

static void json_unref(json_t **json)
{
	json_decref(*json);
}

static void *at(void *object, size_t offset)
{
	return (char *)object + offset;
}

static void add_path(struct buf *b, const struct spot *spot)
{
	if (!spot)
		return;
	add_path(b, spot->up);
	if (spot->key)
		buf_printf(b, "%s%s", b->len ? "." : "", spot->key);
	else
		buf_printf(b, "[%zu]", spot->index);
}

static int refuse(const struct reader *r, const struct spot *spot, const char *why)
{
	CLEANUP(buf_done) struct buf path = { 0 };

	add_path(&path, spot);
	return err_say(r->err, -EINVAL, "%s: %s%s%s", r->name, buf_text(&path), path.len ? " " : "",
		       why);
}

static int read_text(const struct reader *r, const struct spot *spot, const struct field *f,
		     const json_t *json, void *member)
{
	char **text = member;
	char *copy = NULL;

	(void)f;
	if (!json_is_null(json) && !json_is_string(json))
		return refuse(r, spot, "is not a text");
	if (json_is_string(json) && json_string_length(json) > 0) {
		copy = strdup(json_string_value(json));
		if (!copy)
			return err_set(r->err, -ENOMEM, "%s", r->name);
	}
	free(*text);
	*text = copy;
	return 0;
}

static int read_i64(const struct reader *r, const struct spot *spot, const struct field *f,
		    const json_t *json, void *member)
{
	int64_t value;

	if (json_is_null(json)) {
		*(int64_t *)member = -1;
		return 0;
	}
	if (!json_is_number(json))
		return refuse(r, spot, "is not a number");
	if (!json_is_integer(json))
		return refuse(r, spot, "is not a whole number");
	value = json_integer_value(json);
	if (!json_is_in_range(f, value))
		return refuse(r, spot, "is out of range");
	*(int64_t *)member = value;
	return 0;
}

static int read_double(const struct reader *r, const struct spot *spot, const struct field *f,
		       const json_t *json, void *member)
{
	double value;

	(void)f;
	if (json_is_null(json)) {
		*(double *)member = -1;
		return 0;
	}
	if (!json_is_number(json))
		return refuse(r, spot, "is not a number");
	value = json_number_value(json);
	if (!isfinite(value) || value < 0)
		return refuse(r, spot, "is out of range");
	*(double *)member = value;
	return 0;
}

static int read_bool(const struct reader *r, const struct spot *spot, const struct field *f,
		     const json_t *json, void *member)
{
	(void)f;
	if (!json_is_null(json) && !json_is_boolean(json))
		return refuse(r, spot, "is neither true, false nor null");
	*(int *)member = json_is_null(json) ? -1 : json_is_true(json);
	return 0;
}

static int refuse_name(const struct reader *r, const struct spot *spot, const char *name)
{
	CLEANUP(buf_done) struct buf why = { 0 };

	buf_add_text(&why, "is not known here: \"");
	buf_add_visible(&why, name);
	buf_add_text(&why, "\"");
	return refuse(r, spot, buf_text(&why));
}

static int read_enum(const struct reader *r, const struct spot *spot, const struct field *f,
		     const json_t *json, void *member)
{
	if (json_is_null(json))
		return 0;
	if (!json_is_string(json))
		return refuse(r, spot, "is not a text");
	for (size_t i = 0; i < f->n_names; i++) {
		if (f->names[i] && strcmp(f->names[i], json_string_value(json)) == 0) {
			*(int *)member = (int)i;
			return 0;
		}
	}
	return refuse_name(r, spot, json_string_value(json));
}

static int read_fields(const struct reader *r, const struct spot *spot, const struct schema *schema,
		       const json_t *json, void *object);

static int read_struct(const struct reader *r, const struct spot *spot, const struct field *f,
		       const json_t *json, void *member)
{
	return read_fields(r, spot, f->sub, json, member);
}

static int read_list(const struct reader *r, const struct spot *spot, const struct field *f,
		     const json_t *json, void *object)
{
	void **items = at(object, f->offset);
	size_t *n_items = at(object, f->count_offset);
	size_t n = json_array_size(json);
	char *list;

	if (!json_is_array(json))
		return refuse(r, spot, "is not a list");
	if (n > LIST_MAX)
		return refuse(r, spot, "has too many elements");
	if (n == 0)
		return 0;
	list = calloc(n, f->sub->size);
	if (!list)
		return err_set(r->err, -ENOMEM, "%s", r->name);
	*items = list;
	*n_items = n; /* from here on the object owns it, whatever follows */
	for (size_t i = 0; i < n; i++) {
		struct spot element = { spot, NULL, i };
		int rc;

		schema_init(f->sub, list + i * f->sub->size);
		rc = read_fields(r, &element, f->sub, json_array_get(json, i),
				 list + i * f->sub->size);
		if (rc)
			return rc;
	}
	return 0;
}

static int read_value(const struct reader *r, const struct spot *spot, const struct field *f,
		      const json_t *json, void *object)
{
	static int (*const readers[])(const struct reader *, const struct spot *,
				      const struct field *, const json_t *, void *) = {
		[FIELD_TEXT] = read_text, [FIELD_I64] = read_i64,   [FIELD_DOUBLE] = read_double,
		[FIELD_BOOL] = read_bool, [FIELD_ENUM] = read_enum, [FIELD_STRUCT] = read_struct,
	};

	if (f->type == FIELD_LIST)
		return read_list(r, spot, f, json, object);
	return readers[f->type](r, spot, f, json, at(object, f->offset));
}

static int read_fields(const struct reader *r, const struct spot *spot, const struct schema *schema,
		       const json_t *json, void *object)
{
	if (!json_is_object(json))
		return refuse(r, spot, "is not an object");
	for (size_t i = 0; i < schema->n_fields; i++) {
		const struct field *f = &schema->fields[i];
		const json_t *value = json_object_get(json, f->key);
		struct spot member = { spot, f->key, 0 };
		int rc;

		if (!value || json_is_elsewhere(f))
			continue;
		rc = read_value(r, &member, f, value, object);
		if (rc)
			return rc;
	}
	return 0;
}

static int read_phases(const struct reader *r, const struct spot *spot, const json_t *json,
		       struct record *record)
{
	struct spot phases = { spot, "phases", 0 };

	if (!json)
		return 0;
	if (!json_is_object(json))
		return refuse(r, &phases, "is not an object");
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		struct spot at_phase = { &phases, phase_kind_name(kind), 0 };
		const json_t *phase = json_object_get(json, at_phase.key);
		int rc;

		if (!phase)
			continue;
		rc = read_fields(r, &at_phase, &rates_schema, phase,
				 report_rates(&record->report, kind));
		if (!rc)
			rc = read_fields(r, &at_phase, &phase_schema, phase,
					 run_phase(&record->run, kind));
		if (rc)
			return rc;
	}
	return 0;
}

static int check_schema(const struct reader *r, const struct spot *spot, const json_t *json)
{
	struct spot at_schema = { spot, "schema", 0 };
	const json_t *schema = json_object_get(json, "schema");

	if (!json_is_object(json))
		return refuse(r, spot, "is not a report of iotest");
	if (!schema)
		return refuse(r, spot, "has no key \"schema\", so it is not a report of iotest");
	if (!json_is_string(schema))
		return refuse(r, &at_schema, "is not a text");
	if (strcmp(json_string_value(schema), REPORT_SCHEMA) != 0)
		return refuse_name(r, &at_schema, json_string_value(schema));
	return 0;
}

static int read_record(const struct reader *r, const struct spot *spot, const json_t *json,
		       struct record *record)
{
	struct spot at_tool = { spot, "tool", 0 };
	struct spot at_plan = { spot, "plan", 0 };
	struct spot at_index = { &at_plan, "target_index", 0 };
	const json_t *tool = json_object_get(json, "tool");
	int rc = check_schema(r, spot, json);

	if (!rc && tool)
		rc = read_fields(r, &at_tool, &json_tool_shape, tool, record);
	if (!rc)
		rc = read_fields(r, spot, &json_record_shape, json, record);
	if (!rc)
		rc = read_phases(r, spot, json_object_get(json, "phases"), record);
	if (!rc && record->plan.target_index >= (int64_t)record->host.n_targets)
		rc = refuse(r, &at_index, "is out of range");
	return rc;
}

static int read_targets(const struct reader *r, const json_t *json, struct records *records)
{
	struct spot at_targets = { NULL, "targets", 0 };
	const json_t *targets = json_object_get(json, "targets");
	int rc = check_schema(r, NULL, json);

	if (rc)
		return rc;
	if (!json_is_array(targets))
		return refuse(r, &at_targets, "is not a list");
	if (json_array_size(targets) > HOST_TARGETS_MAX)
		return refuse(r, &at_targets, "has too many elements");
	if (json_array_size(targets) == 0)
		return refuse(r, &at_targets, "is empty");
	for (size_t i = 0; i < json_array_size(targets); i++) {
		struct spot element = { &at_targets, NULL, i };

		rc = read_record(r, &element, json_array_get(targets, i), records_add(records));
		if (rc)
			return rc;
	}
	return 0;
}

/* jansson quotes the text near the mistake, which may hold anything. */
static int refuse_syntax(const struct reader *r, const json_error_t *error)
{
	CLEANUP(buf_done) struct buf why = { 0 };

	buf_add_visible(&why, error->text);
	return err_say(r->err, -EINVAL, "%s: not JSON at line %d, column %d: %s", r->name,
		       error->line, error->column, buf_text(&why));
}

int render_read_json(const char *text, size_t len, const char *name, struct records *out,
		     struct err *err)
{
	CLEANUP(records_done) struct records records = { 0 };
	const struct reader r = { name, err };
	json_error_t error;
	CLEANUP(json_unref) json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	int rc;

	if (!json)
		return refuse_syntax(&r, &error);
	if (json_object_get(json, "targets"))
		rc = read_targets(&r, json, &records);
	else
		rc = read_record(&r, NULL, json, records_add(&records));
	if (rc)
		return rc;
	*out = records;
	records = (struct records){ 0 };
	return 0;
}
