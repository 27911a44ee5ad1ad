/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_plan_file - the plan of one test of named files
 */
#include <errno.h>
#include <string.h>

#include "iotest/compiler.h"
#include "iotest/planner.h"
#include "iotest/run.h"
#include "iotest/xalloc.h"
#include "suite.h"

static struct host host;
static struct plan plan;
static struct err err;

static void given(int kind, int64_t size_bytes, int64_t free_bytes)
{
	host_done(&host);
	host_init(&host);
	host.targets = xcalloc(1, sizeof(*host.targets));
	host.n_targets = 1;
	schema_init(&target_schema, &host.targets[0]);
	host.targets[0].kind = kind;
	host.targets[0].read_only = 0;
	host.targets[0].size_bytes = size_bytes;
	host.targets[0].free_bytes = free_bytes;
	xstr_set(&host.targets[0].path, "/saswork");
	xstr_set(&host.targets[0].fs_type, "xfs");
	host.memory_bytes = 8 * GIB;
	err = (struct err){ 0 };
}

static struct file_wishes wishes(bool writes, int64_t bytes)
{
	return (struct file_wishes){
		.given = "work/f",
		.name = "f",
		.writes = writes,
		.bytes = bytes,
		.page_bytes = 128 * KIB,
		.pages = 1,
		.instances = -1,
	};
}

static int build(const struct file_wishes *w)
{
	return plan_build_file(&host, w, &plan, &err);
}

START_TEST(a_write_is_as_large_as_it_was_asked_for)
{
	struct file_wishes w = wishes(true, 138512695296);

	given(TARGET_LOCAL, 1000 * GIB, 500 * GIB);
	ck_assert_msg(build(&w) == 0, "%s", err.sentence);
	ck_assert_int_eq(plan.bytes_per_worker, 138512695296);
	ck_assert_int_eq(plan.blocks_per_worker, 1056768);
	ck_assert_int_eq(plan.total_bytes, 138512695296);
	ck_assert_int_eq(plan.workers, 1);
	ck_assert_int_eq(plan.cores, 1);
	ck_assert_int_eq(plan.needs_consent, 0);
	ck_assert_int_eq(plan.control, CONTROL_NEVER);
	ck_assert_str_eq(plan.method, "file/1+write");
	ck_assert(plan_judges(&plan, PHASE_WRITE) && !plan_judges(&plan, PHASE_READ));
	ck_assert(plan_has_file(&plan) && !plan_only_reads(&plan));
	plan_done(&plan);
}
END_TEST

START_TEST(a_read_is_no_larger_than_the_file)
{
	struct file_wishes w = wishes(false, 10 * MIB);

	given(TARGET_LOCAL, 1000 * GIB, 0);
	w.file_bytes = 3 * MIB + 1;
	ck_assert_msg(build(&w) == 0, "%s", err.sentence);
	ck_assert_int_eq(plan.bytes_per_worker, 3 * MIB + 1);
	ck_assert_int_eq(plan.wanted_bytes_per_worker, 10 * MIB);
	ck_assert_int_eq(plan.blocks_per_worker, 25);
	ck_assert_str_eq(plan.method, "file/1+read");
	ck_assert(plan_only_reads(&plan));
	plan_done(&plan);
}
END_TEST

START_TEST(without_a_size_the_whole_file_is_read)
{
	struct file_wishes w = wishes(false, -1);

	given(TARGET_LOCAL, 1000 * GIB, 0);
	w.file_bytes = 5 * GIB;
	w.random = true;
	w.cached = true;
	ck_assert_int_eq(build(&w), 0);
	ck_assert_int_eq(plan.bytes_per_worker, 5 * GIB);
	ck_assert_int_eq(plan.io.order, ORDER_RANDOM);
	ck_assert_int_eq(plan.io.drop_cache, 0);
	ck_assert_str_eq(plan.method, "file/1+random+cached+read");
	plan_done(&plan);
}
END_TEST

START_TEST(the_way_of_io_is_data_of_the_plan)
{
	struct file_wishes w = wishes(true, GIB);

	given(TARGET_LOCAL, 1000 * GIB, 500 * GIB);
	w.pages = 16;
	w.direct = w.dsync = w.force = true;
	w.instances = 3;
	ck_assert_int_eq(build(&w), 0);
	ck_assert_int_eq(plan.io.pages_per_transfer, 16);
	ck_assert_int_eq(plan.io.direct, 1);
	ck_assert_int_eq(plan.io.dsync, 1);
	ck_assert_int_eq(plan.io.overwrite, 1);
	ck_assert_int_eq(plan.io.numbered, 1);
	ck_assert_int_eq(plan.workers, 3);
	ck_assert_int_eq(plan.total_bytes, 3 * GIB);
	ck_assert_str_eq(plan.method, "file/1+pages16+direct+dsync+write");
	plan_done(&plan);
}
END_TEST

static const struct {
	const char *name;
	int kind;
	int64_t size_bytes, free_bytes, own_bytes, bytes;
	int want_rc;
	const char *sentence;
} rooms[] = {
	{ "fits", TARGET_LOCAL, 100 * GIB, 50 * GIB, 0, 40 * GIB, 0, "" },
	{ "the reserve stays free", TARGET_LOCAL, 100 * GIB, 50 * GIB, 0, 40 * GIB + 1, -ENOSPC,
	  "40 GiB are available above the reserve" },
	{ "less than the reserve is free", TARGET_LOCAL, 100 * GIB, 5 * GIB, 0, MIB, -ENOSPC,
	  "0 B are available above the reserve" },
	{ "what is overwritten comes back", TARGET_LOCAL, 100 * GIB, 5 * GIB, GIB, GIB, 0, "" },
	{ "free space is not known", TARGET_LOCAL, -1, -1, 0, 40 * GIB, 0, "" },
	{ "half of the memory", TARGET_MEMORY, 100 * GIB, 50 * GIB, 0, 4 * GIB + 1, -ENOSPC,
	  "4 GiB are available in memory" },
	{ "a view of the kernel", TARGET_KERNEL, -1, -1, 0, MIB, -ENOTSUP,
	  "is a view of the kernel" },
};

START_TEST(a_write_leaves_room_for_others)
{
	struct file_wishes w = wishes(true, rooms[_i].bytes);

	given(rooms[_i].kind, rooms[_i].size_bytes, rooms[_i].free_bytes);
	w.own_bytes = rooms[_i].own_bytes;
	ck_assert_msg(build(&w) == rooms[_i].want_rc, "%s: %s", rooms[_i].name, err.sentence);
	ck_assert_msg(strstr(err.sentence, rooms[_i].sentence) != NULL, "%s: %s", rooms[_i].name,
		      err.sentence);
	if (rooms[_i].want_rc == 0)
		plan_done(&plan);
}
END_TEST

START_TEST(a_read_only_file_system_can_be_read)
{
	struct file_wishes w = wishes(false, MIB);

	given(TARGET_LOCAL, 100 * GIB, 0);
	host.targets[0].read_only = 1;
	w.file_bytes = MIB;
	ck_assert_int_eq(build(&w), 0);
	plan_done(&plan);
	w.writes = true;
	ck_assert_int_eq(build(&w), -EROFS);
}
END_TEST

START_TEST(a_limit_on_file_sizes_is_told_before)
{
	struct file_wishes w = wishes(true, 2 * MIB);

	given(TARGET_LOCAL, 100 * GIB, 50 * GIB);
	host.os.file_size_limit_bytes = MIB;
	ck_assert_int_eq(build(&w), -EFBIG);
}
END_TEST

START_TEST(instances_have_numbered_names)
{
	CLEANUP(xfree) char *one = NULL;
	CLEANUP(xfree) char *third = NULL;

	plan_init(&plan);
	one = plan_worker_file(&plan, "f.dat", 2);
	ck_assert_str_eq(one, "f.dat");
	plan.io.numbered = 1;
	third = plan_worker_file(&plan, "f.dat", 2);
	ck_assert_str_eq(third, "f.dat.3");
	plan_done(&plan);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plan_file");
	TCase *all = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_test(all, a_write_is_as_large_as_it_was_asked_for);
	tcase_add_test(all, a_read_is_no_larger_than_the_file);
	tcase_add_test(all, without_a_size_the_whole_file_is_read);
	tcase_add_test(all, the_way_of_io_is_data_of_the_plan);
	tcase_add_loop_test(all, a_write_leaves_room_for_others, 0, ARRAY_LEN(rooms));
	tcase_add_test(all, a_read_only_file_system_can_be_read);
	tcase_add_test(all, a_limit_on_file_sizes_is_told_before);
	tcase_add_test(all, instances_have_numbered_names);
	suite_add_tcase(suite, all);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? 1 : 0;
}
