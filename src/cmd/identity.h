/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity - what names a run: its command line, its random id, its case
 */
#ifndef IOTEST_CMD_IDENTITY_H
#define IOTEST_CMD_IDENTITY_H

#include "iotest/err.h"

/* "iotest" and the words behind argv[0], quoted so that a shell runs the same; to be freed. */
char *identity_command_line(int argc, char **argv);

/* 32 random hex digits; to be freed. */
char *identity_random(void);

/* A case may stand in a file name. NULL is fine. Returns 0 or -EINVAL. */
MUST_CHECK int identity_check_case(const char *id, struct err *err);

#endif
