/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mover - the loop of a worker: make a block, move it, look at it, stamp the slot
 *
 * Between the stamps nothing happens but that: no allocation, no stdio, and what an option
 * chooses is chosen before the loop or costs one comparison that is always false.
 */
#include <errno.h>
#include <stdbool.h>

#include "lane.h"
#include "worker.h"

/* The window is what the storage takes in this time, but at least one piece: then fsync at the end
 * takes about as long, on slow storage and on fast. */
#define WINDOW_NS NS_PER_S

/* Who is ahead of its pace by less than this goes on: sleeping costs more than it gives. */
#define PACE_SLACK_NS (5 * NS_PER_MS)
#define PACE_SLEEP_NS (100 * NS_PER_MS)
#define HOLD_SLEEP_NS (10 * NS_PER_MS)

/* At a pace that is a cap, so much lost time is made up: what the scheduler takes, no more. */
#define CAP_SLACK_NS (20 * NS_PER_MS)

struct mover {
	const struct worker_job *job;
	struct lane lane;  /* written; of a read phase read */
	struct lane other; /* of a mixed phase, read */
	int64_t ops;
	int64_t call_max_ns;
	int64_t due_ns;	  /* when the next block may begin, at the pace */
	int64_t block_ns; /* of one block, at the pace */
	int64_t start_ns;
	int64_t next_back_at; /* offset at which write-back is started again */
	int64_t back_to;      /* all before this offset was waited for */
	int64_t window_bytes; /* now */
};

static int32_t stop_order(const struct worker_job *job)
{
	return SLOT_GET(job->board->stop);
}

static int fail(struct worker_slot *slot, int rc, enum worker_op op, int64_t offset_bytes)
{
	SLOT_PUT(slot->error_op, (int32_t)op);
	SLOT_PUT(slot->error_offset_bytes, offset_bytes);
	SLOT_PUT(slot->error, -rc);
	return rc;
}

/* The clock may step back under a virtual machine; our stamps never do. */
static int64_t stamp(const struct worker_job *job, int64_t not_before_ns)
{
	int64_t now = job->io->clock_ns() - SLOT_GET(job->board->held_ns);

	return now > not_before_ns ? now : not_before_ns;
}

/* Only this process writes its slot: a load and a store are as good as an atomic addition. */
static void count_time(struct mover *m, int64_t ns)
{
	struct worker_slot *slot = m->job->slot;
	size_t i = histogram_class(ns);

	SLOT_PUT(slot->calls[i], SLOT_GET(slot->calls[i]) + 1);
	if (ns > m->call_max_ns) {
		m->call_max_ns = ns;
		SLOT_PUT(slot->call_max_ns, ns);
	}
}

/* Moves one block completely; the lane follows, so that on failure it tells where. */
static int move_block(struct mover *m, struct lane *lane, size_t len)
{
	const struct io_ops *io = m->job->io;
	char *data = lane->data;

	while (len > 0) {
		int64_t began_ns = io->clock_ns();
		ssize_t n = lane->move(io, lane, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		/* Not EIO: nobody told of an error. */
		if (n == 0)
			return -ENODATA;
		count_time(m, io->clock_ns() - began_ns);
		m->ops++;
		data += n;
		len -= (size_t)n;
		lane->at += n;
		lane->moved += n;
	}
	return 0;
}

static bool is_fault(int error)
{
	return error == EIO || error == ENOSPC || error == EDQUOT;
}

/* By what was written back so far; the first windows are small. */
static void set_window(struct mover *m)
{
	int64_t max = m->job->window_bytes;
	int64_t ns = stamp(m->job, m->start_ns) - m->start_ns;
	double back = (double)(m->lane.moved - m->window_bytes);
	double bytes = ns > 0 ? back / (double)ns * (double)WINDOW_NS : 0;

	if (bytes < (double)m->job->back_bytes)
		bytes = (double)m->job->back_bytes;
	m->window_bytes = bytes < (double)max ? (int64_t)bytes : max;
}

/*
 * Starts the write-back of what was written since the last time, and waits for what lies further
 * behind than the window. A file system that cannot do that is left to the kernel.
 */
static int write_back(struct mover *m, const struct lane *lane)
{
	const struct io_ops *io = m->job->io;
	int fd = lane->file->fd;
	int64_t piece = m->job->back_bytes;
	int64_t begin = m->next_back_at - piece;
	int64_t end = lane->at - lane->at % piece;
	int64_t behind;
	int rc;

	rc = io->write_back(fd, (off_t)begin, (off_t)(end - begin), false);
	set_window(m);
	behind = end - m->window_bytes;
	if (rc == 0 && behind > m->back_to) {
		rc = io->write_back(fd, (off_t)m->back_to, (off_t)(behind - m->back_to), true);
		m->back_to = behind;
	}
	m->next_back_at = end + piece;
	if (rc == 0)
		return 0;
	m->next_back_at = INT64_MAX;
	return is_fault(errno) ? -errno : 0;
}

/* With a window the writers wait here and not in their write calls: it is a call like those. */
static int write_back_timed(struct mover *m, const struct lane *lane)
{
	struct worker_slot *slot = m->job->slot;
	int64_t began_ns = m->job->io->clock_ns();
	int rc = write_back(m, lane);
	int64_t ns = m->job->io->clock_ns() - began_ns;

	count_time(m, ns);
	SLOT_PUT(slot->window_ns, SLOT_GET(slot->window_ns) + ns);
	return rc;
}

/* Sleeps until the block after this one is due. In slices: an order to stop is obeyed. */
static void keep_pace(struct mover *m)
{
	const struct io_ops *io = m->job->io;
	int64_t now_ns = io->clock_ns();

	if (m->job->pace_is_cap && m->due_ns < now_ns - CAP_SLACK_NS)
		m->due_ns = now_ns - CAP_SLACK_NS;
	while (m->due_ns - now_ns > PACE_SLACK_NS && stop_order(m->job) == STOP_NONE) {
		int64_t until_ns = now_ns + PACE_SLEEP_NS;

		io->sleep_until(until_ns < m->due_ns ? until_ns : m->due_ns);
		now_ns = io->clock_ns();
	}
}

/*
 * Nothing of this worker's is under way while it holds: what it wrote is waited for, as far as
 * the file system can do that. Returns 0, or -errno of that.
 */
static int hold(struct mover *m)
{
	const struct worker_job *job = m->job;
	int64_t held_ns = SLOT_GET(job->board->held_ns);
	int64_t at = m->lane.at;

	if (m->next_back_at < INT64_MAX && at > m->back_to) {
		if (job->io->write_back(job->file.fd, (off_t)m->back_to, (off_t)(at - m->back_to),
					true) < 0 &&
		    is_fault(errno))
			return fail(job->slot, -errno, OP_WRITE, at);
		m->back_to = at - at % job->back_bytes;
	}
	SLOT_PUT(job->slot->state, WORKER_HOLDING);
	while (stop_order(job) == STOP_HOLD)
		job->io->sleep_until(job->io->clock_ns() + HOLD_SLEEP_NS);
	atomic_thread_fence(memory_order_acquire);
	m->due_ns += SLOT_GET(job->board->held_ns) - held_ns;
	SLOT_PUT(job->slot->state, WORKER_MOVING);
	return 0;
}

/* Between two blocks. Returns 0 if there is to be another one. */
static int obey(struct mover *m, int32_t order)
{
	int rc = 0;

	if (order == STOP_HOLD) {
		rc = hold(m);
		order = stop_order(m->job);
	}
	if (rc == 0 && order != STOP_NONE && order != STOP_HOLD)
		rc = 1;
	return rc;
}

static void tell_bad(struct worker_slot *slot, const struct content_check *check)
{
	SLOT_PUT(slot->bad_stamps, check->bad);
	SLOT_PUT(slot->bad_kind, check->bad_kind);
	SLOT_PUT(slot->bad_offset_bytes, check->bad_offset_bytes);
	SLOT_PUT(slot->bad_found_worker, check->found_worker);
	SLOT_PUT(slot->bad_found_offset_bytes, check->found_offset_bytes);
}

static void tell(const struct mover *m)
{
	struct worker_slot *slot = m->job->slot;

	SLOT_PUT(slot->bytes, m->lane.moved + m->other.moved);
	SLOT_PUT(slot->ops, m->ops);
}

/* The next block of this lane. */
static int next_block(struct mover *m, struct lane *lane)
{
	const struct worker_job *job = m->job;
	int64_t at = lane->at;
	size_t len = lane_block_len(lane);
	int rc;

	lane->d->prepare(lane, at, len);
	rc = move_block(m, lane, len);
	tell(m);
	if (rc == 0 && lane->at >= m->next_back_at && lane == &m->lane)
		rc = write_back_timed(m, lane);
	if (rc)
		return fail(job->slot, rc, lane->d->op, lane->at);

	lane->d->look(lane, at, len);
	if (lane->check.bad)
		tell_bad(job->slot, &lane->check);
	lane->step(lane);
	if (m->block_ns) {
		m->due_ns += m->block_ns;
		keep_pace(m);
	}
	return 0;
}

static int move_one(struct mover *m)
{
	int rc = 0;

	while (!lane_is_done(&m->lane) && rc == 0) {
		int32_t order = stop_order(m->job);

		rc = order == STOP_NONE ? next_block(m, &m->lane) : obey(m, order);
	}
	return rc < 0 ? rc : 0;
}

/* Both end together: the one that is less far, by its share, is next. */
static struct lane *choose(struct mover *m)
{
	double written, read;

	if (lane_is_done(&m->lane) || lane_is_done(&m->other))
		return lane_is_done(&m->lane) ? &m->other : &m->lane;
	written = (double)m->lane.moved / (double)m->lane.file->bytes;
	read = (double)m->other.moved / (double)m->other.file->bytes;
	return read <= written ? &m->other : &m->lane;
}

static int move_mixed(struct mover *m)
{
	int rc = 0;

	while (rc == 0 && !(lane_is_done(&m->lane) && lane_is_done(&m->other))) {
		int32_t order = stop_order(m->job);

		rc = order == STOP_NONE ? next_block(m, choose(m)) : obey(m, order);
		SLOT_PUT(m->job->slot->read_bytes, m->other.moved);
	}
	return rc < 0 ? rc : 0;
}

static void begin(struct mover *m, const struct worker_buffers *buffers)
{
	const struct worker_job *job = m->job;

	lane_begin(&m->lane, job, &job->file, phase_kind_reads(job->phase), buffers->data);
	m->lane.scratch = buffers->scratch;
	if (job->phase == PHASE_MIXED) {
		lane_begin(&m->other, job, &job->other, true, buffers->other);
		m->other.scratch = buffers->scratch;
	}
	m->next_back_at = job->window_bytes > 0 && job->back_bytes > 0 && m->lane.d->op == OP_WRITE
				  ? job->back_bytes
				  : INT64_MAX;
	if (m->next_back_at < INT64_MAX)
		SLOT_PUT(job->slot->window_ns, 0);
	if (job->pace_bytes_per_s > 0)
		m->block_ns = (int64_t)((double)job->block_bytes * (double)NS_PER_S /
					(double)job->pace_bytes_per_s);
}

static bool is_complete(const struct mover *m)
{
	return lane_is_done(&m->lane) && (m->job->phase != PHASE_MIXED || lane_is_done(&m->other));
}

/* What the readers saw, once all is read. */
static void tell_stamps(const struct mover *m)
{
	const struct lane *lane = m->job->phase == PHASE_MIXED ? &m->other : &m->lane;

	if (lane->d->op == OP_READ && !lane->file->is_foreign)
		SLOT_PUT(m->job->slot->stamps, lane->check.stamps);
}

/* Returns 1 if there is no fsync to do, 0 when it is done, else -errno. */
static int sync_file(const struct worker_job *job, int64_t last_io_ns)
{
	int rc;

	if (phase_kind_reads(job->phase) || !job->fsync_in_window)
		return 1;
	SLOT_PUT(job->slot->state, WORKER_SYNCING);
	do
		rc = job->io->fsync(job->file.fd);
	while (rc < 0 && errno == EINTR);
	if (rc < 0)
		rc = fail(job->slot, -errno, OP_FSYNC, SLOT_GET(job->slot->bytes));

	SLOT_PUT(job->slot->end_ns, stamp(job, last_io_ns));
	SLOT_PUT(job->slot->fsync_ns, SLOT_GET(job->slot->end_ns) - last_io_ns);
	return rc;
}

int worker_move(const struct worker_job *job, const struct worker_buffers *buffers)
{
	struct worker_slot *slot = job->slot;
	struct mover m = { .job = job };
	int64_t start_ns, last_io_ns;
	int rc;

	begin(&m, buffers);

	SLOT_PUT(slot->state, WORKER_MOVING);
	start_ns = stamp(job, 0);
	SLOT_PUT(slot->start_ns, start_ns);
	m.start_ns = start_ns;
	m.due_ns = start_ns;
	rc = job->phase == PHASE_MIXED ? move_mixed(&m) : move_one(&m);
	last_io_ns = stamp(job, start_ns);
	SLOT_PUT(slot->last_io_ns, last_io_ns);
	SLOT_PUT(slot->end_ns, last_io_ns);
	tell_stamps(&m);
	if (rc || stop_order(job) == STOP_ABANDON)
		return rc;

	rc = sync_file(job, last_io_ns);
	if (rc < 0)
		return rc;
	SLOT_PUT(slot->is_complete, is_complete(&m));
	return 0;
}
