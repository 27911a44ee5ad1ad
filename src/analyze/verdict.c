/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict - is it fast enough
 *
 * Order: invalid (the run cannot be used), below (one phase that is proved is enough),
 * inconclusive (a phase needed for a pass is not proved), pass.
 */
#include "verdict.h"

#include <string.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/xalloc.h"
#include "proof.h"
#include "stats.h"

bool verdict_is_borderline(double mib_per_s, double requirement_mib_per_s)
{
	return mib_per_s < requirement_mib_per_s &&
	       mib_per_s * (double)MIB / 1e6 >= requirement_mib_per_s;
}

static bool is_judged(const struct phase_rates *rates)
{
	return rates->usable == 1 && stats_is_long_enough(rates);
}

static enum verdict_result result_of(const struct report *r)
{
	double need = r->plan->requirement_mib_per_s;
	bool all_judged = true;

	if (run_has_failed(r->run))
		return VERDICT_INVALID;
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase_rates *rates = report_rates_const(r, kind);

		if (!is_judged(rates))
			all_judged = false;
		else if (rates->mib_per_s_per_core < need)
			return VERDICT_BELOW;
	}
	return all_judged ? VERDICT_PASS : VERDICT_INCONCLUSIVE;
}

static void say_rate(const struct report *r, int kind, struct buf *b)
{
	const struct phase_rates *rates = report_rates_const(r, kind);

	buf_printf(b, "%s ", phase_kind_name(kind));
	if (rates->usable != 1)
		buf_printf(b, "n/a (%s)", text_of(rates->unusable_reason));
	else if (!stats_is_long_enough(rates))
		buf_printf(b, "%.1f MiB/s per core, but too short to be judged",
			   rates->mib_per_s_per_core);
	else
		buf_printf(b, "%.1f MiB/s per core%s", rates->mib_per_s_per_core,
			   rates->mib_per_s_per_core < r->plan->requirement_mib_per_s ? ", below"
										      : "");
}

static const char *opening(enum verdict_result result)
{
	static const char *const texts[] = {
		[VERDICT_PASS] = "fast enough for the requirement",
		[VERDICT_BELOW] = "slower than the requirement",
		[VERDICT_INCONCLUSIVE] = "cannot be told from this run",
		[VERDICT_INVALID] = "the run failed and cannot be used",
	};
	_Static_assert(ARRAY_LEN(texts) == VERDICT_COUNT, "a sentence for every verdict");
	return texts[result];
}

/* A pass of such a run holds for its window only, and must say so. */
static bool is_cut_short(const struct run *run)
{
	return run->write.status == PHASE_TIME_LIMIT || run->read.status == PHASE_TIME_LIMIT;
}

static char *sentence(const struct report *r, enum verdict_result result)
{
	struct buf b = { 0 };

	buf_add_text(&b, opening(result));
	if (result == VERDICT_PASS && is_cut_short(r->run))
		buf_add_text(&b, " in the time it had (longer effects cannot be seen)");
	else if (result == VERDICT_PASS && proof_fits_in_memory(r))
		buf_add_text(&b,
			     " with no more data than this machine's memory holds (caches behind "
			     "it can have helped)");
	buf_add_text(&b, ": ");
	say_rate(r, PHASE_WRITE, &b);
	buf_add_text(&b, "; ");
	say_rate(r, PHASE_READ, &b);
	return buf_take(&b);
}

static double lower_of_judged(const struct report *r)
{
	double lowest = -1;

	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase_rates *rates = report_rates_const(r, kind);

		if (is_judged(rates) && (lowest < 0 || rates->mib_per_s_per_core < lowest))
			lowest = rates->mib_per_s_per_core;
	}
	return lowest;
}

void verdict_reach(struct report *report)
{
	const struct plan *plan = report->plan;
	struct verdict *v = &report->verdict;
	enum verdict_result result = result_of(report);

	v->result = result;
	v->mib_per_s_per_core = result == VERDICT_INVALID ? -1 : lower_of_judged(report);
	v->requirement_mib_per_s = plan->requirement_mib_per_s;
	v->requirement_mb_per_s = plan->requirement_mib_per_s < 0
					  ? -1
					  : plan->requirement_mib_per_s * (double)MIB / 1e6;
	v->year = plan->requirement_year;
	xstr_set(&v->name, text_of(plan->requirement_name));
	xstr_set(&v->published, text_of(plan->requirement_published));
	xstr_set(&v->source, text_of(plan->requirement_source));
	v->text = sentence(report, result);
}
