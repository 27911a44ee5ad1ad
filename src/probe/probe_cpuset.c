/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_cpuset - which CPUs are online, and which of them this process may use
 */
#include "probe_parts.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/xalloc.h"

/* A list in a file, as far as it is valid; not an empty one. Returns 0, -ENODATA or -errno. */
static int read_set(struct probe *p, const char *path, struct cpulist *out)
{
	CLEANUP(cpulist_done) struct cpulist set = { 0 };
	CLEANUP(xfree) char *text = NULL;
	int rc;

	rc = sysroot_read_text(p->root, &text, "%s", path);
	if (rc)
		return rc;
	if (cpulist_parse_valid(text, &set)) {
		CLEANUP(xfree) char *shown = shown_text(text);

		host_note(p->host, "cores", "%s has \"%s\": only what is valid in this list counts",
			  path, shown);
	}
	if (cpulist_count(&set) == 0)
		return -ENODATA;
	cpulist_done(out);
	*out = set;
	set = (struct cpulist){ 0 };
	return 0;
}

/* Looked for by its files: the topology directory goes away when a CPU goes offline. */
static bool has_topology(const struct sysroot *root, unsigned int cpu)
{
	static const char *const files[] = { "core_cpus_list", "thread_siblings_list", "core_cpus",
					     "thread_siblings", "core_id" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(files); i++)
		if (sysroot_has(root, "/sys/devices/system/cpu/cpu%u/topology/%s", cpu, files[i]))
			return true;
	return false;
}

/* The directories of CPUs: one that says so, or that has a topology. */
static int online_by_directories(const struct sysroot *root, struct cpulist *out)
{
	CLEANUP(strlist_done) struct strlist names = { 0 };
	unsigned int cpu;
	int64_t is_online;
	char rest;
	size_t i;
	int rc;

	rc = sysroot_list(root, &names, "/sys/devices/system/cpu");
	if (rc)
		return rc;
	for (i = 0; i < names.n_items; i++) {
		if (sscanf(names.items[i], "cpu%u%c", &cpu, &rest) != 1 || cpu > CPULIST_MAX)
			continue;
		rc = sysroot_read_i64(root, &is_online, "/sys/devices/system/cpu/cpu%u/online",
				      cpu);
		if (rc)
			is_online = has_topology(root, cpu);
		if (is_online)
			cpulist_set(out, cpu);
	}
	return cpulist_count(out) ? 0 : -ENOENT;
}

static int online_by_cpuinfo(const struct cpuinfo *info, struct cpulist *out)
{
	size_t i;

	for (i = 0; i < info->n_cpus; i++)
		cpulist_set(out, (unsigned int)info->cpus[i].number);
	return info->n_cpus ? 0 : -ENOENT;
}

/* A fixed cpu_set_t ends at 1024 CPUs, and the kernel says EINVAL if it has more. */
static int affinity_write(void *context UNUSED, struct buf *out)
{
	CLEANUP(cpulist_done) struct cpulist set = { 0 };
	int n, cpu;

	for (n = 1024; n <= CPULIST_MAX + 1; n *= 2) {
		size_t size = CPU_ALLOC_SIZE((size_t)n);
		cpu_set_t *mask = CPU_ALLOC((size_t)n);
		int rc;

		if (!mask)
			return -ENOMEM;
		rc = sched_getaffinity(0, size, mask) ? -errno : 0;
		for (cpu = 0; !rc && cpu < n; cpu++)
			if (CPU_ISSET_S((size_t)cpu, size, mask))
				cpulist_set(&set, (unsigned int)cpu);
		CPU_FREE(mask);
		if (rc == -EINVAL)
			continue;
		if (rc)
			return rc;
		cpulist_add_text(&set, out);
		return 0;
	}
	return -EINVAL;
}

static int allowed_by_affinity(struct probe *p, struct cpulist *out)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	int rc;

	rc = probe_fact(p->root, "os/affinity", affinity_write, NULL, &text);
	return rc ? rc : cpulist_parse(buf_text(&text), out);
}

static int allowed_by_status(struct probe *p, struct cpulist *out)
{
	static const char key[] = "Cpus_allowed_list:";
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(xfree) char *list = NULL;
	const char *at;
	int rc;

	rc = sysroot_read(p->root, &text, "/proc/self/status");
	if (rc)
		return rc;
	at = strstr(buf_text(&text), key);
	if (!at)
		return -ENOENT;
	at += strlen(key);
	at += strspn(at, " \t");
	list = xstrndup(at, strcspn(at, " \t\r\n"));
	return cpulist_parse(list, out);
}

/* The process's set, from the first source that has one. */
static int allowed_any(struct probe *p, struct cpulist *out)
{
	static int (*const sources[])(struct probe *, struct cpulist *) = {
		allowed_by_affinity,
		allowed_by_status,
		cgroup_cpuset,
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(sources); i++) {
		CLEANUP(cpulist_done) struct cpulist set = { 0 };

		if (sources[i](p, &set) || cpulist_count(&set) == 0)
			continue;
		cpulist_done(out);
		*out = set;
		set = (struct cpulist){ 0 };
		return 0;
	}
	return -ENOENT;
}

const char *cpuset_online(struct probe *p, struct cpulist *out)
{
	static const char path[] = "/sys/devices/system/cpu/online";
	const char *source = NULL;
	int rc;

	rc = read_set(p, path, out);
	if (!rc)
		return "sysfs online";
	if (online_by_directories(p->root, out) == 0)
		source = "sysfs directories";
	else if (online_by_cpuinfo(&p->cpuinfo, out) == 0)
		source = "cpuinfo processors";
	else if (read_set(p, "/sys/devices/system/cpu/present", out) == 0)
		source = "sysfs present";
	else if (allowed_any(p, out) == 0)
		source = p->root->is_live ? "affinity" : "cpuset";
	if (source) {
		host_note(p->host, "cores", "%s %s: the CPUs online are taken from %s", path,
			  rc == -ENODATA ? "names no CPU" : "cannot be read", source);
		return source;
	}
	cpulist_set(out, 0);
	host_note(p->host, "cores", "nothing tells how many CPUs there are: one is assumed");
	return "assumed";
}

void cpuset_allowed(struct probe *p, const struct cpulist *online, struct cpulist *out)
{
	cpulist_done(out);
	if (allowed_any(p, out)) {
		cpulist_copy(out, online);
		return;
	}
	cpulist_intersect(out, online);
	if (cpulist_count(out) > 0)
		return;
	host_note(
		p->host, "cores",
		"none of the CPUs that this process may use is online: all that are online count");
	cpulist_copy(out, online);
}
