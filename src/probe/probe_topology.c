/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_topology - what hwloc counts: the cross-check, and evidence
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

static void topology_done(hwloc_topology_t *t)
{
	if (*t)
		hwloc_topology_destroy(*t);
	*t = NULL;
}

/* An empty topology that leaves out what is not asked for: I/O objects cost most of the time. */
static int topology_new(hwloc_topology_t *out)
{
	CLEANUP(topology_done) hwloc_topology_t t = NULL;

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

static void numbers_of(hwloc_topology_t t, struct topology *out)
{
	out->cores = count_of(t, HWLOC_OBJ_CORE);
	out->packages = count_of(t, HWLOC_OBJ_PACKAGE);
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
	CLEANUP(topology_done) hwloc_topology_t t = NULL;
	int rc;

	rc = topology_new(&t);
	if (rc)
		return rc;
	if (hwloc_topology_load(t))
		return errno ? -errno : -EINVAL;
	numbers_of(t, out);
	keep_xml(root, t);
	return 0;
}

struct replay {
	const char *tree;
	const struct buf *xml; /* NULL: describe the tree itself */
};

/* In the child. */
static int describe_replay(void *context, struct buf *answer)
{
	const struct replay *replay = context;
	struct topology found;
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
	numbers_of(t, &found);
	buf_printf(answer, "cores=%" PRId64 "\npackages=%" PRId64 "\n", found.cores,
		   found.packages);
	return 0;
}

static int run_replay(struct replay *replay, struct topology *out)
{
	CLEANUP(buf_done) struct buf answer = { 0 };
	int rc;

	rc = child_run(describe_replay, replay, CHILD_DEADLINE_NS, &answer);
	if (rc)
		return rc;
	out->cores = fact_or_unknown(buf_text(&answer), "cores");
	out->packages = fact_or_unknown(buf_text(&answer), "packages");
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

	p->topology = (struct topology){ -1, -1 };
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
