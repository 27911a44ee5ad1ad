/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ensemble - the runs that go on at the same time, phase by phase
 */
#include "ensemble.h"

#include <errno.h>
#include <stdlib.h>

#include "iotest/xalloc.h"
#include "cache.h"
#include "crew.h"
#include "kthread.h"
#include "neighbours.h"
#include "pause.h"
#include "tasks.h"

/* A disk that sorts, or wakes up, may be silent for a moment. */
#define PATIENCE_NS_MIN (2 * NS_PER_S)

int64_t ensemble_remaining_ns(const struct ensemble *x)
{
	int64_t now = x->io->clock_ns();

	if (x->end_ns == INT64_MAX)
		return INT64_MAX;
	return x->end_ns > now ? x->end_ns - now : 0;
}

void ensemble_tell(const struct ensemble *x, const struct execution *e, enum run_event_kind kind)
{
	struct run_event event = {
		.kind = kind,
		.sample = e->last,
		.run = e->run,
		.job = (size_t)(e - x->items),
	};

	event.sample.devices = buf_text(&e->devices);
	if (x->watch && x->watch->tell)
		x->watch->tell(x->watch->context, &event);
}

int64_t ensemble_phase_bytes(const struct phase *phase)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < phase->n_workers; i++)
		bytes += phase->workers[i].bytes;
	return bytes;
}

/* Whole blocks, and whole pages of 4 KiB where they are that large. */
int64_t ensemble_kept_bytes(const struct execution *e, int64_t written_bytes)
{
	int64_t block = e->plan->io.block_bytes > 4096 ? e->plan->io.block_bytes : 4096;

	return e->gave_back ? written_bytes / 2 / block * block : written_bytes;
}

size_t ensemble_files(const struct plan *plan)
{
	return (size_t)plan->workers * (plan->mixed_read_percent >= 0 ? 2 : 1);
}

static struct phase *phase_of(const struct ensemble *x, const struct execution *e)
{
	return run_phase(e->run, x->phase);
}

static void at_gate(void *context)
{
	struct ensemble *x = context;

	for (size_t i = 0; i < x->n_parts; i++) {
		struct execution *e = x->parts[i];
		struct phase *phase = phase_of(x, e);

		e->recorder = (struct recorder){ 0 };
		e->last = (struct run_sample){
			.phase = x->phase,
			.planned_bytes = phase->planned_bytes,
			.n_running = (int64_t)phase->n_workers,
			.devices = "",
		};
		buf_done(&e->devices);
		ensemble_tell(x, e, RUN_PHASE_BEGIN);
		counters_begin(e->target, phase);
		e->sampler = counters_sampler_open(phase);
	}
	meter_read(x->host, &x->meter);
	x->moved_ns = x->io->clock_ns();
}

/* What a worker hands over, or what a device of the file system does, means that the storage lives.
 * What waits in memory on this host is no sign: others write, too. */
static bool has_moved(struct execution *e, const struct series_point *now)
{
	int64_t top_bytes = counters_sampler_top_bytes(e->sampler);
	bool tops_moved = top_bytes >= 0 && top_bytes != e->top_bytes;

	e->top_bytes = top_bytes;
	return tops_moved || e->last.point.bytes != now->bytes;
}

static int64_t moved_ns(void *context)
{
	const struct ensemble *x = context;

	return x->moved_ns;
}

static void see_group(const struct ensemble *x, struct phase *phase)
{
	int64_t bytes = meter_group_dirty_bytes(x->host);

	if (bytes > phase->group_dirty_peak_bytes)
		phase->group_dirty_peak_bytes = bytes;
}

static void on_sample(void *context, size_t part, struct run_sample *sample)
{
	struct ensemble *x = context;
	struct execution *e = x->parts[part];

	buf_done(&e->devices);
	counters_sample(e->sampler, &sample->point, &e->devices);
	sample->point.dirty_bytes = meter_dirty_bytes();
	see_group(x, phase_of(x, e));
	recorder_add(&e->recorder, phase_of(x, e), &sample->point);
	if (has_moved(e, &sample->point))
		x->moved_ns = x->io->clock_ns();
	e->last = *sample;
	neighbours_glance(x, e);
	ensemble_tell(x, e, RUN_SAMPLE);
}

static int64_t less(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* Also for the record: what was free at the least. */
static bool is_short(void *context)
{
	struct ensemble *x = context;
	bool any = false;

	for (size_t i = 0; i < x->n_parts; i++) {
		const struct execution *e = x->parts[i];
		struct space_room room = space_watch_look(e->space);
		struct phase *phase = phase_of(x, e);

		phase->least_free_bytes = less(phase->least_free_bytes, room.free_bytes);
		phase->least_free_inodes = less(phase->least_free_inodes, room.free_inodes);
		any = any ||
		      space_is_short(&room, e->plan->keep_free_bytes, e->plan->keep_free_inodes);
	}
	return any;
}

static bool is_steady(void *context)
{
	struct ensemble *x = context;

	for (size_t i = 0; i < x->n_parts; i++) {
		const struct phase *phase = phase_of(x, x->parts[i]);

		if (!recorder_is_steady(phase, phase->budget_ns))
			return false;
	}
	return true;
}

static void end_part(struct ensemble *x, struct execution *e, const struct meter_reading *after)
{
	struct phase *phase = phase_of(x, e);

	counters_sampler_close(&e->sampler);
	counters_end(phase);
	meter_put(&x->meter, after, phase);
	recorder_end(&e->recorder, phase);
	phase->lazy_init = x->lazy_init;
	tasks_merge(x->phase, e->plan, phase);
	if (phase->status != PHASE_STUCK)
		neighbours_look(x, e);
	if (x->phase == PHASE_READ && plan_only_reads(e->plan) && e->plan->io.direct > 0)
		phase->resident_after_bytes = cache_resident_total(&e->workspace);
	if (x->phase != PHASE_WRITE)
		return;
	phase->allocated_bytes = workspace_allocated_bytes(&e->workspace);
	/* Pages in the cache after direct I/O: then it was none. */
	if (e->plan->io.direct > 0)
		phase->resident_bytes = cache_resident_total(&e->workspace);
}

static int64_t at_least(int64_t ns, int64_t min_ns)
{
	return ns > min_ns ? ns : min_ns;
}

static void pause_now(void *context)
{
	pause_for_others(context);
}

/* What a plan asks of all its phases, and what a control is. */
static void fill_order(const struct ensemble *x, struct crew_order *order)
{
	const struct plan *plan = x->parts[0]->plan;

	order->patience_ns = INT64_MAX;
	order->moved_ns = moved_ns;
	order->is_short = is_short;
	if (plan->gentle == 1 && x->brake.kind != BRAKE_NONE) {
		order->slice_ns = plan->slice_ns;
		order->pause = pause_now;
	}
	if (plan->mode != MODE_FULL && plan->time_limit_ns > 0) {
		order->patience_ns = at_least(plan->time_limit_ns / 8, PATIENCE_NS_MIN);
		order->limit_ns = at_least(plan->time_limit_ns / 3, PATIENCE_NS_MIN + NS_PER_S / 2);
	}
	if (plan->until_steady == 1 &&
	    (x->phase == PHASE_WRITE || x->phase == PHASE_READ || x->phase == PHASE_MIXED))
		order->is_enough = is_steady;
}

static void gather(struct ensemble *x, int kind, struct task_list *tasks, struct crew_part *parts)
{
	x->phase = kind;
	x->n_parts = 0;
	for (size_t i = 0; i < x->n_items; i++) {
		struct execution *e = &x->items[i];
		size_t before = tasks->n_items;

		if (!e->takes_part)
			continue;
		tasks_add(x, e, kind, tasks);
		if (tasks->n_items == before)
			continue;
		parts[x->n_parts] = (struct crew_part){
			.phase = run_phase(e->run, kind),
			.n_tasks = tasks->n_items - before,
		};
		x->parts[x->n_parts++] = e;
	}
}

/* Somebody may have changed them since the host was looked at. */
static void read_io_limits(const struct ensemble *x)
{
	CLEANUP(xfree) char *limits = NULL;

	if (!x->watch || !x->watch->io_limits)
		return;
	limits = x->watch->io_limits(x->watch->context);
	for (size_t i = 0; i < x->n_parts; i++)
		xstr_set(&phase_of(x, x->parts[i])->io_limits,
			 *text_of(limits) ? limits : PHASE_IO_LIMITS_NONE);
}

/* Who died before the gate: of a lack of memory, if the kernel counted that. */
static int err_of_crew(struct ensemble *x, const struct meter_reading *after, int rc,
		       struct err *err)
{
	struct phase *first = phase_of(x, x->parts[0]);
	CLEANUP(xfree) char *sentence = NULL;

	for (size_t i = 0; i < x->n_parts; i++)
		meter_put(&x->meter, after, phase_of(x, x->parts[i]));
	if (rc != -ECHILD || first->oom_kills <= 0)
		return rc;
	sentence = xstrdup(err->sentence);
	err_say(err, rc, "%s, because memory ran out", sentence);
	err_advise(err, "raise the memory limit, or use fewer --workers or smaller blocks");
	return rc;
}

int ensemble_run_phase(struct ensemble *x, int kind, int64_t deadline_ns, struct err *err)
{
	CLEANUP(xfree) struct crew_part *parts = xcalloc(x->n_items, sizeof(*parts));
	CLEANUP(tasks_done) struct task_list tasks = { 0 };
	struct crew_order order = {
		.io = x->io,
		.phase = kind,
		.parts = parts,
		.deadline_ns = deadline_ns,
		.at_gate = at_gate,
		.sample = on_sample,
		.context = x,
	};
	int64_t began_ns = x->io->clock_ns();
	struct meter_reading after;
	int rc;

	gather(x, kind, &tasks, parts);
	if (x->n_parts == 0)
		return err_say(err, -ENODATA, "there is nothing to %s",
			       phase_kind_reads(kind) ? "read" : "write");
	fill_order(x, &order);
	x->lazy_init = kthread_lazy_init(x->host);
	order.tasks = tasks.items;
	order.n_tasks = tasks.n_items;
	order.n_parts = x->n_parts;
	pause_for_others(x);
	if (order.deadline_ns < INT64_MAX)
		order.deadline_ns += x->io->clock_ns() - began_ns;
	meter_read(x->host, &x->meter);
	rc = crew_run(&order, err);
	meter_read(x->host, &after);
	if (rc)
		return err_of_crew(x, &after, rc, err);
	for (size_t i = 0; i < x->n_parts; i++)
		end_part(x, x->parts[i], &after);
	read_io_limits(x);
	for (size_t i = 0; i < x->n_parts; i++)
		ensemble_tell(x, x->parts[i], RUN_PHASE_END);
	return 0;
}
