/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands - the descriptors of all commands, one per file in src/cmd/
 */
#ifndef IOTEST_COMMANDS_H
#define IOTEST_COMMANDS_H

#include "iotest/cli.h"

extern const struct command cmd_run;
extern const struct command cmd_probe;
extern const struct command cmd_plan;
extern const struct command cmd_report;
extern const struct command cmd_clean;
extern const struct command cmd_ps;
extern const struct command cmd_evidence;
extern const struct command cmd_verify;
extern const struct command cmd_ticket;
extern const struct command cmd_compare;
extern const struct command cmd_sasiotest;
extern const struct command cmd_check;
extern const struct command cmd_status;
extern const struct command cmd_history;
extern const struct command cmd_explain;
extern const struct command cmd_completion;

/* All of them, in the order of the overview; run is the first. */
const struct command *const *commands_all(size_t *n);

/* What --version says, on stdout. */
void cmd_print_version(void);

/* What "iotest --help" says, on stdout. */
void cmd_print_overview(void);

/* A message of its own on standard error, as a terminal may show it; on one it is wrapped. */
void cmd_print_note(const char *text);

/* Both lines of an error on standard error, as a terminal may show them. */
void cmd_print_error(const struct err *err);

/* The error for a word that is no command, with the nearest one; returns -EINVAL. */
int cmd_refuse_word(const char *word, struct err *err);

#endif
