/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin - what check and status have in common as plugins of a monitoring system
 */
#ifndef IOTEST_CMD_PLUGIN_H
#define IOTEST_CMD_PLUGIN_H

#include "iotest/buf.h"
#include "iotest/err.h"

/* "IOTEST UNKNOWN - sentence; advice", or another enum monitor_state, without a line feed. target
 * may be NULL. */
void plugin_add_failure(int state, const char *target, const struct err *err, struct buf *line);

/* The directory as plans and the history name it; as given if it is gone, or does not answer within
 * two seconds. To be freed. */
char *plugin_resolve(const char *given);

/* The line on standard output. */
void plugin_print(const char *line);

/* Replaces the file at once, 0644: whoever reads it has the old or the new one. */
MUST_CHECK int plugin_put_file(const char *path, const struct buf *text, struct err *err);

#endif
