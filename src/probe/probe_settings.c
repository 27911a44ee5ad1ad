/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_settings - settings that somebody published a value for, as they are in effect
 *
 * Always what the kernel says now, never what a profile should have set.
 */
#include "probe_parts.h"

#include <stdlib.h>
#include <string.h>

#include "iotest/xalloc.h"

static const struct {
	const char *name;
	const char *file;
	bool in_brackets; /* "always [madvise] never" */
} settings[] = {
	{ "vm.dirty_ratio", "/proc/sys/vm/dirty_ratio", false },
	{ "vm.dirty_background_ratio", "/proc/sys/vm/dirty_background_ratio", false },
	{ "vm.dirty_bytes", "/proc/sys/vm/dirty_bytes", false },
	{ "vm.dirty_expire_centisecs", "/proc/sys/vm/dirty_expire_centisecs", false },
	{ "vm.dirty_writeback_centisecs", "/proc/sys/vm/dirty_writeback_centisecs", false },
	{ "vm.swappiness", "/proc/sys/vm/swappiness", false },
	{ "vm.max_map_count", "/proc/sys/vm/max_map_count", false },
	{ "vm.overcommit_memory", "/proc/sys/vm/overcommit_memory", false },
	{ "kernel.sem", "/proc/sys/kernel/sem", false },
	{ "net.core.somaxconn", "/proc/sys/net/core/somaxconn", false },
	{ "sunrpc.tcp_max_slot_table_entries", "/proc/sys/sunrpc/tcp_max_slot_table_entries",
	  false },
	{ "transparent_hugepage", "/sys/kernel/mm/transparent_hugepage/enabled", true },
	{ "cpu governor", "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", false },
	{ "cpu min_perf_pct", "/sys/devices/system/cpu/intel_pstate/min_perf_pct", false },
};

static void add(struct host *host, const char *name, const char *value, const char *file)
{
	struct setting *s = XGROW(&host->settings, &host->n_settings);

	s->name = xstrdup(name);
	s->value = xstrdup(value);
	s->file = xstrdup(file);
}

/* The word in brackets, in place; the text as it is without any. */
static const char *chosen(char *text)
{
	char *open = strchr(text, '[');
	char *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return text;
	*close = '\0';
	return open + 1;
}

/* kernel.sem has tabs. */
static void use_blanks(char *text)
{
	for (; *text; text++)
		if (*text == '\t')
			*text = ' ';
}

/* Read-ahead of a file system that has no block device of its own, such as NFS. */
static void add_bdi(struct probe *p, const struct target *t)
{
	CLEANUP(xfree) char *value = NULL;
	CLEANUP(xfree) char *file = NULL;

	if (t->kind != TARGET_NETWORK || !*text_of(t->device_number))
		return;
	file = xasprintf("/sys/class/bdi/%s/read_ahead_kb", t->device_number);
	if (sysroot_read_text(p->root, &value, "%s", file) == 0 && *value)
		add(p->host, "nfs read_ahead_kb", value, file);
}

void probe_settings(struct probe *p)
{
	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		CLEANUP(xfree) char *value = NULL;

		if (sysroot_read_text(p->root, &value, "%s", settings[i].file) || !*value)
			continue;
		use_blanks(value);
		add(p->host, settings[i].name, settings[i].in_brackets ? chosen(value) : value,
		    settings[i].file);
	}
	for (size_t i = 0; i < p->host->n_targets; i++)
		add_bdi(p, &p->host->targets[i]);
}
