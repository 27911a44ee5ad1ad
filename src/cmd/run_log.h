/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_log - what iotest.log says of a run: why it was planned so, and what came of it
 */
#ifndef IOTEST_CMD_RUN_LOG_H
#define IOTEST_CMD_RUN_LOG_H

#include "iotest/report.h"

void run_log_plan(const struct plan *plan);
void run_log_outcome(const struct record *record);

/* Of those that stand for several runs. */
void run_log_medians(const struct records *shown);

#endif
