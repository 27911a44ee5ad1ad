/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report - what the facts mean
 *
 * Filled by analyze from host, plan and run; holds nothing that cannot be derived from them.
 */
#ifndef IOTEST_REPORT_H
#define IOTEST_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "iotest/host.h"
#include "iotest/plan.h"
#include "iotest/run.h"
#include "iotest/schema.h"

#define REPORT_SCHEMA "iotest.report/1"

/* A part of a phase, as long as all others: of what the devices wrote, or the workers moved. */
struct round {
	int64_t start_ns; /* since the gate */
	int64_t end_ns;
	double mib_per_s;
	double cpu_s_per_gib; /* of the workers, -1 */
	int is_spoiled;	      /* by memory that was touched for the first time */
};

/* What the judged rate was computed from. */
enum judged_by { JUDGED_ALL, JUDGED_SUSTAINED, JUDGED_UNSPOILED, JUDGED_MEDIAN, JUDGED_COUNT };

/* Rates of one phase. All rates are MiB/s; -1 where they cannot be told. */
struct phase_rates {
	int usable;	       /* may be shown and judged */
	char *unusable_reason; /* "" if usable */
	int64_t bytes;
	int64_t elapsed_ns; /* first start to last end, fsync included */
	double aggregate_mib_per_s;
	double aggregate_mb_per_s;	  /* 10^6 */
	double mib_per_s_per_core;	  /* aggregate / cores */
	double judged_mib_per_s_per_core; /* what is held against the requirement */
	int judged_by;			  /* enum judged_by */
	/* mean bytes / mean of the workers' times, as the scripts print it */
	double mean_mib_per_s_per_worker;
	double slowest_mib_per_s;
	int64_t slowest_worker; /* from 1 */
	double fastest_mib_per_s;
	int64_t fastest_worker;
	int64_t first_done_ns;
	int64_t last_done_ns;
	int64_t start_skew_ns;
	double fsync_ratio;    /* of the workers' time, 0..1; -1 in a read phase */
	double window_ratio;   /* of the workers' time, in waits for write-back; -1: no window */
	double written_ratio;  /* of the bytes written, had reached the devices; -1 not known */
	double uncached_ratio; /* of the bytes read, came from the storage; -1 not known */
	double need_mib_per_s; /* requirement x cores */
	int64_t carries_cores; /* at the requirement, by a linear estimate */

	/* The time before fsync, and the rate by it. */
	int64_t before_fsync_ns;
	double before_fsync_mib_per_s;

	/* Calls of all workers, and what the topmost devices say of their own operations. */
	int64_t call_p50_ns;
	int64_t call_p90_ns;
	int64_t call_p99_ns;
	int64_t call_p999_ns;
	int64_t call_max_ns;
	int64_t device_read_await_ns;
	int64_t device_write_await_ns;

	/* Over time. */
	int64_t round_ns;
	int is_steady;		    /* the last five rounds; -1 with fewer */
	double steady_range_ratio;  /* of those: (highest - lowest) / average */
	double steady_slope_ratio;  /* of those: rise of the best line / average, without sign */
	double burst_mib_per_s;	    /* before a lasting fall; -1: there was none */
	int64_t burst_ns;	    /* since the gate */
	int64_t burst_bytes;	    /* moved until then */
	double sustained_mib_per_s; /* after it */
	/* Parts in which memory was touched for the first time; -1 where they cannot be told. */
	int64_t spoiled_ns;
	double spoiled_cpu_s_per_gib;
	double unspoiled_cpu_s_per_gib; /* of all other parts */
	double unspoiled_mib_per_s;	/* without them; -1 if too little is left, or all is good */
	int64_t n_spoiled_rounds;	/* more than half of which is spoiled */
	int rounds_are_devices; /* of what the devices wrote; else of what the workers moved */
	struct round *rounds;
	size_t n_rounds;

	double foreign_ratio;	/* of the bytes at the device, not ours; -1 not attributable */
	char *foreign_device;	/* where it was looked at, "" */
	char *foreign_reason;	/* why not attributable, "" */
	double allocated_ratio; /* st_blocks / bytes written; -1 */
	char *limited_by;	/* "device", "core", "dirty", ..., "unknown"; "" not asked */
	char *limited_text;	/* the figures that say so */
	char *proof;		/* what is proved about where the bytes came from, or went */

	/* With --repeat: of all runs, by what is judged. */
	int64_t n_runs;
	double median_mib_per_s_per_core;
	double lowest_mib_per_s_per_core;
	double highest_mib_per_s_per_core;
};

enum severity { SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR, SEVERITY_COUNT };

struct finding {
	char *id;     /* stable, "too-short" */
	int severity; /* enum severity */
	char *text;   /* one sentence with the figures */
	char *advice; /* what to do, or "" */
};

/* What nobody has judged is inconclusive. */
enum verdict_result {
	VERDICT_INCONCLUSIVE,
	VERDICT_PASS,
	VERDICT_BELOW,
	VERDICT_INVALID,
	VERDICT_COUNT
};

struct verdict {
	int result;		   /* enum verdict_result */
	char *text;		   /* the sentence for people */
	double mib_per_s_per_core; /* the lower of the usable phases; -1 */
	double requirement_mib_per_s;
	double requirement_mb_per_s;
	char *name;	 /* of the requirement */
	char *published; /* the figure as its source has it */
	char *source;
	int64_t year;
};

/* One of several runs of the same plan. */
struct repeat {
	char *id;
	int64_t started_at_ns;
	double write_mib_per_s_per_core; /* judged; -1 */
	double read_mib_per_s_per_core;
	double mixed_mib_per_s_per_core;
	int result; /* enum verdict_result, of that run alone */
};

/* A value that somebody published for a setting, held against the one in effect. */
struct advice {
	char *setting;
	char *value;	  /* in effect */
	char *comparison; /* "is", "at least", "includes" */
	char *published;
	char *source;
	int64_t year; /* -1: the source has no date */
	int matches;
};

struct report {
	const struct host *host; /* borrowed */
	const struct plan *plan;
	const struct run *run;

	char *analyzed_by;   /* version of the rules */
	char *bundle;	     /* file name, "" if there is none */
	int64_t exit_status; /* what the process ends with */
	struct phase_rates write;
	struct phase_rates read;
	struct phase_rates mixed;
	struct phase_rates control_write;
	struct phase_rates control_read;
	int64_t written_bytes; /* in the phases that were measured, the control left out; -1 none */
	int64_t read_bytes;
	char *beyond; /* what is not proved: caches that a host cannot see */
	struct finding *findings;
	size_t n_findings;
	struct advice *advice;
	size_t n_advice;
	struct verdict verdict;
	struct repeat *repeats; /* of this plan, in their order; empty without --repeat */
	size_t n_repeats;
	int64_t repeat_index; /* which of them this one is, from 1; -1 */
};

extern const struct schema rates_schema;
extern const struct schema finding_schema;
extern const struct schema advice_schema;
extern const struct schema verdict_schema;
extern const struct schema repeat_schema;

void report_init(struct report *report);
void report_done(struct report *report);
struct phase_rates *report_rates(struct report *report, int phase_kind);
const struct phase_rates *report_rates_const(const struct report *report, int phase_kind);

const char *severity_name(int severity);
const char *verdict_name(int result);

/* A report with the facts that it points to: what was run here, or read from a file. */
struct record {
	struct host host;
	struct plan plan;
	struct run run;
	struct report report;
};
void record_init(struct record *record); /* report points to its own three */
void record_done(struct record *record);

/* Several targets, one after the other. */
struct records {
	struct record **items; /* heap, so that the pointers inside stay valid */
	size_t n_items;
};
struct record *records_add(struct records *records);
void records_done(struct records *records);

/* The exit status that a finished run has by its verdict. */
int report_exit_status(const struct report *report);

#endif
