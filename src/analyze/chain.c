/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain - the devices below a target, level by level, with what they counted in a phase
 */
#include "chain.h"

#include <stdlib.h>
#include <string.h>

#include "iotest/xalloc.h"
#include "stats.h"

/* The probe lists at most 256; a file may hold anything. */
#define NODES_MAX 1024
#define NAMES_SHOWN 4

/* Device mapper targets that write a journal, or less than they are given. */
static const char *const changing_uuids[] = { "INTEGRITY", "VDO", "vpool", "vdata" };

bool chain_device_caches(const struct device *device)
{
	return device->kind == DEVICE_MEMORY ||
	       (device->kind == DEVICE_LOOP && device->direct_io != 1);
}

/* The counters were taken in the order of the devices. */
static const struct device_count *count_of(const struct target *t, size_t i,
					   const struct phase *phase)
{
	const char *name = text_of(t->devices[i].name);

	if (i < phase->n_devices && !strcmp(text_of(phase->devices[i].name), name))
		return &phase->devices[i];
	for (size_t k = 0; k < phase->n_devices; k++)
		if (!strcmp(text_of(phase->devices[k].name), name))
			return &phase->devices[k];
	return NULL;
}

static bool changes_what_is_written(const struct device *d)
{
	/* A file system lies between a loop device and what is below it. */
	if (d->kind == DEVICE_LOOP)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(changing_uuids); i++)
		if (strstr(text_of(d->dm_uuid), changing_uuids[i]))
			return true;
	return false;
}

static size_t n_below(const struct target *t, size_t i)
{
	size_t n = 0;

	for (size_t k = i + 1; k < t->n_devices; k++)
		n += t->devices[k].parent == (int64_t)i;
	return n;
}

/* Of several devices below one, each may be a mirror or hold parity; the paths of an NVMe device
 * share its requests. */
static bool is_split(const struct target *t, size_t i, size_t n)
{
	return n > 1 && t->devices[i].kind != DEVICE_NVME;
}

static bool multiplies(const struct target *t, size_t i, size_t n)
{
	return changes_what_is_written(&t->devices[i]) || is_split(t, i, n);
}

static bool is_direct_loop(const struct device *d)
{
	return d->kind == DEVICE_LOOP && d->direct_io == 1;
}

static void add_devices(const struct target *t, const struct phase *phase, struct chain *out)
{
	CLEANUP(xfree) bool *below_multiplied = xcalloc(t->n_devices, sizeof(bool));
	CLEANUP(xfree) bool *below_remade = xcalloc(t->n_devices, sizeof(bool));

	out->nodes = xcalloc(t->n_devices, sizeof(*out->nodes));
	out->n_nodes = t->n_devices;
	for (size_t i = 0; i < t->n_devices; i++) {
		struct chain_node *node = &out->nodes[i];
		int64_t parent = t->devices[i].parent;
		size_t n = n_below(t, i);

		node->device = &t->devices[i];
		node->count = count_of(t, i, phase);
		node->has_below = n > 0;
		node->is_leaf = node->device->is_leaf == 1;
		/* The list has what lies above first. */
		if (parent >= 0 && (uint64_t)parent < i) {
			node->depth = out->nodes[parent].depth + 1;
			node->is_multiplied = below_multiplied[parent];
			node->is_remade = below_remade[parent];
		}
		below_multiplied[i] = node->is_multiplied || multiplies(t, i, n);
		below_remade[i] = node->is_remade || is_split(t, i, n) ||
				  (multiplies(t, i, n) && !is_direct_loop(&t->devices[i]));
		if (node->depth >= out->n_levels)
			out->n_levels = node->depth + 1;
	}
}

/* A mount, or devices that the host does not describe. */
static void add_counts(const struct phase *phase, struct chain *out)
{
	for (size_t i = 0; i < phase->n_devices; i++) {
		struct chain_node *node;

		if (phase->devices[i].is_leaf != 1)
			continue;
		node = XGROW(&out->nodes, &out->n_nodes);
		node->count = &phase->devices[i];
		node->is_leaf = true;
		out->n_levels = 1;
	}
}

void chain_make(const struct target *target, const struct phase *phase, struct chain *out)
{
	*out = (struct chain){ 0 };
	if (phase->n_devices == 0 || phase->n_devices > NODES_MAX)
		return;
	if (!target || target->n_devices == 0)
		add_counts(phase, out);
	else if (target->n_devices <= NODES_MAX)
		add_devices(target, phase, out);
}

void chain_done(struct chain *chain)
{
	free(chain->nodes);
	*chain = (struct chain){ 0 };
}

/*
 * On a level counts also what ends above it. A device that is shared by several stands in the list
 * once: the others seem to have nothing below them, but are no leaves.
 */
static bool is_on_level(const struct chain *chain, const struct chain_node *node, size_t level)
{
	if (level + 1 == chain->n_levels)
		return node->is_leaf;
	return node->depth == level || (node->depth < level && !node->has_below);
}

int64_t chain_bytes(const struct chain *chain, size_t level, bool is_read)
{
	int64_t sum = -1;

	for (size_t i = 0; i < chain->n_nodes; i++) {
		const struct chain_node *node = &chain->nodes[i];
		int64_t bytes;

		if (!is_on_level(chain, node, level))
			continue;
		if (!node->count)
			return -1;
		bytes = is_read ? node->count->read_bytes : node->count->written_bytes;
		if (bytes < 0)
			return -1;
		sum = stats_plus(sum, bytes);
	}
	return sum;
}

bool chain_is_plain(const struct chain *chain, size_t level)
{
	for (size_t i = 0; i < chain->n_nodes; i++)
		if (is_on_level(chain, &chain->nodes[i], level) && chain->nodes[i].is_multiplied)
			return false;
	return true;
}

bool chain_is_below_loops(const struct chain *chain, size_t level)
{
	for (size_t i = 0; i < chain->n_nodes; i++)
		if (is_on_level(chain, &chain->nodes[i], level) && chain->nodes[i].is_remade)
			return false;
	return true;
}

size_t chain_add_names(const struct chain *chain, size_t level, struct buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < chain->n_nodes; i++) {
		const struct chain_node *node = &chain->nodes[i];

		if (!is_on_level(chain, node, level))
			continue;
		n++;
		if (n > NAMES_SHOWN)
			continue;
		buf_add_text(out, n > 1 ? ", " : "");
		buf_add_visible(out,
				text_of(node->device ? node->device->name : node->count->name));
	}
	if (n > NAMES_SHOWN)
		buf_printf(out, " and %zu more", n - NAMES_SHOWN);
	return n;
}

bool chain_is_mount(const struct chain *chain, const struct target *target)
{
	return target && target->kind == TARGET_NETWORK && target->n_devices == 0 &&
	       chain->n_nodes > 0;
}
