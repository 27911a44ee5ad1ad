/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_file - the plan of one test of files that somebody named
 *
 * The caller says how large and how; here it is checked that it may be done.
 */
#include <errno.h>
#include <inttypes.h>

#include "iotest/planner.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "mode.h"
#include "reasons_parts.h"
#include "requirements.h"
#include "sizing.h"
#include "space.h"

static int check_place(const struct target *t, const struct file_wishes *w, struct err *err)
{
	if (t->kind == TARGET_KERNEL) {
		err_say(err, -ENOTSUP, "%s: %s is a view of the kernel, not a storage", w->given,
			text_of(t->fs_type));
		err_advise(err, "name a file on a file system that holds files");
		return -ENOTSUP;
	}
	if (!w->writes || t->read_only != 1)
		return 0;
	err_say(err, -EROFS, "%s: the file system is mounted read-only", w->given);
	err_advise(err, "remount it read-write, or name a file on another one");
	return -EROFS;
}

/* "needs 129 GiB, and 50 GiB are available above the reserve" */
static int no_room(const struct file_wishes *w, const struct plan *p, int64_t room, const char *of,
		   struct err *err)
{
	CLEANUP(buf_done) struct buf need = { 0 };
	CLEANUP(buf_done) struct buf has = { 0 };

	units_add_size(&need, p->total_bytes);
	units_add_size(&has, room);
	err_say(err, -ENOSPC, "%s: %s are to be written, and %s are available %s", w->given,
		buf_text(&need), buf_text(&has), of);
	err_advise(err, "free some space, or give a smaller -filesize");
	return -ENOSPC;
}

/* What files of that name occupy is given back first. */
static int check_space(const struct host *host, const struct file_wishes *w, struct plan *p,
		       struct err *err)
{
	const struct target *t = &host->targets[0];
	int64_t memory = space_memory_cap(host, t);
	int64_t limit = host->os.file_size_limit_bytes;

	p->reserve_percent = space_reserve_percent(host);
	p->reserve_bytes = sizing_reserve_bytes(t->size_bytes, p->reserve_percent, -1);
	if (!w->writes)
		return 0;
	/* As in a run: whatever others do, the workers stop there. */
	p->keep_free_bytes = p->reserve_bytes >= 0 ? p->reserve_bytes / 2 : -1;
	if (limit >= 0 && limit < p->bytes_per_worker) {
		err_say(err, -EFBIG,
			"%s: the file size limit of this process is %" PRId64
			" bytes, and the file needs %" PRId64,
			w->given, limit, p->bytes_per_worker);
		err_advise(err, "raise it (ulimit -f), or give a smaller -filesize");
		return -EFBIG;
	}
	if (memory >= 0 && p->total_bytes > memory + w->own_bytes)
		return no_room(w, p, memory + w->own_bytes, "in memory, of which half stays free",
			       err);
	if (t->free_bytes < 0)
		return 0;
	p->usable_bytes = t->free_bytes - (p->reserve_bytes > 0 ? p->reserve_bytes : 0);
	if (p->usable_bytes < 0)
		p->usable_bytes = 0;
	if (p->total_bytes > p->usable_bytes + w->own_bytes)
		return no_room(w, p, p->usable_bytes + w->own_bytes,
			       "above the reserve of the file system", err);
	p->free_after_bytes = t->free_bytes + w->own_bytes - p->total_bytes;
	return 0;
}

static int take_size(const struct file_wishes *w, struct plan *p, struct err *err)
{
	p->sized_by = SIZED_BY_OPTION;
	p->size_given = w->bytes > 0;
	p->wanted_bytes_per_worker = w->bytes > 0 ? w->bytes : w->file_bytes;
	p->bytes_per_worker = p->wanted_bytes_per_worker;
	if (!w->writes && w->file_bytes > 0)
		p->bytes_per_worker = space_smaller(p->bytes_per_worker, w->file_bytes);
	if (p->bytes_per_worker < 1)
		p->bytes_per_worker = 1;
	p->block_bytes = w->page_bytes;
	p->blocks_per_worker = (p->bytes_per_worker - 1) / w->page_bytes + 1;
	if (units_mul(p->bytes_per_worker, p->workers, &p->total_bytes))
		return err_usage(err, "-filesize: all files together are more than 8 EiB");
	return 0;
}

static void take_io(const struct file_wishes *w, struct plan *p)
{
	p->io = (struct io_spec){
		.block_bytes = w->page_bytes,
		.pages_per_transfer = w->pages,
		.order = w->random ? ORDER_RANDOM : ORDER_SEQUENTIAL,
		.file = xstrdup(w->given),
		.file_name = xstrdup(w->name),
		.numbered = w->instances > 0,
		.overwrite = w->force,
		.data = DATA_UNIQUE,
		.compressible_percent = -1,
		.integrity = INTEGRITY_STAMPS,
		.direct = w->direct,
		.dsync = w->dsync,
		.fsync_in_window = 1,
		.drop_cache = !w->cached,
		.window_bytes = -1,
		.piece_bytes = -1,
		.pace_bytes_per_s = -1,
	};
}

static void add_reason(struct plan *p, const char *key, char *value, const char *text)
{
	*XGROW(&p->reasons, &p->n_reasons) = (struct reason){
		.key = xstrdup(key),
		.value = value,
		.text = xstrdup(text),
	};
}

static void add_size_reason(struct plan *p, const char *key, int64_t bytes, const char *text)
{
	struct buf b = { 0 };

	buf_add_text(&b, text);
	reasons_row_size(p, key, bytes, &b);
}

static void add_reasons(const struct file_wishes *w, struct plan *p)
{
	add_reason(p, "file", xstrdup(w->given),
		   w->writes ? "is written, and stays" : "is read as it is");
	add_reason(p, "workers", xasprintf("%" PRId64, p->workers),
		   w->instances > 0 ? "by -instances; each has a file of its own"
				    : "one file, one process");
	add_size_reason(p, "bytes per file", p->bytes_per_worker,
			w->bytes > 0 ? "by -filesize, or what is there if that is less"
				     : "what the file has");
	add_size_reason(p, "page size", w->page_bytes, "by -pagesize");
	add_reason(p, "cores", xasprintf("%" PRId64, p->cores),
		   "as many as there are files, so that a rate per core is one per file");
}

/* What does not depend on anything else. */
static int begin(const struct host *host, const struct file_wishes *w, struct plan *p,
		 struct err *err)
{
	p->target = xstrdup(text_of(host->targets[0].path));
	p->target_index = 0;
	p->mode = MODE_FILE;
	p->repeat = 1;
	p->together = 0;
	p->gentle = 0;
	p->until_steady = 0;
	p->shrunk = 0;
	p->judges_write = w->writes;
	p->judges_read = !w->writes;
	p->control = CONTROL_NEVER;
	p->needs_consent = 0;
	p->consent = xstrdup("");
	p->workers = w->instances > 0 ? w->instances : 1;
	p->workers_overridden = w->instances > 0;
	p->cores = p->workers;
	p->cores_overridden = 0;
	p->cache_bytes = host_cache_bytes(host);
	return requirements_choose("", NULL, p, err);
}

int plan_build_file(const struct host *host, const struct file_wishes *wishes, struct plan *out,
		    struct err *err)
{
	CLEANUP(plan_done) struct plan p;
	int rc;

	plan_init(&p);
	rc = check_place(&host->targets[0], wishes, err);
	if (!rc)
		rc = begin(host, wishes, &p, err);
	if (!rc)
		rc = take_size(wishes, &p, err);
	if (!rc)
		rc = check_space(host, wishes, &p, err);
	if (rc)
		return rc;
	take_io(wishes, &p);
	p.fits_in_cache = p.cache_bytes > 0 && p.total_bytes <= p.cache_bytes;
	mode_name_method(&p);
	add_reasons(wishes, &p);

	*out = p;
	p = (struct plan){ 0 };
	return 0;
}
