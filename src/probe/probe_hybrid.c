/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_hybrid - the kinds of cores of a machine that has more than one
 */
#include "probe_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/xalloc.h"

/* One kind while it is collected. */
struct kind {
	char *name;
	struct cpulist cpus;
};

struct kinds {
	struct kind *items;
	size_t n_items;
};

static void kinds_done(struct kinds *k)
{
	size_t i;

	for (i = 0; i < k->n_items; i++) {
		free(k->items[i].name);
		cpulist_done(&k->items[i].cpus);
	}
	free(k->items);
	*k = (struct kinds){ 0 };
}

static struct kind *kind_get(struct kinds *k, const char *name)
{
	struct kind *kind;
	size_t i;

	for (i = 0; i < k->n_items; i++)
		if (!strcmp(k->items[i].name, name))
			return &k->items[i];
	kind = XGROW(&k->items, &k->n_items);
	kind->name = xstrdup(name);
	return kind;
}

/* Intel: a performance counter unit for each kind. */
static void by_counter_units(struct probe *p, const struct cpulist *online, struct kinds *k)
{
	static const struct {
		const char *unit;
		const char *name;
	} units[] = {
		{ "cpu_core", "performance" },
		{ "cpu_atom", "efficiency" },
		{ "cpu_lowpower", "low power" },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(units); i++) {
		CLEANUP(cpulist_done) struct cpulist set = { 0 };
		CLEANUP(xfree) char *text = NULL;

		if (sysroot_read_text(p->root, &text, "/sys/devices/%s/cpus", units[i].unit) ||
		    cpulist_parse(text, &set))
			continue;
		cpulist_intersect(&set, online);
		if (cpulist_count(&set))
			cpulist_copy(&kind_get(k, units[i].name)->cpus, &set);
	}
}

/* ARM: the designs that cpuinfo names. */
static void by_arm_parts(struct probe *p, const struct cpulist *online, struct kinds *k)
{
	size_t i;

	for (i = 0; i < p->cpuinfo.n_cpus; i++) {
		const struct cpuinfo_cpu *cpu = &p->cpuinfo.cpus[i];
		CLEANUP(xfree) char *name = NULL;
		const char *known = arm_part_name(cpu->implementer, cpu->part);

		if (cpu->part < 0 || !cpulist_has(online, (unsigned int)cpu->number))
			continue;
		name = known ? xstrdup(known) : xasprintf("part 0x%03" PRIx64, cpu->part);
		cpulist_set(&kind_get(k, name)->cpus, (unsigned int)cpu->number);
	}
}

struct capacity {
	int cpu;
	int64_t value;
};

static int compare_capacities(const void *left, const void *right)
{
	const struct capacity *a = left, *b = right;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return a->cpu - b->cpu;
}

/*
 * Relative speed, 1024 the fastest. Cores of one design differ by some percent with the clock
 * they were binned for, so a new kind begins only below 7/8 of the one before.
 */
static void by_capacity(struct probe *p, const struct cpulist *online, struct kinds *k)
{
	CLEANUP(xfree) struct capacity *found = NULL;
	struct kind *kind = NULL;
	size_t i, n = 0;
	int cpu;

	for (cpu = cpulist_next(online, 0); cpu >= 0; cpu = cpulist_next(online, cpu + 1)) {
		struct capacity *c;
		int64_t value;

		if (sysroot_read_i64(p->root, &value, "/sys/devices/system/cpu/cpu%d/cpu_capacity",
				     cpu) ||
		    value <= 0 || value > 1024)
			return;
		c = XGROW(&found, &n);
		c->cpu = cpu;
		c->value = value;
	}
	if (n == 0)
		return;
	qsort(found, n, sizeof(*found), compare_capacities);
	for (i = 0; i < n; i++) {
		if (!kind || found[i].value * 8 < found[i - 1].value * 7) {
			CLEANUP(xfree) char *name = xasprintf("capacity %" PRId64, found[i].value);

			kind = kind_get(k, name);
		}
		cpulist_set(&kind->cpus, (unsigned int)found[i].cpu);
	}
}

void probe_hybrid(struct probe *p, const struct cpulist *online, const int *core_of)
{
	static void (*const sources[])(struct probe *, const struct cpulist *, struct kinds *) = {
		by_counter_units,
		by_arm_parts,
		by_capacity,
	};
	size_t s, i;

	for (s = 0; s < ARRAY_LEN(sources); s++) {
		CLEANUP(kinds_done) struct kinds k = { 0 };

		sources[s](p, online, &k);
		if (k.n_items < 2)
			continue;
		for (i = 0; i < k.n_items; i++) {
			struct core_kind *out = XGROW(&p->host->core_kinds, &p->host->n_core_kinds);

			out->name = xstrdup(k.items[i].name);
			out->threads = (int64_t)cpulist_count(&k.items[i].cpus);
			out->physical_cores = count_cores(&k.items[i].cpus, core_of);
		}
		return;
	}
}
