/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyze_facts - runs whose course over time is chosen by the test
 *
 * Two cores, two workers, a local ext4 on sda, a requirement of 100 MiB/s per core. A phase is a
 * list of stretches; all that a run records of it follows from them.
 */
#ifndef ANALYZE_FACTS_H
#define ANALYZE_FACTS_H

#include <string.h>

#include "iotest/analyze.h"
#include "iotest/compiler.h"
#include "iotest/xalloc.h"

/* For so long: what the workers moved, what reached the device, and the workers' CPU time. */
struct stretch {
	double seconds;
	double mib_per_s;
	double device_mib_per_s;
	double cpu_s_per_gib;
};

static inline void facts_begin(struct record *rec)
{
	struct target *t;
	struct device *d;

	record_init(rec);
	rec->run.id = xstrdup("run");
	rec->host.physical_cores = 2;
	rec->host.threads = 2;
	rec->host.memory_bytes = 16 * MIB; /* less than any test writes */
	rec->host.cores_source = xstrdup("sysfs thread siblings");
	t = XGROW(&rec->host.targets, &rec->host.n_targets);
	schema_init(&target_schema, t);
	t->kind = TARGET_LOCAL;
	t->fs_type = xstrdup("ext4");
	t->data_copies = 1;
	d = XGROW(&t->devices, &t->n_devices);
	schema_init(&device_schema, d);
	d->name = xstrdup("sda");
	d->number = xstrdup("8:0");
	d->kind = DEVICE_SCSI;
	d->is_leaf = 1;
	rec->plan.target_index = 0;
	rec->plan.judges_write = 1;
	rec->plan.judges_read = 0;
	rec->plan.cores = 2;
	rec->plan.workers = 2;
	rec->plan.requirement_mib_per_s = 100;
	rec->plan.repeat = 1;
}

static inline struct device_count *facts_device(struct phase *p, const char *name)
{
	struct device_count *d = XGROW(&p->devices, &p->n_devices);

	d->name = xstrdup(name);
	d->is_leaf = 1;
	d->is_top = 1;
	d->queue_ns = -1;
	d->busy_ns = -1;
	return d;
}

/* One sample every 250 ms, the last at the end. */
static inline void facts_sample(struct phase *p, bool is_read, const double *sum, double at_s)
{
	struct series_point *point = XGROW(&p->series, &p->n_series);

	point->at_ns = (int64_t)(at_s * 1e9);
	point->bytes = (int64_t)(sum[0] * (double)MIB);
	point->device_read_bytes = is_read ? (int64_t)(sum[1] * (double)MIB) : 0;
	point->device_written_bytes = is_read ? 0 : (int64_t)(sum[1] * (double)MIB);
	point->cpu_ns = (int64_t)(sum[2] * 1e9);
	point->n_running = 2;
}

static inline void facts_workers(struct phase *p, bool is_read, double last_io_s)
{
	const struct series_point *end = &p->series[p->n_series - 1];

	for (int i = 0; i < 2; i++) {
		struct worker_result *w = XGROW(&p->workers, &p->n_workers);

		w->bytes = end->bytes / 2;
		w->storage_bytes = w->bytes;
		w->read_bytes = -1;
		w->end_ns = end->at_ns;
		w->last_io_ns = is_read ? end->at_ns : (int64_t)(last_io_s * 1e9);
		w->fsync_ns = w->end_ns - w->last_io_ns;
		w->system_ns = end->cpu_ns / 2;
		w->call_max_ns = -1;
	}
	p->planned_bytes = end->bytes;
}

/* A stretch in which the workers move nothing is their fsync. */
static inline void facts_phase(struct record *rec, int kind, const struct stretch *list, size_t n)
{
	struct phase *p = run_phase(&rec->run, kind);
	bool is_read = phase_kind_reads(kind);
	double sum[3] = { 0, 0, 0 };
	double at_s = 0;
	double last_io_s = 0;
	struct device_count *d;

	p->status = PHASE_COMPLETE;
	for (size_t i = 0; i < n; i++) {
		for (int k = 0; k < (int)(4 * list[i].seconds); k++) {
			at_s += 0.25;
			sum[0] += list[i].mib_per_s / 4;
			sum[1] += list[i].device_mib_per_s / 4;
			sum[2] += list[i].cpu_s_per_gib * list[i].mib_per_s / 1024 / 4;
			facts_sample(p, is_read, sum, at_s);
		}
		if (list[i].mib_per_s > 0)
			last_io_s = at_s;
	}
	facts_workers(p, is_read, last_io_s);
	d = facts_device(p, "sda");
	d->read_bytes = p->series[p->n_series - 1].device_read_bytes;
	d->written_bytes = p->series[p->n_series - 1].device_written_bytes;
}

static inline const struct finding *facts_find(const struct record *rec, const char *id)
{
	for (size_t i = 0; i < rec->report.n_findings; i++)
		if (!strcmp(rec->report.findings[i].id, id))
			return &rec->report.findings[i];
	return NULL;
}

#endif
