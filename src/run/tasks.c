/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tasks - what each worker of a phase does, from the plan and what was written
 */
#include "tasks.h"

#include <stdlib.h>

#include "iotest/xalloc.h"

/* Processes that a control may have in all: more than storage needs to be kept busy. */
#define CONTROL_WORKERS_MAX 1024

static bool is_control(int kind)
{
	return kind == PHASE_CONTROL_WRITE || kind == PHASE_CONTROL_READ;
}

int64_t tasks_depth(int kind, const struct plan *plan)
{
	int64_t depth = CONTROL_DEPTH;

	if (!is_control(kind))
		return 1;
	if (plan->workers * depth > CONTROL_WORKERS_MAX)
		depth = CONTROL_WORKERS_MAX / plan->workers;
	return depth > 0 ? depth : 1;
}

static const char *cpus_of(const struct ensemble *x, const struct plan *plan, int64_t worker)
{
	if (plan->io.pin <= 0 || x->host->n_cores == 0)
		return NULL;
	return x->host->cores[(size_t)worker % x->host->n_cores].cpus;
}

static struct crew_task *add_task(const struct ensemble *x, const struct execution *e,
				  int64_t worker, struct task_list *list)
{
	struct crew_task *task = XGROW(&list->items, &list->n_items);

	*task = (struct crew_task){
		.io = &e->plan->io,
		.workspace = &e->workspace,
		.source = e->source.data ? &e->source : NULL,
		.run_id = text_of(e->run->id),
		.file = { .index = (size_t)worker, .block_stride = 1 },
		.cpus = cpus_of(x, e->plan, worker),
		.is_gentle = e->plan->gentle == 1,
	};
	return task;
}

static int64_t written(const struct execution *e, int64_t worker)
{
	const struct phase *write = &e->run->write;

	if ((size_t)worker >= write->n_workers)
		return 0;
	return ensemble_kept_bytes(e, write->workers[worker].bytes);
}

/*
 * What each reader reads: as much as all of them can, so that none is done early and leaves the
 * others alone; its own file, where one is less than half of another.
 */
static int64_t readable(const struct execution *e, int64_t worker)
{
	int64_t least = INT64_MAX, most = 0;

	for (int64_t i = 0; i < e->plan->workers; i++) {
		int64_t bytes = written(e, i);

		least = bytes < least ? bytes : least;
		most = bytes > most ? bytes : most;
	}
	return least > 0 && least >= most / 2 ? least : written(e, worker);
}

/* Of a given file what is there and wanted; past the page cache, in whole units of that. */
static void give_file(const struct execution *e, struct crew_file *file)
{
	int64_t align = e->run->direct_alignment_bytes;
	int64_t size = e->workspace.files[file->index].size_bytes;
	int64_t wanted = e->plan->bytes_per_worker;

	if (e->plan->io.direct > 0 && align > 0) {
		size -= size % align;
		wanted -= wanted % align;
	}
	file->size_bytes = size;
	file->bytes = wanted < size ? wanted : size;
}

static void add_control(const struct ensemble *x, const struct execution *e, int kind,
			struct task_list *list)
{
	struct io_spec *spec = xcalloc(1, sizeof(*spec));
	int64_t depth = tasks_depth(kind, e->plan);

	*spec = e->plan->io;
	spec->block_bytes = CONTROL_BLOCK_BYTES;
	spec->pages_per_transfer = 1;
	spec->direct = 1;
	spec->window_bytes = -1;
	spec->pace_bytes_per_s = -1;
	spec->pace_is_cap = 0;
	spec->integrity = INTEGRITY_STAMPS;
	*XGROW(&list->specs, &list->n_specs) = spec;
	for (int64_t i = 0; i < e->plan->workers; i++) {
		int64_t blocks = written(e, i) / CONTROL_BLOCK_BYTES;

		/* Too small to keep so many transfers going. */
		if (blocks < depth)
			continue;
		for (int64_t k = 0; k < depth; k++) {
			struct crew_task *task = add_task(x, e, i, list);

			task->io = spec;
			task->file.first_block = k;
			task->file.block_stride = depth;
			task->file.bytes = (blocks - k + depth - 1) / depth * CONTROL_BLOCK_BYTES;
		}
	}
}

void tasks_add(const struct ensemble *x, const struct execution *e, int kind,
	       struct task_list *list)
{
	const struct plan *plan = e->plan;
	bool is_mixed = plan->mixed_read_percent >= 0;

	if (is_control(kind)) {
		add_control(x, e, kind, list);
		return;
	}
	for (int64_t i = 0; i < plan->workers; i++) {
		struct crew_task *task = add_task(x, e, i, list);

		if (kind == PHASE_WRITE) {
			task->file.bytes =
				is_mixed ? plan_mixed_read_bytes(plan) : plan->bytes_per_worker;
		} else if (kind == PHASE_READ && plan_only_reads(plan)) {
			give_file(e, &task->file);
		} else if (kind == PHASE_READ) {
			task->file.bytes = readable(e, i);
		} else {
			task->other = task->file;
			task->other.bytes = written(e, i);
			task->file.index = (size_t)(plan->workers + i);
			task->file.bytes = plan->bytes_per_worker - plan_mixed_read_bytes(plan);
		}
	}
}

void tasks_done(struct task_list *list)
{
	for (size_t i = 0; i < list->n_specs; i++)
		free(list->specs[i]);
	free(list->specs);
	free(list->items);
	*list = (struct task_list){ 0 };
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* -1 unless both are known: a part is not the whole. */
static int64_t sum_of_known(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? -1 : a + b;
}

/* The earlier of those that are known. */
static int64_t earlier_known(int64_t a, int64_t b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

static void merge_two(struct worker_result *into, const struct worker_result *w)
{
	into->bytes += w->bytes;
	into->ops += w->ops;
	into->start_ns = earlier_known(into->start_ns, w->start_ns);
	into->last_io_ns = later(into->last_io_ns, w->last_io_ns);
	into->end_ns = later(into->end_ns, w->end_ns);
	into->fsync_ns = later(into->fsync_ns, w->fsync_ns);
	into->user_ns = sum_of_known(into->user_ns, w->user_ns);
	into->system_ns = sum_of_known(into->system_ns, w->system_ns);
	into->storage_bytes = sum_of_known(into->storage_bytes, w->storage_bytes);
	/* The slowest of them, of which there may be more than one. */
	into->call_p50_ns = later(into->call_p50_ns, w->call_p50_ns);
	into->call_p90_ns = later(into->call_p90_ns, w->call_p90_ns);
	into->call_p99_ns = later(into->call_p99_ns, w->call_p99_ns);
	into->call_p999_ns = later(into->call_p999_ns, w->call_p999_ns);
	into->call_max_ns = later(into->call_max_ns, w->call_max_ns);
	into->stopped_ns = later(into->stopped_ns, w->stopped_ns);
	if (w->stamps > 0)
		into->stamps += w->stamps;
	if (w->bad_stamps > 0 && into->bad_stamps == 0) {
		into->bad_kind = w->bad_kind;
		into->bad_offset_bytes = w->bad_offset_bytes;
		into->bad_found_worker = w->bad_found_worker;
		into->bad_found_offset_bytes = w->bad_found_offset_bytes;
	}
	into->bad_stamps += w->bad_stamps;
	if (w->error && !into->error) {
		into->error = w->error;
		into->error_op = w->error_op;
		into->error_offset_bytes = w->error_offset_bytes;
		into->exit_status = w->exit_status;
	}
	if (w->exit_signal)
		into->exit_signal = w->exit_signal;
}

void tasks_merge(int kind, const struct plan *plan, struct phase *phase)
{
	size_t depth = (size_t)tasks_depth(kind, plan);
	size_t n = 0;

	phase->depth = (int64_t)depth;
	if (depth == 1)
		return;
	for (size_t i = 0; i < phase->n_workers; i++) {
		if (i % depth == 0)
			phase->workers[n++] = phase->workers[i];
		else
			merge_two(&phase->workers[n - 1], &phase->workers[i]);
	}
	phase->n_workers = n;
}
