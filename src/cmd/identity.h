/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity - what names a run: its command line, its random id, its case
 */
#ifndef IOTEST_CMD_IDENTITY_H
#define IOTEST_CMD_IDENTITY_H

#include <stdint.h>

#include "iotest/err.h"
#include "iotest/run.h"

/* "iotest" and the words behind argv[0], quoted so that a shell runs the same; to be freed. */
char *identity_command_line(int argc, char **argv);

/* 32 random hex digits; to be freed. */
char *identity_random(void);

/* What the caller of the runner knows of a run: id, version, command line, time and its zone. */
void identity_describe(const char *invocation, int64_t started_at_ns, struct run *run);

/* A case may stand in a file name. NULL is fine. Returns 0 or -EINVAL. */
MUST_CHECK int identity_check_case(const char *id, struct err *err);

#endif
