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

/* Rates of one phase. All rates are MiB/s; -1 where they cannot be told. */
struct phase_rates {
	int usable;	       /* may be shown and judged */
	char *unusable_reason; /* "" if usable */
	int64_t bytes;
	int64_t elapsed_ns; /* first start to last end, fsync included */
	double aggregate_mib_per_s;
	double aggregate_mb_per_s; /* 10^6 */
	double mib_per_s_per_core; /* aggregate / cores: this is judged */
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
	double written_ratio;  /* of the bytes written, had reached the devices; -1 not known */
	double uncached_ratio; /* of the bytes read, came from the storage; -1 not known */
	double need_mib_per_s; /* requirement x cores */
	int64_t carries_cores; /* at the requirement, by a linear estimate */
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

struct report {
	const struct host *host; /* borrowed */
	const struct plan *plan;
	const struct run *run;

	char *analyzed_by;   /* version of the rules */
	char *bundle;	     /* file name, "" if there is none */
	int64_t exit_status; /* what the process ends with */
	struct phase_rates write;
	struct phase_rates read;
	struct finding *findings;
	size_t n_findings;
	struct verdict verdict;
};

extern const struct schema rates_schema;
extern const struct schema finding_schema;
extern const struct schema verdict_schema;

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
