/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log - what happened, when, for the log file of the bundle
 *
 * Lines are written as "2026-01-31T12:00:00.123Z level text" to the log file once one is set,
 * and warnings to stderr as well ("iotest: text"). Children never log.
 */
#ifndef IOTEST_LOG_H
#define IOTEST_LOG_H

#include "iotest/compiler.h"

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_NOTE, LOG_LEVEL_WARNING, LOG_LEVEL_COUNT };

/* Every line goes to fd as well from now on; -1 ends that. The caller keeps the descriptor. */
void log_set_file(int fd);

/* From now on nothing goes to standard error: what is said there becomes mail from cron. */
void log_keep_quiet(void);

void log_line(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
