/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits - what held the rate of a phase down, and the figures that say so
 *
 * A table, asked from the top; the first row that holds is the answer. What was set on purpose
 * comes first, then the processor, then the way to the storage. That a device was busy is no
 * evidence: one request at a time keeps it busy, and an array or NVMe takes many at once.
 */
#include "limits.h"

#include <inttypes.h>
#include <math.h>

#include "io_limit.h"
#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "rounds.h"
#include "stats.h"

#define NEAR_LIMIT_RATIO 0.8
#define THROTTLED_RATIO 0.2
#define CORE_RATIO 0.9
#define HOST_CPU_RATIO 0.95
#define WAITING_CPU_RATIO 0.5
#define STALLS_PER_S 1.0
#define FLAT_VARIATION 0.015
#define FLAT_ROUNDS 10
#define FLAT_SKIP 2
#define QUEUED_IN_FLIGHT 4.0
#define QUEUED_BUSY_RATIO 0.9
#define QUEUED_CPU_RATIO 0.7
#define IDLE_IN_FLIGHT 2.0
#define CONTROL_SAME_RATIO 1.15
#define CONTROL_FASTER_RATIO 1.3

/* The facts that the rows look at; -1 or "" where they are not known. */
struct view {
	const struct report *r;
	int kind;
	const struct phase *phase;
	const struct phase_rates *rates;
	double seconds;
	double mib_per_s;   /* what is judged, of all cores */
	double cpu_ratio;   /* of the workers' time */
	const char *device; /* with most requests in flight */
	double in_flight;
	double busy_ratio;
	int control_kind; /* PHASE_COUNT: none that compares */
	double control_mib_per_s;
};

/* Counters are read a moment after the phase, so that a share can come out above all. */
static double share(double ratio)
{
	return ratio < 1 ? ratio : 1;
}

/* Leaves and topmost devices alone: what lies between counts the same requests. */
static void find_device(struct view *v)
{
	v->device = "";
	v->in_flight = -1;
	v->busy_ratio = -1;
	for (size_t i = 0; i < v->phase->n_devices; i++) {
		const struct device_count *d = &v->phase->devices[i];
		double in_flight = (double)d->queue_ns / (double)NS_PER_S / v->seconds;

		if ((d->is_leaf != 1 && d->is_top != 1) || d->queue_ns < 0 || d->busy_ns < 0 ||
		    in_flight <= v->in_flight)
			continue;
		v->device = text_of(d->name);
		v->in_flight = in_flight;
		v->busy_ratio = share(units_seconds(d->busy_ns) / v->seconds);
	}
}

/* Of a mixed phase there is no control that does the same. */
static void find_control(struct view *v)
{
	v->control_kind = PHASE_COUNT;
	v->control_mib_per_s = -1;
	if (v->kind == PHASE_WRITE)
		v->control_kind = PHASE_CONTROL_WRITE;
	if (v->kind == PHASE_READ)
		v->control_kind = PHASE_CONTROL_READ;
	if (v->control_kind == PHASE_COUNT || v->r->plan->io.direct == 1)
		return;
	if (report_rates_const(v->r, v->control_kind)->usable == 1)
		v->control_mib_per_s =
			report_rates_const(v->r, v->control_kind)->aggregate_mib_per_s;
}

static void say_control(const struct view *v, struct buf *text)
{
	const struct phase *control = run_phase_const(v->r->run, v->control_kind);

	buf_add_text(text, "O_DIRECT 1 MiB");
	if (control->depth > 0)
		buf_printf(text, ", depth %" PRId64, control->depth);
	buf_add_text(text, ": ");
	stats_add_rate(text, v->control_mib_per_s);
}

static void say_workers(const struct view *v, struct buf *text)
{
	if (v->cpu_ratio >= 0)
		buf_printf(text, "the workers used %.0f %% of a core each", 100 * v->cpu_ratio);
	else
		buf_add_text(text, "CPU time of the workers not known");
}

static void say_device(const struct view *v, struct buf *text)
{
	buf_printf(text, "%.1f requests in flight at %s", v->in_flight, v->device);
}

static bool control_is_faster(const struct view *v)
{
	return v->control_mib_per_s >= CONTROL_FASTER_RATIO * v->mib_per_s;
}

static bool control_is_same(const struct view *v)
{
	return v->control_mib_per_s >= 0 &&
	       v->control_mib_per_s <= CONTROL_SAME_RATIO * v->mib_per_s &&
	       v->control_mib_per_s >= (2 - CONTROL_SAME_RATIO) * v->mib_per_s;
}

/* Requests waited for the device, while the workers waited for them. */
static bool is_queued(const struct view *v)
{
	return v->in_flight >= QUEUED_IN_FLIGHT && v->busy_ratio >= QUEUED_BUSY_RATIO &&
	       v->cpu_ratio >= 0 && v->cpu_ratio < QUEUED_CPU_RATIO;
}

/* ------------------------------------------------------------------ the rows */

static bool check_pace(const struct view *v, struct buf *text)
{
	if (v->r->plan->mode != MODE_PROVE || stats_is_below(v->r, v->kind))
		return false;
	buf_printf(text, "the pace of %.4g MiB/s per core, which was held",
		   v->r->plan->requirement_mib_per_s);
	return true;
}

static bool check_io_limit(const struct view *v, struct buf *text)
{
	size_t len;
	const char *entry = io_limit_reached(v->r, v->kind, v->mib_per_s, &len);

	if (!entry)
		return false;
	buf_printf(text, "the control group allows %.*s; the phase did ", (int)len, entry);
	stats_add_rate(text, v->mib_per_s);
	return true;
}

/* The kernel sums over the CPUs on which the group was held. */
static bool check_cpu_quota(const struct view *v, struct buf *text)
{
	int64_t cpus = (int64_t)v->phase->n_workers;
	double ratio;

	if (v->r->host->threads > 0 && v->r->host->threads < cpus)
		cpus = v->r->host->threads;
	if (v->phase->throttled_ns < 0 || cpus < 1)
		return false;
	ratio = units_seconds(v->phase->throttled_ns) / v->seconds / (double)cpus;
	if (ratio <= THROTTLED_RATIO)
		return false;
	buf_printf(text, "the CPU quota held the workers for %.0f %% of the time",
		   100 * share(ratio));
	return true;
}

static bool check_first_touch(const struct view *v, struct buf *text)
{
	const struct phase_rates *rates = v->rates;

	if (rates->judged_by == JUDGED_UNSPOILED || rates->spoiled_ns <= rates->last_done_ns / 2)
		return false;
	buf_printf(text,
		   "first touch of memory: %d %% of the time took %.2f CPU s/GiB, the rest %.2f",
		   stats_percent(rates->spoiled_ns, rates->last_done_ns),
		   rates->spoiled_cpu_s_per_gib, rates->unspoiled_cpu_s_per_gib);
	return true;
}

static bool check_core(const struct view *v, struct buf *text)
{
	if (v->cpu_ratio < CORE_RATIO)
		return false;
	buf_add_text(text, "one core's CPU: ");
	say_workers(v, text);
	/* So that memory which is touched for the first time all along can be recognised. */
	if (v->rates->bytes > 0)
		buf_printf(text, ", %.2f CPU s/GiB",
			   v->cpu_ratio * v->seconds * (double)v->phase->n_workers /
				   units_gib(v->rates->bytes));
	return true;
}

static bool check_host_cpu(const struct view *v, struct buf *text)
{
	double ratio;

	if (v->phase->host_busy_ns < 0 || v->phase->host_cpu_ns <= 0)
		return false;
	ratio = (double)v->phase->host_busy_ns / (double)v->phase->host_cpu_ns;
	if (ratio < HOST_CPU_RATIO)
		return false;
	buf_printf(text, "all CPUs of this host were %.0f %% busy, ", 100 * share(ratio));
	say_workers(v, text);
	return true;
}

/* A limit is hit all the time where files are larger than it; it holds writers up only where
 * nothing waits at the device. */
static bool check_memory_limit(const struct view *v, struct buf *text)
{
	double stalls_per_s = (double)v->phase->memory_stalls / v->seconds;
	int64_t limit = v->r->host->memory_limit_bytes;
	int64_t dirty = v->phase->dirty_peak_bytes;
	bool is_full = limit > 0 && (double)dirty >= NEAR_LIMIT_RATIO * (double)limit;

	if (phase_kind_reads(v->kind) || v->cpu_ratio < 0 || v->cpu_ratio >= WAITING_CPU_RATIO ||
	    is_queued(v) || control_is_same(v))
		return false;
	if (stalls_per_s <= STALLS_PER_S && !is_full)
		return false;
	buf_add_text(text, "the control group's memory limit");
	if (stalls_per_s > STALLS_PER_S)
		buf_printf(text, " was hit %.0f times a second", stalls_per_s);
	if (is_full) {
		buf_add_text(text, stalls_per_s > STALLS_PER_S ? " and" : "");
		buf_add_text(text, " had ");
		units_add_size(text, dirty);
		buf_add_text(text, " of dirty pages to hold in ");
		units_add_size(text, limit);
	}
	buf_add_text(text, ", while ");
	say_workers(v, text);
	return true;
}

/* The rounds after a burst, else all but the first; those that are spoiled are left out. */
static size_t flat_from(const struct phase_rates *rates)
{
	size_t from = FLAT_SKIP;

	while (from < rates->n_rounds && (rates->rounds[from].is_spoiled == 1 ||
					  rates->rounds[from].start_ns < rates->burst_ns))
		from++;
	return from;
}

static bool check_flat_cap(const struct view *v, struct buf *text)
{
	const struct phase_rates *rates = v->rates;
	size_t from = flat_from(rates);
	size_t n = from < rates->n_rounds ? rates->n_rounds - from : 0;
	double sum = 0;
	double squares = 0;
	double mean;
	double variation;

	if (n < FLAT_ROUNDS || control_is_faster(v))
		return false;
	for (size_t i = from; i < rates->n_rounds; i++)
		sum += rates->rounds[i].mib_per_s;
	mean = sum / (double)n;
	for (size_t i = from; i < rates->n_rounds; i++)
		squares +=
			(rates->rounds[i].mib_per_s - mean) * (rates->rounds[i].mib_per_s - mean);
	variation = mean > 0 ? sqrt(squares / (double)(n - 1)) / mean : 1;
	if (!(variation < FLAT_VARIATION))
		return false;
	buf_printf(text, "a flat cap, as a configured limit makes it: %zu rounds at ", n);
	stats_add_rate(text, mean);
	buf_printf(text, ", which varied by %.1f %%", 100 * variation);
	return true;
}

static bool check_device(const struct view *v, struct buf *text)
{
	if (control_is_faster(v))
		return false;
	if (is_queued(v)) {
		say_device(v, text);
		buf_printf(text, ", which was %.0f %% busy, while ", 100 * v->busy_ratio);
		say_workers(v, text);
	}
	if (control_is_same(v)) {
		buf_add_text(text, text->len ? "; " : "");
		say_control(v, text);
		buf_add_text(text, ", so it is not the page cache or the file system");
	}
	return text->len > 0;
}

static bool check_host(const struct view *v, struct buf *text)
{
	if (!control_is_faster(v) || v->mib_per_s <= 0)
		return false;
	say_control(v, text);
	buf_printf(text,
		   ", %.0f %% more than the phase: the page cache or the file system is the limit",
		   100 * (v->control_mib_per_s / v->mib_per_s - 1));
	return true;
}

static bool check_dirty(const struct view *v, struct buf *text)
{
	int64_t limit = v->r->host->dirty_limit_bytes;
	int64_t peak = v->phase->dirty_peak_bytes;

	if (phase_kind_reads(v->kind) || limit <= 0 || v->in_flight < 0 ||
	    v->in_flight >= IDLE_IN_FLIGHT || (double)peak < NEAR_LIMIT_RATIO * (double)limit)
		return false;
	buf_add_text(text, "dirty pages: up to ");
	units_add_size(text, peak);
	buf_add_text(text, " waited for write-back (");
	units_add_size(text, limit);
	buf_add_text(text, " hold writers up), with ");
	say_device(v, text);
	return true;
}

static bool check_unknown(const struct view *v, struct buf *text)
{
	buf_add_text(text, "not attributable: ");
	say_workers(v, text);
	if (v->in_flight >= 0) {
		buf_add_text(text, ", ");
		say_device(v, text);
		buf_printf(text, ", which was %.0f %% busy", 100 * v->busy_ratio);
	} else {
		buf_add_text(text, ", no device tells how much was in flight");
	}
	if (v->control_mib_per_s >= 0) {
		buf_add_text(text, "; ");
		say_control(v, text);
	}
	return true;
}

static const struct {
	const char *id;
	bool (*holds)(const struct view *v, struct buf *text);
} rows[] = {
	{ "pace", check_pace },
	{ "io-limit", check_io_limit },
	{ "cpu-quota", check_cpu_quota },
	{ "first-touch", check_first_touch },
	{ "core", check_core },
	{ "host-cpu", check_host_cpu },
	{ "memory-limit", check_memory_limit },
	{ "flat-cap", check_flat_cap },
	{ "device", check_device },
	{ "host", check_host },
	{ "dirty", check_dirty },
	{ "unknown", check_unknown },
};

void limits_fill(struct report *report, int phase_kind)
{
	struct phase_rates *rates = report_rates(report, phase_kind);
	struct view v = { .r = report, .kind = phase_kind, .rates = rates };

	if (!stats_is_judged(report, phase_kind))
		return;
	v.phase = run_phase_const(report->run, phase_kind);
	v.seconds = units_seconds(rates->elapsed_ns);
	v.mib_per_s = rates->judged_mib_per_s_per_core * (double)report->plan->cores;
	v.cpu_ratio = stats_cpu_ratio(v.phase);
	find_device(&v);
	find_control(&v);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(buf_done) struct buf text = { 0 };

		if (!rows[i].holds(&v, &text))
			continue;
		xstr_set(&rates->limited_by, rows[i].id);
		xstr_set(&rates->limited_text, buf_text(&text));
		return;
	}
}
