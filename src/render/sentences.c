/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sentences - what stands at the head and the foot of a report, whatever sets it
 */
#include "sentences.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "iotest/err.h"
#include "iotest/units.h"
#include "layout.h"

/* "full run" only where it was one: by the rules, and to the end. */
static void add_full(const struct report *r, struct buf *out)
{
	static const char *const kinds[] = {
		[SIZED_BY_MEMORY] = "full run",
		[SIZED_BY_LIMIT] = "full run within a memory limit",
		[SIZED_BY_OPTION] = "run of ",
		[SIZED_BY_SPACE] = "run made smaller to fit, ",
		[SIZED_BY_MEMORY_FS] = "run of ",
		[SIZED_BY_QUICK] = "run of ",
	};
	_Static_assert(ARRAY_LEN(kinds) == SIZED_BY_COUNT, "a kind for every way of sizing");
	bool is_full = r->plan->sized_by == SIZED_BY_MEMORY || r->plan->sized_by == SIZED_BY_LIMIT;

	buf_add_text(out, kinds[r->plan->sized_by]);
	if (!is_full) {
		units_add_size(out, r->plan->bytes_per_worker);
		buf_add_text(out, " a worker");
	}
	if (r->run->write.status == PHASE_TIME_LIMIT || r->run->read.status == PHASE_TIME_LIMIT ||
	    r->run->mixed.status == PHASE_TIME_LIMIT)
		buf_add_text(out, ", ended by its time limit");
}

/* The budget of a short run: it ends by that, or earlier when it is steady. */
static void add_budget(int64_t ns, struct buf *out)
{
	if (ns < 0)
		return;
	buf_add_text(out, " within ");
	if (ns % NS_PER_S == 0 && ns <= 600 * NS_PER_S)
		buf_printf(out, "%" PRId64 " s", ns / NS_PER_S);
	else
		units_add_duration(out, ns);
}

void sentence_add_kind_of_run(const struct report *r, struct buf *out)
{
	const struct plan *plan = r->plan;

	if (plan->workers < 1)
		return;
	if (plan->mode == MODE_FULL) {
		add_full(r, out);
	} else {
		buf_printf(out, "%s run", plan_mode_name(plan->mode));
		add_budget(plan->time_limit_ns, out);
	}
	if (plan->mixed_read_percent >= 0 && plan->mixed_read_percent <= 100)
		buf_printf(out, ", mixed %" PRId64 "/%" PRId64, plan->mixed_read_percent,
			   100 - plan->mixed_read_percent);
	if (plan_has_file(plan))
		buf_printf(out, " of %s", plan->io.file_name);
	if (plan->io.direct == 1)
		buf_add_text(out, ", direct");
	if (plan->together == 1)
		buf_add_text(out, ", together with the other targets");
	if (r->n_repeats > 1 && r->repeat_index > 0)
		buf_printf(out, ", run %" PRId64 " of %zu", r->repeat_index, r->n_repeats);
	else if (r->n_repeats > 1)
		buf_printf(out, ", %zu runs", r->n_repeats);
}

void sentence_add_version(const struct report *report, struct buf *out)
{
	const char *version = text_of(report->run->tool_version);
	const char *rules = text_of(report->analyzed_by);

	buf_add_text(out, *version ? version : "unknown");
	if (*rules && strcmp(rules, version) != 0)
		buf_printf(out, " (judged by %s)", rules);
}

static void add_local_time(struct buf *out, const struct run *run)
{
	int64_t minutes = run->utc_offset_s / 60;
	int64_t size = minutes < 0 ? -minutes : minutes;
	const char *zone = text_of(run->timezone);

	layout_add_clock(out, run->started_at_ns, run->utc_offset_s, -1);
	buf_add_text(out, " to ");
	layout_add_clock(out, run->ended_at_ns, run->utc_offset_s, run->started_at_ns);
	/* Zones without a name carry their offset as one. */
	if (isalpha((unsigned char)*zone))
		buf_printf(out, " %s", zone);
	buf_printf(out, " %c%02d%02d ", minutes < 0 ? '-' : '+', (int)(size / 60),
		   (int)(size % 60));
}

static void add_utc(struct buf *out, int64_t realtime_ns, int64_t other_ns)
{
	layout_add_clock(out, realtime_ns, 0, other_ns);
	buf_add_text(out, realtime_ns < 0 ? "" : "Z");
}

/* Local time only where the offset is known: -1 is no offset that exists. */
void sentence_add_times(const struct run *run, struct buf *out)
{
	bool has_local = run->started_at_ns >= 0 && run->utc_offset_s != -1 &&
			 run->utc_offset_s >= -DAY_S && run->utc_offset_s <= DAY_S;

	if (run->started_at_ns < 0) {
		buf_add_text(out, "at an unknown time");
		return;
	}
	has_local = has_local && (run->utc_offset_s != 0 || strcmp(text_of(run->timezone), "UTC"));
	if (has_local)
		add_local_time(out, run);
	buf_add_text(out, has_local ? "(" : "");
	add_utc(out, run->started_at_ns, -1);
	buf_add_text(out, " to ");
	add_utc(out, run->ended_at_ns, run->started_at_ns);
	buf_add_text(out, has_local ? ")" : "");
}

void sentence_add_result(const struct verdict *verdict, struct buf *out)
{
	for (const char *name = verdict_name(verdict->result); *name; name++)
		buf_printf(out, "%c", toupper((unsigned char)*name));
}

void sentence_add_rule(const struct verdict *v, struct buf *out)
{
	const char *sep = ": ";

	if (v->requirement_mib_per_s < 0) {
		buf_add_text(out, "none");
		return;
	}
	buf_printf(out, "%.10g MiB/s per physical core = ", v->requirement_mib_per_s);
	layout_add_number(out, v->requirement_mb_per_s, 1);
	buf_printf(out, " MB/s (%s", *text_of(v->name) ? v->name : "unnamed");
	if (*text_of(v->source)) {
		buf_printf(out, "%s%s", sep, v->source);
		sep = ", ";
	}
	if (v->year > 0)
		buf_printf(out, "%s%" PRId64, sep, v->year);
	sep = "; ";
	if (*text_of(v->published))
		buf_printf(out, "%spublished as %s", sep, v->published);
	buf_add_text(out, ")");
}

/* Files without a name go by themselves; of those with one somebody must know the place. */
static void add_held(const struct report *r, const char *where, struct buf *out)
{
	bool is_named = strcmp(text_of(r->run->workspace), "named") == 0;

	buf_add_text(out, "the storage holds the test files until it answers; they ");
	if (is_named)
		buf_printf(out, "lie in %s", *where ? where : "the target");
	else
		buf_add_text(out, "have no name, so that their space comes back then");
}

static void add_left(const struct report *r, struct buf *out)
{
	const struct run *run = r->run;
	const char *where = *text_of(run->left_path) ? run->left_path : text_of(r->plan->target);

	if (run->remove_error == ETIMEDOUT) {
		add_held(r, where, out);
	} else if (run->left_bytes < 0) {
		buf_printf(out, "what is left in %s could not be checked",
			   *where ? where : "the target");
	} else if (plan_has_file(r->plan)) {
		buf_printf(out, "%s stays in %s, as it was asked for", r->plan->io.file_name,
			   text_of(r->plan->target));
	} else {
		buf_printf(out, "%" PRId64 " bytes left in %s", run->left_bytes,
			   run->left_bytes > 0 ? where : text_of(r->plan->target));
	}
	if (run->remove_error > 0 && run->remove_error != ETIMEDOUT)
		buf_printf(out, ", removing the test files failed (errno %" PRId64 ")",
			   run->remove_error);
}

static void add_exit(const struct report *r, struct buf *out)
{
	static const struct {
		int number;
		const char *name;
	} signals[] = { { SIGINT, "SIGINT" }, { SIGTERM, "SIGTERM" }, { SIGHUP, "SIGHUP" } };
	static const char *const statuses[] = {
		[EXIT_STATUS_DONE] = "done",
		[EXIT_STATUS_FAILED] = "failed",
		[EXIT_STATUS_USAGE] = "usage",
		[EXIT_STATUS_BELOW] = "below",
		[EXIT_STATUS_UNUSABLE] = "not to be used",
		[EXIT_STATUS_BUSY] = "busy",
	};
	int64_t status = r->exit_status;
	int64_t by = r->run->interrupted_by;

	/* Of a later run than this one. */
	if (by <= 0 && status > 128 && status <= 128 + 64)
		by = status - 128;

	if (by <= 0) {
		if (status < 0 || status >= (int64_t)ARRAY_LEN(statuses))
			buf_add_text(out, "exit status unknown");
		else
			buf_printf(out, "exit status %" PRId64 " (%s)", status, statuses[status]);
		return;
	}
	buf_printf(out, "ended by signal %" PRId64, by);
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		if (signals[i].number == by)
			buf_printf(out, " (%s)", signals[i].name);
	}
}

void sentence_add_end(const struct report *r, struct buf *out)
{
	add_left(r, out);
	if (r->run->started_at_ns >= 0 && r->run->ended_at_ns >= r->run->started_at_ns) {
		buf_add_text(out, ", ");
		units_add_duration(out, r->run->ended_at_ns - r->run->started_at_ns);
	}
	buf_add_text(out, ", ");
	add_exit(r, out);
}

void sentence_add_bundle(const struct report *r, struct buf *out)
{
	buf_add_text(out, *text_of(r->bundle) ? r->bundle : "none");
	if (*text_of(r->bundle) && *text_of(r->run->output_dir))
		buf_printf(out, " in %s", r->run->output_dir);
}

/* The first judged phase that is below, and what to do about what limits it. */
static const char *step_below(const struct report *r)
{
	static const char storage[] = "ask those who run the storage; iotest ticket has the words "
				      "for them";
	static const char quiet[] = "run it again when nobody else uses the storage";
	static const char host[] = "show this to those who run this host: what limits is on it";
	static const struct {
		const char *limited_by;
		const char *step;
	} steps[] = {
		{ "device", storage },	{ "flat-cap", storage }, { "first-write", storage },
		{ "latency", storage }, { "unknown", storage },	 { "", storage },
		{ "others", quiet },
	};
	const int kinds[] = { PHASE_WRITE, PHASE_READ, PHASE_MIXED };

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		const struct phase_rates *rates = report_rates_const(r, kinds[i]);

		if (!plan_judges(r->plan, kinds[i]) ||
		    rates->judged_mib_per_s_per_core >= r->verdict.requirement_mib_per_s)
			continue;
		for (size_t j = 0; j < ARRAY_LEN(steps); j++)
			if (strcmp(text_of(rates->limited_by), steps[j].limited_by) == 0)
				return steps[j].step;
	}
	return host;
}

void sentence_add_next(const struct report *r, struct buf *out)
{
	static const char *const steps[] = {
		[VERDICT_INCONCLUSIVE] = "do what the findings advise, and run the test again",
		[VERDICT_PASS] = "nothing; keep the bundle, to compare with later (iotest compare)",
		[VERDICT_BELOW] = NULL,
		[VERDICT_INVALID] = "do what the findings advise, and run the test again",
	};
	_Static_assert(ARRAY_LEN(steps) == VERDICT_COUNT, "a step for every verdict");
	bool is_known = r->verdict.result >= 0 && r->verdict.result < VERDICT_COUNT;
	int result = is_known ? r->verdict.result : VERDICT_INCONCLUSIVE;

	buf_add_text(out, result == VERDICT_BELOW ? step_below(r) : steps[result]);
}
