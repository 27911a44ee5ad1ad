/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress - what a person sees while it runs, on stderr
 */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "iotest/buf.h"
#include "iotest/units.h"

#define BAR_WIDTH 20
/* A stalled run has no time left that anybody could wait for. */
#define MAX_SECONDS (1000.0 * 3600)

void progress_init(struct progress *p, bool is_quiet)
{
	*p = (struct progress){ .is_quiet = is_quiet, .is_terminal = isatty(STDERR_FILENO) };
}

static double per_second(int64_t bytes, int64_t ns)
{
	return ns > 0 ? units_mib(bytes) / units_seconds(ns) : 0;
}

static double share(const struct run_sample *s)
{
	double r = s->planned_bytes > 0 ? (double)s->bytes / (double)s->planned_bytes : 0;

	return r > 1 ? 1 : r;
}

static void add_bar(struct buf *b, double ratio)
{
	int filled = (int)(ratio * BAR_WIDTH);

	buf_add_text(b, "[");
	for (int i = 0; i < BAR_WIDTH; i++)
		buf_add_text(b, i < filled ? "#" : "-");
	buf_add_text(b, "]");
}

static void add_time_left(struct buf *b, const struct run_sample *s)
{
	double mean = per_second(s->bytes, s->elapsed_ns);
	double seconds =
		mean > 0 ? ceil(units_mib(s->planned_bytes - s->bytes) / mean) : MAX_SECONDS;

	if (s->is_syncing) {
		buf_add_text(b, "  fsync");
	} else if (mean > 0) {
		buf_add_text(b, "  left ");
		units_add_duration(b, (int64_t)(seconds < MAX_SECONDS ? seconds : MAX_SECONDS) *
					      NS_PER_S);
	}
}

static void show_live(struct progress *p, const struct run_sample *s)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	int64_t ns = s->elapsed_ns - p->last_ns;

	if (ns > 0)
		p->current_mib_per_s = per_second(s->bytes - p->last_bytes, ns);
	p->last_bytes = s->bytes;
	p->last_ns = s->elapsed_ns;

	buf_printf(&line, "%-5s ", phase_kind_name(s->phase));
	add_bar(&line, share(s));
	buf_printf(&line, " %3.0f %%  now %.0f  mean %.0f MiB/s", 100 * share(s),
		   p->current_mib_per_s, per_second(s->bytes, s->elapsed_ns));
	add_time_left(&line, s);
	/* Back to the first column, the line, and erase what an earlier, longer one left. */
	fprintf(stderr, "\r%.79s\033[K", buf_text(&line));
	fflush(stderr);
}

static void show_begin(const struct run_sample *s)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	buf_printf(&line, "%s phase: ", phase_kind_name(s->phase));
	units_add_size(&line, s->planned_bytes);
	buf_printf(&line, " with %lld workers\n", (long long)s->n_running);
	fputs(buf_text(&line), stderr);
}

static void show_end(const struct run_event *event)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	const struct run_sample *s = &event->sample;

	buf_printf(&line, "%s phase: %s, ", phase_kind_name(s->phase),
		   phase_status_name(run_phase_const(event->run, s->phase)->status));
	units_add_size(&line, s->bytes);
	buf_add_text(&line, " in ");
	units_add_duration(&line, s->elapsed_ns);
	fprintf(stderr, "%s\n", buf_text(&line));
}

void progress_tell(struct progress *p, const struct run_event *event)
{
	if (p->is_quiet)
		return;
	if (event->kind == RUN_PHASE_BEGIN) {
		p->last_bytes = 0;
		p->last_ns = 0;
		if (!p->is_terminal)
			show_begin(&event->sample);
	} else if (event->kind == RUN_SAMPLE && p->is_terminal) {
		show_live(p, &event->sample);
	} else if (event->kind == RUN_PHASE_END) {
		if (p->is_terminal)
			fputs("\r\033[K", stderr);
		show_end(event);
	} else if (event->kind == RUN_REMOVING) {
		fputs("removing the test files\n", stderr);
	}
}
