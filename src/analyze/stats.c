/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats - rates of one phase from its bytes and nanoseconds
 *
 * Pure arithmetic. What each figure means is in docs/METHOD.md.
 */
#include "stats.h"

#include "calls.h"
#include "iotest/compiler.h"
#include "iotest/units.h"
#include "proof.h"

/* A cap has to lie so far above the requirement before a rate below it shows anything. */
#define CAP_ABOVE_NEED 1.02

int stats_percent(int64_t part, int64_t all)
{
	if (part <= 0 || all <= 0)
		return 0;
	return part < all ? (int)(100 * ((double)part / (double)all)) : 100;
}

double stats_rate(int64_t bytes, int64_t ns)
{
	if (bytes < 0 || ns <= 0)
		return -1;
	return units_mib(bytes) / units_seconds(ns);
}

void stats_add_rate(struct buf *b, double mib_per_s)
{
	buf_printf(b, "%.*f MiB/s", mib_per_s >= 100 ? 0 : 1, mib_per_s);
}

bool stats_is_long_enough(const struct phase_rates *rates)
{
	return rates->elapsed_ns >= SHORTEST_JUDGED_NS;
}

bool stats_is_asked(const struct plan *plan, int phase_kind)
{
	bool says =
		plan->judges_write >= 0 || plan->judges_read >= 0 || plan->mixed_read_percent >= 0;

	if (!says)
		return phase_kind == PHASE_WRITE || phase_kind == PHASE_READ;
	return plan_judges(plan, phase_kind);
}

bool stats_is_control(int phase_kind)
{
	return phase_kind == PHASE_CONTROL_WRITE || phase_kind == PHASE_CONTROL_READ;
}

bool stats_is_judged(const struct report *report, int phase_kind)
{
	const struct phase_rates *rates = report_rates_const(report, phase_kind);

	if (!stats_is_asked(report->plan, phase_kind) || rates->judged_mib_per_s_per_core < 0)
		return false;
	return rates->judged_by == JUDGED_MEDIAN ||
	       (rates->usable == 1 && stats_is_long_enough(rates));
}

bool stats_is_below(const struct report *report, int phase_kind)
{
	return stats_is_judged(report, phase_kind) &&
	       report_rates_const(report, phase_kind)->judged_mib_per_s_per_core <
		       report->plan->requirement_mib_per_s;
}

/* As with a pace that is to be held, a rate comes out a little below its cap. */
bool stats_is_capped(const struct report *report, int phase_kind)
{
	const struct plan *plan = report->plan;
	double cap = plan_cap_mib_per_s(plan);

	return cap >= 0 && stats_is_below(report, phase_kind) &&
	       cap < plan->requirement_mib_per_s * (double)plan->cores * CAP_ABOVE_NEED;
}

bool stats_is_low(const struct phase_rates *rates)
{
	return rates->aggregate_mib_per_s >= 0 &&
	       rates->aggregate_mib_per_s < rates->need_mib_per_s;
}

/* Facts from a file may be anything: sums and differences end at the largest number. */
int64_t stats_plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return units_add(a, b, &sum) ? INT64_MAX : sum;
}

int64_t stats_minus(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? 0 : a - b;
}

/* First start, first and last end, bytes. */
static void span(const struct phase *phase, struct phase_rates *out)
{
	int64_t first_start = phase->workers[0].start_ns;
	int64_t last_start = first_start;

	out->bytes = 0;
	out->first_done_ns = phase->workers[0].end_ns;
	out->last_done_ns = phase->workers[0].end_ns;
	for (size_t i = 0; i < phase->n_workers; i++) {
		const struct worker_result *w = &phase->workers[i];

		out->bytes = stats_plus(out->bytes, w->bytes);
		if (w->start_ns < first_start)
			first_start = w->start_ns;
		if (w->start_ns > last_start)
			last_start = w->start_ns;
		if (w->end_ns < out->first_done_ns)
			out->first_done_ns = w->end_ns;
		if (w->end_ns > out->last_done_ns)
			out->last_done_ns = w->end_ns;
	}
	out->elapsed_ns = stats_minus(out->last_done_ns, first_start);
	out->start_skew_ns = stats_minus(last_start, first_start);
}

/* The scripts' figure: size of a file over the mean of the workers' seconds. */
static double mean_rate(const struct phase *phase, int64_t bytes)
{
	double seconds = 0;

	for (size_t i = 0; i < phase->n_workers; i++)
		seconds += units_seconds(
			stats_minus(phase->workers[i].end_ns, phase->workers[i].start_ns));
	if (seconds <= 0)
		return -1;
	return units_mib(bytes) / seconds;
}

static void extremes(const struct phase *phase, struct phase_rates *out)
{
	for (size_t i = 0; i < phase->n_workers; i++) {
		const struct worker_result *w = &phase->workers[i];
		double mib_per_s = stats_rate(w->bytes, stats_minus(w->end_ns, w->start_ns));

		if (mib_per_s < 0)
			continue;
		if (out->slowest_worker < 1 || mib_per_s < out->slowest_mib_per_s) {
			out->slowest_mib_per_s = mib_per_s;
			out->slowest_worker = (int64_t)i + 1;
		}
		if (out->fastest_worker < 1 || mib_per_s > out->fastest_mib_per_s) {
			out->fastest_mib_per_s = mib_per_s;
			out->fastest_worker = (int64_t)i + 1;
		}
	}
}

static double all_time_ns(const struct phase *phase)
{
	double ns = 0;

	for (size_t i = 0; i < phase->n_workers; i++)
		ns += (double)stats_minus(phase->workers[i].end_ns, phase->workers[i].start_ns);
	return ns;
}

static double fsync_ratio(const struct phase *phase)
{
	double all_ns = all_time_ns(phase);
	double ns = 0;

	for (size_t i = 0; i < phase->n_workers; i++)
		ns += phase->workers[i].fsync_ns > 0 ? (double)phase->workers[i].fsync_ns : 0;
	return all_ns > 0 ? ns / all_ns : -1;
}

/* Who knows nothing of a window has none. */
static double window_ratio(const struct phase *phase)
{
	double all_ns = all_time_ns(phase);
	double ns = -1;

	for (size_t i = 0; i < phase->n_workers; i++)
		if (phase->workers[i].window_ns >= 0)
			ns = (ns < 0 ? 0 : ns) + (double)phase->workers[i].window_ns;
	return all_ns > 0 && ns >= 0 ? ns / all_ns : -1;
}

double stats_cpu_ratio(const struct phase *phase)
{
	double cpu_ns = 0;
	double all_ns = 0;

	for (size_t i = 0; i < phase->n_workers; i++) {
		const struct worker_result *w = &phase->workers[i];

		if (w->user_ns < 0 || w->system_ns < 0)
			return -1;
		cpu_ns += (double)w->user_ns + (double)w->system_ns;
		all_ns += (double)stats_minus(w->end_ns, w->start_ns);
	}
	return all_ns > 0 ? cpu_ns / all_ns : -1;
}

/* From the first start to the last write of all. */
static void before_fsync(const struct phase *phase, struct phase_rates *out)
{
	int64_t first_start = phase->workers[0].start_ns;
	int64_t last_io = phase->workers[0].last_io_ns;

	for (size_t i = 1; i < phase->n_workers; i++) {
		const struct worker_result *w = &phase->workers[i];

		if (w->start_ns < first_start)
			first_start = w->start_ns;
		if (w->last_io_ns > last_io)
			last_io = w->last_io_ns;
	}
	if (first_start < 0 || last_io <= first_start)
		return;
	out->before_fsync_ns = last_io - first_start;
	out->before_fsync_mib_per_s = stats_rate(out->bytes, out->before_fsync_ns);
}

void stats_phase(const struct report *report, int phase_kind, struct phase_rates *out)
{
	const struct phase *phase = run_phase_const(report->run, phase_kind);

	if (phase->n_workers == 0 || phase->status == PHASE_NOT_RUN)
		return;
	span(phase, out);
	calls_fill(phase, out);
	if (!phase_is_measured(phase) || run_has_failed(report->run) || proof_has_bad_data(report))
		return;
	out->aggregate_mib_per_s = stats_rate(out->bytes, out->elapsed_ns);
	if (out->aggregate_mib_per_s >= 0)
		out->aggregate_mb_per_s = out->aggregate_mib_per_s * (double)MIB / 1e6;
	out->mean_mib_per_s_per_worker = mean_rate(phase, out->bytes);
	extremes(phase, out);
	if (phase_kind_reads(phase_kind))
		return;
	out->fsync_ratio = fsync_ratio(phase);
	out->window_ratio = window_ratio(phase);
	before_fsync(phase, out);
}

/* The lower of all and of what remains after a burst: a pass must hold for both. What memory that
 * is touched for the first time costs is not the storage's, and weighs much in a short window. */
static double choose(const struct plan *plan, struct phase_rates *out)
{
	out->judged_by = JUDGED_ALL;
	if (out->sustained_mib_per_s >= 0) {
		if (out->sustained_mib_per_s >= out->aggregate_mib_per_s)
			return out->aggregate_mib_per_s;
		out->judged_by = JUDGED_SUSTAINED;
		return out->sustained_mib_per_s;
	}
	if (plan->mode != MODE_QUICK || out->unspoiled_mib_per_s <= out->aggregate_mib_per_s)
		return out->aggregate_mib_per_s;
	out->judged_by = JUDGED_UNSPOILED;
	return out->unspoiled_mib_per_s;
}

void stats_set_judged(const struct plan *plan, double mib_per_s_per_core, struct phase_rates *out)
{
	double ratio = mib_per_s_per_core / plan->requirement_mib_per_s;

	out->judged_mib_per_s_per_core = mib_per_s_per_core;
	out->carries_cores = ratio * (double)plan->cores < (double)INT32_MAX
				     ? (int64_t)(ratio * (double)plan->cores)
				     : -1;
}

void stats_judge(const struct report *report, int phase_kind, struct phase_rates *out)
{
	const struct plan *plan = report->plan;
	double need = plan->requirement_mib_per_s;

	if (plan->cores < 1 || need <= 0)
		return;
	if (out->bytes >= 0)
		out->need_mib_per_s = need * (double)plan->cores;
	if (out->aggregate_mib_per_s < 0)
		return;
	out->mib_per_s_per_core = out->aggregate_mib_per_s / (double)plan->cores;
	if (!stats_is_asked(plan, phase_kind))
		return;
	stats_set_judged(plan, choose(plan, out) / (double)plan->cores, out);
	if (!stats_is_long_enough(out))
		out->carries_cores = -1;
}
