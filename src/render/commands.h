/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands - how to measure the same again: with iotest, with dd, with fio
 *
 * Lines for a shell, each with a line feed. Names are quoted, and terminals can show them.
 */
#ifndef IOTEST_RENDER_COMMANDS_H
#define IOTEST_RENDER_COMMANDS_H

#include "iotest/buf.h"
#include "iotest/report.h"

/* The same plan on any host: sizes and counts are given as numbers. */
void commands_add_iotest(const struct report *report, struct buf *out);

/* Nothing without workers, sizes and a target. */
void commands_add_dd(const struct report *report, struct buf *out);
void commands_add_fio(const struct report *report, struct buf *out);

#endif
