/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_analyze_data - holes, compressible and wrong data, and reads too fast to be true
 */
#include "proof_record.h"

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

SUITE_MAIN("analyze_data", files_that_occupy_less_have_holes,
	   data_that_can_be_compressed_is_labelled, other_data_makes_everything_invalid,
	   good_stamps_say_nothing, bad_data_of_several_workers_is_summed,
	   reads_faster_than_the_medium_are_told)
