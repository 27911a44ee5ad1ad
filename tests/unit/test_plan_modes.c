/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_plan_modes - quick, prove, and the options that change how it is done
 */
#include "suite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/planner.h"
#include "iotest/run.h"
#include "iotest/xalloc.h"

static struct host host;
static struct plan plan;
static struct err err;

static void add_target(const char *path, const char *device_number)
{
	struct target *t = XGROW(&host.targets, &host.n_targets);

	schema_init(&target_schema, t);
	t->path = xstrdup(path);
	t->device_number = xstrdup(device_number);
	t->kind = TARGET_LOCAL;
	t->fs_type = xstrdup("ext4");
	t->size_bytes = 1000 * GIB;
	t->free_bytes = 1000 * GIB;
	t->read_only = 0;
	t->writable = 1;
}

/* 8 cores, 64 GiB, 1000 GiB free. */
static void host_begin(void)
{
	host_init(&host);
	host.physical_cores = 8;
	host.cores_source = xstrdup("sysfs thread siblings");
	host.memory_bytes = 64 * GIB;
	host.memory_available_bytes = 60 * GIB;
	host.dirty_limit_bytes = 12 * GIB;
	for (int i = 0; i < 8; i++)
		XGROW(&host.cores, &host.n_cores)->cpus = xasprintf("%d", i);
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
	return plan_build(&host, 0, &wishes, &plan, &err);
}

static void must_build(struct plan_wishes wishes)
{
	int rc = build(wishes);

	ck_assert_msg(rc == 0, "%s", err.sentence);
}

static const struct plan_wishes none = PLAN_WISHES_NONE;

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

START_TEST(a_full_run_has_no_window_no_pace_and_no_budget)
{
	host_begin();
	must_build(none);
	ck_assert_int_eq(plan.mode, MODE_FULL);
	ck_assert_str_eq(plan.method, "full/2");
	ck_assert_int_eq(plan.io.window_bytes, -1);
	ck_assert_int_eq(plan.io.pace_bytes_per_s, -1);
	ck_assert_int_eq(plan.write_budget_ns, -1);
	ck_assert_int_eq(plan.read_budget_ns, -1);
	ck_assert_int_eq(plan.until_steady, 0);
	ck_assert_int_eq(plan.time_limit_ns, -1);
	ck_assert_int_eq(plan.repeat, 1);
	ck_assert_int_eq(plan.judges_write, 1);
	ck_assert_int_eq(plan.judges_read, 1);
	ck_assert_int_eq(plan.mixed_read_percent, -1);
	ck_assert_int_eq(plan.control, CONTROL_IF_BELOW);
	ck_assert_int_eq(plan.together, 0);
	ck_assert_int_eq(plan.io.direct, 0);
	ck_assert_int_eq(plan.io.pin, 0);
	ck_assert_int_eq(plan.io.data, DATA_UNIQUE);
	ck_assert_int_eq(plan.io.compressible_percent, -1);
	ck_assert_int_eq(plan.io.integrity, INTEGRITY_STAMPS);
	must_say("data", "stamp that the reader checks");
	must_say("control", "if a phase is below");
	ck_assert_ptr_null(reason("test"));
	ck_assert_ptr_null(reason("pace"));
	ck_assert_ptr_null(reason("runs"));
	ck_assert_ptr_null(reason("phases"));
	host_end();
}
END_TEST

START_TEST(quick_is_a_minute_and_a_small_part_of_the_space)
{
	struct plan_wishes w = none;

	host_begin();
	w.quick = true;
	must_build(w);
	ck_assert_int_eq(plan.mode, MODE_QUICK);
	ck_assert_str_eq(plan.method, "quick/1");
	ck_assert_int_eq(plan.time_limit_ns, 60 * NS_PER_S);
	ck_assert_int_eq(plan.write_budget_ns, 24 * NS_PER_S);
	ck_assert_int_eq(plan.read_budget_ns, 24 * NS_PER_S);
	ck_assert_int_eq(plan.expected_ns, 48 * NS_PER_S);
	ck_assert_int_eq(plan.until_steady, 1);
	ck_assert_int_eq(plan.bytes_per_worker, 50 * GIB / 8);
	ck_assert_int_eq(plan.sized_by, SIZED_BY_QUICK);
	ck_assert_int_eq(plan.wanted_bytes_per_worker, 64 * GIB);
	ck_assert_int_eq(plan.io.window_bytes, 256 * MIB);
	ck_assert_int_eq(plan.io.pace_bytes_per_s, -1);
	/* Of each writer its window, and the piece that it writes before it waits again. */
	ck_assert_int_eq(plan.dirty_peak_bytes, 8 * (256 + 8) * MIB);
	ck_assert_int_eq(plan.needs_consent, 0);
	ck_assert_int_eq(plan.requirement_given, 0);
	must_say("test", "steady");
	must_say("file per worker", "5 % of the free space");
	must_say("time", "24.0 s for writing and 24.0 s for reading");
	must_say("dirty memory", "8 MiB");
	must_say("dirty memory", "256 MiB");
	host_end();
}
END_TEST

START_TEST(quick_sizes_keep_their_caps)
{
	static const struct {
		const char *what;
		int64_t free_bytes;
		int64_t memory_bytes;
		int64_t size;
		int64_t block;
		int64_t want;
		int sized_by;
	} rows[] = {
		{ "64 GiB", 4000 * GIB, 64 * GIB, -1, -1, 8 * GIB, SIZED_BY_QUICK },
		{ "5 %", 800 * GIB, 64 * GIB, -1, -1, 5 * GIB, SIZED_BY_QUICK },
		{ "a full run", 1000 * GIB, 4 * GIB, -1, -1, 4 * GIB, SIZED_BY_QUICK },
		{ "half of what is above the reserve", 108 * GIB, 64 * GIB, -1, -1, GIB / 2,
		  SIZED_BY_QUICK },
		{ "memory unknown", 800 * GIB, -1, -1, -1, 5 * GIB, SIZED_BY_QUICK },
		{ "an option below", 1000 * GIB, 64 * GIB, GIB, -1, GIB, SIZED_BY_OPTION },
		{ "an option above", 1000 * GIB, 64 * GIB, 100 * GIB, -1, 50 * GIB / 8,
		  SIZED_BY_QUICK },
		{ "whole pages", 1000 * GIB, 64 * GIB, 10000, 512, 8192, SIZED_BY_OPTION },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plan_wishes w = none;

		host_begin();
		host.targets[0].free_bytes = rows[i].free_bytes;
		host.memory_bytes = rows[i].memory_bytes;
		w.quick = true;
		w.bytes_per_worker = rows[i].size;
		w.block_bytes = rows[i].block;
		must_build(w);
		ck_assert_msg(plan.bytes_per_worker == rows[i].want, "%s: %lld bytes", rows[i].what,
			      (long long)plan.bytes_per_worker);
		ck_assert_msg(plan.sized_by == rows[i].sized_by, "%s: sized by %d", rows[i].what,
			      plan.sized_by);
		ck_assert_int_eq(plan.bytes_per_worker % plan.block_bytes, 0);
		ck_assert_msg(plan.needs_consent == 0, "%s: %s", rows[i].what, plan.consent);
		host_end();
	}
}
END_TEST

START_TEST(a_light_test_writes_four_gib_at_most_and_compares_nothing)
{
	struct plan_wishes w = none;

	host_begin();
	w.quick = true;
	w.light = true;
	must_build(w);
	ck_assert_int_eq(plan.light, 1);
	ck_assert_int_le(plan.total_bytes, 4 * GIB);
	ck_assert_int_gt(plan.total_bytes, 3 * GIB);
	ck_assert_int_eq(plan.control, CONTROL_NEVER);
	must_say("file per worker", "4 GiB");
	host_end();
}
END_TEST

START_TEST(quick_says_what_a_size_above_its_caps_was)
{
	struct plan_wishes w = none;

	host_begin();
	w.quick = true;
	w.bytes_per_worker = 100 * GIB;
	must_build(w);
	must_say("file per worker", "less than 100 GiB");
	must_say("file per worker", "64 GiB");
	host_end();
}
END_TEST

START_TEST(quick_without_a_block_for_each_worker_is_refused)
{
	struct plan_wishes w = none;

	host_begin();
	w.quick = true;
	host.targets[0].size_bytes = 8 * MIB;
	host.targets[0].free_bytes = 8 * MIB;
	ck_assert_int_eq(build(w), -ENOSPC);
	ck_assert_msg(strstr(err.sentence, "--quick") != NULL, "%s", err.sentence);
	ck_assert_int_eq(err.status, EXIT_STATUS_FAILED);
	host_end();
}
END_TEST

START_TEST(quick_follows_its_time_limit)
{
	struct plan_wishes w = none;

	host_begin();
	w.quick = true;
	w.time_limit_ns = 10 * NS_PER_S;
	must_build(w);
	ck_assert_int_eq(plan.time_limit_ns, 10 * NS_PER_S);
	ck_assert_int_eq(plan.write_budget_ns, 4 * NS_PER_S);
	w.time_limit_ns = 7200 * NS_PER_S;
	plan_done(&plan);
	must_build(w);
	ck_assert_int_eq(plan.needs_consent, 0);
	host_end();
}
END_TEST

START_TEST(quick_windows_shrink_with_the_memory_limit)
{
	struct plan_wishes w = none;

	host_begin();
	w.quick = true;
	host.memory_limit_bytes = 2 * GIB;
	must_build(w);
	ck_assert_int_eq(plan.io.window_bytes, 32 * MIB);
	host_end();
}
END_TEST

START_TEST(prove_holds_a_pace_just_above_the_rate)
{
	struct plan_wishes w = none;

	host_begin();
	w.prove = "75";
	w.workers = 4;
	must_build(w);
	ck_assert_int_eq(plan.mode, MODE_PROVE);
	ck_assert_str_eq(plan.method, "prove/1");
	ck_assert_double_eq(plan.requirement_mib_per_s, 75);
	ck_assert_int_eq(plan.requirement_given, 1);
	ck_assert_int_eq(plan.io.pace_bytes_per_s, 153 * MIB);
	ck_assert_int_eq(plan.bytes_per_worker, 24 * 150 * MIB);
	ck_assert_int_eq(plan.sized_by, SIZED_BY_QUICK);
	ck_assert_int_eq(plan.until_steady, 0);
	ck_assert_int_eq(plan.write_budget_ns, 24 * NS_PER_S);
	ck_assert_int_eq(plan.time_limit_ns, 60 * NS_PER_S);
	ck_assert_int_eq(plan.io.window_bytes, 256 * MIB);
	ck_assert_int_eq(plan.control, CONTROL_NEVER);
	ck_assert_int_eq(plan.needs_consent, 0);
	must_say("pace", "153.00 MiB/s");
	must_say("pace", "2 % above");
	host_end();
}
END_TEST

START_TEST(prove_takes_names_and_keeps_the_caps_of_quick)
{
	struct plan_wishes w = none;

	host_begin();
	w.prove = "aws-heavy";
	w.cores = 48;
	must_build(w);
	ck_assert_str_eq(plan.requirement_name, "aws-heavy");
	ck_assert_int_eq(plan.io.pace_bytes_per_s, 918 * MIB);
	ck_assert_int_eq(plan.bytes_per_worker, 50 * GIB / 8);
	plan_done(&plan);
	w.prove = "swift";
	ck_assert_int_eq(build(w), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.sentence, "--prove: 'swift'"));
	plan_init(&plan);
	w.prove = "1000000000000000";
	ck_assert_int_eq(build(w), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.sentence, "--prove"));
	host_end();
}
END_TEST

START_TEST(methods_name_all_that_changes_a_rate)
{
	static const struct {
		struct plan_wishes w;
		const char *method;
	} rows[] = {
#define W                                                                      \
	.cores = -1, .workers = -1, .bytes_per_worker = -1, .block_bytes = -1, \
	.blocks_per_worker = -1, .time_limit_ns = -1, .repeat = -1
		{ { W, .mixed_read_percent = -1, .direct = true }, "full/2+direct" },
		{ { W, .mixed_read_percent = 70 }, "full/2+mixed70" },
		{ { W, .mixed_read_percent = -1, .together = true }, "full/2+together" },
		{ { W, .mixed_read_percent = -1, .pin = true }, "full/2+pin" },
		{ { W, .mixed_read_percent = -1, .data = "unique" }, "full/2" },
		{ { W, .mixed_read_percent = -1, .data = "zeros" }, "full/2+zeros" },
		{ { W, .mixed_read_percent = -1, .data = "compressible=50" },
		  "full/2+compressible50" },
		{ { W, .mixed_read_percent = -1, .data = "/some/file" }, "full/2+file" },
		{ { W, .mixed_read_percent = -1, .phases = "write" }, "full/2+write" },
		{ { W, .mixed_read_percent = -1, .phases = "read" }, "full/2+read" },
		{ { W, .mixed_read_percent = -1, .phases = "read,write" }, "full/2" },
		{ { W, .mixed_read_percent = 30, .quick = true, .direct = true, .together = true,
		    .pin = true, .data = "zeros" },
		  "quick/1+direct+mixed30+together+pin+zeros" },
		{ { W, .mixed_read_percent = -1, .prove = "10", .direct = true, .data = "/f",
		    .phases = "write" },
		  "prove/1+direct+file+write" },
#undef W
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		host_begin();
		add_target("/b", "8:2");
		must_build(rows[i].w);
		ck_assert_str_eq(plan.method, rows[i].method);
		host_end();
	}
}
END_TEST

START_TEST(phases_of_one_are_judged_alone)
{
	struct plan_wishes w = none;

	host_begin();
	w.bytes_per_worker = 100 * MIB;
	w.phases = "write";
	must_build(w);
	ck_assert(plan_judges(&plan, PHASE_WRITE) && !plan_judges(&plan, PHASE_READ));
	ck_assert_int_eq(plan.expected_ns, NS_PER_S);
	must_say("phases", "nothing is read back");
	plan_done(&plan);
	w.phases = "read";
	must_build(w);
	ck_assert(!plan_judges(&plan, PHASE_WRITE) && plan_judges(&plan, PHASE_READ));
	ck_assert_int_eq(plan.expected_ns, 2 * NS_PER_S);
	must_say("phases", "have to be written first");
	host_end();
}
END_TEST

START_TEST(a_mixed_run_shares_its_bytes_out)
{
	struct plan_wishes w = none;

	host_begin();
	w.bytes_per_worker = 100 * MIB;
	w.mixed_read_percent = 70;
	must_build(w);
	ck_assert_int_eq(plan.mixed_read_percent, 70);
	ck_assert_int_eq(plan.judges_write, 0);
	ck_assert_int_eq(plan.judges_read, 0);
	ck_assert(plan_judges(&plan, PHASE_MIXED));
	ck_assert_int_eq(plan.total_bytes, 8 * 100 * MIB);
	ck_assert_int_eq(plan_mixed_read_bytes(&plan), 70 * MIB);
	ck_assert_int_eq(plan.expected_ns, 17 * NS_PER_S / 10);
	ck_assert_int_eq(plan.control, CONTROL_NEVER);
	must_say("mixed", "70 MiB");
	must_say("mixed", "30 MiB");
	host_end();
}
END_TEST

START_TEST(a_mixed_file_has_at_least_one_block)
{
	static const struct {
		int64_t blocks;
		int64_t percent;
		int64_t want_blocks;
	} rows[] = {
		{ 2, 1, 1 }, { 2, 99, 1 }, { 3, 99, 2 }, { 10, 55, 6 }, { 1000, 99, 990 },
	};
	struct plan_wishes w = none;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		host_begin();
		w.blocks_per_worker = rows[i].blocks;
		w.mixed_read_percent = rows[i].percent;
		must_build(w);
		ck_assert_int_eq(plan_mixed_read_bytes(&plan), rows[i].want_blocks * 64 * KIB);
		host_end();
	}
	host_begin();
	w.blocks_per_worker = 1;
	ck_assert_int_eq(build(w), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.sentence, "--mixed"));
	host_end();
}
END_TEST

START_TEST(a_mixed_run_needs_two_inodes_for_each_worker)
{
	struct plan_wishes w = none;

	host_begin();
	host.targets[0].inodes = 100;
	host.targets[0].free_inodes = 16;
	w.mixed_read_percent = 50;
	ck_assert_int_eq(build(w), -ENOSPC);
	ck_assert_ptr_nonnull(strstr(err.sentence, "16 files"));
	host_end();
}
END_TEST

START_TEST(targets_together_share_a_file_system)
{
	struct plan_wishes w = none;

	host_begin();
	add_target("/a/b", "8:1");
	add_target("/c", "8:2");
	w.together = true;
	w.bytes_per_worker = 100 * GIB;
	must_build(w);
	/* 1000 GiB less one reserve of 100, in two, for 8 workers. */
	ck_assert_int_eq(plan.together, 1);
	ck_assert_int_eq(plan.usable_bytes, 450 * GIB);
	ck_assert_int_eq(plan.bytes_per_worker, 450 * GIB / 8);
	ck_assert_int_eq(plan.free_after_bytes, 100 * GIB);
	must_say("together", "3 targets");
	must_say("together", "2 of them lie on this file system");
	plan_done(&plan);
	ck_assert_int_eq(plan_build(&host, 2, &w, &plan, &err), 0);
	ck_assert_int_eq(plan.bytes_per_worker, 100 * GIB);
	host_end();
}
END_TEST

START_TEST(quick_targets_together_share_caps_and_memory)
{
	struct plan_wishes w = none;

	host_begin();
	add_target("/a/b", "8:1");
	w.together = true;
	w.quick = true;
	host.memory_bytes = 4 * GIB;
	host.targets[0].free_bytes = 100 * GIB + 64 * GIB;
	must_build(w);
	ck_assert_int_eq(plan.bytes_per_worker, (100 * GIB + 64 * GIB) / 20 / 16 / 65536 * 65536);
	ck_assert_int_eq(plan.io.window_bytes, 32 * MIB);
	host_end();
}
END_TEST

START_TEST(targets_in_memory_share_it_together)
{
	struct plan_wishes w = none;

	host_begin();
	add_target("/c", "0:44");
	host.targets[0].kind = TARGET_MEMORY;
	host.targets[1].kind = TARGET_MEMORY;
	w.together = true;
	must_build(w);
	ck_assert_int_eq(plan.total_bytes, 15 * GIB);
	ck_assert_int_eq(plan.sized_by, SIZED_BY_MEMORY_FS);
	host_end();
}
END_TEST

START_TEST(targets_of_unknown_devices_share_nothing)
{
	struct plan_wishes w = none;

	host_begin();
	add_target("/c", "");
	xstr_set(&host.targets[0].device_number, "");
	w.together = true;
	must_build(w);
	ck_assert_int_eq(plan.usable_bytes, 900 * GIB);
	host_end();
}
END_TEST

START_TEST(repeats_count_for_time_and_consent)
{
	struct plan_wishes w = none;

	host_begin();
	w.bytes_per_worker = 10000 * MIB;
	w.repeat = 5;
	must_build(w);
	ck_assert_int_eq(plan.repeat, 5);
	ck_assert_int_eq(plan.expected_ns, 1000 * NS_PER_S);
	ck_assert_int_eq(plan.needs_consent, 0);
	must_say("runs", "5");
	w.repeat = 10;
	plan_done(&plan);
	must_build(w);
	ck_assert_int_eq(plan.needs_consent, 1);
	ck_assert_ptr_nonnull(strstr(plan.consent, "for 10 runs"));
	plan_done(&plan);
	w.time_limit_ns = 60 * NS_PER_S;
	must_build(w);
	ck_assert_int_eq(plan.needs_consent, 0);
	plan_done(&plan);
	w.time_limit_ns = 200 * NS_PER_S;
	must_build(w);
	ck_assert_int_eq(plan.needs_consent, 1);
	plan_done(&plan);
	w.time_limit_ns = -1;
	w.quick = true;
	must_build(w);
	ck_assert_int_eq(plan.expected_ns, 480 * NS_PER_S);
	ck_assert_int_eq(plan.needs_consent, 0);
	plan_done(&plan);
	w.repeat = 100;
	must_build(w);
	ck_assert_int_eq(plan.needs_consent, 1);
	host_end();
}
END_TEST

START_TEST(direct_leaves_nothing_in_memory)
{
	struct plan_wishes w = none;

	host_begin();
	w.direct = true;
	must_build(w);
	ck_assert_int_eq(plan.io.direct, 1);
	ck_assert_int_eq(plan.dirty_peak_bytes, 0);
	must_say("transfers", "O_DIRECT");
	plan_done(&plan);
	w.quick = true;
	must_build(w);
	ck_assert_int_eq(plan.io.window_bytes, -1);
	host_end();
}
END_TEST

START_TEST(pinning_needs_cores_that_can_be_told_apart)
{
	struct plan_wishes w = none;

	host_begin();
	w.pin = true;
	must_build(w);
	ck_assert_int_eq(plan.io.pin, 1);
	must_say("cores", "begins again");
	host_end();
	host_begin();
	while (host.n_cores > 0)
		free(host.cores[--host.n_cores].cpus);
	ck_assert_int_eq(build(w), -ENODATA);
	ck_assert_ptr_nonnull(strstr(err.sentence, "cores could not be told apart"));
	host_end();
}
END_TEST

START_TEST(the_control_is_made_where_it_compares_something)
{
	struct plan_wishes w = none;

	host_begin();
	w.control = true;
	must_build(w);
	ck_assert_int_eq(plan.control, CONTROL_ALWAYS);
	must_say("control", "after all phases");
	plan_done(&plan);
	host.targets[0].kind = TARGET_MEMORY;
	must_build(w);
	ck_assert_int_eq(plan.control, CONTROL_NEVER);
	must_say("control", "in memory");
	host_end();
}
END_TEST

START_TEST(data_is_what_was_asked_for)
{
	static const struct {
		const char *in;
		int data;
		int64_t percent;
		const char *file;
		const char *says;
	} rows[] = {
		{ "unique", DATA_UNIQUE, -1, "", "cannot be compressed" },
		{ "zeros", DATA_ZEROS, -1, "", "deduplicates" },
		{ "compressible=1", DATA_COMPRESSIBLE, 1, "", "1 % of every 4 KiB" },
		{ "compressible=99", DATA_COMPRESSIBLE, 99, "", "99 % of every 4 KiB" },
		{ "/srv/dump", DATA_FILE, -1, "/srv/dump", "/srv/dump" },
	};
	struct plan_wishes w = none;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		host_begin();
		w.data = rows[i].in;
		w.integrity = INTEGRITY_FULL;
		must_build(w);
		ck_assert_int_eq(plan.io.data, rows[i].data);
		ck_assert_int_eq(plan.io.compressible_percent, rows[i].percent);
		ck_assert_str_eq(text_of(plan.io.data_file), rows[i].file);
		ck_assert_int_eq(plan.io.integrity, INTEGRITY_FULL);
		must_say("data", rows[i].says);
		must_say("data", "compares every byte");
		host_end();
	}
}
END_TEST

static void quick(struct plan_wishes *w)
{
	w->quick = true;
}
static void prove(struct plan_wishes *w)
{
	w->prove = "100";
}
static void require(struct plan_wishes *w)
{
	w->require = "100";
}
static void mixed(struct plan_wishes *w)
{
	w->mixed_read_percent = 70;
}
static void mixed_too_much(struct plan_wishes *w)
{
	w->mixed_read_percent = 100;
}
static void phases(struct plan_wishes *w)
{
	w->phases = "write,read";
}
static void write_only(struct plan_wishes *w)
{
	w->phases = "write";
}
static void phases_unknown(struct plan_wishes *w)
{
	w->phases = "write,delete";
}
static void phases_twice(struct plan_wishes *w)
{
	w->phases = "read,read";
}
static void phases_cut(struct plan_wishes *w)
{
	w->phases = "write,";
}
static void control(struct plan_wishes *w)
{
	w->control = true;
}
static void full_integrity(struct plan_wishes *w)
{
	w->integrity = INTEGRITY_FULL;
}
static void together(struct plan_wishes *w)
{
	w->together = true;
}
static void too_often(struct plan_wishes *w)
{
	w->repeat = 101;
}
static void too_short(struct plan_wishes *w)
{
	w->time_limit_ns = 5 * NS_PER_S - 1;
}
static void compressible_100(struct plan_wishes *w)
{
	w->data = "compressible=100";
}
static void compressible_0(struct plan_wishes *w)
{
	w->data = "compressible=0";
}
static void compressible_nothing(struct plan_wishes *w)
{
	w->data = "compressible=";
}
static void data_unknown(struct plan_wishes *w)
{
	w->data = "random";
}
static void direct(struct plan_wishes *w)
{
	w->direct = true;
}
static void odd_block(struct plan_wishes *w)
{
	w->block_bytes = 1000;
}
static void nothing(struct plan_wishes *w UNUSED)
{
}

START_TEST(contradictions_name_both)
{
	static const struct {
		void (*one)(struct plan_wishes *w);
		void (*other)(struct plan_wishes *w);
		const char *names[2];
	} rows[] = {
		{ quick, prove, { "--quick", "--prove" } },
		{ prove, require, { "--prove", "--require" } },
		{ mixed, phases, { "--mixed", "--phases" } },
		{ mixed, control, { "--mixed", "--control" } },
		{ prove, control, { "--prove", "--control" } },
		{ write_only, full_integrity, { "--phases write", "--integrity full" } },
		{ quick, too_short, { "--quick", "--time-limit" } },
		{ prove, too_short, { "--prove", "--time-limit" } },
		{ direct, odd_block, { "1000 B", "512 B" } },
		{ together, nothing, { "--together", "-t" } },
		{ too_often, nothing, { "--repeat", "100" } },
		{ mixed_too_much, nothing, { "--mixed", "99" } },
		{ phases_unknown, nothing, { "--phases", "write,delete" } },
		{ phases_twice, nothing, { "--phases", "twice" } },
		{ phases_cut, nothing, { "--phases", "'write,'" } },
		{ compressible_100, nothing, { "--data", "99" } },
		{ compressible_0, nothing, { "--data", "99" } },
		{ compressible_nothing, nothing, { "--data", "99" } },
		{ data_unknown, nothing, { "--data", "'random'" } },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plan_wishes w = none;

		host_begin();
		rows[i].one(&w);
		rows[i].other(&w);
		ck_assert_msg(build(w) == -EINVAL, "row %zu", i);
		ck_assert_int_eq(err.status, EXIT_STATUS_USAGE);
		for (size_t n = 0; n < 2; n++)
			ck_assert_msg(strstr(err.sentence, rows[i].names[n]) != NULL, "row %zu: %s",
				      i, err.sentence);
		ck_assert_int_eq(plan.workers, -1);
		host_end();
	}
}
END_TEST

START_TEST(what_does_not_contradict_is_planned)
{
	static void (*const rows[][2])(struct plan_wishes *) = {
		{ quick, mixed },    { prove, mixed },		 { quick, control },
		{ quick, require },  { phases, full_integrity }, { mixed, full_integrity },
		{ direct, control }, { direct, mixed },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plan_wishes w = none;

		host_begin();
		rows[i][0](&w);
		rows[i][1](&w);
		must_build(w);
		host_end();
	}
}
END_TEST

SUITE_MAIN("modes", a_full_run_has_no_window_no_pace_and_no_budget,
	   quick_is_a_minute_and_a_small_part_of_the_space, quick_sizes_keep_their_caps,
	   a_light_test_writes_four_gib_at_most_and_compares_nothing,
	   quick_says_what_a_size_above_its_caps_was,
	   quick_without_a_block_for_each_worker_is_refused, quick_follows_its_time_limit,
	   quick_windows_shrink_with_the_memory_limit, prove_holds_a_pace_just_above_the_rate,
	   prove_takes_names_and_keeps_the_caps_of_quick, methods_name_all_that_changes_a_rate,
	   phases_of_one_are_judged_alone, a_mixed_run_shares_its_bytes_out,
	   a_mixed_file_has_at_least_one_block, a_mixed_run_needs_two_inodes_for_each_worker,
	   targets_together_share_a_file_system, quick_targets_together_share_caps_and_memory,
	   targets_in_memory_share_it_together, targets_of_unknown_devices_share_nothing,
	   repeats_count_for_time_and_consent, direct_leaves_nothing_in_memory,
	   pinning_needs_cores_that_can_be_told_apart,
	   the_control_is_made_where_it_compares_something, data_is_what_was_asked_for,
	   contradictions_name_both, what_does_not_contradict_is_planned)
