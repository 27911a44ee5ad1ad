/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_analyze_foreign - what others moved at the device
 */
#include "proof_record.h"

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

static void others_below_a_loop_on_ext4(void)
{
	others_below_a_loop();
	xstr_set(&target()->backing_fs_type, "ext4");
}

static void others_read_below_a_loop(void)
{
	below_a_direct_loop();
	rec.run.write.devices[1].read_bytes = 2000 * MIB;
}

static void others_below_a_cached_loop(void)
{
	others_read_below_a_loop();
	target()->devices[0].direct_io = 0;
}

static void reads_of_a_parity(void)
{
	md_mirror();
	rec.run.write.devices[1].read_bytes = 2000 * MIB;
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
		{ "below a loop on ext4", others_below_a_loop_on_ext4, 50, "", true },
		{ "reads below a loop", others_read_below_a_loop, 50, "", true },
		{ "below a cached loop", others_below_a_cached_loop, 0, "", false },
		{ "parity", reads_of_a_parity, 0, "", false },
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

START_TEST(what_a_read_phase_writes_below_a_loop_is_of_others)
{
	begin();
	below_a_direct_loop();
	rec.run.read.devices[1].written_bytes = 6000 * MIB;
	analyze(&rec.report);
	ck_assert_double_eq_tol(rec.report.read.foreign_ratio, 0.75, 1e-9);
	ck_assert_str_eq(rec.report.read.foreign_device, "sda");
	ck_assert_str_eq(rec.report.write.foreign_device, "loop0");
	ck_assert_double_ge(rec.report.write.written_ratio, 0.98);
	end();
}
END_TEST

START_TEST(a_new_ext4_is_named_as_a_cause)
{
	begin();
	others_write();
	analyze(&rec.report);
	ck_assert_ptr_null(strstr(find("foreign-load")->text, "ext4"));
	rec.run.write.lazy_init = 1;
	analyze(&rec.report);
	ck_assert_ptr_nonnull(strstr(find("foreign-load")->text,
				     "it can be ext4 itself, which was still initialising inode "
				     "tables of a new file system (ext4lazyinit)"));
	ck_assert_ptr_nonnull(strstr(find("foreign-load")->advice, "ext4lazyinit is gone"));
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

SUITE_MAIN("analyze_foreign", load_of_others_is_what_is_beyond_ours,
	   read_ahead_of_our_own_is_not_of_others,
	   what_a_read_phase_writes_below_a_loop_is_of_others, a_new_ext4_is_named_as_a_cause,
	   a_pass_under_load_stays_a_pass)
