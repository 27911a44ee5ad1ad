/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner - do what the plans say: runs
 *
 * Opens the test files, lets the phases run (sequence.c), and leaves nothing behind.
 */
#include "iotest/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "iotest/clock.h"
#include "iotest/fd.h"
#include "iotest/signals.h"
#include "iotest/xalloc.h"
#include "direct.h"
#include "ensemble.h"
#include "execute.h"
#include "neighbours.h"
#include "pause.h"
#include "sequence.h"
#include "worker.h"

/* How long removing may take before it counts as hanging: large files on slow storage take their
 * time, but a short test has small ones. */
#define REMOVE_DEADLINE_NS (1800 * NS_PER_S)
#define REMOVE_DEADLINE_SHORT_NS (10 * NS_PER_S)
/* A storage that hung already is not waited for again. */
#define REMOVE_DEADLINE_STUCK_NS (3 * NS_PER_S)

static int check_plan(const struct host *host, const struct plan *plan, struct err *err)
{
	if (plan->workers < 1 || plan->bytes_per_worker < 1 || plan->io.block_bytes < 1 ||
	    plan->target_index < 0 || (size_t)plan->target_index >= host->n_targets)
		return err_say(err, -EINVAL, "the plan cannot be run: it has no work in it");
	if (plan->io.pages_per_transfer > WORKER_PAGES_MAX)
		return err_say(err, -EINVAL,
			       "the plan cannot be run: a transfer has %d pages at most",
			       WORKER_PAGES_MAX);
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

/* A file that is only read is not touched: it is opened anew as its reader will open it. */
static int ask_direct(const struct execution *e, int64_t *align, const char **source)
{
	CLEANUP(fd_close) int fd = -1;

	if (!plan_only_reads(e->plan))
		return direct_learn(e->workspace.files[0].fd, align, source);
	fd = workspace_reopen(&e->workspace, 0, O_RDONLY | O_DIRECT);
	return fd < 0 ? fd : direct_learn_reading(fd, align, source);
}

static int err_no_direct(const struct execution *e, struct err *err)
{
	err_say(err, -EINVAL, "%s: this file system refuses O_DIRECT", e->workspace.path);
	err_advise(err, plan_has_file(e->plan)
				? "leave -unbuffered away"
				: "leave --direct away: SAS goes through the page cache, too");
	return -EINVAL;
}

static int check_alignment(const struct execution *e, int64_t align, struct err *err)
{
	/* Of a file that is only read, what can be read. */
	bool fits = plan_only_reads(e->plan) || e->plan->bytes_per_worker % align == 0;

	if (fits && e->plan->io.block_bytes % align == 0)
		return 0;
	err_say(err, -EINVAL, "%s: O_DIRECT needs multiples of %lld bytes here", e->workspace.path,
		(long long)align);
	err_advise(err, plan_has_file(e->plan) ? "choose a -pagesize and a -filesize that are"
					       : "choose a --block-size and a --size that are");
	return -EINVAL;
}

static int check_lengths(const struct execution *e, int64_t align, struct err *err)
{
	for (size_t i = 0; plan_only_reads(e->plan) && i < e->workspace.n_files; i++)
		if (e->workspace.files[i].size_bytes < align)
			return err_say(err, -EINVAL,
				       "%s/%s: is shorter than the %lld bytes that O_DIRECT reads "
				       "at once here",
				       e->workspace.path, e->workspace.files[i].name,
				       (long long)align);
	return 0;
}

static int learn_direct(struct execution *e, struct err *err)
{
	const char *source = "";
	int64_t align = -1;
	int rc;

	if (e->plan->io.direct <= 0)
		return 0;
	rc = ask_direct(e, &align, &source);
	if (rc == -EINVAL)
		return err_no_direct(e, err);
	if (rc)
		return err_set(err, rc, "%s: cannot learn what O_DIRECT needs", e->workspace.path);
	rc = check_alignment(e, align, err);
	if (!rc)
		rc = check_lengths(e, align, err);
	if (rc)
		return rc;
	e->run->direct_alignment_bytes = align;
	xstr_set(&e->run->direct_alignment_source, source);
	return 0;
}

/* Only what this host serves itself is asked without a thought. */
static bool may_hang(const struct target *target)
{
	return target->kind != TARGET_LOCAL && target->kind != TARGET_MEMORY;
}

static int open_one(const struct ensemble *x, struct execution *e, struct err *err)
{
	const struct given_files given = {
		.plan = e->plan,
		.writes = !plan_only_reads(e->plan),
	};
	struct workspace_wish wish = {
		.path = text_of(e->plan->target),
		.target_kind = e->target->kind,
		.device_number = text_of(e->target->device_number),
		.host_name = text_of(x->host->name),
		.n_files = ensemble_files(e->plan),
		.open_flags = open_flags(&e->plan->io),
		.given = plan_has_file(e->plan) ? &given : NULL,
	};
	struct leftover left = { 0 };
	int rc;

	if (e->plan->io.data == DATA_FILE) {
		rc = content_source_open(text_of(e->plan->io.data_file), &e->source, err);
		if (rc)
			return rc;
	}
	rc = workspace_open(&wish, &e->workspace, &left, err);
	if (rc) {
		keep_leftover(e->run, &left);
		return rc;
	}
	rc = space_watch_open(e->workspace.target_fd, may_hang(e->target), &e->space);
	if (rc)
		return err_set(err, rc, "%s: cannot watch its free space", e->workspace.path);
	xstr_set(&e->run->workspace, e->workspace.kind);
	neighbours_look(x, e);
	return learn_direct(e, err);
}

static int open_all(struct ensemble *x, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->n_items; i++)
		rc = open_one(x, &x->items[i], err);
	return rc;
}

static bool is_stuck(const struct run *run)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++)
		if (run_phase_const(run, kind)->status == PHASE_STUCK)
			return true;
	return false;
}

static int64_t remove_deadline(const struct plan *plan, const struct run *run)
{
	if (is_stuck(run))
		return REMOVE_DEADLINE_STUCK_NS;
	if (plan->mode == MODE_FULL || plan->time_limit_ns <= 0)
		return REMOVE_DEADLINE_NS;
	return plan->time_limit_ns / 6 > REMOVE_DEADLINE_SHORT_NS ? plan->time_limit_ns / 6
								  : REMOVE_DEADLINE_SHORT_NS;
}

static void close_one(struct ensemble *x, struct execution *e)
{
	int64_t started_ns = x->io->clock_ns();
	struct leftover left = { 0 };

	content_source_close(&e->source);
	buf_done(&e->devices);
	space_watch_close(&e->space);
	if (!e->workspace.files)
		return;
	if (!plan_has_file(e->plan))
		ensemble_tell(x, e, RUN_REMOVING);
	if (!is_stuck(e->run))
		neighbours_name(e);
	e->run->remove_error =
		-workspace_remove(&e->workspace, remove_deadline(e->plan, e->run), &left);
	if (!plan_has_file(e->plan))
		e->run->remove_ns = x->io->clock_ns() - started_ns;
	/* Who hangs in the kernel still holds its file. */
	if (is_stuck(e->run)) {
		e->run->remove_error = ETIMEDOUT;
		left.bytes = left.bytes > 0 ? left.bytes : -1;
	}
	keep_leftover(e->run, &left);
}

/* Where nothing was measured there is no report that could tell. */
static void advise_leftover(const struct ensemble *x, struct err *err)
{
	for (size_t i = 0; err && i < x->n_items; i++) {
		const char *path = text_of(x->items[i].run->left_path);
		CLEANUP(xfree) char *before = xstrdup(err->advice);

		if (*path)
			err_advise(err, "%s%stest files may be left in %s", before,
				   *before ? "; " : "", path);
	}
}

static int64_t own_cpu_ns(void)
{
	static const int whose[] = { RUSAGE_SELF, RUSAGE_CHILDREN };
	int64_t ns = 0;

	for (size_t i = 0; i < ARRAY_LEN(whose); i++) {
		struct rusage usage;

		if (getrusage(whose[i], &usage) < 0)
			return -1;
		ns += (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_S +
		      (int64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
	}
	return ns;
}

static int prepare(struct ensemble *x, const struct run_job *jobs, struct err *err)
{
	for (size_t i = 0; i < x->n_items; i++) {
		struct execution *e = &x->items[i];
		int rc = check_plan(x->host, jobs[i].plan, err);

		if (rc)
			return rc;
		e->plan = jobs[i].plan;
		e->run = jobs[i].run;
		e->target = &x->host->targets[e->plan->target_index];
		if (e->run->started_at_ns < 0)
			e->run->started_at_ns = clock_wall_ns();
	}
	if (x->items[0].plan->time_limit_ns > 0)
		x->end_ns = x->io->clock_ns() + x->items[0].plan->time_limit_ns;
	return 0;
}

static void finish(struct ensemble *x, int64_t cpu_before_ns)
{
	int64_t cpu_ns = own_cpu_ns();

	for (size_t i = 0; i < x->n_items; i++) {
		struct run *run = x->items[i].run;

		run->interrupted_by = signals_pending();
		run->ended_at_ns = clock_wall_ns();
		if (cpu_ns >= 0 && cpu_before_ns >= 0)
			run->cpu_ns = cpu_ns - cpu_before_ns;
	}
}

static void ensemble_done(struct ensemble *x)
{
	free(x->items);
	free(x->parts);
}

static int execute(const struct io_ops *io, const struct host *host, const struct run_job *jobs,
		   size_t n, const struct run_watch *watch, struct err *err)
{
	CLEANUP(ensemble_done)
	struct ensemble x = {
		.io = io,
		.host = host,
		.watch = watch,
		.items = xcalloc(n, sizeof(*x.items)),
		.n_items = n,
		.parts = xcalloc(n, sizeof(*x.parts)),
		.end_ns = INT64_MAX,
	};
	int64_t cpu_ns = own_cpu_ns();
	int rc = prepare(&x, jobs, err);

	if (rc)
		return rc;
	if (n > 1 && plan_has_file(jobs[0].plan))
		return err_say(err, -EINVAL, "named files are tested one plan at a time");
	rc = open_all(&x, err);
	pause_open(&x);
	if (rc == 0)
		rc = sequence_run(&x, err);
	pause_close(&x);
	for (size_t i = 0; i < n; i++)
		close_one(&x, &x.items[i]);
	if (rc)
		advise_leftover(&x, err);
	finish(&x, cpu_ns);
	return rc;
}

int run_execute_with(const struct io_ops *io, const struct host *host, const struct plan *plan,
		     const struct run_watch *watch, struct run *out, struct err *err)
{
	const struct run_job job = { .plan = plan, .run = out };

	return execute(io, host, &job, 1, watch, err);
}

int run_execute(const struct host *host, const struct plan *plan, const struct run_watch *watch,
		struct run *out, struct err *err)
{
	return run_execute_with(&io_real, host, plan, watch, out, err);
}

int run_execute_together(const struct host *host, const struct run_job *jobs, size_t n,
			 const struct run_watch *watch, struct err *err)
{
	if (n == 0)
		return err_say(err, -EINVAL, "there is no plan to run");
	return execute(&io_real, host, jobs, n, watch, err);
}
