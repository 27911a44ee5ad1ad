/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html_storage - the storage as a tree, from the directory down, and what each node did
 */
#include "html.h"

#include <inttypes.h>
#include <string.h>

#include "iotest/units.h"
#include "layout.h"
#include "text_parts.h"

/* A stack may be a ring in a damaged report. */
#define DEPTH_MAX 32

static void begin_node(struct buf *out, const char *name, const char *kind)
{
	buf_add_text(out, "<li><div class=\"node\"><p><span class=\"id\">");
	html_text(out, name);
	buf_add_text(out, "</span> ");
	html_text(out, kind);
	buf_add_text(out, "</p>\n");
}

static void end_node(struct buf *out)
{
	buf_add_text(out, "</div>\n");
}

static void add_part(struct buf *text, const char *part)
{
	if (*text_of(part))
		buf_printf(text, "%s%s", text->len ? ", " : "", part);
}

static void add_size(struct buf *text, const char *label, int64_t bytes)
{
	if (bytes < 0)
		return;
	buf_printf(text, "%s%s ", text->len ? ", " : "", label);
	units_add_size(text, bytes);
}

static void add_note(struct buf *out, const struct buf *text)
{
	if (!text->len)
		return;
	html_element(out, "p", "note", buf_text(text));
	buf_add_text(out, "\n");
}

static void add_settings(const struct device *d, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	add_part(&text, d->model);
	add_size(&text, "size", d->size_bytes);
	add_part(&text, d->rotational == 1 ? "rotating" : d->rotational == 0 ? "not rotating" : "");
	if (*text_of(d->scheduler))
		buf_printf(&text, "%sscheduler %s", text.len ? ", " : "", d->scheduler);
	add_size(&text, "read-ahead", d->read_ahead_bytes);
	add_size(&text, "transfers up to", d->max_transfer_bytes);
	if (d->queue_requests >= 0)
		buf_printf(&text, "%s%" PRId64 " requests", text.len ? ", " : "",
			   d->queue_requests);
	if (*text_of(d->write_cache))
		buf_printf(&text, "%scache %s", text.len ? ", " : "", d->write_cache);
	if (*text_of(d->backing_file))
		buf_printf(&text, "%sfile %s%s", text.len ? ", " : "", d->backing_file,
			   d->direct_io == 1 ? ", past its cache" : "");
	add_note(out, &text);
}

static const struct device_count *find_count(const struct phase *phase, const char *name)
{
	for (size_t i = 0; i < phase->n_devices; i++)
		if (strcmp(text_of(phase->devices[i].name), name) == 0)
			return &phase->devices[i];
	return NULL;
}

static void add_await(struct buf *text, const char *what, int64_t ns, int64_t ops)
{
	if (ns < 0 || ops <= 0)
		return;
	buf_printf(text, ", %s ", what);
	text_add_call_time(text, ns / ops);
}

/* "write: 384 GiB written, 99 % busy, a write 9.40 ms" */
static void add_activity(const struct report *r, int kind, const char *name, struct buf *out)
{
	const struct device_count *d = find_count(run_phase_const(r->run, kind), name);
	int64_t elapsed_ns = report_rates_const(r, kind)->elapsed_ns;
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!d)
		return;
	if (d->written_bytes >= 0 && kind != PHASE_READ)
		add_size(&text, "written", d->written_bytes);
	if (d->read_bytes >= 0 && kind != PHASE_WRITE)
		add_size(&text, "read", d->read_bytes);
	if (d->busy_ns >= 0 && elapsed_ns > 0) {
		double busy = 100 * (double)d->busy_ns / (double)elapsed_ns;

		buf_printf(&text, "%s%.0f %% busy", text.len ? ", " : "", busy > 100 ? 100 : busy);
	}
	if (kind != PHASE_READ)
		add_await(&text, "a write", d->write_ns, d->write_ops);
	if (kind != PHASE_WRITE)
		add_await(&text, "a read", d->read_ns, d->read_ops);
	if (!text.len)
		return;
	buf_printf(out, "<p class=\"%s\"><b>%s</b>: ", html_phase_class(kind),
		   phase_kind_name(kind));
	html_text(out, buf_text(&text));
	buf_add_text(out, "</p>\n");
}

static void add_activities(const struct report *r, const char *name, struct buf *out)
{
	for (size_t i = 0; i < TEXT_PHASES; i++)
		add_activity(r, text_phases[i], name, out);
}

static void add_children(const struct html *page, const struct target *t, int64_t parent,
			 int depth);

static void add_device(const struct html *page, const struct target *t, size_t index, int depth)
{
	const struct device *d = &t->devices[index];
	CLEANUP(buf_done) struct buf name = { 0 };

	buf_add_text(&name, *text_of(d->name) ? d->name : "unnamed");
	if (*text_of(d->dm_name))
		buf_printf(&name, " (%s)", d->dm_name);
	begin_node(page->out, buf_text(&name), device_kind_name(d->kind));
	add_settings(d, page->out);
	add_activities(page->r, text_of(d->name), page->out);
	end_node(page->out);
	add_children(page, t, (int64_t)index, depth + 1);
	buf_add_text(page->out, "</li>\n");
}

static void add_children(const struct html *page, const struct target *t, int64_t parent, int depth)
{
	bool any = false;

	for (size_t i = 0; depth < DEPTH_MAX && i < t->n_devices; i++) {
		if (t->devices[i].parent != parent || (int64_t)i == parent)
			continue;
		if (!any)
			buf_add_text(page->out, "<ul>\n");
		any = true;
		add_device(page, t, i, depth);
	}
	if (any)
		buf_add_text(page->out, "</ul>\n");
}

static void add_file_system(const struct html *page, const struct target *t)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	CLEANUP(buf_done) struct buf space = { 0 };
	CLEANUP(buf_done) struct buf options = { 0 };

	buf_printf(&name, "%s at %s", *text_of(t->fs_type) ? t->fs_type : "file system",
		   *text_of(t->mount_point) ? t->mount_point : "an unknown mount point");
	begin_node(page->out, buf_text(&name), "file system");
	if (*text_of(t->mount_source))
		buf_printf(&space, "from %s", t->mount_source);
	add_size(&space, "size", t->size_bytes);
	add_size(&space, "free", t->free_bytes);
	add_note(page->out, &space);
	if (*text_of(t->mount_options))
		buf_printf(&options, "options %s", t->mount_options);
	add_note(page->out, &options);
	if (*text_of(t->mount_point))
		add_activities(page->r, t->mount_point, page->out);
	end_node(page->out);
}

void html_add_storage(const struct html *page)
{
	const struct target *t = layout_target(page->r->host, page->r->plan);

	if (!*text_of(t->fs_type) && !t->n_devices)
		return;
	html_begin_section(page, "storage", "Storage");
	buf_add_text(page->out, "<ul class=\"tree\">\n");
	add_file_system(page, t);
	add_children(page, t, -1, 0);
	buf_add_text(page->out, "</li>\n</ul>\n");
	if (!t->n_devices)
		html_element(page->out, "p", "note", "No block devices are known below it.");
	html_end_section(page);
}
