/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker - one process of a phase: it moves its bytes and stamps its slot
 *
 * Between the stamps nothing happens but making the data, I/O and stores to the slot.
 */
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "iotest/signals.h"
#include "counters.h"

/* What differs between writing and reading, chosen once before the loop. */
struct direction {
	ssize_t (*move)(const struct io_ops *io, int fd, char *data, size_t len, off_t at);
	void (*prepare)(const struct worker_job *job, int64_t at, void *buffer, size_t len);
	enum worker_op op;
};

static ssize_t move_out(const struct io_ops *io, int fd, char *data, size_t len, off_t at)
{
	return io->pwrite(fd, data, len, at);
}

static ssize_t move_in(const struct io_ops *io, int fd, char *data, size_t len, off_t at)
{
	return io->pread(fd, data, len, at);
}

static void prepare_unique(const struct worker_job *job, int64_t at, void *buffer, size_t len)
{
	pattern_fill(&job->pattern, at, buffer, len);
}

static void prepare_nothing(const struct worker_job *job, int64_t at, void *buffer, size_t len)
{
	(void)job;
	(void)at;
	(void)buffer;
	(void)len;
}

static const struct direction writing_unique = { move_out, prepare_unique, OP_WRITE };
static const struct direction writing_constant = { move_out, prepare_nothing, OP_WRITE };
static const struct direction reading = { move_in, prepare_nothing, OP_READ };

static const struct direction *direction_of(const struct worker_job *job)
{
	if (job->phase == PHASE_READ)
		return &reading;
	return job->pattern.is_constant ? &writing_constant : &writing_unique;
}

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
	int64_t now = job->io->clock_ns();

	return now > not_before_ns ? now : not_before_ns;
}

/* Where a worker is in its file, and how many calls brought it there. */
struct cursor {
	int64_t at;
	int64_t ops;
};

/* Moves one block completely; the cursor follows, so that on failure it tells where. */
static int move_block(const struct worker_job *job, const struct direction *d, char *data,
		      size_t len, struct cursor *cursor)
{
	while (len > 0) {
		ssize_t n = d->move(job->io, job->fd, data, len, (off_t)cursor->at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO;
		data += n;
		len -= (size_t)n;
		cursor->at += n;
		cursor->ops++;
	}
	return 0;
}

static int move_blocks(const struct worker_job *job, void *buffer)
{
	const struct direction *d = direction_of(job);
	struct cursor cursor = { 0 };

	while (cursor.at < job->bytes && stop_order(job) == STOP_NONE) {
		int64_t left = job->bytes - cursor.at;
		size_t len = (size_t)(left < job->block_bytes ? left : job->block_bytes);
		int rc;

		d->prepare(job, cursor.at, buffer, len);
		rc = move_block(job, d, buffer, len, &cursor);
		SLOT_PUT(job->slot->bytes, cursor.at);
		SLOT_PUT(job->slot->ops, cursor.ops);
		if (rc)
			return fail(job->slot, rc, d->op, cursor.at);
	}
	return 0;
}

/* Returns 1 if there is no fsync to do, 0 when it is done, else -errno. */
static int sync_file(const struct worker_job *job, int64_t last_io_ns)
{
	int rc;

	if (job->phase != PHASE_WRITE || !job->fsync_in_window)
		return 1;
	SLOT_PUT(job->slot->state, WORKER_SYNCING);
	do
		rc = job->io->fsync(job->fd);
	while (rc < 0 && errno == EINTR);
	if (rc < 0)
		rc = fail(job->slot, -errno, OP_FSYNC, SLOT_GET(job->slot->bytes));

	SLOT_PUT(job->slot->end_ns, stamp(job, last_io_ns));
	SLOT_PUT(job->slot->fsync_ns, SLOT_GET(job->slot->end_ns) - last_io_ns);
	return rc;
}

int worker_move(const struct worker_job *job, void *buffer)
{
	struct worker_slot *slot = job->slot;
	int64_t start_ns, last_io_ns;
	int rc;

	pattern_fill(&job->pattern, 0, buffer, (size_t)job->block_bytes);

	SLOT_PUT(slot->state, WORKER_MOVING);
	start_ns = stamp(job, 0);
	SLOT_PUT(slot->start_ns, start_ns);
	rc = move_blocks(job, buffer);
	last_io_ns = stamp(job, start_ns);
	SLOT_PUT(slot->last_io_ns, last_io_ns);
	SLOT_PUT(slot->end_ns, last_io_ns);
	if (rc || stop_order(job) == STOP_ABANDON)
		return rc;

	rc = sync_file(job, last_io_ns);
	if (rc < 0)
		return rc;
	SLOT_PUT(slot->is_complete, SLOT_GET(slot->bytes) == job->bytes);
	return 0;
}

/* Page aligned, and every page there before the first stamp. */
static void *block_buffer(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	memset(p, 0, len);
	return p;
}

/* False if the parent died: then nobody wants this work. */
static bool wait_at_gate(int gate_fd)
{
	char byte;
	ssize_t n;

	do
		n = read(gate_fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

static int64_t time_ns(const struct timeval *t)
{
	return (int64_t)t->tv_sec * NS_PER_S + (int64_t)t->tv_usec * 1000;
}

/* The window, with what the kernel says of this process before and after it. */
static int move_counted(const struct worker_job *job, void *buffer)
{
	const char *key = job->phase == PHASE_WRITE ? "write_bytes: " : "read_bytes: ";
	int64_t storage_before = counters_self_io(key);
	int64_t storage_after;
	struct rusage before, after;
	int rc;

	(void)getrusage(RUSAGE_SELF, &before);
	rc = worker_move(job, buffer);
	(void)getrusage(RUSAGE_SELF, &after);

	SLOT_PUT(job->slot->user_ns, time_ns(&after.ru_utime) - time_ns(&before.ru_utime));
	SLOT_PUT(job->slot->system_ns, time_ns(&after.ru_stime) - time_ns(&before.ru_stime));
	storage_after = counters_self_io(key);
	if (storage_before >= 0 && storage_after >= storage_before)
		SLOT_PUT(job->slot->storage_bytes, storage_after - storage_before);
	return rc;
}

/* Where memory runs out a worker goes first: then the parent lives to say so, and nobody else's
 * work is lost to a test. */
static void offer_to_oom_killer(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!write(fd, "1000", 4);
	(void)close(fd);
}

static int be_worker(const struct worker_job *job, const struct worker_bond *bond)
{
	void *buffer;

	signals_child();
	/* The parent may have died before the kernel was told to watch it. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != bond->parent)
		return fail(job->slot, -ESRCH, OP_START, 0);
	offer_to_oom_killer();
	buffer = block_buffer((size_t)job->block_bytes);
	if (!buffer)
		return fail(job->slot, -ENOMEM, OP_START, 0);

	SLOT_PUT(job->slot->state, WORKER_READY);
	if (!wait_at_gate(bond->gate_fd))
		return -EPIPE;
	return move_counted(job, buffer);
}

/* A full pipe is as good: then the parent has something to wake up for already. */
static void wake_parent(int done_fd)
{
	ssize_t n;

	do
		n = write(done_fd, "", 1);
	while (n < 0 && errno == EINTR);
}

void worker_main(const struct worker_job *job, const struct worker_bond *bond)
{
	int rc = be_worker(job, bond);

	SLOT_PUT(job->slot->state, WORKER_ENDED);
	wake_parent(bond->done_fd);
	_exit(rc ? 1 : 0);
}
