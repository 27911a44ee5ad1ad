/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_text_report - the whole report as a page for people
 *
 * The verdict first, the evidence after it, what to do last. Time zone, host and version come
 * from the report, so that it prints alike everywhere.
 */
#include "iotest/render.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "iotest/units.h"
#include "layout.h"
#include "text_parts.h"

#define VERDICT_COLUMN 9
#define FINDING_COLUMN 11

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

static void add_kind_of_run(const struct report *r, struct buf *out)
{
	const struct plan *plan = r->plan;

	if (plan->workers < 1)
		return;
	buf_add_text(out, "  ");
	if (plan->mode == MODE_FULL) {
		add_full(r, out);
	} else {
		buf_printf(out, "%s run", plan_mode_name(plan->mode));
		add_budget(plan->time_limit_ns, out);
	}
	if (plan->mixed_read_percent >= 0 && plan->mixed_read_percent <= 100)
		buf_printf(out, ", mixed %" PRId64 "/%" PRId64, plan->mixed_read_percent,
			   100 - plan->mixed_read_percent);
	if (plan->io.direct == 1)
		buf_add_text(out, ", direct");
	if (plan->together == 1)
		buf_add_text(out, ", together with the other targets");
	if (r->n_repeats > 1 && r->repeat_index > 0)
		buf_printf(out, ", run %" PRId64 " of %zu", r->repeat_index, r->n_repeats);
	else if (r->n_repeats > 1)
		buf_printf(out, ", %zu runs", r->n_repeats);
}

static void add_title(const struct report *r, struct buf *out)
{
	const char *version = text_of(r->run->tool_version);
	const char *rules = text_of(r->analyzed_by);
	CLEANUP(buf_done) struct buf line = { 0 };

	buf_printf(&line, "%s", *version ? version : "unknown");
	if (*rules && strcmp(rules, version) != 0)
		buf_printf(&line, " (judged by %s)", rules);
	buf_printf(&line, "  %s", *text_of(r->host->name) ? r->host->name : "unknown host");
	buf_printf(&line, "  %s", *text_of(r->plan->target) ? r->plan->target : "unknown target");
	add_kind_of_run(r, &line);
	if (*text_of(r->run->case_id))
		buf_printf(&line, "  case %s", r->run->case_id);
	layout_wrap(out, "iotest ", 7, buf_text(&line));
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
static void add_times(const struct run *run, struct buf *out)
{
	bool has_local = run->started_at_ns >= 0 && run->utc_offset_s != -1 &&
			 run->utc_offset_s >= -DAY_S && run->utc_offset_s <= DAY_S;
	CLEANUP(buf_done) struct buf line = { 0 };

	has_local = has_local && (run->utc_offset_s != 0 || strcmp(text_of(run->timezone), "UTC"));
	if (has_local)
		add_local_time(&line, run);
	buf_add_text(&line, has_local ? "(" : "");
	add_utc(&line, run->started_at_ns, -1);
	buf_add_text(&line, " to ");
	add_utc(&line, run->ended_at_ns, run->started_at_ns);
	buf_add_text(&line, has_local ? ")" : "");
	layout_wrap(out, "", 0, run->started_at_ns < 0 ? "at an unknown time" : buf_text(&line));
}

static void add_verdict(const struct verdict *v, struct buf *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	CLEANUP(buf_done) struct buf rule = { 0 };
	const char *sep = ": ";

	for (const char *name = verdict_name(v->result); *name; name++)
		buf_printf(&line, "%c", toupper((unsigned char)*name));
	buf_printf(&line, "  %s", text_of(v->text));
	layout_wrap(out, "VERDICT", VERDICT_COLUMN, buf_text(&line));

	if (v->requirement_mib_per_s < 0) {
		layout_row(out, VERDICT_COLUMN, "rule", "none");
		return;
	}
	buf_printf(&rule, "%.10g MiB/s per physical core = ", v->requirement_mib_per_s);
	layout_add_number(&rule, v->requirement_mb_per_s, 1);
	buf_printf(&rule, " MB/s (%s", *text_of(v->name) ? v->name : "unnamed");
	if (*text_of(v->source)) {
		buf_printf(&rule, "%s%s", sep, v->source);
		sep = ", ";
	}
	if (v->year > 0)
		buf_printf(&rule, "%s%" PRId64, sep, v->year);
	sep = "; ";
	if (*text_of(v->published))
		buf_printf(&rule, "%spublished as %s", sep, v->published);
	buf_add_text(&rule, ")");
	layout_row(out, VERDICT_COLUMN, "rule", "%s", buf_text(&rule));
}

static void add_finding(const struct finding *f, struct buf *out)
{
	layout_row(out, FINDING_COLUMN, severity_name(f->severity), "%s  %s",
		   *text_of(f->id) ? f->id : "unnamed", text_of(f->text));
	if (*text_of(f->advice))
		layout_wrap(out, "        -> ", FINDING_COLUMN, f->advice);
}

static void add_findings(const struct report *r, struct buf *out)
{
	buf_add_text(out, r->n_findings ? "FINDINGS\n" : "FINDINGS  none\n");
	for (int severity = SEVERITY_COUNT - 1; severity >= 0; severity--) {
		for (size_t i = 0; i < r->n_findings; i++) {
			if (r->findings[i].severity == severity)
				add_finding(&r->findings[i], out);
		}
	}
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

static void add_end(const struct report *r, struct buf *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	buf_add_text(&line, *text_of(r->bundle) ? r->bundle : "none");
	if (*text_of(r->bundle) && *text_of(r->run->output_dir))
		buf_printf(&line, " in %s", r->run->output_dir);
	layout_wrap(out, "BUNDLE", 8, buf_text(&line));
	buf_done(&line);
	add_left(r, &line);
	if (r->run->started_at_ns >= 0 && r->run->ended_at_ns >= r->run->started_at_ns) {
		buf_add_text(&line, ", ");
		units_add_duration(&line, r->run->ended_at_ns - r->run->started_at_ns);
	}
	buf_add_text(&line, ", ");
	add_exit(r, &line);
	layout_wrap(out, "CLEAN", 8, buf_text(&line));
}

/* Blank lines stand between groups of sections, and no group is empty. */
static void add_groups(const struct report *r, struct buf *out)
{
	static void (*const sections[])(const struct report *, struct buf *) = {
		text_add_block,
		NULL,
		text_add_rates,
		text_add_runs,
		text_add_workers,
		NULL,
		text_add_time,
		text_add_calls,
		NULL,
		text_add_proof,
		text_add_limits,
		NULL,
		text_add_facts,
		NULL,
		add_findings,
		NULL,
		add_end,
	};
	bool has_gap = true;

	buf_add_text(out, "\n");
	for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
		size_t before = out->len;

		if (sections[i]) {
			sections[i](r, out);
			has_gap = has_gap && out->len == before;
		} else if (!has_gap) {
			buf_add_text(out, "\n");
			has_gap = true;
		}
	}
}

void render_report_text(const struct report *report, struct buf *out)
{
	add_title(report, out);
	add_times(report->run, out);
	add_verdict(&report->verdict, out);
	text_add_control(report, VERDICT_COLUMN, out);
	add_groups(report, out);
}

void render_records_text(const struct records *records, struct buf *out)
{
	for (size_t i = 0; i < records->n_items; i++) {
		buf_add_text(out, i ? "\n" : "");
		render_report_text(&records->items[i]->report, out);
	}
}
