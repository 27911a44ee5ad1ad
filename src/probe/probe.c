/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe - the order in which a host is learned, and what is fatal: only a target
 */
#include "iotest/probe.h"

#include "probe_parts.h"

#include <stdlib.h>

#include "iotest/xalloc.h"

static void probe_done(struct probe *p)
{
	size_t i;

	for (i = 0; i < p->n_places; i++)
		place_done(&p->places[i]);
	free(p->places);
	topology_done(&p->topology);
	cpuinfo_done(&p->cpuinfo);
	cgroups_done(&p->cgroups);
	mounts_done(&p->mounts);
}

int probe_host(const struct sysroot *root, const struct strlist *targets, struct host *out,
	       struct err *err)
{
	return probe_host_with_sas(root, targets, NULL, out, err);
}

int probe_host_with_sas(const struct sysroot *root, const struct strlist *targets,
			const char *sas_config, struct host *out, struct err *err)
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
	probe_throttles(&p);
	probe_os(&p);
	for (i = 0; i < targets->n_items; i++)
		probe_target(&p, targets->items[i], &p.places[i]);
	probe_dm_status(&p);
	probe_processes(&p);
	probe_sas(&p, sas_config);
	probe_settings(&p);
	probe_links(&p);

	*out = host;
	host = (struct host){ 0 };
	return 0;
}

char *probe_io_limits(const struct sysroot *root)
{
	CLEANUP(host_done) struct host host = { 0 };
	CLEANUP(probe_done) struct probe p = { .root = root, .host = &host };

	host_init(&host);
	probe_mounts(&p);
	cgroups_find(&p);
	probe_throttles(&p);
	return xstrdup(text_of(host.io_limits));
}

void probe_add_libraries(struct buf *out)
{
	topology_add_library(out);
	buf_add_text(out, ", ");
	cpu_add_library(out);
	buf_add_text(out, ", ");
	mounts_add_library(out);
}
