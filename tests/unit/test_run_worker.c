/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_worker - the loop of a worker against scripted I/O
 */
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/compiler.h"
#include "iotest/plan.h"
#include "run/worker.h"
#include "script_io.h"

#define BLOCK 4096
#define BYTES (10 * BLOCK)
#define ALWAYS 1, INT_MAX

static struct board *board;
static char data[BLOCK];
static char other_data[BLOCK];
static char scratch[BLOCK];
static const struct worker_buffers buffers = { data, other_data, scratch };
static const struct io_spec spec = { .block_bytes = BLOCK, .data = DATA_UNIQUE };

static struct worker_job job_of(int phase)
{
	struct worker_job job = {
		.io = &script_io,
		.board = board,
		.slot = &board->slots[0],
		.phase = phase,
		.file = { .fd = -1, .bytes = BYTES, .block_stride = 1 },
		.block_bytes = BLOCK,
		.fsync_in_window = 1,
	};

	content_init(&job.file.content, &spec, NULL, "test", 0, 1);
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
	{ "a write of nothing is ENODATA",
	  PHASE_WRITE,
	  { SCRIPT_PWRITE, 2, INT_MAX, .cap_bytes = 0 },
	  BLOCK,
	  1,
	  ENODATA,
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
	{ "the end of the file before its time is ENODATA",
	  PHASE_READ,
	  { SCRIPT_PREAD, 6, INT_MAX, .cap_bytes = 0 },
	  5 * BLOCK,
	  5,
	  ENODATA,
	  OP_READ,
	  0 },
};

START_TEST(a_fault_is_told_with_its_place)
{
	struct worker_job job = job_of(cases[_i].phase);
	struct worker_result r;
	int rc;

	script_start(&cases[_i].rule, 1);
	rc = worker_move(&job, &buffers);
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
	ck_assert_int_eq(worker_move(&job, &buffers), -EDQUOT);
	ck_assert_int_eq(result().error_offset_bytes, BLOCK + 100);
	ck_assert_int_eq(result().bytes, BLOCK + 100);
}
END_TEST

START_TEST(the_end_stamp_follows_fsync)
{
	/* Looks: one at the start, two at each of ten calls, one at the last byte, then fsync. */
	static const struct script_rule rules[] = {
		{ SCRIPT_CLOCK, 23, 23, .step_ns = 5 * NS_PER_S },
	};
	struct worker_job job = job_of(PHASE_WRITE);
	struct worker_result r;

	script_start(rules, ARRAY_LEN(rules));
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	r = result();
	ck_assert_int_eq(r.last_io_ns - r.start_ns, 21 * NS_PER_MS);
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
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
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
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
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
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	ck_assert_int_eq(result().bytes, 4 * BLOCK);
	ck_assert_int_eq(script_calls(SCRIPT_FSYNC), stops[_i].want_fsyncs);
	ck_assert(!SLOT_GET(board->slots[0].is_complete));
}
END_TEST

START_TEST(a_short_last_block_is_moved_exactly)
{
	struct worker_job job = job_of(PHASE_WRITE);

	job.file.bytes = 2 * BLOCK + 77;
	script_start(NULL, 0);
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	ck_assert_int_eq(script_bytes(), 2 * BLOCK + 77);
	ck_assert_int_eq(script_calls(SCRIPT_PWRITE), 3);
	ck_assert_uint_eq(script_longest_request(), BLOCK);
}
END_TEST

/* A file of its own, as the workers have it. */
static int make_file(void)
{
	int fd = memfd_create("iotest-unit", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

static struct worker_job real_job(int phase, int fd)
{
	struct worker_job job = job_of(phase);

	job.file.fd = fd;
	script_start(NULL, 0);
	script_reach_system();
	return job;
}

static void write_file(int fd)
{
	struct worker_job job = real_job(PHASE_WRITE, fd);

	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	board_close(&board);
	ck_assert_int_eq(board_open(1, &board), 0);
}

START_TEST(a_reader_finds_every_stamp_that_was_written)
{
	int fd = make_file();
	struct worker_job job;

	write_file(fd);
	job = real_job(PHASE_READ, fd);
	job.integrity = _i;
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	ck_assert_int_eq(result().stamps, BYTES / 4096);
	ck_assert_int_eq(result().bad_stamps, 0);
	ck_assert_int_eq(result().bad_kind, BAD_NONE);
	(void)close(fd);
}
END_TEST

static const struct {
	int64_t at; /* of the byte that is changed */
	int integrity;
	int want_kind;
	int64_t want_offset;
} damages[] = {
	{ 3 * BLOCK + 488 + 3, INTEGRITY_STAMPS, BAD_STAMP, 3 * BLOCK },
	{ 3 * BLOCK + 488 + 3, INTEGRITY_FULL, BAD_STAMP, 3 * BLOCK + 488 + 3 },
	{ 7 * BLOCK + 3000, INTEGRITY_STAMPS, BAD_NONE, -1 },
	{ 7 * BLOCK + 3000, INTEGRITY_FULL, BAD_CONTENT, 7 * BLOCK + 3000 },
};

START_TEST(a_changed_byte_is_counted_and_placed)
{
	int fd = make_file();
	struct worker_job job;
	char byte;

	write_file(fd);
	ck_assert_int_eq(pread(fd, &byte, 1, damages[_i].at), 1);
	byte = (char)(byte ^ 1);
	ck_assert_int_eq(pwrite(fd, &byte, 1, damages[_i].at), 1);
	job = real_job(PHASE_READ, fd);
	job.integrity = damages[_i].integrity;
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	ck_assert_int_eq(result().bad_stamps, damages[_i].want_kind != BAD_NONE);
	ck_assert_int_eq(result().bad_kind, damages[_i].want_kind);
	if (damages[_i].want_kind != BAD_NONE)
		ck_assert_int_eq(result().bad_offset_bytes, damages[_i].want_offset);
	(void)close(fd);
}
END_TEST

START_TEST(every_call_is_in_the_histogram)
{
	uint64_t counts[HISTOGRAM_CLASSES] = { 0 };
	struct worker_job job = job_of(PHASE_WRITE);
	uint64_t sum = 0;

	script_start(NULL, 0);
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	board_add_calls(&board->slots[0], counts);
	for (size_t i = 0; i < HISTOGRAM_CLASSES; i++)
		sum += counts[i];
	ck_assert_uint_eq(sum, 10);
	/* Each call lies between two looks at the clock. */
	ck_assert_int_eq(result().call_max_ns, NS_PER_MS);
	ck_assert_int_ge(result().call_p50_ns, NS_PER_MS - NS_PER_MS / 50);
	ck_assert_int_le(result().call_p50_ns, NS_PER_MS);
}
END_TEST

START_TEST(a_stride_leaves_the_blocks_of_others_alone)
{
	struct worker_job job;
	int fd = make_file();

	write_file(fd);
	job = real_job(PHASE_READ, fd);
	job.file.first_block = 1;
	job.file.block_stride = 3;
	job.file.bytes = 3 * BLOCK;
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	ck_assert_int_eq(result().stamps, 3);
	ck_assert_int_eq(result().bad_stamps, 0);
	ck_assert_int_eq(result().bytes, 3 * BLOCK);
	(void)close(fd);
}
END_TEST

START_TEST(a_mixed_worker_reads_and_writes_in_its_shares)
{
	int from = make_file(), to = make_file();
	struct worker_job job;
	struct stat st;

	write_file(from);
	job = real_job(PHASE_MIXED, to);
	job.other = job.file;
	job.other.fd = from;
	job.other.bytes = 7 * BLOCK;
	job.file.bytes = 3 * BLOCK;
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	ck_assert_int_eq(result().bytes, 10 * BLOCK);
	ck_assert_int_eq(result().read_bytes, 7 * BLOCK);
	ck_assert_int_eq(result().stamps, 7);
	ck_assert_int_eq(result().bad_stamps, 0);
	ck_assert_int_eq(fstat(to, &st), 0);
	ck_assert_int_eq(st.st_size, 3 * BLOCK);
	ck_assert(SLOT_GET(board->slots[0].is_complete));
	(void)close(from);
	(void)close(to);
}
END_TEST

static void lose_a_second(void)
{
	script_io.sleep_until(script_io.clock_ns() + NS_PER_S);
}

START_TEST(a_paced_worker_sleeps_until_its_block_is_due)
{
	struct worker_job job = job_of(PHASE_WRITE);
	struct worker_result r;

	/* A block each 100 ms, where the calls themselves take a few. */
	job.pace_bytes_per_s = 10 * BLOCK;
	script_start(NULL, 0);
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	r = result();
	ck_assert_int_ge(script_calls(SCRIPT_SLEEP), 9);
	ck_assert_int_ge(r.last_io_ns - r.start_ns, 990 * NS_PER_MS);
	ck_assert_int_le(r.last_io_ns - r.start_ns, 1020 * NS_PER_MS);
}
END_TEST

START_TEST(a_worker_that_is_behind_its_pace_does_not_sleep)
{
	struct worker_job job = job_of(PHASE_WRITE);

	job.pace_bytes_per_s = 2000 * BLOCK;
	script_start(NULL, 0);
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	ck_assert_int_eq(script_calls(SCRIPT_SLEEP), 0);
}
END_TEST

/* Held up for a second in its second call: the blocks after it are as far apart as all others. */
START_TEST(time_that_was_lost_at_a_cap_is_not_made_up)
{
	const struct script_rule rule = {
		SCRIPT_PWRITE, 2, 2, .cap_bytes = -1, .before = lose_a_second,
	};
	struct worker_job job = job_of(PHASE_WRITE);
	struct worker_result r;

	job.pace_bytes_per_s = 10 * BLOCK;
	job.pace_is_cap = true;
	script_start(&rule, 1);
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	r = result();
	ck_assert_int_ge(r.last_io_ns - r.start_ns, 1850 * NS_PER_MS);
}
END_TEST

START_TEST(time_that_was_lost_at_a_pace_is_made_up)
{
	const struct script_rule rule = {
		SCRIPT_PWRITE, 2, 2, .cap_bytes = -1, .before = lose_a_second,
	};
	struct worker_job job = job_of(PHASE_WRITE);
	struct worker_result r;

	job.pace_bytes_per_s = 10 * BLOCK;
	script_start(&rule, 1);
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	r = result();
	ck_assert_int_le(r.last_io_ns - r.start_ns, 1250 * NS_PER_MS);
}
END_TEST

static int n_naps;

/* The parent lets go after some naps, and tells for how long all held. */
static void let_go(void)
{
	if (++n_naps < 5)
		return;
	SLOT_PUT(board->held_ns, 40 * NS_PER_MS);
	SLOT_PUT(board->stop, STOP_NONE);
}

static void order_hold(void)
{
	SLOT_PUT(board->stop, STOP_HOLD);
}

START_TEST(a_worker_that_holds_goes_on_and_its_time_leaves_that_out)
{
	const struct script_rule rules[] = {
		{ SCRIPT_PWRITE, 4, 4, .cap_bytes = -1, .before = order_hold },
		{ SCRIPT_SLEEP, ALWAYS, .cap_bytes = -1, .before = let_go },
	};
	struct worker_job job = job_of(PHASE_WRITE);
	struct worker_result r;
	int64_t plain_ns;

	script_start(NULL, 0);
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	r = result();
	plain_ns = r.last_io_ns - r.start_ns;

	n_naps = 0;
	script_start(rules, ARRAY_LEN(rules));
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	r = result();
	ck_assert_int_eq(n_naps, 5);
	ck_assert_int_eq(r.bytes, BYTES);
	ck_assert_int_le(r.last_io_ns - r.start_ns, plain_ns + 30 * NS_PER_MS);
	ck_assert_int_eq(r.error, 0);
}
END_TEST

#define CHUNK (8 * MIB)
static char large_data[CHUNK];

static struct worker_job windowed_job(void)
{
	struct worker_job job = job_of(PHASE_WRITE);

	job.block_bytes = CHUNK;
	job.file.bytes = 10 * CHUNK;
	job.window_bytes = 2 * CHUNK;
	job.back_bytes = CHUNK;
	return job;
}

START_TEST(a_window_is_kept_by_waiting_for_what_lies_behind_it)
{
	const struct worker_buffers large = { large_data, NULL, NULL };
	struct worker_job job = windowed_job();

	script_start(NULL, 0);
	ck_assert_int_eq(worker_move(&job, &large), 0);
	/* Started ten times, waited for from the third on. */
	ck_assert_int_eq(script_calls(SCRIPT_WRITE_BACK), 10 + 8);
	ck_assert_int_eq(script_written_back(), 8 * CHUNK);
}
END_TEST

/* Where the storage holds a writer up is not to be missing from the times of its calls. */
START_TEST(waits_for_write_back_are_calls_and_have_a_sum)
{
	const struct worker_buffers large = { large_data, NULL, NULL };
	/* The second look at the clock in the first write-back. */
	const struct script_rule slow = { SCRIPT_CLOCK, 5, 5, .step_ns = 700 * NS_PER_MS };
	uint64_t counts[HISTOGRAM_CLASSES] = { 0 };
	struct worker_job job = windowed_job();
	uint64_t sum = 0;

	script_start(&slow, 1);
	ck_assert_int_eq(worker_move(&job, &large), 0);
	board_add_calls(&board->slots[0], counts);
	for (size_t i = 0; i < HISTOGRAM_CLASSES; i++)
		sum += counts[i];
	ck_assert_uint_eq(sum, 10 + 10);
	ck_assert_int_eq(result().ops, 10);
	ck_assert_int_ge(result().call_max_ns, 700 * NS_PER_MS);
	ck_assert_int_ge(result().window_ns, 700 * NS_PER_MS);
	ck_assert_int_lt(result().window_ns, result().last_io_ns - result().start_ns);
}
END_TEST

START_TEST(without_a_window_there_are_no_waits_for_it)
{
	struct worker_job job = job_of(PHASE_WRITE);

	script_start(NULL, 0);
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	ck_assert_int_eq(result().window_ns, -1);
}
END_TEST

static const struct {
	int error;
	int want_rc;
	int want_calls;
} refusals[] = {
	{ EINVAL, 0, 1 }, { ESPIPE, 0, 1 },	  { ENOSYS, 0, 1 },
	{ EIO, -EIO, 1 }, { ENOSPC, -ENOSPC, 1 },
};

static int64_t held_written_back;

static void look_at_write_back(void)
{
	held_written_back = script_written_back();
	let_go();
}

/* All of it, also what lies within the window: nothing is under way while others are looked at. */
START_TEST(who_holds_has_waited_for_its_write_back)
{
	const struct script_rule rules[] = {
		{ SCRIPT_PWRITE, 2, 2, .cap_bytes = -1, .before = order_hold },
		{ SCRIPT_SLEEP, 1, 1, .cap_bytes = -1, .before = look_at_write_back },
		{ SCRIPT_SLEEP, ALWAYS, .cap_bytes = -1, .before = let_go },
	};
	const struct worker_buffers large = { large_data, NULL, NULL };
	struct worker_job job = windowed_job();

	n_naps = 0;
	script_start(rules, ARRAY_LEN(rules));
	ck_assert_int_eq(worker_move(&job, &large), 0);
	ck_assert_int_eq(held_written_back, 2 * CHUNK);
	ck_assert_int_eq(result().bytes, 10 * CHUNK);
}
END_TEST

START_TEST(write_back_that_is_refused_is_left_to_the_kernel_but_a_fault_counts)
{
	const struct worker_buffers large = { large_data, NULL, NULL };
	const struct script_rule rule = { SCRIPT_WRITE_BACK, ALWAYS, .error = refusals[_i].error };
	struct worker_job job = windowed_job();

	script_start(&rule, 1);
	ck_assert_int_eq(worker_move(&job, &large), refusals[_i].want_rc);
	ck_assert_int_eq(script_calls(SCRIPT_WRITE_BACK), refusals[_i].want_calls);
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
	tcase_add_loop_test(tc, a_clock_that_steps_back_gives_no_negative_duration, 2, 24);
	tcase_add_test(tc, a_start_before_the_gate_counts_from_the_gate);
	tcase_add_loop_test(tc, a_stop_ends_after_the_block_under_way, 0, ARRAY_LEN(stops));
	tcase_add_test(tc, a_short_last_block_is_moved_exactly);
	tcase_add_loop_test(tc, a_reader_finds_every_stamp_that_was_written, 0, INTEGRITY_COUNT);
	tcase_add_loop_test(tc, a_changed_byte_is_counted_and_placed, 0, ARRAY_LEN(damages));
	tcase_add_test(tc, every_call_is_in_the_histogram);
	tcase_add_test(tc, a_stride_leaves_the_blocks_of_others_alone);
	tcase_add_test(tc, a_mixed_worker_reads_and_writes_in_its_shares);
	tcase_add_test(tc, a_paced_worker_sleeps_until_its_block_is_due);
	tcase_add_test(tc, a_worker_that_is_behind_its_pace_does_not_sleep);
	tcase_add_test(tc, time_that_was_lost_at_a_cap_is_not_made_up);
	tcase_add_test(tc, time_that_was_lost_at_a_pace_is_made_up);
	tcase_add_test(tc, a_window_is_kept_by_waiting_for_what_lies_behind_it);
	tcase_add_test(tc, waits_for_write_back_are_calls_and_have_a_sum);
	tcase_add_test(tc, without_a_window_there_are_no_waits_for_it);
	tcase_add_test(tc, a_worker_that_holds_goes_on_and_its_time_leaves_that_out);
	tcase_add_test(tc, who_holds_has_waited_for_its_write_back);
	tcase_add_loop_test(tc, write_back_that_is_refused_is_left_to_the_kernel_but_a_fault_counts,
			    0, ARRAY_LEN(refusals));
	tcase_add_test(tc, slots_share_no_cache_line);
	suite_add_tcase(suite, tc);
	sr = srunner_create(suite);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
