/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_text_plan - a page that a change board can approve
 *
 * The planner supplies the reasons; here they are set in three columns.
 */
#include "iotest/render.h"

#include <inttypes.h>

#include "iotest/units.h"
#include "layout.h"

#define LABEL_MAX 20
#define VALUE_MAX 14
#define HEAD_COLUMN 15

static void add_host(const struct host *host, struct buf *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	layout_add_text(&line, host->name, "unknown");
	buf_add_text(&line, ": ");
	layout_add_count(&line, host->physical_cores, "physical core", "physical cores");
	buf_add_text(&line, ", memory ");
	units_add_size(&line, host->memory_bytes);
	if (host->memory_limit_bytes >= 0) {
		buf_add_text(&line, " limited to ");
		units_add_size(&line, host->memory_limit_bytes);
	}
	if (*text_of(host->os.distribution))
		buf_printf(&line, ", %s", host->os.distribution);
	if (*text_of(host->os.kernel))
		buf_printf(&line, ", kernel %s", host->os.kernel);
	layout_row(out, HEAD_COLUMN, "host", "%s", buf_text(&line));
}

static void add_target(const struct target *t, struct buf *out)
{
	CLEANUP(buf_done) struct buf mount = { 0 };
	CLEANUP(buf_done) struct buf space = { 0 };

	layout_add_mount(&mount, t);
	layout_row(out, HEAD_COLUMN, "file system", "%s", buf_text(&mount));
	units_add_size(&space, t->free_bytes);
	buf_add_text(&space, " of ");
	units_add_size(&space, t->size_bytes);
	if (t->free_inodes >= 0)
		buf_printf(&space, ", %" PRId64 " inodes", t->free_inodes);
	layout_row(out, HEAD_COLUMN, "free", "%s", buf_text(&space));
}

/* The widest text of a column, up to max: a longer one pushes its row, not the table. */
static size_t widest(const struct plan *plan, size_t offset, size_t max)
{
	size_t width = 0;

	for (size_t i = 0; i < plan->n_reasons; i++) {
		const char *text = *(char *const *)((const char *)&plan->reasons[i] + offset);
		size_t columns = layout_columns(text_of(text));

		if (columns <= max && columns > width)
			width = columns;
	}
	return width;
}

static void add_reason(const struct reason *r, size_t label_width, size_t value_width,
		       struct buf *out)
{
	CLEANUP(buf_done) struct buf lead = { 0 };
	size_t value_column = 2 + label_width + 2;
	size_t text_column = value_column + value_width + 2;

	buf_printf(&lead, "  %s  ", text_of(r->key));
	while (layout_columns(buf_text(&lead)) < value_column)
		buf_add_text(&lead, " ");
	buf_add_text(&lead, text_of(r->value));
	if (layout_columns(buf_text(&lead)) + 2 > text_column) {
		layout_wrap(out, buf_text(&lead), 0, "");
		layout_wrap(out, "", text_column, text_of(r->text));
		return;
	}
	layout_wrap(out, buf_text(&lead), text_column, text_of(r->text));
}

void render_plan_text(const struct host *host, const struct plan *plan, struct buf *out)
{
	size_t label_width = widest(plan, offsetof(struct reason, key), LABEL_MAX);
	size_t value_width = widest(plan, offsetof(struct reason, value), VALUE_MAX);
	const char *target = *text_of(plan->target) ? plan->target : "unknown target";

	layout_wrap(out, "PLAN  ", 6, target);
	add_host(host, out);
	add_target(layout_target(host, plan), out);
	buf_add_text(out, "WHAT IS DONE, AND WHY\n");
	for (size_t i = 0; i < plan->n_reasons; i++)
		add_reason(&plan->reasons[i], label_width, value_width, out);
	if (plan->needs_consent == 1)
		layout_wrap(out, "CONSENT NEEDED", 16, text_of(plan->consent));
}
