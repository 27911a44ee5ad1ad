/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_order - pages in one transfer, and blocks at random, against scripted I/O
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/compiler.h"
#include "iotest/plan.h"
#include "iotest/xalloc.h"
#include "run/shuffle.h"
#include "run/worker.h"
#include "script_io.h"
#include "suite.h"

#define PAGE 4096
#define BLOCKS_MAX 4096
#define ALWAYS 1, INT_MAX

static struct board *board;
static char data[16 * PAGE];
static const struct worker_buffers buffers = { data, data, data };
static const struct io_spec spec = { .block_bytes = PAGE, .data = DATA_UNIQUE };
static unsigned char seen[BLOCKS_MAX];
static int64_t n_bytes;
static int n_forward;
static int64_t before;

static struct worker_job job_of(int phase, int64_t bytes, int64_t pages)
{
	struct worker_job job = {
		.io = &script_io,
		.board = board,
		.slot = &board->slots[0],
		.phase = phase,
		.file = { .fd = -1, .bytes = bytes, .block_stride = 1, .size_bytes = bytes },
		.block_bytes = PAGE * pages,
		.page_bytes = PAGE,
		.seed = 7,
	};

	content_init(&job.file.content, &spec, NULL, "test", 0, 1);
	return job;
}

static void see(int64_t at, int64_t len)
{
	ck_assert_int_eq(at % PAGE, 0);
	ck_assert_int_lt(at / PAGE, BLOCKS_MAX);
	seen[at / PAGE]++;
	n_bytes += len;
	n_forward += at == before + PAGE;
	before = at;
}

static void set_up(void)
{
	ck_assert_int_eq(board_open(1, &board), 0);
	memset(seen, 0, sizeof(seen));
	n_bytes = 0;
	n_forward = 0;
	before = -1;
	script_start(NULL, 0);
}

static void tear_down(void)
{
	board_close(&board);
}

static const uint64_t sizes[] = { 1, 2, 3, 7, 8, 9, 1000, 1024, 1025, 65537 };

START_TEST(a_shuffle_has_each_number_once)
{
	uint64_t n = sizes[_i];
	CLEANUP(xfree) unsigned char *found = xcalloc(n, 1);
	uint64_t n_in_place = 0;
	struct shuffle s;

	shuffle_init(&s, n, 42);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t x = shuffle_at(&s, i);

		ck_assert_uint_lt(x, n);
		ck_assert_uint_eq(found[x]++, 0);
		n_in_place += x == i;
	}
	ck_assert(n < 1000 || n_in_place < n / 50);
}
END_TEST

START_TEST(a_shuffle_of_a_large_file_stays_inside)
{
	const uint64_t n = 16908288; /* pages of 8K in 129G */
	struct shuffle s;

	shuffle_init(&s, n, 1);
	for (uint64_t i = 0; i < 100000; i++)
		ck_assert_uint_lt(shuffle_at(&s, n - 1 - i), n);
}
END_TEST

START_TEST(random_reading_reads_each_page_once_and_not_in_order)
{
	struct worker_job job = job_of(PHASE_READ, 1000 * PAGE + 100, 1);

	job.order = ORDER_RANDOM;
	job.file.is_foreign = true;
	script_watch(see);
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	ck_assert_int_eq(n_bytes, 1000 * PAGE + 100);
	for (int i = 0; i <= 1000; i++)
		ck_assert_msg(seen[i] == 1, "page %d was read %d times", i, seen[i]);
	ck_assert_int_lt(n_forward, 50);
	ck_assert(SLOT_GET(job.slot->is_complete));
}
END_TEST

START_TEST(random_reading_of_a_part_goes_over_the_whole_file)
{
	struct worker_job job = job_of(PHASE_READ, 100 * PAGE, 1);
	int n_upper = 0;

	job.order = ORDER_RANDOM;
	job.file.is_foreign = true;
	job.file.size_bytes = 2000 * PAGE;
	script_watch(see);
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	ck_assert_int_eq(n_bytes, 100 * PAGE);
	for (int i = 0; i < 2000; i++) {
		ck_assert_int_le(seen[i], 1);
		n_upper += i >= 1000 && seen[i];
	}
	ck_assert_int_gt(n_upper, 20);
	ck_assert_int_lt(n_upper, 80);
}
END_TEST

START_TEST(writing_is_never_at_random)
{
	struct worker_job job = job_of(PHASE_WRITE, 100 * PAGE, 1);

	job.order = ORDER_RANDOM;
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	ck_assert(script_was_sequential());
}
END_TEST

static const struct {
	int phase;
	enum script_call call, other;
} ways[] = {
	{ PHASE_WRITE, SCRIPT_PWRITEV, SCRIPT_PWRITE },
	{ PHASE_READ, SCRIPT_PREADV, SCRIPT_PREAD },
};

START_TEST(pages_go_in_one_call)
{
	struct worker_job job = job_of(ways[_i].phase, 64 * PAGE, 16);

	job.file.is_foreign = true;
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	ck_assert_int_eq(script_calls(ways[_i].call), 4);
	ck_assert_int_eq(script_calls(ways[_i].other), 0);
	ck_assert_int_eq(script_pages(), 16);
	ck_assert_int_eq(script_bytes(), 64 * PAGE);
	ck_assert(script_was_sequential());
}
END_TEST

START_TEST(a_transfer_that_was_cut_short_goes_on_within_its_page)
{
	const struct script_rule rules[] = {
		{ ways[_i].call, 1, 1, .cap_bytes = 3 * PAGE + 100 },
	};
	struct worker_job job = job_of(ways[_i].phase, 16 * PAGE, 16);

	job.file.is_foreign = true;
	script_start(rules, ARRAY_LEN(rules));
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	ck_assert_int_eq(script_calls(ways[_i].call), 2);
	ck_assert_int_eq(script_pages(), 13);
	ck_assert_int_eq(script_bytes(), 16 * PAGE);
	ck_assert(script_was_sequential());
}
END_TEST

START_TEST(the_last_transfer_has_fewer_pages)
{
	struct worker_job job = job_of(ways[_i].phase, 18 * PAGE + 5, 16);

	job.file.is_foreign = true;
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	ck_assert_int_eq(script_pages(), 3);
	ck_assert_int_eq(script_bytes(), 18 * PAGE + 5);
}
END_TEST

START_TEST(a_fault_of_many_pages_is_told)
{
	const struct script_rule rules[] = { { ways[_i].call, 2, 2, .error = EIO } };
	struct worker_job job = job_of(ways[_i].phase, 64 * PAGE, 16);

	job.file.is_foreign = true;
	script_start(rules, ARRAY_LEN(rules));
	ck_assert_int_eq(worker_move(&job, &buffers), -EIO);
	ck_assert_int_eq(SLOT_GET(job.slot->error_offset_bytes), 16 * PAGE);
}
END_TEST

START_TEST(what_is_not_ours_is_not_compared)
{
	struct worker_job job = job_of(PHASE_READ, 16 * PAGE, 1);

	job.file.is_foreign = true;
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	ck_assert_int_eq(SLOT_GET(job.slot->stamps), -1);
	ck_assert_int_le(SLOT_GET(job.slot->bad_stamps), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("run_order");
	TCase *all = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_checked_fixture(all, set_up, tear_down);
	tcase_set_timeout(all, 60);
	tcase_add_loop_test(all, a_shuffle_has_each_number_once, 0, ARRAY_LEN(sizes));
	tcase_add_test(all, a_shuffle_of_a_large_file_stays_inside);
	tcase_add_test(all, random_reading_reads_each_page_once_and_not_in_order);
	tcase_add_test(all, random_reading_of_a_part_goes_over_the_whole_file);
	tcase_add_test(all, writing_is_never_at_random);
	tcase_add_loop_test(all, pages_go_in_one_call, 0, ARRAY_LEN(ways));
	tcase_add_loop_test(all, a_transfer_that_was_cut_short_goes_on_within_its_page, 0,
			    ARRAY_LEN(ways));
	tcase_add_loop_test(all, the_last_transfer_has_fewer_pages, 0, ARRAY_LEN(ways));
	tcase_add_loop_test(all, a_fault_of_many_pages_is_told, 0, ARRAY_LEN(ways));
	tcase_add_test(all, what_is_not_ours_is_not_compared);
	suite_add_tcase(suite, all);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? 1 : 0;
}
