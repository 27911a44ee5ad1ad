/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_file - runs on files that somebody named, small and on a file system in memory
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/compiler.h"
#include "iotest/signals.h"
#include "iotest/xalloc.h"
#include "run/execute.h"
#include "script_io.h"
#include "suite.h"
#include "testdir.h"

#define PAGE (64 * KIB)
#define BYTES (20 * PAGE + 777)
#define ALWAYS 1, INT_MAX

static char *place;
static struct target target;
static struct host host;
static struct plan plan;
static struct run run;
static struct err err;

static void begin_run(const char *id)
{
	run_done(&run);
	run_init(&run);
	xstr_set(&run.id, id);
	err = (struct err){ 0 };
}

static void set_up(void)
{
	setenv("TMPDIR", "/dev/shm", 1);
	place = testdir_new();
	signals_install();
	begin_run("00112233445566778899aabbccddeeff");
	plan_init(&plan);
	xstr_set(&plan.target, place);
	plan.target_index = 0;
	plan.mode = MODE_FILE;
	plan.workers = 1;
	plan.block_bytes = PAGE;
	plan.bytes_per_worker = BYTES;
	plan.io = (struct io_spec){
		.block_bytes = PAGE,
		.pages_per_transfer = 1,
		.file = xstrdup("shown/f"),
		.file_name = xstrdup("f"),
		.fsync_in_window = 1,
		.drop_cache = 1,
	};
	plan.judges_write = 1;
	plan.judges_read = 0;
	target = (struct target){ .kind = TARGET_MEMORY };
	host = (struct host){ .targets = &target, .n_targets = 1 };
}

static void tear_down(void)
{
	testdir_done(&place);
	run_done(&run);
	plan_done(&plan);
}

static int execute(void)
{
	return run_execute(&host, &plan, NULL, &run, &err);
}

static int execute_scripted(const struct script_rule *rules, size_t n)
{
	script_start(rules, n);
	script_reach_system();
	return run_execute_with(&script_io, &host, &plan, NULL, &run, &err);
}

static int64_t size_of(const char *name)
{
	CLEANUP(xfree) char *path = xasprintf("%s/%s", place, name);
	struct stat st;

	return lstat(path, &st) < 0 ? -1 : (int64_t)st.st_size;
}

static void now_read(void)
{
	plan.judges_write = 0;
	plan.judges_read = 1;
	begin_run("ffeeddccbbaa99887766554433221100");
}

static void must_write(void)
{
	ck_assert_msg(execute() == 0, "%s", err.sentence);
	ck_assert_int_eq(run.write.status, PHASE_COMPLETE);
}

/* Writes some bytes into the file, as somebody else would. */
static void damage(int64_t at, const char *text)
{
	CLEANUP(xfree) char *path = xasprintf("%s/f", place);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, text, strlen(text), (off_t)at), (ssize_t)strlen(text));
	close(fd);
}

START_TEST(a_named_file_is_written_and_stays)
{
	must_write();
	ck_assert_int_eq(size_of("f"), BYTES);
	ck_assert_str_eq(run.workspace, "given");
	ck_assert_int_eq(run.write.workers[0].bytes, BYTES);
	ck_assert_int_eq(run.read.status, PHASE_NOT_RUN);
	ck_assert_int_eq(run.left_bytes, 0);
	ck_assert_int_ge(run.write.workers[0].fsync_ns, 0);
}
END_TEST

START_TEST(a_named_file_is_read_by_a_later_run_and_its_stamps_checked)
{
	must_write();
	now_read();
	ck_assert_msg(execute() == 0, "%s", err.sentence);
	ck_assert_int_eq(run.write.status, PHASE_NOT_RUN);
	ck_assert_int_eq(run.read.status, PHASE_COMPLETE);
	ck_assert_int_eq(run.read.workers[0].bytes, BYTES);
	ck_assert_int_eq(run.read.workers[0].stamps, BYTES / 4096 + 1);
	ck_assert_int_eq(run.read.workers[0].bad_stamps, 0);
	ck_assert_int_eq(size_of("f"), BYTES);
}
END_TEST

START_TEST(a_random_read_checks_each_stamp)
{
	must_write();
	now_read();
	plan.io.order = ORDER_RANDOM;
	plan.io.block_bytes = 8 * KIB;
	ck_assert_int_eq(execute(), 0);
	ck_assert_int_eq(run.read.workers[0].bytes, BYTES);
	ck_assert_int_eq(run.read.workers[0].stamps, BYTES / 4096 + 1);
	ck_assert_int_eq(run.read.workers[0].bad_stamps, 0);
}
END_TEST

START_TEST(scattered_pages_hold_what_was_gathered)
{
	plan.io.block_bytes = 8 * KIB;
	plan.io.pages_per_transfer = 5;
	must_write();
	ck_assert_int_eq(run.write.workers[0].ops, (BYTES - 1) / (40 * KIB) + 1);
	now_read();
	plan.io.pages_per_transfer = 3;
	ck_assert_int_eq(execute(), 0);
	ck_assert_int_eq(run.read.workers[0].stamps, BYTES / 4096 + 1);
	ck_assert_int_eq(run.read.workers[0].bad_stamps, 0);
}
END_TEST

START_TEST(a_byte_that_changed_in_a_stamp_is_found)
{
	must_write();
	damage(5 * 4096 + 490, "x");
	now_read();
	ck_assert_int_eq(execute(), 0);
	ck_assert_int_eq(run.read.workers[0].bad_stamps, 1);
	ck_assert_int_eq(run.read.workers[0].bad_offset_bytes, 5 * 4096);
}
END_TEST

START_TEST(a_file_of_somebody_else_is_read_without_comparing)
{
	testdir_put(place, "f", "what somebody wrote");
	now_read();
	ck_assert_msg(execute() == 0, "%s", err.sentence);
	ck_assert_int_eq(run.read.workers[0].bytes, 19);
	ck_assert_int_eq(run.read.workers[0].stamps, -1);
	testdir_expect(place, "f", "what somebody wrote");
}
END_TEST

START_TEST(a_test_file_is_written_anew)
{
	must_write();
	plan.bytes_per_worker = 4 * PAGE;
	begin_run("11111111111111111111111111111111");
	must_write();
	ck_assert_int_eq(size_of("f"), 4 * PAGE);
	now_read();
	ck_assert_int_eq(execute(), 0);
	ck_assert_int_eq(run.read.workers[0].bad_stamps, 0);
}
END_TEST

static const char *const precious[] = {
	"",
	"what somebody wrote",
	"iotest test file of run 00112233445566778899aabbccddeeff, worker 1 of 1: a lie\n",
};

START_TEST(what_somebody_wrote_is_not_overwritten)
{
	testdir_put(place, "f", precious[_i]);
	ck_assert_int_eq(execute(), -EEXIST);
	ck_assert_msg(strstr(err.sentence, "shown/f: exists, and is not a test file") != NULL, "%s",
		      err.sentence);
	ck_assert_ptr_nonnull(strstr(err.advice, "-force"));
	testdir_expect(place, "f", precious[_i]);
}
END_TEST

static const struct {
	const char *name;
	int64_t at;
} damages[] = {
	{ "the line", 30 },
	{ "the first stamp", 490 },
	{ "all stamps but the first", -1 },
	{ "the last stamp", BYTES / 4096 * 4096 + 500 },
	{ "the last byte", BYTES - 1 },
	{ "a byte behind the end", BYTES },
};

START_TEST(a_test_file_that_somebody_changed_is_not_overwritten)
{
	must_write();
	for (int64_t at = 4096; damages[_i].at < 0 && at < BYTES; at += 4096)
		damage(at + 490, "x");
	if (damages[_i].at >= 0)
		damage(damages[_i].at, "x");
	begin_run("11111111111111111111111111111111");
	ck_assert_msg(execute() == -EEXIST, "%s: %s", damages[_i].name, err.sentence);
}
END_TEST

START_TEST(force_overwrites_it)
{
	testdir_put(place, "f", "what somebody wrote");
	plan.io.overwrite = 1;
	must_write();
	ck_assert_int_eq(size_of("f"), BYTES);
}
END_TEST

START_TEST(a_link_is_not_followed_even_by_force)
{
	testdir_put(place, "precious", "what somebody wrote");
	testdir_link(place, "f", "precious");
	plan.io.overwrite = 1;
	ck_assert_int_eq(execute(), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.sentence, "is a symbolic link"));
	testdir_expect(place, "precious", "what somebody wrote");
}
END_TEST

START_TEST(a_pipe_holds_nobody)
{
	CLEANUP(xfree) char *path = xasprintf("%s/f", place);

	ck_assert_int_eq(mkfifo(path, 0600), 0);
	plan.io.overwrite = 1;
	ck_assert_int_eq(execute(), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.sentence, "is a named pipe"));
	now_read();
	ck_assert_int_eq(execute(), -EINVAL);
}
END_TEST

START_TEST(a_file_that_is_not_there_cannot_be_read)
{
	now_read();
	ck_assert_int_eq(execute(), -ENOENT);
	ck_assert_str_eq(err.sentence, "shown/f: there is no such file to read");
	ck_assert_int_eq(size_of("f"), -1);
}
END_TEST

START_TEST(an_empty_file_cannot_be_read)
{
	testdir_put(place, "f", "");
	now_read();
	ck_assert_int_eq(execute(), -ENODATA);
}
END_TEST

START_TEST(a_shorter_file_is_read_to_its_end)
{
	must_write();
	now_read();
	plan.bytes_per_worker = 10 * BYTES;
	ck_assert_int_eq(execute(), 0);
	ck_assert_int_eq(run.read.status, PHASE_COMPLETE);
	ck_assert_int_eq(run.read.planned_bytes, BYTES);
	ck_assert_int_eq(run.read.workers[0].bytes, BYTES);
}
END_TEST

START_TEST(instances_have_a_file_each)
{
	plan.workers = 3;
	plan.io.numbered = 1;
	must_write();
	ck_assert_int_eq(size_of("f.1"), BYTES);
	ck_assert_int_eq(size_of("f.3"), BYTES);
	ck_assert_int_eq(size_of("f"), -1);
	now_read();
	ck_assert_int_eq(execute(), 0);
	for (size_t i = 0; i < 3; i++)
		ck_assert_int_eq(run.read.workers[i].stamps, BYTES / 4096 + 1);
}
END_TEST

START_TEST(one_that_may_not_be_overwritten_spares_them_all)
{
	plan.workers = 3;
	plan.io.numbered = 1;
	must_write();
	testdir_put(place, "f.3", "what somebody wrote");
	begin_run("11111111111111111111111111111111");
	ck_assert_int_eq(execute(), -EEXIST);
	ck_assert_ptr_nonnull(strstr(err.sentence, "shown/f.3"));
	ck_assert_int_eq(size_of("f.1"), BYTES);
}
END_TEST

START_TEST(files_that_stayed_empty_go_with_a_failure)
{
	plan.workers = 2;
	plan.io.numbered = 1;
	testdir_put(place, "f.2", "what somebody wrote");
	ck_assert_int_eq(execute(), -EEXIST);
	ck_assert_int_eq(size_of("f.1"), -1);
}
END_TEST

START_TEST(a_first_write_that_fails_leaves_no_file)
{
	static const struct script_rule rules[] = { { SCRIPT_PWRITE, ALWAYS, .error = ENOSPC } };

	ck_assert_int_eq(execute_scripted(rules, ARRAY_LEN(rules)), -ENOSPC);
	ck_assert_str_eq(err.sentence, "shown/f: cannot write at byte 0: No space left on device");
	ck_assert_int_eq(size_of("f"), -1);
}
END_TEST

START_TEST(a_later_write_that_fails_keeps_what_was_written)
{
	static const struct script_rule rules[] = { { SCRIPT_PWRITE, 5, 5, .error = ENOSPC } };

	ck_assert_int_eq(execute_scripted(rules, ARRAY_LEN(rules)), 0);
	ck_assert_int_eq(run.write.status, PHASE_FAILED);
	ck_assert_int_eq(run.write.workers[0].error, ENOSPC);
	ck_assert_int_eq(size_of("f"), 4 * PAGE);
}
END_TEST

START_TEST(a_first_read_that_fails_is_an_error)
{
	static const struct script_rule rules[] = { { SCRIPT_PREAD, ALWAYS, .error = EIO } };

	must_write();
	now_read();
	ck_assert_int_eq(execute_scripted(rules, ARRAY_LEN(rules)), -EIO);
	ck_assert_str_eq(err.sentence, "shown/f: cannot read at byte 0: Input/output error");
	ck_assert_int_eq(size_of("f"), BYTES);
}
END_TEST

START_TEST(past_the_page_cache_whole_units_are_read)
{
	must_write();
	now_read();
	plan.io.direct = 1;
	ck_assert_msg(execute() == 0, "%s", err.sentence);
	ck_assert_int_eq(run.read.workers[0].bytes, BYTES - BYTES % run.direct_alignment_bytes);
	/* A file system in memory has them in its cache whatever is asked for. */
	ck_assert_int_gt(run.read.resident_after_bytes, 0);
	ck_assert_int_eq(size_of("f"), BYTES);
}
END_TEST

START_TEST(a_file_too_short_for_o_direct_says_so)
{
	testdir_put(place, "f", "short");
	now_read();
	plan.io.direct = 1;
	ck_assert_int_eq(execute(), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.sentence, "/f: is shorter than the"));
}
END_TEST

START_TEST(named_files_are_not_tested_together)
{
	struct run other;
	const struct run_job jobs[] = { { &plan, &run }, { &plan, &other } };

	run_init(&other);
	ck_assert_int_eq(run_execute_together(&host, jobs, 2, NULL, &err), -EINVAL);
	run_done(&other);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("run_file");
	TCase *all = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_checked_fixture(all, set_up, tear_down);
	tcase_set_timeout(all, 60);
	tcase_add_test(all, a_named_file_is_written_and_stays);
	tcase_add_test(all, a_named_file_is_read_by_a_later_run_and_its_stamps_checked);
	tcase_add_test(all, a_random_read_checks_each_stamp);
	tcase_add_test(all, scattered_pages_hold_what_was_gathered);
	tcase_add_test(all, a_byte_that_changed_in_a_stamp_is_found);
	tcase_add_test(all, a_file_of_somebody_else_is_read_without_comparing);
	tcase_add_test(all, a_test_file_is_written_anew);
	tcase_add_loop_test(all, what_somebody_wrote_is_not_overwritten, 0, ARRAY_LEN(precious));
	tcase_add_loop_test(all, a_test_file_that_somebody_changed_is_not_overwritten, 0,
			    ARRAY_LEN(damages));
	tcase_add_test(all, force_overwrites_it);
	tcase_add_test(all, a_link_is_not_followed_even_by_force);
	tcase_add_test(all, a_pipe_holds_nobody);
	tcase_add_test(all, a_file_that_is_not_there_cannot_be_read);
	tcase_add_test(all, an_empty_file_cannot_be_read);
	tcase_add_test(all, a_shorter_file_is_read_to_its_end);
	tcase_add_test(all, instances_have_a_file_each);
	tcase_add_test(all, one_that_may_not_be_overwritten_spares_them_all);
	tcase_add_test(all, files_that_stayed_empty_go_with_a_failure);
	tcase_add_test(all, a_first_write_that_fails_leaves_no_file);
	tcase_add_test(all, a_later_write_that_fails_keeps_what_was_written);
	tcase_add_test(all, a_first_read_that_fails_is_an_error);
	tcase_add_test(all, past_the_page_cache_whole_units_are_read);
	tcase_add_test(all, a_file_too_short_for_o_direct_says_so);
	tcase_add_test(all, named_files_are_not_tested_together);
	suite_add_tcase(suite, all);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? 1 : 0;
}
