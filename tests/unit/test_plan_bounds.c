/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_plan_bounds - what a plan may take of the space, the memory and the rate of a host
 */
#include "suite.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/planner.h"
#include "iotest/xalloc.h"

static struct host host;
static struct plan plan;
static struct err err;

static const struct plan_wishes none = PLAN_WISHES_NONE;

static void add_target(const char *path, const char *device_number)
{
	struct target *t = XGROW(&host.targets, &host.n_targets);

	schema_init(&target_schema, t);
	t->path = xstrdup(path);
	t->device_number = xstrdup(device_number);
	t->kind = TARGET_LOCAL;
	t->fs_type = xstrdup("ext4");
	t->size_bytes = 1000 * GIB;
	t->free_bytes = 900 * GIB;
	t->read_only = 0;
	t->writable = 1;
}

/* 8 cores, 64 GiB, 900 of 1000 GiB free, 12 GiB of dirty memory allowed. */
static void host_begin(void)
{
	host_init(&host);
	host.physical_cores = 8;
	host.cores_source = xstrdup("sysfs thread siblings");
	host.memory_bytes = 64 * GIB;
	host.memory_available_bytes = 60 * GIB;
	host.dirty_limit_bytes = 12 * GIB;
	add_target("/a", "8:1");
	memset(&err, 0, sizeof(err));
	plan_init(&plan);
}

static void host_end(void)
{
	plan_done(&plan);
	host_done(&host);
}

static int build(struct plan_wishes wishes)
{
	plan_done(&plan);
	return plan_build(&host, 0, &wishes, &plan, &err);
}

static void must_build(struct plan_wishes wishes)
{
	int rc = build(wishes);

	ck_assert_msg(rc == 0, "%s", err.sentence);
}

static const struct reason *reason(const char *key)
{
	for (size_t i = 0; i < plan.n_reasons; i++)
		if (!strcmp(plan.reasons[i].key, key))
			return &plan.reasons[i];
	return NULL;
}

static void must_say(const char *key, const char *words)
{
	const struct reason *r = reason(key);

	ck_assert_msg(r != NULL, "no reason for %s", key);
	ck_assert_msg(strstr(r->value, words) || strstr(r->text, words), "%s: %s, %s", key,
		      r->value, r->text);
}

/* What a writer can have in memory: its window, and what it adds before it waits again. */
static int64_t ahead_bytes(void)
{
	int64_t step = plan.io.piece_bytes > plan.io.block_bytes ? plan.io.piece_bytes
								 : plan.io.block_bytes;

	return plan.io.window_bytes + step;
}

START_TEST(max_dirty_is_shared_out_to_the_writers_in_any_mode)
{
	static const struct {
		int64_t max_dirty_bytes;
		int64_t block_bytes;
		bool is_quick;
		int64_t workers;
		const char *method;
	} rows[] = {
		{ 512 * MIB, -1, false, 8, "full/2+dirty512MiB" },
		{ 512 * MIB, -1, true, 8, "quick/1+dirty512MiB" },
		{ MIB, -1, false, 8, "full/2+dirty1MiB" },
		{ 64 * MIB, MIB, false, 8, "full/2+dirty64MiB" },
		{ 1000000, 4096, false, 3, "full/2+dirty1000000B" },
		{ 100 * GIB, -1, true, 8, "quick/1+dirty102400MiB" },
		{ 64 * GIB, -1, false, 16384, "full/2+dirty65536MiB" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plan_wishes w = none;

		host_begin();
		w.max_dirty_bytes = rows[i].max_dirty_bytes;
		w.block_bytes = rows[i].block_bytes;
		w.workers = rows[i].workers;
		w.quick = rows[i].is_quick;
		w.bytes_per_worker = 16 * MIB;
		must_build(w);
		ck_assert_str_eq(plan.method, rows[i].method);
		ck_assert_int_eq(plan.max_dirty_bytes, rows[i].max_dirty_bytes);
		ck_assert_int_gt(plan.io.window_bytes, 0);
		ck_assert_int_gt(plan.io.piece_bytes, 0);
		ck_assert_int_le(ahead_bytes() * plan.workers, rows[i].max_dirty_bytes);
		ck_assert_int_le(plan.dirty_peak_bytes, rows[i].max_dirty_bytes);
		must_say("dirty memory", "--max-dirty");
		host_end();
	}
}
END_TEST

/* A window that is wide already stays. */
START_TEST(max_dirty_only_ever_narrows_the_window)
{
	struct plan_wishes w = none;
	int64_t window;

	host_begin();
	w.quick = true;
	must_build(w);
	window = plan.io.window_bytes;
	w.max_dirty_bytes = 100 * GIB;
	must_build(w);
	ck_assert_int_eq(plan.io.window_bytes, window);
	w.max_dirty_bytes = 256 * MIB;
	must_build(w);
	ck_assert_int_lt(plan.io.window_bytes, window);
	host_end();
}
END_TEST

START_TEST(targets_together_share_the_dirty_memory_and_the_rate)
{
	struct plan_wishes w = none;

	host_begin();
	add_target("/b", "8:2");
	w.together = true;
	w.max_dirty_bytes = 512 * MIB;
	w.max_rate_mib_per_s = 1600;
	must_build(w);
	ck_assert_int_le(2 * ahead_bytes() * plan.workers, 512 * MIB);
	ck_assert_int_eq(plan.io.pace_bytes_per_s, 100 * MIB);
	host_end();
}
END_TEST

START_TEST(too_little_dirty_memory_names_the_least)
{
	struct plan_wishes w = none;

	host_begin();
	w.max_dirty_bytes = MIB - 1;
	ck_assert_int_eq(build(w), -EINVAL);
	ck_assert_int_eq(err.status, EXIT_STATUS_USAGE);
	ck_assert_ptr_nonnull(strstr(err.sentence, "8 writers need at least 1 MiB"));
	w.block_bytes = 4 * MIB;
	ck_assert_int_eq(build(w), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.sentence, "at least 64 MiB"));
	host_end();
}
END_TEST

START_TEST(direct_has_nothing_that_could_be_bounded)
{
	struct plan_wishes w = none;

	host_begin();
	w.direct = true;
	w.max_dirty_bytes = 1;
	must_build(w);
	ck_assert_int_eq(plan.io.window_bytes, -1);
	ck_assert_int_eq(plan.dirty_peak_bytes, 0);
	host_end();
}
END_TEST

START_TEST(a_full_run_says_that_it_can_fill_the_limit_of_the_host)
{
	struct plan_wishes w = none;

	host_begin();
	must_build(w);
	ck_assert_int_eq(plan.dirty_peak_bytes, 12 * GIB);
	must_say("dirty memory", "the limit of this host");
	must_say("dirty memory", "every process that writes");
	must_say("dirty memory", "--max-dirty");
	w.bytes_per_worker = GIB;
	must_build(w);
	ck_assert_ptr_null(strstr(reason("dirty memory")->text, "limit of this host"));
	host_end();
}
END_TEST

START_TEST(a_limit_that_does_not_hold_up_writers_is_warned_of)
{
	static const struct {
		const char *source;
		int64_t max_dirty_bytes;
		bool is_quick;
		const char *advice; /* NULL: no warning */
	} rows[] = {
		{ "/sys/fs/cgroup/memory/job/memory.limit_in_bytes", -1, false, "--max-dirty N" },
		{ "/sys/fs/cgroup/memory/job/memory.limit_in_bytes", 768 * MIB, false, "smaller" },
		{ "/sys/fs/cgroup/memory/job/memory.limit_in_bytes", 128 * MIB, false, NULL },
		{ "/sys/fs/cgroup/memory/job/memory.limit_in_bytes", -1, true, NULL },
		{ "/sys/fs/cgroup/job/memory.max", -1, false, NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plan_wishes w = none;

		host_begin();
		host.memory_limit_bytes = GIB;
		host.memory_limit_source = xstrdup(rows[i].source);
		w.max_dirty_bytes = rows[i].max_dirty_bytes;
		w.quick = rows[i].is_quick;
		must_build(w);
		if (rows[i].advice) {
			must_say("memory limit", "may kill");
			must_say("memory limit", rows[i].advice);
		} else {
			ck_assert_msg(!reason("memory limit"), "row %zu", i);
		}
		host_end();
	}
}
END_TEST

START_TEST(max_rate_paces_the_workers_and_makes_no_control)
{
	struct plan_wishes w = none;

	host_begin();
	w.max_rate_mib_per_s = 400;
	must_build(w);
	ck_assert_str_eq(plan.method, "full/2+rate400MiB");
	ck_assert_int_eq(plan.io.pace_bytes_per_s, 50 * MIB);
	ck_assert_int_eq(plan.io.pace_is_cap, 1);
	ck_assert_int_eq(plan.max_rate_mib_per_s, 400);
	ck_assert_int_eq(plan.control, CONTROL_NEVER);
	/* The storage is to see the pace, and not what the kernel makes of it. */
	ck_assert_int_eq(plan.io.window_bytes, 256 * MIB);
	must_say("pace", "400 MiB/s for all");
	must_say("pace", "800 MiB/s for all cores cannot be reached");
	ck_assert_int_eq(plan.expected_ns / NS_PER_S, 2 * 8 * 64 * 1024 / 400);
	w.max_rate_mib_per_s = 1600;
	must_build(w);
	ck_assert_ptr_null(strstr(reason("pace")->text, "cannot be reached"));
	ck_assert_int_eq(plan.expected_ns / NS_PER_S, 2 * 8 * 64 * 1024 / 800);
	host_end();
}
END_TEST

START_TEST(max_rate_contradicts_another_pace_and_full_speed)
{
	struct plan_wishes w = none;

	host_begin();
	w.max_rate_mib_per_s = 400;
	w.prove = "100";
	ck_assert_int_eq(build(w), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.sentence, "--prove"));
	w.prove = NULL;
	w.control = true;
	ck_assert_int_eq(build(w), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.sentence, "--control"));
	w.control = false;
	w.max_rate_mib_per_s = INT64_MAX;
	ck_assert_int_eq(build(w), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.sentence, "--max-rate"));
	host_end();
}
END_TEST

START_TEST(the_workers_stop_at_half_of_the_reserve_or_where_they_are_told_to)
{
	static const struct {
		int64_t keep_free_bytes;
		int in_pod;
		int64_t want_reserve;
		int64_t want_floor;
		const char *why;
	} rows[] = {
		{ -1, 0, 100 * GIB, 50 * GIB, "half of the reserve" },
		{ -1, 1, 250 * GIB, 125 * GIB, "half of the reserve" },
		{ GIB, 0, 100 * GIB, GIB, "by option" },
		{ 400 * GIB, 0, 400 * GIB, 400 * GIB, "by option" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plan_wishes w = none;

		host_begin();
		host.os.in_pod = rows[i].in_pod;
		w.keep_free_bytes = rows[i].keep_free_bytes;
		must_build(w);
		ck_assert_int_eq(plan.reserve_bytes, rows[i].want_reserve);
		ck_assert_int_eq(plan.keep_free_bytes, rows[i].want_floor);
		ck_assert_int_ge(plan.free_after_bytes, plan.reserve_bytes);
		must_say("keep free", rows[i].why);
		host_end();
	}
}
END_TEST

START_TEST(what_is_to_stay_free_counts_where_the_size_is_not_known)
{
	struct plan_wishes w = none;

	host_begin();
	host.targets[0].size_bytes = -1;
	must_build(w);
	ck_assert_int_eq(plan.reserve_bytes, -1);
	ck_assert_int_eq(plan.keep_free_bytes, -1);
	ck_assert_ptr_null(reason("keep free"));
	w.keep_free_bytes = 850 * GIB;
	w.quick = true;
	must_build(w);
	ck_assert_int_eq(plan.keep_free_bytes, 850 * GIB);
	ck_assert_int_le(plan.total_bytes, 25 * GIB);
	w.keep_free_bytes = 900 * GIB;
	ck_assert_int_eq(build(w), -ENOSPC);
	host_end();
}
END_TEST

/* As many as our files hold, but no more than half of what is free beside them. */
START_TEST(inodes_stay_free_for_others)
{
	static const struct {
		int64_t inodes;
		int64_t free_inodes;
		int64_t want;
	} rows[] = {
		{ 1000000, 900000, 8 }, { 100, 20, 6 }, { 100, 9, 0 }, { 0, 0, -1 }, { -1, -1, -1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		host_begin();
		host.targets[0].inodes = rows[i].inodes;
		host.targets[0].free_inodes = rows[i].free_inodes;
		must_build(none);
		ck_assert_int_eq(plan.keep_free_inodes, rows[i].want);
		host_end();
	}
}
END_TEST

START_TEST(gentle_names_its_pauses_its_patience_and_what_is_not_heeded)
{
	struct plan_wishes w = none;
	struct device *d;

	host_begin();
	d = XGROW(&host.targets[0].devices, &host.targets[0].n_devices);
	schema_init(&device_schema, d);
	d->name = xstrdup("sda");
	d->scheduler = xstrdup("mq-deadline");
	d->is_leaf = 1;
	must_build(w);
	ck_assert_int_eq(plan.gentle, 0);
	ck_assert_int_eq(plan.slice_ns, -1);
	ck_assert_ptr_null(reason("priority"));
	w.gentle = true;
	must_build(w);
	ck_assert_str_eq(plan.method, "full/2+gentle");
	ck_assert_int_eq(plan.slice_ns, 10 * NS_PER_S);
	ck_assert_int_eq(plan.patience_ns, 600 * NS_PER_S);
	ck_assert_int_eq(plan.control, CONTROL_NEVER);
	ck_assert_int_eq(plan.io.window_bytes, 256 * MIB);
	must_say("priority", "which the scheduler of sda heeds since Linux 5.14");
	w.quick = true;
	must_build(w);
	ck_assert_int_eq(plan.patience_ns, 60 * NS_PER_S);
	xstr_set(&host.targets[0].devices[0].scheduler, "bfq");
	must_build(w);
	ck_assert_ptr_null(strstr(reason("priority")->text, "heed"));
	w.control = true;
	ck_assert_int_eq(build(w), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.sentence, "--gentle"));
	host_end();
}
END_TEST

SUITE_MAIN("bounds", max_dirty_is_shared_out_to_the_writers_in_any_mode,
	   max_dirty_only_ever_narrows_the_window,
	   targets_together_share_the_dirty_memory_and_the_rate,
	   too_little_dirty_memory_names_the_least, direct_has_nothing_that_could_be_bounded,
	   a_full_run_says_that_it_can_fill_the_limit_of_the_host,
	   a_limit_that_does_not_hold_up_writers_is_warned_of,
	   max_rate_paces_the_workers_and_makes_no_control,
	   max_rate_contradicts_another_pace_and_full_speed,
	   the_workers_stop_at_half_of_the_reserve_or_where_they_are_told_to,
	   what_is_to_stay_free_counts_where_the_size_is_not_known, inodes_stay_free_for_others,
	   gentle_names_its_pauses_its_patience_and_what_is_not_heeded)
