/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare - two reports side by side
 *
 * A change is one only if it is larger than what varies by itself: with several runs their ranges
 * must not touch, with one run each those of the last rounds, which say less.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "differences.h"
#include "iotest/analyze.h"
#include "iotest/xalloc.h"
#include "stats.h"

/* What changes from run to run and says nothing, or is told in another place. */
static const char *const host_leaves_out[] = {
	"targets", "notes", "cores", "memory_available_bytes", "memory_limit_used_bytes",
	"cgroup",  NULL,
};
static const char *const target_leaves_out[] = {
	"given",  "used_bytes",	   "free_bytes", "free_inodes",
	"inodes", "device_number", "number",	 NULL,
};
static const char *const plan_leaves_out[] = {
	"target",	 "target_index", "reasons",	     "expected_ns",	 "consent",
	"needs_consent", "usable_bytes", "free_after_bytes", "dirty_peak_bytes", NULL,
};

static const int kinds[] = { PHASE_READ, PHASE_WRITE, PHASE_MIXED };

static void set_by_runs(const struct phase_rates *rates, struct compared_rate *out)
{
	out->spread_of = SPREAD_RUNS;
	out->lowest = rates->lowest_mib_per_s_per_core;
	out->highest = rates->highest_mib_per_s_per_core;
}

static void set_by_rounds(const struct phase_rates *rates, struct compared_rate *out)
{
	double half = rates->steady_range_ratio / 2;

	if (rates->is_steady < 0 || !isfinite(half) || half < 0)
		return;
	out->spread_of = SPREAD_ROUNDS;
	out->lowest = out->mib_per_s_per_core * (half < 1 ? 1 - half : 0);
	out->highest = out->mib_per_s_per_core * (1 + half);
}

static void fill_rate(const struct report *r, int kind, struct compared_rate *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);

	*out = (struct compared_rate){ .mib_per_s_per_core = -1, .lowest = -1, .highest = -1 };
	if (!stats_is_judged(r, kind) || !isfinite(rates->judged_mib_per_s_per_core))
		return;
	out->mib_per_s_per_core = rates->judged_mib_per_s_per_core;
	if (rates->n_runs > 1 && rates->lowest_mib_per_s_per_core >= 0 &&
	    rates->highest_mib_per_s_per_core >= rates->lowest_mib_per_s_per_core)
		set_by_runs(rates, out);
	else
		set_by_rounds(rates, out);
}

static enum change_result judge(const struct rate_change *c)
{
	if (!isfinite(c->ratio) || c->a.spread_of == SPREAD_UNKNOWN ||
	    c->b.spread_of == SPREAD_UNKNOWN)
		return CHANGE_UNKNOWN;
	if (c->b.highest < c->a.lowest)
		return CHANGE_LOWER;
	return c->b.lowest > c->a.highest ? CHANGE_HIGHER : CHANGE_NONE;
}

static void add_change(struct comparison *out, int kind)
{
	struct rate_change c = { .kind = kind, .ratio = nan("") };

	fill_rate(out->a, kind, &c.a);
	fill_rate(out->b, kind, &c.b);
	if (c.a.mib_per_s_per_core < 0 && c.b.mib_per_s_per_core < 0)
		return;
	if (c.a.mib_per_s_per_core > 0 && c.b.mib_per_s_per_core >= 0)
		c.ratio = c.b.mib_per_s_per_core / c.a.mib_per_s_per_core - 1;
	c.result = judge(&c);
	*XGROW(&out->changes, &out->n_changes) = c;
}

static bool has_finding(const struct report *r, const char *id)
{
	for (size_t i = 0; i < r->n_findings; i++)
		if (strcmp(text_of(r->findings[i].id), id) == 0)
			return true;
	return false;
}

/* Those of one that the other does not have. */
static void add_findings(struct comparison *out, const struct report *of,
			 const struct report *other)
{
	for (size_t i = 0; i < of->n_findings; i++) {
		const struct finding *f = &of->findings[i];
		const char *id = text_of(f->id);
		CLEANUP(xfree) char *key = xasprintf("finding %s", id);

		if (has_finding(other, id))
			continue;
		differences_add(out, "result", key, of == out->a ? f->text : "none",
				of == out->a ? "none" : f->text);
	}
}

static void add_results(struct comparison *out)
{
	differences_add(out, "result", "verdict", verdict_name(out->a->verdict.result),
			verdict_name(out->b->verdict.result));
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		CLEANUP(xfree)
		char *key = xasprintf("%s limited by", phase_kind_name(kinds[i]));

		differences_add(out, "result", key,
				report_rates_const(out->a, kinds[i])->limited_by,
				report_rates_const(out->b, kinds[i])->limited_by);
	}
	add_findings(out, out->a, out->b);
	add_findings(out, out->b, out->a);
	differences_add(out, "result", "iotest", out->a->run->tool_version,
			out->b->run->tool_version);
}

static void add_nouns(struct comparison *out)
{
	const struct target *a = plan_target(out->a->host, out->a->plan);
	const struct target *b = plan_target(out->b->host, out->b->plan);

	differences_add_noun(out, "plan", &plan_schema, out->a->plan, out->b->plan,
			     plan_leaves_out);
	if (a && b)
		differences_add_noun(out, "target", &target_schema, a, b, target_leaves_out);
	differences_add_noun(out, "host", &host_schema, out->a->host, out->b->host,
			     host_leaves_out);
}

/* What makes methods unlike stands in the plan. */
static int refuse(const struct report *a, const struct report *b, struct err *err)
{
	static const char *const only[] = { "mode", "method", "mixed_read_percent", NULL };
	CLEANUP(comparison_done) struct comparison all = { .a = a, .b = b };
	CLEANUP(buf_done) struct buf text = { 0 };
	int rc;

	differences_add_noun(&all, "plan", &plan_schema, a->plan, b->plan, plan_leaves_out);
	for (size_t i = 0; i < all.n_differences; i++) {
		const struct difference *d = &all.differences[i];
		bool is_why = strncmp(d->key, "io.", 3) == 0;

		for (size_t j = 0; only[j]; j++)
			is_why |= strcmp(d->key, only[j]) == 0;
		if (is_why)
			buf_printf(&text, "%s%s %s and %s", text.len ? ", " : "", d->key, d->a,
				   d->b);
	}
	rc = err_say(err, -EINVAL, "rates of unlike methods are not comparable: %s",
		     buf_text(&text));
	if (err)
		err->status = EXIT_STATUS_UNUSABLE;
	err_advise(err, "measure both in the same way; iotest ticket has the command of each");
	return rc;
}

int analyze_compare(const struct report *a, const struct report *b, struct comparison *out,
		    struct err *err)
{
	struct comparison c = { .a = a, .b = b };

	if (strcmp(text_of(a->plan->method), text_of(b->plan->method)) != 0)
		return refuse(a, b, err);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		add_change(&c, kinds[i]);
	add_results(&c);
	add_nouns(&c);
	*out = c;
	return 0;
}
