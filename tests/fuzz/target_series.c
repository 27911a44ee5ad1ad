/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_series - counts over time: rounds, steady or not, a lasting fall, and the judgement of a
 * phase whose samples and workers are any numbers
 *
 * The bytes are taken for numbers, the first ones say how many of each.
 */
#include <math.h>

#include "fuzz.h"
#include "iotest/analyze.h"
#include "iotest/histogram.h"
#include "iotest/render.h"
#include "iotest/series.h"
#include "sample_nouns.h"

#define SAMPLES_MAX 64
#define RATES_MAX 64

/* Samples are ascending in time, and counts only grow: that is the contract. */
static size_t take_samples(struct fuzz_bytes *bytes, struct series_sample *out)
{
	size_t n = fuzz_take_u8(bytes) % (SAMPLES_MAX + 1);
	struct series_sample last = { 0 };

	for (size_t i = 0; i < n; i++) {
		int64_t at_step = fuzz_take_i64(bytes) & INT64_MAX;
		int64_t count_step = fuzz_take_i64(bytes) & INT64_MAX;

		if (__builtin_add_overflow(last.at_ns, at_step, &last.at_ns))
			last.at_ns = INT64_MAX;
		if (__builtin_add_overflow(last.count, count_step, &last.count))
			last.count = INT64_MAX;
		out[i] = last;
	}
	return n;
}

static void check_rates(const double *rates, size_t n)
{
	struct series_steady steady;
	struct series_cliff cliff;

	if (series_judge_steady(rates, n, &steady))
		FUZZ_REQUIRE(n >= SERIES_WINDOW);
	if (series_find_cliff(rates, n, &cliff))
		FUZZ_REQUIRE(cliff.at >= 1 && cliff.at < n && cliff.after < cliff.before);
}

static void check_samples(struct fuzz_bytes *bytes)
{
	struct series_sample samples[SAMPLES_MAX];
	double rates[RATES_MAX];
	size_t n = take_samples(bytes, samples);
	int64_t from_ns = fuzz_take_i64(bytes), until_ns = fuzz_take_i64(bytes);
	int64_t round_ns = series_round_ns(fuzz_take_i64(bytes));
	size_t max = fuzz_take_u8(bytes) % (RATES_MAX + 1);
	size_t n_rates = series_rates(samples, n, round_ns, from_ns, until_ns, rates, max);

	FUZZ_REQUIRE(round_ns > 0 && n_rates <= max);
	for (size_t i = 0; i < n_rates; i++)
		FUZZ_REQUIRE(isfinite(rates[i]));
	check_rates(rates, n_rates);
}

static void check_any_rates(struct fuzz_bytes *bytes)
{
	double rates[RATES_MAX];
	size_t n = fuzz_take_u8(bytes) % (RATES_MAX + 1);

	for (size_t i = 0; i < n; i++) {
		double rate = fuzz_take_double(bytes);

		rates[i] = isfinite(rate) ? rate : 0;
	}
	check_rates(rates, n);
}

static void check_histogram(struct fuzz_bytes *bytes)
{
	CLEANUP(xfree) uint64_t *counts = xcalloc(HISTOGRAM_CLASSES, sizeof(*counts));
	size_t n = fuzz_take_u8(bytes) % 16;
	double share = fuzz_take_double(bytes);

	for (size_t i = 0; i < n; i++) {
		size_t class_index = histogram_class(fuzz_take_i64(bytes));

		FUZZ_REQUIRE(class_index < HISTOGRAM_CLASSES);
		counts[class_index] += fuzz_take_u8(bytes);
	}
	FUZZ_REQUIRE(histogram_percentile_ns(counts, share) >= -1);
}

/* Facts as a file may hold them: -1 or more, in any order. */
static int64_t take_fact(struct fuzz_bytes *bytes)
{
	int64_t n = fuzz_take_i64(bytes);

	return n < 0 ? -1 : n;
}

static void take_points(struct fuzz_bytes *bytes, struct phase *phase)
{
	size_t n = fuzz_take_u8(bytes) % SAMPLES_MAX;

	for (size_t i = 0; i < n; i++) {
		struct series_point *p = XGROW(&phase->series, &phase->n_series);

		p->at_ns = take_fact(bytes);
		p->bytes = take_fact(bytes);
		p->cpu_ns = take_fact(bytes);
		p->n_running = take_fact(bytes);
		p->device_read_bytes = take_fact(bytes);
		p->device_written_bytes = take_fact(bytes);
		p->dirty_bytes = take_fact(bytes);
	}
}

static void take_workers(struct fuzz_bytes *bytes, struct phase *phase)
{
	for (size_t i = 0; i < phase->n_workers; i++) {
		struct worker_result *w = &phase->workers[i];

		if (!(fuzz_take_u8(bytes) & 1))
			continue;
		w->bytes = take_fact(bytes);
		w->start_ns = take_fact(bytes);
		w->last_io_ns = take_fact(bytes);
		w->end_ns = take_fact(bytes);
		w->user_ns = take_fact(bytes);
		w->storage_bytes = take_fact(bytes);
		w->stopped_ns = take_fact(bytes);
	}
}

/* A run as it was made, but for what the bytes say. */
static void check_judgement(struct fuzz_bytes *bytes)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(records_done) struct records again = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };
	CLEANUP(buf_done) struct buf json = { 0 };
	struct record *r = records_add(&records);
	int kind = fuzz_take_u8(bytes) % PHASE_COUNT;

	sample_fill_host(&r->host);
	sample_fill_plan(&r->plan);
	sample_fill_run(&r->run);
	sample_fill_control(&r->run);
	r->plan.io.direct = fuzz_take_u8(bytes) & 1;
	free(run_phase(&r->run, kind)->series);
	run_phase(&r->run, kind)->series = NULL;
	run_phase(&r->run, kind)->n_series = 0;
	take_points(bytes, run_phase(&r->run, kind));
	take_workers(bytes, run_phase(&r->run, kind));
	analyze(&r->report);
	render_records_text(&records, &page);
	FUZZ_REQUIRE(render_records_json(&records, &json, NULL) == 0);
	FUZZ_REQUIRE(render_read_json(json.data, json.len, "report", &again, NULL) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };

	switch (fuzz_take_u8(&bytes) % 4) {
	case 0:
		check_samples(&bytes);
		break;
	case 1:
		check_any_rates(&bytes);
		break;
	case 2:
		check_histogram(&bytes);
		break;
	default:
		check_judgement(&bytes);
	}
	return 0;
}
