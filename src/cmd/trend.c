/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trend - whether a run is slower than those like it before, and what has changed since
 */
#include "trend.h"

#include <string.h>
#include <time.h>

#include "iotest/xalloc.h"
#include "settings.h"

#define CHANGES_NAMED 6

const struct trend_rate trend_rates[] = {
	{ "write", offsetof(struct history_entry, write_mib_per_s) },
	{ "read", offsetof(struct history_entry, read_mib_per_s) },
	{ "mixed", offsetof(struct history_entry, mixed_mib_per_s) },
};
const size_t n_trend_rates = ARRAY_LEN(trend_rates);

double trend_rate_of(const struct history_entry *entry, const struct trend_rate *rate)
{
	double value;

	memcpy(&value, (const char *)entry + rate->offset, sizeof(value));
	return value;
}

/* Those of the entries that have the rate. */
struct runs {
	struct regression_run *items;
	size_t *places; /* in the entries */
	size_t n;
};

static void runs_done(struct runs *runs)
{
	xfree(&runs->items);
	xfree(&runs->places);
}

static void take_runs(const struct history_entry *entries, size_t n, const struct trend_rate *rate,
		      struct runs *out)
{
	out->items = xcalloc(n, sizeof(*out->items));
	out->places = xcalloc(n, sizeof(*out->places));
	for (size_t i = 0; i < n; i++) {
		double value = trend_rate_of(&entries[i], rate);

		if (!(value > 0))
			continue;
		out->items[out->n] = (struct regression_run){ entries[i].started_at_ns, value };
		out->places[out->n++] = i;
	}
}

/* "2026-12-01 03:12Z" */
static void add_time(int64_t ns, struct buf *text)
{
	time_t at = (time_t)(ns / NS_PER_S);
	struct tm tm = { 0 };
	char stamp[32] = "";

	if (gmtime_r(&at, &tm))
		(void)strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%MZ", &tm);
	buf_add_text(text, stamp);
}

static void add_changes(const char *before, const char *after, struct buf *text)
{
	CLEANUP(buf_done) struct buf changes = { 0 };

	if (!*before || !*after)
		return;
	if (settings_add_changes(before, after, CHANGES_NAMED, &changes))
		buf_printf(text, "; changed on the host: %s", buf_text(&changes));
	else
		buf_add_text(text, "; no setting of the host that iotest knows has changed");
}

/* What came between the last run that is surely good and the first of the suspicion. */
static void say_slower(const struct history_entry *entries, const struct runs *runs,
		       const struct trend_rate *rate, const struct regression *r, struct buf *text)
{
	size_t bad = r->first_slow < runs->n ? r->first_slow : runs->n - 1;
	size_t good = bad >= REGRESSION_NEWEST ? bad - REGRESSION_NEWEST : 0;

	buf_add_text(text, text->len ? "; " : "");
	if (r->state == REGRESSION_CONFIRMED)
		buf_printf(text, "regression of %s: ", rate->phase);
	else
		buf_printf(text, "%s may have become slower: ", rate->phase);
	buf_printf(text, "%.1f MiB/s per core in the last %d runs, %.1f in the %zu before since ",
		   r->newest, REGRESSION_NEWEST, r->median, r->n_before);
	add_time(runs->items[0].at_ns, text);
	if (r->state == REGRESSION_CONFIRMED)
		buf_printf(text, ", slower since about ");
	else
		buf_add_text(text, "; a run of a later session decides; slower since about ");
	add_time(runs->items[bad].at_ns, text);
	add_changes(text_of(entries[runs->places[good]].settings),
		    text_of(entries[runs->places[bad]].settings), text);
}

static enum regression_state judge_rate(const struct history_entry *entries, size_t n,
					const struct trend_rate *rate, size_t baseline_min,
					struct buf *text)
{
	CLEANUP(runs_done) struct runs runs = { 0 };
	CLEANUP(xfree) double *scratch = xcalloc(n, sizeof(*scratch));
	struct regression r;

	take_runs(entries, n, rate, &runs);
	/* This run has no such rate. */
	if (runs.n == 0 || runs.places[runs.n - 1] != n - 1)
		return REGRESSION_NONE;
	regression_judge(runs.items, runs.n, baseline_min, scratch, &r);
	if (r.state == REGRESSION_SUSPECTED || r.state == REGRESSION_CONFIRMED)
		say_slower(entries, &runs, rate, &r, text);
	return r.state;
}

/* Learning is nothing to say beside what is grave. */
static int rank(enum regression_state state)
{
	static const int ranks[] = {
		[REGRESSION_NONE] = 0,
		[REGRESSION_LEARNING] = 1,
		[REGRESSION_SUSPECTED] = 2,
		[REGRESSION_CONFIRMED] = 3,
	};
	_Static_assert(ARRAY_LEN(ranks) == REGRESSION_STATE_COUNT, "rank every state");

	return ranks[state];
}

enum regression_state trend_judge(const struct history_entry *entries, size_t n,
				  size_t baseline_min, struct buf *text)
{
	enum regression_state gravest = REGRESSION_NONE;

	for (size_t i = 0; n > 0 && i < n_trend_rates; i++) {
		enum regression_state one =
			judge_rate(entries, n, &trend_rates[i], baseline_min, text);

		if (rank(one) > rank(gravest))
			gravest = one;
	}
	if (gravest == REGRESSION_LEARNING)
		buf_printf(text, "learning, %zu of %zu runs that later ones are compared with", n,
			   baseline_min + REGRESSION_NEWEST);
	return gravest;
}

int trend_judge_next(struct history *history, const struct history_entry *entry,
		     size_t baseline_min, enum regression_state *state, struct buf *text,
		     struct err *err)
{
	CLEANUP(history_list_done) struct history_list list = { 0 };
	const struct history_filter like = {
		.host = entry->host,
		.target = entry->target,
		.method = entry->method,
		.plan = entry->plan,
		.since_ns = -1,
		.newest = TREND_RUNS - 1,
	};
	int rc = history_find(history, &like, &list, err);

	if (rc)
		return rc;
	schema_copy(&history_entry_schema, entry, XGROW(&list.items, &list.n_items));
	*state = trend_judge(list.items, list.n_items, baseline_min, text);
	return 0;
}
