/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli_help - the help page of a command as text. Private to cli.
 */
#ifndef IOTEST_BASE_CLI_HELP_H
#define IOTEST_BASE_CLI_HELP_H

#include "iotest/buf.h"
#include "iotest/cli.h"

void cli_add_help(const struct command *command, struct buf *b);

#endif
