/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_render_sasiotest - the lines of sasiotest, byte for byte, and the programs that read them
 */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "iotest/analyze.h"
#include "iotest/compiler.h"
#include "iotest/render.h"
#include "iotest/xalloc.h"
#include "run/worker.h"
#include "script_io.h"
#include "suite.h"

#define BYTES_129G 138512695296
#define PAGE_128K 131072

static struct records records;
static struct record *record;

/* One finished test; each look at the scripted clock takes a millisecond. */
static void given(const char *file, bool writes)
{
	record = records_add(&records);
	record->plan.mode = MODE_FILE;
	record->plan.workers = 1;
	record->plan.cores = 1;
	record->plan.requirement_mib_per_s = 100;
	record->plan.bytes_per_worker = BYTES_129G;
	record->plan.judges_write = writes;
	record->plan.judges_read = !writes;
	record->plan.io.block_bytes = PAGE_128K;
	record->plan.io.pages_per_transfer = 1;
	record->plan.io.order = ORDER_SEQUENTIAL;
	record->plan.io.data = DATA_ZEROS;
	xstr_set(&record->plan.io.file, file);
	xstr_set(&record->plan.io.file_name, "testfile1.dat");
}

static void add_worker(int kind, int64_t bytes, int64_t last_io_ns, int64_t end_ns)
{
	struct phase *phase = run_phase(&record->run, kind);
	struct worker_result *w = XGROW(&phase->workers, &phase->n_workers);

	phase->status = PHASE_COMPLETE;
	w->bytes = bytes;
	w->last_io_ns = last_io_ns;
	w->end_ns = end_ns;
}

static char *lines(void)
{
	struct buf out = { 0 };

	analyze(&record->report);
	render_sasiotest(&record->report, &out);
	return buf_take(&out);
}

static void tear_down(void)
{
	records_done(&records);
}

/* All of it moved by the worker's own loop, in calls that only seem to be made. */
static struct worker_result move_129g(int phase)
{
	static char data[PAGE_128K];
	const struct worker_buffers buffers = { data, data, data };
	struct worker_result result;
	struct board *board;

	ck_assert_int_eq(board_open(1, &board), 0);
	struct worker_job job = {
		.io = &script_io,
		.board = board,
		.slot = &board->slots[0],
		.phase = phase,
		.file = { .fd = -1, .bytes = BYTES_129G, .block_stride = 1, .is_foreign = true },
		.block_bytes = PAGE_128K,
		.fsync_in_window = 1,
	};

	content_init(&job.file.content, &record->plan.io, NULL, "test", 0, 1);
	script_start(NULL, 0);
	ck_assert_int_eq(worker_move(&job, &buffers), 0);
	ck_assert_int_eq(script_bytes(), BYTES_129G);
	ck_assert(script_was_sequential());
	board_collect(&board->slots[0], 0, &result);
	board_close(&board);
	return result;
}

START_TEST(a_write_of_129_gib_prints_the_lines_of_the_original)
{
	CLEANUP(xfree) char *text = NULL;
	struct worker_result w;

	given("c:\\saswork\\testfile1.dat", true);
	w = move_129g(PHASE_WRITE);
	add_worker(PHASE_WRITE, w.bytes, w.last_io_ns, w.end_ns);
	record->run.write.workers[0].start_ns = w.start_ns;
	text = lines();
	golden_check("sasiotest-write.txt", text);
}
END_TEST

START_TEST(a_read_of_129_gib_prints_the_lines_of_the_original)
{
	CLEANUP(xfree) char *text = NULL;
	struct worker_result w;

	given("c:\\saswork\\testfile1.dat", false);
	w = move_129g(PHASE_READ);
	add_worker(PHASE_READ, w.bytes, w.last_io_ns, w.end_ns);
	record->run.read.workers[0].start_ns = w.start_ns;
	text = lines();
	golden_check("sasiotest-read.txt", text);
}
END_TEST

START_TEST(the_note_s_own_figures_come_out_as_the_note_prints_them)
{
	CLEANUP(xfree) char *text = NULL;

	given("c:\\saswork\\testfile1.dat", true);
	add_worker(PHASE_WRITE, BYTES_129G, 242720131082, 300000000000);
	text = lines();
	ck_assert_str_eq(text, "SAS I/O Test Utility: v1.0\n"
			       "Sequentially writing 138512695296 bytes to file: "
			       "c:\\saswork\\testfile1.dat with a 131072 pagesize.\n"
			       "Write Throughput: 544.231743 MB/Sec.\n");
}
END_TEST

START_TEST(a_random_read_is_told_in_the_same_form)
{
	CLEANUP(xfree) char *text = NULL;

	given("/saswork/t", false);
	record->plan.io.order = ORDER_RANDOM;
	add_worker(PHASE_READ, 1048576, NS_PER_S / 2, NS_PER_S / 2);
	text = lines();
	ck_assert_str_eq(text, "SAS I/O Test Utility: v1.0\n"
			       "Randomly reading 1048576 bytes from file: /saswork/t with a "
			       "131072 pagesize.\n"
			       "Read Throughput: 2.000000 MB/Sec.\n");
}
END_TEST

START_TEST(instances_have_their_lines_each_and_a_total)
{
	CLEANUP(xfree) char *text = NULL;

	given("/saswork/t", true);
	record->plan.workers = 2;
	record->plan.io.numbered = 1;
	add_worker(PHASE_WRITE, 100 * MIB, NS_PER_S, 2 * NS_PER_S);
	add_worker(PHASE_WRITE, 100 * MIB, 2 * NS_PER_S, 4 * NS_PER_S);
	text = lines();
	ck_assert_str_eq(text, "SAS I/O Test Utility: v1.0\n"
			       "Sequentially writing 104857600 bytes to file: /saswork/t.1 with a "
			       "131072 pagesize.\n"
			       "Write Throughput: 100.000000 MB/Sec.\n"
			       "SAS I/O Test Utility: v1.0\n"
			       "Sequentially writing 104857600 bytes to file: /saswork/t.2 with a "
			       "131072 pagesize.\n"
			       "Write Throughput: 50.000000 MB/Sec.\n"
			       "Total of 2 instances: 209715200 bytes, 100.000000 MB/Sec.\n");
}
END_TEST

/* Matches of the pattern; out gets what its first group was in the last one. */
static int matches(const char *text, const char *pattern, char *out, size_t size)
{
	regmatch_t m[2];
	regex_t re;
	int n = 0;

	ck_assert_int_eq(regcomp(&re, pattern, REG_EXTENDED | REG_NEWLINE), 0);
	while (regexec(&re, text, 2, m, 0) == 0) {
		(void)snprintf(out, size, "%.*s", (int)(m[1].rm_eo - m[1].rm_so),
			       text + m[1].rm_so);
		text += m[0].rm_eo;
		n++;
	}
	regfree(&re);
	return n;
}

static const struct {
	const char *pattern;
	const char *want;
} fields[] = {
	{ "ing ([0-9]+) bytes", "104857600" },
	{ "a ([0-9]+) pagesize", "131072" },
	{ "Throughput: ([0-9.]+) MB", "50.000000" },
};

START_TEST(the_programs_of_the_field_find_their_figures_and_no_total)
{
	CLEANUP(xfree) char *text = NULL;
	char found[64] = "";

	given("/saswork/t", true);
	record->plan.workers = 2;
	record->plan.io.numbered = 1;
	add_worker(PHASE_WRITE, 100 * MIB, NS_PER_S, 2 * NS_PER_S);
	add_worker(PHASE_WRITE, 100 * MIB, 2 * NS_PER_S, 4 * NS_PER_S);
	text = lines();
	ck_assert_int_eq(matches(text, fields[_i].pattern, found, sizeof(found)), 2);
	ck_assert_str_eq(found, fields[_i].want);
}
END_TEST

START_TEST(a_name_cannot_add_lines)
{
	CLEANUP(xfree) char *text = NULL;

	given("a\nWrite Throughput: 9 MB", true);
	add_worker(PHASE_WRITE, 100 * MIB, NS_PER_S, 2 * NS_PER_S);
	text = lines();
	ck_assert_ptr_nonnull(strstr(text, "a\\012Write"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("render_sasiotest");
	TCase *all = tcase_create("all");
	TCase *slow = tcase_create("slow"); /* under valgrind */
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_checked_fixture(all, NULL, tear_down);
	tcase_set_timeout(all, 60);
	tcase_add_checked_fixture(slow, NULL, tear_down);
	tcase_set_timeout(slow, 60);
	tcase_set_tags(slow, "slow");
	tcase_add_test(slow, a_write_of_129_gib_prints_the_lines_of_the_original);
	tcase_add_test(slow, a_read_of_129_gib_prints_the_lines_of_the_original);
	tcase_add_test(all, the_note_s_own_figures_come_out_as_the_note_prints_them);
	tcase_add_test(all, a_random_read_is_told_in_the_same_form);
	tcase_add_test(all, instances_have_their_lines_each_and_a_total);
	tcase_add_loop_test(all, the_programs_of_the_field_find_their_figures_and_no_total, 0,
			    ARRAY_LEN(fields));
	tcase_add_test(all, a_name_cannot_add_lines);
	suite_add_tcase(suite, all);
	suite_add_tcase(suite, slow);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? 1 : 0;
}
