/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings_time - judgements about how the time was spent
 */
#include <inttypes.h>
#include <math.h>

#include "findings.h"
#include "iotest/units.h"
#include "proof.h"
#include "stats.h"

/* A worker that took this many times as long as the fastest drags the aggregate. */
#define STRAGGLER_RATIO 0.5
/* Starts further apart than this share of the phase are no longer "at the same time". */
#define SKEW_RATIO 0.05
/* The scripts' mean and the aggregate are told apart from here. */
#define MEAN_RATIO 1.10

static bool check_stragglers(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase_rates *rates = report_rates_const(r, kind);

		if (rates->usable != 1 || rates->slowest_mib_per_s < 0)
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

		if (!stats_is_long_enough(rates) ||
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

		if (rates->usable != 1 || mean <= MEAN_RATIO * rates->mib_per_s_per_core)
			continue;
		buf_printf(text,
			   "%s%s: the scripts' mean says %.1f, all bytes over all time %.1f MiB/s "
			   "per core",
			   text->len ? "; " : "", phase_kind_name(kind), mean,
			   rates->mib_per_s_per_core);
	}
	buf_add_text(advice,
		     "the mean hides the workers that finish last; the second figure is judged");
	return text->len > 0;
}

const struct judgement time_judgements[] = {
	{ "uneven-workers", SEVERITY_WARNING, "some workers were far slower than others",
	  check_stragglers },
	{ "start-skew", SEVERITY_WARNING, "the workers did not start together", check_skew },
	{ "mean-differs", SEVERITY_INFO, "the scripts' mean is more than 10 % above the aggregate",
	  check_mean },
};
const size_t n_time_judgements = ARRAY_LEN(time_judgements);
