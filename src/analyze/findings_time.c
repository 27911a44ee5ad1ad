/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings_time - judgements about how the time was spent
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "findings.h"
#include "first_touch.h"
#include "iotest/series.h"
#include "iotest/units.h"
#include "rounds.h"
#include "stats.h"

/* A worker that took this many times as long as the fastest drags the aggregate. */
#define STRAGGLER_RATIO 0.5
/* Starts further apart than this share of the phase are no longer "at the same time". */
#define SKEW_RATIO 0.05
/* The scripts' mean and the aggregate are told apart from here. */
#define MEAN_RATIO 1.10
/* A storage under load that gives no sign for so long has stood still. */
#define STILL_NS (5 * NS_PER_S)
/* Samples are taken four times a second; a gap like this had a cause. */
#define GAP_NS_MAX (2 * NS_PER_S)
/* This near to the requirement one run decides little. */
#define NEAR_RATIO 0.10

/* Between the parts of a sentence that is about several phases. */
static void say_between(struct buf *text)
{
	if (text->len)
		buf_add_text(text, "; ");
}

static bool check_stragglers(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase_rates *rates = report_rates_const(r, kind);

		if (stats_is_control(kind) || rates->usable != 1 || rates->slowest_mib_per_s < 0)
			continue;
		if (rates->slowest_mib_per_s >= STRAGGLER_RATIO * rates->fastest_mib_per_s)
			continue;
		buf_printf(text, "%s%s worker %" PRId64 " did %.1f MiB/s, worker %" PRId64 " %.1f",
			   text->len ? "; " : "", phase_kind_name(kind), rates->slowest_worker,
			   rates->slowest_mib_per_s, rates->fastest_worker,
			   rates->fastest_mib_per_s);
	}
	buf_add_text(advice, "the storage, a limit or load on this host served them unevenly; the "
			     "aggregate counts until the last one is done");
	return text->len > 0;
}

static bool check_skew(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase_rates *rates = report_rates_const(r, kind);

		if (stats_is_control(kind) || !stats_is_long_enough(rates) ||
		    !phase_is_measured(run_phase_const(r->run, kind)))
			continue;
		if ((double)rates->start_skew_ns <= SKEW_RATIO * (double)rates->elapsed_ns)
			continue;
		buf_printf(text, "%sthe %s workers started up to %.3f s apart",
			   text->len ? "; " : "", phase_kind_name(kind),
			   units_seconds(rates->start_skew_ns));
	}
	buf_add_text(advice, r->plan->workers > r->host->threads
				     ? "there are more workers than hardware threads"
				     : "the machine was busy; run it again when it is quiet");
	return text->len > 0;
}

static bool check_mean(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase_rates *rates = report_rates_const(r, kind);
		double mean = rates->mean_mib_per_s_per_worker * (double)r->plan->workers /
			      (double)(r->plan->cores > 0 ? r->plan->cores : 1);

		if (stats_is_control(kind) || rates->usable != 1 ||
		    mean <= MEAN_RATIO * rates->mib_per_s_per_core)
			continue;
		buf_printf(text,
			   "%s%s: the scripts' mean says %.1f, all bytes over all time %.1f MiB/s "
			   "per core",
			   text->len ? "; " : "", phase_kind_name(kind), mean,
			   rates->mib_per_s_per_core);
	}
	buf_add_text(advice, "the mean hides the workers that finish last, so it is not judged");
	return text->len > 0;
}

static bool check_stuck(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase *phase = run_phase_const(r->run, kind);

		if (phase->status != PHASE_STUCK)
			continue;
		say_between(text);
		buf_printf(text,
			   "the storage did not answer: a call of the %s phase had not come back ",
			   phase_kind_name(kind));
		if (phase->n_series) {
			buf_add_text(text, "when it was given up after ");
			units_add_duration(text, phase->series[phase->n_series - 1].at_ns);
		} else {
			buf_add_text(text, "in time");
		}
		if (phase->still_ns >= 0) {
			buf_add_text(text, "; nothing had moved for ");
			units_add_duration(text, phase->still_ns);
		}
	}
	buf_add_text(advice, "look at the kernel log and at the paths to the storage");
	return text->len > 0;
}

static void say_mib(struct buf *text, double mib_per_s)
{
	buf_printf(text, "%.*f", mib_per_s >= 100 ? 0 : 1, mib_per_s);
}

static bool check_cliff(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase_rates *rates = report_rates_const(r, kind);

		if (stats_is_control(kind) || rates->usable != 1 || rates->sustained_mib_per_s < 0)
			continue;
		say_between(text);
		buf_printf(text, "%s fell from ", phase_kind_name(kind));
		say_mib(text, rates->burst_mib_per_s);
		buf_add_text(text, " to ");
		stats_add_rate(text, rates->sustained_mib_per_s);
		buf_add_text(text, " after ");
		units_add_size(text, rates->burst_bytes);
		buf_add_text(text, " (");
		units_add_duration(text, rates->burst_ns);
		buf_add_text(text, "): plan with ");
		/* All of it can be slower still, by those that finish last. */
		say_mib(text, rates->sustained_mib_per_s < rates->aggregate_mib_per_s
				      ? rates->sustained_mib_per_s
				      : rates->aggregate_mib_per_s);
	}
	buf_add_text(advice, "a cache that was full, a slower tier, a limit or burst credits that "
			     "ran out: a host cannot tell which");
	return text->len > 0;
}

/* Less than this share of the phase is not worth a word. */
#define TOUCH_SHARE_MIN 0.05

/* On KVM memory that is touched for the first time takes 1.4 s and more; a copy 0.3 s. */
#define TOUCH_CPU_S_PER_GIB 1.0

static void say_spoiled(const struct phase_rates *rates, int kind, struct buf *text)
{
	buf_printf(text, "%d %% of the time of %s took %.2f CPU s/GiB, the rest %.2f: ",
		   stats_percent(rates->spoiled_ns, rates->last_done_ns), phase_kind_name(kind),
		   rates->spoiled_cpu_s_per_gib, rates->unspoiled_cpu_s_per_gib);
	stats_add_rate(text, rates->aggregate_mib_per_s);
	buf_add_text(text, " in all, ");
	if (rates->unspoiled_mib_per_s >= 0) {
		stats_add_rate(text, rates->unspoiled_mib_per_s);
		buf_add_text(text, " without that time");
	} else {
		buf_add_text(text, "and too little is left without that time");
	}
}

/* From beginning to end there is nothing to compare with: a slow core looks the same. */
static bool is_costly(const struct report *r, const struct phase_rates *rates)
{
	double cpu_s = rates->unspoiled_cpu_s_per_gib * units_gib(rates->bytes);
	double time_s = units_seconds(rates->elapsed_ns) * (double)r->plan->workers;

	return *text_of(r->host->os.hypervisor) && rates->spoiled_ns == 0 &&
	       rates->unspoiled_cpu_s_per_gib > TOUCH_CPU_S_PER_GIB &&
	       cpu_s > FIRST_TOUCH_CPU_RATIO * time_s;
}

static bool check_first_touch(const struct report *r, struct buf *text, struct buf *advice)
{
	const char *hypervisor = text_of(r->host->os.hypervisor);

	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase_rates *rates = report_rates_const(r, kind);
		bool is_spoiled =
			(double)rates->spoiled_ns >= TOUCH_SHARE_MIN * (double)rates->last_done_ns;

		if (stats_is_control(kind) || rates->usable != 1 || rates->spoiled_ns < 0)
			continue;
		if (rates->spoiled_ns > 0 && is_spoiled) {
			say_between(text);
			say_spoiled(rates, kind, text);
		} else if (is_costly(r, rates)) {
			say_between(text);
			buf_printf(text, "%s took %.2f CPU s/GiB from beginning to end",
				   phase_kind_name(kind), rates->unspoiled_cpu_s_per_gib);
		}
	}
	if (!text->len)
		return false;
	buf_add_text(text, "; so it is where memory is touched for the first time");
	if (*hypervisor)
		buf_printf(text, ", which the hypervisor (%s) has to provide", hypervisor);
	buf_add_text(advice, "a run right after this one finds the memory in place");
	return true;
}

/* A phase with a lasting fall is told of by that. */
static bool is_same_moment(const struct series_point *a, const struct series_point *b)
{
	return a->bytes == b->bytes && a->device_written_bytes == b->device_written_bytes &&
	       a->device_read_bytes == b->device_read_bytes;
}

/* The longest time of a phase in which neither a worker nor a device moved a byte. */
static int64_t longest_still_ns(const struct phase *phase)
{
	int64_t longest = 0;
	size_t since = 0;

	for (size_t i = 1; i < phase->n_series; i++) {
		int64_t ns;

		if (!is_same_moment(&phase->series[since], &phase->series[i]))
			since = i;
		ns = phase->series[i].at_ns - phase->series[since].at_ns;
		longest = ns > longest ? ns : longest;
	}
	return longest;
}

static bool check_stood_still(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase *phase = run_phase_const(r->run, kind);
		int64_t ns = longest_still_ns(phase);

		if (!phase_is_measured(phase) || ns < STILL_NS)
			continue;
		say_between(text);
		buf_printf(text, "nothing moved for ");
		units_add_duration(text, ns);
		buf_printf(text, " of the %s phase", phase_kind_name(kind));
	}
	buf_add_text(advice, "calls hung: look at the kernel log and at the paths to the storage");
	return text->len > 0;
}

static bool check_not_steady(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase_rates *rates = report_rates_const(r, kind);

		if (stats_is_control(kind) || rates->usable != 1 || rates->is_steady != 0 ||
		    rates->sustained_mib_per_s >= 0 || rates->steady_range_ratio <= 0)
			continue;
		say_between(text);
		buf_printf(text,
			   "the last %d rounds of %s lie within %.0f %% of their average, and "
			   "their trend is %.0f %%",
			   SERIES_WINDOW, phase_kind_name(kind), 100 * rates->steady_range_ratio,
			   100 * rates->steady_slope_ratio);
	}
	if (!text->len)
		return false;
	buf_printf(text, " (steady: %.0f and %.0f %%)", 100 * SERIES_RANGE_RATIO_MAX,
		   100 * SERIES_SLOPE_RATIO_MAX);
	buf_add_text(advice, "the rate was still changing; several runs (--repeat) show by how "
			     "much it differs");
	return true;
}

static bool check_clock(const struct report *r, struct buf *text, struct buf *advice UNUSED)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase *phase = run_phase_const(r->run, kind);

		if (phase->clock_step_ns < CLOCK_NOISE_NS)
			continue;
		say_between(text);
		buf_add_text(text, "the wall clock was set by ");
		units_add_duration(text, phase->clock_step_ns);
		buf_printf(text, " during the %s phase", phase_kind_name(kind));
	}
	if (!text->len)
		return false;
	buf_add_text(text, "; all rates are by the monotonic clock");
	return true;
}

static bool check_suspended(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase *phase = run_phase_const(r->run, kind);

		if (phase->suspended_ns < CLOCK_NOISE_NS)
			continue;
		say_between(text);
		buf_add_text(text, "the machine slept for ");
		units_add_duration(text, phase->suspended_ns);
		buf_printf(text, " during the %s phase", phase_kind_name(kind));
	}
	buf_add_text(advice, "run it again while the machine stays awake");
	return text->len > 0;
}

static bool check_stopped(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase *phase = run_phase_const(r->run, kind);
		size_t worst = 0;

		for (size_t i = 1; i < phase->n_workers; i++)
			if (phase->workers[i].stopped_ns > phase->workers[worst].stopped_ns)
				worst = i;
		if (phase->n_workers == 0 || phase->workers[worst].stopped_ns <= 0)
			continue;
		say_between(text);
		buf_printf(text, "%s worker %zu was stopped by a signal for ",
			   phase_kind_name(kind), worst + 1);
		units_add_duration(text, phase->workers[worst].stopped_ns);
	}
	buf_add_text(advice, "somebody stopped it (SIGSTOP, a debugger, a frozen control group); "
			     "run it again");
	return text->len > 0;
}

/* A machine that sleeps takes no samples. */
static bool check_gap(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase *phase = run_phase_const(r->run, kind);

		if (phase->longest_gap_ns <= GAP_NS_MAX || phase->suspended_ns >= CLOCK_NOISE_NS)
			continue;
		say_between(text);
		buf_add_text(text, "iotest itself was held up for ");
		units_add_duration(text, phase->longest_gap_ns);
		buf_printf(text, " in the %s phase", phase_kind_name(kind));
	}
	buf_add_text(advice,
		     "the machine was out of CPU or memory, or was paused from outside; what "
		     "happened in that time is seen as one step");
	return text->len > 0;
}

static bool check_ended_steady(const struct report *r, struct buf *text, struct buf *advice UNUSED)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase *phase = run_phase_const(r->run, kind);

		if (phase->status != PHASE_STEADY)
			continue;
		say_between(text);
		buf_printf(text, "%s ended after ", phase_kind_name(kind));
		units_add_size(text, report_rates_const(r, kind)->bytes);
		buf_add_text(text, " of ");
		units_add_size(text, phase->planned_bytes);
	}
	if (!text->len)
		return false;
	buf_add_text(text, ", when its rate was steady");
	return true;
}

/* Why a phase failed, as far as it is known. */
static void say_failure(const struct phase *phase, struct buf *text)
{
	if (text_of(phase->failure)[0]) {
		buf_add_text(text, ": ");
		buf_add_visible(text, phase->failure);
		return;
	}
	for (size_t i = 0; i < phase->n_workers; i++) {
		const struct worker_result *w = &phase->workers[i];

		if (w->error <= 0 && w->exit_signal > 0) {
			buf_printf(text, ": worker %zu was ended by signal %" PRId64, i + 1,
				   w->exit_signal);
			return;
		}
		if (w->error <= 0)
			continue;
		buf_printf(text, ": %s at offset %" PRId64 ": %s", worker_op_name(w->error_op),
			   w->error_offset_bytes, strerror((int)w->error));
		return;
	}
}

static bool check_control_failed(const struct report *r, struct buf *text,
				 struct buf *advice UNUSED)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase *phase = run_phase_const(r->run, kind);

		if (!stats_is_control(kind) || phase->status != PHASE_FAILED)
			continue;
		say_between(text);
		buf_printf(text, "the comparison with O_DIRECT %s failed",
			   phase_kind_reads(kind) ? "reads" : "writes");
		say_failure(phase, text);
	}
	return text->len > 0;
}

/* A pace that was held lies near the requirement on purpose. */
static bool check_no_interval(const struct report *r, struct buf *text, struct buf *advice)
{
	double need = r->plan->requirement_mib_per_s;

	if (r->plan->mode == MODE_PROVE || r->plan->repeat > 1)
		return false;
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		double rate = report_rates_const(r, kind)->judged_mib_per_s_per_core;

		if (!stats_is_judged(r, kind) || fabs(rate - need) > NEAR_RATIO * need)
			continue;
		buf_printf(text, "%s%s did %.1f", text->len ? ", " : "", phase_kind_name(kind),
			   rate);
	}
	if (!text->len)
		return false;
	buf_printf(text,
		   " MiB/s per core, within %.0f %% of the requirement of %.4g: no interval from "
		   "one run",
		   100 * NEAR_RATIO, need);
	buf_add_text(advice, "--repeat 3 gives one");
	return true;
}

const struct judgement time_judgements[] = {
	{ "stuck", SEVERITY_ERROR, "the storage did not answer", check_stuck,
	  "a device, a path or a server no longer completes what it was asked",
	  "do not use the storage until it is known why; look at the kernel's messages and the "
	  "server" },
	{ "cliff", SEVERITY_WARNING, "the rate fell for good during a phase", check_cliff,
	  "a write cache, a burst credit or an SLC area was used up",
	  "count on the rate after the fall; a longer run shows it more clearly" },
	{ "first-touch", SEVERITY_WARNING,
	  "memory that was touched for the first time slowed a part of it", check_first_touch,
	  "the hypervisor provides memory only when it is used for the first time",
	  "run it again right away: the memory is there then" },
	{ "suspended", SEVERITY_WARNING, "the machine slept during a phase", check_suspended,
	  "the machine, or the virtual machine, was suspended or migrated",
	  "run it again while nothing suspends it" },
	{ "worker-stopped", SEVERITY_WARNING, "a worker was stopped by a signal for a while",
	  check_stopped, "somebody stopped the process, a debugger or a freezer of the group",
	  "run it again without that" },
	{ "sampler-gap", SEVERITY_WARNING, "iotest itself was held up", check_gap,
	  "the CPUs were all busy, or the hypervisor took them away",
	  "look at steal time and load; figures over time have a gap" },
	{ "uneven-workers", SEVERITY_WARNING, "some workers were far slower than others",
	  check_stragglers, "the storage serves some files or cores better than others",
	  "look at stripes, paths and NUMA nodes; SAS jobs would differ as much" },
	{ "start-skew", SEVERITY_WARNING, "the workers did not start together", check_skew,
	  "the machine was too busy to start all workers at once",
	  "run it again on a quieter machine" },
	{ "mean-differs", SEVERITY_INFO, "the scripts' mean is more than 10 % above the aggregate",
	  check_mean,
	  "some workers ended early, and the scripts' mean does not see the end of the others",
	  "trust the aggregate: all bytes by the whole time" },
	{ "stood-still", SEVERITY_WARNING, "for a while nothing moved", check_stood_still,
	  "a device, a path or a server did not answer for a while",
	  "look at the kernel's messages and the paths at that time; SAS would have waited, too" },
	{ "not-steady", SEVERITY_INFO, "the rate had not become steady", check_not_steady,
	  "caches fill, credits run out, or others come and go",
	  "repeat it (--repeat 3), or measure longer" },
	{ "ended-steady", SEVERITY_INFO, "a phase ended because its rate was steady",
	  check_ended_steady, "--quick ends a phase when its last rounds agree",
	  "use a full run to see longer effects" },
	{ "clock-stepped", SEVERITY_INFO, "the wall clock was set during a phase", check_clock,
	  "time synchronisation, or somebody, set the clock",
	  "nothing: rates are measured by a clock that never steps" },
	{ "control-failed", SEVERITY_INFO, "the comparison with O_DIRECT failed",
	  check_control_failed, "the file system refuses O_DIRECT, or failed during it",
	  "nothing, unless a reason for a slow page cache is looked for" },
	{ "no-interval", SEVERITY_INFO, "one run, near the requirement", check_no_interval,
	  "one run says nothing about how much runs differ", "repeat it: --repeat 3" },
};
const size_t n_time_judgements = ARRAY_LEN(time_judgements);
