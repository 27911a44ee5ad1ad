/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repeats - which of several runs of the same plan stands for all of them
 */
#include "repeats.h"

#include <stdlib.h>
#include <string.h>

#include "iotest/analyze.h"
#include "iotest/xalloc.h"

static bool was_measured(const struct record *r)
{
	return !text_of(r->run.failure)[0];
}

/* A report that was read may name anything as its target. */
static bool is_of_one_plan(const struct record *a, const struct record *b)
{
	return a == b || (a->plan.repeat > 1 && b->plan.repeat == a->plan.repeat &&
			  a->plan.target_index == b->plan.target_index &&
			  !strcmp(text_of(a->plan.target), text_of(b->plan.target)));
}

/* Which record stands for all that are of the plan of the first one, and were measured. */
static size_t choose(struct records *records, size_t first)
{
	CLEANUP(xfree) struct report **reports = xcalloc(records->n_items, sizeof(*reports));
	CLEANUP(xfree) size_t *places = xcalloc(records->n_items, sizeof(*places));
	size_t n = 0;
	size_t chosen;

	for (size_t i = first; i < records->n_items; i++) {
		if (!was_measured(records->items[i]) ||
		    !is_of_one_plan(records->items[first], records->items[i]))
			continue;
		reports[n] = &records->items[i]->report;
		places[n++] = i;
	}
	if (n < 2)
		return first;
	chosen = analyze_repeats(reports, n);
	return places[chosen < n ? chosen : 0];
}

static bool is_first_of_its_plan(const struct records *records, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (was_measured(records->items[i]) &&
		    is_of_one_plan(records->items[i], records->items[at]))
			return false;
	return true;
}

void repeats_choose(struct records *judged, const struct records *from, struct records *shown)
{
	for (size_t i = 0; i < judged->n_items; i++) {
		size_t chosen = i;

		if (was_measured(judged->items[i])) {
			if (!is_first_of_its_plan(judged, i))
				continue;
			chosen = choose(judged, i);
		}
		*XGROW(&shown->items, &shown->n_items) = from->items[chosen];
	}
}

void repeats_forget(struct records *shown)
{
	free(shown->items);
	*shown = (struct records){ 0 };
}

bool repeats_are_worthwhile(const struct records *records, size_t from)
{
	for (size_t i = from; i < records->n_items; i++) {
		const struct run *run = &records->items[i]->run;

		if (run_has_failed(run))
			return false;
		for (int kind = 0; kind < PHASE_COUNT; kind++)
			if (run_phase_const(run, kind)->status == PHASE_STUCK ||
			    run_phase_const(run, kind)->status == PHASE_SPACE)
				return false;
	}
	return true;
}
