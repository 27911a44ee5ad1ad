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
#include "proof.h"
#include "stats.h"
#include "verdict.h"

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
	return kind == PHASE_WRITE ? proof_write_reason(r, rates) : proof_read_reason(r, rates);
}

static void judge_phase(struct report *r, int kind)
{
	struct phase_rates *rates = report_rates(r, kind);
	const char *reason;

	stats_phase(r, kind, rates);
	if (rates->aggregate_mib_per_s >= 0 && kind == PHASE_READ)
		rates->uncached_ratio = proof_uncached_ratio(r, rates->bytes);
	else if (rates->aggregate_mib_per_s >= 0)
		rates->written_ratio = proof_written_ratio(r, rates->bytes);
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

size_t analyze_repeats(struct report *const *reports, size_t n)
{
	(void)reports;
	(void)n;
	return 0;
}

bool analyze_wants_control(const struct report *report, int phase_kind)
{
	(void)report;
	(void)phase_kind;
	return false;
}
