/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_plan_planner - from host and wishes to the plan
 */
#include "suite.h"

#include <errno.h>
#include <string.h>

#include "iotest/planner.h"
#include "iotest/xalloc.h"

static struct host host;
static struct plan plan;
static struct err err;

/* 12 cores, 251.47 GiB, a 4 TB ext4: the shape of a common SAS server. */
static void host_begin(void)
{
	struct target *t;

	host_init(&host);
	host.physical_cores = 12;
	host.cores_source = xstrdup("sysfs thread siblings");
	host.memory_bytes = 263686283264;
	host.memory_available_bytes = 250 * GIB;
	host.dirty_limit_bytes = 50 * GIB;
	host.os.uid = 0;
	t = XGROW(&host.targets, &host.n_targets);
	schema_init(&target_schema, t);
	t->path = xstrdup("/saswork");
	t->kind = TARGET_LOCAL;
	t->fs_type = xstrdup("ext4");
	t->size_bytes = 4096 * GIB;
	t->free_bytes = 4000 * GIB;
	t->inodes = 1000000;
	t->free_inodes = 999000;
	t->read_only = 0;
	t->writable = 1;
	memset(&err, 0, sizeof(err));
	plan_init(&plan);
}

static int build(struct plan_wishes wishes)
{
	return plan_build(&host, 0, &wishes, &plan, &err);
}

static void host_end(void)
{
	plan_done(&plan);
	host_done(&host);
}

static const struct plan_wishes none = PLAN_WISHES_NONE;

START_TEST(plan_is_cores_times_memory_by_default)
{
	host_begin();
	ck_assert_int_eq(build(none), 0);
	ck_assert_int_eq(plan.workers, 12);
	ck_assert_int_eq(plan.cores, 12);
	ck_assert_int_eq(plan.block_bytes, 65536);
	ck_assert_int_eq(plan.bytes_per_worker, 263686283264 / 65536 * 65536);
	ck_assert_int_eq(plan.total_bytes, plan.bytes_per_worker * 12);
	ck_assert_int_eq(plan.sized_by, SIZED_BY_MEMORY);
	ck_assert_int_eq(plan.fits_in_cache, 0);
	ck_assert_int_eq(plan.dirty_peak_bytes, 50 * GIB);
	ck_assert_double_eq(plan.requirement_mib_per_s, 100);
	ck_assert_int_eq(plan.requirement_given, 0);
	/* 2 x 251.47 GiB per core at 100 MiB/s is 85 minutes: somebody must agree. */
	ck_assert_int_eq(plan.needs_consent, 1);
	ck_assert_ptr_nonnull(strstr(plan.consent, "--time-limit"));
	ck_assert_ptr_nonnull(strstr(plan.consent, "--size"));
	host_end();
}
END_TEST

START_TEST(plan_of_one_core_says_that_memory_could_hold_it)
{
	host_begin();
	host.physical_cores = 1;
	ck_assert_int_eq(build(none), 0);
	ck_assert_int_eq(plan.fits_in_cache, 1);
	host_end();
}
END_TEST

/* With fewer workers than cores, the time is that of their share. */
START_TEST(plan_of_fewer_workers_takes_their_time)
{
	struct plan_wishes w = none;

	host_begin();
	w.workers = 6;
	w.bytes_per_worker = 100 * MIB;
	ck_assert_int_eq(build(w), 0);
	ck_assert_int_eq(plan.expected_ns, 2 * NS_PER_S);
	host_end();
}
END_TEST

START_TEST(plan_takes_the_memory_limit_where_it_is_smaller)
{
	host_begin();
	host.memory_limit_bytes = 300 * MIB + 5;
	ck_assert_int_eq(build(none), 0);
	ck_assert_int_eq(plan.bytes_per_worker, 300 * MIB);
	ck_assert_int_eq(plan.sized_by, SIZED_BY_LIMIT);
	ck_assert_int_eq(plan.cache_bytes, 300 * MIB + 5);
	ck_assert_int_eq(plan.dirty_peak_bytes, 300 * MIB + 5);
	ck_assert_int_eq(plan.needs_consent, 0);
	host_end();
}
END_TEST

START_TEST(plan_shrinks_and_asks)
{
	host_begin();
	host.targets[0].free_bytes = 500 * GIB;
	ck_assert_int_eq(build(none), 0);
	ck_assert_int_eq(plan.shrunk, 1);
	ck_assert_int_eq(plan.sized_by, SIZED_BY_SPACE);
	ck_assert_int_eq(plan.fits_in_cache, 1);
	ck_assert_int_eq(plan.needs_consent, 1);
	ck_assert_ptr_nonnull(strstr(plan.consent, "reserve"));
	ck_assert_int_le(plan.total_bytes, plan.usable_bytes);
	host_end();
}
END_TEST

START_TEST(plan_keeps_its_reserve_whatever_xfs_takes_ahead)
{
	static const int64_t allocsizes[] = { 64 * KIB, GIB, 100 * GIB, INT64_MAX / 2 };

	for (size_t i = 0; i < ARRAY_LEN(allocsizes); i++) {
		host_begin();
		host.targets[0].free_bytes = 500 * GIB;
		host.targets[0].xfs_allocsize_bytes = allocsizes[i];
		xstr_set(&host.targets[0].fs_type, "xfs");
		ck_assert_int_eq(build(none), 0);
		ck_assert_int_eq(plan.shrunk, 1);
		ck_assert_int_ge(plan.free_after_bytes, plan.reserve_bytes);
		host_end();
	}
}
END_TEST

START_TEST(plan_does_not_fill_memory_with_files)
{
	host_begin();
	host.targets[0].kind = TARGET_MEMORY;
	host.memory_limit_bytes = 256 * MIB;
	host.memory_limit_used_bytes = 56 * MIB;
	ck_assert_int_eq(build(none), 0);
	ck_assert_int_eq(plan.sized_by, SIZED_BY_MEMORY_FS);
	ck_assert_int_le(plan.total_bytes, 100 * MIB);
	ck_assert_int_eq(plan.needs_consent, 0);
	host_end();
}
END_TEST

START_TEST(plan_keeps_a_quarter_free_in_a_pod)
{
	host_begin();
	host.os.in_pod = 1;
	ck_assert_int_eq(build(none), 0);
	ck_assert_int_eq(plan.reserve_bytes, 1024 * GIB);
	host_end();
}
END_TEST

START_TEST(plan_by_options_says_so)
{
	struct plan_wishes w = none;

	host_begin();
	w.workers = 4;
	w.cores = 8;
	w.block_bytes = 1 * MIB;
	w.blocks_per_worker = 100;
	w.require = "viya4";
	ck_assert_int_eq(build(w), 0);
	ck_assert_int_eq(plan.workers, 4);
	ck_assert_int_eq(plan.cores, 8);
	ck_assert_int_eq(plan.workers_overridden, 1);
	ck_assert_int_eq(plan.cores_overridden, 1);
	ck_assert_int_eq(plan.bytes_per_worker, 100 * MIB);
	ck_assert_int_eq(plan.fits_in_cache, 1);
	ck_assert_double_eq(plan.requirement_mib_per_s, 90);
	ck_assert_int_eq(plan.requirement_given, 1);
	host_end();
}
END_TEST

START_TEST(cores_is_the_divisor_and_nothing_else)
{
	struct plan_wishes w = none;

	host_begin();
	w.cores = 1000000;
	ck_assert_int_eq(build(w), 0);
	ck_assert_int_eq(plan.cores, 1000000);
	ck_assert_int_eq(plan.workers, 12);
	/* A larger divisor does not make the run look short. */
	ck_assert_int_eq(plan.needs_consent, 1);
	host_end();
}
END_TEST

START_TEST(dirty_memory_is_never_more_than_the_memory)
{
	host_begin();
	host.dirty_limit_bytes = -1;
	ck_assert_int_eq(build(none), 0);
	ck_assert_int_eq(plan.dirty_peak_bytes, host.memory_bytes);
	host_end();
}
END_TEST

START_TEST(a_time_limit_replaces_consent_to_a_long_run)
{
	struct plan_wishes w = none;

	host_begin();
	w.time_limit_ns = 600 * NS_PER_S;
	ck_assert_int_eq(build(w), 0);
	ck_assert_int_eq(plan.needs_consent, 0);
	host_end();
}
END_TEST

START_TEST(every_number_has_a_reason)
{
	static const char *const keys[] = {
		"workers",    "file per worker", "block", "written",	    "reserve",
		"free space", "dirty memory",	 "time",  "physical space", "to stop it"
	};

	host_begin();
	ck_assert_int_eq(build(none), 0);
	for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
		bool found = false;

		for (size_t i = 0; i < plan.n_reasons; i++)
			if (!strcmp(plan.reasons[i].key, keys[k]))
				found = plan.reasons[i].value[0] && plan.reasons[i].text[0];
		ck_assert_msg(found, "no reason for %s", keys[k]);
	}
	host_end();
}
END_TEST

static void say_read_only(void)
{
	host.targets[0].read_only = 1;
}
static void say_unwritable(void)
{
	host.targets[0].writable = 0;
}
static void say_squashed(void)
{
	host.targets[0].writable = 0;
	host.targets[0].kind = TARGET_NETWORK;
}
static void say_no_memory(void)
{
	host.memory_bytes = -1;
}
static void say_full(void)
{
	host.targets[0].free_bytes = 10;
}
static void say_no_inodes(void)
{
	host.targets[0].free_inodes = 12;
}
static void say_file_limit(void)
{
	host.os.file_size_limit_bytes = 1024;
}

START_TEST(refusals_name_the_object_and_the_way_out)
{
	static const struct {
		void (*say)(void);
		int rc;
		const char *sentence;
		const char *advice;
	} rows[] = {
		{ say_read_only, -EROFS, "read-only", "remount" },
		{ say_unwritable, -EACCES, "/saswork", "user" },
		{ say_squashed, -EACCES, "/saswork", "root squash" },
		{ say_no_memory, -ENODATA, "memory", "--size" },
		{ say_full, -ENOSPC, "/saswork", "free some space" },
		{ say_no_inodes, -ENOSPC, "inodes", "fewer workers" },
		{ say_file_limit, -EFBIG, "file size limit", "ulimit" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		host_begin();
		rows[i].say();
		ck_assert_int_eq(build(none), rows[i].rc);
		ck_assert_msg(strstr(err.sentence, rows[i].sentence) != NULL, "%s", err.sentence);
		ck_assert_msg(strstr(err.advice, rows[i].advice) != NULL, "%s", err.advice);
		ck_assert_int_eq(err.status, EXIT_STATUS_FAILED);
		ck_assert_int_eq(plan.workers, -1);
		host_end();
	}
}
END_TEST

START_TEST(bad_wishes_are_usage_errors)
{
	struct plan_wishes rows[6];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		rows[i] = none;
	rows[0].bytes_per_worker = 1000;
	rows[1].block_bytes = 100;
	rows[2].block_bytes = 1000;
	rows[3].block_bytes = GIB;
	rows[4].require = "fast";
	rows[5].workers = 1000000;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		host_begin();
		ck_assert_msg(build(rows[i]) < 0, "row %zu", i);
		ck_assert_int_eq(err.status, EXIT_STATUS_USAGE);
		ck_assert_int_gt((int)strlen(err.sentence), 10);
		host_end();
	}
}
END_TEST

START_TEST(a_file_system_without_inode_counts_is_fine)
{
	host_begin();
	host.targets[0].inodes = 0;
	host.targets[0].free_inodes = 0;
	ck_assert_int_eq(build(none), 0);
	host_end();
}
END_TEST

SUITE_MAIN("planner", plan_is_cores_times_memory_by_default,
	   plan_of_one_core_says_that_memory_could_hold_it, plan_of_fewer_workers_takes_their_time,
	   plan_takes_the_memory_limit_where_it_is_smaller, plan_shrinks_and_asks,
	   plan_keeps_its_reserve_whatever_xfs_takes_ahead, plan_does_not_fill_memory_with_files,
	   plan_keeps_a_quarter_free_in_a_pod, plan_by_options_says_so,
	   cores_is_the_divisor_and_nothing_else, dirty_memory_is_never_more_than_the_memory,
	   a_time_limit_replaces_consent_to_a_long_run, every_number_has_a_reason,
	   refusals_name_the_object_and_the_way_out, bad_wishes_are_usage_errors,
	   a_file_system_without_inode_counts_is_fine)
