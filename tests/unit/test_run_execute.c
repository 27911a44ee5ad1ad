/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_execute - whole runs with real processes, small and on a file system in memory
 */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "iotest/compiler.h"
#include "iotest/signals.h"
#include "iotest/xalloc.h"
#include "run/execute.h"
#include "script_io.h"

#define BLOCK (64 * KIB)
#define WORKERS 2
#define ALWAYS 1, INT_MAX

/* What the watch of a test saw, and what it does at the first sample. */
struct witness {
	int n_begin;
	int n_samples;
	int n_end;
	int64_t last_bytes;
	bool went_back;
	bool saw_syncing;
	void (*act)(const struct run_event *event);
};

static char target_path[64];
static struct target target;
static struct host host;
static struct plan plan;
static struct run run;
static struct err err;
static struct witness witness;

static void tell(void *context, const struct run_event *event)
{
	struct witness *w = context;

	if (event->kind == RUN_PHASE_BEGIN)
		w->last_bytes = 0;
	w->n_begin += event->kind == RUN_PHASE_BEGIN;
	w->n_samples += event->kind == RUN_SAMPLE;
	w->n_end += event->kind == RUN_PHASE_END;
	w->went_back = w->went_back || event->sample.bytes < w->last_bytes;
	w->last_bytes = event->sample.bytes;
	w->saw_syncing = w->saw_syncing || event->sample.is_syncing;
	if (event->kind == RUN_SAMPLE && event->sample.bytes > 0 && w->act) {
		void (*act)(const struct run_event *) = w->act;

		w->act = NULL;
		act(event);
	}
}

static void set_up(void)
{
	(void)snprintf(target_path, sizeof(target_path), "/dev/shm/iotest-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(target_path));
	signals_install();
	run_init(&run);
	xstr_set(&run.id, "00112233445566778899aabbccddeeff");
	plan_init(&plan);
	xstr_set(&plan.target, target_path);
	plan.target_index = 0;
	plan.workers = WORKERS;
	plan.block_bytes = BLOCK;
	plan.blocks_per_worker = 40;
	plan.bytes_per_worker = 40 * BLOCK;
	plan.total_bytes = WORKERS * plan.bytes_per_worker;
	plan.io = (struct io_spec){
		.block_bytes = BLOCK,
		.pages_per_transfer = 1,
		.data = DATA_UNIQUE,
		.fsync_in_window = 1,
		.drop_cache = 1,
	};
	target = (struct target){ .kind = TARGET_MEMORY };
	host = (struct host){ .targets = &target, .n_targets = 1 };
	witness = (struct witness){ 0 };
	err = (struct err){ 0 };
}

/* Nothing may be left, whatever the test did. */
static void tear_down(void)
{
	ck_assert_int_eq(rmdir(target_path), 0);
	run_done(&run);
	plan_done(&plan);
}

static int execute(void)
{
	const struct run_watch watch = { .tell = tell, .context = &witness };

	return run_execute_with(&script_io, &host, &plan, &watch, &run, &err);
}

/* Real I/O, slowed down or faulty where the rules say so. */
static int execute_scripted(const struct script_rule *rules, size_t n)
{
	script_start(rules, n);
	script_reach_system();
	return execute();
}

static const struct script_rule slow_writes[] = {
	{ SCRIPT_PWRITE, ALWAYS, .cap_bytes = -1, .pause_ns = 20 * NS_PER_MS },
};

static const struct script_rule slow_calls[] = {
	{ SCRIPT_PWRITE, ALWAYS, .cap_bytes = -1, .pause_ns = 20 * NS_PER_MS },
	{ SCRIPT_PREAD, ALWAYS, .cap_bytes = -1, .pause_ns = 20 * NS_PER_MS },
};

static void check_complete(const struct phase *phase)
{
	ck_assert_int_eq(phase->status, PHASE_COMPLETE);
	ck_assert_int_eq(phase->planned_bytes, plan.total_bytes);
	ck_assert_uint_eq(phase->n_workers, (size_t)plan.workers);
	ck_assert_int_gt(phase->started_at_ns, 0);
	for (size_t i = 0; i < phase->n_workers; i++) {
		const struct worker_result *w = &phase->workers[i];

		ck_assert_int_eq(w->bytes, plan.bytes_per_worker);
		ck_assert_int_eq(w->ops, plan.blocks_per_worker);
		ck_assert_int_ge(w->start_ns, 0);
		ck_assert_int_ge(w->last_io_ns, w->start_ns);
		ck_assert_int_ge(w->end_ns, w->last_io_ns);
		ck_assert_int_eq(w->end_ns, w->last_io_ns + w->fsync_ns);
		ck_assert_int_ge(w->user_ns, 0);
		ck_assert_int_ge(w->system_ns, 0);
		ck_assert_int_eq(w->error, 0);
		ck_assert_int_eq(w->exit_status, 0);
		ck_assert_int_eq(w->exit_signal, 0);
	}
}

START_TEST(a_run_writes_and_reads_what_was_planned)
{
	const struct run_watch watch = { .tell = tell, .context = &witness };

	ck_assert_msg(run_execute(&host, &plan, &watch, &run, &err) == 0, "%s", err.sentence);
	check_complete(&run.write);
	check_complete(&run.read);
	ck_assert_str_eq(run.workspace, "unnamed");
	ck_assert_int_eq(run.write.allocated_bytes, plan.total_bytes);
	/* A file system in memory keeps everything there: the truth, not a failure. */
	ck_assert_int_eq(run.read.resident_bytes, plan.total_bytes);
	ck_assert_int_ge(run.syncfs_ns, 0);
	ck_assert_int_eq(run.syncfs_error, 0);
	ck_assert_int_eq(run.drop_error, 0);
	ck_assert_int_eq(run.interrupted_by, 0);
	ck_assert_int_eq(run.left_bytes, 0);
	ck_assert_int_ge(run.ended_at_ns, run.started_at_ns);
	ck_assert_int_eq(witness.n_begin, 2);
	ck_assert_int_eq(witness.n_end, 2);
	ck_assert_int_ge(witness.n_samples, 2);
	ck_assert_int_eq(witness.last_bytes, plan.total_bytes);
	ck_assert(!witness.went_back);
}
END_TEST

START_TEST(a_run_without_a_watch_works)
{
	ck_assert_int_eq(run_execute(&host, &plan, NULL, &run, &err), 0);
	check_complete(&run.read);
}
END_TEST

START_TEST(two_hundred_and_fifty_six_workers_start_and_finish)
{
	plan.workers = 256;
	plan.blocks_per_worker = 2;
	plan.bytes_per_worker = 2 * BLOCK;
	plan.total_bytes = 256 * plan.bytes_per_worker;
	ck_assert_msg(run_execute(&host, &plan, NULL, &run, &err) == 0, "%s", err.sentence);
	check_complete(&run.write);
	check_complete(&run.read);
}
END_TEST

START_TEST(samples_come_about_four_times_a_second)
{
	/* 40 blocks of 20 ms: 0.8 s, and then 0.6 s of fsync. */
	static const struct script_rule rules[] = {
		{ SCRIPT_PWRITE, ALWAYS, .cap_bytes = -1, .pause_ns = 20 * NS_PER_MS },
		{ SCRIPT_FSYNC, ALWAYS, .pause_ns = 600 * NS_PER_MS },
	};

	ck_assert_int_eq(execute_scripted(rules, ARRAY_LEN(rules)), 0);
	ck_assert_int_ge(witness.n_samples, 4);
	ck_assert_int_lt(witness.n_samples, 100);
	ck_assert(witness.saw_syncing);
	for (size_t i = 0; i < WORKERS; i++)
		ck_assert_int_ge(run.write.workers[i].fsync_ns, 600 * NS_PER_MS);
}
END_TEST

START_TEST(a_write_error_in_the_middle_fails_the_phase_and_nothing_is_read)
{
	static const struct script_rule rules[] = {
		{ SCRIPT_PWRITE, 11, 11, .error = ENOSPC },
	};

	ck_assert_int_eq(execute_scripted(rules, 1), 0);
	ck_assert_int_eq(run.write.status, PHASE_FAILED);
	ck_assert_int_eq(run.read.status, PHASE_NOT_RUN);
	ck_assert_uint_eq(run.read.n_workers, 0);
	ck_assert_int_eq(run.left_bytes, 0);
	for (size_t i = 0; i < WORKERS; i++) {
		const struct worker_result *w = &run.write.workers[i];

		/* The other one may have been stopped before it came that far. */
		if (!w->error) {
			ck_assert_int_le(w->bytes, 10 * BLOCK);
			continue;
		}
		ck_assert_int_eq(w->error, ENOSPC);
		ck_assert_int_eq(w->error_op, OP_WRITE);
		ck_assert_int_eq(w->error_offset_bytes, 10 * BLOCK);
		ck_assert_int_eq(w->exit_status, 1);
	}
	ck_assert(run.write.workers[0].error || run.write.workers[1].error);
}
END_TEST

START_TEST(when_no_byte_was_written_the_reason_is_the_error)
{
	static const struct script_rule rules[] = {
		{ SCRIPT_PWRITE, ALWAYS, .error = EDQUOT },
	};

	ck_assert_int_eq(execute_scripted(rules, 1), -EDQUOT);
	ck_assert_ptr_nonnull(strstr(err.sentence, target_path));
	ck_assert_ptr_nonnull(strstr(err.sentence, "cannot write at byte 0: "));
	ck_assert_ptr_nonnull(strstr(err.advice, "quota"));
	ck_assert_int_eq(run.write.status, PHASE_FAILED);
	ck_assert_int_eq(run.left_bytes, 0);
}
END_TEST

START_TEST(an_error_of_fsync_alone_fails_the_phase)
{
	static const struct script_rule rules[] = { { SCRIPT_FSYNC, ALWAYS, .error = EIO } };

	ck_assert_int_eq(execute_scripted(rules, 1), 0);
	ck_assert_int_eq(run.write.status, PHASE_FAILED);
	ck_assert_int_eq(run.read.status, PHASE_NOT_RUN);
	ck_assert(run.write.workers[0].error_op == OP_FSYNC ||
		  run.write.workers[1].error_op == OP_FSYNC);
}
END_TEST

START_TEST(an_early_end_of_a_file_fails_the_read_phase_only)
{
	static const struct script_rule rules[] = {
		{ SCRIPT_PREAD, 5, INT_MAX, .cap_bytes = 0 },
	};

	ck_assert_int_eq(execute_scripted(rules, 1), 0);
	ck_assert_int_eq(run.write.status, PHASE_COMPLETE);
	ck_assert_int_eq(run.read.status, PHASE_FAILED);
}
END_TEST

/* The child of this process with the highest pid, or 0. */
static pid_t find_child(void)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	pid_t found = 0;

	ck_assert_ptr_nonnull(proc);
	for (entry = readdir(proc); entry; entry = readdir(proc)) {
		char path[300];
		int pid, parent;
		FILE *f;

		(void)snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		f = fopen(path, "re");
		if (!f)
			continue;
		if (fscanf(f, "%d (%*[^)]) %*c %d", &pid, &parent) == 2 && parent == getpid())
			found = pid;
		(void)fclose(f);
	}
	(void)closedir(proc);
	return found;
}

static void kill_one(const struct run_event *event)
{
	pid_t pid = find_child();

	(void)event;
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
}

START_TEST(a_worker_that_is_killed_fails_the_phase_and_stops_the_others)
{
	plan.bytes_per_worker = 2000 * BLOCK;
	witness.act = kill_one;
	ck_assert_int_eq(execute_scripted(slow_writes, ARRAY_LEN(slow_writes)), 0);
	ck_assert_int_eq(run.write.status, PHASE_FAILED);
	ck_assert_int_eq(run.read.status, PHASE_NOT_RUN);
	ck_assert_int_eq(run.interrupted_by, 0);
	ck_assert_int_eq(run.left_bytes, 0);
	ck_assert_int_eq(run.write.workers[0].exit_signal + run.write.workers[1].exit_signal,
			 SIGKILL);
	for (size_t i = 0; i < WORKERS; i++) {
		const struct worker_result *w = &run.write.workers[i];

		ck_assert_int_eq(w->exit_status, w->exit_signal ? -1 : 0);
		ck_assert_int_eq(w->end_ns == -1, w->exit_signal != 0);
		ck_assert_int_lt(w->bytes, plan.bytes_per_worker);
		ck_assert_int_gt(w->bytes, 0);
	}
}
END_TEST

static void leave_early(void)
{
	_exit(0);
}

START_TEST(a_worker_that_leaves_early_with_success_is_not_believed)
{
	static const struct script_rule rules[] = {
		{ SCRIPT_PWRITE, 8, 8, .before = leave_early },
	};

	ck_assert_int_eq(execute_scripted(rules, 1), 0);
	ck_assert_int_eq(run.write.status, PHASE_FAILED);
	ck_assert_int_eq(run.read.status, PHASE_NOT_RUN);
	ck_assert(run.write.workers[0].exit_status == 0 || run.write.workers[1].exit_status == 0);
	ck_assert(run.write.workers[0].error == EIO || run.write.workers[1].error == EIO);
}
END_TEST

static int heart_fd = -1;

static void beat(void)
{
	ck_assert_int_eq(write(heart_fd, "", 1), 1);
}

/* The pipe ends when the last process that holds it is gone. */
START_TEST(workers_end_within_a_second_of_their_killed_parent)
{
	static const struct script_rule rules[] = {
		{ SCRIPT_PWRITE, 1, 1, .cap_bytes = -1, .before = beat },
		{ SCRIPT_PWRITE, ALWAYS, .cap_bytes = -1, .pause_ns = 100 * NS_PER_MS },
	};
	struct pollfd pollfd = { .events = POLLIN };
	char byte;
	int heart[2];
	pid_t pid;

	ck_assert_int_eq(pipe(heart), 0);
	heart_fd = heart[1];
	pollfd.fd = heart[0];
	plan.bytes_per_worker = 4000 * BLOCK;
	pid = fork();
	if (pid == 0)
		_exit(execute_scripted(rules, ARRAY_LEN(rules)) != 0);
	(void)close(heart[1]);
	/* Both are past the gate. */
	ck_assert_int_eq(read(heart[0], &byte, 1), 1);
	ck_assert_int_eq(read(heart[0], &byte, 1), 1);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(poll(&pollfd, 1, 1000), 1);
	ck_assert_int_eq(read(heart[0], &byte, 1), 0);
	(void)close(heart[0]);
}
END_TEST

static void raise_term(const struct run_event *event)
{
	(void)event;
	ck_assert_int_eq(raise(SIGTERM), 0);
}

START_TEST(a_signal_ends_the_writes_without_fsync_and_nothing_is_read)
{
	plan.bytes_per_worker = 2000 * BLOCK;
	witness.act = raise_term;
	ck_assert_int_eq(execute_scripted(slow_writes, ARRAY_LEN(slow_writes)), 0);
	ck_assert_int_eq(run.write.status, PHASE_INTERRUPTED);
	ck_assert_int_eq(run.read.status, PHASE_NOT_RUN);
	ck_assert_int_eq(run.interrupted_by, SIGTERM);
	ck_assert_int_eq(run.left_bytes, 0);
	for (size_t i = 0; i < WORKERS; i++) {
		ck_assert_int_gt(run.write.workers[i].bytes, 0);
		ck_assert_int_eq(run.write.workers[i].fsync_ns, 0);
		ck_assert_int_eq(run.write.workers[i].exit_status, 0);
	}
}
END_TEST

static void term_all(const struct run_event *event)
{
	pid_t pid = find_child();

	(void)event;
	ck_assert_int_eq(kill(pid, SIGTERM), 0);
	ck_assert_int_eq(raise(SIGTERM), 0);
}

START_TEST(a_signal_to_the_whole_group_is_an_interruption_and_no_failure)
{
	plan.bytes_per_worker = 2000 * BLOCK;
	witness.act = term_all;
	ck_assert_int_eq(execute_scripted(slow_writes, ARRAY_LEN(slow_writes)), 0);
	ck_assert_int_eq(run.write.status, PHASE_INTERRUPTED);
	ck_assert_int_eq(run.write.workers[0].exit_signal + run.write.workers[1].exit_signal,
			 SIGTERM);
}
END_TEST

static void raise_twice(const struct run_event *event)
{
	(void)event;
	ck_assert_int_eq(raise(SIGINT), 0);
	ck_assert_int_eq(raise(SIGINT), 0);
}

START_TEST(a_second_signal_does_not_wait_for_the_call_under_way)
{
	static const struct script_rule rules[] = {
		{ SCRIPT_PWRITE, 3, 3, .cap_bytes = -1, .pause_ns = 40 * NS_PER_S },
	};

	witness.act = raise_twice;
	ck_assert_int_eq(execute_scripted(rules, 1), 0);
	ck_assert_int_eq(run.write.status, PHASE_INTERRUPTED);
	ck_assert_int_eq(run.interrupted_by, SIGINT);
	for (size_t i = 0; i < WORKERS; i++)
		ck_assert_int_eq(run.write.workers[i].exit_signal, SIGKILL);
}
END_TEST

static void raise_in_read(const struct run_event *event)
{
	if (event->sample.phase == PHASE_READ)
		ck_assert_int_eq(raise(SIGHUP), 0);
	else
		witness.act = raise_in_read;
}

START_TEST(a_signal_while_reading_keeps_the_writes)
{
	witness.act = raise_in_read;
	ck_assert_int_eq(execute_scripted(slow_calls, ARRAY_LEN(slow_calls)), 0);
	ck_assert_int_eq(run.write.status, PHASE_COMPLETE);
	ck_assert_int_eq(run.read.status, PHASE_INTERRUPTED);
	ck_assert_int_eq(run.interrupted_by, SIGHUP);
}
END_TEST

START_TEST(a_time_limit_ends_both_phases_in_order)
{
	plan.bytes_per_worker = 4000 * BLOCK;
	plan.time_limit_ns = 1500 * NS_PER_MS;
	ck_assert_int_eq(execute_scripted(slow_calls, ARRAY_LEN(slow_calls)), 0);
	ck_assert_int_eq(run.write.status, PHASE_TIME_LIMIT);
	ck_assert_int_ne(run.read.status, PHASE_FAILED);
	ck_assert_int_ne(run.read.status, PHASE_NOT_RUN);
	for (size_t i = 0; i < WORKERS; i++) {
		const struct worker_result *w = &run.write.workers[i];
		const struct worker_result *r = &run.read.workers[i];

		ck_assert_int_gt(w->bytes, 0);
		ck_assert_int_lt(w->bytes, plan.bytes_per_worker);
		ck_assert_int_eq(w->exit_status, 0);
		/* Not before half of the time, and fsync still done. */
		ck_assert_int_ge(w->last_io_ns, 500 * NS_PER_MS);
		ck_assert_int_eq(w->end_ns, w->last_io_ns + w->fsync_ns);
		ck_assert_int_gt(r->bytes, 0);
		ck_assert_int_le(r->bytes, w->bytes);
	}
	/* As much of each file as there is of the shorter one. */
	ck_assert_int_eq(run.read.planned_bytes,
			 2 * (run.write.workers[0].bytes < run.write.workers[1].bytes
				      ? run.write.workers[0].bytes
				      : run.write.workers[1].bytes));
}
END_TEST

START_TEST(time_used_up_by_fsync_leaves_no_read_phase)
{
	static const struct script_rule rules[] = {
		{ SCRIPT_FSYNC, ALWAYS, .pause_ns = 700 * NS_PER_MS },
	};

	plan.time_limit_ns = 500 * NS_PER_MS;
	ck_assert_int_eq(execute_scripted(rules, 1), 0);
	ck_assert_int_eq(run.write.status, PHASE_COMPLETE);
	ck_assert_int_eq(run.read.status, PHASE_NOT_RUN);
}
END_TEST

START_TEST(a_file_size_limit_is_an_error_and_kills_nobody)
{
	struct rlimit limit = { .rlim_cur = 5 * BLOCK, .rlim_max = 5 * BLOCK };

	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(run_execute(&host, &plan, NULL, &run, &err), 0);
	ck_assert_int_eq(run.write.status, PHASE_FAILED);
	ck_assert(run.write.workers[0].error == EFBIG || run.write.workers[1].error == EFBIG);
	ck_assert_int_eq(run.write.workers[0].exit_signal, 0);
	ck_assert_int_eq(run.write.workers[1].exit_signal, 0);
}
END_TEST

START_TEST(a_block_size_that_fits_nowhere_works)
{
	plan.io.block_bytes = 1000;
	plan.bytes_per_worker = 12345;
	plan.blocks_per_worker = 13;
	plan.total_bytes = WORKERS * 12345;
	ck_assert_int_eq(run_execute(&host, &plan, NULL, &run, &err), 0);
	check_complete(&run.write);
	check_complete(&run.read);
}
END_TEST

START_TEST(a_block_that_no_memory_holds_fails_before_the_gate)
{
	plan.io.block_bytes = 1LL << 62;
	ck_assert_int_eq(run_execute(&host, &plan, NULL, &run, &err), -ENOMEM);
	/* All of them fail; which one is seen first is up to the scheduler. */
	ck_assert_int_eq(strncmp(err.sentence, "worker process ", 15), 0);
	ck_assert_ptr_nonnull(strstr(err.sentence, " cannot begin: Cannot allocate memory"));
	ck_assert_int_eq(run.write.status, PHASE_FAILED);
	ck_assert_int_eq(run.write.workers[0].error_op, OP_START);
	ck_assert_int_eq(run.left_bytes, 0);
}
END_TEST

START_TEST(a_plan_without_work_is_refused)
{
	plan.workers = 0;
	ck_assert_int_eq(run_execute(&host, &plan, NULL, &run, &err), -EINVAL);
	ck_assert_int_ne(err.sentence[0], 0);
}
END_TEST

START_TEST(a_signal_before_the_first_byte_is_obeyed)
{
	ck_assert_int_eq(raise(SIGTERM), 0);
	ck_assert_int_eq(run_execute(&host, &plan, NULL, &run, &err), -EINTR);
	ck_assert_int_eq(run.write.status, PHASE_INTERRUPTED);
	ck_assert_int_eq(run.read.status, PHASE_NOT_RUN);
	for (size_t i = 0; i < run.write.n_workers; i++)
		ck_assert_int_le(run.write.workers[i].bytes, 0);
	ck_assert_int_eq(run.left_bytes, 0);
}
END_TEST

START_TEST(a_target_exchanged_since_the_probe_is_refused)
{
	target.device_number = xstrdup("7:7777");
	ck_assert_int_eq(run_execute(&host, &plan, NULL, &run, &err), -ESTALE);
	ck_assert_ptr_nonnull(strstr(err.sentence, "another file system"));
	ck_assert_int_eq(run.write.status, PHASE_NOT_RUN);
	free(target.device_number);
	target.device_number = NULL;
}
END_TEST

START_TEST(directories_of_other_runs_are_named)
{
	CLEANUP(xfree) char *other = xasprintf("%s/.iotest-elsewhere-1-00000000-0", plan.target);

	ck_assert_int_eq(mkdir(other, 0700), 0);
	ck_assert_int_eq(run_execute(&host, &plan, NULL, &run, &err), 0);
	ck_assert_str_eq(run.others_left, ".iotest-elsewhere-1-00000000-0");
	ck_assert_int_eq(rmdir(other), 0);
}
END_TEST

START_TEST(a_network_target_keeps_its_names_until_the_end)
{
	target.kind = TARGET_NETWORK;
	ck_assert_int_eq(run_execute(&host, &plan, NULL, &run, &err), 0);
	check_complete(&run.read);
	ck_assert_int_eq(run.left_bytes, 0);
	/* Linux tmpfs makes files without a name whatever we call it. */
	ck_assert_str_eq(run.workspace, "unnamed");
}
END_TEST

START_TEST(no_descriptor_and_no_child_stays_behind)
{
	int before = dup(0), after;

	(void)close(before);
	ck_assert_int_eq(run_execute(&host, &plan, NULL, &run, &err), 0);
	after = dup(0);
	(void)close(after);
	ck_assert_int_eq(before, after);
	ck_assert_int_eq(find_child(), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("run_execute");
	TCase *tc = tcase_create("execute");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, a_run_writes_and_reads_what_was_planned);
	tcase_add_test(tc, a_run_without_a_watch_works);
	tcase_add_test(tc, two_hundred_and_fifty_six_workers_start_and_finish);
	tcase_add_test(tc, samples_come_about_four_times_a_second);
	tcase_add_test(tc, a_write_error_in_the_middle_fails_the_phase_and_nothing_is_read);
	tcase_add_test(tc, when_no_byte_was_written_the_reason_is_the_error);
	tcase_add_test(tc, an_error_of_fsync_alone_fails_the_phase);
	tcase_add_test(tc, an_early_end_of_a_file_fails_the_read_phase_only);
	tcase_add_test(tc, a_worker_that_is_killed_fails_the_phase_and_stops_the_others);
	tcase_add_test(tc, a_worker_that_leaves_early_with_success_is_not_believed);
	tcase_add_test(tc, workers_end_within_a_second_of_their_killed_parent);
	tcase_add_test(tc, a_signal_ends_the_writes_without_fsync_and_nothing_is_read);
	tcase_add_test(tc, a_signal_to_the_whole_group_is_an_interruption_and_no_failure);
	tcase_add_test(tc, a_second_signal_does_not_wait_for_the_call_under_way);
	tcase_add_test(tc, a_signal_while_reading_keeps_the_writes);
	tcase_add_test(tc, a_time_limit_ends_both_phases_in_order);
	tcase_add_test(tc, time_used_up_by_fsync_leaves_no_read_phase);
	tcase_add_test(tc, a_file_size_limit_is_an_error_and_kills_nobody);
	tcase_add_test(tc, a_block_size_that_fits_nowhere_works);
	tcase_add_test(tc, a_block_that_no_memory_holds_fails_before_the_gate);
	tcase_add_test(tc, a_plan_without_work_is_refused);
	tcase_add_test(tc, a_signal_before_the_first_byte_is_obeyed);
	tcase_add_test(tc, a_target_exchanged_since_the_probe_is_refused);
	tcase_add_test(tc, directories_of_other_runs_are_named);
	tcase_add_test(tc, a_network_target_keeps_its_names_until_the_end);
	tcase_add_test(tc, no_descriptor_and_no_child_stays_behind);
	suite_add_tcase(suite, tc);
	sr = srunner_create(suite);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
