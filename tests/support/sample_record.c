/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_record - finished runs that were never made, every figure chosen by hand
 */
#include "sample_record.h"

#include "iotest/xalloc.h"
#include "sample_nouns.h"

/* So many rounds, each a little off the rate. */
static void add_rounds(struct phase_rates *rates, double mib_per_s, int n, int is_spoiled)
{
	static const double ripple[] = { 1.01, 0.99, 1, 1.02, 0.98 };

	for (int i = 0; i < n; i++) {
		struct round *round = XGROW(&rates->rounds, &rates->n_rounds);
		int64_t index = (int64_t)rates->n_rounds - 1;

		*round = (struct round){
			.start_ns = index * rates->round_ns,
			.end_ns = (index + 1) * rates->round_ns,
			.mib_per_s = mib_per_s * ripple[(size_t)index % ARRAY_LEN(ripple)],
			.cpu_s_per_gib = is_spoiled ? 0.92 : 0.17,
			.is_spoiled = is_spoiled,
		};
	}
}

/* What follows from bytes and time, for four workers that are as many as the cores. */
static void fill_base(struct phase_rates *rates, int64_t bytes, int64_t elapsed_ns,
		      const struct sample_calls *calls)
{
	double mib_per_s = (double)bytes / (double)MIB / ((double)elapsed_ns / NS_PER_S);
	const double per_core = mib_per_s / SAMPLE_WORKERS;

	rates->usable = 1;
	rates->bytes = bytes;
	rates->elapsed_ns = elapsed_ns;
	rates->aggregate_mib_per_s = mib_per_s;
	rates->aggregate_mb_per_s = mib_per_s * MIB / 1e6;
	rates->mib_per_s_per_core = per_core;
	rates->judged_mib_per_s_per_core = per_core;
	rates->judged_by = JUDGED_ALL;
	rates->need_mib_per_s = 100 * SAMPLE_WORKERS;
	rates->carries_cores = (int64_t)(mib_per_s / 100);
	rates->last_done_ns = elapsed_ns;
	rates->slowest_mib_per_s = per_core;
	rates->slowest_worker = SAMPLE_WORKERS;
	rates->fastest_worker = 1;
	rates->start_skew_ns = 300000;
	rates->call_p50_ns = calls->p50;
	rates->call_p90_ns = calls->p90;
	rates->call_p99_ns = calls->p99;
	rates->call_p999_ns = calls->p999;
	rates->call_max_ns = calls->max;
	rates->n_runs = 1;
}

static void fill_steady(struct phase_rates *rates, double range_ratio, double slope_ratio)
{
	rates->is_steady = 1;
	rates->steady_range_ratio = range_ratio;
	rates->steady_slope_ratio = slope_ratio;
}

/* 760 MiB/s for five rounds, 224.9 MiB/s after them. */
static void fill_write_rates(struct phase_rates *rates)
{
	fill_base(rates, SAMPLE_ALL_BYTES, 1252 * NS_PER_S, &sample_write_calls);
	rates->mean_mib_per_s_per_worker = 78.8982;
	rates->fastest_mib_per_s = 79.2774;
	rates->first_done_ns = 1240 * NS_PER_S;
	rates->fsync_ratio = 0.0803;
	rates->written_ratio = 1;
	rates->before_fsync_ns = 1152 * NS_PER_S;
	rates->before_fsync_mib_per_s = 341.3333;
	rates->device_write_await_ns = 9400000;
	rates->device_read_await_ns = 1950000;
	rates->round_ns = 1252 * NS_PER_S / 30;
	add_rounds(rates, 760, 5, 0);
	add_rounds(rates, 224.8792, 25, 0);
	fill_steady(rates, 0.04, 0.0061);
	rates->burst_mib_per_s = 760;
	rates->burst_ns = 5 * rates->round_ns;
	rates->burst_bytes = 158587 * MIB;
	rates->sustained_mib_per_s = 224.8792;
	rates->judged_by = JUDGED_SUSTAINED;
	rates->judged_mib_per_s_per_core = 56.2198;
	rates->carries_cores = 2;
	rates->n_spoiled_rounds = 0;
	rates->foreign_ratio = 0.004;
	rates->foreign_device = xstrdup("sdc");
	rates->allocated_ratio = 1;
	rates->limited_by = xstrdup("device");
	rates->limited_text =
		xstrdup("34.2 requests in flight at sdc, which was 99 % busy, while "
			"the workers used 5 % of a core each; O_DIRECT 1 MiB, depth "
			"8, overwriting: 231.4 MiB/s, so it is not the page cache or the file "
			"system");
	rates->proof = xstrdup("100.0 % counted at the disk (sdc) when fsync came back");
}

static void fill_read_rates(struct phase_rates *rates)
{
	fill_base(rates, SAMPLE_ALL_BYTES, 936 * NS_PER_S, &sample_read_calls);
	rates->mean_mib_per_s_per_worker = 107.0851;
	rates->fastest_mib_per_s = 109.2267;
	rates->first_done_ns = 900 * NS_PER_S;
	rates->start_skew_ns = 0;
	rates->uncached_ratio = 0.9996;
	rates->device_read_await_ns = 2100000;
	rates->round_ns = 936 * NS_PER_S / 30;
	add_rounds(rates, 420.1026, 30, 0);
	fill_steady(rates, 0.04, 0.0058);
	rates->n_spoiled_rounds = 0;
	rates->foreign_ratio = 0.001;
	rates->foreign_device = xstrdup("sdc");
	rates->limited_by = xstrdup("unknown");
	rates->limited_text = xstrdup("not attributable: the workers used 6 % of a core each, 1.2 "
				      "requests in flight at sdc, which was 97 % busy");
	rates->proof = xstrdup("not from this host's memory: 99.9 % counted at the disk (sdc); 0.0 "
			       "% in the page cache before");
}

static void fill_control_rates(struct phase_rates *rates)
{
	fill_base(rates, 4628 * MIB, 20 * NS_PER_S, &sample_control_calls);
	rates->first_done_ns = 20 * NS_PER_S;
	rates->fastest_mib_per_s = rates->slowest_mib_per_s;
	rates->mean_mib_per_s_per_worker = rates->slowest_mib_per_s;
	rates->written_ratio = 1;
}

static void add_finding(struct report *r, const char *id, int severity, const char *text,
			const char *advice)
{
	struct finding *f = XGROW(&r->findings, &r->n_findings);

	f->id = xstrdup(id);
	f->severity = severity;
	f->text = xstrdup(text);
	f->advice = xstrdup(advice);
}

static void fill_verdict(struct report *report, int result, double mib_per_s, const char *text)
{
	report->verdict = (struct verdict){
		.result = result,
		.text = xstrdup(text),
		.mib_per_s_per_core = mib_per_s,
		.requirement_mib_per_s = 100,
		.requirement_mb_per_s = 104.8576,
		.name = xstrdup("sas9-minimum"),
		.published = xstrdup("100 MB/s per core"),
		.source = xstrdup("SAS 9.4 companion"),
		.year = 2013,
	};
	report->exit_status = result == VERDICT_BELOW ? 3 : 0;
}

static void fill_common(struct record *record)
{
	sample_fill_host(&record->host);
	sample_fill_plan(&record->plan);
	sample_fill_run(&record->run);
	record->report.analyzed_by = xstrdup("0.1.0");
	record->report.bundle = xstrdup("iotest_sasnode3_20261201-030004.tar.gz");
	record->report.beyond = xstrdup("caches behind the devices cannot be seen from a host; "
					"384 GiB were cycled through them");
}

struct record *sample_record_add(struct records *records)
{
	struct record *record = records_add(records);
	struct report *report = &record->report;

	fill_common(record);
	sample_fill_control(&record->run);
	fill_write_rates(&report->write);
	fill_read_rates(&report->read);
	fill_control_rates(&report->control_write);
	add_finding(report, "cpu-quota", SEVERITY_INFO, "this control group may use 2.5 cores", "");
	add_finding(report, "write-below", SEVERITY_WARNING,
		    "writing is 175 MiB/s short of the 400 MiB/s that 4 cores need together, which "
		    "is more than the spread of the workers",
		    "show this report to those who run the storage below /data, and ask for what "
		    "it should carry");
	fill_verdict(report, VERDICT_BELOW, 56.2198,
		     "slower than the requirement: write 56.2 MiB/s per core after a burst, below; "
		     "read 105.0 MiB/s per core");
	return record;
}

static void shorten(struct phase *phase, int status, int64_t bytes, int64_t elapsed_ns)
{
	phase->status = status;
	phase->budget_ns = 26 * NS_PER_S;
	for (size_t i = 0; i < phase->n_workers; i++) {
		struct worker_result *w = &phase->workers[i];

		w->bytes = bytes / SAMPLE_WORKERS;
		w->storage_bytes = w->bytes;
		w->ops = w->bytes / (64 * KIB);
		w->stamps = w->stamps < 0 ? -1 : w->bytes / 4096;
		w->end_ns = elapsed_ns;
		w->fsync_ns = w->fsync_ns > 0 ? 10 * NS_PER_MS : 0;
		w->last_io_ns = elapsed_ns - w->fsync_ns;
		w->system_ns = elapsed_ns / 5;
	}
}

static void fill_quick_plan(struct plan *plan)
{
	plan->mode = MODE_QUICK;
	xstr_set(&plan->method, "quick/1");
	plan->sized_by = SIZED_BY_QUICK;
	plan->bytes_per_worker = 12 * GIB;
	plan->total_bytes = SAMPLE_WORKERS * 12 * GIB;
	plan->time_limit_ns = 60 * NS_PER_S;
	plan->write_budget_ns = 26 * NS_PER_S;
	plan->read_budget_ns = 26 * NS_PER_S;
	plan->until_steady = 1;
	plan->needs_consent = 0;
	plan->io.window_bytes = 256 * MIB;
}

struct record *sample_record_add_quick(struct records *records)
{
	struct record *record = records_add(records);
	struct report *report = &record->report;
	struct phase_rates *write = &report->write;
	struct phase_rates *read = &report->read;

	fill_common(record);
	fill_quick_plan(&record->plan);
	xstr_set(&report->beyond, "caches behind the device cannot be seen from a host; 20 GiB "
				  "were cycled through them");
	record->run.syncfs_ns = 12 * NS_PER_MS;
	record->run.cpu_ns = 42 * NS_PER_S;
	record->run.write.allocated_bytes = 20 * GIB;
	record->run.ended_at_ns = SAMPLE_BEGIN + 47 * NS_PER_S;
	shorten(&record->run.write, PHASE_STEADY, 20 * GIB, 20 * NS_PER_S);
	shorten(&record->run.read, PHASE_TIME_LIMIT, 18 * GIB, 26 * NS_PER_S);

	fill_base(write, 20 * GIB, 20 * NS_PER_S, &sample_write_calls);
	write->mean_mib_per_s_per_worker = write->mib_per_s_per_core;
	write->first_done_ns = 20 * NS_PER_S;
	write->fastest_mib_per_s = write->slowest_mib_per_s;
	write->fsync_ratio = 0.0005;
	write->written_ratio = 1;
	write->before_fsync_ns = 19990 * NS_PER_MS;
	write->before_fsync_mib_per_s = 1024.51;
	write->round_ns = 2 * NS_PER_S;
	add_rounds(write, 640, 3, 1);
	add_rounds(write, 1188, 7, 0);
	fill_steady(write, 0.04, 0.0049);
	write->unspoiled_mib_per_s = 1188;
	write->spoiled_ns = 6500 * NS_PER_MS;
	write->spoiled_cpu_s_per_gib = 1.6;
	write->unspoiled_cpu_s_per_gib = 0.33;
	write->n_spoiled_rounds = 3;
	write->judged_by = JUDGED_UNSPOILED;
	write->judged_mib_per_s_per_core = 297;
	write->carries_cores = 11;
	write->foreign_reason = xstrdup("the file system compresses");
	write->limited_by = xstrdup("core");
	write->limited_text = xstrdup("one core's CPU: the workers used 97 % of a core each");

	fill_base(read, 18 * GIB, 26 * NS_PER_S, &sample_read_calls);
	read->mean_mib_per_s_per_worker = read->mib_per_s_per_core;
	read->first_done_ns = 26 * NS_PER_S;
	read->fastest_mib_per_s = read->slowest_mib_per_s;
	read->uncached_ratio = 1;
	read->round_ns = 2 * NS_PER_S;
	add_rounds(read, 620, 6, 0);
	add_rounds(read, 800, 7, 0);
	read->is_steady = 0;
	read->steady_range_ratio = 0.231;
	read->steady_slope_ratio = 0.12;
	read->foreign_reason = xstrdup("the file system compresses");
	fill_verdict(report, VERDICT_PASS, 177.2308,
		     "fast enough for the requirement in this window (longer bursts cannot be "
		     "seen): write 297.0 MiB/s per core; read 177.2 MiB/s per core");
	return record;
}

static void add_repeat(struct report *report, int64_t at_s, double write, double read)
{
	struct repeat *r = XGROW(&report->repeats, &report->n_repeats);

	*r = (struct repeat){
		.id = xasprintf("%032d", (int)report->n_repeats),
		.started_at_ns = SAMPLE_BEGIN + at_s * NS_PER_S,
		.write_mib_per_s_per_core = write,
		.read_mib_per_s_per_core = read,
		.mixed_mib_per_s_per_core = -1,
		.result = write < 100 ? VERDICT_BELOW : VERDICT_PASS,
	};
}

static void fill_median(struct phase_rates *rates, double lowest, double median, double highest)
{
	rates->judged_by = JUDGED_MEDIAN;
	rates->judged_mib_per_s_per_core = median;
	rates->n_runs = 3;
	rates->lowest_mib_per_s_per_core = lowest;
	rates->median_mib_per_s_per_core = median;
	rates->highest_mib_per_s_per_core = highest;
}

struct record *sample_record_add_repeats(struct records *records)
{
	struct record *record = records_add(records);
	struct report *report = &record->report;

	fill_common(record);
	record->plan.repeat = 3;
	fill_read_rates(&report->read);
	fill_base(&report->write, SAMPLE_ALL_BYTES, 936 * NS_PER_S, &sample_write_calls);
	report->write.mean_mib_per_s_per_worker = 105.0256;
	report->write.first_done_ns = 900 * NS_PER_S;
	report->write.fastest_mib_per_s = 109.2267;
	add_repeat(report, -2400, 98.7654, 104.1111);
	add_repeat(report, 0, 105.0256, 105.0256);
	add_repeat(report, 2400, 106.4321, 105.9876);
	report->repeat_index = 2;
	fill_median(&report->write, 98.7654, 105.0256, 106.4321);
	fill_median(&report->read, 104.1111, 105.0256, 105.9876);
	fill_verdict(report, VERDICT_PASS, 105.0256,
		     "fast enough for the requirement, by the median of 3 runs: write 105.0 MiB/s "
		     "per core; read 105.0 MiB/s per core");
	return record;
}
