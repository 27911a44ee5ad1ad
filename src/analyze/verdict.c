/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict - is it fast enough
 *
 * Order: invalid (the run cannot be used), below (one phase that is proved is enough),
 * inconclusive (a phase needed for a pass is not proved), pass.
 */
#include "verdict.h"

#include <inttypes.h>

#include <stdlib.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/err.h"
#include "iotest/xalloc.h"
#include "proof.h"
#include "stats.h"

/* A paced phase shorter than this is one in which the fsync at its end weighs more than the pace
 * allows for. */
#define SHORTEST_PROOF_NS (10 * NS_PER_S)

bool verdict_is_borderline(double mib_per_s, double requirement_mib_per_s)
{
	return mib_per_s < requirement_mib_per_s &&
	       mib_per_s * (double)MIB / 1e6 >= requirement_mib_per_s;
}

bool verdict_is_stuck(const struct run *run)
{
	return run->write.status == PHASE_STUCK || run->read.status == PHASE_STUCK ||
	       run->mixed.status == PHASE_STUCK;
}

/*
 * The pace was held to the last write, and only the fsync of a phase too short for it makes the
 * rate low: neither held nor broken.
 */
static bool is_only_tail(const struct report *r, int kind)
{
	const struct phase_rates *rates = report_rates_const(r, kind);

	return r->plan->mode == MODE_PROVE && rates->elapsed_ns < SHORTEST_PROOF_NS &&
	       rates->before_fsync_mib_per_s >= rates->need_mib_per_s;
}

/* A short window in which memory was touched for the first time for most of it: what is below is
 * the memory. */
static bool is_only_memory(const struct report *r, int kind)
{
	const struct phase_rates *rates = report_rates_const(r, kind);

	return r->plan->mode == MODE_QUICK && rates->judged_by == JUDGED_ALL &&
	       rates->unspoiled_mib_per_s < 0 && rates->spoiled_ns > rates->last_done_ns / 2;
}

static bool is_excused(const struct report *r, int kind)
{
	return is_only_tail(r, kind) || is_only_memory(r, kind) || stats_is_capped(r, kind);
}

static enum verdict_result result_of(const struct report *r)
{
	size_t n_asked = 0;
	size_t n_judged = 0;

	if (run_has_failed(r->run) || verdict_is_stuck(r->run) || proof_has_bad_data(r))
		return VERDICT_INVALID;
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		bool is_below = stats_is_below(r, kind);

		if (is_below && !is_excused(r, kind))
			return VERDICT_BELOW;
		n_asked += stats_is_asked(r->plan, kind);
		n_judged += stats_is_judged(r, kind) && !is_below;
	}
	return n_asked && n_judged == n_asked ? VERDICT_PASS : VERDICT_INCONCLUSIVE;
}

/* By what, where it is not all bytes over all time. */
static void say_judged_by(const struct phase_rates *rates, struct buf *b)
{
	if (rates->judged_by == JUDGED_SUSTAINED)
		buf_add_text(b, " sustained");
	if (rates->judged_by == JUDGED_UNSPOILED)
		buf_add_text(b, " without first touch of memory");
	if (rates->judged_by == JUDGED_MEDIAN)
		buf_printf(b, " (%.1f to %.1f)", rates->lowest_mib_per_s_per_core,
			   rates->highest_mib_per_s_per_core);
}

static void say_rate(const struct report *r, int kind, struct buf *b)
{
	const struct phase_rates *rates = report_rates_const(r, kind);

	buf_printf(b, "%s ", phase_kind_name(kind));
	if (rates->usable != 1 && rates->judged_by != JUDGED_MEDIAN) {
		buf_printf(b, "n/a (%s)", text_of(rates->unusable_reason));
		return;
	}
	buf_printf(b, "%.1f MiB/s per core", rates->judged_mib_per_s_per_core);
	say_judged_by(rates, b);
	if (stats_is_capped(r, kind))
		buf_add_text(b, ", no more than --max-rate allows");
	else if (stats_is_below(r, kind) && is_only_tail(r, kind))
		buf_add_text(b, ", with an fsync that such a short phase cannot judge");
	else if (stats_is_below(r, kind) && is_only_memory(r, kind))
		buf_add_text(b, ", slowed by first touch of memory");
	else if (stats_is_below(r, kind))
		buf_add_text(b, ", below");
	else if (rates->judged_by != JUDGED_MEDIAN && !stats_is_long_enough(rates))
		buf_add_text(b, ", but too short to be judged");
}

static const char *opening(const struct report *r, enum verdict_result result)
{
	static const char *const texts[] = {
		[VERDICT_PASS] = "fast enough for the requirement",
		[VERDICT_BELOW] = "slower than the requirement",
		[VERDICT_INCONCLUSIVE] = "cannot be told from this run",
		[VERDICT_INVALID] = "the run failed and cannot be used",
	};
	_Static_assert(ARRAY_LEN(texts) == VERDICT_COUNT, "a sentence for every verdict");

	if (result == VERDICT_INVALID && verdict_is_stuck(r->run))
		return "the storage hung";
	if (result == VERDICT_INVALID && proof_has_bad_data(r))
		return "data came back other than it was written";
	if (result == VERDICT_INVALID && !run_has_failed(r->run))
		return "one of the runs failed";
	if (result == VERDICT_PASS && r->plan->mode == MODE_QUICK)
		return "fast enough in this window (longer bursts cannot be seen)";
	if (result == VERDICT_PASS && r->plan->mode == MODE_PROVE)
		return "the storage carried the requirement at a held pace (its limit was not "
		       "looked for)";
	if (result == VERDICT_BELOW && r->plan->mode == MODE_PROVE)
		return "the pace could not be held";
	return texts[result];
}

/* A pass of such a run holds for its window only, and must say so. */
static bool is_cut_short(const struct report *r)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		int status = run_phase_const(r->run, kind)->status;

		if (stats_is_asked(r->plan, kind) &&
		    (status == PHASE_TIME_LIMIT || status == PHASE_STEADY || status == PHASE_SPACE))
			return true;
	}
	return false;
}

/* What a pass of a full run does not hold for; the other modes say so in their opening. */
static const char *reservation(const struct report *r)
{
	if (r->plan->mode == MODE_PROVE && proof_fits_in_memory(r))
		return ", with no more data than this machine's memory holds (caches behind it can "
		       "have helped)";
	if (r->plan->mode != MODE_FULL)
		return "";
	if (is_cut_short(r))
		return " in the time it had (longer effects cannot be seen)";
	if (proof_fits_in_memory(r))
		return " with no more data than this machine's memory holds (caches behind it can "
		       "have helped)";
	return "";
}

/* The fewest runs in which a phase that was judged at all could be. */
static void say_runs(const struct report *r, struct buf *b)
{
	int64_t n = 0;

	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		int64_t of_kind = report_rates_const(r, kind)->n_runs;

		if (stats_is_asked(r->plan, kind) && of_kind > 0 && (n == 0 || of_kind < n))
			n = of_kind;
	}
	if (n == (int64_t)r->n_repeats)
		buf_printf(b, ", median of %zu runs", r->n_repeats);
	else if (n == 0)
		buf_printf(b, ", none of %zu runs could be judged", r->n_repeats);
	else
		buf_printf(b, ", of %zu runs only %" PRId64 " could be judged", r->n_repeats, n);
}

static char *sentence(const struct report *r, enum verdict_result result)
{
	struct buf b = { 0 };
	const char *between = ": ";

	buf_add_text(&b, opening(r, result));
	if (result == VERDICT_PASS)
		buf_add_text(&b, reservation(r));
	if (r->n_repeats > 1 && result != VERDICT_INVALID)
		say_runs(r, &b);
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		if (!stats_is_asked(r->plan, kind))
			continue;
		buf_add_text(&b, between);
		say_rate(r, kind, &b);
		between = "; ";
	}
	return buf_take(&b);
}

static double lower_of_judged(const struct report *r)
{
	double lowest = -1;

	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		double rate = report_rates_const(r, kind)->judged_mib_per_s_per_core;

		if (stats_is_judged(r, kind) && (lowest < 0 || rate < lowest))
			lowest = rate;
	}
	return lowest;
}

void verdict_set(struct report *report, enum verdict_result result)
{
	const struct plan *plan = report->plan;
	struct verdict *v = &report->verdict;

	v->result = (int)result;
	v->mib_per_s_per_core = result == VERDICT_INVALID ? -1 : lower_of_judged(report);
	v->requirement_mib_per_s = plan->requirement_mib_per_s;
	v->requirement_mb_per_s = plan->requirement_mib_per_s < 0
					  ? -1
					  : plan->requirement_mib_per_s * (double)MIB / 1e6;
	v->year = plan->requirement_year;
	xstr_set(&v->name, text_of(plan->requirement_name));
	xstr_set(&v->published, text_of(plan->requirement_published));
	xstr_set(&v->source, text_of(plan->requirement_source));
	free(v->text);
	v->text = sentence(report, result);
	report->exit_status =
		text_of(report->run->failure)[0] ? EXIT_STATUS_FAILED : report_exit_status(report);
}

void verdict_reach(struct report *report)
{
	verdict_set(report, result_of(report));
}
