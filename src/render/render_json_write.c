/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_json_write - the nouns as JSON
 *
 * Walks the schema tables, so that a new member is written without a line here. What is unknown
 * is null. Texts that are not UTF-8 are escaped as in mountinfo: JSON cannot hold them.
 */
#include "iotest/render.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>

#include "iotest/xalloc.h"
#include "json_shape.h"
#include "layout.h"

/* Ten digits hold every rate, and the same digits come back after reading. */
#define DUMP_FLAGS (JSON_INDENT(2) | JSON_REAL_PRECISION(10))

static void json_unref(json_t **json)
{
	json_decref(*json);
}

static const void *at(const void *object, size_t offset)
{
	return (const char *)object + offset;
}

static json_t *ascii_json(const char *text)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	for (; *text; text++) {
		if ((unsigned char)*text < 0x80)
			buf_add(&b, text, 1);
		else
			buf_printf(&b, "\\%03o", (unsigned int)(unsigned char)*text);
	}
	return json_string(buf_text(&b));
}

static json_t *text_json(const char *text)
{
	CLEANUP(buf_done) struct buf visible = { 0 };
	json_t *json;

	if (!*text_of(text))
		return json_null();
	json = json_string(text);
	if (json)
		return json;
	buf_add_visible(&visible, text);
	json = json_string(buf_text(&visible));
	return json ? json : ascii_json(text);
}

static json_t *write_text(const struct field *f, const void *object)
{
	(void)f;
	return text_json(*(const char *const *)object);
}

static json_t *write_i64(const struct field *f, const void *object)
{
	int64_t n = *(const int64_t *)object;

	return n == -1 || !json_is_in_range(f, n) ? json_null() : json_integer(n);
}

static json_t *write_double(const struct field *f, const void *object)
{
	double value = *(const double *)object;

	(void)f;
	return !isfinite(value) || value < 0 ? json_null() : json_real(value);
}

static json_t *write_bool(const struct field *f, const void *object)
{
	int value = *(const int *)object;

	(void)f;
	return value < 0 ? json_null() : json_boolean(value);
}

static json_t *write_enum(const struct field *f, const void *object)
{
	int index = *(const int *)object;

	if (index < 0 || (size_t)index >= f->n_names || !f->names[index])
		return json_null();
	return json_string(f->names[index]);
}

static int add_fields(json_t *json, const struct schema *schema, const void *object);

static json_t *object_json(const struct schema *schema, const void *object)
{
	CLEANUP(json_unref) json_t *json = json_object();

	if (add_fields(json, schema, object))
		return NULL;
	return json_incref(json);
}

static json_t *write_struct(const struct field *f, const void *object)
{
	return object_json(f->sub, object);
}

/* Every step-th, and always the last. */
static json_t *sparse_list_json(const struct schema *schema, const void *items, size_t n,
				size_t step)
{
	CLEANUP(json_unref) json_t *json = json_array();

	for (size_t i = 0; i < n; i++) {
		if ((n - 1 - i) % step)
			continue;
		if (json_array_append_new(json, object_json(schema, at(items, i * schema->size))))
			return NULL;
	}
	return json_incref(json);
}

static json_t *list_json(const struct schema *schema, const void *items, size_t n)
{
	return sparse_list_json(schema, items, n, 1);
}

static json_t *value_json(const struct field *f, const void *object)
{
	static json_t *(*const writers[])(const struct field *, const void *) = {
		[FIELD_TEXT] = write_text, [FIELD_I64] = write_i64,   [FIELD_DOUBLE] = write_double,
		[FIELD_BOOL] = write_bool, [FIELD_ENUM] = write_enum, [FIELD_STRUCT] = write_struct,
	};
	const void *member = at(object, f->offset);

	if (f->type == FIELD_LIST) {
		size_t n = *(const size_t *)at(object, f->count_offset);

		return sparse_list_json(f->sub, *(const void *const *)member, n,
					json_list_step(f, n));
	}
	return writers[f->type](f, member);
}

/* Setting NULL, for lack of memory, fails: so every failure ends here. */
static int add_fields(json_t *json, const struct schema *schema, const void *object)
{
	for (size_t i = 0; i < schema->n_fields; i++) {
		const struct field *f = &schema->fields[i];

		if (json_is_elsewhere(f))
			continue;
		if (json_object_set_new(json, f->key, value_json(f, object)))
			return -ENOMEM;
	}
	return json ? 0 : -ENOMEM;
}

static json_t *time_json(int64_t realtime_ns)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	layout_add_iso_time(&text, realtime_ns);
	return text_json(buf_text(&text));
}

/* For people who read the file; the reader takes the nanoseconds. */
static int add_times(json_t *run_json, const struct run *run)
{
	if (json_object_set_new(run_json, "started_at", time_json(run->started_at_ns)) ||
	    json_object_set_new(run_json, "ended_at", time_json(run->ended_at_ns)))
		return -ENOMEM;
	return 0;
}

static json_t *phases_json(const struct report *report)
{
	CLEANUP(json_unref) json_t *phases = json_object();

	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		json_t *phase;

		if (!json_has_phase(report, kind))
			continue;
		phase = json_object();
		if (json_object_set_new(phases, phase_kind_name(kind), phase) ||
		    add_fields(phase, &rates_schema, report_rates_const(report, kind)) ||
		    add_fields(phase, &phase_schema, run_phase_const(report->run, kind)))
			return NULL;
	}
	return json_incref(phases);
}

static json_t *tool_json(const struct record *record)
{
	CLEANUP(json_unref) json_t *tool = json_object();

	if (json_object_set_new(tool, "name", json_string("iotest")) ||
	    add_fields(tool, &json_tool_shape, record))
		return NULL;
	return json_incref(tool);
}

static json_t *record_json(const struct record *record)
{
	CLEANUP(json_unref) json_t *json = json_object();

	if (json_object_set_new(json, "schema", json_string(REPORT_SCHEMA)) ||
	    json_object_set_new(json, "tool", tool_json(record)) ||
	    add_fields(json, &json_record_shape, record) ||
	    add_times(json_object_get(json, "run"), &record->run) ||
	    json_object_set_new(json, "phases", phases_json(&record->report)))
		return NULL;
	return json_incref(json);
}

static json_t *records_json(const struct records *records)
{
	CLEANUP(json_unref) json_t *json = json_object();
	CLEANUP(json_unref) json_t *targets = json_array();

	if (records->n_items == 1)
		return record_json(records->items[0]);
	for (size_t i = 0; i < records->n_items; i++) {
		if (json_array_append_new(targets, record_json(records->items[i])))
			return NULL;
	}
	if (json_object_set_new(json, "schema", json_string(REPORT_SCHEMA)) ||
	    json_object_set(json, "targets", targets))
		return NULL;
	return json_incref(json);
}

static json_t *host_json(const char *schema, const struct host *host)
{
	CLEANUP(json_unref) json_t *json = json_object();

	if (json_object_set_new(json, "schema", json_string(schema)) ||
	    json_object_set_new(json, "host", object_json(&host_schema, host)))
		return NULL;
	return json_incref(json);
}

static int add_bytes(const char *data, size_t len, void *out)
{
	buf_add(out, data, len);
	return 0;
}

/* json may be NULL: what made it ran out of memory. */
static int dump(const json_t *json, struct buf *out, struct err *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!json || json_dump_callback(json, add_bytes, &text, DUMP_FLAGS))
		return err_set(err, -ENOMEM, "cannot write the result as JSON");
	buf_add(out, buf_text(&text), text.len);
	buf_add_text(out, "\n");
	return 0;
}

void render_add_libraries(struct buf *out)
{
	buf_add_text(out, "jansson " JANSSON_VERSION);
}

int render_host_json(const struct host *host, struct buf *out, struct err *err)
{
	CLEANUP(json_unref) json_t *json = host_json(HOST_JSON_SCHEMA, host);

	return dump(json, out, err);
}

int render_plans_json(const struct host *host, const struct plan *plans, size_t n, struct buf *out,
		      struct err *err)
{
	CLEANUP(json_unref) json_t *json = host_json(PLAN_JSON_SCHEMA, host);
	json_t *value =
		n == 1 ? object_json(&plan_schema, plans) : list_json(&plan_schema, plans, n);

	if (json_object_set_new(json, n == 1 ? "plan" : "plans", value))
		return dump(NULL, out, err);
	return dump(json, out, err);
}

int render_records_json(const struct records *records, struct buf *out, struct err *err)
{
	CLEANUP(json_unref) json_t *json = records_json(records);

	return dump(json, out, err);
}

int render_list_json(const struct schema *schema, const void *items, size_t n, const char *name,
		     struct buf *out, struct err *err)
{
	CLEANUP(json_unref) json_t *json = json_object();
	CLEANUP(xfree) char *id = xasprintf("iotest.%s/1", name);

	if (json_object_set_new(json, "schema", json_string(id)) ||
	    json_object_set_new(json, name, list_json(schema, items, n)))
		return dump(NULL, out, err);
	return dump(json, out, err);
}
