/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits_view - the figures of a phase that tell what limited it, and how they are worded
 */
#include "limits_view.h"

#include <inttypes.h>
#include <math.h>

#include "foreign.h"
#include "iotest/compiler.h"
#include "iotest/units.h"
#include "stats.h"

#define QUEUED_IN_FLIGHT 4.0
#define QUEUED_BUSY_RATIO 0.9
#define QUEUED_CPU_RATIO 0.7
#define IDLE_IN_FLIGHT 1.0
#define IDLE_BUSY_RATIO 0.5
#define CONTROL_SAME_RATIO 1.15
#define CONTROL_FASTER_RATIO 1.3

double limit_share(double ratio)
{
	return ratio < 1 ? ratio : 1;
}

double limit_percent(double ratio)
{
	return floor(100 * ratio + 1e-9);
}

/* Leaves and topmost devices alone: what lies between counts the same requests. */
static struct limit_device find_device(const struct limit_view *v, bool is_top_only)
{
	struct limit_device most = { .name = "", .in_flight = -1, .busy_ratio = -1 };

	for (size_t i = 0; i < v->phase->n_devices; i++) {
		const struct device_count *d = &v->phase->devices[i];
		double in_flight = (double)d->queue_ns / (double)NS_PER_S / v->seconds;

		if ((d->is_top != 1 && (is_top_only || d->is_leaf != 1)) || d->queue_ns < 0 ||
		    d->busy_ns < 0 || in_flight <= most.in_flight)
			continue;
		most.name = text_of(d->name);
		most.in_flight = in_flight;
		most.busy_ratio = limit_share(units_seconds(d->busy_ns) / v->seconds);
	}
	return most;
}

/* Of a mixed phase there is no control that does the same. */
static void find_control(struct limit_view *v)
{
	const struct phase_rates *control;

	v->control_kind = PHASE_COUNT;
	v->control_mib_per_s = -1;
	if (v->kind == PHASE_WRITE)
		v->control_kind = PHASE_CONTROL_WRITE;
	if (v->kind == PHASE_READ)
		v->control_kind = PHASE_CONTROL_READ;
	if (v->control_kind == PHASE_COUNT || v->r->plan->io.direct == 1)
		return;
	control = report_rates_const(v->r, v->control_kind);
	if (control->usable == 1 && control->elapsed_ns >= CONTROL_COMPARED_NS)
		v->control_mib_per_s = control->aggregate_mib_per_s;
}

static void find_calls(struct limit_view *v)
{
	double ns = 0;
	double calls = 0;

	v->await_ns = phase_kind_reads(v->kind) ? (double)v->rates->device_read_await_ns
						: (double)v->rates->device_write_await_ns;
	for (size_t i = 0; i < v->phase->n_call_times; i++) {
		const struct call_time *c = &v->phase->call_times[i];

		if (c->ns < 0 || c->calls < 0)
			continue;
		ns += (double)c->ns * (double)c->calls;
		calls += (double)c->calls;
	}
	v->call_ns = calls > 0 ? ns / calls : -1;
}

void limit_view_make(const struct report *r, int phase_kind, struct limit_view *out)
{
	struct limit_view v = { .r = r, .kind = phase_kind };

	v.phase = run_phase_const(r->run, phase_kind);
	v.rates = report_rates_const(r, phase_kind);
	v.seconds = units_seconds(v.rates->elapsed_ns);
	v.mib_per_s = v.rates->judged_mib_per_s_per_core * (double)r->plan->cores;
	v.cpu_ratio = stats_cpu_ratio(v.phase);
	v.foreign_ratio = v.rates->foreign_ratio;
	v.foreign_device = text_of(v.rates->foreign_device);
	v.device = find_device(&v, false);
	v.top = find_device(&v, true);
	find_control(&v);
	find_calls(&v);
	*out = v;
}

void limit_say_control(const struct limit_view *v, struct buf *text)
{
	const struct phase *control = run_phase_const(v->r->run, v->control_kind);

	buf_add_text(text, "O_DIRECT 1 MiB");
	if (control->depth > 0)
		buf_printf(text, ", depth %" PRId64, control->depth);
	buf_add_text(text, v->control_kind == PHASE_CONTROL_WRITE ? ", overwriting: " : ": ");
	stats_add_rate(text, v->control_mib_per_s);
}

void limit_say_workers(const struct limit_view *v, struct buf *text)
{
	if (v->cpu_ratio >= 0)
		buf_printf(text, "the workers used %.0f %% of a core each",
			   limit_percent(v->cpu_ratio));
	else
		buf_add_text(text, "CPU time of the workers not known");
}

void limit_say_device(const struct limit_device *d, struct buf *text)
{
	buf_printf(text, "%.1f requests in flight at %s", d->in_flight, d->name);
}

bool limit_control_is_faster(const struct limit_view *v)
{
	return v->control_mib_per_s >= CONTROL_FASTER_RATIO * v->mib_per_s;
}

bool limit_control_is_same(const struct limit_view *v)
{
	return v->control_mib_per_s >= 0 &&
	       v->control_mib_per_s <= CONTROL_SAME_RATIO * v->mib_per_s &&
	       v->control_mib_per_s >= (2 - CONTROL_SAME_RATIO) * v->mib_per_s;
}

bool limit_is_queued(const struct limit_view *v)
{
	return v->device.in_flight >= QUEUED_IN_FLIGHT &&
	       v->device.busy_ratio >= QUEUED_BUSY_RATIO && v->cpu_ratio >= 0 &&
	       v->cpu_ratio < QUEUED_CPU_RATIO;
}

bool limit_is_idle(const struct limit_view *v)
{
	return v->top.in_flight >= 0 && v->top.in_flight < IDLE_IN_FLIGHT &&
	       v->top.busy_ratio < IDLE_BUSY_RATIO;
}

void limit_say_busy(const struct limit_device *d, struct buf *text)
{
	buf_printf(text, ", which was %.0f %% busy", limit_percent(d->busy_ratio));
}

void limit_say_others(const struct limit_view *v, struct buf *text)
{
	if (v->foreign_ratio > FOREIGN_RATIO_MAX)
		buf_printf(text, " (%.0f %% of the bytes at %s were not ours)",
			   limit_percent(v->foreign_ratio), v->foreign_device);
}
