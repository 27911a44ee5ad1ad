/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_cores - physical cores: distinct sets of thread siblings
 *
 * Of all ways to count cores this was the only one that was right on every machine in the field:
 * core ids repeat and have gaps, cpuinfo lacks them on most architectures, and both list CPUs
 * that are offline. The other sources are for trees and sandboxes without a topology in sysfs.
 */
#include "probe_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/xalloc.h"

#define CPU_DIR "/sys/devices/system/cpu/cpu%d/"

/* Joins CPUs to cores; core_of[cpu] leads to the lowest CPU of its core, -1: not online. */
struct cores {
	int *core_of;
	size_t n;
};

static void cores_done(struct cores *c)
{
	free(c->core_of);
	*c = (struct cores){ 0 };
}

/* Every online CPU a core of its own. */
static void cores_reset(struct cores *c, const struct cpulist *online)
{
	size_t i;
	int cpu;

	cores_done(c);
	c->n = online->n_words * 64;
	c->core_of = xcalloc(c->n + 1, sizeof(*c->core_of));
	for (i = 0; i < c->n; i++)
		c->core_of[i] = -1;
	for (cpu = cpulist_next(online, 0); cpu >= 0; cpu = cpulist_next(online, cpu + 1))
		c->core_of[cpu] = cpu;
}

static int core_find(const struct cores *c, int cpu)
{
	while (c->core_of[cpu] != cpu)
		cpu = c->core_of[cpu];
	return cpu;
}

static void cores_join(struct cores *c, int a, int b)
{
	a = core_find(c, a);
	b = core_find(c, b);
	if (a < b)
		c->core_of[b] = a;
	else
		c->core_of[a] = b;
}

/* So that everyone can read the core without a search. */
static void cores_flatten(struct cores *c, const struct cpulist *online)
{
	int cpu;

	for (cpu = cpulist_next(online, 0); cpu >= 0; cpu = cpulist_next(online, cpu + 1))
		c->core_of[cpu] = core_find(c, cpu);
}

int64_t count_cores(const struct cpulist *set, const int *core_of)
{
	CLEANUP(cpulist_done) struct cpulist firsts = { 0 };
	int cpu;

	for (cpu = cpulist_next(set, 0); cpu >= 0; cpu = cpulist_next(set, cpu + 1))
		cpulist_set(&firsts, (unsigned int)core_of[cpu]);
	return (int64_t)cpulist_count(&firsts);
}

/* The threads of the CPU's core, from the first file that has them. */
static int read_siblings(const struct sysroot *root, int cpu, struct cpulist *out)
{
	static const struct {
		const char *file;
		int (*parse)(const char *text, struct cpulist *out);
	} files[] = {
		{ "core_cpus_list", cpulist_parse },
		{ "thread_siblings_list", cpulist_parse },
		{ "core_cpus", cpulist_parse_mask },
		{ "thread_siblings", cpulist_parse_mask },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(files); i++) {
		CLEANUP(cpulist_done) struct cpulist set = { 0 };
		CLEANUP(xfree) char *text = NULL;

		if (sysroot_read_text(root, &text, CPU_DIR "topology/%s", cpu, files[i].file) ||
		    files[i].parse(text, &set) || cpulist_count(&set) == 0)
			continue;
		cpulist_done(out);
		*out = set;
		set = (struct cpulist){ 0 };
		return 0;
	}
	return -1;
}

/* The ids that name a core, as text; a core id alone repeats in each package, die and cluster. */
static int read_ids(const struct sysroot *root, int cpu, char **out)
{
	static const char *const outer[] = { "drawer_id", "book_id", "physical_package_id",
					     "die_id", "cluster_id" };
	CLEANUP(buf_done) struct buf key = { 0 };
	int64_t id;
	size_t i;
	int rc;

	rc = sysroot_read_i64(root, &id, CPU_DIR "topology/core_id", cpu);
	if (rc)
		return rc;
	if (id < 0)
		return -1;
	buf_printf(&key, "%" PRId64, id);
	for (i = 0; i < ARRAY_LEN(outer); i++) {
		rc = sysroot_read_i64(root, &id, CPU_DIR "topology/%s", cpu, outer[i]);
		buf_printf(&key, "/%" PRId64, rc ? -1 : id);
	}
	*out = buf_take(&key);
	return 0;
}

/* known becomes the CPUs that told their siblings, or were named as one. */
static void join_siblings(const struct sysroot *root, const struct cpulist *online, struct cores *c,
			  struct cpulist *known)
{
	int cpu, other;

	for (cpu = cpulist_next(online, 0); cpu >= 0; cpu = cpulist_next(online, cpu + 1)) {
		CLEANUP(cpulist_done) struct cpulist set = { 0 };

		if (read_siblings(root, cpu, &set))
			continue;
		cpulist_set(known, (unsigned int)cpu);
		/* Recorded masks may still name CPUs that are offline. */
		cpulist_intersect(&set, online);
		for (other = cpulist_next(&set, 0); other >= 0;
		     other = cpulist_next(&set, other + 1)) {
			cpulist_set(known, (unsigned int)other);
			cores_join(c, cpu, other);
		}
	}
}

/* Returns how many CPUs of the set told their ids. */
static size_t join_ids(const struct sysroot *root, const struct cpulist *cpus, struct cores *c)
{
	CLEANUP(strlist_done) struct strlist keys = { 0 };
	CLEANUP(xfree) int *first = xcalloc(c->n + 1, sizeof(*first));
	size_t n_told = 0;
	int cpu;

	for (cpu = cpulist_next(cpus, 0); cpu >= 0; cpu = cpulist_next(cpus, cpu + 1)) {
		CLEANUP(xfree) char *key = NULL;
		size_t i;

		if (read_ids(root, cpu, &key))
			continue;
		n_told++;
		for (i = 0; i < keys.n_items && strcmp(keys.items[i], key); i++)
			;
		if (i == keys.n_items) {
			strlist_add(&keys, key);
			first[i] = cpu;
		}
		cores_join(c, first[i], cpu);
	}
	return n_told;
}

/* By lists of siblings, and by ids those that no list has. Returns the source, NULL if neither is
 * there. */
static const char *find_cores_in_sysfs(struct probe *p, const struct cpulist *online,
				       struct cores *c)
{
	CLEANUP(cpulist_done) struct cpulist known = { 0 };
	CLEANUP(cpulist_done) struct cpulist others = { 0 };
	size_t n_lists, n_ids, n_online = cpulist_count(online);
	int cpu;

	join_siblings(p->root, online, c, &known);
	for (cpu = cpulist_next(online, 0); cpu >= 0; cpu = cpulist_next(online, cpu + 1))
		if (!cpulist_has(&known, (unsigned int)cpu))
			cpulist_set(&others, (unsigned int)cpu);
	n_lists = cpulist_count(&known);
	n_ids = join_ids(p->root, &others, c);
	if (n_lists + n_ids == 0)
		return NULL;
	if (n_lists && n_ids)
		host_note(p->host, "cores",
			  "%zu of %zu online CPUs have no list of siblings in sysfs: their core "
			  "ids tell which of them share a core",
			  n_ids, n_online);
	if (n_lists + n_ids < n_online)
		host_note(p->host, "cores",
			  "%zu of %zu online CPUs have no topology in sysfs: each counts as a core",
			  n_online - n_lists - n_ids, n_online);
	return n_lists ? "sysfs thread siblings" : "sysfs core ids";
}

/* Fills the cores by the best source there is, and returns its name. */
static const char *find_cores(struct probe *p, const struct cpulist *online,
			      const char *online_source, struct cores *c)
{
	const char *source;

	cores_reset(c, online);
	source = find_cores_in_sysfs(p, online, c);
	p->has_sysfs_topology = source != NULL;
	if (source)
		return source;

	source = cpuinfo_assign_cores(&p->cpuinfo, online, c->core_of, p->host);
	if (source && !strcmp(source, "cpuinfo ids"))
		return source;
	if (cpulist_count(online) > 1)
		host_note(p->host, "cores",
			  "neither sysfs nor cpuinfo tells which CPUs share a core: each counts "
			  "as one");
	return source ? source : online_source;
}

/* hwloc may know what no file told; the sets stay unknown, so this only bounds the numbers. */
static const char *bound_by_hwloc(struct probe *p, const char *source)
{
	struct host *host = p->host;

	if (p->topology.cores <= 0 || strncmp(source, "affinity", 8) ||
	    p->topology.cores >= host->physical_cores_total)
		return source;
	host->physical_cores_total = p->topology.cores;
	if (host->physical_cores > p->topology.cores)
		host->physical_cores = p->topology.cores;
	return "hwloc";
}

/* Distinct packages over the online CPUs. Without a known one: hwloc, cpuinfo, or one. */
static int64_t count_sockets(struct probe *p, const struct cpulist *online)
{
	CLEANUP(cpulist_done) struct cpulist packages = { 0 };
	int64_t id, package = -1;
	size_t i;
	int cpu;

	for (cpu = cpulist_next(online, 0); cpu >= 0; cpu = cpulist_next(online, cpu + 1))
		if (!sysroot_read_i64(p->root, &id, CPU_DIR "topology/physical_package_id", cpu) &&
		    id >= 0 && id <= CPULIST_MAX)
			cpulist_set(&packages, (unsigned int)id);
	if (cpulist_count(&packages))
		return (int64_t)cpulist_count(&packages);

	for (i = 0; i < p->cpuinfo.n_cpus; i++) {
		package = p->cpuinfo.cpus[i].package;
		if (package >= 0 && package <= CPULIST_MAX)
			cpulist_set(&packages, (unsigned int)package);
	}
	if (p->topology.packages > 0)
		return p->topology.packages;
	if (cpulist_count(&packages))
		return (int64_t)cpulist_count(&packages);
	host_note(p->host, "cores", "nothing tells how many sockets there are: one is assumed");
	return 1;
}

static int64_t count_nodes(const struct sysroot *root)
{
	CLEANUP(strlist_done) struct strlist names = { 0 };
	CLEANUP(cpulist_done) struct cpulist nodes = { 0 };
	CLEANUP(xfree) char *text = NULL;
	unsigned int node;
	int64_t n = 0;
	char rest;
	size_t i;

	if (!sysroot_read_text(root, &text, "/sys/devices/system/node/online") &&
	    !cpulist_parse(text, &nodes) && cpulist_count(&nodes))
		return (int64_t)cpulist_count(&nodes);
	if (sysroot_list(root, &names, "/sys/devices/system/node"))
		return 1;
	for (i = 0; i < names.n_items; i++)
		n += sscanf(names.items[i], "node%u%c", &node, &rest) == 1;
	return n ? n : 1;
}

static char *set_text(const struct cpulist *set)
{
	struct buf b = { 0 };

	cpulist_add_text(set, &b);
	return buf_take(&b);
}

/* The kernel's answer holds, but someone may have made it up. */
static void note_wide_cores(struct host *host, const struct cpulist *online, const struct cores *c)
{
	CLEANUP(xfree) int64_t *n_threads = xcalloc(c->n + 1, sizeof(*n_threads));
	int64_t most = 0;
	int cpu;

	for (cpu = cpulist_next(online, 0); cpu >= 0; cpu = cpulist_next(online, cpu + 1)) {
		int64_t n = ++n_threads[c->core_of[cpu]];

		most = n > most ? n : most;
	}
	if (most > THREADS_PER_CORE_MAX)
		host_note(host, "cores",
			  "sysfs tells of %" PRId64 " threads in one core, more than any processor "
			  "has: is this a sandbox that hides the real ones?",
			  most);
}

static void note_disagreement(struct host *host)
{
	if (host->physical_cores_hwloc > 0 &&
	    host->physical_cores_hwloc != host->physical_cores_total)
		host_note(host, "cores", "hwloc counts %" PRId64 " cores, %s tells %" PRId64,
			  host->physical_cores_hwloc, host->cores_source,
			  host->physical_cores_total);
	if (host->physical_cores_cpuinfo > 0 &&
	    host->physical_cores_cpuinfo != host->physical_cores_total)
		host_note(host, "cores",
			  "/proc/cpuinfo has %" PRId64
			  " pairs of physical id and core id, %s tells %" PRId64 " cores",
			  host->physical_cores_cpuinfo, host->cores_source,
			  host->physical_cores_total);
}

void probe_cores(struct probe *p)
{
	CLEANUP(cpulist_done) struct cpulist online = { 0 };
	CLEANUP(cpulist_done) struct cpulist allowed = { 0 };
	CLEANUP(cores_done) struct cores c = { 0 };
	struct host *host = p->host;
	const char *source;

	source = cpuset_online(p, &online);
	cpuset_allowed(p, &online, &allowed);
	source = find_cores(p, &online, source, &c);
	cores_flatten(&c, &online);
	if (p->has_sysfs_topology)
		note_wide_cores(host, &online, &c);
	probe_topology(p);

	host->online_cpus = set_text(&online);
	host->allowed_cpus = set_text(&allowed);
	host->threads_total = (int64_t)cpulist_count(&online);
	host->threads = (int64_t)cpulist_count(&allowed);
	host->physical_cores_total = count_cores(&online, c.core_of);
	host->physical_cores = count_cores(&allowed, c.core_of);
	xstr_set(&host->cores_source, bound_by_hwloc(p, source));
	host->physical_cores_cpuinfo = cpuinfo_count_pairs(&p->cpuinfo);
	host->sockets = count_sockets(p, &online);
	host->numa_nodes = count_nodes(p->root);
	probe_hybrid(p, &online, c.core_of);
	probe_core_list(p, &allowed, c.core_of);
	note_disagreement(host);
}
