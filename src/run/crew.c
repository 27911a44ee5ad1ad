/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crew - the worker processes of one phase, from fork to the last wait
 *
 * The parent sleeps in poll on a pipe whose other ends only the workers hold: a byte says that
 * one has ended its work, its end that all are gone, however they died.
 */
#include "crew.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "iotest/clock.h"
#include "iotest/fd.h"
#include "iotest/signals.h"
#include "iotest/xalloc.h"
#include "board.h"
#include "crew_parts.h"

#define SAMPLE_NS (250 * NS_PER_MS)
#define READY_PAUSE_NS (2 * NS_PER_MS)

/* After SIGKILL: a process that has not ended by then is held by the kernel. */
#define KILLED_NS (2 * NS_PER_S)

/* After an order to stop: a call that has not come back by then is given up. */
#define STUCK_NS (30 * NS_PER_S)

#define DISMISS_NS NS_PER_S

static void end_stop(const struct crew *crew, struct member *member)
{
	if (member->stopped_at_ns < 0)
		return;
	member->stopped_ns += crew_now_ns(crew) - member->stopped_at_ns;
	member->stopped_at_ns = -1;
}

static void note_change(struct crew *crew, struct member *member, int status)
{
	end_stop(crew, member);
	if (WIFSTOPPED(status)) {
		member->stopped_at_ns = crew_now_ns(crew);
	} else if (!WIFCONTINUED(status)) {
		member->status = status;
		member->is_reaped = true;
		crew->n_reaped++;
	}
}

static struct member *find_member(const struct crew *crew, pid_t pid)
{
	for (size_t i = 0; i < crew->n_started; i++)
		if (crew->members[i].pid == pid)
			return &crew->members[i];
	return NULL;
}

/*
 * Stopped, going on, or gone: all that the kernel has to tell. It is asked for any child: one call
 * for each of many workers would be most of what this process does. A child that is none of ours
 * was left behind by something that hung.
 */
void crew_reap(struct crew *crew)
{
	int status;
	pid_t pid;

	for (;;) {
		struct member *member;

		pid = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED);
		if (pid <= 0)
			return;
		member = find_member(crew, pid);
		if (member)
			note_change(crew, member, status);
	}
}

/* Sleeps until a worker has ended its work, a signal comes, or until_ns. */
static void wait_for_news(struct crew *crew, int64_t until_ns)
{
	struct pollfd pollfd = { .fd = crew->done[0], .events = POLLIN };
	const struct timespec short_pause = { .tv_nsec = NS_PER_MS };
	int64_t left_ns = until_ns - crew_now_ns(crew);
	char bytes[256];

	if (left_ns <= 0)
		return;
	if (poll(&pollfd, 1, (int)((left_ns + NS_PER_MS - 1) / NS_PER_MS)) <= 0)
		return;
	if (read(crew->done[0], bytes, sizeof(bytes)) > 0)
		return;
	/* All have closed it, but may not be waited for in this instant yet. */
	crew_reap(crew);
	if (crew->n_reaped < crew->n_started)
		(void)nanosleep(&short_pause, NULL);
}

static void kill_all(struct crew *crew)
{
	for (size_t i = 0; i < crew->n_started; i++) {
		if (crew->members[i].is_reaped)
			continue;
		crew->members[i].is_given_up = true;
		(void)kill(crew->members[i].pid, SIGKILL);
	}
	crew->killed_ns = crew_now_ns(crew);
}

/* True while somebody lives who can be expected to end. */
static bool is_alive(const struct crew *crew)
{
	if (crew->n_reaped == crew->n_started)
		return false;
	return crew->killed_ns < 0 || crew_now_ns(crew) - crew->killed_ns < KILLED_NS;
}

static void wait_while_alive(struct crew *crew, int64_t until_ns)
{
	while (is_alive(crew) && crew_now_ns(crew) < until_ns) {
		wait_for_news(crew, crew_now_ns(crew) + 10 * NS_PER_MS);
		crew_reap(crew);
	}
}

/* Who waits at the gate goes when it falls shut; the others are killed. */
static void dismiss(struct crew *crew)
{
	fd_close(&crew->gate[1]);
	wait_while_alive(crew, crew_now_ns(crew) + DISMISS_NS);
	if (crew->n_reaped == crew->n_started)
		return;
	if (crew->killed_ns < 0)
		kill_all(crew);
	wait_while_alive(crew, INT64_MAX);
}

static void crew_done(struct crew *crew)
{
	dismiss(crew);
	for (size_t i = 0; i < 2; i++) {
		fd_close(&crew->gate[i]);
		fd_close(&crew->done[i]);
	}
	board_close(&crew->board);
	free(crew->members);
	crew->members = NULL;
}

static int crew_open(struct crew *crew, const struct crew_order *order)
{
	int rc;

	crew->members = calloc(order->n_tasks, sizeof(*crew->members));
	if (!crew->members)
		return -ENOMEM;
	for (size_t i = 0; i < order->n_tasks; i++)
		crew->members[i].stopped_at_ns = -1;
	rc = board_open(order->n_tasks, &crew->board);
	if (rc)
		return rc;
	if (pipe2(crew->gate, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(crew->done, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	return 0;
}

static int start_member(struct crew *crew)
{
	size_t i = crew->n_started;
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid == 0)
		crew_be_member(crew, i, parent);
	if (pid < 0)
		return -errno;
	crew->members[i].pid = pid;
	/* With a clock that cannot be had the time stays unknown. */
	if (clock_getcpuclockid(pid, &crew->members[i].cpu_clock))
		crew->members[i].cpu_clock = CLOCK_NONE;
	crew->n_started++;
	return 0;
}

static int start_all(struct crew *crew, struct err *err)
{
	const size_t n = crew->order->n_tasks;
	int rc = 0;

	(void)fflush(NULL);
	while (crew->n_started < n && rc == 0)
		rc = start_member(crew);
	fd_close(&crew->gate[0]);
	fd_close(&crew->done[1]);
	if (rc == 0)
		return 0;

	SLOT_PUT(crew->board->slots[crew->n_started].error, -rc);
	SLOT_PUT(crew->board->slots[crew->n_started].error_op, OP_START);
	(void)err_set(err, rc, "cannot start worker process %zu of %zu", crew->n_started + 1, n);
	if (rc == -EAGAIN)
		err_advise(err, "raise the limit on processes (ulimit -u, or pids.max of the "
				"cgroup), or ask for fewer --workers");
	return rc;
}

static size_t count_state(const struct crew *crew, int32_t state)
{
	size_t n = 0;

	for (size_t i = 0; i < crew->n_started; i++)
		n += SLOT_GET(crew->board->slots[i].state) == state;
	return n;
}

static int err_not_ready(const struct crew *crew, struct err *err)
{
	for (size_t i = 0; i < crew->n_started; i++) {
		int error = SLOT_GET(crew->board->slots[i].error);

		if (error)
			return err_set(err, -error, "worker process %zu cannot begin", i + 1);
		if (crew->members[i].is_reaped && WIFSIGNALED(crew->members[i].status))
			return err_say(err, -ECHILD,
				       "worker process %zu was killed by signal %d before it began",
				       i + 1, WTERMSIG(crew->members[i].status));
	}
	return err_say(err, -ECHILD, "a worker process ended before it began");
}

static int await_ready(struct crew *crew, struct err *err)
{
	const int64_t deadline_ns = crew_now_ns(crew) + CREW_READY_NS;

	/* A signal counts even where all are ready at the first look. */
	for (;;) {
		if (signals_count() > 0) {
			crew->cause = CAUSE_SIGNAL;
			return err_say(err, -EINTR, "interrupted before the first byte");
		}
		if (count_state(crew, WORKER_READY) == crew->n_started)
			return 0;
		wait_for_news(crew, crew_now_ns(crew) + READY_PAUSE_NS);
		crew_reap(crew);
		if (crew->n_reaped > 0)
			return err_not_ready(crew, err);
		if (crew_now_ns(crew) > deadline_ns)
			return err_say(err, -ETIMEDOUT,
				       "%zu of %zu worker processes were not ready within %lld s",
				       crew->n_started - count_state(crew, WORKER_READY),
				       crew->n_started, (long long)(CREW_READY_NS / NS_PER_S));
	}
}

static int64_t wall_at_gate(struct crew *crew)
{
	for (size_t i = 0; i < crew->n_started; i++)
		crew->members[i].cpu_begin_ns = crew_cpu_ns(&crew->members[i]);
	crew->gate_ns = crew_now_ns(crew);
	crew->sampled_ns = crew->gate_ns;
	return clock_wall_ns();
}

/* One byte for each worker. Who died meanwhile leaves one over, which hurts nobody. */
static void open_gate(struct crew *crew)
{
	static const char bytes[512];
	const struct crew_order *order = crew->order;
	int64_t wall_ns = wall_at_gate(crew);
	size_t left = crew->n_started;

	for (size_t i = 0; i < order->n_parts; i++) {
		order->parts[i].phase->started_at_ns = wall_ns;
		if (order->deadline_ns < INT64_MAX)
			order->parts[i].phase->budget_ns = order->deadline_ns - crew->gate_ns;
	}
	while (left > 0) {
		ssize_t n =
			write(crew->gate[1], bytes, left < sizeof(bytes) ? left : sizeof(bytes));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		left -= (size_t)n;
	}
}

/* Stops only ever become stricter. */
static void stop(struct crew *crew, enum stop_cause cause)
{
	if (cause <= crew->cause)
		return;
	if (crew->cause == CAUSE_NONE)
		crew->stopped_ns = crew_now_ns(crew);
	crew->cause = cause;
	SLOT_PUT(crew->board->stop, cause <= CAUSE_SPACE ? STOP_FINISH : STOP_ABANDON);
}

static bool has_failed(const struct crew *crew, size_t i)
{
	const struct member *member = &crew->members[i];

	return SLOT_GET(crew->board->slots[i].error) || (member->is_reaped && member->status != 0);
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Since the order to stop, or since anything moved if that was later. */
static int64_t still_ns(const struct crew *crew)
{
	const struct crew_order *order = crew->order;
	int64_t since_ns = crew->stopped_ns;

	if (order->moved_ns)
		since_ns = later(since_ns, order->moved_ns(order->context));
	return crew_now_ns(crew) - since_ns;
}

/* Workers that live, in this state, and were or were not stopped by a signal. */
static size_t count_living(const struct crew *crew, int32_t state, bool is_stopped)
{
	size_t n = 0;

	for (size_t i = 0; i < crew->n_started; i++) {
		const struct member *member = &crew->members[i];

		n += !member->is_reaped && (member->stopped_at_ns >= 0) == is_stopped &&
		     SLOT_GET(crew->board->slots[i].state) == state;
	}
	return n;
}

/* After the order to stop, nothing has moved for too long. */
static bool is_still(const struct crew *crew)
{
	const struct crew_order *order = crew->order;

	if (crew->cause == CAUSE_NONE)
		return false;
	if (order->patience_ns == INT64_MAX)
		return crew_now_ns(crew) - crew->stopped_ns >= STUCK_NS;
	return still_ns(crew) >= order->patience_ns;
}

/* It moves, but there is no time to wait for its end. */
static bool is_late(const struct crew *crew)
{
	return crew->cause != CAUSE_NONE && crew->order->patience_ns < INT64_MAX &&
	       crew_now_ns(crew) - crew->stopped_ns >= crew->order->limit_ns;
}

/* A call that does not come back: a worker that was told to stop is not waited for without end. An
 * fsync may take its time, it is where a slow storage does its work; unless time is short. */
static bool is_stuck(const struct crew *crew)
{
	return count_living(crew, WORKER_MOVING, false) > 0 ||
	       (crew->order->patience_ns < INT64_MAX &&
		count_living(crew, WORKER_SYNCING, false) > 0);
}

/* Somebody stopped it and did not let it go on: that is no matter of the storage. */
static bool is_held(const struct crew *crew)
{
	return count_living(crew, WORKER_MOVING, true) + count_living(crew, WORKER_SYNCING, true) +
		       count_living(crew, WORKER_HOLDING, true) >
	       0;
}

static void decide(struct crew *crew)
{
	if (crew_now_ns(crew) >= crew->deadline_ns)
		stop(crew, CAUSE_TIME);
	for (size_t i = 0; i < crew->n_started && crew->cause < CAUSE_ERROR; i++) {
		if (has_failed(crew, i))
			stop(crew, CAUSE_ERROR);
	}
	if (signals_count() > 0)
		stop(crew, CAUSE_SIGNAL);
	if (crew->killed_ns < 0 && (is_still(crew) || is_late(crew)) &&
	    (is_stuck(crew) || is_held(crew))) {
		crew->was_stuck = is_still(crew) && is_stuck(crew);
		crew->was_cut = !crew->was_stuck && is_stuck(crew);
		crew->still_ns = still_ns(crew);
		kill_all(crew);
	}
	if (crew->killed_ns < 0 && signals_count() > 1)
		kill_all(crew);
}

/* A file system that fills up: what comes first is not to be the reason that others fail. */
static void mind_space(struct crew *crew)
{
	const struct crew_order *order = crew->order;

	if (crew->cause == CAUSE_NONE && order->is_short && order->is_short(order->context))
		stop(crew, CAUSE_SPACE);
}

static void take_sample(struct crew *crew)
{
	const struct crew_order *order = crew->order;

	crew_reap(crew);
	crew_tell(crew);
	if (crew->cause == CAUSE_NONE && order->is_enough && order->is_enough(order->context))
		stop(crew, CAUSE_STEADY);
	mind_space(crew);
}

/* A crew that is on its way to its end is let go. */
static bool is_slice_over(const struct crew *crew, int64_t slice_end_ns)
{
	return crew->order->slice_ns > 0 && crew->cause == CAUSE_NONE &&
	       crew->n_reaped < crew->n_started && crew_now_ns(crew) >= slice_end_ns;
}

static void watch(struct crew *crew)
{
	int64_t slice_end_ns = crew->gate_ns + crew->order->slice_ns;
	int64_t next_ns = crew->gate_ns + SAMPLE_NS;

	while (is_alive(crew)) {
		int64_t until_ns = next_ns;

		if (crew->cause < CAUSE_TIME && crew->deadline_ns < until_ns)
			until_ns = crew->deadline_ns;
		wait_for_news(crew, until_ns);
		crew_reap(crew);
		if (crew_now_ns(crew) >= next_ns) {
			take_sample(crew);
			next_ns = crew_now_ns(crew) + SAMPLE_NS;
		}
		decide(crew);
		if (is_slice_over(crew, slice_end_ns)) {
			crew_hold(crew);
			slice_end_ns = crew_now_ns(crew) + crew->order->slice_ns;
		}
	}
	crew_tell(crew);
}

/* Up to and with the gate. */
static int begin(struct crew *crew, struct err *err)
{
	int rc = start_all(crew, err);

	if (rc == 0)
		rc = await_ready(crew, err);
	if (rc)
		return rc;
	if (crew->order->at_gate)
		crew->order->at_gate(crew->order->context);
	mind_space(crew);
	open_gate(crew);
	return 0;
}

static int prepare_phases(const struct crew_order *order)
{
	const struct crew_task *task = order->tasks;

	for (size_t i = 0; i < order->n_parts; i++) {
		struct phase *phase = order->parts[i].phase;

		phase->status = PHASE_FAILED;
		phase->planned_bytes = 0;
		phase->workers = calloc(order->parts[i].n_tasks, sizeof(*phase->workers));
		if (!phase->workers)
			return -ENOMEM;
		phase->n_workers = order->parts[i].n_tasks;
		for (size_t k = 0; k < phase->n_workers; k++, task++)
			phase->planned_bytes += task->file.bytes + task->other.bytes;
	}
	return 0;
}

static void set_status(const struct crew_order *order, enum phase_status status)
{
	for (size_t i = 0; i < order->n_parts; i++)
		order->parts[i].phase->status = (int)status;
}

int crew_run(const struct crew_order *order, struct err *err)
{
	CLEANUP(crew_done)
	struct crew crew = {
		.order = order,
		.gate = { -1, -1 },
		.done = { -1, -1 },
		.killed_ns = -1,
		.deadline_ns = order->deadline_ns,
	};
	int rc = prepare_phases(order);

	if (rc == 0)
		rc = crew_open(&crew, order);
	if (rc)
		return err_set(err, rc, "cannot prepare %zu workers", order->n_tasks);

	rc = begin(&crew, err);
	if (rc == 0)
		watch(&crew);
	else
		dismiss(&crew);
	crew_collect(&crew);
	if (rc)
		set_status(order, crew.cause == CAUSE_SIGNAL ? PHASE_INTERRUPTED : PHASE_FAILED);
	return rc;
}
