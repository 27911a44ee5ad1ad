/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner - do what the plan says: run
 */
#include "iotest/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/clock.h"
#include "iotest/signals.h"
#include "iotest/xalloc.h"
#include "cache.h"
#include "counters.h"
#include "crew.h"
#include "execute.h"
#include "workspace.h"

/* How long the file system may take to write everything back between the phases. */
#define SYNC_DEADLINE_NS (120 * NS_PER_S)

struct execution {
	const struct io_ops *io;
	const struct plan *plan;
	const struct target *target;
	const struct run_watch *watch;
	struct run *run;
	struct workspace workspace;
	int64_t end_ns; /* of the time limit; INT64_MAX: none */
	int phase;
	struct run_sample last; /* what was told last */
};

static int64_t remaining_ns(const struct execution *e)
{
	int64_t now = e->io->clock_ns();

	if (e->end_ns == INT64_MAX)
		return INT64_MAX;
	return e->end_ns > now ? e->end_ns - now : 0;
}

static void tell(struct execution *e, enum run_event_kind kind)
{
	struct run_event event = { .kind = kind, .sample = e->last, .run = e->run };

	if (e->watch && e->watch->tell)
		e->watch->tell(e->watch->context, &event);
}

static void at_gate(void *context)
{
	struct execution *e = context;

	e->last = (struct run_sample){
		.phase = e->phase,
		.planned_bytes = run_phase(e->run, e->phase)->planned_bytes,
		.n_running = e->plan->workers,
	};
	tell(e, RUN_PHASE_BEGIN);
	counters_begin(e->target, run_phase(e->run, e->phase));
}

static void on_sample(void *context, const struct run_sample *sample)
{
	struct execution *e = context;

	e->last = *sample;
	tell(e, RUN_SAMPLE);
}

/* bytes has one entry for each worker. */
static int run_one_phase(struct execution *e, int kind, const int64_t *bytes, int64_t deadline_ns,
			 struct err *err)
{
	struct phase *phase = run_phase(e->run, kind);
	struct crew_order order = {
		.io = e->io,
		.workspace = &e->workspace,
		.phase = kind,
		.n_workers = (size_t)e->plan->workers,
		.bytes = bytes,
		.block_bytes = e->plan->io.block_bytes,
		.data = e->plan->io.data,
		.fsync_in_window = e->plan->io.fsync_in_window,
		.run_id = text_of(e->run->id),
		.deadline_ns = deadline_ns,
		.at_gate = at_gate,
		.sample = on_sample,
		.context = e,
	};
	int rc;

	for (size_t i = 0; i < order.n_workers; i++)
		order.planned_bytes += bytes[i];
	e->phase = kind;
	rc = crew_run(&order, phase, err);
	if (rc)
		return rc;
	counters_end(phase);
	if (kind == PHASE_WRITE)
		phase->allocated_bytes = workspace_allocated_bytes(&e->workspace);
	tell(e, RUN_PHASE_END);
	return 0;
}

static int64_t *same_bytes(const struct plan *plan)
{
	int64_t *bytes = calloc((size_t)plan->workers, sizeof(*bytes));

	for (int64_t i = 0; bytes && i < plan->workers; i++)
		bytes[i] = plan->bytes_per_worker;
	return bytes;
}

static int64_t *written_bytes(const struct phase *write)
{
	int64_t *bytes = calloc(write->n_workers, sizeof(*bytes));

	for (size_t i = 0; bytes && i < write->n_workers; i++)
		bytes[i] = write->workers[i].bytes;
	return bytes;
}

static int64_t phase_bytes(const struct phase *phase)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < phase->n_workers; i++)
		bytes += phase->workers[i].bytes;
	return bytes;
}

/* Not a single byte: there is a reason, and it is what the user must hear. */
static int err_nothing_written(const struct execution *e, struct err *err)
{
	const struct phase *phase = &e->run->write;

	for (size_t i = 0; i < phase->n_workers; i++) {
		const struct worker_result *w = &phase->workers[i];

		if (w->error) {
			(void)err_set(err, -(int)w->error, "%s: worker %zu cannot %s at byte %lld",
				      e->workspace.path, i + 1, worker_op_name(w->error_op),
				      (long long)w->error_offset_bytes);
			workspace_advise(err, e->workspace.target_kind, -(int)w->error);
			return -(int)w->error;
		}
	}
	if (phase->status == PHASE_INTERRUPTED)
		return err_say(err, -EINTR, "interrupted before the first byte");
	if (phase->status == PHASE_TIME_LIMIT)
		return err_say(err, -ETIME, "%s: not one block was written within the time limit",
			       e->workspace.path);
	for (size_t i = 0; i < phase->n_workers; i++) {
		if (phase->workers[i].exit_signal)
			return err_say(err, -ECHILD, "worker %zu was killed by signal %lld (%s)",
				       i + 1, (long long)phase->workers[i].exit_signal,
				       strsignal((int)phase->workers[i].exit_signal));
	}
	return err_say(err, -EIO, "%s: nothing was written", e->workspace.path);
}

static int write_phase(struct execution *e, struct err *err)
{
	CLEANUP(xfree) int64_t *bytes = same_bytes(e->plan);
	int64_t left_ns = remaining_ns(e);
	int64_t deadline_ns = left_ns == INT64_MAX ? INT64_MAX : e->end_ns - left_ns / 2;
	int rc;

	if (!bytes)
		return err_set(err, -ENOMEM, "%lld workers", (long long)e->plan->workers);
	rc = run_one_phase(e, PHASE_WRITE, bytes, deadline_ns, err);
	if (rc)
		return rc;
	return phase_bytes(&e->run->write) > 0 ? 0 : err_nothing_written(e, err);
}

/* The disks come to rest before the first read. */
static void settle(struct execution *e)
{
	int64_t started_ns = e->io->clock_ns();
	int64_t left_ns = remaining_ns(e);
	int64_t deadline_ns = left_ns < SYNC_DEADLINE_NS ? left_ns : SYNC_DEADLINE_NS;

	e->run->syncfs_error = -cache_sync_fs(e->workspace.target_fd, deadline_ns);
	e->run->syncfs_ns = e->io->clock_ns() - started_ns;
	/* A file system that hangs would hold us in fsync, too. */
	if (e->run->syncfs_error == ETIMEDOUT)
		e->run->drop_error = ETIMEDOUT;
}

static void drop(struct execution *e)
{
	if (!e->plan->io.drop_cache || e->run->syncfs_error == ETIMEDOUT)
		return;
	e->run->drop_error = 0;
	for (size_t i = 0; i < e->workspace.n_files && signals_pending() == 0; i++) {
		int rc = cache_drop(e->workspace.files[i].fd);

		if (rc && e->run->drop_error == 0)
			e->run->drop_error = -rc;
	}
}

static int64_t resident_bytes(const struct workspace *ws)
{
	int64_t sum = 0;

	for (size_t i = 0; i < ws->n_files; i++) {
		int64_t bytes = cache_resident_bytes(ws->files[i].fd);

		if (bytes < 0)
			return -1;
		sum += bytes;
	}
	return sum;
}

/* Its failure is a fact of the run, not an error: the writes were measured. */
static void read_phase(struct execution *e)
{
	CLEANUP(xfree) int64_t *bytes = written_bytes(&e->run->write);
	struct phase *read = &e->run->read;
	struct err err = { 0 };

	if (!bytes) {
		read->status = PHASE_FAILED;
		xstr_set(&read->failure, strerror(ENOMEM));
		return;
	}
	read->resident_bytes = resident_bytes(&e->workspace);
	if (signals_pending() || remaining_ns(e) == 0)
		return;
	if (run_one_phase(e, PHASE_READ, bytes, e->end_ns, &err))
		xstr_set(&read->failure, err.sentence);
}

static bool can_read(const struct execution *e)
{
	int status = e->run->write.status;

	return (status == PHASE_COMPLETE || status == PHASE_TIME_LIMIT) && signals_pending() == 0;
}

static int measure(struct execution *e, struct err *err)
{
	int rc = write_phase(e, err);

	if (rc || !can_read(e))
		return rc;
	if (remaining_ns(e) == 0)
		return 0;
	settle(e);
	if (can_read(e))
		drop(e);
	if (can_read(e))
		read_phase(e);
	return 0;
}

static int check_plan(const struct host *host, const struct plan *plan, struct err *err)
{
	if (plan->workers < 1 || plan->bytes_per_worker < 1 || plan->io.block_bytes < 1 ||
	    plan->target_index < 0 || (size_t)plan->target_index >= host->n_targets)
		return err_say(err, -EINVAL, "the plan cannot be run: it has no work in it");
	if (plan->io.pages_per_transfer > 1)
		return err_say(err, -ENOTSUP, "transfers of more than one page cannot be done yet");
	return 0;
}

static int open_flags(const struct io_spec *io)
{
	return (io->direct > 0 ? O_DIRECT : 0) | (io->dsync > 0 ? O_DSYNC : 0);
}

/* The path becomes the run's. */
static void keep_leftover(struct run *run, struct leftover *left)
{
	run->left_bytes = left->bytes;
	free(run->left_path);
	run->left_path = left->path;
	left->path = NULL;
}

static void take_workspace(struct execution *e)
{
	xstr_set(&e->run->workspace, e->workspace.kind);
	free(e->run->others_left);
	e->run->others_left = workspace_find_others(&e->workspace);
}

static int open_workspace(struct execution *e, const char *host_name, struct err *err)
{
	struct workspace_wish wish = {
		.path = text_of(e->plan->target),
		.target_kind = e->target->kind,
		.device_number = text_of(e->target->device_number),
		.host_name = host_name,
		.n_files = (size_t)e->plan->workers,
		.open_flags = open_flags(&e->plan->io),
	};
	struct leftover left = { 0 };
	int rc = workspace_open(&wish, &e->workspace, &left, err);

	if (rc)
		keep_leftover(e->run, &left);
	else
		take_workspace(e);
	return rc;
}

static void close_workspace(struct execution *e)
{
	int64_t started_ns = e->io->clock_ns();
	struct leftover left = { 0 };

	tell(e, RUN_REMOVING);
	workspace_close(&e->workspace, &left);
	e->run->remove_ns = e->io->clock_ns() - started_ns;
	keep_leftover(e->run, &left);
}

int run_execute_with(const struct io_ops *io, const struct host *host, const struct plan *plan,
		     const struct run_watch *watch, struct run *out, struct err *err)
{
	struct execution e = {
		.io = io,
		.plan = plan,
		.watch = watch,
		.run = out,
		.end_ns = INT64_MAX,
	};
	int rc = check_plan(host, plan, err);

	if (rc)
		return rc;
	e.target = &host->targets[plan->target_index];
	if (plan->time_limit_ns > 0)
		e.end_ns = io->clock_ns() + plan->time_limit_ns;

	if (out->started_at_ns < 0)
		out->started_at_ns = clock_wall_ns();
	rc = open_workspace(&e, text_of(host->name), err);
	if (rc == 0) {
		rc = measure(&e, err);
		close_workspace(&e);
	}
	out->interrupted_by = signals_pending();
	out->ended_at_ns = clock_wall_ns();
	return rc;
}

int run_execute(const struct host *host, const struct plan *plan, const struct run_watch *watch,
		struct run *out, struct err *err)
{
	return run_execute_with(&io_real, host, plan, watch, out, err);
}
