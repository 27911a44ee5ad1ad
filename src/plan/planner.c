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
#include "bounds.h"
#include "mode.h"
#include "quick.h"
#include "reasons.h"
#include "requirements.h"
#include "sizing.h"
#include "space.h"

#define DEFAULT_BLOCK_BYTES (64 * KIB)
#define SMALLEST_BLOCK_BYTES 512
#define LARGEST_BLOCK_BYTES (64 * MIB)
#define LARGEST_WORKERS 16384

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

/* What is planned, of which, and with whom it shares. */
struct planning {
	const struct host *host;
	const struct target *target;
	const struct plan_wishes *wishes;
	int64_t n_at_once;   /* tests at the same time */
	int64_t n_on_device; /* of those, on the same file system */
	int64_t n_in_memory; /* of those, in memory */
};

static bool is_same_device(const struct target *a, const struct target *b)
{
	return a == b || (text_of(a->device_number)[0] &&
			  !strcmp(a->device_number, text_of(b->device_number)));
}

static void count_sharers(struct planning *g)
{
	g->n_at_once = 1;
	g->n_on_device = 1;
	g->n_in_memory = 1;
	if (!g->wishes->together)
		return;
	g->n_at_once = (int64_t)g->host->n_targets;
	g->n_on_device = 0;
	g->n_in_memory = 0;
	for (size_t i = 0; i < g->host->n_targets; i++) {
		g->n_on_device += is_same_device(&g->host->targets[i], g->target);
		g->n_in_memory += target_is_in_memory(&g->host->targets[i]);
	}
}

static int take_requirement(const struct plan_wishes *w, struct plan *p, struct err *err)
{
	return w->prove ? requirements_choose("--prove", w->prove, p, err)
			: requirements_choose("--require", w->require, p, err);
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
		return err_usage(err, "a block of %" PRId64 " B is not a multiple of 512 B",
				 p->block_bytes);
	return 0;
}

/* No more than a full run writes, and at a pace no more than it needs; at least one block. */
static int64_t wanted_in_a_minute(const struct plan *p)
{
	int64_t bytes = p->cache_bytes > 0 ? p->cache_bytes : QUICK_SPACE_MAX;
	int64_t paced;

	if (p->mode == MODE_PROVE) {
		paced = quick_paced_bytes(p->io.pace_bytes_per_s, p->write_budget_ns);
		bytes = paced < bytes ? paced : bytes;
	}
	return bytes < p->block_bytes ? p->block_bytes : bytes;
}

/* How large a file is wanted, and who said so. */
static int wanted_size(const struct host *host, const struct plan_wishes *w, struct plan *p,
		       struct err *err)
{
	p->size_given = w->bytes_per_worker > 0 || w->blocks_per_worker > 0;
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
	if (mode_is_bounded(p)) {
		p->sized_by = SIZED_BY_QUICK;
		p->wanted_bytes_per_worker = wanted_in_a_minute(p);
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

static int no_room(const struct target *t, const struct plan *p, int64_t cap_bytes, struct err *err)
{
	CLEANUP(buf_done) struct buf avail = { 0 };
	CLEANUP(buf_done) struct buf need = { 0 };
	CLEANUP(buf_done) struct buf cap = { 0 };

	units_add_size(&avail, t->free_bytes);
	units_add_size(&need, p->block_bytes * p->workers);
	units_add_size(&cap, cap_bytes);
	if (mode_is_bounded(p) && cap_bytes < p->block_bytes * p->workers)
		err_say(err, -ENOSPC,
			"%s: too little space: of %s available a --%s test takes at most %s, which "
			"does not hold one block per worker (%s)",
			text_of(t->path), buf_text(&avail), plan_mode_name(p->mode), buf_text(&cap),
			buf_text(&need));
	else
		err_say(err, -ENOSPC,
			"%s: too little space: of %s available, what is left above the reserve "
			"does not hold one block per worker (%s)",
			text_of(t->path), buf_text(&avail), buf_text(&need));
	err_advise(err, "free some space, or use fewer workers");
	return -ENOSPC;
}

/* What a bounded test may take of its file system; -1: it is not bounded. */
static int64_t bounded_cap(const struct planning *g, const struct plan *p)
{
	int64_t free_bytes = g->target->free_bytes;
	int64_t reserve = sizing_reserve_bytes(g->target->size_bytes, p->reserve_percent,
					       g->wishes->keep_free_bytes);
	int64_t usable = free_bytes;

	if (!mode_is_bounded(p))
		return -1;
	if (free_bytes >= 0 && reserve > 0)
		usable = free_bytes > reserve ? free_bytes - reserve : 0;
	free_bytes = quick_space_bytes(free_bytes, usable);
	if (p->light == 1 && free_bytes > LIGHT_SPACE_MAX)
		free_bytes = LIGHT_SPACE_MAX;
	return free_bytes / g->n_on_device;
}

static void take_answer(const struct size_answer *a, int cap_kind, struct plan *p)
{
	p->bytes_per_worker = a->bytes_per_worker;
	p->blocks_per_worker = a->blocks_per_worker;
	p->total_bytes = a->total_bytes;
	p->preallocation_bytes = a->preallocation_bytes;
	p->reserve_bytes = a->reserve_bytes;
	p->usable_bytes = a->usable_bytes;
	p->shrunk = a->shrunk_to_space;
	if (a->shrunk_to_cap)
		p->sized_by = cap_kind;
	if (a->shrunk_to_space)
		p->sized_by = SIZED_BY_SPACE;
}

static int size_files(const struct planning *g, struct plan *p, struct err *err)
{
	const struct target *t = g->target;
	int64_t memory_cap = space_memory_cap(g->host, t);
	int64_t bounded = bounded_cap(g, p);
	struct size_question q = {
		.wanted_bytes = p->wanted_bytes_per_worker,
		.workers = p->workers,
		.block_bytes = p->block_bytes,
		.free_bytes = t->free_bytes,
		.fs_bytes = t->size_bytes,
		.reserve_percent = p->reserve_percent,
		.reserve_min_bytes = g->wishes->keep_free_bytes,
		.is_xfs = !strcmp(text_of(t->fs_type), "xfs"),
		.allocsize_bytes = t->xfs_allocsize_bytes,
		.step_bytes = mode_is_bounded(p) ? quick_step_bytes(p->block_bytes) : 0,
		.shares = g->n_on_device,
	};
	struct size_answer a;
	int rc;

	if (memory_cap >= 0)
		memory_cap /= g->n_in_memory;
	q.total_cap_bytes = space_smaller(memory_cap, bounded);
	rc = sizing_solve(&q, &a);
	if (rc == -EINVAL)
		return err_usage(err,
				 "%" PRId64 " bytes per worker are less than one block of %" PRId64
				 " bytes",
				 p->wanted_bytes_per_worker, p->block_bytes);
	if (rc == -ENOSPC)
		return no_room(t, p, bounded, err);
	if (rc)
		return err_usage(err, "--size: all files together are more than 8 EiB");
	take_answer(&a, q.total_cap_bytes == bounded ? SIZED_BY_QUICK : SIZED_BY_MEMORY_FS, p);
	if (p->mixed_read_percent >= 0 && p->blocks_per_worker < 2)
		return err_usage(err, "--mixed: each worker reads one file and writes another, and "
				      "one block cannot be shared out");
	return 0;
}

static int64_t n_files(const struct planning *g, const struct plan *p)
{
	return p->workers * (p->mixed_read_percent >= 0 ? 2 : 1) * g->n_on_device;
}

static int check_limits(const struct planning *g, const struct plan *p, struct err *err)
{
	const struct target *t = g->target;
	int64_t limit = g->host->os.file_size_limit_bytes;
	int64_t n = n_files(g, p);

	if (limit >= 0 && limit < p->bytes_per_worker) {
		err_say(err, -EFBIG,
			"the file size limit of this process is %" PRId64
			" bytes, and each test file needs %" PRId64,
			limit, p->bytes_per_worker);
		err_advise(err, "raise it (ulimit -f unlimited), or give a smaller --size");
		return -EFBIG;
	}
	/* Some file systems have no fixed number of inodes and say 0 of 0. */
	if (t->inodes > 0 && t->free_inodes >= 0 && t->free_inodes <= n) {
		err_say(err, -ENOSPC,
			"%s: %" PRId64 " files are needed and %" PRId64 " inodes are free",
			text_of(t->path), n, t->free_inodes);
		err_advise(err, "free some inodes, or use fewer workers");
		return -ENOSPC;
	}
	return 0;
}

/* All tests that share the file system hold as much at the same time. */
static int64_t free_while_running(const struct planning *g, const struct plan *p)
{
	int64_t taken;

	if (units_mul(p->preallocation_bytes, p->workers, &taken) ||
	    units_add(taken, p->total_bytes, &taken) || units_mul(taken, g->n_on_device, &taken) ||
	    taken > g->target->free_bytes)
		return 0;
	return g->target->free_bytes - taken;
}

/* So long that nobody waits for it if it is longer. */
static int64_t capped_ns(double ns)
{
	return ns < (double)INT64_MAX / 2 ? (int64_t)ns : INT64_MAX / 2;
}

/* At the required rate. */
static double ns_to_move(const struct plan *p, double bytes)
{
	double mib_per_s = p->requirement_mib_per_s * (double)plan_streams(p);
	double cap = plan_cap_mib_per_s(p);

	if (cap > 0 && cap < mib_per_s)
		mib_per_s = cap;
	return bytes / (mib_per_s * (double)MIB) * (double)NS_PER_S;
}

static int64_t expected_ns(const struct plan *p)
{
	double ns = ns_to_move(p, mode_passes(p) * (double)p->total_bytes);

	if (mode_is_bounded(p)) {
		ns = (double)p->write_budget_ns;
		if (p->judges_read || p->mixed_read_percent >= 0)
			ns += (double)p->read_budget_ns;
	}
	return capped_ns(ns * (double)p->repeat);
}

/* What may wait in memory: nothing of O_DIRECT, and no more than the windows of the writers. */
static int64_t dirty_peak(const struct host *host, const struct plan *p)
{
	int64_t bytes = space_smaller(host->dirty_limit_bytes, host->memory_limit_bytes);

	bytes = space_smaller(bytes, host->memory_bytes);
	bytes = space_smaller(bytes, bounds_dirty_bytes(p));
	return space_smaller(bytes, p->total_bytes);
}

/* A paced, a mixed or a memory-bound rate has nothing to be compared with, and a check no bytes to
 * spare for it. */
static int control(const struct planning *g, const struct plan *p)
{
	if (p->mode == MODE_PROVE || p->io.pace_is_cap || p->gentle || p->light == 1 ||
	    p->mixed_read_percent >= 0 || target_is_in_memory(g->target))
		return CONTROL_NEVER;
	return g->wishes->control ? CONTROL_ALWAYS : CONTROL_IF_BELOW;
}

/* Others are not to be the ones who run out: of inodes, what our files hold is to be left. */
static void take_floor(const struct planning *g, struct plan *p)
{
	const struct target *t = g->target;
	int64_t n = n_files(g, p);

	p->keep_free_bytes = p->reserve_bytes >= 0 ? p->reserve_bytes / 2 : -1;
	if (g->wishes->keep_free_bytes > 0)
		p->keep_free_bytes = g->wishes->keep_free_bytes;
	if (t->inodes <= 0 || t->free_inodes < n)
		return;
	p->keep_free_inodes = (t->free_inodes - n) / 2;
	if (p->keep_free_inodes > n)
		p->keep_free_inodes = n;
}

static void derive(const struct planning *g, struct plan *p)
{
	take_floor(g, p);
	p->expected_ns = expected_ns(p);
	p->fits_in_cache = p->cache_bytes > 0 && p->total_bytes <= p->cache_bytes;
	if (g->target->free_bytes >= 0)
		p->free_after_bytes = free_while_running(g, p);
	p->dirty_peak_bytes = dirty_peak(g->host, p);
	p->control = control(g, p);
}

/* The time limit is one of each run. What it leaves in memory is still written back. A bounded
 * test is as long as its limit says, and only repeating makes it longer. */
static bool is_long(const struct plan *p)
{
	double back_ns = p->dirty_peak_bytes > 0 ? ns_to_move(p, (double)p->dirty_peak_bytes) : 0;
	double limit_ns = (double)p->time_limit_ns * (double)p->repeat;

	if (mode_is_bounded(p))
		return p->repeat > 1 && limit_ns > (double)CONSENT_NS;
	return p->expected_ns > CONSENT_NS &&
	       (p->time_limit_ns < 0 || limit_ns > (double)CONSENT_NS - back_ns);
}

static void ask_consent(const struct target *t, struct plan *p)
{
	CLEANUP(buf_done) struct buf why = { 0 };
	bool takes_long = is_long(p);
	bool fills = p->shrunk == 1 && !mode_is_bounded(p);

	p->needs_consent = takes_long || fills;
	if (fills) {
		buf_printf(&why,
			   "the test had to be made smaller to fit, and would fill %s down to its "
			   "reserve of ",
			   text_of(t->path));
		units_add_size(&why, p->reserve_bytes);
	}
	if (takes_long) {
		buf_add_text(&why, fills ? "; and it takes " : "the test takes ");
		units_add_duration(&why, p->expected_ns);
		if (!mode_is_bounded(p))
			buf_add_text(&why, " at the required rate");
		if (p->repeat > 1)
			buf_printf(&why, " for %" PRId64 " runs", p->repeat);
	}
	if (p->needs_consent)
		buf_add_text(&why, "; --yes agrees to it, --size makes it smaller, --time-limit "
				   "ends it earlier");
	p->consent = buf_take(&why);
}

/* What does not depend on anything else. */
static void begin(const struct planning *g, size_t target_index, struct plan *p)
{
	p->target = xstrdup(text_of(g->target->path));
	p->target_index = (int64_t)target_index;
	p->time_limit_ns = g->wishes->time_limit_ns;
	p->cache_bytes = host_cache_bytes(g->host);
	p->reserve_percent = space_reserve_percent(g->host);
}

static int decide(const struct planning *g, struct plan *p, struct err *err)
{
	int rc;

	rc = plan_check_wishes(g->wishes, g->host->n_targets, err);
	if (!rc)
		rc = check_target(g->target, g->host, err);
	if (!rc)
		rc = take_requirement(g->wishes, p, err);
	if (!rc)
		rc = take_workers(g->host, g->wishes, p, err);
	if (!rc)
		rc = take_blocks(g->wishes, p, err);
	if (!rc)
		rc = mode_take(g->host, g->wishes, g->n_at_once, p, err);
	if (!rc)
		rc = wanted_size(g->host, g->wishes, p, err);
	if (!rc)
		rc = size_files(g, p, err);
	return rc ? rc : check_limits(g, p, err);
}

int plan_build(const struct host *host, size_t target_index, const struct plan_wishes *wishes,
	       struct plan *out, struct err *err)
{
	struct planning g = {
		.host = host,
		.target = &host->targets[target_index],
		.wishes = wishes,
	};
	CLEANUP(plan_done) struct plan p;
	int rc;

	plan_init(&p);
	count_sharers(&g);
	begin(&g, target_index, &p);
	rc = decide(&g, &p, err);
	if (rc)
		return rc;
	derive(&g, &p);
	ask_consent(g.target, &p);
	reasons_add(host, g.target, g.n_on_device, &p);

	*out = p;
	p = (struct plan){ 0 };
	return 0;
}
