/* SPDX-License-Identifier: Apache-2.0 */
/*
 * err - the one sentence that says why we cannot go on
 *
 * Functions that can fail in a way the user must hear of fill a struct err and return a negative
 * errno; only main prints it. Messages are lower case, without a full stop, the object first:
 * "/mnt/data: cannot create the test file: No space left on device".
 */
#ifndef IOTEST_ERR_H
#define IOTEST_ERR_H

#include "iotest/compiler.h"

/* Exit statuses of the iotest command; documented in iotest(1). */
enum exit_status {
	EXIT_STATUS_DONE = 0,
	EXIT_STATUS_FAILED = 1,
	EXIT_STATUS_USAGE = 2,
	EXIT_STATUS_BELOW = 3,
	EXIT_STATUS_UNUSABLE = 4,
	EXIT_STATUS_BUSY = 5,
};

struct err {
	int rc;			 /* negative errno, 0 while nothing failed */
	enum exit_status status; /* what the process ends with if this error reaches main */
	char sentence[1024];
	char advice[512]; /* "" if there is nothing to advise */
};

/* Each of the three setters replaces what err held, and returns rc, so that callers can write
 * "return err_set(...)". err may be NULL: then only rc is returned. */

/* "<sentence>: <strerror(-rc)>", exit status 1. */
int err_set(struct err *err, int rc, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The sentence alone, where errno would add nothing; exit status 1. */
int err_say(struct err *err, int rc, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* A mistake on the command line; exit status 2; returns -EINVAL. */
int err_usage(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Adds the second line: what the reader can do. */
void err_advise(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
