/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report - the fields of what the facts mean, and who owns the four nouns
 */
#include "iotest/report.h"

#include <stdlib.h>

#include "iotest/err.h"
#include "iotest/xalloc.h"
#include "tables.h"

static const char *const severities[] = {
	[SEVERITY_INFO] = "info",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_ERROR] = "error",
};
_Static_assert(ARRAY_LEN(severities) == SEVERITY_COUNT, "name every severity");

static const char *const verdicts[] = {
	[VERDICT_PASS] = "pass",
	[VERDICT_BELOW] = "below",
	[VERDICT_INCONCLUSIVE] = "inconclusive",
	[VERDICT_INVALID] = "invalid",
};
_Static_assert(ARRAY_LEN(verdicts) == VERDICT_COUNT, "name every verdict");

static const char *const judged_bys[] = {
	[JUDGED_ALL] = "all",
	[JUDGED_SUSTAINED] = "sustained",
	[JUDGED_UNSPOILED] = "unspoiled",
	[JUDGED_MEDIAN] = "median",
};
_Static_assert(ARRAY_LEN(judged_bys) == JUDGED_COUNT, "name every rate that is judged");

static const struct field round_fields[] = {
	I64(round, start_ns, "since the gate opened"),
	I64(round, end_ns, "since the gate opened"),
	DOUBLE(round, mib_per_s, "at the devices or the workers, see rounds_are_devices"),
	DOUBLE(round, cpu_s_per_gib, "CPU seconds of the workers per GiB"),
	BOOL(round, is_spoiled, "in more than half of it memory was touched for the first time"),
};
static const struct schema round_schema = SCHEMA(round, round_fields);

static const struct field rates_fields[] = {
	BOOL(phase_rates, usable, "the rates may be shown and judged"),
	TEXT(phase_rates, unusable_reason, "why not"),
	I64(phase_rates, bytes, "bytes of all workers"),
	I64(phase_rates, elapsed_ns, "first start to last end, fsync included"),
	DOUBLE(phase_rates, aggregate_mib_per_s, "bytes / elapsed, MiB/s"),
	DOUBLE(phase_rates, aggregate_mb_per_s, "the same in 10^6 bytes per second"),
	DOUBLE(phase_rates, mib_per_s_per_core, "aggregate / cores"),
	DOUBLE(phase_rates, judged_mib_per_s_per_core, "what is held against the requirement"),
	ENUM(phase_rates, judged_by, judged_bys,
	     "all: the aggregate; sustained: after a burst; unspoiled: without first touch of "
	     "memory; median: of the repeated runs"),
	DOUBLE(phase_rates, mean_mib_per_s_per_worker,
	       "mean bytes / mean of the workers' times, as the scripts print it"),
	DOUBLE(phase_rates, slowest_mib_per_s, "rate of the slowest worker"),
	I64(phase_rates, slowest_worker, "its number, from 1"),
	DOUBLE(phase_rates, fastest_mib_per_s, "rate of the fastest worker"),
	I64(phase_rates, fastest_worker, "its number, from 1"),
	I64(phase_rates, first_done_ns, "when the first worker was done, since the gate"),
	I64(phase_rates, last_done_ns, "when the last worker was done"),
	I64(phase_rates, start_skew_ns, "between the first and the last start"),
	DOUBLE(phase_rates, fsync_ratio, "share of fsync in the workers' time, 0 to 1"),
	DOUBLE(phase_rates, window_ratio,
	       "share of waits for write-back in the workers' time, where they have a window"),
	DOUBLE(phase_rates, written_ratio,
	       "share of the bytes written that had reached the devices when fsync came back"),
	DOUBLE(phase_rates, uncached_ratio, "share of the bytes read that came from the storage"),
	DOUBLE(phase_rates, need_mib_per_s, "requirement x cores"),
	I64(phase_rates, carries_cores, "cores carried at the requirement, a linear estimate"),
	I64(phase_rates, before_fsync_ns, "first start to the last write"),
	DOUBLE(phase_rates, before_fsync_mib_per_s, "bytes / that time"),
	I64(phase_rates, call_p50_ns, "median time of a write or read call"),
	I64(phase_rates, call_p90_ns, "90 % of the calls took no longer"),
	I64(phase_rates, call_p99_ns, "99 % of the calls took no longer"),
	I64(phase_rates, call_p999_ns, "99.9 % of the calls took no longer"),
	I64(phase_rates, call_max_ns, "longest call"),
	I64(phase_rates, device_read_await_ns, "mean time of a read at the topmost devices"),
	I64(phase_rates, device_write_await_ns, "mean time of a write at the topmost devices"),
	I64(phase_rates, round_ns, "length of a round"),
	BOOL(phase_rates, is_steady, "the last five rounds are within the bounds"),
	DOUBLE(phase_rates, steady_range_ratio, "(highest - lowest) / average of those five"),
	DOUBLE(phase_rates, steady_slope_ratio, "rise of their best line / average, without sign"),
	DOUBLE(phase_rates, burst_mib_per_s, "rate before a lasting fall"),
	I64(phase_rates, burst_ns, "when it fell, since the gate opened"),
	I64(phase_rates, burst_bytes, "bytes moved until then"),
	DOUBLE(phase_rates, sustained_mib_per_s, "rate after the fall"),
	I64(phase_rates, spoiled_ns, "time in which memory was touched for the first time"),
	DOUBLE(phase_rates, spoiled_cpu_s_per_gib, "CPU seconds per GiB in that time"),
	DOUBLE(phase_rates, unspoiled_cpu_s_per_gib, "CPU seconds per GiB in all other time"),
	DOUBLE(phase_rates, unspoiled_mib_per_s, "rate without that time"),
	I64(phase_rates, n_spoiled_rounds, "rounds of which it is more than half"),
	BOOL(phase_rates, rounds_are_devices,
	     "the rounds are of what the devices wrote, not of what the workers moved"),
	LIST(phase_rates, rounds, &round_schema, "the phase in rounds of equal length"),
	DOUBLE(phase_rates, foreign_ratio, "share of the bytes at the device that were not ours"),
	TEXT(phase_rates, foreign_device, "the device where that was seen"),
	TEXT(phase_rates, foreign_reason, "why that cannot be told"),
	DOUBLE(phase_rates, allocated_ratio, "space that the files occupy / bytes written"),
	TEXT(phase_rates, limited_by, "what limited the rate"),
	TEXT(phase_rates, limited_text, "the figures that say so"),
	TEXT(phase_rates, proof, "what is proved about where the bytes went or came from"),
	I64(phase_rates, n_runs, "runs whose median is judged"),
	DOUBLE(phase_rates, median_mib_per_s_per_core, "median of those runs"),
	DOUBLE(phase_rates, lowest_mib_per_s_per_core, "lowest of those runs"),
	DOUBLE(phase_rates, highest_mib_per_s_per_core, "highest of those runs"),
};
const struct schema rates_schema = SCHEMA(phase_rates, rates_fields);

static const struct field finding_fields[] = {
	TEXT(finding, id, "stable id"),
	ENUM(finding, severity, severities, "info, warning or error"),
	TEXT(finding, text, "what was found"),
	TEXT(finding, advice, "what to do about it"),
};
const struct schema finding_schema = SCHEMA(finding, finding_fields);

static const struct field verdict_fields[] = {
	ENUM(verdict, result, verdicts, "pass, below, inconclusive or invalid"),
	TEXT(verdict, text, "the sentence for people"),
	DOUBLE(verdict, mib_per_s_per_core, "the lower of the phases that can be used"),
	DOUBLE(verdict, requirement_mib_per_s, "what it is held against, MiB/s per physical core"),
	DOUBLE(verdict, requirement_mb_per_s, "the same in 10^6 bytes per second"),
	TEXT(verdict, name, "name of the requirement"),
	TEXT(verdict, published, "the figure as its source has it"),
	TEXT(verdict, source, "who published it"),
	I64(verdict, year, "when; null if undated"),
};
const struct schema verdict_schema = SCHEMA(verdict, verdict_fields);

static const struct field repeat_fields[] = {
	TEXT(repeat, id, "id of the run"),
	I64(repeat, started_at_ns, "nanoseconds since 1970 UTC"),
	DOUBLE(repeat, write_mib_per_s_per_core, "its judged write rate"),
	DOUBLE(repeat, read_mib_per_s_per_core, "its judged read rate"),
	DOUBLE(repeat, mixed_mib_per_s_per_core, "its judged rate of reads and writes together"),
	ENUM(repeat, result, verdicts, "its own verdict"),
};
const struct schema repeat_schema = SCHEMA(repeat, repeat_fields);

static const struct field advice_fields[] = {
	TEXT(advice, setting, "setting"),
	TEXT(advice, value, "its value in effect"),
	TEXT(advice, comparison, "how they compare: is, at least, includes"),
	TEXT(advice, published, "value that the source has"),
	TEXT(advice, source, "who published it"),
	I64(advice, year, "and when"),
	BOOL(advice, matches, "the value in effect is as published"),
};
const struct schema advice_schema = SCHEMA(advice, advice_fields);

static const struct field report_fields[] = {
	TEXT(report, analyzed_by, "version of the rules"),
	TEXT(report, bundle, "file name of the bundle"),
	I64(report, exit_status, "what the process ended with"),
	STRUCT(report, write, &rates_schema, "rates of the write phase"),
	STRUCT(report, read, &rates_schema, "rates of the read phase"),
	STRUCT(report, mixed, &rates_schema, "rates of the mixed phase"),
	STRUCT(report, control_write, &rates_schema, "rates of the O_DIRECT writes"),
	STRUCT(report, control_read, &rates_schema, "rates of the O_DIRECT reads"),
	I64(report, written_bytes, "written in all phases but the control"),
	I64(report, read_bytes, "read in all phases but the control"),
	TEXT(report, beyond, "what is not proved"),
	LIST(report, findings, &finding_schema, "findings"),
	LIST(report, advice, &advice_schema, "published settings beside those in effect"),
	STRUCT(report, verdict, &verdict_schema, "verdict"),
	LIST(report, repeats, &repeat_schema, "all runs of this plan, with --repeat"),
	I64(report, repeat_index, "which of them this one is, from 1"),
};
static const struct schema report_schema = SCHEMA(report, report_fields);

void report_init(struct report *report)
{
	schema_init(&report_schema, report);
}

void report_done(struct report *report)
{
	schema_done(&report_schema, report);
}

static const size_t rates_offsets[] = {
	[PHASE_WRITE] = offsetof(struct report, write),
	[PHASE_READ] = offsetof(struct report, read),
	[PHASE_MIXED] = offsetof(struct report, mixed),
	[PHASE_CONTROL_WRITE] = offsetof(struct report, control_write),
	[PHASE_CONTROL_READ] = offsetof(struct report, control_read),
};
_Static_assert(ARRAY_LEN(rates_offsets) == PHASE_COUNT, "a place for the rates of every phase");

struct phase_rates *report_rates(struct report *report, int phase_kind)
{
	return (struct phase_rates *)((char *)report + rates_offsets[phase_kind]);
}

const struct phase_rates *report_rates_const(const struct report *report, int phase_kind)
{
	return (const struct phase_rates *)((const char *)report + rates_offsets[phase_kind]);
}

const char *severity_name(int severity)
{
	return severities[severity];
}

const char *verdict_name(int result)
{
	return verdicts[result];
}

void record_init(struct record *record)
{
	host_init(&record->host);
	plan_init(&record->plan);
	run_init(&record->run);
	report_init(&record->report);
	record->report.host = &record->host;
	record->report.plan = &record->plan;
	record->report.run = &record->run;
}

void record_done(struct record *record)
{
	report_done(&record->report);
	run_done(&record->run);
	plan_done(&record->plan);
	host_done(&record->host);
}

struct record *records_add(struct records *records)
{
	struct record **slot = XGROW(&records->items, &records->n_items);

	*slot = xcalloc(1, sizeof(**slot));
	record_init(*slot);
	return *slot;
}

void records_done(struct records *records)
{
	for (size_t i = 0; i < records->n_items; i++) {
		record_done(records->items[i]);
		free(records->items[i]);
	}
	free(records->items);
	*records = (struct records){ 0 };
}

int report_exit_status(const struct report *report)
{
	int result = report->verdict.result;
	int given = report->plan->requirement_given == 1;

	if (result == VERDICT_INVALID || (result == VERDICT_INCONCLUSIVE && given))
		return EXIT_STATUS_UNUSABLE;
	if (result == VERDICT_BELOW && given)
		return EXIT_STATUS_BELOW;
	return EXIT_STATUS_DONE;
}
