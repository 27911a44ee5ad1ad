/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_topology - what hwloc tells: a second count, the order of the cores, and evidence
 *
 * The only file with hwloc. Live it describes this machine, and its XML is kept. A recorded tree
 * is described in a child: hwloc takes a file-system root only from its environment, and the XML
 * of a stranger is better parsed where it can only hurt the child.
 */
#include "probe_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <hwloc.h>

#include "iotest/child.h"
#include "iotest/xalloc.h"

#define FACT "topology.xml"
#define CHILD_DEADLINE_NS (5 * NS_PER_S)

static void handle_done(hwloc_topology_t *t)
{
	if (*t)
		hwloc_topology_destroy(*t);
	*t = NULL;
}

void topology_done(struct topology *t)
{
	size_t i;

	for (i = 0; i < t->n_sets; i++)
		cpulist_done(&t->sets[i]);
	free(t->sets);
	*t = (struct topology){ 0 };
}

/* An empty topology that leaves out what is not asked for: I/O objects cost most of the time. */
static int topology_new(hwloc_topology_t *out)
{
	CLEANUP(handle_done) hwloc_topology_t t = NULL;

	if (hwloc_topology_init(&t)) {
		t = NULL;
		return -ENOMEM;
	}
	if (hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) ||
	    hwloc_topology_set_io_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE))
		return -EINVAL;
	*out = t;
	t = NULL;
	return 0;
}

static int64_t count_of(hwloc_topology_t t, hwloc_obj_type_t type)
{
	int n = hwloc_get_nbobjs_by_type(t, type);

	return n > 0 ? n : -1;
}

/* Numbers that no CPU has, and a set without an end, come from a damaged XML. */
static void add_set(hwloc_const_cpuset_t from, struct topology *out)
{
	struct cpulist *set = XGROW(&out->sets, &out->n_sets);
	int cpu;

	if (!from)
		return;
	for (cpu = hwloc_bitmap_first(from); cpu >= 0 && cpu <= CPULIST_MAX;
	     cpu = hwloc_bitmap_next(from, cpu))
		cpulist_set(set, (unsigned int)cpu);
}

/* By logical index: package by package, and in each from its first core to its last. */
static void describe(hwloc_topology_t t, struct topology *out)
{
	hwloc_obj_t core = NULL;

	out->cores = count_of(t, HWLOC_OBJ_CORE);
	out->packages = count_of(t, HWLOC_OBJ_PACKAGE);
	while ((core = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_CORE, core)) != NULL)
		add_set(core->cpuset, out);
}

/* Serial numbers belong to the owner of the machine, not into a support ticket. */
static void blank_serials(hwloc_obj_t machine)
{
	static const char *const names[] = { "Serial", "UUID", "AssetTag" };
	unsigned int i;
	size_t k;

	for (i = 0; i < machine->infos_count; i++)
		for (k = 0; k < ARRAY_LEN(names); k++)
			if (strstr(machine->infos[i].name, names[k]))
				machine->infos[i].value[0] = '\0';
}

static void keep_xml(const struct sysroot *root, hwloc_topology_t t)
{
	char *xml;
	int len;

	blank_serials(hwloc_get_root_obj(t));
	if (hwloc_topology_export_xmlbuffer(t, &xml, &len, 0))
		return;
	sysroot_keep_fact(root, FACT, xml, strnlen(xml, (size_t)len));
	hwloc_free_xmlbuffer(t, xml);
}

static int describe_live(const struct sysroot *root, struct topology *out)
{
	CLEANUP(handle_done) hwloc_topology_t t = NULL;
	int rc;

	rc = topology_new(&t);
	if (rc)
		return rc;
	if (hwloc_topology_load(t))
		return errno ? -errno : -EINVAL;
	describe(t, out);
	keep_xml(root, t);
	return 0;
}

struct replay {
	const char *tree;
	const struct buf *xml; /* NULL: describe the tree itself */
};

/* "core=0,64", in their order. */
static void write_answer(const struct topology *t, struct buf *answer)
{
	size_t i;

	buf_printf(answer, "cores=%" PRId64 "\npackages=%" PRId64 "\n", t->cores, t->packages);
	for (i = 0; i < t->n_sets; i++) {
		buf_add_text(answer, "core=");
		cpulist_add_text(&t->sets[i], answer);
		buf_add_text(answer, "\n");
	}
}

static void read_answer(const char *text, struct topology *out)
{
	static const char key[] = "core=";
	const char *at;

	out->cores = fact_or_unknown(text, "cores");
	out->packages = fact_or_unknown(text, "packages");
	for (at = text; *at; at = next_line(at)) {
		CLEANUP(xfree) char *list = NULL;

		if (strncmp(at, key, strlen(key)) != 0)
			continue;
		at += strlen(key);
		list = xstrndup(at, strcspn(at, "\n"));
		cpulist_parse_valid(list, XGROW(&out->sets, &out->n_sets));
	}
}

/* In the child. */
static int describe_replay(void *context, struct buf *answer)
{
	const struct replay *replay = context;
	struct topology found = { 0 };
	hwloc_topology_t t;
	int rc;

	if (!replay->xml) {
		/* "stop": no other component, such as the x86 one, may look at this machine. */
		if (setenv("HWLOC_FSROOT", replay->tree, 1) ||
		    setenv("HWLOC_COMPONENTS", "linux,stop", 1) ||
		    setenv("HWLOC_HIDE_ERRORS", "2", 1))
			return -errno;
	}
	rc = topology_new(&t);
	if (rc)
		return rc;
	/* The length counts the zero at the end, as that of an export does. */
	if (replay->xml &&
	    hwloc_topology_set_xmlbuffer(t, replay->xml->data, (int)replay->xml->len + 1))
		return -EINVAL;
	if (hwloc_topology_load(t))
		return -EINVAL;
	describe(t, &found);
	write_answer(&found, answer);
	return 0;
}

static int run_replay(struct replay *replay, struct topology *out)
{
	CLEANUP(buf_done) struct buf answer = { 0 };
	int rc;

	rc = child_run(describe_replay, replay, CHILD_DEADLINE_NS, &answer);
	if (rc)
		return rc;
	read_answer(buf_text(&answer), out);
	return 0;
}

static int describe_recorded(struct probe *p, struct topology *out)
{
	CLEANUP(buf_done) struct buf xml = { 0 };
	struct replay replay = { .tree = p->root->path };

	if (sysroot_read_fact(p->root, &xml, FACT) == 0 && xml.len > 0) {
		replay.xml = &xml;
		return run_replay(&replay, out);
	}
	/* Without any topology in the tree hwloc would have to guess. */
	if (!p->has_sysfs_topology)
		return -ENOENT;
	return run_replay(&replay, out);
}

void probe_topology(struct probe *p)
{
	int rc;

	p->topology = (struct topology){ .cores = -1, .packages = -1 };
	if (p->root->is_live)
		rc = describe_live(p->root, &p->topology);
	else
		rc = describe_recorded(p, &p->topology);
	p->host->physical_cores_hwloc = p->topology.cores;
	if (rc && rc != -ENOENT)
		host_note(p->host, "cores", "hwloc cannot describe this topology: %s",
			  strerror(-rc));
}

void topology_add_library(struct buf *out)
{
	unsigned int v = hwloc_get_api_version();

	buf_printf(out, "hwloc (API %u.%u.%u)", v >> 16, v >> 8 & 0xff, v & 0xff);
}
