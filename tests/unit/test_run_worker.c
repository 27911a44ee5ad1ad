/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_worker - the loop of a worker against scripted I/O
 */
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "iotest/compiler.h"
#include "iotest/plan.h"
#include "run/worker.h"
#include "script_io.h"

#define BLOCK 4096
#define BYTES (10 * BLOCK)
#define ALWAYS 1, INT_MAX

static struct board *board;
static char buffer[BLOCK];

static struct worker_job job_of(int phase)
{
	struct worker_job job = {
		.io = &script_io,
		.board = board,
		.slot = &board->slots[0],
		.phase = phase,
		.fd = -1,
		.bytes = BYTES,
		.block_bytes = BLOCK,
		.fsync_in_window = 1,
	};

	pattern_init(&job.pattern, DATA_UNIQUE, "test", 0);
	return job;
}

static void set_up(void)
{
	ck_assert_int_eq(board_open(1, &board), 0);
}

static void tear_down(void)
{
	board_close(&board);
}

static struct worker_result result(void)
{
	struct worker_result r;

	board_collect(&board->slots[0], 0, &r);
	return r;
}

static const struct {
	const char *name;
	int phase;
	struct script_rule rule;
	int64_t want_bytes;
	int64_t want_ops;
	int want_error;
	int want_op;
	int want_fsyncs;
} cases[] = {
	{ "plain write", PHASE_WRITE, { .cap_bytes = -1 }, BYTES, 10, 0, OP_NONE, 1 },
	{ "plain read", PHASE_READ, { .cap_bytes = -1 }, BYTES, 10, 0, OP_NONE, 0 },
	{ "short writes are continued",
	  PHASE_WRITE,
	  { SCRIPT_PWRITE, ALWAYS, .cap_bytes = 1000 },
	  BYTES,
	  50,
	  0,
	  OP_NONE,
	  1 },
	{ "short reads are continued",
	  PHASE_READ,
	  { SCRIPT_PREAD, ALWAYS, .cap_bytes = 1000 },
	  BYTES,
	  50,
	  0,
	  OP_NONE,
	  0 },
	{ "a storm of EINTR is sat out",
	  PHASE_WRITE,
	  { SCRIPT_PWRITE, 3, 5000, .error = EINTR },
	  BYTES,
	  10,
	  0,
	  OP_NONE,
	  1 },
	{ "a storm of EINTR while reading is sat out",
	  PHASE_READ,
	  { SCRIPT_PREAD, 1, 5000, .error = EINTR },
	  BYTES,
	  10,
	  0,
	  OP_NONE,
	  0 },
	{ "EINTR of fsync is sat out",
	  PHASE_WRITE,
	  { SCRIPT_FSYNC, 1, 3, .error = EINTR },
	  BYTES,
	  10,
	  0,
	  OP_NONE,
	  4 },
	{ "EIO at the fourth write ends it there",
	  PHASE_WRITE,
	  { SCRIPT_PWRITE, 4, 4, .error = EIO },
	  3 * BLOCK,
	  3,
	  EIO,
	  OP_WRITE,
	  0 },
	{ "ENOSPC at the first write",
	  PHASE_WRITE,
	  { SCRIPT_PWRITE, ALWAYS, .error = ENOSPC },
	  0,
	  0,
	  ENOSPC,
	  OP_WRITE,
	  0 },
	{ "a write of nothing is EIO",
	  PHASE_WRITE,
	  { SCRIPT_PWRITE, 2, INT_MAX, .cap_bytes = 0 },
	  BLOCK,
	  1,
	  EIO,
	  OP_WRITE,
	  0 },
	{ "EIO of fsync alone keeps the bytes and tells",
	  PHASE_WRITE,
	  { SCRIPT_FSYNC, 1, 1, .error = EIO },
	  BYTES,
	  10,
	  EIO,
	  OP_FSYNC,
	  1 },
	{ "EIO at the third read",
	  PHASE_READ,
	  { SCRIPT_PREAD, 3, 3, .error = EIO },
	  2 * BLOCK,
	  2,
	  EIO,
	  OP_READ,
	  0 },
	{ "the end of the file before its time is EIO",
	  PHASE_READ,
	  { SCRIPT_PREAD, 6, INT_MAX, .cap_bytes = 0 },
	  5 * BLOCK,
	  5,
	  EIO,
	  OP_READ,
	  0 },
};

START_TEST(a_fault_is_told_with_its_place)
{
	struct worker_job job = job_of(cases[_i].phase);
	struct worker_result r;
	int rc;

	script_start(&cases[_i].rule, 1);
	rc = worker_move(&job, buffer);
	r = result();

	ck_assert_msg(rc == -cases[_i].want_error, "%s: %d", cases[_i].name, rc);
	ck_assert_int_eq(r.bytes, cases[_i].want_bytes);
	ck_assert_int_eq(script_bytes(), cases[_i].want_bytes);
	ck_assert_int_eq(r.ops, cases[_i].want_ops);
	ck_assert_int_eq(r.error, cases[_i].want_error);
	ck_assert_int_eq(r.error_op, cases[_i].want_op);
	ck_assert_int_eq(r.error_offset_bytes, cases[_i].want_error ? cases[_i].want_bytes : 0);
	ck_assert_int_eq(script_calls(SCRIPT_FSYNC), cases[_i].want_fsyncs);
	ck_assert_int_eq(SLOT_GET(board->slots[0].is_complete), cases[_i].want_error == 0);
	ck_assert(script_was_sequential());
}
END_TEST

START_TEST(an_error_inside_a_block_is_placed_at_its_byte)
{
	static const struct script_rule rules[] = {
		{ SCRIPT_PWRITE, 2, 2, .cap_bytes = 100 },
		{ SCRIPT_PWRITE, 3, 3, .error = EDQUOT },
	};
	struct worker_job job = job_of(PHASE_WRITE);

	script_start(rules, ARRAY_LEN(rules));
	ck_assert_int_eq(worker_move(&job, buffer), -EDQUOT);
	ck_assert_int_eq(result().error_offset_bytes, BLOCK + 100);
	ck_assert_int_eq(result().bytes, BLOCK + 100);
}
END_TEST

START_TEST(the_end_stamp_follows_fsync)
{
	/* The clock's third look is the one after fsync. */
	static const struct script_rule rules[] = {
		{ SCRIPT_CLOCK, 3, 3, .step_ns = 5 * NS_PER_S },
	};
	struct worker_job job = job_of(PHASE_WRITE);
	struct worker_result r;

	script_start(rules, ARRAY_LEN(rules));
	ck_assert_int_eq(worker_move(&job, buffer), 0);
	r = result();
	ck_assert_int_eq(r.last_io_ns - r.start_ns, NS_PER_MS);
	ck_assert_int_eq(r.fsync_ns, 5 * NS_PER_S + NS_PER_MS);
	ck_assert_int_eq(r.end_ns, r.last_io_ns + r.fsync_ns);
}
END_TEST

START_TEST(without_fsync_in_the_window_the_end_is_the_last_write)
{
	struct worker_job job = job_of(PHASE_WRITE);
	struct worker_result r;

	job.fsync_in_window = 0;
	script_start(NULL, 0);
	ck_assert_int_eq(worker_move(&job, buffer), 0);
	r = result();
	ck_assert_int_eq(script_calls(SCRIPT_FSYNC), 0);
	ck_assert_int_eq(r.end_ns, r.last_io_ns);
	ck_assert_int_eq(r.fsync_ns, 0);
	ck_assert(SLOT_GET(board->slots[0].is_complete));
}
END_TEST

START_TEST(a_clock_that_steps_back_gives_no_negative_duration)
{
	/* Before the last write's stamp, or before the one after fsync. */
	const struct script_rule rule = {
		SCRIPT_CLOCK,
		_i,
		_i,
		.step_ns = -500 * NS_PER_MS,
	};
	struct worker_job job = job_of(PHASE_WRITE);
	struct worker_result r;

	script_start(&rule, 1);
	ck_assert_int_eq(worker_move(&job, buffer), 0);
	r = result();
	ck_assert_int_ge(r.start_ns, 0);
	ck_assert_int_ge(r.last_io_ns, r.start_ns);
	ck_assert_int_ge(r.end_ns, r.last_io_ns);
	ck_assert_int_ge(r.fsync_ns, 0);
}
END_TEST

START_TEST(a_start_before_the_gate_counts_from_the_gate)
{
	struct worker_result r;

	SLOT_PUT(board->slots[0].start_ns, 500);
	board_collect(&board->slots[0], 1000, &r);
	ck_assert_int_eq(r.start_ns, 0);
	ck_assert_int_eq(r.end_ns, -1);
}
END_TEST

static int32_t order_to_give;

static void give_order(void)
{
	SLOT_PUT(board->stop, order_to_give);
}

static const struct {
	int32_t order;
	int want_fsyncs;
} stops[] = {
	{ STOP_FINISH, 1 },
	{ STOP_ABANDON, 0 },
};

START_TEST(a_stop_ends_after_the_block_under_way)
{
	static const struct script_rule rules[] = {
		{ SCRIPT_PWRITE, 4, 4, .cap_bytes = 10, .before = give_order },
	};
	struct worker_job job = job_of(PHASE_WRITE);

	order_to_give = stops[_i].order;
	script_start(rules, ARRAY_LEN(rules));
	ck_assert_int_eq(worker_move(&job, buffer), 0);
	ck_assert_int_eq(result().bytes, 4 * BLOCK);
	ck_assert_int_eq(script_calls(SCRIPT_FSYNC), stops[_i].want_fsyncs);
	ck_assert(!SLOT_GET(board->slots[0].is_complete));
}
END_TEST

START_TEST(a_short_last_block_is_moved_exactly)
{
	struct worker_job job = job_of(PHASE_WRITE);

	job.bytes = 2 * BLOCK + 77;
	script_start(NULL, 0);
	ck_assert_int_eq(worker_move(&job, buffer), 0);
	ck_assert_int_eq(script_bytes(), 2 * BLOCK + 77);
	ck_assert_int_eq(script_calls(SCRIPT_PWRITE), 3);
	ck_assert_uint_eq(script_longest_request(), BLOCK);
}
END_TEST

START_TEST(slots_share_no_cache_line)
{
	struct board *two = NULL;

	ck_assert_int_eq(board_open(2, &two), 0);
	ck_assert_uint_eq((uintptr_t)&two->slots[0] % BOARD_LINE_BYTES, 0);
	ck_assert_uint_ge((uintptr_t)&two->slots[1] - (uintptr_t)&two->slots[0], BOARD_LINE_BYTES);
	ck_assert_uint_ge((uintptr_t)&two->slots[0] - (uintptr_t)&two->stop, BOARD_LINE_BYTES);
	board_close(&two);
	ck_assert_ptr_null(two);
	ck_assert_int_eq(board_open(0, &two), -EINVAL);
	ck_assert_int_eq(board_open(SIZE_MAX / 2, &two), -EINVAL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("run_worker");
	TCase *tc = tcase_create("worker");
	SRunner *sr;
	int failed;

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, a_fault_is_told_with_its_place, 0, ARRAY_LEN(cases));
	tcase_add_test(tc, an_error_inside_a_block_is_placed_at_its_byte);
	tcase_add_test(tc, the_end_stamp_follows_fsync);
	tcase_add_test(tc, without_fsync_in_the_window_the_end_is_the_last_write);
	tcase_add_loop_test(tc, a_clock_that_steps_back_gives_no_negative_duration, 2, 4);
	tcase_add_test(tc, a_start_before_the_gate_counts_from_the_gate);
	tcase_add_loop_test(tc, a_stop_ends_after_the_block_under_way, 0, ARRAY_LEN(stops));
	tcase_add_test(tc, a_short_last_block_is_moved_exactly);
	tcase_add_test(tc, slots_share_no_cache_line);
	suite_add_tcase(suite, tc);
	sr = srunner_create(suite);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
