/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings - what the rates of a host depend on, as lines that can be compared years later
 *
 * Fields of the host by their keys, and files of the kernel that it has no field for. Nothing
 * that changes by itself, such as free space, is among them.
 */
#include "settings.h"

#include <inttypes.h>
#include <string.h>

#include "iotest/compiler.h"
#include "iotest/xalloc.h"

static const char *const host_keys[] = {
	"physical_cores",  "threads",		"memory_bytes",
	"hugepages_bytes", "cpu_quota_cores",	"memory_limit_bytes",
	"io_limits",	   "memory_high_bytes",
};
static const char *const cpu_keys[] = { "brand" };
static const char *const os_keys[] = {
	"kernel", "distribution", "hypervisor", "container", "product", "clock_source",
};
static const char *const target_keys[] = {
	"mount_point",	   "mount_source", "mount_root",	  "mount_options", "fs_type",
	"backing_fs_type", "backing_path", "xfs_allocsize_bytes", "compressing",   "data_copies",
};
static const char *const device_keys[] = {
	"kind",
	"model",
	"backing_file",
	"direct_io",
	"size_bytes",
	"rotational",
	"logical_block_bytes",
	"physical_block_bytes",
	"read_ahead_bytes",
	"max_transfer_bytes",
	"queue_requests",
	"scheduler",
	"write_cache",
};

/* name, and the file that the kernel tells it in. */
struct fact {
	const char *name;
	const char *path;
};
static const struct fact host_facts[] = {
	{ "vm.transparent_hugepages", "/sys/kernel/mm/transparent_hugepage/enabled" },
	{ "vm.dirty_ratio", "/proc/sys/vm/dirty_ratio" },
	{ "vm.dirty_bytes", "/proc/sys/vm/dirty_bytes" },
	{ "vm.dirty_background_ratio", "/proc/sys/vm/dirty_background_ratio" },
	{ "vm.dirty_background_bytes", "/proc/sys/vm/dirty_background_bytes" },
	{ "vm.swappiness", "/proc/sys/vm/swappiness" },
	{ "vm.zone_reclaim_mode", "/proc/sys/vm/zone_reclaim_mode" },
	{ "cpu.governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor" },
	{ "firmware.bios", "/sys/class/dmi/id/bios_version" },
};

/* The same below /sys/block/NAME/. */
static const struct fact device_facts[] = {
	{ "firmware", "device/rev" },		{ "firmware", "device/firmware_rev" },
	{ "path_state", "device/state" },	{ "queue_depth", "device/queue_depth" },
	{ "md_state", "md/array_state" },	{ "md_level", "md/level" },
	{ "md_degraded", "md/degraded" },	{ "wbt_lat_usec", "queue/wbt_lat_usec" },
	{ "rq_affinity", "queue/rq_affinity" },
};

/* One line. A name never has the sign that ends it. */
static void add_line(struct strlist *lines, const char *group, const char *name, const char *value)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	if (!*value)
		return;
	buf_add_visible(&line, group);
	for (char *s = line.data; s && *s; s++)
		if (*s == '=' || *s == ' ')
			*s = '_';
	buf_printf(&line, ".%s=", name);
	buf_add_visible(&line, value);
	strlist_add(lines, buf_text(&line));
}

static void add_i64(struct buf *text, int64_t value)
{
	if (value >= 0)
		buf_printf(text, "%" PRId64, value);
}

static void add_field(struct strlist *lines, const char *group, const struct field *field,
		      const void *object)
{
	const void *member = (const char *)object + field->offset;
	CLEANUP(buf_done) struct buf text = { 0 };
	int n;

	switch (field->type) {
	case FIELD_TEXT:
		buf_add_text(&text, text_of(*(char *const *)member));
		break;
	case FIELD_I64:
		add_i64(&text, *(const int64_t *)member);
		break;
	case FIELD_BOOL:
		add_i64(&text, *(const int *)member);
		break;
	case FIELD_DOUBLE:
		if (*(const double *)member >= 0)
			buf_printf(&text, "%.6g", *(const double *)member);
		break;
	case FIELD_ENUM:
		n = *(const int *)member;
		if (n >= 0 && (size_t)n < field->n_names)
			buf_add_text(&text, field->names[n]);
		break;
	case FIELD_STRUCT:
	case FIELD_LIST:
		return;
	}
	add_line(lines, group, field->key, buf_text(&text));
}

static const struct field *find_field(const struct schema *schema, const char *key)
{
	for (size_t i = 0; i < schema->n_fields; i++)
		if (!strcmp(schema->fields[i].key, key))
			return &schema->fields[i];
	return NULL;
}

/* Those of the keys that the noun has. */
struct noun {
	const char *group;
	const struct schema *schema;
	const void *object;
	const char *const *keys;
	size_t n_keys;
};

static void add_noun(struct strlist *lines, const struct noun *noun)
{
	for (size_t i = 0; i < noun->n_keys; i++) {
		const struct field *field = find_field(noun->schema, noun->keys[i]);

		if (field)
			add_field(lines, noun->group, field, noun->object);
	}
}

/* A noun that lies in the host. */
static void add_part(struct strlist *lines, const struct host *host, const char *key,
		     const char *const *keys, size_t n_keys)
{
	const struct field *field = find_field(&host_schema, key);

	if (field && field->type == FIELD_STRUCT)
		add_noun(lines, &(struct noun){ key, field->sub, (const char *)host + field->offset,
						keys, n_keys });
}

/* By the name that a reboot leaves alone, where there is one. */
static void add_device(struct strlist *lines, const struct sysroot *root, const struct device *d)
{
	const char *name = *text_of(d->dm_name) ? d->dm_name : text_of(d->name);
	CLEANUP(xfree) char *group = xasprintf("device.%s", name);

	add_noun(lines,
		 &(struct noun){ group, &device_schema, d, device_keys, ARRAY_LEN(device_keys) });
	for (size_t i = 0; *text_of(d->name) && i < ARRAY_LEN(device_facts); i++) {
		CLEANUP(xfree) char *value = NULL;

		if (!sysroot_read_text(root, &value, "/sys/block/%s/%s", d->name,
				       device_facts[i].path))
			add_line(lines, group, device_facts[i].name, value);
	}
}

static void add_host(struct strlist *lines, const struct sysroot *root, const struct host *host)
{
	add_noun(lines,
		 &(struct noun){ "host", &host_schema, host, host_keys, ARRAY_LEN(host_keys) });
	add_part(lines, host, "cpu", cpu_keys, ARRAY_LEN(cpu_keys));
	add_part(lines, host, "os", os_keys, ARRAY_LEN(os_keys));
	for (size_t i = 0; i < ARRAY_LEN(host_facts); i++) {
		CLEANUP(xfree) char *value = NULL;
		const char *name = strchr(host_facts[i].name, '.');
		CLEANUP(xfree)
		char *group = xstrndup(host_facts[i].name, (size_t)(name - host_facts[i].name));

		if (!sysroot_read_text(root, &value, "%s", host_facts[i].path))
			add_line(lines, group, name + 1, value);
	}
}

void settings_add(const struct sysroot *root, const struct host *host, const struct target *target,
		  struct buf *out)
{
	CLEANUP(strlist_done) struct strlist lines = { 0 };

	add_host(&lines, root, host);
	if (target)
		add_noun(&lines, &(struct noun){ "target", &target_schema, target, target_keys,
						 ARRAY_LEN(target_keys) });
	for (size_t i = 0; target && i < target->n_devices; i++)
		add_device(&lines, root, &target->devices[i]);
	strlist_sort(&lines);
	for (size_t i = 0; i < lines.n_items; i++)
		buf_printf(out, "%s\n", lines.items[i]);
}

/* ------------------------------------------------------------------ what changed */

struct line {
	const char *text;
	size_t name_len;
	size_t len;
};

static bool next_line(const char **at, struct line *out)
{
	const char *text = *at + strspn(*at, "\n");
	size_t len = strcspn(text, "\n");

	if (!*text)
		return false;
	*out = (struct line){ .text = text, .name_len = strcspn(text, "="), .len = len };
	if (out->name_len > len)
		out->name_len = len;
	*at = text + len + (text[len] != '\0');
	return true;
}

/* The line of that name in all; its name_len is 0 if there is none. */
static struct line find_line(const char *all, const struct line *like)
{
	struct line line;

	while (next_line(&all, &line))
		if (line.name_len == like->name_len &&
		    !strncmp(line.text, like->text, like->name_len))
			return line;
	return (struct line){ .text = "" };
}

static void add_value(const struct line *line, struct buf *out)
{
	if (line->name_len == 0 || line->len <= line->name_len + 1)
		buf_add_text(out, "none");
	else
		buf_add(out, line->text + line->name_len + 1, line->len - line->name_len - 1);
}

struct changes {
	size_t n;
	size_t most;
	struct buf *out;
};

static void add_change(struct changes *c, const struct line *name, const struct line *before,
		       const struct line *after)
{
	if (c->n++ >= c->most)
		return;
	buf_add_text(c->out, c->n > 1 ? ", " : "");
	buf_add(c->out, name->text, name->name_len);
	buf_add_text(c->out, " ");
	add_value(before, c->out);
	buf_add_text(c->out, " -> ");
	add_value(after, c->out);
}

size_t settings_add_changes(const char *before, const char *after, size_t most, struct buf *out)
{
	struct changes c = { .most = most, .out = out };
	const char *at = before;
	struct line line;

	while (next_line(&at, &line)) {
		struct line now = find_line(after, &line);

		if (now.len != line.len || strncmp(now.text, line.text, line.len) != 0)
			add_change(&c, &line, &line, &now);
	}
	at = after;
	while (next_line(&at, &line)) {
		struct line was = find_line(before, &line);

		if (was.name_len == 0)
			add_change(&c, &line, &was, &line);
	}
	if (c.n > most)
		buf_printf(out, " and %zu more", c.n - most);
	return c.n;
}
