/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_core_list - the cores that this process may use, each with its CPUs
 *
 * A worker can be bound to each. Which CPUs make a core is what sysfs says, as in probe_cores; the
 * order is that of hwloc, in which neighbours share what there is to share.
 */
#include "probe_parts.h"

#include "iotest/xalloc.h"

static void take_cores(struct host *host, const struct strlist *texts)
{
	size_t i;

	for (i = 0; i < texts->n_items; i++)
		XGROW(&host->cores, &host->n_cores)->cpus = xstrdup(texts->items[i]);
}

static void add_core(struct strlist *texts, const struct cpulist *set)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	cpulist_add_text(set, &text);
	strlist_add(texts, buf_text(&text));
}

/* Moves the CPUs of a core into seen. Returns whether none was there yet, and all are in one core
 * of sysfs if that knows the cores. */
static bool is_one_core(const struct probe *p, const int *core_of, const struct cpulist *set,
			struct cpulist *seen)
{
	int first = cpulist_next(set, 0);
	int cpu;

	for (cpu = first; cpu >= 0; cpu = cpulist_next(set, cpu + 1)) {
		if (cpulist_has(seen, (unsigned int)cpu) ||
		    (p->has_sysfs_topology && core_of[cpu] != core_of[first]))
			return false;
		cpulist_set(seen, (unsigned int)cpu);
	}
	return true;
}

/* The cores of hwloc, if they are the ones that were counted: each of the allowed CPUs in one. */
static bool list_by_hwloc(struct probe *p, const struct cpulist *allowed, const int *core_of)
{
	CLEANUP(strlist_done) struct strlist texts = { 0 };
	CLEANUP(cpulist_done) struct cpulist seen = { 0 };
	size_t i;

	for (i = 0; i < p->topology.n_sets; i++) {
		struct cpulist *set = &p->topology.sets[i];

		cpulist_intersect(set, allowed);
		if (cpulist_count(set) == 0)
			continue;
		if (!is_one_core(p, core_of, set, &seen))
			return false;
		add_core(&texts, set);
	}
	if ((int64_t)texts.n_items != p->host->physical_cores ||
	    cpulist_count(&seen) != cpulist_count(allowed))
		return false;
	take_cores(p->host, &texts);
	return true;
}

/* By the sets of siblings, in the order of their first CPUs. */
static void list_by_sysfs(struct probe *p, const struct cpulist *allowed, const int *core_of)
{
	CLEANUP(strlist_done) struct strlist texts = { 0 };
	CLEANUP(cpulist_done) struct cpulist done = { 0 };
	int first, cpu;

	for (first = cpulist_next(allowed, 0); first >= 0;
	     first = cpulist_next(allowed, first + 1)) {
		CLEANUP(cpulist_done) struct cpulist set = { 0 };

		if (cpulist_has(&done, (unsigned int)core_of[first]))
			continue;
		cpulist_set(&done, (unsigned int)core_of[first]);
		for (cpu = first; cpu >= 0; cpu = cpulist_next(allowed, cpu + 1))
			if (core_of[cpu] == core_of[first])
				cpulist_set(&set, (unsigned int)cpu);
		add_core(&texts, &set);
	}
	take_cores(p->host, &texts);
}

void probe_core_list(struct probe *p, const struct cpulist *allowed, const int *core_of)
{
	struct host *host = p->host;

	if (list_by_hwloc(p, allowed, core_of) || !p->has_sysfs_topology)
		return;
	if (host->physical_cores_hwloc == host->physical_cores_total)
		host_note(host, "cores",
			  "hwloc counts as many cores as sysfs, but of other CPUs: the sets of "
			  "sysfs are used, in the order of their first CPUs");
	list_by_sysfs(p, allowed, core_of);
}
