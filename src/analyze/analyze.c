/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyze - rates, what may be used of them, findings, verdict
 */
#include "iotest/analyze.h"

#include "advice.h"
#include "findings.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "limits.h"
#include "proof.h"
#include "rounds.h"
#include "stats.h"
#include "verdict.h"

/* Above this share of its time a worker was held up from outside too long. */
#define STOPPED_RATIO 0.02

static const char *status_reason(const struct phase *phase)
{
	static const char *const reasons[PHASE_STATUS_COUNT] = {
		[PHASE_NOT_RUN] = "it was not run",
		[PHASE_INTERRUPTED] = "it was interrupted",
		[PHASE_FAILED] = "it failed",
		[PHASE_STUCK] = "the storage did not answer",
	};

	return text_of(reasons[phase->status]);
}

static bool was_stopped(const struct phase *phase, int64_t elapsed_ns)
{
	for (size_t i = 0; i < phase->n_workers; i++)
		if ((double)phase->workers[i].stopped_ns > STOPPED_RATIO * (double)elapsed_ns)
			return true;
	return false;
}

/* Why its time is not that of the storage; "" if it is. */
static const char *time_reason(const struct phase *phase, const struct phase_rates *rates)
{
	if (rates->aggregate_mib_per_s < 0)
		return "its time could not be measured";
	if (phase->suspended_ns >= CLOCK_NOISE_NS)
		return "the machine slept during it";
	if (was_stopped(phase, rates->elapsed_ns))
		return "a worker was stopped during it";
	/* An upper bound shows that it is below, and nothing else. */
	if (phase->cut_short == 1 && !stats_is_low(rates))
		return "its last calls did not come back in time: the rate is at most this";
	return "";
}

/* Why the rates of a phase may not be shown as its result, before its bytes are looked at. */
static const char *unusable_reason(const struct report *r, int kind)
{
	const struct phase *phase = run_phase_const(r->run, kind);
	const char *reason = status_reason(phase);

	if (phase->status == PHASE_INTERRUPTED && r->run->interrupted_by <= 0)
		return "it was ended when a worker of another target failed";
	if (*reason)
		return reason;
	if (run_has_failed(r->run))
		return "the run failed";
	if (verdict_is_stuck(r->run))
		return "the storage hung in this run";
	if (proof_has_bad_data(r))
		return "data came back other than it was written";
	if (r->plan->cores < 1 || r->plan->requirement_mib_per_s <= 0)
		return "neither cores nor requirement are known";
	return time_reason(phase, report_rates_const(r, kind));
}

static void judge_phase(struct report *r, int kind)
{
	struct phase_rates *rates = report_rates(r, kind);
	const char *reason;

	stats_phase(r, kind, rates);
	rounds_fill(r, kind, rates);
	stats_judge(r, kind, rates);
	proof_phase(r, kind);
	reason = unusable_reason(r, kind);
	if (*reason)
		xstr_set(&rates->unusable_reason, reason);
	rates->usable = text_of(rates->unusable_reason)[0] == '\0';
}

void analyze(struct report *out)
{
	struct report r;

	report_init(&r);
	r.host = out->host;
	r.plan = out->plan;
	r.run = out->run;
	r.bundle = xstrdup(text_of(out->bundle));
	r.analyzed_by = xstrdup(IOTEST_VERSION);
	for (int kind = 0; kind < PHASE_COUNT; kind++)
		judge_phase(&r, kind);
	for (int kind = 0; kind < PHASE_COUNT; kind++)
		limits_fill(&r, kind);
	proof_totals(&r);
	proof_beyond(&r);
	advice_fill(&r);
	findings_add(&r);
	verdict_reach(&r);

	report_done(out);
	*out = r;
}

bool analyze_wants_control(const struct report *report, int phase_kind)
{
	int kind = stats_is_asked(report->plan, PHASE_MIXED) ? PHASE_MIXED : phase_kind;

	if (report->plan->control == CONTROL_ALWAYS)
		return stats_is_asked(report->plan, kind) &&
		       phase_is_measured(run_phase_const(report->run, kind));
	return report->plan->control == CONTROL_IF_BELOW && stats_is_below(report, kind);
}
