/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_analyze_proof - where the bytes came from and went, as far as the facts prove it
 */
#include "proof_record.h"

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

static void network_daemon_within_a_limit(void)
{
	network_without_counters();
	xstr_set(&target()->fs_type, "fuse.sshfs");
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

static void from_the_cache_below_a_direct_loop(void)
{
	below_a_direct_loop();
	set_read(1, 0);
}

static void disk_in_memory(void)
{
	target()->devices[1].kind = DEVICE_MEMORY;
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

static void one_copy_is_missing(void)
{
	mirror_of_the_file_system();
	set_written(0, 2000);
	set_written(1, 200);
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
	add_device("dm-1", DEVICE_DM, 0);
	add_device("sda1", DEVICE_PARTITION, 1);
	add_device("sda", DEVICE_SCSI, 2);
	add_device("sdb", DEVICE_SCSI, 0);
	for (size_t i = 1; i < 5; i++) {
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

static void by_size_only(void)
{
	network_without_counters();
	rec.host.memory_limit_bytes = -1;
	rec.host.memory_bytes = 1000 * MIB;
}

static void others_below_a_loop(void)
{
	below_a_direct_loop();
	rec.run.write.devices[1].read_bytes = 4000 * MIB;
	rec.run.read.devices[1].written_bytes = 4000 * MIB;
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
		  "not provable here: others wrote to the devices, too; fsync is believed",
		  "not from this host's memory: 100.0 % counted at the disks (sda, sdb, sdc, sdd "
		  "and 2 more); 0.0 % in the page cache before" },
		/* What is below proves nothing then, the loop device still does. */
		{ others_below_a_loop, "100.0 % counted at the device (loop0) when fsync came back",
		  "not from this host's memory: 100.0 % counted at the device (loop0); 0.0 % in "
		  "the page cache before" },
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

static void network_target(void)
{
	nfs_mount_counts_all();
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

static void none_of_it_written(void)
{
	set_written(0, 0);
	set_written(1, 0);
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
		{ none_of_it_written,
		  "caches behind the device cannot be seen from a host; only 0 B of 1.95 GiB were "
		  "written to them and 1.95 GiB read back" },
		{ disk_read_less,
		  "caches behind the device cannot be seen from a host; 1.95 GiB were written to "
		  "them and only 1.86 GiB of 1.95 GiB read back" },
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

static void mix(void)
{
	add_phase(&rec.run.mixed, true);
	rec.run.mixed.workers[0].read_bytes = 1000 * MIB;
	rec.run.mixed.workers[1].read_bytes = 0;
	rec.run.mixed.workers[0].storage_bytes = 0; /* of which direction, nobody knows */
	rec.run.mixed.workers[1].storage_bytes = 0;
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
	   what_no_host_can_see_is_said, a_mixed_phase_is_proved_in_both_directions,
	   absurd_devices_are_judged_without_a_crash, without_a_target_nothing_is_proved)
