/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plot - axes of the pictures in the HTML report: nice ends, places, labels
 *
 * Pictures are 1000 by 1000 units that the browser stretches; words stand beside them, so that
 * they keep their size on a phone.
 */
#ifndef IOTEST_RENDER_PLOT_H
#define IOTEST_RENDER_PLOT_H

#include <stdint.h>

#include "iotest/buf.h"

/* The end of an axis that holds value: 1, 2, 2.5, 4, 5 or 8 times a power of ten; 1 for none. */
double plot_nice_top(double value);

/* Of 1000; what is unknown is 0 long. */
double plot_length(double value, double top);

/* Lines and words for 0 to top in n steps. */
void plot_add_grid(struct buf *out, int n);
void plot_add_y_labels(struct buf *out, double top, int n);

/* The step between words of a time axis: at most six of them. */
int64_t plot_time_step_ns(int64_t span_ns);
void plot_add_x_labels(struct buf *out, int64_t span_ns);

#endif
