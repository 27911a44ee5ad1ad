/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script_io - io_ops that do what a test says
 *
 * Each rule names a call and the numbers (from 1) it applies to; the first that fits decides.
 * Calls without a rule succeed completely, or reach the system after script_reach_system. The
 * clock starts at 1 s and moves by 1 ms at each look; sleeping moves it to where it is to be.
 */
#ifndef IOTEST_TESTS_SCRIPT_IO_H
#define IOTEST_TESTS_SCRIPT_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/io_ops.h"

enum script_call {
	SCRIPT_PWRITE,
	SCRIPT_PREAD,
	SCRIPT_PWRITEV,
	SCRIPT_PREADV,
	SCRIPT_FSYNC,
	SCRIPT_CLOCK,
	SCRIPT_WRITE_BACK,
	SCRIPT_SLEEP,
	SCRIPT_CALL_COUNT
};

struct script_rule {
	enum script_call call;
	int from;
	int to;
	int error;	      /* the errno to fail with, or 0 */
	int64_t cap_bytes;    /* without an error: at most so many; -1: no cap */
	int64_t step_ns;      /* of a clock: jumps by this first */
	int64_t pause_ns;     /* real time that the call takes */
	void (*before)(void); /* is called first */
};

extern const struct io_ops script_io;

/* Forgets everything; rules are borrowed. */
void script_start(const struct script_rule *rules, size_t n);
void script_reach_system(void);

int script_calls(enum script_call call);

/* Bytes of all calls that succeeded, and whether each began where the one before it ended. */
int64_t script_bytes(void);
bool script_was_sequential(void);

/* The end of the last range whose write-back was waited for. */
int64_t script_written_back(void);

/* Pages of the last gathered or scattered request. */
int script_pages(void);

/* Is told of each request that moves bytes: offset and length; NULL ends that. */
void script_watch(void (*see)(int64_t at, int64_t len));

/* The longest single request so far. */
size_t script_longest_request(void);

#endif
