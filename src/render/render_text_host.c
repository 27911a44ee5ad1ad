/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_text_host - what the probe found, for people
 */
#include "iotest/render.h"

#include <inttypes.h>
#include <string.h>

#include "iotest/units.h"
#include "layout.h"

#define COLUMN 19
#define DEPTH_MAX 32
#define CORES_SHOWN 8

static const char *text_or(const char *text, const char *fallback)
{
	return *text_of(text) ? text : fallback;
}

/* A row only for what is known: a page of "unknown" helps nobody. */
static void row_if(struct buf *out, const char *label, const char *text)
{
	if (*text_of(text))
		layout_row(out, COLUMN, label, "%s", text);
}

static void row_size_if(struct buf *out, const char *label, int64_t bytes, const char *source)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	if (bytes < 0)
		return;
	units_add_size(&line, bytes);
	if (*text_of(source))
		buf_printf(&line, " (%s)", source);
	layout_row(out, COLUMN, label, "%s", buf_text(&line));
}

static void add_number(struct buf *b, const char *before, int64_t n)
{
	buf_add_text(b, before);
	if (n < 0)
		buf_add_text(b, "unknown");
	else
		buf_printf(b, "%" PRId64, n);
}

static void row_share(struct buf *out, const char *label, int64_t allowed, int64_t total,
		      const char *cpus)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	add_number(&line, "", allowed);
	add_number(&line, " for this process, ", total);
	buf_add_text(&line, " online");
	if (*text_of(cpus))
		buf_printf(&line, " (%s)", cpus);
	layout_row(out, COLUMN, label, "%s", buf_text(&line));
}

static void add_cpu(const struct cpu *cpu, struct buf *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	buf_add_text(&line, text_or(cpu->brand, "unknown"));
	if (*text_of(cpu->vendor))
		buf_printf(&line, ", %s", cpu->vendor);
	if (cpu->family >= 0)
		buf_printf(&line, ", family %" PRId64 " model %" PRId64 " stepping %" PRId64,
			   cpu->family, cpu->model, cpu->stepping);
	buf_printf(&line, ", %s", text_or(cpu->architecture, "unknown architecture"));
	if (*text_of(cpu->source))
		buf_printf(&line, " (%s)", cpu->source);
	layout_row(out, COLUMN, "processor", "%s", buf_text(&line));
}

static void add_kinds(const struct host *host, struct buf *out)
{
	for (size_t i = 0; i < host->n_core_kinds; i++) {
		const struct core_kind *kind = &host->core_kinds[i];
		CLEANUP(buf_done) struct buf line = { 0 };

		buf_printf(&line, "%s: ", text_or(kind->name, "unnamed"));
		layout_add_count(&line, kind->physical_cores, "core", "cores");
		buf_add_text(&line, ", ");
		layout_add_count(&line, kind->threads, "thread", "threads");
		layout_row(out, COLUMN, "kind of core", "%s", buf_text(&line));
	}
}

/* In the order in which workers are bound to them; of many only the first and the last. */
static void add_core_list(const struct host *host, struct buf *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	for (size_t i = 0; i < host->n_cores; i++) {
		bool is_shown = i < CORES_SHOWN || i + 1 == host->n_cores;

		if (is_shown)
			buf_printf(&line, "%s%s", i ? " " : "", text_of(host->cores[i].cpus));
		else if (i == CORES_SHOWN)
			buf_add_text(&line, " ...");
	}
	row_if(out, "their threads", buf_text(&line));
}

static void add_cores(const struct host *host, struct buf *out)
{
	CLEANUP(buf_done) struct buf check = { 0 };
	CLEANUP(buf_done) struct buf sockets = { 0 };

	buf_add_text(out, "CORES\n");
	row_share(out, "physical cores", host->physical_cores, host->physical_cores_total, NULL);
	layout_row(out, COLUMN, "source", "%s", text_or(host->cores_source, "unknown"));
	add_number(&check, "hwloc ", host->physical_cores_hwloc);
	add_number(&check, ", cpuinfo ", host->physical_cores_cpuinfo);
	layout_row(out, COLUMN, "cross-check", "%s", buf_text(&check));
	row_share(out, "threads", host->threads, host->threads_total, NULL);
	add_core_list(host, out);
	row_if(out, "allowed CPUs", host->allowed_cpus);
	row_if(out, "online CPUs", host->online_cpus);
	add_number(&sockets, "", host->sockets);
	add_number(&sockets, ", NUMA nodes: ", host->numa_nodes);
	layout_row(out, COLUMN, "sockets", "%s", buf_text(&sockets));
	add_kinds(host, out);
	add_cpu(&host->cpu, out);
	if (host->cpu_quota_cores >= 0)
		layout_row(out, COLUMN, "CPU quota", "%.2f cores (%s)", host->cpu_quota_cores,
			   text_or(host->cpu_quota_source, "unknown source"));
}

static void add_memory(const struct host *host, struct buf *out)
{
	CLEANUP(buf_done) struct buf total = { 0 };

	buf_add_text(out, "MEMORY\n");
	units_add_size(&total, host->memory_bytes);
	layout_row(out, COLUMN, "total", "%s", buf_text(&total));
	row_size_if(out, "available", host->memory_available_bytes, NULL);
	row_size_if(out, "huge pages", host->hugepages_bytes, NULL);
	row_size_if(out, "swap", host->swap_bytes, NULL);
	row_size_if(out, "limit", host->memory_limit_bytes, host->memory_limit_source);
	row_size_if(out, "used of limit", host->memory_limit_used_bytes, NULL);
	row_size_if(out, "throttled above", host->memory_high_bytes, "memory.high");
	row_size_if(out, "dirty limit", host->dirty_limit_bytes, NULL);
	row_if(out, "control group", host->cgroup);
}

static void row_limit(struct buf *out, const char *label, int64_t limit)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	if (limit < 0)
		buf_add_text(&line, "no limit known");
	else
		buf_printf(&line, "%" PRId64, limit);
	layout_row(out, COLUMN, label, "%s", buf_text(&line));
}

static void add_os(const struct os *os, struct buf *out)
{
	CLEANUP(buf_done) struct buf machine = { 0 };

	buf_add_text(out, "SYSTEM\n");
	layout_row(out, COLUMN, "distribution", "%s", text_or(os->distribution, "unknown"));
	layout_row(out, COLUMN, "kernel", "%s", text_or(os->kernel, "unknown"));
	buf_printf(&machine, "%s %s", text_of(os->system_vendor), text_of(os->product));
	if (strcmp(buf_text(&machine), " ") != 0)
		layout_row(out, COLUMN, "machine", "%s", buf_text(&machine));
	row_if(out, "hypervisor",
	       !strcmp(text_of(os->hypervisor), "virtual") ? "yes, its name is not known"
							   : os->hypervisor);
	row_if(out, "container", os->container);
	if (os->in_pod == 1)
		layout_row(out, COLUMN, "pod", "yes, or on storage of a kubelet");
	row_if(out, "clock source", os->clock_source);
	if (os->uid >= 0)
		layout_row(out, COLUMN, "user id", "%" PRId64, os->uid);
	row_limit(out, "file size limit", os->file_size_limit_bytes);
	row_limit(out, "open files", os->open_files_limit);
	row_limit(out, "processes", os->processes_limit);
}

static void add_part(struct buf *b, const char *before, int64_t bytes)
{
	if (bytes < 0)
		return;
	buf_add_text(b, before);
	units_add_size(b, bytes);
}

static void add_device_name(const struct device *d, struct buf *b)
{
	buf_add_text(b, text_or(d->name, "unnamed"));
	if (*text_of(d->dm_name))
		buf_printf(b, " (%s)", d->dm_name);
	else if (*text_of(d->model))
		buf_printf(b, " (%s)", d->model);
	buf_printf(b, ": %s", device_kind_name(d->kind));
	if (*text_of(d->number))
		buf_printf(b, " %s", d->number);
	if (*text_of(d->backing_file))
		buf_printf(b, " on %s", d->backing_file);
}

static void add_device_queue(const struct device *d, struct buf *b)
{
	add_part(b, ", ", d->size_bytes);
	if (d->rotational >= 0)
		buf_add_text(b, d->rotational ? ", rotating" : ", not rotating");
	add_part(b, ", logical block ", d->logical_block_bytes);
	add_part(b, ", physical block ", d->physical_block_bytes);
	add_part(b, ", read-ahead ", d->read_ahead_bytes);
	add_part(b, ", largest request ", d->max_transfer_bytes);
	if (d->queue_requests >= 0)
		buf_printf(b, ", queue of %" PRId64, d->queue_requests);
	if (*text_of(d->scheduler))
		buf_printf(b, ", scheduler %s", d->scheduler);
	if (*text_of(d->write_cache))
		buf_printf(b, ", %s", d->write_cache);
	if (d->direct_io >= 0 && d->kind == DEVICE_LOOP)
		buf_add_text(b, d->direct_io ? ", direct I/O to its file"
					     : ", through the page cache to its file");
}

/* A device is listed once, below the first that lies on it; DEPTH_MAX is for a list that lies. */
static void add_devices(const struct target *t, int64_t parent, size_t depth, struct buf *out)
{
	for (size_t i = 0; i < t->n_devices && depth < DEPTH_MAX; i++) {
		const struct device *d = &t->devices[i];
		CLEANUP(buf_done) struct buf line = { 0 };
		CLEANUP(buf_done) struct buf indent = { 0 };

		if (d->parent != parent)
			continue;
		add_device_name(d, &line);
		add_device_queue(d, &line);
		buf_printf(&indent, "%*s", (int)(4 + 2 * depth), "");
		layout_wrap(out, buf_text(&indent), indent.len + 2, buf_text(&line));
		add_devices(t, (int64_t)i, depth + 1, out);
	}
}

static void add_access(const struct target *t, struct buf *out)
{
	if (t->read_only == 1)
		layout_row(out, COLUMN, "access", "mounted read-only");
	else if (t->writable >= 0)
		layout_row(out, COLUMN, "access", "%s",
			   t->writable ? "this user can create files"
				       : "this user cannot create files");
}

static void add_space(const struct target *t, struct buf *out)
{
	CLEANUP(buf_done) struct buf space = { 0 };
	CLEANUP(buf_done) struct buf inodes = { 0 };

	units_add_size(&space, t->free_bytes);
	buf_add_text(&space, " of ");
	units_add_size(&space, t->size_bytes);
	layout_row(out, COLUMN, "free", "%s", buf_text(&space));
	add_number(&inodes, "", t->free_inodes);
	add_number(&inodes, " of ", t->inodes);
	layout_row(out, COLUMN, "free inodes", "%s", buf_text(&inodes));
}

static void add_target(const struct target *t, struct buf *out)
{
	CLEANUP(buf_done) struct buf mount = { 0 };
	CLEANUP(buf_done) struct buf kind = { 0 };

	layout_wrap(out, "TARGET  ", 8, text_or(t->path, text_or(t->given, "unknown")));
	layout_add_mount(&mount, t);
	layout_row(out, COLUMN, "mount", "%s", buf_text(&mount));
	if (*text_of(t->mount_root) && strcmp(t->mount_root, "/") != 0)
		layout_row(out, COLUMN, "shows", "%s of that file system", t->mount_root);
	buf_add_text(&kind, target_kind_name(t->kind));
	if (*text_of(t->backing_fs_type))
		buf_printf(&kind, ", on %s", t->backing_fs_type);
	if (*text_of(t->backing_path))
		buf_printf(&kind, " at %s", t->backing_path);
	if (t->compressing == 1)
		buf_add_text(&kind, ", compressing");
	layout_row(out, COLUMN, "kind", "%s", buf_text(&kind));
	row_if(out, "own cache", t->own_cache);
	if (t->data_copies > 1)
		layout_row(out, COLUMN, "copies of data", "%" PRId64, t->data_copies);
	row_size_if(out, "allocsize", t->xfs_allocsize_bytes, NULL);
	add_access(t, out);
	add_space(t, out);
	row_if(out, "device number", t->device_number);
	if (t->n_devices == 0) {
		layout_row(out, COLUMN, "devices", "none known");
		return;
	}
	buf_add_text(out, "  devices, top first\n");
	add_devices(t, -1, 0, out);
}

static void add_notes(const struct host *host, struct buf *out)
{
	buf_add_text(out, host->n_notes ? "NOTES\n" : "NOTES  none\n");
	for (size_t i = 0; i < host->n_notes; i++)
		layout_row(out, COLUMN, text_or(host->notes[i].subject, "other"), "%s",
			   text_of(host->notes[i].text));
}

void render_host_text(const struct host *host, struct buf *out)
{
	layout_wrap(out, "HOST  ", 6, text_or(host->name, "unknown"));
	add_cores(host, out);
	add_memory(host, out);
	add_os(&host->os, out);
	for (size_t i = 0; i < host->n_targets; i++)
		add_target(&host->targets[i], out);
	add_notes(host, out);
}
