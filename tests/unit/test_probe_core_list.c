/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_probe_core_list - the cores one by one, each with the CPUs that may be used
 */
#include "probe_tree.h"
#include "suite.h"

#include "iotest/cpulist.h"

/* "0,8 2,10": one core after the other. */
static char *cores_text(const struct host *host)
{
	struct buf out = { 0 };
	size_t i;

	for (i = 0; i < host->n_cores; i++)
		buf_printf(&out, "%s%s", i ? " " : "", text_of(host->cores[i].cpus));
	return buf_take(&out);
}

static const struct {
	const char *tree;
	const char *want;
} machines[] = {
	/* by hwloc: package by package */
	{ "interleaved", "0,8 2,10 4,12 6,14 1,9 3,11 5,13 7,15" },
	{ "smt-off", "0 2 4 6 1 3 5 7" },
	{ "power-smt4", "0-3 4-7 8-11 12-15 16-19 20-23 24-27 28-31" },
	{ "hybrid", "0-1 2-3 4-5 6-7 8-9 10-11 12 13 14 15 16 17 18 19" },
	{ "offline-cpus", "4-5 6-7 8-9 11 12-13 14-15 16-17 18-19 20" },
	{ "one-core", "0-15" },
	{ "odd-online-list", "0 1" },
	/* the allowed share */
	{ "affinity", "0,4 1" },
	{ "slurm-cpuset-smt", "0,48 1,49 2,50 3,51 4,52 5,53" },
	/* by sysfs */
	{ "mixed-topology", "0-1 2-3 4-5 6" },
	{ "no-online-list", "0 1 3" },
	/* neither tells */
	{ "only-online", "" },
	{ "two-socket-guest", "" },
	{ "cpuset-v1", "" },
	{ "nothing", "" },
};

START_TEST(each_core_has_its_allowed_threads)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(machines); i++) {
		CLEANUP(host_done) struct host host = { 0 };
		CLEANUP(xfree) char *text = NULL;

		probe_grown(machines[i].tree, NULL, &host);
		text = cores_text(&host);
		ck_assert_msg(!strcmp(text, machines[i].want), "%s: %s", machines[i].tree, text);
		ck_assert(!has_note(&host, "but of other CPUs"));
		if (host.n_cores)
			ck_assert_int_eq((int64_t)host.n_cores, host.physical_cores);
	}
}
END_TEST

START_TEST(sysfs_decides_where_hwloc_pairs_other_cpus)
{
	CLEANUP(host_done) struct host host = { 0 };
	CLEANUP(xfree) char *text = NULL;

	probe_grown("other-siblings", NULL, &host);
	text = cores_text(&host);
	ck_assert_int_eq(host.physical_cores_hwloc, 2);
	ck_assert_str_eq(text, "0-1 2-3");
	ck_assert(has_note(&host, "hwloc counts as many cores as sysfs, but of other CPUs"));
}
END_TEST

START_TEST(a_machine_of_576_cores_is_listed)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown("many-cpus", NULL, &host);
	ck_assert_uint_eq(host.n_cores, 576);
	ck_assert_str_eq(host.cores[0].cpus, "0,576");
	ck_assert_str_eq(host.cores[575].cpus, "575,1151");
}
END_TEST

#define MACHINE                                                                           \
	" nodeset=\"0x1\" complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\">\n"            \
	"<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0xf\" complete_cpuset=\"0xf\"" \
	" nodeset=\"0x1\" complete_nodeset=\"0x1\" local_memory=\"1\"/>\n"

static void open_object(struct buf *out, const char *type, unsigned int os_index, unsigned int mask)
{
	buf_printf(out,
		   "<object type=\"%s\" os_index=\"%u\" cpuset=\"0x%x\" complete_cpuset=\"0x%x\""
		   " nodeset=\"0x1\" complete_nodeset=\"0x1\">\n",
		   type, os_index, mask, mask);
}

static void add_xml_core(struct buf *out, unsigned int core, unsigned int mask)
{
	unsigned int cpu;

	open_object(out, "Core", core, mask);
	for (cpu = 0; cpu < 4; cpu++)
		if (mask >> cpu & 1) {
			open_object(out, "PU", cpu, 1U << cpu);
			buf_add_text(out, "</object>\n");
		}
	buf_add_text(out, "</object>\n");
}

/* Packages of two cores each, as hwloc 2 writes them, cut to what it needs. */
static void put_xml(const char *top, const unsigned int *masks, size_t n_masks)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t i;

	buf_add_text(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			    "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
			    "<topology version=\"2.0\">\n"
			    "<object type=\"Machine\" os_index=\"0\" cpuset=\"0xf\""
			    " complete_cpuset=\"0xf\" allowed_cpuset=\"0xf\"" MACHINE);
	for (i = 0; i < n_masks; i += 2) {
		open_object(&text, "Package", (unsigned int)i / 2, masks[i] | masks[i + 1]);
		add_xml_core(&text, (unsigned int)i, masks[i]);
		add_xml_core(&text, (unsigned int)i + 1, masks[i + 1]);
		buf_add_text(&text, "</object>\n");
	}
	buf_add_text(&text, "</object>\n</topology>\n");
	testdir_put(top, "topology.xml", buf_text(&text));
}

/* Two packages whose CPUs take turns; two cores of two threads. */
static const unsigned int turns[4] = { 1, 4, 2, 8 };
static const unsigned int pairs[2] = { 5, 10 };

START_TEST(a_recorded_topology_gives_the_order_of_the_cores_of_sysfs)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };
	CLEANUP(xfree) char *text = NULL;
	int cpu;

	for (cpu = 0; cpu < 4; cpu++) {
		CLEANUP(xfree)
		char *path = xasprintf("sys/devices/system/cpu/cpu%d/topology/core_cpus_list", cpu);
		CLEANUP(xfree) char *list = xasprintf("%d\n", cpu);

		testdir_put(top, path, list);
	}
	testdir_put(top, "sys/devices/system/cpu/online", "0-3\n");
	put_xml(top, turns, ARRAY_LEN(turns));
	tree_probe(top, NULL, &host);
	text = cores_text(&host);
	ck_assert_str_eq(text, "0 2 1 3");
}
END_TEST

START_TEST(a_recorded_topology_gives_its_cores_where_sysfs_has_none)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };
	CLEANUP(xfree) char *text = NULL;

	testdir_put(top, "sys/devices/system/cpu/online", "0-3\n");
	testdir_put(top, "proc/self/status", "Cpus_allowed_list:\t1-2\n");
	put_xml(top, turns, ARRAY_LEN(turns));
	tree_probe(top, NULL, &host);
	text = cores_text(&host);
	ck_assert_int_eq(host.physical_cores_hwloc, 4);
	ck_assert_str_eq(text, "2 1");
}
END_TEST

START_TEST(a_recorded_topology_that_counts_otherwise_gives_none)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };

	testdir_put(top, "sys/devices/system/cpu/online", "0-3\n");
	put_xml(top, pairs, ARRAY_LEN(pairs));
	tree_probe(top, NULL, &host);
	ck_assert_int_eq(host.physical_cores_hwloc, 2);
	ck_assert_int_eq(host.physical_cores, 4);
	ck_assert_uint_eq(host.n_cores, 0);
}
END_TEST

START_TEST(this_machine_has_a_list_of_all_its_allowed_cpus)
{
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(strlist_done) struct strlist none = { 0 };
	CLEANUP(host_done) struct host host = { 0 };
	CLEANUP(cpulist_done) struct cpulist seen = { 0 };
	CLEANUP(buf_done) struct buf all = { 0 };
	struct err err = { 0 };
	size_t i;

	ck_assert_int_eq(sysroot_open(&root, NULL, &err), 0);
	ck_assert_int_eq(probe_host(&root, &none, &host, &err), 0);
	if (host.n_cores == 0) /* a sandbox without a topology */
		return;
	ck_assert_int_eq((int64_t)host.n_cores, host.physical_cores);
	for (i = 0; i < host.n_cores; i++) {
		CLEANUP(cpulist_done) struct cpulist set = { 0 };
		int cpu;

		ck_assert_int_eq(cpulist_parse(host.cores[i].cpus, &set), 0);
		for (cpu = cpulist_next(&set, 0); cpu >= 0; cpu = cpulist_next(&set, cpu + 1)) {
			ck_assert(!cpulist_has(&seen, (unsigned int)cpu));
			cpulist_set(&seen, (unsigned int)cpu);
		}
	}
	cpulist_add_text(&seen, &all);
	ck_assert_str_eq(buf_text(&all), host.allowed_cpus);
}
END_TEST

SUITE_MAIN("probe core list", each_core_has_its_allowed_threads,
	   sysfs_decides_where_hwloc_pairs_other_cpus, a_machine_of_576_cores_is_listed,
	   a_recorded_topology_gives_the_order_of_the_cores_of_sysfs,
	   a_recorded_topology_gives_its_cores_where_sysfs_has_none,
	   a_recorded_topology_that_counts_otherwise_gives_none,
	   this_machine_has_a_list_of_all_its_allowed_cpus)
