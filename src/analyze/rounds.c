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
#include "first_touch.h"
#include "foreign.h"
#include "stats.h"

/* A phase has SERIES_ROUNDS of them, more only if its facts are odd. */
#define ROUNDS_MAX (2 * SERIES_ROUNDS)
/* What must be left without first touch of memory: this time, and this share of all. */
#define UNSPOILED_NS_MIN NS_PER_S
#define UNSPOILED_RATIO_MIN 0.25
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

/* Parts without first touch, fsync at the end included, in all the time that is left without the
 * others; unless that is too little. */
static double unspoiled_mib_per_s(const struct first_touch *touch, const struct phase_rates *rates)
{
	int64_t left_ns = rates->last_done_ns - touch->spoiled_ns;
	double bytes = (double)rates->bytes - touch->spoiled_bytes;

	if (touch->spoiled_ns == 0 || left_ns < UNSPOILED_NS_MIN || bytes <= 0 ||
	    (double)left_ns < UNSPOILED_RATIO_MIN * (double)rates->last_done_ns)
		return -1;
	return bytes / (double)MIB / units_seconds(left_ns);
}

static void find_spoiled(const struct view *v, size_t n_workers, struct phase_rates *out)
{
	CLEANUP(first_touch_done) struct first_touch touch = { 0 };
	const struct first_touch_facts facts = {
		.bytes = v->bytes.samples,
		.cpu_ns = v->cpu.samples,
		.n = v->cpu.n == v->bytes.n ? v->cpu.n : 0,
		.n_workers = n_workers,
	};

	first_touch_find(&facts, &touch);
	out->spoiled_ns = touch.spoiled_ns;
	out->spoiled_cpu_s_per_gib = touch.spoiled_cpu_s_per_gib;
	out->unspoiled_cpu_s_per_gib = touch.other_cpu_s_per_gib;
	out->unspoiled_mib_per_s = unspoiled_mib_per_s(&touch, out);
	out->n_spoiled_rounds = 0;
	for (size_t i = 0; i < out->n_rounds; i++) {
		struct round *round = &out->rounds[i];
		int64_t ns = first_touch_ns(&touch, round->start_ns, round->end_ns);

		round->is_spoiled = ns > out->round_ns / 2;
		out->n_spoiled_rounds += round->is_spoiled;
	}
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

/* Rounds that are spoiled are slower for a reason of their own: they are no fall of the storage,
 * and not what would have become steady. */
static size_t keep_unspoiled(const struct phase_rates *rates, double *per_s, size_t *kept)
{
	size_t n = 0;

	for (size_t i = 0; i < rates->n_rounds; i++) {
		if (rates->rounds[i].is_spoiled)
			continue;
		kept[n] = i;
		per_s[n++] = per_s[i];
	}
	return n;
}

static void find_cliff(const struct view *v, const double *per_s, const size_t *kept, size_t n,
		       struct phase_rates *out)
{
	const struct round *rounds = out->rounds;
	struct series_cliff cliff;

	if (!v->can_burst || !series_find_cliff(per_s, n, &cliff) || cliff.at < 1 || cliff.at >= n)
		return;
	out->burst_ns = fall_ns(v, &rounds[kept[cliff.at - 1]], &rounds[kept[cliff.at]],
				rounds[kept[0]].start_ns);
	out->burst_mib_per_s = moved_mib_per_s(v, rounds[kept[0]].start_ns, out->burst_ns);
	out->burst_bytes = whole(count_at(v->moved, out->burst_ns) * v->scale);
	out->sustained_mib_per_s = moved_mib_per_s(v, out->burst_ns, v->until_ns);
}

static void judge_steady(const double *per_s, size_t n, struct phase_rates *out)
{
	struct series_steady steady;

	if (!series_judge_steady(per_s, n, &steady))
		return;
	out->is_steady = steady.is_steady;
	out->steady_range_ratio = steady.range_ratio;
	out->steady_slope_ratio = steady.slope_ratio;
}

void rounds_fill(const struct report *report, int phase_kind, struct phase_rates *out)
{
	CLEANUP(view_done) struct view v = { 0 };
	const struct phase *phase = run_phase_const(report->run, phase_kind);
	double per_s[ROUNDS_MAX];
	size_t kept[ROUNDS_MAX];
	size_t n;

	if (out->aggregate_mib_per_s < 0 || phase->n_series == 0)
		return;
	look(report, phase_kind, out, &v);
	if (v.until_ns <= 0)
		return;
	out->round_ns = series_round_ns(out->elapsed_ns);
	n = series_rates(v.moved->samples, v.moved->n, out->round_ns, 0, v.until_ns, per_s,
			 ROUNDS_MAX);
	if (n > 0) {
		out->rounds_are_devices = v.moved == &v.written;
		make_rounds(&v, per_s, n, out);
	}
	find_spoiled(&v, phase->n_workers, out);
	n = keep_unspoiled(out, per_s, kept);
	judge_steady(per_s, n, out);
	find_cliff(&v, per_s, kept, n, out);
}
