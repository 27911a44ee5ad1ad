/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker - the life of a worker process, from fork to its end
 */
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "iotest/cpulist.h"
#include "iotest/signals.h"
#include "counters.h"

#define LOWEST_NICE 19

/* Of <linux/ioprio.h>, which older systems do not have. */
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_IDLE (3 << 13)

static int fail(struct worker_slot *slot, int rc)
{
	SLOT_PUT(slot->error_op, OP_START);
	SLOT_PUT(slot->error, -rc);
	return rc;
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

static int make_buffers(const struct worker_job *job, struct worker_buffers *out)
{
	size_t len = (size_t)job->block_bytes;

	out->data = block_buffer(len);
	out->other = job->phase == PHASE_MIXED ? block_buffer(len) : out->data;
	out->scratch = job->integrity == INTEGRITY_FULL ? block_buffer(len) : out->data;
	return out->data && out->other && out->scratch ? 0 : -ENOMEM;
}

/* Stays where it is told to; a core that went offline meanwhile is the kernel's refusal. */
static int bind_to(const char *cpus)
{
	CLEANUP(cpulist_done) struct cpulist list = { 0 };
	size_t size = CPU_ALLOC_SIZE(CPULIST_MAX + 1);
	cpu_set_t *set;
	int rc;

	if (cpulist_parse(cpus, &list) || cpulist_count(&list) == 0)
		return -EINVAL;
	set = CPU_ALLOC(CPULIST_MAX + 1);
	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	for (int cpu = cpulist_next(&list, 0); cpu >= 0; cpu = cpulist_next(&list, cpu + 1))
		CPU_SET_S((size_t)cpu, size, set);
	rc = sched_setaffinity(0, size, set) < 0 ? -errno : 0;
	CPU_FREE(set);
	return rc;
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
static int move_counted(const struct worker_job *job, const struct worker_buffers *buffers)
{
	bool only_writes = job->phase == PHASE_WRITE || job->phase == PHASE_CONTROL_WRITE;
	const char *key = only_writes ? "write_bytes: " : "read_bytes: ";
	int64_t storage_before = counters_self_io(key);
	int64_t storage_after;
	struct rusage before, after;
	int rc;

	(void)getrusage(RUSAGE_SELF, &before);
	rc = worker_move(job, buffers);
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

/* As nice(1) and ionice(1) do it. Not every I/O scheduler heeds the class, and none has to. */
static void be_gentle(void)
{
	(void)setpriority(PRIO_PROCESS, 0, LOWEST_NICE);
	(void)syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_IDLE);
}

static int be_worker(const struct worker_job *job, const struct worker_bond *bond)
{
	struct worker_buffers buffers;
	int rc;

	signals_child();
	/* The parent may have died before the kernel was told to watch it. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != bond->parent)
		return fail(job->slot, -ESRCH);
	offer_to_oom_killer();
	if (job->is_gentle)
		be_gentle();
	if (job->file.fd < 0)
		return fail(job->slot, job->file.fd);
	if (job->phase == PHASE_MIXED && job->other.fd < 0)
		return fail(job->slot, job->other.fd);
	rc = job->cpus ? bind_to(job->cpus) : 0;
	if (rc == 0)
		rc = make_buffers(job, &buffers);
	if (rc)
		return fail(job->slot, rc);

	SLOT_PUT(job->slot->state, WORKER_READY);
	if (!wait_at_gate(bond->gate_fd))
		return -EPIPE;
	return move_counted(job, &buffers);
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
