/* SPDX-License-Identifier: Apache-2.0 */
/*
 * past - a run among those before it: its row of the history, and what follows from the others
 */
#ifndef IOTEST_CMD_PAST_H
#define IOTEST_CMD_PAST_H

#include <stdbool.h>

#include "iotest/history.h"
#include "iotest/report.h"
#include "iotest/sysroot.h"
#include "session.h"
#include "test_args.h"

/* The row of a run; release with schema_done(&history_entry_schema, ...). The settings are those
 * that root has now. */
void past_describe(const struct record *record, const char *command, const struct sysroot *root,
		   struct history_entry *out);

/* Where the history is: as given, or the default. Returns 0, or -ENOENT with err filled. */
MUST_CHECK int past_path(const char *given, struct buf *out, struct err *err);

/*
 * The history, opened; NULL if it is not wanted, or cannot be: then and if a damaged one was set
 * aside, warning gets a sentence. Close it with history_close.
 */
struct history *past_open(const char *given, enum history_access access, struct buf *warning);

/* A row for each run that is shown; what goes wrong is a warning in the log. */
void past_add(const struct session_outcome *outcome, const char *command);

#endif
