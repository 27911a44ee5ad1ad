/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe - the order in which a host is learned, and what is fatal: only a target
 */
#include "iotest/probe.h"

#include "probe_parts.h"

#include <errno.h>
#include <stdlib.h>

int probe_fact(const struct sysroot *root, const char *name, fact_fill *fill, void *context,
	       struct buf *out)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	int rc;

	if (!root->is_live)
		return sysroot_read_fact(root, out, name);
	rc = fill(context, &text);
	if (rc)
		return rc;
	sysroot_keep_fact(root, name, buf_text(&text), text.len);
	buf_add(out, buf_text(&text), text.len);
	return 0;
}

int64_t fact_or_unknown(const char *text, const char *key)
{
	int64_t value;

	return fact_i64(text, key, &value) ? -1 : value;
}

bool probe_was_cut(const struct sysroot *root, const char *path, const struct buf *text)
{
	const struct evidence_item *item = NULL;

	if (root->errors)
		item = evidence_find(root->errors, path);
	return text->len >= EVIDENCE_FILE_MAX || (item && item->error == EFBIG);
}

static void probe_done(struct probe *p)
{
	size_t i;

	for (i = 0; i < p->n_places; i++)
		place_done(&p->places[i]);
	free(p->places);
	cpuinfo_done(&p->cpuinfo);
	cgroups_done(&p->cgroups);
	mounts_done(&p->mounts);
}

int probe_host(const struct sysroot *root, const struct strlist *targets, struct host *out,
	       struct err *err)
{
	CLEANUP(host_done) struct host host = { 0 };
	CLEANUP(probe_done) struct probe p = { .root = root, .host = &host };
	size_t i;
	int rc;

	host_init(&host);
	rc = targets_find(&p, targets, err);
	if (rc)
		return rc;
	cpuinfo_read(&p);
	probe_mounts(&p);
	cgroups_find(&p);
	probe_cpu(&p);
	probe_cores(&p);
	probe_memory(&p);
	probe_cgroup(&p); /* compares with the memory */
	probe_os(&p);
	for (i = 0; i < targets->n_items; i++)
		probe_target(&p, targets->items[i], &p.places[i]);

	*out = host;
	host = (struct host){ 0 };
	return 0;
}

void probe_add_libraries(struct buf *out)
{
	topology_add_library(out);
	buf_add_text(out, ", ");
	cpu_add_library(out);
	buf_add_text(out, ", ");
	mounts_add_library(out);
}
