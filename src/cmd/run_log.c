/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_log - what iotest.log says of a run: why it was planned so, and what came of it
 */
#include "run_log.h"

#include "iotest/log.h"
#include "iotest/schema.h"

void run_log_plan(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n_reasons; i++)
		log_line(LOG_LEVEL_NOTE, "plan: %s: %s, %s", plan->reasons[i].key,
			 plan->reasons[i].value, plan->reasons[i].text);
}

void run_log_outcome(const struct record *record)
{
	const struct report *r = &record->report;

	for (size_t i = 0; i < r->n_findings; i++)
		log_line(LOG_LEVEL_NOTE, "finding: %s: %s", r->findings[i].id, r->findings[i].text);
	log_line(LOG_LEVEL_NOTE, "verdict: %s: %s", verdict_name(r->verdict.result),
		 text_of(r->verdict.text));
}

void run_log_medians(const struct records *shown)
{
	for (size_t i = 0; i < shown->n_items; i++) {
		const struct record *r = shown->items[i];

		if (r->plan.repeat > 1)
			log_line(LOG_LEVEL_NOTE, "of all runs on %s: %s: %s", r->plan.target,
				 verdict_name(r->report.verdict.result),
				 text_of(r->report.verdict.text));
	}
}
