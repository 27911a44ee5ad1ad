/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_facts - how it was measured, what was moved
 */
#include "lines.h"

#include <inttypes.h>

#include "iotest/units.h"
#include "layout.h"
#include "text_parts.h"

static const char *status_words(int status)
{
	static const char *const words[] = {
		[PHASE_NOT_RUN] = "not run: ",
		[PHASE_COMPLETE] = "",
		[PHASE_TIME_LIMIT] = "ended by its time limit: ",
		[PHASE_STEADY] = "ended when steady: ",
		[PHASE_INTERRUPTED] = "interrupted: ",
		[PHASE_FAILED] = "failed: ",
		[PHASE_SPACE] = "ended because others filled the file system: ",
		[PHASE_STUCK] = "stuck, the storage did not answer: ",
	};
	_Static_assert(ARRAY_LEN(words) == PHASE_STATUS_COUNT, "words for every status");
	return words[status];
}

static void add_moved(struct buf *b, const struct phase *phase, const struct phase_rates *rates)
{
	buf_add_text(b, status_words(phase->status));
	units_add_size(b, rates->bytes);
	if (rates->bytes >= 0)
		buf_printf(b, " (%" PRId64 " bytes)", rates->bytes);
	if (phase->status == PHASE_STUCK)
		return;
	buf_add_text(b, " in ");
	units_add_duration(b, rates->elapsed_ns);
}

static void add_write_facts(const struct report *r, struct buf *b)
{
	if (r->write.fsync_ratio >= 0)
		buf_printf(b, ", fsync %.1f %% of the time", r->write.fsync_ratio * 100);
	if (r->write.window_ratio >= 0)
		buf_printf(b, ", waits for write-back %.1f %%", r->write.window_ratio * 100);
	if (r->run->write.allocated_bytes >= 0) {
		buf_add_text(b, ", the files occupied ");
		units_add_size(b, r->run->write.allocated_bytes);
	}
}

static void add_read_facts(const struct report *r, struct buf *b)
{
	if (r->read.uncached_ratio < 0 && !*text_of(r->read.proof))
		buf_add_text(b, ", how much of it came from the storage is not known");
	if (r->run->read.resident_bytes >= 0 && !*text_of(r->read.proof)) {
		buf_add_text(b, ", in the page cache at the start: ");
		units_add_size(b, r->run->read.resident_bytes);
	}
}

/* What the processes themselves cost: a high share means that the machine was the limit. */
static void add_cpu(const struct phase *phase, struct buf *b)
{
	double user = 0, system = 0, all = 0;

	for (size_t i = 0; i < phase->n_workers; i++) {
		const struct worker_result *w = &phase->workers[i];

		if (w->user_ns < 0 || w->system_ns < 0 || w->end_ns <= w->start_ns)
			return;
		user += (double)w->user_ns;
		system += (double)w->system_ns;
		all += (double)w->end_ns - (double)w->start_ns;
	}
	if (all > 0)
		buf_printf(b, ", CPU %.0f %% user and %.0f %% system", 100 * user / all,
			   100 * system / all);
}

static void add_phase_facts(const struct report *r, int kind, struct lines *out)
{
	const struct phase *phase = run_phase_const(r->run, kind);
	CLEANUP(buf_done) struct buf line = { 0 };

	if (!text_has_phase(r, kind))
		return;
	if (phase->status == PHASE_NOT_RUN) {
		buf_add_text(&line, "not run");
	} else {
		add_moved(&line, phase, report_rates_const(r, kind));
		if (kind == PHASE_WRITE)
			add_write_facts(r, &line);
		if (kind == PHASE_READ)
			add_read_facts(r, &line);
		add_cpu(phase, &line);
	}
	lines_add(out, phase_kind_name(kind), "%s", buf_text(&line));
}

static void add_cores(const struct report *r, struct lines *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	layout_add_count(&line, r->plan->cores, "physical core", "physical cores");
	if (r->plan->cores_overridden == 1) {
		buf_add_text(&line, " by --cores; found: ");
		layout_add_count(&line, r->host->physical_cores, "core", "cores");
	} else if (plan_has_file(r->plan)) {
		buf_add_text(&line, ", one for each file; found: ");
		layout_add_count(&line, r->host->physical_cores, "core", "cores");
	}
	buf_add_text(&line, ", source: ");
	layout_add_text(&line, r->host->cores_source, "unknown");
	if (r->plan->workers != r->plan->cores) {
		buf_add_text(&line, "; measured with ");
		layout_add_count(&line, r->plan->workers, "worker", "workers");
	}
	if (r->plan->io.pin == 1)
		buf_add_text(&line, "; each worker bound to one of them");
	lines_add(out, "cores", "%s", buf_text(&line));
}

static void add_size(const struct report *r, struct lines *out)
{
	static const char *const texts[] = {
		[SIZED_BY_MEMORY] = "by the memory of the host",
		[SIZED_BY_LIMIT] = "by the memory limit of the control group",
		[SIZED_BY_OPTION] = "by option",
		[SIZED_BY_SPACE] = "by the free space",
		[SIZED_BY_MEMORY_FS] = "by half of what is left of a file system in memory",
		[SIZED_BY_QUICK] = "by the space and time of a short run",
	};
	_Static_assert(ARRAY_LEN(texts) == SIZED_BY_COUNT, "a text for every way of sizing");
	CLEANUP(buf_done) struct buf line = { 0 };

	units_add_size(&line, r->plan->bytes_per_worker);
	buf_printf(&line, " a worker, %s; cacheable: ", texts[r->plan->sized_by]);
	units_add_size(&line, r->plan->cache_bytes);
	lines_add(out, "size", "%s", buf_text(&line));
}

static void add_io(const struct report *r, struct lines *out)
{
	const struct io_spec *io = &r->plan->io;
	CLEANUP(buf_done) struct buf line = { 0 };

	units_add_size(&line, io->block_bytes);
	buf_add_text(&line, " blocks");
	if (io->pages_per_transfer > 1)
		buf_printf(&line, ", %" PRId64 " in a call", io->pages_per_transfer);
	buf_printf(&line, ", %s%s", io->direct == 1 ? "O_DIRECT" : "through the page cache",
		   io->dsync == 1 ? ", O_DSYNC" : "");
	if (r->run->direct_alignment_bytes >= 0)
		buf_printf(&line, ", aligned to %" PRId64 " bytes (%s)",
			   r->run->direct_alignment_bytes,
			   *text_of(r->run->direct_alignment_source)
				   ? r->run->direct_alignment_source
				   : "unknown source");
	if (io->window_bytes >= 0) {
		buf_add_text(&line, ", write-back started early, at most ");
		units_add_size(&line, io->window_bytes);
		buf_add_text(&line, " ahead of it");
	}
	if (io->pace_bytes_per_s >= 0)
		buf_printf(&line, ", %s %.2f MiB/s a worker",
			   io->pace_is_cap == 1 ? "at most" : "paced at",
			   units_mib(io->pace_bytes_per_s));
	lines_add(out, "i/o", "%s", buf_text(&line));
}

static void add_stayed(int64_t bytes, struct buf *b)
{
	buf_add_text(b, ", then the page cache was asked to drop the files; ");
	units_add_size(b, bytes);
	buf_add_text(b, " stayed");
}

static void add_between(const struct report *r, struct lines *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	if (r->run->read.status == PHASE_NOT_RUN && r->run->mixed.status == PHASE_NOT_RUN)
		return;
	buf_add_text(&line, "syncfs ");
	if (r->run->syncfs_error > 0)
		buf_printf(&line, "failed (errno %" PRId64 ")", r->run->syncfs_error);
	else
		units_add_duration(&line, r->run->syncfs_ns);
	if (r->run->drop_error > 0)
		buf_printf(&line,
			   ", dropping the files from the page cache failed (errno %" PRId64 ")",
			   r->run->drop_error);
	else if (r->plan->io.drop_cache == 1 && r->run->read.resident_bytes > 0)
		add_stayed(r->run->read.resident_bytes, &line);
	else if (r->plan->io.drop_cache == 1)
		buf_add_text(&line, ", then the files were dropped from the page cache");
	lines_add(out, "between", "%s", buf_text(&line));
}

static void add_after(const struct run *run, struct lines *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	if (run->remove_ns < 0 || run->remove_error > 0)
		return;
	units_add_duration(&line, run->remove_ns);
	lines_add(out, "after", "%s to give the space of the files back", buf_text(&line));
}

/* CPU seconds in all, beside the phases' shares. */
static void add_files(const struct run *run, struct lines *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	buf_add_text(&line, *text_of(run->workspace) ? run->workspace : "unknown");
	if (run->cpu_ns >= 0) {
		buf_add_text(&line, "; CPU time of the whole run: ");
		units_add_duration(&line, run->cpu_ns);
	}
	lines_add(out, "test files", "%s", buf_text(&line));
}

void lines_add_facts(struct lines *lines, const struct report *report)
{
	for (size_t i = 0; i < TEXT_PHASES; i++)
		add_phase_facts(report, text_phases[i], lines);
	add_between(report, lines);
	add_after(report->run, lines);
	add_cores(report, lines);
	add_size(report, lines);
	add_io(report, lines);
	add_files(report->run, lines);
}
