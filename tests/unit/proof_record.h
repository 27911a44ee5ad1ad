/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proof_record - a run whose bytes are all proved, and changes of it, for tests of the proof
 */
#ifndef PROOF_RECORD_H
#define PROOF_RECORD_H

#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/analyze.h"
#include "iotest/compiler.h"
#include "iotest/xalloc.h"

static struct record rec;

static inline struct target *target(void)
{
	return &rec.host.targets[0];
}

/* One phase of two workers, 1000 MiB in 10 s each. */
static inline void add_phase(struct phase *p, bool is_read)
{
	schema_init(&phase_schema, p);
	p->status = PHASE_COMPLETE;
	p->planned_bytes = 2000 * MIB;
	for (size_t i = 0; i < 2; i++) {
		struct worker_result *w = XGROW(&p->workers, &p->n_workers);

		w->bytes = 1000 * MIB;
		w->read_bytes = -1;
		w->ops = 16000;
		w->end_ns = 10 * NS_PER_S;
		w->last_io_ns = is_read ? w->end_ns : w->end_ns / 2;
		w->fsync_ns = is_read ? 0 : w->end_ns / 2;
		w->storage_bytes = 1000 * MIB;
		w->stamps = is_read ? 256000 : -1;
		w->bad_stamps = is_read ? 0 : -1;
	}
	if (is_read)
		p->resident_bytes = 0;
	else
		p->allocated_bytes = 2000 * MIB;
}

/* The device of that name is on the list with what it counted in both phases. */
static inline struct device *add_device(const char *name, int kind, int64_t parent)
{
	struct target *t = target();
	struct device *d = XGROW(&t->devices, &t->n_devices);
	struct phase *phases[] = { &rec.run.write, &rec.run.read };

	schema_init(&device_schema, d);
	d->name = xstrdup(name);
	d->kind = kind;
	d->parent = parent;
	d->is_leaf = 1;
	if (parent >= 0)
		t->devices[parent].is_leaf = 0;
	for (size_t i = 0; i < ARRAY_LEN(phases); i++) {
		struct device_count *c = XGROW(&phases[i]->devices, &phases[i]->n_devices);

		c->name = xstrdup(name);
		c->is_top = parent < 0;
		c->read_bytes = i == 1 ? 2000 * MIB : 0;
		c->written_bytes = i == 0 ? 2000 * MIB : 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(phases); i++)
		for (size_t k = 0; k < t->n_devices; k++)
			phases[i]->devices[k].is_leaf = t->devices[k].is_leaf;
	return d;
}

static inline void drop_devices(void)
{
	struct target *t = target();

	for (size_t i = 0; i < t->n_devices; i++) {
		schema_done(&device_schema, &t->devices[i]);
		free(rec.run.write.devices[i].name);
		free(rec.run.read.devices[i].name);
	}
	t->n_devices = 0;
	rec.run.write.n_devices = 0;
	rec.run.read.n_devices = 0;
}

/* Two cores, two workers, ext4 on sda1 on sda: 100 MiB/s per core, both phases proved. */
static inline void begin(void)
{
	struct target *t;

	record_init(&rec);
	rec.host.physical_cores = 2;
	rec.host.physical_cores_total = 2;
	rec.host.threads = 2;
	rec.host.sockets = 1;
	rec.host.cores_source = xstrdup("sysfs thread siblings");
	rec.host.memory_bytes = 1000 * MIB; /* half of what is written and read */
	t = XGROW(&rec.host.targets, &rec.host.n_targets);
	schema_init(&target_schema, t);
	t->kind = TARGET_LOCAL;
	t->fs_type = xstrdup("ext4");
	t->mount_point = xstrdup("/data");
	t->compressing = 0;
	t->data_copies = 1;
	rec.plan.target_index = 0;
	rec.plan.cores = 2;
	rec.plan.workers = 2;
	rec.plan.total_bytes = 2000 * MIB;
	rec.plan.cache_bytes = 1000 * MIB;
	rec.plan.fits_in_cache = 0;
	rec.plan.judges_write = 1;
	rec.plan.judges_read = 1;
	rec.plan.requirement_mib_per_s = 100;
	rec.plan.requirement_given = 0;
	rec.run.left_bytes = 0;
	add_phase(&rec.run.write, false);
	add_phase(&rec.run.read, true);
	add_device("sda1", DEVICE_PARTITION, -1);
	add_device("sda", DEVICE_SCSI, 0);
}

static inline void end(void)
{
	record_done(&rec);
}

static inline const struct finding *find(const char *id)
{
	for (size_t i = 0; i < rec.report.n_findings; i++)
		if (!strcmp(rec.report.findings[i].id, id))
			return &rec.report.findings[i];
	return NULL;
}

static inline void set_read(size_t device, int64_t mib)
{
	rec.run.read.devices[device].read_bytes = mib < 0 ? -1 : mib * MIB;
}

static inline void set_written(size_t device, int64_t mib)
{
	rec.run.write.devices[device].written_bytes = mib < 0 ? -1 : mib * MIB;
}

static inline void nothing(void)
{
}

static inline void network_without_counters(void)
{
	drop_devices();
	target()->kind = TARGET_NETWORK;
	xstr_set(&target()->fs_type, "nfs4");
	rec.host.memory_bytes = 2000 * MIB;
	rec.host.memory_limit_bytes = 1000 * MIB;
}

static inline void add_mount(struct phase *p, int64_t read_bytes, int64_t written_bytes)
{
	struct device_count *c = XGROW(&p->devices, &p->n_devices);

	c->name = xstrdup("/data");
	c->is_leaf = 1;
	c->is_top = 1;
	c->read_bytes = read_bytes;
	c->written_bytes = written_bytes;
}

static inline void nfs(int64_t read_bytes, int64_t written_bytes)
{
	network_without_counters();
	rec.host.memory_limit_bytes = -1;
	target()->data_copies = -1;
	rec.run.read.workers[0].storage_bytes = 0; /* not every client counts */
	rec.run.write.workers[0].storage_bytes = 0;
	add_mount(&rec.run.write, 0, written_bytes);
	add_mount(&rec.run.read, read_bytes, 0);
}

static inline void nfs_mount_counts_all(void)
{
	nfs(2001 * MIB, 2000 * MIB);
}

static inline void below_a_cached_loop(void)
{
	drop_devices();
	add_device("loop0", DEVICE_LOOP, -1);
	add_device("sda", DEVICE_SCSI, 0);
	target()->devices[0].direct_io = 0;
}

static inline void below_a_direct_loop(void)
{
	below_a_cached_loop();
	target()->devices[0].direct_io = 1;
}

static inline void in_memory(void)
{
	target()->kind = TARGET_MEMORY;
	drop_devices();
}

static inline void mirror_of_the_file_system(void)
{
	xstr_set(&target()->fs_type, "btrfs");
	target()->data_copies = 2;
	drop_devices();
	add_device("sda", DEVICE_SCSI, -1);
	add_device("sdb", DEVICE_SCSI, -1);
	set_read(0, 1100);
	set_read(1, 900);
}

static inline void copies_unknown(void)
{
	target()->data_copies = -1;
}

static inline void md_mirror(void)
{
	drop_devices();
	add_device("md0", DEVICE_MD, -1);
	add_device("sda", DEVICE_SCSI, 0);
	add_device("sdb", DEVICE_SCSI, 0);
	set_read(1, 800);
	set_read(2, 1200);
}

static inline void nvme_paths(void)
{
	drop_devices();
	add_device("nvme0n1", DEVICE_NVME, -1);
	add_device("nvme0c0n1", DEVICE_NVME, 0);
	add_device("nvme0c1n1", DEVICE_NVME, 0);
	set_read(0, -1); /* as before Linux 6.4 */
	set_written(0, -1);
	for (size_t i = 1; i < 3; i++) {
		set_read(i, 1000);
		set_written(i, 1000);
	}
}

static inline bool is_percent(double ratio, double percent)
{
	return percent < 0 ? ratio == -1 : fabs(100 * ratio - percent) < 1e-6;
}

static inline void many_disks(void)
{
	static const char *const names[] = { "sda", "sdb", "sdc", "sdd", "sde", "sdf" };

	drop_devices();
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		add_device(names[i], DEVICE_SCSI, -1);
		set_read(i, 400);
		set_written(i, 400);
	}
}

static inline void fuse_target(void)
{
	drop_devices();
	target()->kind = TARGET_USERSPACE;
	xstr_set(&target()->fs_type, "fuse.s3fs");
}

static inline void virtual_machine(void)
{
	rec.host.os.hypervisor = xstrdup("kvm");
}

#endif
