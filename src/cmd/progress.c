/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress - what a person sees while it runs, on stderr
 */
#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iotest/buf.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"

#define BAR_WIDTH 10
/* A stalled run has no time left that anybody could wait for. */
#define MAX_SECONDS (1000.0 * 3600)
/* Several jobs tell four times a second each; the line is written as often as for one. */
#define LINE_EVERY_NS (200 * NS_PER_MS)

void progress_init(struct progress *p, bool is_quiet)
{
	*p = (struct progress){ .is_quiet = is_quiet, .is_terminal = isatty(STDERR_FILENO) };
}

void progress_done(struct progress *p)
{
	free(p->samples);
	*p = (struct progress){ .is_quiet = true };
}

void progress_begin(struct progress *p, const struct plan *plans, size_t n, size_t run)
{
	free(p->samples);
	p->samples = xcalloc(n, sizeof(*p->samples));
	p->plans = plans;
	p->n_jobs = n;
	if (!p->is_quiet && plans[0].repeat > 1)
		fprintf(stderr, "run %zu of %" PRId64 "\n", run + 1, plans[0].repeat);
}

static double per_second(int64_t bytes, int64_t ns)
{
	return ns > 0 ? units_mib(bytes) / units_seconds(ns) : 0;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

/* A phase ends with its bytes or with its time, whichever is first. */
static double share(const struct run_sample *s, int64_t budget_ns)
{
	double bytes = s->planned_bytes > 0 ? (double)s->bytes / (double)s->planned_bytes : 0;
	double time = budget_ns > 0 ? (double)s->elapsed_ns / (double)budget_ns : 0;

	return smaller(bytes > time ? bytes : time, 1);
}

static double seconds_left(const struct run_sample *s, int64_t budget_ns)
{
	double mean = per_second(s->bytes, s->elapsed_ns);
	double seconds = MAX_SECONDS;

	if (mean > 0)
		seconds = smaller(seconds, ceil(units_mib(s->planned_bytes - s->bytes) / mean));
	if (budget_ns > 0)
		seconds = smaller(seconds, ceil(units_seconds(budget_ns - s->elapsed_ns)));
	return seconds > 0 ? seconds : 0;
}

/* The requirement is one per core, so this is, too. 0 where no plan knows the cores. */
static int64_t cores_of(const struct progress *p)
{
	int64_t cores = 0;

	for (size_t i = 0; i < p->n_jobs; i++)
		cores += p->plans[i].cores > 0 ? p->plans[i].cores : 0;
	return cores;
}

static void add_rate(struct buf *b, const char *label, double mib_per_s)
{
	buf_printf(b, "  %s %.*f", label, mib_per_s < 99.95 ? 1 : 0, mib_per_s);
}

static void add_rates(const struct progress *p, double mean_mib_per_s, struct buf *b)
{
	int64_t cores = cores_of(p);
	double divisor = cores > 0 ? (double)cores : 1;

	add_rate(b, "now", p->current_mib_per_s / divisor);
	add_rate(b, "mean", mean_mib_per_s / divisor);
	buf_add_text(b, cores > 0 ? " MiB/s per core" : " MiB/s in all");
}

static void add_bar(struct buf *b, double ratio)
{
	int filled = (int)(ratio * BAR_WIDTH);

	buf_add_text(b, "[");
	for (int i = 0; i < BAR_WIDTH; i++)
		buf_add_text(b, i < filled ? "#" : "-");
	buf_add_text(b, "]");
}

static void add_time_left(struct buf *b, const struct run_sample *s, int64_t budget_ns)
{
	if (s->is_syncing) {
		buf_add_text(b, "  fsync");
	} else if (s->bytes > 0) {
		buf_add_text(b, "  left ");
		units_add_duration(b, (int64_t)seconds_left(s, budget_ns) * NS_PER_S);
	}
}

/* "control_write" is one word for machines. */
static void add_phase(struct buf *b, int phase)
{
	for (const char *c = phase_kind_name(phase); *c; c++)
		buf_printf(b, "%c", *c == '_' ? ' ' : *c);
}

/* All jobs as one. */
static struct run_sample sum(const struct progress *p, const struct run_sample *last)
{
	struct run_sample all = {
		.phase = last->phase,
		.elapsed_ns = last->elapsed_ns,
		.is_syncing = 1,
	};

	for (size_t i = 0; i < p->n_jobs; i++) {
		all.bytes += p->samples[i].bytes;
		all.planned_bytes += p->samples[i].planned_bytes;
		all.is_syncing &= p->samples[i].is_syncing;
	}
	return all;
}

static void show_live(struct progress *p, const struct run_event *event)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	const struct run_sample s = sum(p, &event->sample);
	int64_t budget_ns = run_phase_const(event->run, s.phase)->budget_ns;
	int64_t ns = s.elapsed_ns - p->last_ns;

	if (p->n_jobs > 1 && p->last_ns > 0 && ns < LINE_EVERY_NS)
		return;
	if (ns > 0)
		p->current_mib_per_s = per_second(s.bytes - p->last_bytes, ns);
	p->last_bytes = s.bytes;
	p->last_ns = s.elapsed_ns;

	add_phase(&line, s.phase);
	while (line.len < strlen("write "))
		buf_add_text(&line, " ");
	add_bar(&line, share(&s, budget_ns));
	buf_printf(&line, " %3.0f %%", 100 * share(&s, budget_ns));
	add_rates(p, per_second(s.bytes, s.elapsed_ns), &line);
	add_time_left(&line, &s, budget_ns);
	/* Back to the first column, the line, and erase what an earlier, longer one left. */
	fprintf(stderr, "\r%.79s\033[K", buf_text(&line));
	fflush(stderr);
}

/* "write phase: ", with its target where there are several. */
static void add_heading(const struct progress *p, const struct run_event *event, struct buf *line)
{
	add_phase(line, event->sample.phase);
	buf_add_text(line, " phase");
	if (p->n_jobs > 1) {
		buf_add_text(line, " of ");
		buf_add_visible(line, text_of(p->plans[event->job].target));
	}
	buf_add_text(line, ": ");
}

static int64_t planned_budget_ns(const struct plan *plan, int phase)
{
	if (phase == PHASE_WRITE)
		return plan->write_budget_ns;
	return phase == PHASE_READ || phase == PHASE_MIXED ? plan->read_budget_ns : -1;
}

static void show_begin(const struct progress *p, const struct run_event *event)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	int64_t budget_ns = planned_budget_ns(&p->plans[event->job], event->sample.phase);

	add_heading(p, event, &line);
	units_add_size(&line, event->sample.planned_bytes);
	buf_printf(&line, " with %" PRId64 " workers", event->sample.n_running);
	if (budget_ns > 0) {
		buf_add_text(&line, ", at most ");
		units_add_duration(&line, budget_ns);
	}
	fprintf(stderr, "%s\n", buf_text(&line));
}

static void show_end(const struct progress *p, const struct run_event *event)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	const struct run_sample *s = &event->sample;

	add_heading(p, event, &line);
	buf_printf(&line, "%s, ", phase_status_name(run_phase_const(event->run, s->phase)->status));
	units_add_size(&line, s->bytes);
	buf_add_text(&line, " in ");
	units_add_duration(&line, s->elapsed_ns);
	fprintf(stderr, "%s\n", buf_text(&line));
}

void progress_tell(struct progress *p, const struct run_event *event)
{
	if (p->is_quiet || event->job >= p->n_jobs)
		return;
	p->samples[event->job] = event->sample;
	if (event->kind == RUN_PHASE_BEGIN) {
		p->last_bytes = 0;
		p->last_ns = 0;
		if (!p->is_terminal)
			show_begin(p, event);
	} else if (event->kind == RUN_SAMPLE && p->is_terminal) {
		show_live(p, event);
	} else if (event->kind == RUN_PHASE_END) {
		if (p->is_terminal)
			fputs("\r\033[K", stderr);
		show_end(p, event);
	} else if (event->kind == RUN_REMOVING) {
		fputs("removing the test files\n", stderr);
	}
}
