/* SPDX-License-Identifier: Apache-2.0 */
/*
 * results - what a run leaves: the files of the bundle, as they become known
 *
 * With "-o -" they lie in a directory for temporary files, and the archive goes to standard output.
 * With --no-bundle and without --keep-dir nothing is left, and every call does nothing.
 */
#ifndef IOTEST_CMD_RESULTS_H
#define IOTEST_CMD_RESULTS_H

#include <stdbool.h>

#include "iotest/bundle.h"
#include "iotest/evidence.h"
#include "iotest/report.h"
#include "iotest/runner.h"
#include "test_args.h"

struct results {
	struct bundle bundle;
	bool is_wanted;
	bool without_archive;
	bool keep_dir;
	bool is_streamed; /* the archive goes to standard output */
	int log_fd;
	int samples_fd;
	int redact; /* enum redact_level */
	struct redactor *redactor;
	size_t n_targets; /* with several, each has a folder of its own in results/ */
	bool is_repeated; /* and so has each run */
};

/* Whose results they are; both from 0. */
struct results_place {
	size_t target;
	size_t run;
};

/* Whether results could be written at all, before anybody is asked anything. */
MUST_CHECK int results_check(const struct test_args *args, struct err *err);

/* Makes the folder with the log, samples.tsv and the evidence in system_files/. */
MUST_CHECK int results_open(struct results *out, const struct test_args *args,
			    const struct host *host, int64_t started_at_ns,
			    const struct evidence *evidence, struct err *err);

/* The evidence of after the run, in system_files_after/. */
MUST_CHECK int results_put_after(struct results *results, const struct evidence *evidence,
				 struct err *err);
/* "-o -": standard output is the archive, and what else would go there goes to standard error. */
bool results_are_streamed(const struct test_args *args);

/* The directory of the archive; "" if it has none. */
const char *results_dir(const struct results *results);

/* True if dir_device ("major:minor" of a target) is where the results lie. */
bool results_lie_on(const struct results *results, const char *dir_device);

void results_add_sample(struct results *results, const char *target,
			const struct run_sample *sample);

/* results/write.1 ..., or results/target2/run3/write.1 ..., of one phase. */
MUST_CHECK int results_put_phase(struct results *results, const struct results_place *place,
				 const struct run *run, int phase, struct err *err);

/* report.json with all records, report.txt and report.html with those that are shown; replaced
 * each time. */
MUST_CHECK int results_put_reports(struct results *results, const struct records *records,
				   const struct records *shown, struct err *err);

/* Name of the archive, or of the kept folder; "" if there will be none. To be freed. */
char *results_name(const struct results *results);

/* Closes the files, takes out what --redact says, and makes the archive. */
MUST_CHECK int results_seal(struct results *results, struct err *err);

void results_done(struct results *results);

#endif
