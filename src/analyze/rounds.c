/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rounds - a phase over time: steady or not, a lasting fall, memory touched for the first time
 *
 * Buffered writes without a window are looked at where they arrive, at the lowest devices: how
 * fast the page cache takes them says nothing about the storage. All else is looked at in the
 * workers.
 */
#include "rounds.h"

#include <stdlib.h>

#include "iotest/compiler.h"
#include "iotest/series.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "foreign.h"
#include "stats.h"

/* A phase has SERIES_ROUNDS of them, more only if its facts are odd. */
#define ROUNDS_MAX (2 * SERIES_ROUNDS)
/* A round costs this many times the CPU of the later ones, and this much in all. */
#define SPOILED_RATIO 3.0
#define SPOILED_CPU_S_PER_GIB 0.3
#define UNSPOILED_ROUNDS_MIN 3
/* In a round with less than this share of the mean, CPU per byte says nothing. */
#define CPU_BYTES_RATIO 0.1

/* Counts over time that only grow; n is 0 if they are not known. */
struct counts {
	struct series_sample *samples;
	size_t n;
};

static void counts_done(struct counts *c)
{
	free(c->samples);
	*c = (struct counts){ 0 };
}

static int64_t bytes_of(const struct series_point *p)
{
	return p->bytes;
}

static int64_t cpu_of(const struct series_point *p)
{
	return p->cpu_ns;
}

static int64_t written_of(const struct series_point *p)
{
	return p->device_written_bytes;
}

/* Facts of a file may be in any order; one point without a count spoils them all. */
static void take(const struct phase *phase, int64_t (*of)(const struct series_point *),
		 struct counts *out)
{
	struct series_sample last = { 0, 0 };

	out->samples = xcalloc(phase->n_series, sizeof(*out->samples));
	for (size_t i = 0; i < phase->n_series; i++) {
		struct series_sample s = { phase->series[i].at_ns, of(&phase->series[i]) };

		if (s.count < 0) {
			out->n = 0;
			return;
		}
		if (s.at_ns <= last.at_ns)
			continue;
		if (s.count < last.count)
			s.count = last.count;
		out->samples[out->n++] = s;
		last = s;
	}
}

static int64_t last_count(const struct counts *c)
{
	return c->n ? c->samples[c->n - 1].count : -1;
}

static double count_at(const struct counts *c, int64_t at_ns)
{
	return series_count_at(c->samples, c->n, at_ns);
}

/* What one phase is looked at by. */
struct view {
	struct counts bytes;
	struct counts cpu;
	struct counts written;
	const struct counts *moved; /* what the rounds are made of */
	double scale;		    /* of moved to the bytes of the workers */
	int64_t until_ns;
	bool can_burst; /* a fall is one of the storage */
};

static void view_done(struct view *v)
{
	counts_done(&v->bytes);
	counts_done(&v->cpu);
	counts_done(&v->written);
}

/* The first end of the calls of a worker, so that tails do not count. */
static int64_t first_last_io_ns(const struct phase *phase)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < phase->n_workers; i++) {
		const struct worker_result *w = &phase->workers[i];
		int64_t at = w->last_io_ns > 0 ? w->last_io_ns : w->end_ns;

		if (at < first)
			first = at;
	}
	return first;
}

/* Its writers cannot run ahead of the storage by more than a window. */
static bool is_held_to_storage(const struct report *r, int kind)
{
	return stats_is_control(kind) || r->plan->io.direct == 1 || r->plan->io.window_bytes > 0;
}

/* Others who wrote at the same time would be taken for a burst of ours, or for its end. */
static bool is_shared(const struct report *r, int kind)
{
	struct foreign f = foreign_find(r, kind, NULL);

	return f.total_bytes > 0 && (double)f.bytes > FOREIGN_RATIO_MAX * (double)f.total_bytes;
}

/* Mirrors make the devices write more than the workers did: that share is taken out of all rounds
 * alike. Less than half: the devices do not tell. */
static bool look_at_devices(const struct report *r, int kind, const struct phase_rates *rates,
			    struct view *v)
{
	int64_t bytes = last_count(&v->bytes);
	int64_t written = last_count(&v->written);

	if (written <= 0 || written < bytes / 2 || is_shared(r, kind))
		return false;
	v->moved = &v->written;
	v->scale = written > bytes ? (double)bytes / (double)written : 1;
	v->until_ns = rates->first_done_ns;
	v->can_burst = true;
	return true;
}

static void look(const struct report *r, int kind, const struct phase_rates *rates, struct view *v)
{
	const struct phase *phase = run_phase_const(r->run, kind);
	bool is_write = kind == PHASE_WRITE || kind == PHASE_CONTROL_WRITE;
	int64_t last_ns;

	take(phase, bytes_of, &v->bytes);
	take(phase, cpu_of, &v->cpu);
	take(phase, written_of, &v->written);
	if (v->bytes.n == 0)
		return;
	if (!is_write || is_held_to_storage(r, kind) || !look_at_devices(r, kind, rates, v)) {
		v->moved = &v->bytes;
		v->scale = 1;
		v->until_ns = first_last_io_ns(phase);
		v->can_burst = phase_kind_reads(kind) || is_held_to_storage(r, kind);
	}
	last_ns = v->moved->samples[v->moved->n - 1].at_ns;
	if (v->until_ns > last_ns)
		v->until_ns = last_ns;
}

static double cpu_s_per_gib(const struct view *v, size_t n_rounds, const struct round *round)
{
	double bytes = count_at(&v->bytes, round->end_ns) - count_at(&v->bytes, round->start_ns);
	double enough = CPU_BYTES_RATIO * (double)last_count(&v->bytes) / (double)n_rounds;
	double cpu_ns;

	if (v->cpu.n == 0 || bytes <= 0 || bytes < enough)
		return -1;
	cpu_ns = count_at(&v->cpu, round->end_ns) - count_at(&v->cpu, round->start_ns);
	return cpu_ns / (double)NS_PER_S / (bytes / (double)GIB);
}

static void make_rounds(const struct view *v, const double *per_s, size_t n,
			struct phase_rates *out)
{
	out->rounds = xcalloc(n, sizeof(*out->rounds));
	out->n_rounds = n;
	for (size_t i = 0; i < n; i++) {
		struct round *round = &out->rounds[i];

		round->start_ns = (int64_t)i * out->round_ns;
		round->end_ns = round->start_ns + out->round_ns;
		round->mib_per_s = per_s[i] * v->scale / (double)MIB;
		round->cpu_s_per_gib = cpu_s_per_gib(v, n, round);
	}
}

static int by_value(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return (*x > *y) - (*x < *y);
}

/* The median CPU of those rounds whose figure is known and that are spoiled, or are not; -1. */
static double median_cpu(const struct round *rounds, size_t n, int spoiled)
{
	double known[ROUNDS_MAX];
	size_t n_known = 0;

	for (size_t i = 0; i < n && n_known < ARRAY_LEN(known); i++)
		if (rounds[i].cpu_s_per_gib >= 0 && rounds[i].is_spoiled == spoiled)
			known[n_known++] = rounds[i].cpu_s_per_gib;
	if (n_known == 0)
		return -1;
	qsort(known, n_known, sizeof(*known), by_value);
	return (known[(n_known - 1) / 2] + known[n_known / 2]) / 2;
}

double rounds_cpu_s_per_gib(const struct phase_rates *rates, bool spoiled)
{
	return median_cpu(rates->rounds, rates->n_rounds, spoiled);
}

/* The rounds at the beginning whose CPU is far above the later level. */
static void find_spoiled(const struct view *v, struct phase_rates *out)
{
	size_t half = out->n_rounds / 2;
	double later = median_cpu(out->rounds + half, out->n_rounds - half, 0);
	size_t n = 0;
	int64_t end_ns;
	double bytes;

	out->n_spoiled_rounds = 0;
	while (later >= 0 && n < out->n_rounds &&
	       out->rounds[n].cpu_s_per_gib > SPOILED_RATIO * later &&
	       out->rounds[n].cpu_s_per_gib > SPOILED_CPU_S_PER_GIB)
		n++;
	if (n == 0 || n + UNSPOILED_ROUNDS_MIN > out->n_rounds)
		return;
	for (size_t i = 0; i < n; i++)
		out->rounds[i].is_spoiled = 1;
	out->n_spoiled_rounds = (int64_t)n;
	end_ns = out->rounds[n - 1].end_ns;
	bytes = (double)out->bytes - count_at(&v->bytes, end_ns);
	if (out->last_done_ns > end_ns && bytes > 0)
		out->unspoiled_mib_per_s =
			bytes / (double)MIB / units_seconds(out->last_done_ns - end_ns);
}

static double moved_mib_per_s(const struct view *v, int64_t from_ns, int64_t to_ns)
{
	double count = count_at(v->moved, to_ns) - count_at(v->moved, from_ns);

	return to_ns > from_ns ? count * v->scale / (double)MIB / units_seconds(to_ns - from_ns)
			       : -1;
}

static int64_t whole(double count)
{
	return count < (double)INT64_MAX ? (int64_t)count : INT64_MAX;
}

/*
 * When it fell, within the rounds on both sides of the fall: there, the rate before and the one
 * after share the time so that together they move what was moved.
 */
static int64_t fall_ns(const struct view *v, const struct round *before, const struct round *after,
		       int64_t from_ns)
{
	double high = moved_mib_per_s(v, from_ns, before->start_ns);
	double low = moved_mib_per_s(v, after->end_ns, v->until_ns);
	double mean = moved_mib_per_s(v, before->start_ns, after->end_ns);
	double length_ns = (double)(after->end_ns - before->start_ns);
	double share;

	if (high <= low || low < 0)
		return after->start_ns;
	share = (mean - low) / (high - low);
	if (share <= 0 || share >= 1)
		return after->start_ns;
	return before->start_ns + (int64_t)(share * length_ns);
}

/* Rounds that are spoiled are slower for a reason of their own, and no part of a burst. */
static void find_cliff(const struct view *v, const double *per_s, struct phase_rates *out)
{
	size_t skip = (size_t)out->n_spoiled_rounds;
	size_t n = out->n_rounds - skip;
	const struct round *rounds = out->rounds + skip;
	struct series_cliff cliff;

	if (!v->can_burst || !series_find_cliff(per_s + skip, n, &cliff))
		return;
	if (cliff.at < 1 || cliff.at >= n)
		return;
	out->burst_ns = fall_ns(v, &rounds[cliff.at - 1], &rounds[cliff.at], rounds[0].start_ns);
	out->burst_mib_per_s = moved_mib_per_s(v, rounds[0].start_ns, out->burst_ns);
	out->burst_bytes = whole(count_at(v->moved, out->burst_ns) * v->scale);
	out->sustained_mib_per_s = moved_mib_per_s(v, out->burst_ns, v->until_ns);
}

static void judge_steady(const double *per_s, struct phase_rates *out)
{
	struct series_steady steady;

	if (!series_judge_steady(per_s, out->n_rounds, &steady))
		return;
	out->is_steady = steady.is_steady;
	out->steady_range_ratio = steady.range_ratio;
	out->steady_slope_ratio = steady.slope_ratio;
}

void rounds_fill(const struct report *report, int phase_kind, struct phase_rates *out)
{
	CLEANUP(view_done) struct view v = { 0 };
	double per_s[ROUNDS_MAX];
	size_t n;

	if (out->aggregate_mib_per_s < 0 || run_phase_const(report->run, phase_kind)->n_series == 0)
		return;
	look(report, phase_kind, out, &v);
	if (v.until_ns <= 0)
		return;
	out->round_ns = series_round_ns(out->elapsed_ns);
	n = series_rates(v.moved->samples, v.moved->n, out->round_ns, 0, v.until_ns, per_s,
			 ROUNDS_MAX);
	if (n == 0)
		return;
	out->rounds_are_devices = v.moved == &v.written;
	make_rounds(&v, per_s, n, out);
	judge_steady(per_s, out);
	find_spoiled(&v, out);
	find_cliff(&v, per_s, out);
}
