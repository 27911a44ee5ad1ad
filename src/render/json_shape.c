/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_shape - where the nouns stand in the JSON of a report
 */
#include "json_shape.h"

#include <string.h>

#include "iotest/compiler.h"

static const struct field tool_fields[] = {
	{ .key = "version",
	  .type = FIELD_TEXT,
	  .offset = offsetof(struct record, run.tool_version) },
	{ .key = "analyzed_by",
	  .type = FIELD_TEXT,
	  .offset = offsetof(struct record, report.analyzed_by) },
};
const struct schema json_tool_shape = {
	.name = "tool",
	.size = sizeof(struct record),
	.fields = tool_fields,
	.n_fields = ARRAY_LEN(tool_fields),
};

static const struct field record_fields[] = {
	{ .key = "verdict",
	  .type = FIELD_STRUCT,
	  .offset = offsetof(struct record, report.verdict),
	  .sub = &verdict_schema },
	{ .key = "findings",
	  .type = FIELD_LIST,
	  .offset = offsetof(struct record, report.findings),
	  .sub = &finding_schema,
	  .count_offset = offsetof(struct record, report.n_findings) },
	{ .key = "advice",
	  .type = FIELD_LIST,
	  .offset = offsetof(struct record, report.advice),
	  .sub = &advice_schema,
	  .count_offset = offsetof(struct record, report.n_advice) },
	{ .key = "written_bytes",
	  .type = FIELD_I64,
	  .offset = offsetof(struct record, report.written_bytes) },
	{ .key = "read_bytes",
	  .type = FIELD_I64,
	  .offset = offsetof(struct record, report.read_bytes) },
	{ .key = "beyond", .type = FIELD_TEXT, .offset = offsetof(struct record, report.beyond) },
	{ .key = "repeats",
	  .type = FIELD_LIST,
	  .offset = offsetof(struct record, report.repeats),
	  .sub = &repeat_schema,
	  .count_offset = offsetof(struct record, report.n_repeats) },
	{ .key = "repeat_index",
	  .type = FIELD_I64,
	  .offset = offsetof(struct record, report.repeat_index) },
	{ .key = "bundle", .type = FIELD_TEXT, .offset = offsetof(struct record, report.bundle) },
	{ .key = "exit_status",
	  .type = FIELD_I64,
	  .offset = offsetof(struct record, report.exit_status) },
	{ .key = "run",
	  .type = FIELD_STRUCT,
	  .offset = offsetof(struct record, run),
	  .sub = &run_schema },
	{ .key = "plan",
	  .type = FIELD_STRUCT,
	  .offset = offsetof(struct record, plan),
	  .sub = &plan_schema },
	{ .key = "host",
	  .type = FIELD_STRUCT,
	  .offset = offsetof(struct record, host),
	  .sub = &host_schema },
};
const struct schema json_record_shape = {
	.name = "report",
	.size = sizeof(struct record),
	.fields = record_fields,
	.n_fields = ARRAY_LEN(record_fields),
};

bool json_is_elsewhere(const struct field *field)
{
	return field->sub == &phase_schema;
}

bool json_is_in_range(const struct field *field, int64_t value)
{
	if (strcmp(field->key, "utc_offset_s") == 0)
		return value >= -DAY_S && value <= DAY_S;
	return value >= 0;
}

bool json_has_phase(const struct report *report, int phase_kind)
{
	return phase_kind == PHASE_WRITE || phase_kind == PHASE_READ ||
	       plan_judges(report->plan, phase_kind) ||
	       run_phase_const(report->run, phase_kind)->status != PHASE_NOT_RUN;
}

size_t json_list_step(const struct field *field, size_t n)
{
	if (n <= SERIES_POINTS_MAX || strcmp(field->key, "series") != 0)
		return 1;
	return (n + SERIES_POINTS_MAX - 1) / SERIES_POINTS_MAX;
}
