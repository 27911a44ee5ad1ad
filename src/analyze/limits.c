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

#include "first_touch.h"
#include "io_limit.h"
#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "limits_view.h"
#include "rounds.h"
#include "stats.h"

#define NEAR_LIMIT_RATIO 0.8
#define CAP_REACHED_RATIO 0.95
#define THROTTLED_RATIO 0.2
#define CORE_RATIO 0.9
#define HOST_CPU_RATIO 0.95
#define WAITING_CPU_RATIO 0.5
#define STALLS_PER_S 1.0
#define FLAT_VARIATION 0.015
#define FLAT_ROUNDS 10
#define FLAT_SKIP 2
#define QUEUE_IN_FLIGHT 2.0
/* An average over less says little; what was set on purpose is counted exactly. */
#define SHORTEST_S 2.0
#define LATENCY_CALL_RATIO 0.6
#define LATENCY_IN_FLIGHT 1.25
#define MOSTLY_OTHERS_RATIO 0.5

/* ------------------------------------------------------------------ the rows */

static bool check_pace(const struct limit_view *v, struct buf *text)
{
	if (v->r->plan->mode != MODE_PROVE || stats_is_below(v->r, v->kind))
		return false;
	buf_printf(text, "the pace of %.4g MiB/s per core, which was held",
		   v->r->plan->requirement_mib_per_s);
	return true;
}

/* Near it, and not above it by more than what rounding makes of a short phase. */
static bool check_cap(const struct limit_view *v, struct buf *text)
{
	double cap = plan_cap_mib_per_s(v->r->plan);

	if (cap <= 0 || v->mib_per_s < CAP_REACHED_RATIO * cap)
		return false;
	buf_printf(text, "--max-rate, which leaves %.4g MiB/s to all workers; the phase did ", cap);
	stats_add_rate(text, v->mib_per_s);
	return true;
}

static bool check_io_limit(const struct limit_view *v, struct buf *text)
{
	return io_limit_reached(v->r, v->kind, v->mib_per_s, text);
}

/* The kernel sums over the CPUs on which the group was held. */
static bool check_cpu_quota(const struct limit_view *v, struct buf *text)
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
		   limit_percent(limit_share(ratio)));
	return true;
}

static void say_figures(const struct limit_view *v, struct buf *text)
{
	limit_say_workers(v, text);
	if (v->device.in_flight >= 0) {
		buf_add_text(text, ", ");
		limit_say_device(&v->device, text);
		limit_say_busy(&v->device, text);
	} else {
		buf_add_text(text, ", no device tells how much was in flight");
	}
	limit_say_others(v, text);
	if (v->control_mib_per_s >= 0) {
		buf_add_text(text, "; ");
		limit_say_control(v, text);
	}
}

static bool check_short(const struct limit_view *v, struct buf *text)
{
	if (v->seconds >= SHORTEST_S)
		return false;
	buf_printf(text,
		   "too short to attribute (%.2f s, at least %.0f s are needed): ", v->seconds,
		   SHORTEST_S);
	say_figures(v, text);
	return true;
}

static bool check_first_touch(const struct limit_view *v, struct buf *text)
{
	const struct phase_rates *rates = v->rates;

	if (v->cpu_ratio < FIRST_TOUCH_CPU_RATIO)
		return false;
	if (rates->judged_by == JUDGED_UNSPOILED || rates->spoiled_ns <= rates->last_done_ns / 2)
		return false;
	buf_printf(text,
		   "first touch of memory: %d %% of the time took %.2f CPU s/GiB, the rest %.2f",
		   stats_percent(rates->spoiled_ns, rates->last_done_ns),
		   rates->spoiled_cpu_s_per_gib, rates->unspoiled_cpu_s_per_gib);
	return true;
}

static bool check_core(const struct limit_view *v, struct buf *text)
{
	if (v->cpu_ratio < CORE_RATIO)
		return false;
	buf_add_text(text, "one core's CPU: ");
	limit_say_workers(v, text);
	/* So that memory which is touched for the first time all along can be recognised. */
	if (v->rates->bytes > 0)
		buf_printf(text, ", %.2f CPU s/GiB",
			   v->cpu_ratio * v->seconds * (double)v->phase->n_workers /
				   units_gib(v->rates->bytes));
	return true;
}

static bool check_host_cpu(const struct limit_view *v, struct buf *text)
{
	double ratio;

	if (v->phase->host_busy_ns < 0 || v->phase->host_cpu_ns <= 0)
		return false;
	ratio = (double)v->phase->host_busy_ns / (double)v->phase->host_cpu_ns;
	if (ratio < HOST_CPU_RATIO)
		return false;
	buf_printf(text, "all CPUs of this host were %.0f %% busy, ",
		   limit_percent(limit_share(ratio)));
	limit_say_workers(v, text);
	return true;
}

/* That a limit is hit is no evidence: memory is taken back from pages that are clean, too, and
 * nobody waits. Writers wait where most of it is dirty, while little waits at the device. */
static bool check_memory_limit(const struct limit_view *v, struct buf *text)
{
	double stalls_per_s = (double)v->phase->memory_stalls / v->seconds;
	int64_t limit = v->r->host->memory_limit_bytes;
	int64_t dirty = v->phase->group_dirty_peak_bytes;

	if (phase_kind_reads(v->kind) || v->cpu_ratio < 0 || v->cpu_ratio >= WAITING_CPU_RATIO ||
	    v->device.in_flight < 0 || v->device.in_flight >= QUEUE_IN_FLIGHT ||
	    limit_control_is_same(v))
		return false;
	if (limit <= 0 || (double)dirty < NEAR_LIMIT_RATIO * (double)limit)
		return false;
	buf_add_text(text, "the control group's memory limit: up to ");
	units_add_size(text, dirty);
	buf_add_text(text, " of its ");
	units_add_size(text, limit);
	buf_add_text(text, " were dirty pages");
	if (stalls_per_s > STALLS_PER_S)
		buf_printf(text, ", it was hit %.0f times a second", stalls_per_s);
	buf_add_text(text, ", while ");
	limit_say_workers(v, text);
	buf_add_text(text, ", with ");
	limit_say_device(&v->device, text);
	return true;
}

/* After a burst, else all but the first; those that are spoiled are left out. */
static bool can_be_flat(const struct phase_rates *rates, size_t i)
{
	return i >= FLAT_SKIP && rates->rounds[i].is_spoiled != 1 &&
	       rates->rounds[i].start_ns >= rates->burst_ns;
}

static bool check_flat_cap(const struct limit_view *v, struct buf *text)
{
	const struct phase_rates *rates = v->rates;
	size_t n = 0;
	double sum = 0;
	double squares = 0;
	double mean;
	double variation;

	for (size_t i = 0; i < rates->n_rounds; i++) {
		sum += can_be_flat(rates, i) ? rates->rounds[i].mib_per_s : 0;
		n += can_be_flat(rates, i);
	}
	if (n < FLAT_ROUNDS || limit_control_is_faster(v))
		return false;
	mean = sum / (double)n;
	for (size_t i = 0; i < rates->n_rounds; i++) {
		double off = rates->rounds[i].mib_per_s - mean;

		squares += can_be_flat(rates, i) ? off * off : 0;
	}
	variation = mean > 0 ? sqrt(squares / (double)(n - 1)) / mean : 1;
	if (!(variation < FLAT_VARIATION))
		return false;
	buf_printf(text, "a flat cap, as a configured limit makes it: %zu rounds at ", n);
	stats_add_rate(text, mean);
	buf_printf(text, ", which varied by %.1f %%", 100 * variation);
	limit_say_others(v, text);
	return true;
}

/* Whoever holds the requests, the device does not. */
static bool check_above_device(const struct limit_view *v, struct buf *text)
{
	if (!limit_control_is_same(v) || !limit_is_idle(v) || v->cpu_ratio < 0 ||
	    v->cpu_ratio >= WAITING_CPU_RATIO)
		return false;
	buf_add_text(text, "something between the file system and the device, such as a throttle "
			   "or a cap on operations: ");
	limit_say_control(v, text);
	buf_add_text(text, ", the same, with ");
	limit_say_device(&v->top, text);
	limit_say_busy(&v->top, text);
	return true;
}

static void say_time(double ns, struct buf *text)
{
	if (ns < 10e6)
		buf_printf(text, "%.0f us", ns / 1e3);
	else
		buf_printf(text, "%.1f ms", ns / 1e6);
}

/* With O_DIRECT a worker has one request under way, and waits for it. */
static bool check_latency(const struct limit_view *v, struct buf *text)
{
	double workers = (double)v->phase->n_workers;

	if (v->r->plan->io.direct != 1 || v->kind == PHASE_MIXED || v->call_ns <= 0 ||
	    v->await_ns < LATENCY_CALL_RATIO * v->call_ns || v->top.in_flight < 0 ||
	    v->top.in_flight > LATENCY_IN_FLIGHT * workers || v->cpu_ratio < 0 ||
	    v->cpu_ratio >= WAITING_CPU_RATIO)
		return false;
	buf_add_text(text, "the time that one request takes, of which each worker has one at a "
			   "time: a call took ");
	say_time(v->call_ns, text);
	buf_add_text(text, " on average, the device ");
	say_time(v->await_ns, text);
	buf_add_text(text, ", with ");
	limit_say_device(&v->top, text);
	limit_say_busy(&v->top, text);
	limit_say_others(v, text);
	return true;
}

static bool check_others(const struct limit_view *v, struct buf *text)
{
	if (!limit_is_queued(v) || v->foreign_ratio < MOSTLY_OTHERS_RATIO)
		return false;
	buf_printf(text, "others, who moved %.0f %% of the bytes at %s: ",
		   limit_percent(v->foreign_ratio), v->foreign_device);
	limit_say_device(&v->device, text);
	limit_say_busy(&v->device, text);
	buf_add_text(text, ", while ");
	limit_say_workers(v, text);
	return true;
}

static bool check_device(const struct limit_view *v, struct buf *text)
{
	bool is_same = limit_control_is_same(v) && !limit_is_idle(v);

	if (limit_control_is_faster(v))
		return false;
	if (limit_is_queued(v)) {
		limit_say_device(&v->device, text);
		limit_say_busy(&v->device, text);
		limit_say_others(v, text);
		buf_add_text(text, ", while ");
		limit_say_workers(v, text);
	}
	if (is_same) {
		buf_add_text(text, text->len ? "; " : "");
		limit_say_control(v, text);
		buf_add_text(text, ", so it is not the page cache or the file system");
		if (!limit_is_queued(v))
			limit_say_others(v, text);
	}
	return text->len > 0;
}

static void say_faster(const struct limit_view *v, const char *what, struct buf *text)
{
	limit_say_control(v, text);
	buf_printf(text, ", %.0f %% more than the phase: %s is the limit",
		   limit_percent(v->control_mib_per_s / v->mib_per_s - 1), what);
}

static bool check_host(const struct limit_view *v, struct buf *text)
{
	if (!limit_control_is_faster(v) || v->mib_per_s <= 0 || !phase_kind_reads(v->kind))
		return false;
	say_faster(v, "the page cache or the file system", text);
	return true;
}

/* The control overwrites what the phase has allocated, in the file system and in thin storage. */
static bool check_first_write(const struct limit_view *v, struct buf *text)
{
	if (!limit_control_is_faster(v) || v->mib_per_s <= 0 || phase_kind_reads(v->kind))
		return false;
	say_faster(v,
		   "the page cache, the file system, or the first write of space (by the file "
		   "system, or thin storage below)",
		   text);
	return true;
}

static bool check_dirty(const struct limit_view *v, struct buf *text)
{
	int64_t limit = v->r->host->dirty_limit_bytes;
	int64_t peak = v->phase->dirty_peak_bytes;

	if (phase_kind_reads(v->kind) || limit <= 0 || v->device.in_flight < 0 ||
	    v->device.in_flight >= QUEUE_IN_FLIGHT ||
	    (double)peak < NEAR_LIMIT_RATIO * (double)limit)
		return false;
	buf_add_text(text, "dirty pages: up to ");
	units_add_size(text, peak);
	buf_add_text(text, " waited for write-back (");
	units_add_size(text, limit);
	buf_add_text(text, " hold writers up), with ");
	limit_say_device(&v->device, text);
	return true;
}

static bool check_unknown(const struct limit_view *v, struct buf *text)
{
	buf_add_text(text, "not attributable: ");
	say_figures(v, text);
	return true;
}

static const struct {
	const char *id;
	bool (*holds)(const struct limit_view *v, struct buf *text);
} rows[] = {
	{ "pace", check_pace },
	{ "max-rate", check_cap },
	{ "io-limit", check_io_limit },
	{ "cpu-quota", check_cpu_quota },
	{ "unknown", check_short },
	{ "first-touch", check_first_touch },
	{ "core", check_core },
	{ "host-cpu", check_host_cpu },
	{ "memory-limit", check_memory_limit },
	{ "flat-cap", check_flat_cap },
	{ "above-device", check_above_device },
	{ "latency", check_latency },
	{ "others", check_others },
	{ "device", check_device },
	{ "host", check_host },
	{ "first-write", check_first_write },
	{ "dirty", check_dirty },
	{ "unknown", check_unknown },
};

void limits_fill(struct report *report, int phase_kind)
{
	struct phase_rates *rates = report_rates(report, phase_kind);
	struct limit_view v;

	if (!stats_is_judged(report, phase_kind))
		return;
	limit_view_make(report, phase_kind, &v);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(buf_done) struct buf text = { 0 };

		if (!rows[i].holds(&v, &text))
			continue;
		xstr_set(&rates->limited_by, rows[i].id);
		xstr_set(&rates->limited_text, buf_text(&text));
		return;
	}
}
