/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reasons - why each number of a plan is what it is
 *
 * The page is read by people who have to allow the run and know nothing of iotest.
 */
#include "reasons.h"

#include <inttypes.h>
#include <string.h>

#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "mode.h"
#include "quick.h"
#include "reasons_parts.h"

/* More than this part of a memory limit that waits to be written is worth a warning. */
#define DIRTY_OF_LIMIT 4

void reasons_row(struct plan *p, const char *key, struct buf *value, struct buf *text)
{
	struct reason *r = XGROW(&p->reasons, &p->n_reasons);

	r->key = xstrdup(key);
	r->value = buf_take(value);
	r->text = buf_take(text);
}

void reasons_row_size(struct plan *p, const char *key, int64_t bytes, struct buf *text)
{
	struct buf value = { 0 };

	if (bytes < 0)
		buf_add_text(&value, "unknown");
	else
		units_add_size(&value, bytes);
	reasons_row(p, key, &value, text);
}

static const char *who_works(const struct plan *p)
{
	if (p->mixed_read_percent >= 0)
		return "one process, which reads and writes,";
	if (p->judges_write && !p->judges_read)
		return "one writer";
	return "one writer, later one reader,";
}

static void say_workers(const struct host *host, struct plan *p)
{
	struct buf value = { 0 };
	struct buf text = { 0 };

	buf_printf(&value, "%" PRId64, p->workers);
	if (p->workers_overridden)
		buf_printf(&text, "by option; this process may use %" PRId64 " physical cores",
			   host->physical_cores);
	else
		buf_printf(&text, "%s per physical core this process may use (%s)", who_works(p),
			   text_of(host->cores_source));
	if (host->cpu_quota_cores >= 0)
		buf_printf(&text, "; a CPU quota of %.2f cores is in force and can slow them down",
			   host->cpu_quota_cores);
	reasons_row(p, "workers", &value, &text);
}

static void say_why_size(const struct host *host, const struct plan *p, struct buf *text)
{
	switch ((enum sized_by)p->sized_by) {
	case SIZED_BY_MEMORY:
		buf_add_text(
			text,
			"the size of the memory, so that it cannot hold what all workers write");
		break;
	case SIZED_BY_LIMIT:
		buf_printf(text, "the memory limit in force (%s), which is smaller than the memory",
			   text_of(host->memory_limit_source));
		break;
	case SIZED_BY_OPTION:
		buf_add_text(text, "by option");
		break;
	case SIZED_BY_QUICK:
		if (p->wanted_bytes_per_worker > p->bytes_per_worker) {
			buf_add_text(text, "less than ");
			units_add_size(text, p->wanted_bytes_per_worker);
			buf_add_text(text, ": ");
		}
		reasons_say_bounds(p, text);
		break;
	case SIZED_BY_SPACE:
		buf_add_text(text, "made smaller than ");
		units_add_size(text, p->wanted_bytes_per_worker);
		buf_add_text(text, " to fit into the space above the reserve");
		break;
	case SIZED_BY_MEMORY_FS:
		buf_add_text(text, "this file system lies in memory: half of what is left is used");
		break;
	case SIZED_BY_COUNT:
		break;
	}
	buf_printf(text, "; %" PRId64 " whole blocks", p->blocks_per_worker);
}

static void say_size(const struct host *host, struct plan *p)
{
	struct buf text = { 0 };

	say_why_size(host, p, &text);
	reasons_row_size(p, "file per worker", p->bytes_per_worker, &text);
}

static void say_block(struct plan *p)
{
	struct buf text = { 0 };

	if (p->block_bytes == 64 * KIB)
		buf_printf(&text, "of one call; SAS moves large files in such pieces%s",
			   p->io.direct ? "" : ", through the page cache");
	else
		buf_add_text(&text, "of one call, by option");
	reasons_row_size(p, "block", p->block_bytes, &text);
}

static const char *what_is_moved(const struct plan *p)
{
	if (p->mixed_read_percent >= 0)
		return "each file once, and those that are read once more";
	return p->judges_read ? "once, then read back once" : "once";
}

static void say_total(const struct target *t, struct plan *p)
{
	struct buf text = { 0 };

	buf_add_text(&text, what_is_moved(p));
	if (t->free_bytes > 0)
		buf_printf(&text, "; %.1f %% of the space available to this user",
			   100.0 * (double)p->total_bytes / (double)t->free_bytes);
	reasons_row_size(p, "written", p->total_bytes, &text);
}

static void say_cache(struct plan *p)
{
	struct buf text = { 0 };

	if (p->cache_bytes <= 0 || (!p->judges_read && p->mixed_read_percent < 0))
		return;
	buf_add_text(&text, p->fits_in_cache
				    ? "could hold all files: the read rate counts only if the "
				      "devices show that it came from them"
				    : "can hold part of the files only; they are dropped from it "
				      "before reading");
	reasons_row_size(p, "memory for caching", p->cache_bytes, &text);
}

static void say_floor(struct plan *p)
{
	struct buf text = { 0 };

	if (p->keep_free_bytes < 0)
		return;
	buf_add_text(&text, p->keep_free_bytes == p->reserve_bytes / 2 ? "half of the reserve"
								       : "by option");
	buf_add_text(&text, ": if others leave less while the test runs, the workers stop and half "
			    "of what was written is given back at once");
	if (p->keep_free_inodes > 0)
		buf_printf(&text, "; the same below %" PRId64 " free inodes", p->keep_free_inodes);
	reasons_row_size(p, "keep free", p->keep_free_bytes, &text);
}

static void say_space(const struct host *host, const struct target *t, struct plan *p)
{
	struct buf text = { 0 };

	if (p->preallocation_bytes > 0) {
		buf_printf(&text, "per file, which XFS may take ahead of a growing file%s",
			   t->xfs_allocsize_bytes >= 0 ? " (mount option allocsize)" : "");
		reasons_row_size(p, "taken ahead", p->preallocation_bytes, &text);
	}
	if (p->keep_free_bytes >= 0 && p->keep_free_bytes == p->reserve_bytes)
		buf_add_text(&text, "never used, by --keep-free");
	else
		buf_printf(&text, "never used: %" PRId64 " %% of the file system%s",
			   p->reserve_percent,
			   host->os.in_pod == 1
				   ? ", because a kubelet evicts pods at 10 to 15 % free"
				   : "");
	reasons_row_size(p, "reserve", p->reserve_bytes, &text);
	say_floor(p);
	buf_add_text(&text, "remains while the files exist; afterwards all of it is free again");
	reasons_row_size(p, "free space", p->free_after_bytes, &text);
}

/* Nothing bounds it but the kernel, and its limit is one for all processes. */
static void say_unbounded(const struct host *host, const struct plan *p, struct buf *text)
{
	buf_add_text(text, "at most waits in memory to be written");
	if (host->dirty_limit_bytes > 0 && p->dirty_peak_bytes >= host->dirty_limit_bytes)
		buf_add_text(text, ": the limit of this host; near it the kernel makes every "
				   "process that writes wait");
	buf_add_text(text, "; --max-dirty N bounds it");
}

static void say_dirty(const struct host *host, struct plan *p)
{
	struct buf text = { 0 };

	if (p->io.direct) {
		buf_add_text(&text, "O_DIRECT leaves nothing that waits in memory to be written");
	} else if (p->io.window_bytes > 0) {
		buf_add_text(&text, "at most waits in memory to be written: write-back is started "
				    "every ");
		units_add_size(&text, p->io.piece_bytes);
		buf_add_text(&text, ", and each writer may be ahead of it by what it writes in a "
				    "second, at most ");
		units_add_size(&text, p->io.window_bytes);
		if (p->max_dirty_bytes > 0)
			buf_add_text(&text, " (--max-dirty)");
	} else {
		say_unbounded(host, p, &text);
	}
	reasons_row_size(p, "dirty memory", p->dirty_peak_bytes, &text);
}

/*
 * Writers are not held up by the limit of a control group of version 1: their pages can fill it,
 * and the kernel waits for write-back there, or kills.
 */
static void say_oom(const struct host *host, struct plan *p)
{
	int64_t limit = host->memory_limit_bytes;
	struct buf text = { 0 };

	if (limit <= 0 || p->dirty_peak_bytes <= limit / DIRTY_OF_LIMIT ||
	    !strstr(text_of(host->memory_limit_source), "memory.limit_in_bytes"))
		return;
	buf_printf(&text,
		   "of the control group (%s): it is of version 1, where the limit does not hold "
		   "up writers; what waits to be written can fill it, and then the kernel may kill "
		   "a process in it; ",
		   text_of(host->memory_limit_source));
	buf_add_text(&text, p->max_dirty_bytes > 0 ? "give a smaller --max-dirty"
						   : "--max-dirty N bounds it, and --quick does");
	reasons_row_size(p, "memory limit", limit, &text);
}

static void say_required_rate(const struct plan *p, struct buf *text)
{
	buf_printf(text,
		   "if the storage does just the required %.4g MiB/s per core for %" PRId64
		   " core%s; "
		   "less if it is faster",
		   p->requirement_mib_per_s, plan_streams(p), plan_streams(p) == 1 ? "" : "s");
	if (p->time_limit_ns >= 0) {
		buf_add_text(text, "; --time-limit stops the workers after ");
		units_add_duration(text, p->time_limit_ns);
		buf_add_text(text, p->repeat > 1 ? " of each run" : "");
		buf_add_text(text, ", and what then waits in memory is still written back");
	}
}

static void say_bounded_time(const struct plan *p, struct buf *text)
{
	buf_add_text(text, "at most: ");
	units_add_duration(text, p->write_budget_ns);
	buf_add_text(text, " for writing");
	if (p->judges_read || p->mixed_read_percent >= 0) {
		buf_add_text(text, " and ");
		units_add_duration(text, p->read_budget_ns);
		buf_add_text(text,
			     p->mixed_read_percent >= 0 ? " for both at once" : " for reading");
	}
	buf_add_text(text, "; with all that comes between and after it ");
	units_add_duration(text, p->time_limit_ns);
	buf_add_text(text, p->repeat > 1 ? " of each run (--time-limit)" : " (--time-limit)");
}

static void say_time(struct plan *p)
{
	struct buf value = { 0 };
	struct buf text = { 0 };

	units_add_duration(&value, p->expected_ns);
	if (mode_is_bounded(p))
		say_bounded_time(p, &text);
	else
		say_required_rate(p, &text);
	if (p->control != CONTROL_NEVER && !mode_is_bounded(p))
		buf_add_text(&text, "; a control comes on top");
	reasons_row(p, "time", &value, &text);
}

static bool has_device(const struct target *t, int kind)
{
	for (size_t i = 0; i < t->n_devices; i++)
		if (t->devices[i].kind == kind)
			return true;
	return false;
}

/* Thin volumes, snapshots and sparse backing files keep what was once written. */
static void say_physical(const struct target *t, struct plan *p)
{
	struct buf text = { 0 };
	bool is_cow = !strcmp(text_of(t->fs_type), "btrfs") || !strcmp(text_of(t->fs_type), "zfs");

	if (has_device(t, DEVICE_DM))
		buf_add_text(&text, "on a thin or snapshotted volume");
	else if (has_device(t, DEVICE_LOOP))
		buf_add_text(&text, "in the file behind the loop device");
	else if (is_cow)
		buf_add_text(&text, "where snapshots hold the space");
	else if (t->kind == TARGET_NETWORK)
		buf_add_text(&text, "on the server, if it is thin or takes snapshots");
	else
		buf_add_text(&text, "on a thin disk of a virtual machine or array");
	buf_add_text(&text, " this much may stay allocated after the files are gone, until it is "
			    "discarded (fstrim)");
	reasons_row_size(p, "physical space", p->total_bytes, &text);
}

static void say_stop(const struct target *t, struct plan *p)
{
	struct buf value = { 0 };
	struct buf text = { 0 };

	buf_add_text(&value, "Ctrl-C");
	buf_printf(&text,
		   "or SIGTERM to the first iotest process: the workers stop, the files in %s go, "
		   "what was measured is kept",
		   text_of(t->path));
	reasons_row(p, "to stop it", &value, &text);
}

void reasons_add(const struct host *host, const struct target *target, int64_t n_on_device,
		 struct plan *plan)
{
	reasons_add_mode(target, plan);
	say_workers(host, plan);
	say_size(host, plan);
	say_block(plan);
	reasons_add_io(plan);
	say_total(target, plan);
	say_cache(plan);
	say_space(host, target, plan);
	say_dirty(host, plan);
	say_oom(host, plan);
	reasons_add_company(host, target, n_on_device, plan);
	say_time(plan);
	if (!target_is_in_memory(target))
		say_physical(target, plan);
	say_stop(target, plan);
}
