/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_rates - what was measured, what is judged, and how it was measured
 */
#include "text_parts.h"

#include <inttypes.h>
#include <math.h>

#include "iotest/units.h"
#include "layout.h"

#define MB_PER_MIB ((double)MIB / 1e6)
#define FACT_COLUMN 14

/* Reads first, as in the results block. */
static const int order[] = { PHASE_READ, PHASE_WRITE };

/* Four digits or so: more would look like more than is known. */
static void cell_rate(struct buf *out, size_t width, double rate)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	layout_add_number(&text, rate, rate >= 1000 ? 0 : rate >= 100 ? 1 : 2);
	layout_cell(out, width, buf_text(&text));
}

static void cell_per_core(struct buf *out, size_t width, double rate)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	layout_add_number(&text, rate, 2);
	layout_cell(out, width, buf_text(&text));
}

static void cell_cores(struct buf *out, size_t width, int64_t cores)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (cores < 0)
		buf_add_text(&text, "-");
	else
		layout_add_count(&text, cores, "core", "cores");
	layout_cell(out, width, buf_text(&text));
}

static void add_done_times(struct buf *out, const struct phase_rates *rates)
{
	double first = units_seconds(rates->first_done_ns);
	double last = units_seconds(rates->last_done_ns);
	int decimals = last < 10 ? 2 : last < 100 ? 1 : 0;

	if (rates->first_done_ns < 0 || rates->last_done_ns < 0)
		buf_add_text(out, "unknown");
	else
		buf_printf(out, "%.*f-%.*f s", decimals, first, decimals, last);
}

static void add_unusable(const char *phase, const char *reason, struct buf *out)
{
	CLEANUP(buf_done) struct buf lead = { 0 };

	buf_printf(&lead, "  %-6s MiB/s%19s", phase, "n/a");
	layout_wrap(out, buf_text(&lead), 35, *text_of(reason) ? reason : "no reason recorded");
}

static void add_phase_rates(const struct report *r, int kind, struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	/* Only what is long enough to be judged has a number of cores that it carries. */
	bool is_judged = rates->carries_cores >= 0;

	if (rates->usable != 1) {
		add_unusable(phase_kind_name(kind), rates->unusable_reason, out);
		return;
	}
	buf_printf(out, "  %-6s %-15s", phase_kind_name(kind),
		   is_judged ? "MiB/s, judged" : "MiB/s");
	cell_per_core(out, 9, rates->mib_per_s_per_core);
	cell_rate(out, 9, rates->aggregate_mib_per_s);
	cell_rate(out, 9, rates->need_mib_per_s);
	cell_cores(out, 11, rates->carries_cores);
	buf_add_text(out, "  ");
	add_done_times(out, rates);
	buf_printf(out, "\n         %-15s", "MB/s (10^6)");
	cell_per_core(out, 9, rates->mib_per_s_per_core * MB_PER_MIB);
	cell_rate(out, 9, rates->aggregate_mb_per_s);
	cell_rate(out, 9, rates->need_mib_per_s * MB_PER_MIB);
	buf_add_text(out, "\n");
}

static void add_worker(struct buf *out, const char *which, double rate, int64_t number)
{
	buf_printf(out, "%s ", which);
	layout_add_number(out, rate, 2);
	if (number > 0)
		buf_printf(out, " (worker %" PRId64 ")", number);
}

static void add_skew(struct buf *out, int64_t ns)
{
	if (ns >= 0 && ns < NS_PER_S)
		buf_printf(out, ", starts %.1f ms apart", (double)ns / NS_PER_MS);
	else if (ns >= 0)
		buf_printf(out, ", starts %.1f s apart", units_seconds(ns));
}

static void add_phase_workers(const struct report *r, int kind, struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	CLEANUP(buf_done) struct buf line = { 0 };

	if (rates->usable != 1)
		return;
	add_worker(&line, "slowest", rates->slowest_mib_per_s, rates->slowest_worker);
	add_worker(&line, ", fastest", rates->fastest_mib_per_s, rates->fastest_worker);
	add_skew(&line, rates->start_skew_ns);
	layout_row(out, 9, phase_kind_name(kind), "%s", buf_text(&line));
}

static bool any_usable(const struct report *r)
{
	return r->write.usable == 1 || r->read.usable == 1;
}

void text_add_rates(const struct report *report, struct buf *out)
{
	buf_add_text(out, "RATES                    per core    total     need    carries"
			  "  workers done at\n");
	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		add_phase_rates(report, order[i], out);
	if (!any_usable(report))
		return;
	layout_wrap(
		out, "  ", 2,
		"per core: total / cores; judged: held against the requirement, the lower one "
		"decides. total: all bytes from the first start to the last end, fsync included. "
		"need: requirement x cores. carries: cores that this feeds, a linear estimate. "
		"done at: when the first and the last worker was done. The lines under "
		"STATISTICS are computed as the SAS scripts do it, for comparison.");
	buf_add_text(out, "WORKERS (MiB/s each)\n");
	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		add_phase_workers(report, order[i], out);
}

static void add_moved(struct buf *b, const struct phase *phase, const struct phase_rates *rates)
{
	if (phase->status != PHASE_COMPLETE)
		buf_printf(b, "%s: ", phase_status_name(phase->status));
	units_add_size(b, rates->bytes);
	if (rates->bytes >= 0)
		buf_printf(b, " (%" PRId64 " bytes)", rates->bytes);
	buf_add_text(b, " in ");
	units_add_duration(b, rates->elapsed_ns);
}

static void add_write_facts(const struct report *r, struct buf *b)
{
	const struct phase *phase = &r->run->write;

	if (r->write.fsync_ratio >= 0)
		buf_printf(b, ", fsync %.1f %% of the workers' time", r->write.fsync_ratio * 100);
	if (r->write.written_ratio >= 0)
		buf_printf(b, ", %.1f %% of it on the storage by then",
			   floor(r->write.written_ratio * 1000) / 10);
	if (phase->allocated_bytes >= 0) {
		buf_add_text(b, ", the files occupied ");
		units_add_size(b, phase->allocated_bytes);
	}
}

static void add_read_facts(const struct report *r, struct buf *b)
{
	const struct phase *phase = &r->run->read;

	/* Cut, not rounded: 100 % means all of it. */
	if (r->read.uncached_ratio >= 0)
		buf_printf(b, ", %.1f %% of it from the storage",
			   floor(r->read.uncached_ratio * 1000) / 10);
	else
		buf_add_text(b, ", how much of it came from the storage is not known");
	if (phase->resident_bytes >= 0) {
		buf_add_text(b, ", in the page cache at the start: ");
		units_add_size(b, phase->resident_bytes);
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
		buf_printf(b, ", CPU %.0f %% user and %.0f %% system of the workers' time",
			   100 * user / all, 100 * system / all);
}

static void add_phase_facts(const struct report *r, int kind, struct buf *out)
{
	const struct phase *phase = run_phase_const(r->run, kind);
	CLEANUP(buf_done) struct buf line = { 0 };

	if (phase->status == PHASE_NOT_RUN) {
		buf_add_text(&line, "not run");
	} else {
		add_moved(&line, phase, report_rates_const(r, kind));
		if (kind == PHASE_WRITE)
			add_write_facts(r, &line);
		else
			add_read_facts(r, &line);
		add_cpu(phase, &line);
	}
	layout_row(out, FACT_COLUMN, phase_kind_name(kind), "%s", buf_text(&line));
}

static void add_cores(const struct report *r, struct buf *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	layout_add_count(&line, r->plan->cores, "physical core", "physical cores");
	if (r->plan->cores_overridden == 1) {
		buf_add_text(&line, " by --cores; found: ");
		layout_add_count(&line, r->host->physical_cores, "core", "cores");
	}
	buf_add_text(&line, ", source: ");
	layout_add_text(&line, r->host->cores_source, "unknown");
	if (r->plan->workers != r->plan->cores) {
		buf_add_text(&line, "; measured with ");
		layout_add_count(&line, r->plan->workers, "worker", "workers");
	}
	layout_row(out, FACT_COLUMN, "cores", "%s", buf_text(&line));
}

static void add_size(const struct report *r, struct buf *out)
{
	static const char *const texts[] = {
		[SIZED_BY_MEMORY] = "by the memory of the host",
		[SIZED_BY_LIMIT] = "by the memory limit of the control group",
		[SIZED_BY_OPTION] = "by option",
		[SIZED_BY_SPACE] = "by the free space",
		[SIZED_BY_MEMORY_FS] = "by half of what is left of a file system in memory",
	};
	_Static_assert(ARRAY_LEN(texts) == SIZED_BY_COUNT, "a text for every way of sizing");
	CLEANUP(buf_done) struct buf line = { 0 };

	units_add_size(&line, r->plan->bytes_per_worker);
	buf_printf(&line, " a worker, %s; can be cached: ", texts[r->plan->sized_by]);
	units_add_size(&line, r->plan->cache_bytes);
	layout_row(out, FACT_COLUMN, "size", "%s", buf_text(&line));
}

static void add_io(const struct io_spec *io, struct buf *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	units_add_size(&line, io->block_bytes);
	buf_add_text(&line, " blocks");
	if (io->pages_per_transfer > 1)
		buf_printf(&line, ", %" PRId64 " in a call", io->pages_per_transfer);
	buf_printf(&line, ", %s%s, data: %s",
		   io->direct == 1 ? "O_DIRECT" : "through the page cache",
		   io->dsync == 1 ? ", O_DSYNC" : "",
		   io->data == DATA_ZEROS ? "zeros"
					  : "incompressible, different for every block and worker");
	layout_row(out, FACT_COLUMN, "i/o", "%s", buf_text(&line));
}

static void add_stayed(int64_t bytes, struct buf *b)
{
	buf_add_text(b, ", then the page cache was asked to drop the files; ");
	units_add_size(b, bytes);
	buf_add_text(b, " stayed");
}

static void add_between(const struct report *r, struct buf *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	if (r->run->read.status == PHASE_NOT_RUN)
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
	layout_row(out, FACT_COLUMN, "between", "%s", buf_text(&line));
}

static void add_after(const struct run *run, struct buf *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	if (run->remove_ns < 0)
		return;
	units_add_duration(&line, run->remove_ns);
	layout_row(out, FACT_COLUMN, "after", "%s to give the space of the files back",
		   buf_text(&line));
}

void text_add_facts(const struct report *report, struct buf *out)
{
	buf_add_text(out, "FACTS\n");
	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		add_phase_facts(report, order[i], out);
	add_between(report, out);
	add_after(report->run, out);
	add_cores(report, out);
	add_size(report, out);
	add_io(&report->plan->io, out);
	layout_row(out, FACT_COLUMN, "test files", "%s",
		   *text_of(report->run->workspace) ? report->run->workspace : "unknown");
}
