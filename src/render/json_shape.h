/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_shape - where the nouns stand in the JSON of a report
 *
 * One shape for the writer and the reader. Beside what these tables say, "phases" holds "write"
 * and "read", and those of the other phases that were run or should have been, each with the keys
 * of the phase (run) and of its rates (report) together.
 */
#ifndef IOTEST_RENDER_JSON_SHAPE_H
#define IOTEST_RENDER_JSON_SHAPE_H

#include <stdbool.h>

#include "iotest/report.h"
#include "iotest/schema.h"

#define HOST_JSON_SCHEMA "iotest.host/1"
#define PLAN_JSON_SCHEMA "iotest.plan/1"

/* Both describe a struct record. */
extern const struct schema json_tool_shape;   /* the object at "tool" */
extern const struct schema json_record_shape; /* what follows "schema" and "tool" */

/* True for the members that stand under "phases" instead. */
bool json_is_elsewhere(const struct field *field);

/* True for the phases that stand under "phases". */
bool json_has_phase(const struct report *report, int phase_kind);

/* Every so many of the n elements of a list are written: the points in time are not more than
 * SERIES_POINTS_MAX. */
size_t json_list_step(const struct field *field, size_t n);

/* True for the values that a FIELD_I64 may have in JSON, where -1 is null. */
bool json_is_in_range(const struct field *field, int64_t value);

#endif
