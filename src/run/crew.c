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
#include "board.h"
#include "worker.h"

#define SAMPLE_NS (250 * NS_PER_MS)
#define READY_PAUSE_NS (2 * NS_PER_MS)

/* After SIGKILL: a process that has not ended by then is held by the kernel. */
#define KILLED_NS (5 * NS_PER_S)

/* After an order to stop: a call that has not come back by then is given up. */
#define STUCK_NS (30 * NS_PER_S)

#define DISMISS_NS NS_PER_S

enum stop_cause { CAUSE_NONE, CAUSE_TIME, CAUSE_ERROR, CAUSE_SIGNAL };

struct member {
	pid_t pid;
	int status; /* of waitpid */
	bool is_reaped;
};

struct crew {
	const struct crew_order *order;
	struct board *board;
	struct member *members;
	size_t n_started;
	size_t n_reaped;
	int gate[2];
	int done[2];
	int64_t gate_ns;
	int64_t killed_ns; /* -1: nobody was killed by us */
	enum stop_cause cause;
	int64_t stopped_ns; /* when the first stop was ordered */
};

static int64_t now_ns(const struct crew *crew)
{
	return crew->order->io->clock_ns();
}

static void reap(struct crew *crew, struct member *member)
{
	if (member->is_reaped || waitpid(member->pid, &member->status, WNOHANG) != member->pid)
		return;
	member->is_reaped = true;
	crew->n_reaped++;
}

static void reap_all(struct crew *crew)
{
	for (size_t i = 0; i < crew->n_started; i++)
		reap(crew, &crew->members[i]);
}

/* Only those who said so: a system call for each worker at each wake would be many. */
static void reap_ended(struct crew *crew)
{
	for (size_t i = 0; i < crew->n_started; i++) {
		if (SLOT_GET(crew->board->slots[i].state) == WORKER_ENDED)
			reap(crew, &crew->members[i]);
	}
}

/* Sleeps until a worker has ended its work, a signal comes, or until_ns. */
static void wait_for_news(struct crew *crew, int64_t until_ns)
{
	struct pollfd pollfd = { .fd = crew->done[0], .events = POLLIN };
	const struct timespec short_pause = { .tv_nsec = NS_PER_MS };
	int64_t left_ns = until_ns - now_ns(crew);
	char bytes[256];

	if (left_ns <= 0)
		return;
	if (poll(&pollfd, 1, (int)((left_ns + NS_PER_MS - 1) / NS_PER_MS)) <= 0)
		return;
	if (read(crew->done[0], bytes, sizeof(bytes)) > 0)
		return;
	/* All have closed it, but may not be waited for in this instant yet. */
	reap_all(crew);
	if (crew->n_reaped < crew->n_started)
		(void)nanosleep(&short_pause, NULL);
}

static void kill_all(struct crew *crew)
{
	for (size_t i = 0; i < crew->n_started; i++) {
		if (!crew->members[i].is_reaped)
			(void)kill(crew->members[i].pid, SIGKILL);
	}
	crew->killed_ns = now_ns(crew);
}

/* True while somebody lives who can be expected to end. */
static bool is_alive(const struct crew *crew)
{
	if (crew->n_reaped == crew->n_started)
		return false;
	return crew->killed_ns < 0 || now_ns(crew) - crew->killed_ns < KILLED_NS;
}

static void wait_while_alive(struct crew *crew, int64_t until_ns)
{
	while (is_alive(crew) && now_ns(crew) < until_ns) {
		wait_for_news(crew, now_ns(crew) + 10 * NS_PER_MS);
		reap_all(crew);
	}
}

/* Who waits at the gate goes when it falls shut; the others are killed. */
static void dismiss(struct crew *crew)
{
	fd_close(&crew->gate[1]);
	wait_while_alive(crew, now_ns(crew) + DISMISS_NS);
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

	crew->members = calloc(order->n_workers, sizeof(*crew->members));
	if (!crew->members)
		return -ENOMEM;
	rc = board_open(order->n_workers, &crew->board);
	if (rc)
		return rc;
	if (pipe2(crew->gate, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(crew->done, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	return 0;
}

_Noreturn static void be_member(struct crew *crew, size_t i, pid_t parent)
{
	const struct crew_order *order = crew->order;
	struct worker_bond bond = {
		.parent = parent,
		.gate_fd = crew->gate[0],
		.done_fd = crew->done[1],
	};
	struct worker_job job = {
		.io = order->io,
		.board = crew->board,
		.slot = &crew->board->slots[i],
		.phase = order->phase,
		.fd = order->workspace->files[i].fd,
		.bytes = order->bytes[i],
		.block_bytes = order->block_bytes,
		.fsync_in_window = order->fsync_in_window,
	};

	/* With a writing end of its own it would never see the gate's end. */
	fd_close(&crew->gate[1]);
	fd_close(&crew->done[0]);
	if (order->phase == PHASE_READ)
		job.fd = workspace_open_reader(order->workspace, i);
	pattern_init(&job.pattern, order->data, order->run_id, (int64_t)i);
	worker_main(&job, &bond);
}

static int start_member(struct crew *crew)
{
	size_t i = crew->n_started;
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid == 0)
		be_member(crew, i, parent);
	if (pid < 0)
		return -errno;
	crew->members[crew->n_started++].pid = pid;
	return 0;
}

static int start_all(struct crew *crew, struct err *err)
{
	const size_t n = crew->order->n_workers;
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
	const int64_t deadline_ns = now_ns(crew) + CREW_READY_NS;

	while (count_state(crew, WORKER_READY) < crew->n_started) {
		wait_for_news(crew, now_ns(crew) + READY_PAUSE_NS);
		reap_all(crew);
		if (signals_count() > 0) {
			crew->cause = CAUSE_SIGNAL;
			return err_say(err, -EINTR, "interrupted before the first byte");
		}
		if (crew->n_reaped > 0)
			return err_not_ready(crew, err);
		if (now_ns(crew) > deadline_ns)
			return err_say(err, -ETIMEDOUT,
				       "%zu of %zu worker processes were not ready within %lld s",
				       crew->n_started - count_state(crew, WORKER_READY),
				       crew->n_started, (long long)(CREW_READY_NS / NS_PER_S));
	}
	return 0;
}

/* One byte for each worker. Who died meanwhile leaves one over, which hurts nobody. */
static void open_gate(struct crew *crew, struct phase *phase)
{
	static const char bytes[512];
	size_t left = crew->n_started;

	phase->started_at_ns = clock_wall_ns();
	crew->gate_ns = now_ns(crew);
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
		crew->stopped_ns = now_ns(crew);
	crew->cause = cause;
	SLOT_PUT(crew->board->stop, cause == CAUSE_TIME ? STOP_FINISH : STOP_ABANDON);
}

static bool has_failed(const struct crew *crew, size_t i)
{
	const struct member *member = &crew->members[i];

	return SLOT_GET(crew->board->slots[i].error) || (member->is_reaped && member->status != 0);
}

/* A call that does not come back: a worker that was told to stop is not waited for without end. An
 * fsync may take its time, it is where a slow storage does its work. */
static bool is_stuck(const struct crew *crew)
{
	if (crew->cause == CAUSE_NONE || now_ns(crew) - crew->stopped_ns < STUCK_NS)
		return false;
	return count_state(crew, WORKER_MOVING) > 0;
}

static void decide(struct crew *crew)
{
	if (now_ns(crew) >= crew->order->deadline_ns)
		stop(crew, CAUSE_TIME);
	for (size_t i = 0; i < crew->n_started && crew->cause < CAUSE_ERROR; i++) {
		if (has_failed(crew, i))
			stop(crew, CAUSE_ERROR);
	}
	if (signals_count() > 0)
		stop(crew, CAUSE_SIGNAL);
	if (crew->killed_ns < 0 && (signals_count() > 1 || is_stuck(crew)))
		kill_all(crew);
}

static void tell(const struct crew *crew)
{
	struct run_sample sample = {
		.phase = crew->order->phase,
		.elapsed_ns = now_ns(crew) - crew->gate_ns,
		.planned_bytes = crew->order->planned_bytes,
	};
	size_t n_syncing = 0;

	for (size_t i = 0; i < crew->n_started; i++) {
		const struct worker_slot *slot = &crew->board->slots[i];
		int32_t state = SLOT_GET(slot->state);

		sample.bytes += SLOT_GET(slot->bytes);
		sample.n_running += state != WORKER_ENDED && !crew->members[i].is_reaped;
		n_syncing += state == WORKER_SYNCING && !crew->members[i].is_reaped;
	}
	sample.is_syncing = n_syncing > 0 && n_syncing == (size_t)sample.n_running;
	if (crew->order->sample)
		crew->order->sample(crew->order->context, &sample);
}

static void watch(struct crew *crew)
{
	int64_t next_ns = crew->gate_ns + SAMPLE_NS;

	while (is_alive(crew)) {
		int64_t until_ns = next_ns;

		if (crew->cause == CAUSE_NONE && crew->order->deadline_ns < until_ns)
			until_ns = crew->order->deadline_ns;
		wait_for_news(crew, until_ns);
		reap_ended(crew);
		if (now_ns(crew) >= next_ns) {
			reap_all(crew);
			tell(crew);
			next_ns = now_ns(crew) + SAMPLE_NS;
		}
		decide(crew);
	}
	tell(crew);
}

/* Killed by the signal that stopped everything, or by us after a second one. */
static bool is_excused(const struct crew *crew, const struct worker_result *w)
{
	if (signals_count() == 0 || w->error)
		return false;
	return w->exit_signal == SIGTERM || (crew->killed_ns >= 0 && w->exit_status < 0);
}

static void collect_worker(const struct crew *crew, size_t i, struct worker_result *out)
{
	const struct worker_slot *slot = &crew->board->slots[i];
	const struct member *member = &crew->members[i];

	board_collect(slot, crew->gate_ns, out);
	if (member->is_reaped && WIFSIGNALED(member->status))
		out->exit_signal = WTERMSIG(member->status);
	if (member->is_reaped && WIFEXITED(member->status))
		out->exit_status = WEXITSTATUS(member->status);

	/* It ended well, nobody stopped it, and yet it did less: never let that pass. */
	if (out->exit_status == 0 && crew->cause == CAUSE_NONE && !SLOT_GET(slot->is_complete)) {
		out->error = EIO;
		out->error_op = crew->order->phase == PHASE_WRITE ? OP_WRITE : OP_READ;
		out->error_offset_bytes = out->bytes;
	}
}

/* Fills the workers of the phase; returns its status. */
static enum phase_status collect(const struct crew *crew, struct phase *phase)
{
	bool is_complete = true;
	bool has_failure = false;

	for (size_t i = 0; i < phase->n_workers; i++) {
		struct worker_result *w = &phase->workers[i];

		collect_worker(crew, i, w);
		is_complete = is_complete && w->exit_status == 0 &&
			      SLOT_GET(crew->board->slots[i].is_complete);
		has_failure = has_failure || ((w->error || w->exit_status) && !is_excused(crew, w));
	}
	if (has_failure)
		return PHASE_FAILED;
	if (is_complete)
		return PHASE_COMPLETE;
	return crew->cause == CAUSE_TIME ? PHASE_TIME_LIMIT : PHASE_INTERRUPTED;
}

/* Up to and with the gate. */
static int begin(struct crew *crew, struct phase *phase, struct err *err)
{
	int rc = start_all(crew, err);

	if (rc == 0)
		rc = await_ready(crew, err);
	if (rc)
		return rc;
	if (crew->order->at_gate)
		crew->order->at_gate(crew->order->context);
	open_gate(crew, phase);
	return 0;
}

int crew_run(const struct crew_order *order, struct phase *phase, struct err *err)
{
	CLEANUP(crew_done)
	struct crew crew = {
		.order = order,
		.gate = { -1, -1 },
		.done = { -1, -1 },
		.killed_ns = -1,
	};
	int rc;

	phase->status = PHASE_FAILED;
	phase->planned_bytes = order->planned_bytes;
	rc = crew_open(&crew, order);
	if (rc)
		return err_set(err, rc, "cannot prepare %zu workers", order->n_workers);
	phase->workers = calloc(order->n_workers, sizeof(*phase->workers));
	if (!phase->workers)
		return err_set(err, -ENOMEM, "%zu workers", order->n_workers);
	phase->n_workers = order->n_workers;

	rc = begin(&crew, phase, err);
	if (rc == 0)
		watch(&crew);
	else
		dismiss(&crew);
	phase->status = (int)collect(&crew, phase);
	if (rc)
		phase->status = crew.cause == CAUSE_SIGNAL ? PHASE_INTERRUPTED : PHASE_FAILED;
	return rc;
}
