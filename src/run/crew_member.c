/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crew_member - from a task to the job of a worker, in the child
 */
#include <fcntl.h>
#include <stdbool.h>

#include "crew_parts.h"
#include "iotest/fd.h"
#include "worker.h"

/* What a task says of a file, as the worker wants it. */
static struct worker_file file_of(const struct crew_task *task, const struct crew_file *file,
				  int fd, bool reads)
{
	struct worker_file f = {
		.fd = fd,
		.bytes = file->bytes,
		.first_block = file->first_block,
		.block_stride = file->block_stride,
		.size_bytes = file->size_bytes,
	};
	const struct test_file *of = &task->workspace->files[file->index];

	/* What stands in a given file was written by an earlier run, or by somebody else. */
	if (reads && of->is_given) {
		f.is_foreign = !of->is_ours;
		content_init(&f.content, task->io, task->source, of->owner.run_id, of->owner.worker,
			     of->owner.n_workers);
		return f;
	}
	content_init(&f.content, task->io, task->source, task->run_id, (uint32_t)file->index,
		     (uint32_t)task->workspace->n_files);
	return f;
}

static int64_t pages_of(const struct io_spec *io)
{
	return io->pages_per_transfer > 1 ? io->pages_per_transfer : 1;
}

static struct worker_job job_of(const struct crew *crew, size_t i)
{
	const struct crew_order *order = crew->order;
	const struct crew_task *task = &order->tasks[i];
	const struct workspace *ws = task->workspace;
	struct worker_job job = {
		.io = order->io,
		.board = crew->board,
		.slot = &crew->board->slots[i],
		.phase = order->phase,
		.block_bytes = task->io->block_bytes * pages_of(task->io),
		.page_bytes = task->io->block_bytes,
		.order = task->io->order,
		.seed = pattern_hash(task->run_id) + i,
		.integrity = task->io->integrity,
		.fsync_in_window = task->io->fsync_in_window,
		.window_bytes = task->io->window_bytes,
		.back_bytes = task->io->piece_bytes,
		.pace_bytes_per_s = task->io->pace_bytes_per_s,
		.pace_is_cap = task->io->pace_is_cap > 0,
		.is_gentle = task->is_gentle,
		.cpus = task->cpus,
	};
	int direct = task->io->direct > 0 ? O_DIRECT : 0;
	int fd = ws->files[task->file.index].fd;

	if (phase_kind_reads(order->phase))
		fd = workspace_reopen(ws, task->file.index, O_RDONLY | direct);
	else if (order->phase == PHASE_CONTROL_WRITE)
		fd = workspace_reopen(ws, task->file.index, O_WRONLY | direct);
	job.file = file_of(task, &task->file, fd, phase_kind_reads(order->phase));
	if (order->phase == PHASE_MIXED) {
		fd = workspace_reopen(ws, task->other.index, O_RDONLY | direct);
		job.other = file_of(task, &task->other, fd, true);
	}
	return job;
}

_Noreturn void crew_be_member(struct crew *crew, size_t i, pid_t parent)
{
	struct worker_bond bond = {
		.parent = parent,
		.gate_fd = crew->gate[0],
		.done_fd = crew->done[1],
	};
	struct worker_job job;

	/* With a writing end of its own it would never see the gate's end. */
	fd_close(&crew->gate[1]);
	fd_close(&crew->done[0]);
	job = job_of(crew, i);
	worker_main(&job, &bond);
}
