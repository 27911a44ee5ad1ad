/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session - one test from its options to its bundle, for the commands that measure
 */
#ifndef IOTEST_CMD_SESSION_H
#define IOTEST_CMD_SESSION_H

#include <stdbool.h>

#include "iotest/report.h"
#include "iotest/sysroot.h"
#include "test_args.h"

/* What there is when a test is over. All borrowed. */
struct session_outcome {
	const struct test_args *args;
	const struct sysroot *root;
	const struct records *records;
	const struct records *shown; /* of those, what a person reads */
	const char *output_dir;	     /* absolute; "" if nothing was kept */
	const char *keep_failure;    /* why there is no bundle, "" if that was not asked for */
	bool was_measured;
	bool is_streamed; /* the archive went to standard output */
	int status;	  /* the gravest of what is shown */
};

/* How a command uses a test. */
struct session_use {
	/* With the bundle closed. Returns an exit status, or a negative errno with err filled. If
	 * nothing was measured, the error of the test is what the session returns. */
	int (*end)(void *context, const struct session_outcome *outcome, struct err *err);
	void *context;
	/* Nothing goes to standard error but what end says, and end decides about the exit status.
	 */
	bool is_silent;
};

/* args and invocation are taken over. Returns an exit status, or a negative errno with err
 * filled. */
MUST_CHECK int session_run(struct test_args *args, char *invocation, const struct session_use *use,
			   struct err *err);

#endif
