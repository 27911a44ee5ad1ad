/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_analyze_proof - where the bytes came from and went, as far as the facts prove it
 */
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/analyze.h"
#include "iotest/compiler.h"
#include "iotest/xalloc.h"

static struct record rec;

static struct target *target(void)
{
	return &rec.host.targets[0];
}

/* One phase of two workers, 1000 MiB in 10 s each. */
static void add_phase(struct phase *p, bool is_read)
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
static struct device *add_device(const char *name, int kind, int64_t parent)
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

static void drop_devices(void)
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
static void begin(void)
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

static void end(void)
{
	record_done(&rec);
}

static const struct finding *find(const char *id)
{
	for (size_t i = 0; i < rec.report.n_findings; i++)
		if (!strcmp(rec.report.findings[i].id, id))
			return &rec.report.findings[i];
	return NULL;
}

static void set_read(size_t device, int64_t mib)
{
	rec.run.read.devices[device].read_bytes = mib < 0 ? -1 : mib * MIB;
}
static void set_written(size_t device, int64_t mib)
{
	rec.run.write.devices[device].written_bytes = mib < 0 ? -1 : mib * MIB;
}

/* ---------------------------------------------------------------- changes of the facts */

static void nothing(void)
{
}
static void disk_read_less(void)
{
	set_read(1, 1900);
}
static void partition_read_less(void)
{
	set_read(0, 1900);
}
static void own_read_less(void)
{
	rec.run.read.workers[0].storage_bytes = 0;
}
static void slow_write(void)
{
	rec.run.write.workers[0].end_ns = 11 * NS_PER_S;
}
static void cache_and_slow_write(void)
{
	disk_read_less();
	slow_write();
}
static void disk_counts_nothing(void)
{
	set_read(1, -1);
	set_written(1, -1);
}
static void no_counters_but_large(void)
{
	set_read(0, -1);
	set_read(1, -1);
}
static void no_counters_and_small(void)
{
	no_counters_but_large();
	rec.host.memory_bytes = 2000 * MIB;
}
static void no_counters_within_a_limit(void)
{
	no_counters_and_small();
	rec.host.memory_limit_bytes = 1000 * MIB;
}
static void no_counters_and_resident(void)
{
	no_counters_but_large();
	rec.run.read.resident_bytes = 100 * MIB;
}
static void network_without_counters(void)
{
	drop_devices();
	target()->kind = TARGET_NETWORK;
	xstr_set(&target()->fs_type, "nfs4");
	rec.host.memory_bytes = 2000 * MIB;
	rec.host.memory_limit_bytes = 1000 * MIB;
}
static void network_daemon_within_a_limit(void)
{
	network_without_counters();
	xstr_set(&target()->fs_type, "fuse.sshfs");
}
static void add_mount(struct phase *p, int64_t read_bytes, int64_t written_bytes)
{
	struct device_count *c = XGROW(&p->devices, &p->n_devices);

	c->name = xstrdup("/data");
	c->is_leaf = 1;
	c->is_top = 1;
	c->read_bytes = read_bytes;
	c->written_bytes = written_bytes;
}
static void nfs(int64_t read_bytes, int64_t written_bytes)
{
	network_without_counters();
	rec.host.memory_limit_bytes = -1;
	target()->data_copies = -1;
	rec.run.read.workers[0].storage_bytes = 0; /* not every client counts */
	rec.run.write.workers[0].storage_bytes = 0;
	add_mount(&rec.run.write, 0, written_bytes);
	add_mount(&rec.run.read, read_bytes, 0);
}
static void nfs_mount_counts_all(void)
{
	nfs(2001 * MIB, 2000 * MIB);
}
static void nfs_mount_counts_less(void)
{
	nfs(1000 * MIB, 2000 * MIB);
}
static void nfs_mount_sent_less(void)
{
	nfs(2000 * MIB, 1000 * MIB);
}
static void nfs_and_resident(void)
{
	nfs_mount_counts_all();
	rec.run.read.resident_bytes = 200 * MIB;
}
static void nfs_without_own_counter(void)
{
	nfs_mount_counts_all();
	rec.run.read.workers[0].storage_bytes = -1;
}
static void gpfs(void)
{
	network_without_counters();
	xstr_set(&target()->fs_type, "gpfs");
	target()->own_cache = xstrdup("the pagepool of GPFS");
}
static void gpfs_and_large(void)
{
	gpfs();
	rec.host.memory_bytes = 1000 * MIB;
}
static void zfs_with_disks(void)
{
	xstr_set(&target()->fs_type, "zfs");
	target()->own_cache = xstrdup("the ARC of ZFS");
	target()->data_copies = -1;
	rec.run.read.workers[0].storage_bytes = 0; /* it counts otherwise */
}
static void zfs_from_its_cache(void)
{
	zfs_with_disks();
	set_read(0, 40);
	set_read(1, 40);
}
static void below_a_cached_loop(void)
{
	drop_devices();
	add_device("loop0", DEVICE_LOOP, -1);
	add_device("sda", DEVICE_SCSI, 0);
	target()->devices[0].direct_io = 0;
}
static void below_a_direct_loop(void)
{
	below_a_cached_loop();
	target()->devices[0].direct_io = 1;
}
static void from_the_cache_below_a_direct_loop(void)
{
	below_a_direct_loop();
	set_read(1, 0);
}
static void disk_in_memory(void)
{
	target()->devices[1].kind = DEVICE_MEMORY;
}
static void in_memory(void)
{
	target()->kind = TARGET_MEMORY;
	drop_devices();
}
static void overlay_on_tmpfs(void)
{
	target()->backing_fs_type = xstrdup("tmpfs");
	drop_devices();
}
static void overlay_with_held_pages(void)
{
	xstr_set(&target()->fs_type, "overlay");
	rec.run.read.resident_bytes = 2000 * MIB;
	set_read(0, 0);
	set_read(1, 0);
	rec.run.read.workers[0].storage_bytes = 0;
	rec.run.read.workers[1].storage_bytes = 0;
}
static void volatile_overlay(void)
{
	target()->mount_options = xstrdup("rw,relatime,upperdir=/u,fsync=volatile");
}
static void no_barrier(void)
{
	target()->mount_options = xstrdup("rw,nobarrier");
}
static void no_barrier_on_a_cached_loop(void)
{
	below_a_cached_loop();
	no_barrier();
}
static void written_late(void)
{
	set_written(0, 1900);
	set_written(1, 1900);
}
static void disk_wrote_less(void)
{
	set_written(1, 1000);
}
static void written_late_on_dax(void)
{
	written_late();
	target()->mount_options = xstrdup("rw,dax");
}
static void mirror_of_the_file_system(void)
{
	xstr_set(&target()->fs_type, "btrfs");
	target()->data_copies = 2;
	drop_devices();
	add_device("sda", DEVICE_SCSI, -1);
	add_device("sdb", DEVICE_SCSI, -1);
	set_read(0, 1100);
	set_read(1, 900);
}
static void one_copy_is_missing(void)
{
	mirror_of_the_file_system();
	set_written(0, 2000);
	set_written(1, 200);
}
static void copies_unknown(void)
{
	target()->data_copies = -1;
}
static void copies_unknown_and_late(void)
{
	copies_unknown();
	written_late();
}
static void copies_by_journal(void)
{
	target()->mount_options = xstrdup("rw,data=journal");
	set_written(0, 4000);
	set_written(1, 4000);
}
static void md_mirror(void)
{
	drop_devices();
	add_device("md0", DEVICE_MD, -1);
	add_device("sda", DEVICE_SCSI, 0);
	add_device("sdb", DEVICE_SCSI, 0);
	set_read(1, 800);
	set_read(2, 1200);
}
static void md_counts_nothing(void)
{
	md_mirror();
	set_read(0, -1);
	set_written(0, -1);
}
static void md_counts_nothing_and_legs_little(void)
{
	md_counts_nothing();
	set_written(1, 900);
	set_written(2, 900);
}
static void stripe_on_uneven_depths(void)
{
	drop_devices();
	add_device("dm-0", DEVICE_DM, -1);
	add_device("sda1", DEVICE_PARTITION, 0);
	add_device("sda", DEVICE_SCSI, 1);
	add_device("sdb", DEVICE_SCSI, 0);
	for (size_t i = 1; i < 4; i++) {
		set_read(i, 1000);
		set_written(i, 1000);
	}
}
static void two_partitions_of_one_disk(void)
{
	drop_devices();
	add_device("dm-0", DEVICE_DM, -1);
	add_device("sda1", DEVICE_PARTITION, 0);
	add_device("sda", DEVICE_SCSI, 1);
	add_device("sda2", DEVICE_PARTITION, 0);
	target()->devices[3].is_leaf = 0; /* its disk stands below the other one */
	rec.run.read.devices[3].is_leaf = 0;
	rec.run.write.devices[3].is_leaf = 0;
	for (size_t i = 1; i < 4; i += 2) {
		set_read(i, 1000);
		set_written(i, 1000);
	}
}
static void nvme_paths(void)
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
static void no_count_of_a_disk(void)
{
	for (int i = 0; i < 2; i++)
		xstr_set(&rec.run.read.devices[i].name, "other");
	rec.host.memory_bytes = 4000 * MIB;
}
static void direct(void)
{
	rec.plan.io.direct = 1;
	rec.run.write.resident_bytes = 20 * MIB;
}
static void not_direct(void)
{
	direct();
	rec.run.write.resident_bytes = 41 * MIB;
}
static void buffered_and_resident(void)
{
	not_direct();
	rec.plan.io.direct = 0;
}

/* ---------------------------------------------------------------- what they prove */

static bool is_percent(double ratio, double percent)
{
	return percent < 0 ? ratio == -1 : fabs(100 * ratio - percent) < 1e-6;
}

/* Ratios in percent, -1 unknown; the finding must be there. */
START_TEST(facts_prove_what_they_prove)
{
	static const struct {
		const char *name;
		void (*change)(void);
		enum verdict_result result;
		double uncached;
		double written;
		const char *finding;
	} rows[] = {
		{ "nothing", nothing, VERDICT_PASS, 100, 100, NULL },
		{ "disk read less", disk_read_less, VERDICT_INCONCLUSIVE, 95, 100, "read-cached" },
		{ "partition read less", partition_read_less, VERDICT_INCONCLUSIVE, 95, 100,
		  "read-cached" },
		{ "own read less", own_read_less, VERDICT_INCONCLUSIVE, 50, 100, "read-cached" },
		{ "slow as well", cache_and_slow_write, VERDICT_BELOW, 95, 100, "read-cached" },
		{ "upper level only", disk_counts_nothing, VERDICT_PASS, 100, 100, NULL },
		{ "large", no_counters_but_large, VERDICT_PASS, -1, 100, NULL },
		{ "small", no_counters_and_small, VERDICT_INCONCLUSIVE, -1, 100, "read-unproved" },
		{ "limit", no_counters_within_a_limit, VERDICT_INCONCLUSIVE, -1, 100,
		  "read-unproved" },
		{ "resident", no_counters_and_resident, VERDICT_INCONCLUSIVE, -1, 100,
		  "cache-not-empty" },
		{ "network client", network_without_counters, VERDICT_PASS, -1, -1,
		  "fits-in-memory" },
		{ "network daemon", network_daemon_within_a_limit, VERDICT_INCONCLUSIVE, -1, -1,
		  "read-unproved" },
		{ "nfs", nfs_mount_counts_all, VERDICT_PASS, 100, 100, NULL },
		{ "nfs, no own", nfs_without_own_counter, VERDICT_PASS, 100, 100, NULL },
		{ "nfs cached", nfs_mount_counts_less, VERDICT_INCONCLUSIVE, 50, 100,
		  "read-cached" },
		{ "nfs late", nfs_mount_sent_less, VERDICT_INCONCLUSIVE, 100, 50,
		  "write-not-on-storage" },
		{ "nfs resident", nfs_and_resident, VERDICT_INCONCLUSIVE, 100, 100,
		  "cache-not-empty" },
		{ "gpfs", gpfs, VERDICT_INCONCLUSIVE, -1, -1, "read-unproved" },
		{ "gpfs large", gpfs_and_large, VERDICT_PASS, -1, -1, NULL },
		{ "zfs disks", zfs_with_disks, VERDICT_PASS, 100, -1, NULL },
		{ "zfs arc", zfs_from_its_cache, VERDICT_INCONCLUSIVE, 2, -1, "read-cached" },
		{ "cached loop", below_a_cached_loop, VERDICT_INCONCLUSIVE, -1, 100,
		  "loop-cached" },
		{ "direct loop", below_a_direct_loop, VERDICT_PASS, 100, 100, NULL },
		{ "below direct loop", from_the_cache_below_a_direct_loop, VERDICT_INCONCLUSIVE, 0,
		  100, "read-cached" },
		{ "memory disk", disk_in_memory, VERDICT_INCONCLUSIVE, -1, -1,
		  "target-memory-device" },
		{ "tmpfs", in_memory, VERDICT_INCONCLUSIVE, -1, -1, "target-in-memory" },
		{ "overlay tmpfs", overlay_on_tmpfs, VERDICT_INCONCLUSIVE, -1, -1,
		  "target-in-memory" },
		{ "overlay held", overlay_with_held_pages, VERDICT_INCONCLUSIVE, 0, 100,
		  "cache-not-empty" },
		{ "volatile", volatile_overlay, VERDICT_INCONCLUSIVE, 100, 100,
		  "write-not-on-storage" },
		{ "no barrier", no_barrier, VERDICT_PASS, 100, 100, NULL },
		{ "no barrier, loop", no_barrier_on_a_cached_loop, VERDICT_INCONCLUSIVE, -1, 100,
		  "write-not-on-storage" },
		{ "late", written_late, VERDICT_INCONCLUSIVE, 100, 95, "write-not-on-storage" },
		{ "disk late", disk_wrote_less, VERDICT_INCONCLUSIVE, 100, 50,
		  "write-not-on-storage" },
		{ "dax", written_late_on_dax, VERDICT_PASS, -1, -1, NULL },
		{ "copies", mirror_of_the_file_system, VERDICT_PASS, 100, 100, NULL },
		{ "a copy missing", one_copy_is_missing, VERDICT_INCONCLUSIVE, 100, 55,
		  "write-not-on-storage" },
		{ "copies unknown", copies_unknown, VERDICT_PASS, 100, -1, NULL },
		{ "unknown, late", copies_unknown_and_late, VERDICT_INCONCLUSIVE, 100, 95,
		  "write-not-on-storage" },
		{ "journal", copies_by_journal, VERDICT_PASS, 100, -1, NULL },
		{ "md", md_mirror, VERDICT_PASS, 100, 100, NULL },
		{ "md unknown", md_counts_nothing, VERDICT_PASS, 100, -1, NULL },
		{ "legs late", md_counts_nothing_and_legs_little, VERDICT_INCONCLUSIVE, 100, 90,
		  "write-not-on-storage" },
		{ "uneven", stripe_on_uneven_depths, VERDICT_PASS, 100, 100, NULL },
		{ "shared disk", two_partitions_of_one_disk, VERDICT_PASS, 100, 100, NULL },
		{ "paths", nvme_paths, VERDICT_PASS, 100, 100, NULL },
		{ "not counted", no_count_of_a_disk, VERDICT_INCONCLUSIVE, -1, 100,
		  "read-unproved" },
		{ "direct", direct, VERDICT_PASS, 100, 100, NULL },
		{ "not direct", not_direct, VERDICT_INCONCLUSIVE, 100, 100, "direct-not-direct" },
		{ "buffered", buffered_and_resident, VERDICT_PASS, 100, 100, NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double uncached, written;

		begin();
		rows[i].change();
		analyze(&rec.report);
		uncached = rec.report.read.uncached_ratio;
		written = rec.report.write.written_ratio;
		ck_assert_msg(rec.report.verdict.result == (int)rows[i].result, "%s: %s",
			      rows[i].name, rec.report.verdict.text);
		ck_assert_msg(is_percent(uncached, rows[i].uncached), "%s: read %f", rows[i].name,
			      uncached);
		ck_assert_msg(is_percent(written, rows[i].written), "%s: written %f", rows[i].name,
			      written);
		if (rows[i].finding)
			ck_assert_msg(find(rows[i].finding) != NULL, "%s: no %s", rows[i].name,
				      rows[i].finding);
		ck_assert_int_eq(find("direct-not-direct") != NULL, rows[i].change == not_direct);
		end();
	}
}
END_TEST

static void bound(int64_t memory_bytes)
{
	network_without_counters();
	rec.host.memory_limit_bytes = -1;
	rec.host.memory_bytes = memory_bytes;
}
static void by_size_only(void)
{
	bound(1000 * MIB);
}
static void many_disks(void)
{
	static const char *const names[] = { "sda", "sdb", "sdc", "sdd", "sde", "sdf" };

	drop_devices();
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		add_device(names[i], DEVICE_SCSI, -1);
		set_read(i, 400);
		set_written(i, 400);
	}
}
static void almost_all(void)
{
	rec.run.read.workers[0].storage_bytes -= 4096;
	rec.run.read.resident_bytes = 4 * MIB;
}

START_TEST(one_line_says_what_is_proved)
{
	static const struct {
		void (*change)(void);
		const char *written;
		const char *read;
	} rows[] = {
		{ nothing, "100.0 % counted at the disk (sda) when fsync came back",
		  "not from this host's memory: 100.0 % counted at the disk (sda); 0.0 % in the "
		  "page cache before" },
		{ almost_all, "100.0 % counted at the disk (sda) when fsync came back",
		  "not from this host's memory: 99.9 % counted at the disk (sda); 0.2 % in the "
		  "page cache before" },
		{ mirror_of_the_file_system,
		  "100.0 % counted at the disks (sda, sdb) when fsync came back, 2 copies",
		  "not from this host's memory: 100.0 % counted at the disks (sda, sdb); 0.0 % in "
		  "the page cache before" },
		{ many_disks,
		  "100.0 % counted at the disks (sda, sdb, sdc, sdd and 2 more) when fsync came "
		  "back",
		  "not from this host's memory: 100.0 % counted at the disks (sda, sdb, sdc, sdd "
		  "and 2 more); 0.0 % in the page cache before" },
		{ nfs_mount_counts_all,
		  "100.0 % counted by the server mount /data when fsync came back",
		  "not from this host's memory: 100.0 % counted by the server mount /data; 0.0 % "
		  "in the page cache before" },
		{ by_size_only, "not provable here: no device counters tell; fsync is believed",
		  "not from this host's memory, by size only: 1.95 GiB read, memory 1000 MiB" },
		{ gpfs, "not provable here: no device counters tell; fsync is believed",
		  "not provable here: the pagepool of GPFS can hold what was read" },
		{ zfs_with_disks,
		  "not provable here: the copies that are written are not known; fsync is "
		  "believed",
		  "not from this host's memory: 100.0 % counted at the disk (sda)" },
		{ disk_read_less, "100.0 % counted at the disk (sda) when fsync came back",
		  "only 95.0 % counted at the disk (sda); the rest came from this host's memory" },
		{ written_late, "only 95.0 % counted at the disk (sda) when fsync came back",
		  NULL },
		{ below_a_cached_loop, NULL,
		  "not provable here: a device below caches in this host's memory" },
		{ in_memory,
		  "not provable here: the target lies in memory: nothing was written to a "
		  "storage",
		  "not provable here: the target lies in memory: nothing was read from a "
		  "storage" },
		{ not_direct, NULL,
		  "not provable here: O_DIRECT was accepted, but the data went through the page "
		  "cache" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		begin();
		rows[i].change();
		analyze(&rec.report);
		if (rows[i].written)
			ck_assert_str_eq(rec.report.write.proof, rows[i].written);
		if (rows[i].read)
			ck_assert_str_eq(rec.report.read.proof, rows[i].read);
		end();
	}
}
END_TEST

START_TEST(the_reason_names_the_cache_of_the_file_system)
{
	begin();
	gpfs();
	analyze(&rec.report);
	ck_assert_str_eq(rec.report.read.unusable_reason,
			 "not proved here: the pagepool of GPFS can hold what was read");
	ck_assert_ptr_nonnull(strstr(find("read-unproved")->text, "the pagepool of GPFS"));
	end();
}
END_TEST

START_TEST(direct_that_is_not_spoils_both_phases)
{
	begin();
	not_direct();
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.write.usable, 0);
	ck_assert_int_eq(rec.report.read.usable, 0);
	ck_assert_ptr_nonnull(strstr(find("direct-not-direct")->text, "41 MiB"));
	ck_assert_ptr_null(find("write-not-on-storage"));
	ck_assert_ptr_null(find("read-unproved"));
	end();
}
END_TEST

/* ---------------------------------------------------------------- beyond */

static void network_target(void)
{
	nfs_mount_counts_all();
}
static void fuse_target(void)
{
	drop_devices();
	target()->kind = TARGET_USERSPACE;
	xstr_set(&target()->fs_type, "fuse.s3fs");
}
static void virtual_machine(void)
{
	rec.host.os.hypervisor = xstrdup("kvm");
}
static void no_read(void)
{
	rec.run.read.status = PHASE_NOT_RUN;
	rec.plan.judges_read = 0;
}
static void half_read(void)
{
	rec.run.read.status = PHASE_TIME_LIMIT;
	rec.run.read.workers[1].bytes = 0;
}
static void nothing_measured(void)
{
	rec.run.read.status = PHASE_NOT_RUN;
	rec.run.write.status = PHASE_FAILED;
}

START_TEST(what_no_host_can_see_is_said)
{
	static const struct {
		void (*change)(void);
		const char *want;
	} rows[] = {
		{ nothing, "caches behind the device cannot be seen from a host; 1.95 GiB were "
			   "cycled through them (written and read back)" },
		{ virtual_machine,
		  "caches behind the device, or of the hypervisor (kvm), cannot be seen from a "
		  "host; 1.95 GiB were cycled through them (written and read back)" },
		{ network_target,
		  "caches of the server and behind it cannot be seen from a client; 1.95 GiB were "
		  "cycled through them (written and read back)" },
		{ fuse_target,
		  "caches of the program behind fuse.s3fs cannot be seen from here; 1.95 GiB were "
		  "cycled through them (written and read back)" },
		{ in_memory, "the target lies in memory: no storage was tested" },
		{ no_read, "caches behind the device cannot be seen from a host; 1.95 GiB were "
			   "written to them" },
		{ half_read, "caches behind the device cannot be seen from a host; 1.95 GiB were "
			     "written to them and 1000 MiB read back" },
		{ nothing_measured, "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		begin();
		rows[i].change();
		analyze(&rec.report);
		ck_assert_str_eq(rec.report.beyond, rows[i].want);
		end();
	}
}
END_TEST

/* ---------------------------------------------------------------- others at the device */

static void others_write(void)
{
	set_written(0, 3000);
	set_written(1, 3000);
}
static void others_on_another_partition(void)
{
	set_written(1, 4000);
}
static void others_read_while_we_write(void)
{
	rec.run.write.devices[1].read_bytes = 2000 * MIB;
}
static void others_below_a_loop(void)
{
	below_a_direct_loop();
	set_written(1, 4000);
}
static void legs_write_more(void)
{
	md_mirror();
	set_written(1, 2000);
	set_written(2, 2000);
}
static void others_at_the_mirror(void)
{
	mirror_of_the_file_system();
	set_written(0, 2500);
	set_written(1, 2500);
}
static void a_few_of_others(void)
{
	set_written(1, 2100); /* 4.8 % */
}
static void others_of_little(void)
{
	for (int i = 0; i < 2; i++)
		rec.run.write.workers[i].bytes = 50 * MIB;
	rec.run.write.status = PHASE_TIME_LIMIT;
	set_written(0, 115);
	set_written(1, 115);
}
static void compressing(void)
{
	target()->compressing = 1;
}
static void overlay_of_unknown(void)
{
	drop_devices();
	xstr_set(&target()->fs_type, "overlay");
}
static void others_on_the_mount(void)
{
	nfs(2000 * MIB, 4000 * MIB);
}
static void integrity_journal(void)
{
	drop_devices();
	add_device("dm-1", DEVICE_DM, -1)->dm_uuid = xstrdup("CRYPT-INTEGRITY-x");
	add_device("sda", DEVICE_SCSI, 0);
	set_written(1, 4000);
}

/* In percent of the bytes at the device; -1 not attributable. */
START_TEST(load_of_others_is_what_is_beyond_ours)
{
	static const struct {
		const char *name;
		void (*change)(void);
		double percent;
		const char *reason;
		bool is_told;
	} rows[] = {
		{ "nobody", nothing, 0, "", false },
		{ "others", others_write, 100.0 / 3, "", true },
		{ "partition", others_on_another_partition, 50, "", true },
		{ "reads", others_read_while_we_write, 50, "", true },
		{ "below a loop", others_below_a_loop, 0, "", false },
		{ "legs", legs_write_more, 0, "", false },
		{ "integrity", integrity_journal, 0, "", false },
		{ "mirror", mirror_of_the_file_system, 0, "", false },
		{ "others at a mirror", others_at_the_mirror, 20, "", true },
		{ "few", a_few_of_others, 100.0 * 100 / 2100, "", false },
		{ "little", others_of_little, 100.0 * 15 / 115, "", false },
		{ "paths", nvme_paths, 0, "", false },
		{ "mount", others_on_the_mount, 50, "", true },
		{ "copies", copies_unknown, -1,
		  "how many copies the file system writes is not known", false },
		{ "compressing", compressing, -1, "the file system compresses", false },
		{ "overlay", overlay_of_unknown, -1, "what lies below the overlay is not known",
		  false },
		{ "fuse", fuse_target, -1,
		  "a program serves the file system (FUSE), and no device is known", false },
		{ "network", network_without_counters, -1,
		  "this network file system does not count what its mount moves", false },
		{ "memory", in_memory, -1, "the target lies in memory", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		begin();
		rows[i].change();
		analyze(&rec.report);
		ck_assert_msg(is_percent(rec.report.write.foreign_ratio, rows[i].percent), "%s: %f",
			      rows[i].name, rec.report.write.foreign_ratio);
		ck_assert_str_eq(rec.report.write.foreign_reason, rows[i].reason);
		ck_assert_msg((find("foreign-load") != NULL) == rows[i].is_told, "%s",
			      rows[i].name);
		end();
	}
}
END_TEST

START_TEST(read_ahead_of_our_own_is_not_of_others)
{
	begin();
	set_read(0, 2400);
	set_read(1, 2400);
	analyze(&rec.report);
	ck_assert_double_eq_tol(rec.report.read.foreign_ratio, 400.0 / 2400, 1e-9);
	rec.run.read.workers[0].storage_bytes = 1400 * MIB;
	analyze(&rec.report);
	ck_assert_double_eq_tol(rec.report.read.foreign_ratio, 0, 1e-9);
	end();
}
END_TEST

START_TEST(a_pass_under_load_stays_a_pass)
{
	begin();
	others_on_another_partition();
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.verdict.result, VERDICT_PASS);
	ck_assert_str_eq(find("foreign-load")->text,
			 "lower bound, others were using the device: write 50.0 % of the bytes at "
			 "sda (1.95 GiB) were not ours");
	ck_assert_ptr_nonnull(strstr(find("foreign-load")->advice, "again"));
	end();
}
END_TEST

/* ---------------------------------------------------------------- holes and data */

START_TEST(files_that_occupy_less_have_holes)
{
	static const struct {
		int64_t mib;
		int kind;
		bool is_told;
	} rows[] = {
		{ 2000, TARGET_LOCAL, false }, { 1961, TARGET_LOCAL, false },
		{ 1959, TARGET_LOCAL, true },  { 4000, TARGET_LOCAL, false },
		{ 0, TARGET_LOCAL, true },     { 0, TARGET_USERSPACE, false },
		{ -1, TARGET_LOCAL, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double want = rows[i].mib < 0 ? -1 : (double)rows[i].mib / 2000;

		begin();
		target()->kind = rows[i].kind;
		rec.run.write.allocated_bytes = rows[i].mib < 0 ? -1 : rows[i].mib * MIB;
		analyze(&rec.report);
		ck_assert_double_eq_tol(rec.report.write.allocated_ratio, want, 1e-9);
		ck_assert_msg((find("holes") != NULL) == rows[i].is_told, "row %zu", i);
		end();
	}
}
END_TEST

START_TEST(data_that_can_be_compressed_is_labelled)
{
	static const struct {
		int data;
		const char *want;
	} rows[] = {
		{ DATA_ZEROS, "nothing but zeros were written" },
		{ DATA_COMPRESSIBLE, "60 % of each 4 KiB written are zeros" },
		{ DATA_FILE, "the content of /tmp/a\\033b was written over and over" },
	};

	begin();
	analyze(&rec.report);
	ck_assert_ptr_null(find("data-compressible"));
	end();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		begin();
		rec.plan.io.data = rows[i].data;
		rec.plan.io.compressible_percent = 60;
		rec.plan.io.data_file = xstrdup("/tmp/a\033b");
		analyze(&rec.report);
		ck_assert_msg(strstr(find("data-compressible")->text, rows[i].want) != NULL, "%s",
			      find("data-compressible")->text);
		ck_assert_int_eq(rec.report.verdict.result, VERDICT_PASS);
		end();
	}
}
END_TEST

/* ---------------------------------------------------------------- other data */

START_TEST(other_data_makes_everything_invalid)
{
	static const struct {
		int kind;
		const char *want;
	} rows[] = {
		{ BAD_ZEROS, "only zeros stood there" },
		{ BAD_RUN, "data of another run stood there" },
		{ BAD_PLACE, "data of another place stood there, of worker 1, offset 8192" },
		{ BAD_STAMP, "no stamp stood there" },
		{ BAD_CONTENT, "its stamp was right" },
		{ BAD_NONE, "not known" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct worker_result *w;
		const struct finding *f;

		begin();
		w = &rec.run.read.workers[1];
		w->bad_stamps = 3;
		w->bad_kind = rows[i].kind;
		w->bad_offset_bytes = 65536;
		w->bad_found_worker = 1;
		w->bad_found_offset_bytes = 8192;
		analyze(&rec.report);
		f = find("bad-data");
		ck_assert_ptr_nonnull(f);
		ck_assert_int_eq(f->severity, SEVERITY_ERROR);
		ck_assert_ptr_nonnull(strstr(f->text, "3 pieces of 4 KiB"));
		ck_assert_ptr_nonnull(strstr(f->text, "read worker 2, offset 65536"));
		ck_assert_msg(strstr(f->text, rows[i].want) != NULL, "%s", f->text);
		ck_assert_int_eq(rec.report.verdict.result, VERDICT_INVALID);
		ck_assert_int_eq(rec.report.read.usable, 0);
		ck_assert_int_eq(rec.report.write.usable, 0);
		ck_assert_double_lt(rec.report.read.mib_per_s_per_core, 0);
		ck_assert_double_lt(rec.report.write.mib_per_s_per_core, 0);
		end();
	}
}
END_TEST

START_TEST(good_stamps_say_nothing)
{
	begin();
	analyze(&rec.report);
	ck_assert_ptr_null(find("bad-data"));
	rec.run.read.workers[0].bad_stamps = -1;
	analyze(&rec.report);
	ck_assert_ptr_null(find("bad-data"));
	end();
}
END_TEST

START_TEST(bad_data_of_several_workers_is_summed)
{
	begin();
	rec.run.read.workers[0].bad_stamps = 1;
	rec.run.read.workers[0].bad_offset_bytes = 0;
	rec.run.read.workers[0].bad_kind = BAD_ZEROS;
	rec.run.read.workers[1].bad_stamps = INT64_MAX;
	analyze(&rec.report);
	ck_assert_ptr_nonnull(strstr(find("bad-data")->text, "9223372036854775807 pieces"));
	ck_assert_ptr_nonnull(strstr(find("bad-data")->text, "read worker 1, offset 0"));
	end();
}
END_TEST

/* ---------------------------------------------------------------- implausible reads */

static void one_rotating_disk(void)
{
	target()->devices[1].rotational = 1;
	target()->devices[1].model = xstrdup("ST12000NM0008");
}
static void raid_controller(void)
{
	one_rotating_disk();
	xstr_set(&target()->devices[1].model, "PERC H740P Mini");
}
static void virtual_disk(void)
{
	one_rotating_disk();
	virtual_machine();
}
static void multipath(void)
{
	drop_devices();
	add_device("dm-0", DEVICE_DM, -1)->dm_uuid = xstrdup("mpath-36005");
	add_device("sda", DEVICE_SCSI, 0)->rotational = 1;
	target()->devices[1].model = xstrdup("FlashSystem");
}
static void two_rotating_disks(void)
{
	drop_devices();
	add_device("sda", DEVICE_SCSI, -1);
	add_device("sdb", DEVICE_SCSI, -1);
	for (int i = 0; i < 2; i++) {
		target()->devices[i].rotational = 1;
		target()->devices[i].model = xstrdup("ST12000NM0008");
	}
}

/* Two workers, 1000 MiB each, in the given time, on two cores. */
START_TEST(reads_faster_than_the_medium_are_told)
{
	static const struct {
		const char *name;
		void (*change)(void);
		int64_t ms;
		const char *want;
	} rows[] = {
		{ "flash", nothing, 2000, NULL },
		{ "flash, memory speed", nothing, 100, "1 device give at most 16384 MiB/s" },
		{ "disk", one_rotating_disk, 5100, NULL },
		{ "disk, too fast", one_rotating_disk, 4900,
		  "1 rotating disk give at most 400 MiB/s" },
		{ "two disks", two_rotating_disks, 2600, NULL },
		{ "two disks, too fast", two_rotating_disks, 2400,
		  "2 rotating disks give at most 800 MiB/s" },
		{ "raid", raid_controller, 2000, NULL },
		{ "virtual", virtual_disk, 2000, NULL },
		{ "multipath", multipath, 2000, NULL },
		{ "per core", many_disks, 110, "per core is faster than storage is" },
		{ "network", nfs_mount_counts_all, 100, "per core is faster than storage is" },
		{ "network, slower", nfs_mount_counts_all, 200, NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct finding *f;

		begin();
		rows[i].change();
		for (int k = 0; k < 2; k++)
			rec.run.read.workers[k].end_ns = rows[i].ms * NS_PER_MS;
		analyze(&rec.report);
		f = find("read-implausible");
		ck_assert_msg((f != NULL) == (rows[i].want != NULL), "%s", rows[i].name);
		if (f)
			ck_assert_msg(strstr(f->text, rows[i].want) != NULL, "%s", f->text);
		end();
	}
}
END_TEST

/* ---------------------------------------------------------------- mixed, and absurd */

static void mix(void)
{
	add_phase(&rec.run.mixed, true);
	rec.run.mixed.workers[0].read_bytes = 1000 * MIB;
	rec.run.mixed.workers[1].read_bytes = 0;
	rec.plan.mixed_read_percent = 50;
	for (size_t i = 0; i < 2; i++) {
		struct device_count *c = XGROW(&rec.run.mixed.devices, &rec.run.mixed.n_devices);

		c->name = xstrdup(target()->devices[i].name);
		c->is_leaf = target()->devices[i].is_leaf;
		c->read_bytes = 1000 * MIB;
		c->written_bytes = 1000 * MIB;
	}
}

START_TEST(a_mixed_phase_is_proved_in_both_directions)
{
	begin();
	mix();
	analyze(&rec.report);
	ck_assert_double_eq_tol(rec.report.mixed.uncached_ratio, 1, 1e-9);
	ck_assert_double_eq_tol(rec.report.mixed.written_ratio, 1, 1e-9);
	ck_assert_double_eq_tol(rec.report.mixed.foreign_ratio, 0, 1e-9);
	ck_assert_int_eq(rec.report.mixed.usable, 1);
	ck_assert_str_eq(rec.report.mixed.proof,
			 "written: 100.0 % counted at the disk (sda) when fsync came back; read: "
			 "not from this host's memory: 100.0 % counted at the disk (sda); 0.0 % in "
			 "the page cache before");

	rec.run.mixed.devices[1].read_bytes = 500 * MIB;
	analyze(&rec.report);
	ck_assert_double_eq_tol(rec.report.mixed.uncached_ratio, 0.5, 1e-9);
	ck_assert_int_eq(rec.report.mixed.usable, 0);
	ck_assert_ptr_nonnull(find("read-cached"));

	rec.run.mixed.devices[1].read_bytes = 1000 * MIB;
	rec.run.mixed.devices[0].written_bytes = 500 * MIB;
	analyze(&rec.report);
	ck_assert_double_eq_tol(rec.report.mixed.written_ratio, 0.5, 1e-9);
	ck_assert_int_eq(rec.report.mixed.usable, 0);
	ck_assert_ptr_nonnull(find("write-not-on-storage"));
	ck_assert_ptr_null(find("read-unproved"));
	end();
}
END_TEST

START_TEST(absurd_devices_are_judged_without_a_crash)
{
	static const int64_t parents[] = { 7, INT64_MAX, 1, -9, 0 };

	begin();
	for (size_t i = 0; i < ARRAY_LEN(parents); i++) {
		struct device *d = add_device(i % 2 ? "" : "sda", DEVICE_COUNT - 1, -1);

		d->parent = parents[i];
		set_read(i, i % 2 ? INT64_MAX / MIB : 1);
		set_written(i, INT64_MAX / MIB);
	}
	target()->devices[0].parent = 0;
	target()->data_copies = INT64_MAX;
	rec.run.write.allocated_bytes = INT64_MAX;
	rec.run.write.resident_bytes = INT64_MAX;
	rec.run.read.resident_bytes = INT64_MAX;
	analyze(&rec.report);
	ck_assert_double_le(rec.report.write.written_ratio, 1);
	ck_assert_double_le(rec.report.read.uncached_ratio, 1);
	ck_assert_str_eq(rec.report.write.foreign_reason, "what was moved is not known");
	end();
}
END_TEST

START_TEST(without_a_target_nothing_is_proved)
{
	begin();
	rec.plan.target_index = 99;
	analyze(&rec.report);
	ck_assert_double_eq(rec.report.write.written_ratio, -1);
	ck_assert_double_eq(rec.report.read.uncached_ratio, -1);
	ck_assert_double_eq(rec.report.read.foreign_ratio, -1);
	end();
}
END_TEST

SUITE_MAIN("analyze_proof", facts_prove_what_they_prove, one_line_says_what_is_proved,
	   the_reason_names_the_cache_of_the_file_system, direct_that_is_not_spoils_both_phases,
	   what_no_host_can_see_is_said, load_of_others_is_what_is_beyond_ours,
	   read_ahead_of_our_own_is_not_of_others, a_pass_under_load_stays_a_pass,
	   files_that_occupy_less_have_holes, data_that_can_be_compressed_is_labelled,
	   other_data_makes_everything_invalid, good_stamps_say_nothing,
	   bad_data_of_several_workers_is_summed, reads_faster_than_the_medium_are_told,
	   a_mixed_phase_is_proved_in_both_directions, absurd_devices_are_judged_without_a_crash,
	   without_a_target_nothing_is_proved)
