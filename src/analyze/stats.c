/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats - rates of one phase from its bytes and nanoseconds
 *
 * Pure arithmetic. What each figure means is in docs/METHOD.md.
 */
#include "stats.h"

#include "iotest/compiler.h"
#include "iotest/units.h"

static double rate(int64_t bytes, int64_t ns)
{
	if (bytes < 0 || ns <= 0)
		return -1;
	return units_mib(bytes) / units_seconds(ns);
}

bool stats_is_long_enough(const struct phase_rates *rates)
{
	return rates->elapsed_ns >= SHORTEST_JUDGED_NS;
}

/* Facts from a file may be anything: sums and differences end at the largest number. */
int64_t stats_plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return units_add(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t minus(int64_t a, int64_t b)
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
	out->elapsed_ns = minus(out->last_done_ns, first_start);
	out->start_skew_ns = minus(last_start, first_start);
}

/* The scripts' figure: size of a file over the mean of the workers' seconds. */
static double mean_rate(const struct phase *phase, int64_t bytes)
{
	double seconds = 0;

	for (size_t i = 0; i < phase->n_workers; i++)
		seconds +=
			units_seconds(minus(phase->workers[i].end_ns, phase->workers[i].start_ns));
	if (seconds <= 0)
		return -1;
	return units_mib(bytes) / seconds;
}

static void extremes(const struct phase *phase, struct phase_rates *out)
{
	for (size_t i = 0; i < phase->n_workers; i++) {
		const struct worker_result *w = &phase->workers[i];
		double mib_per_s = rate(w->bytes, minus(w->end_ns, w->start_ns));

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

static double fsync_ratio(const struct phase *phase)
{
	double fsync_ns = 0;
	double all_ns = 0;

	for (size_t i = 0; i < phase->n_workers; i++) {
		const struct worker_result *w = &phase->workers[i];

		fsync_ns += w->fsync_ns > 0 ? (double)w->fsync_ns : 0;
		all_ns += (double)minus(w->end_ns, w->start_ns);
	}
	return all_ns > 0 ? fsync_ns / all_ns : -1;
}

static void against_need(const struct plan *plan, struct phase_rates *out)
{
	double need = plan->requirement_mib_per_s;

	if (plan->cores < 1 || need <= 0)
		return;
	out->need_mib_per_s = need * (double)plan->cores;
	if (out->aggregate_mib_per_s < 0)
		return;
	out->mib_per_s_per_core = out->aggregate_mib_per_s / (double)plan->cores;
	if (stats_is_long_enough(out) && out->aggregate_mib_per_s / need < (double)INT32_MAX)
		out->carries_cores = (int64_t)(out->aggregate_mib_per_s / need);
}

void stats_phase(const struct report *report, int phase_kind, struct phase_rates *out)
{
	const struct phase *phase = run_phase_const(report->run, phase_kind);

	if (phase->n_workers == 0 || phase->status == PHASE_NOT_RUN)
		return;
	span(phase, out);
	if (!phase_is_measured(phase) || run_has_failed(report->run))
		return;
	out->aggregate_mib_per_s = rate(out->bytes, out->elapsed_ns);
	if (out->aggregate_mib_per_s >= 0)
		out->aggregate_mb_per_s = out->aggregate_mib_per_s * (double)MIB / 1e6;
	out->mean_mib_per_s_per_worker = mean_rate(phase, out->bytes);
	extremes(phase, out);
	if (phase_kind == PHASE_WRITE)
		out->fsync_ratio = fsync_ratio(phase);
	against_need(report->plan, out);
}
