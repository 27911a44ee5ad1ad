/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sequence - which phases there are, in which order, and what lies between them
 *
 * Write, come to rest, read; then, if it is wanted, the control.
 */
#include "sequence.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iotest/child.h"
#include "iotest/signals.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "cache.h"

/* How long the file system may take to write everything back between the phases. */
#define SYNC_DEADLINE_NS (120 * NS_PER_S)

/* And how long the pages of large files may take to go, or to be counted. */
#define CACHE_DEADLINE_NS (1800 * NS_PER_S)
#define CACHE_DEADLINE_NS_MIN (2 * NS_PER_S)

/* Shorter controls show nothing; the start takes a moment. */
#define CONTROL_NS_MIN (CONTROL_COMPARED_NS + NS_PER_S / 2)

static const struct plan *first_plan(const struct ensemble *x)
{
	return x->items[0].plan;
}

static int err_of_kill(const struct phase *phase, size_t i, struct err *err)
{
	int64_t by = phase->workers[i].exit_signal;
	bool is_oom = by == SIGKILL && phase->oom_kills > 0;

	err_say(err, -ECHILD, "worker %zu was killed by signal %lld (%s)%s", i + 1, (long long)by,
		strsignal((int)by), is_oom ? ", because memory ran out" : "");
	if (is_oom)
		err_advise(err, "raise the memory limit, or use fewer --workers or smaller blocks");
	return -ECHILD;
}

static int first_kind(const struct plan *plan)
{
	return plan_only_reads(plan) ? PHASE_READ : PHASE_WRITE;
}

/* "/mnt: worker 2", or the file that it has. */
static char *who_worked(const struct execution *e, size_t worker)
{
	if (plan_has_file(e->plan))
		return plan_worker_file(e->plan, text_of(e->plan->io.file), worker);
	return xasprintf("%s: worker %zu", e->workspace.path, worker + 1);
}

/* A worker's error, as the reason why nothing was measured. */
static int err_of_worker(const struct execution *e, struct err *err)
{
	const struct phase *phase = run_phase_const(e->run, first_kind(e->plan));

	for (size_t i = 0; i < phase->n_workers; i++) {
		const struct worker_result *w = &phase->workers[i];

		if (w->error) {
			CLEANUP(xfree) char *who = who_worked(e, i);

			(void)err_set(err, -(int)w->error, "%s%s cannot %s at byte %lld", who,
				      plan_has_file(e->plan) ? ":" : "",
				      worker_op_name(w->error_op),
				      (long long)w->error_offset_bytes);
			workspace_advise(err, e->workspace.target_kind, -(int)w->error);
			return -(int)w->error;
		}
	}
	for (size_t i = 0; i < phase->n_workers; i++) {
		if (phase->workers[i].exit_signal)
			return err_of_kill(phase, i, err);
	}
	return err_say(err, -EIO, "%s: nothing was %s", e->workspace.path,
		       plan_only_reads(e->plan) ? "read" : "written");
}

/* Others filled it between the plan and the first write. */
static int err_no_space(const struct execution *e, struct err *err)
{
	CLEANUP(buf_done) struct buf free_bytes = { 0 };
	CLEANUP(buf_done) struct buf keep = { 0 };
	const struct phase *phase = &e->run->write;

	if (phase->least_free_bytes >= e->plan->keep_free_bytes) {
		err_say(err, -ENOSPC,
			"%s: only %lld inodes are free, and %lld are to stay free: nothing was "
			"written",
			e->workspace.path, (long long)phase->least_free_inodes,
			(long long)e->plan->keep_free_inodes);
	} else {
		units_add_size(&free_bytes, phase->least_free_bytes);
		units_add_size(&keep, e->plan->keep_free_bytes);
		err_say(err, -ENOSPC,
			"%s: others filled it: only %s are free, and %s are to stay free: nothing "
			"was written",
			e->workspace.path, buf_text(&free_bytes), buf_text(&keep));
	}
	err_advise(err, "free some space; --keep-free N sets what is to stay free");
	return -ENOSPC;
}

/* Not a single byte: there is a reason, and it is what the user must hear. */
static int err_nothing_moved(const struct execution *e, struct err *err)
{
	const char *done = plan_only_reads(e->plan) ? "read" : "written";

	switch (run_phase_const(e->run, first_kind(e->plan))->status) {
	case PHASE_INTERRUPTED:
		return err_say(err, -EINTR, "interrupted before the first byte");
	case PHASE_TIME_LIMIT:
		return err_say(err, -ETIME, "%s: not one block was %s within the time limit",
			       e->workspace.path, done);
	case PHASE_SPACE:
		return err_no_space(e, err);
	case PHASE_STUCK:
		return err_say(err, -ETIMEDOUT, "%s: the storage hangs: not one block was %s",
			       e->workspace.path, done);
	default:
		return err_of_worker(e, err);
	}
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* now + ns, but not after the end of everything. */
static int64_t deadline_in(const struct ensemble *x, int64_t ns)
{
	return earlier(x->end_ns, x->io->clock_ns() + ns);
}

static bool has_second_phase(const struct plan *plan)
{
	return plan->mixed_read_percent >= 0 || plan->judges_read != 0;
}

static int64_t write_deadline(const struct ensemble *x)
{
	const struct plan *plan = first_plan(x);

	if (plan->write_budget_ns > 0)
		return deadline_in(x, plan->write_budget_ns);
	if (x->end_ns == INT64_MAX || !has_second_phase(plan))
		return x->end_ns;
	return x->end_ns - ensemble_remaining_ns(x) / 2;
}

static bool wrote_anything(const struct execution *e)
{
	return ensemble_phase_bytes(&e->run->write) > 0;
}

/* Of several, those that could not write are told in their own runs. */
static int write_phase(struct ensemble *x, struct err *err)
{
	int rc = ensemble_run_phase(x, PHASE_WRITE, write_deadline(x), err);
	size_t n_good = 0;

	for (size_t i = 0; rc == 0 && i < x->n_items; i++)
		n_good += wrote_anything(&x->items[i]);
	if (rc)
		return rc;
	if (n_good == 0)
		return err_nothing_moved(&x->items[0], err);
	for (size_t i = 0; i < x->n_items; i++) {
		struct err why = { 0 };

		if (wrote_anything(&x->items[i]))
			continue;
		(void)err_nothing_moved(&x->items[i], &why);
		xstr_set(&x->items[i].run->failure, why.sentence);
	}
	return 0;
}

/* The disks come to rest before the first read. */
static void settle(struct ensemble *x, struct execution *e)
{
	int64_t started_ns = x->io->clock_ns();
	int64_t deadline_ns = earlier(ensemble_remaining_ns(x), SYNC_DEADLINE_NS);

	e->run->syncfs_error = -cache_sync_fs(e->workspace.target_fd, deadline_ns);
	e->run->syncfs_ns = x->io->clock_ns() - started_ns;
	/* A file system that hangs would hold us in fsync, too. */
	if (e->run->syncfs_error == ETIMEDOUT)
		e->run->drop_error = ETIMEDOUT;
}

/* Not what is left of the time: a run whose time is over does not mean that its storage hangs. */
static int64_t cache_deadline(const struct ensemble *x)
{
	const struct plan *plan = first_plan(x);
	int64_t ns = CACHE_DEADLINE_NS;

	if (plan->mode != MODE_FULL && plan->time_limit_ns > 0)
		ns = earlier(ns, plan->time_limit_ns / 8);
	return ns > CACHE_DEADLINE_NS_MIN ? ns : CACHE_DEADLINE_NS_MIN;
}

static int drop_work(void *context, struct buf *answer)
{
	const struct workspace *ws = context;
	int first = 0;

	(void)answer;
	for (size_t i = 0; i < ws->n_files; i++) {
		int rc = cache_drop(ws->files[i].fd);

		first = first ? first : rc;
	}
	return first;
}

static int second_kind(const struct plan *plan)
{
	return plan->mixed_read_percent >= 0 ? PHASE_MIXED : PHASE_READ;
}

/* What did not answer to fsync would not answer to reads. */
static void refuse_second_phase(const struct ensemble *x, struct execution *e)
{
	struct phase *phase = run_phase(e->run, second_kind(first_plan(x)));

	phase->status = PHASE_FAILED;
	xstr_set(&phase->failure, "the storage hangs: an fsync after the write phase did not "
				  "come back in time");
}

/* In a child: the fsync of a storage that hangs would hold us. */
static void drop(const struct ensemble *x, struct execution *e)
{
	CLEANUP(buf_done) struct buf answer = { 0 };
	int64_t deadline_ns = cache_deadline(x);
	int rc;

	if (!e->plan->io.drop_cache || e->run->syncfs_error == ETIMEDOUT)
		return;
	rc = child_run(drop_work, &e->workspace, deadline_ns, &answer);
	/* A signal ends the run, which says so itself. */
	e->run->drop_error = rc == -EINTR ? 0 : -rc;
	if (rc == -ETIMEDOUT)
		refuse_second_phase(x, e);
}

static int resident_work(void *context, struct buf *answer)
{
	const struct workspace *ws = context;
	int64_t bytes = cache_resident_total(ws);

	buf_add(answer, (const char *)&bytes, sizeof(bytes));
	return 0;
}

/* The same; nothing is known of a storage that does not answer. */
static int64_t resident_bytes(const struct ensemble *x, struct execution *e)
{
	CLEANUP(buf_done) struct buf answer = { 0 };
	int64_t deadline_ns = cache_deadline(x);
	int64_t bytes = -1;

	if (e->run->drop_error != ETIMEDOUT &&
	    child_run(resident_work, &e->workspace, deadline_ns, &answer) == 0 &&
	    answer.len == sizeof(bytes))
		memcpy(&bytes, answer.data, sizeof(bytes));
	return bytes;
}

static int shrink_work(void *context, struct buf *answer)
{
	const struct execution *e = context;
	int first = 0;

	(void)answer;
	for (size_t i = 0; i < e->run->write.n_workers && i < e->workspace.n_files; i++) {
		int64_t bytes = ensemble_kept_bytes(e, e->run->write.workers[i].bytes);

		if (ftruncate(e->workspace.files[i].fd, (off_t)bytes) < 0 && !first)
			first = -errno;
	}
	return first;
}

/* Others need the space that our files take: half of it they get before anything is read. */
static void give_back(const struct ensemble *x, struct execution *e)
{
	CLEANUP(buf_done) struct buf answer = { 0 };

	if (e->run->write.status != PHASE_SPACE)
		return;
	e->gave_back = true;
	if (child_run(shrink_work, e, cache_deadline(x), &answer) == -ETIMEDOUT)
		refuse_second_phase(x, e);
}

/* Who takes part in what follows the writing; false if nobody does. */
static bool choose_readers(struct ensemble *x)
{
	bool any = false;

	for (size_t i = 0; i < x->n_items; i++) {
		struct execution *e = &x->items[i];

		e->takes_part = phase_is_measured(&e->run->write) && wrote_anything(e) &&
				e->run->drop_error != ETIMEDOUT;
		any = any || e->takes_part;
	}
	return any && signals_pending() == 0 && ensemble_remaining_ns(x) > 0;
}

static void come_to_rest(struct ensemble *x)
{
	for (size_t i = 0; i < x->n_items; i++) {
		if (x->items[i].takes_part)
			give_back(x, &x->items[i]);
	}
	for (size_t i = 0; i < x->n_items; i++) {
		if (x->items[i].takes_part)
			settle(x, &x->items[i]);
	}
	for (size_t i = 0; i < x->n_items; i++) {
		if (x->items[i].takes_part && signals_pending() == 0)
			drop(x, &x->items[i]);
	}
}

/* Its failure is a fact of the run, not an error: the writes were measured. */
static void second_phase(struct ensemble *x)
{
	const struct plan *plan = first_plan(x);
	int kind = second_kind(plan);
	int64_t deadline_ns =
		plan->read_budget_ns > 0 ? deadline_in(x, plan->read_budget_ns) : x->end_ns;
	struct err err = { 0 };

	for (size_t i = 0; i < x->n_items; i++) {
		if (x->items[i].takes_part)
			run_phase(x->items[i].run, kind)->resident_bytes =
				resident_bytes(x, &x->items[i]);
	}
	if (signals_pending() || ensemble_remaining_ns(x) == 0)
		return;
	if (ensemble_run_phase(x, kind, deadline_ns, &err) == 0)
		return;
	for (size_t i = 0; i < x->n_items; i++) {
		if (!x->items[i].takes_part)
			continue;
		run_phase(x->items[i].run, kind)->status =
			signals_pending() ? PHASE_INTERRUPTED : PHASE_FAILED;
		xstr_set(&run_phase(x->items[i].run, kind)->failure, err.sentence);
	}
}

static bool wants_control(const struct ensemble *x, size_t i, int judged_kind)
{
	const struct run_watch *watch = x->watch;

	return watch && watch->wants_control && wrote_anything(&x->items[i]) &&
	       watch->wants_control(watch->context, x->items[i].run, i, judged_kind);
}

/* The time that is left must also do for removing the files. */
static int64_t control_deadline(const struct ensemble *x)
{
	int64_t now = x->io->clock_ns();
	int64_t left_ns = ensemble_remaining_ns(x);

	if (left_ns == INT64_MAX)
		return now + CONTROL_NS;
	return now + earlier(CONTROL_NS, left_ns - first_plan(x)->time_limit_ns / 10);
}

/* Where what is overwritten stays in its place: all others may write it elsewhere first. */
static bool overwrites_in_place(const struct target *t)
{
	static const char *const types[] = { "ext2", "ext3", "ext4", "xfs", "tmpfs", "ramfs" };
	const char *type = *text_of(t->backing_fs_type) ? t->backing_fs_type : text_of(t->fs_type);

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	return false;
}

/* The control must not be what fills the file system. */
static bool has_room(const struct execution *e)
{
	const struct space_room room = space_watch_look(e->space);
	int64_t bytes = ensemble_phase_bytes(&e->run->write);

	return overwrites_in_place(e->target) || room.free_bytes < 0 ||
	       room.free_bytes - bytes >= e->plan->reserve_bytes;
}

/* Not a failure: it is not made, and the report says why. */
static void skip_control(const struct ensemble *x, int kind, const char *why)
{
	for (size_t i = 0; i < x->n_items; i++)
		if (x->items[i].takes_part)
			xstr_set(&run_phase(x->items[i].run, kind)->failure, why);
}

static void control(struct ensemble *x, int judged_kind, int kind)
{
	int64_t deadline_ns = control_deadline(x);
	struct err err = { 0 };
	bool any = false;
	int rc;

	for (size_t i = 0; i < x->n_items; i++) {
		x->items[i].takes_part = wants_control(x, i, judged_kind);
		any = any || x->items[i].takes_part;
	}
	if (!any || signals_pending())
		return;
	if (deadline_ns - x->io->clock_ns() < CONTROL_NS_MIN) {
		skip_control(x, kind, "less than 2.5 s of the time limit were left for it");
		return;
	}
	for (size_t i = 0; i < x->n_items && kind == PHASE_CONTROL_WRITE; i++) {
		if (x->items[i].takes_part && !has_room(&x->items[i])) {
			skip_control(x, kind,
				     "this file system may write elsewhere what is "
				     "overwritten, and has no room for that");
			return;
		}
	}
	rc = ensemble_run_phase(x, kind, deadline_ns, &err);
	if (rc == -ENODATA)
		skip_control(x, kind, "the files are too small for it");
	if (rc == 0 || rc == -ENODATA)
		return;
	for (size_t i = 0; i < x->n_items; i++) {
		if (!x->items[i].takes_part)
			continue;
		run_phase(x->items[i].run, kind)->status = PHASE_FAILED;
		xstr_set(&run_phase(x->items[i].run, kind)->failure, err.sentence);
	}
}

/* Files that are there already are only read: what fails then is an error, since nothing was
 * measured before. */
static int read_given(struct ensemble *x, struct err *err)
{
	struct execution *e = &x->items[0];
	int rc;

	drop(x, e);
	if (e->run->drop_error == ETIMEDOUT)
		return err_say(err, -ETIMEDOUT,
			       "%s: the storage hangs: the file could not be dropped from the "
			       "page cache in time",
			       e->workspace.path);
	e->run->read.resident_bytes = resident_bytes(x, e);
	rc = ensemble_run_phase(x, PHASE_READ, x->end_ns, err);
	if (rc == 0 && ensemble_phase_bytes(&e->run->read) == 0)
		rc = err_nothing_moved(e, err);
	return rc;
}

int sequence_run(struct ensemble *x, struct err *err)
{
	int rc;

	for (size_t i = 0; i < x->n_items; i++)
		x->items[i].takes_part = true;
	if (plan_only_reads(first_plan(x)))
		return read_given(x, err);
	rc = write_phase(x, err);
	if (rc)
		return rc;
	if (has_second_phase(first_plan(x)) && choose_readers(x)) {
		come_to_rest(x);
		if (choose_readers(x))
			second_phase(x);
	}
	control(x, PHASE_WRITE, PHASE_CONTROL_WRITE);
	control(x, PHASE_READ, PHASE_CONTROL_READ);
	return 0;
}
