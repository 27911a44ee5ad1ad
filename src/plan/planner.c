/* SPDX-License-Identifier: Apache-2.0 */
/*
 * planner - from the host and the wishes to the plan
 */
#include "iotest/planner.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "reasons.h"
#include "requirements.h"
#include "sizing.h"

#define DEFAULT_BLOCK_BYTES (64 * KIB)
#define SMALLEST_BLOCK_BYTES 512
#define LARGEST_BLOCK_BYTES (64 * MIB)
#define LARGEST_WORKERS 16384

#define RESERVE_PERCENT 10
/* A kubelet starts to evict pods at 10 to 15 % free space. */
#define RESERVE_PERCENT_POD 25

/* Above this somebody has to agree. */
#define CONSENT_NS (30 * 60 * NS_PER_S)

static int check_target(const struct target *t, const struct host *host, struct err *err)
{
	const char *path = text_of(t->path);

	if (t->kind == TARGET_KERNEL) {
		err_say(err, -ENOTSUP, "%s: %s is a view of the kernel, not a storage", path,
			text_of(t->fs_type));
		err_advise(err, "choose a directory of a file system that holds files");
		return -ENOTSUP;
	}
	if (t->read_only == 1) {
		err_say(err, -EROFS, "%s: the file system is mounted read-only", path);
		err_advise(err, "remount it read-write, or test another directory");
		return -EROFS;
	}
	if (t->writable != 0)
		return 0;
	err_say(err, -EACCES, "%s: this user may not create files there", path);
	if (t->kind == TARGET_NETWORK && host->os.uid == 0)
		err_advise(err,
			   "on a network file system root is often mapped to nobody (root squash) "
			   "or has no Kerberos ticket: run it as the user that SAS runs as");
	else
		err_advise(err,
			   "run it as a user who may write there, such as the one SAS runs as");
	return -EACCES;
}

static int take_workers(const struct host *host, const struct plan_wishes *w, struct plan *p,
			struct err *err)
{
	p->cores = w->cores > 0 ? w->cores : host->physical_cores;
	p->cores_overridden = w->cores > 0;
	if (p->cores < 1)
		p->cores = 1;
	p->workers = w->workers > 0 ? w->workers : host->physical_cores;
	if (p->workers < 1)
		p->workers = 1;
	p->workers_overridden = w->workers > 0;
	if (p->workers > LARGEST_WORKERS)
		return err_usage(err,
				 "%" PRId64 " workers are more than the %d that one run may have",
				 p->workers, LARGEST_WORKERS);
	return 0;
}

static int take_blocks(const struct plan_wishes *w, struct plan *p, struct err *err)
{
	CLEANUP(buf_done) struct buf size = { 0 };

	p->block_bytes = w->block_bytes > 0 ? w->block_bytes : DEFAULT_BLOCK_BYTES;
	units_add_size(&size, p->block_bytes);
	if (p->block_bytes < SMALLEST_BLOCK_BYTES || p->block_bytes > LARGEST_BLOCK_BYTES)
		return err_usage(err, "a block of %s is not between 512 B and 64 MiB",
				 buf_text(&size));
	if (p->block_bytes % SMALLEST_BLOCK_BYTES)
		return err_usage(err, "a block of %s is not a multiple of 512 B", buf_text(&size));
	return 0;
}

/* How large a file is wanted, and who said so. */
static int wanted_size(const struct host *host, const struct plan_wishes *w, struct plan *p,
		       struct err *err)
{
	if (w->bytes_per_worker > 0) {
		p->sized_by = SIZED_BY_OPTION;
		p->wanted_bytes_per_worker = w->bytes_per_worker;
		return 0;
	}
	if (w->blocks_per_worker > 0) {
		p->sized_by = SIZED_BY_OPTION;
		if (units_mul(w->blocks_per_worker, p->block_bytes, &p->wanted_bytes_per_worker))
			return err_usage(err, "-b: that many blocks are more than 8 EiB");
		return 0;
	}
	if (p->cache_bytes <= 0) {
		err_say(err, -ENODATA,
			"the size of the memory is not known, so the test cannot be sized");
		err_advise(err, "give the size of each file: --size");
		return -ENODATA;
	}
	p->sized_by = p->cache_bytes == host->memory_bytes ? SIZED_BY_MEMORY : SIZED_BY_LIMIT;
	p->wanted_bytes_per_worker = p->cache_bytes;
	return 0;
}

/* Files in memory are memory that cannot be reclaimed: half of what is left is safe. */
static int64_t memory_fs_cap(const struct host *host, const struct target *t)
{
	int64_t left = host->memory_available_bytes;
	int64_t in_limit;

	if (!target_is_in_memory(t))
		return -1;
	if (left < 0)
		left = host->memory_bytes;
	if (host->memory_limit_bytes > 0) {
		in_limit = host->memory_limit_bytes;
		if (host->memory_limit_used_bytes > 0)
			in_limit -= host->memory_limit_used_bytes;
		if (left < 0 || in_limit < left)
			left = in_limit > 0 ? in_limit : 0;
	}
	return left < 0 ? -1 : left / 2;
}

static int no_room(const struct target *t, const struct plan *p, struct err *err)
{
	CLEANUP(buf_done) struct buf avail = { 0 };
	CLEANUP(buf_done) struct buf need = { 0 };

	units_add_size(&avail, t->free_bytes);
	units_add_size(&need, p->block_bytes * p->workers);
	err_say(err, -ENOSPC,
		"%s: too little space: of %s available, what is left above the reserve does not "
		"hold one block per worker (%s)",
		text_of(t->path), buf_text(&avail), buf_text(&need));
	err_advise(err, "free some space, or use fewer workers");
	return -ENOSPC;
}

static int size_files(const struct host *host, const struct target *t, struct plan *p,
		      struct err *err)
{
	struct size_question q = {
		.wanted_bytes = p->wanted_bytes_per_worker,
		.workers = p->workers,
		.block_bytes = p->block_bytes,
		.free_bytes = t->free_bytes,
		.fs_bytes = t->size_bytes,
		.reserve_percent = p->reserve_percent,
		.is_xfs = !strcmp(text_of(t->fs_type), "xfs"),
		.allocsize_bytes = t->xfs_allocsize_bytes,
		.total_cap_bytes = memory_fs_cap(host, t),
	};
	struct size_answer a;
	int rc;

	rc = sizing_solve(&q, &a);
	if (rc == -EINVAL)
		return err_usage(err,
				 "%" PRId64 " bytes per worker are less than one block of %" PRId64
				 " bytes",
				 p->wanted_bytes_per_worker, p->block_bytes);
	if (rc == -ENOSPC)
		return no_room(t, p, err);
	if (rc)
		return err_usage(err, "--size: all files together are more than 8 EiB");
	p->bytes_per_worker = a.bytes_per_worker;
	p->blocks_per_worker = a.blocks_per_worker;
	p->total_bytes = a.total_bytes;
	p->preallocation_bytes = a.preallocation_bytes;
	p->reserve_bytes = a.reserve_bytes;
	p->usable_bytes = a.usable_bytes;
	p->shrunk = a.shrunk_to_space;
	if (a.shrunk_to_cap)
		p->sized_by = SIZED_BY_MEMORY_FS;
	if (a.shrunk_to_space)
		p->sized_by = SIZED_BY_SPACE;
	return 0;
}

static int check_limits(const struct host *host, const struct target *t, const struct plan *p,
			struct err *err)
{
	int64_t limit = host->os.file_size_limit_bytes;

	if (limit >= 0 && limit < p->bytes_per_worker) {
		err_say(err, -EFBIG,
			"the file size limit of this process is %" PRId64
			" bytes, and each test file needs %" PRId64,
			limit, p->bytes_per_worker);
		err_advise(err, "raise it (ulimit -f unlimited), or give a smaller --size");
		return -EFBIG;
	}
	/* Some file systems have no fixed number of inodes and say 0 of 0. */
	if (t->inodes > 0 && t->free_inodes >= 0 && t->free_inodes <= p->workers) {
		err_say(err, -ENOSPC,
			"%s: %" PRId64 " files are needed and %" PRId64 " inodes are free",
			text_of(t->path), p->workers, t->free_inodes);
		err_advise(err, "free some inodes, or use fewer workers");
		return -ENOSPC;
	}
	return 0;
}

static int64_t smaller_known(int64_t a, int64_t b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

static int64_t free_while_running(const struct target *t, const struct plan *p)
{
	int64_t taken;

	if (units_mul(p->preallocation_bytes, p->workers, &taken) ||
	    units_add(taken, p->total_bytes, &taken) || taken > t->free_bytes)
		return 0;
	return t->free_bytes - taken;
}

/* At the required rate; so long that nobody waits for it if it is longer. */
static int64_t time_to_move(const struct plan *p, double bytes)
{
	double bytes_per_s = p->requirement_mib_per_s * (double)MIB * (double)plan_streams(p);
	double ns = bytes / bytes_per_s * (double)NS_PER_S;

	return ns < (double)INT64_MAX / 2 ? (int64_t)ns : INT64_MAX / 2;
}

static void derive(const struct host *host, const struct target *t, struct plan *p)
{
	p->expected_ns = time_to_move(p, 2 * (double)p->total_bytes);
	p->fits_in_cache = p->cache_bytes > 0 && p->total_bytes <= p->cache_bytes;
	if (t->free_bytes >= 0)
		p->free_after_bytes = free_while_running(t, p);
	p->dirty_peak_bytes = smaller_known(host->dirty_limit_bytes, host->memory_limit_bytes);
	p->dirty_peak_bytes = smaller_known(p->dirty_peak_bytes, host->memory_bytes);
	p->dirty_peak_bytes = smaller_known(p->dirty_peak_bytes, p->total_bytes);
}

static void ask_consent(const struct target *t, struct plan *p)
{
	CLEANUP(buf_done) struct buf why = { 0 };
	/* What a time limit leaves in memory is still written back. */
	int64_t back_ns =
		p->dirty_peak_bytes > 0 ? time_to_move(p, (double)p->dirty_peak_bytes) : 0;
	bool is_long = p->expected_ns > CONSENT_NS &&
		       (p->time_limit_ns < 0 || p->time_limit_ns > CONSENT_NS - back_ns);

	p->needs_consent = is_long || p->shrunk;
	if (p->shrunk) {
		buf_printf(&why,
			   "the test had to be made smaller to fit, and would fill %s down to its "
			   "reserve of ",
			   text_of(t->path));
		units_add_size(&why, p->reserve_bytes);
	}
	if (is_long) {
		buf_add_text(&why, p->shrunk ? "; and it takes " : "the test takes ");
		units_add_duration(&why, p->expected_ns);
		buf_add_text(&why, " at the required rate");
	}
	if (p->needs_consent)
		buf_add_text(&why, "; --yes agrees to it, --size makes it smaller, --time-limit "
				   "ends it earlier");
	p->consent = buf_take(&why);
}

static void how(struct plan *p)
{
	p->io = (struct io_spec){
		.block_bytes = p->block_bytes,
		.pages_per_transfer = 1,
		.data = DATA_UNIQUE,
		.fsync_in_window = 1,
		.drop_cache = 1,
	};
}

int plan_build(const struct host *host, size_t target_index, const struct plan_wishes *wishes,
	       struct plan *out, struct err *err)
{
	const struct target *target = &host->targets[target_index];
	CLEANUP(plan_done) struct plan p;
	int rc;

	plan_init(&p);
	p.target = xstrdup(text_of(target->path));
	p.target_index = (int64_t)target_index;
	p.method = xstrdup("full/1");
	p.time_limit_ns = wishes->time_limit_ns;
	p.cache_bytes = host_cache_bytes(host);
	p.reserve_percent = host->os.in_pod == 1 ? RESERVE_PERCENT_POD : RESERVE_PERCENT;

	rc = check_target(target, host, err);
	if (!rc)
		rc = requirements_choose(wishes->require, &p, err);
	if (!rc)
		rc = take_workers(host, wishes, &p, err);
	if (!rc)
		rc = take_blocks(wishes, &p, err);
	if (!rc)
		rc = wanted_size(host, wishes, &p, err);
	if (!rc)
		rc = size_files(host, target, &p, err);
	if (!rc)
		rc = check_limits(host, target, &p, err);
	if (rc)
		return rc;
	derive(host, target, &p);
	ask_consent(target, &p);
	how(&p);
	reasons_add(host, target, &p);

	*out = p;
	p = (struct plan){ 0 };
	return 0;
}
