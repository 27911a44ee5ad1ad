/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyze - rates, what may be used of them, findings, verdict
 */
#include "iotest/analyze.h"

#include <stdlib.h>

#include "findings.h"
#include "iotest/err.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "stats.h"
#include "verdict.h"

static const char *write_reason(const struct report *r)
{
	const struct target *t = plan_target(r->host, r->plan);

	if (t && target_is_in_memory(t))
		return "the target lies in memory: nothing was written to a storage";
	return "";
}

static const char *cached_reason(double uncached_ratio)
{
	if (uncached_ratio >= UNCACHED_RATIO_MIN)
		return "";
	if (uncached_ratio < 0.01)
		return "it came from this host's memory, not from the storage";
	return "part of it came from this host's memory, not from the storage";
}

static const char *read_reason(const struct report *r, const struct phase_rates *rates)
{
	const struct target *t = plan_target(r->host, r->plan);

	if (t && target_is_in_memory(t))
		return "the target lies in memory: nothing was read from a storage";
	if (rates->uncached_ratio >= 0)
		return cached_reason(rates->uncached_ratio);
	if (stats_fits_in_cache(r))
		return "not proved here: no device counters to show it, and the files fit into "
		       "memory";
	if (rates->bytes <= r->plan->cache_bytes)
		return "not proved here: no device counters to show it, and less was read than "
		       "fits into "
		       "memory";
	return "";
}

/* Why the rates of a phase may not be shown as its result; "" if they may. */
static const char *unusable_reason(const struct report *r, int kind,
				   const struct phase_rates *rates)
{
	const struct phase *phase = run_phase_const(r->run, kind);

	if (phase->status == PHASE_NOT_RUN)
		return "it was not run";
	if (phase->status == PHASE_FAILED)
		return "it failed";
	if (phase->status == PHASE_INTERRUPTED)
		return "it was interrupted";
	if (run_has_failed(r->run))
		return "the run failed";
	if (r->plan->cores < 1 || r->plan->requirement_mib_per_s <= 0)
		return "neither cores nor requirement are known";
	if (rates->aggregate_mib_per_s < 0)
		return "its time could not be measured";
	return kind == PHASE_WRITE ? write_reason(r) : read_reason(r, rates);
}

static void judge_phase(struct report *r, int kind)
{
	struct phase_rates *rates = report_rates(r, kind);
	const char *reason;

	stats_phase(r, kind, rates);
	reason = unusable_reason(r, kind, rates);
	xstr_set(&rates->unusable_reason, reason);
	rates->usable = reason[0] == '\0';
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
	findings_add(&r);
	verdict_reach(&r);
	r.exit_status = text_of(r.run->failure)[0] ? EXIT_STATUS_FAILED : report_exit_status(&r);

	report_done(out);
	*out = r;
}
