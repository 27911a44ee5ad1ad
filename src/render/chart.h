/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart - rates over time in characters
 *
 * Not more than four rows, one for each level that the rates have, highest first. Rates that are
 * within 15 % of each other share a row, so that a steady phase is one line; with more levels than
 * rows the rows become coarser.
 */
#ifndef IOTEST_RENDER_CHART_H
#define IOTEST_RENDER_CHART_H

#include <stddef.h>

#include "iotest/buf.h"
#include "iotest/report.h"

#define CHART_COLUMNS 60
#define CHART_ROWS 4

/* So many rounds share a column. */
size_t chart_merged(size_t n_rounds);

/* '#' for a column, 'o' for one with spoiled rounds, nothing where no rate is known. */
void chart_add(const struct round *rounds, size_t n_rounds, struct buf *out);

/* One line: each column is the rate in ninths of the highest, which is returned; below 0 if no rate
 * is known, and then nothing is added. At most CHART_LINE_COLUMNS. */
#define CHART_LINE_COLUMNS 40
double chart_add_line(const struct round *rounds, size_t n_rounds, struct buf *out);

/* So many rounds share a column of that line. */
size_t chart_line_merged(size_t n_rounds);

#endif
