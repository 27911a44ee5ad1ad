/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plot - axes of the pictures in the HTML report
 */
#include "plot.h"

#include <inttypes.h>
#include <math.h>

#include "html.h"
#include "text_parts.h"

#define X_STEPS_MAX 6

double plot_nice_top(double value)
{
	static const double steps[] = { 1, 2, 2.5, 4, 5, 8, 10 };
	double power = 1;

	if (!isfinite(value) || value < 1e-6 || value > 1e200)
		return 1;
	while (value > 10 * power)
		power *= 10;
	while (value <= power)
		power /= 10;
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		if (value <= steps[i] * power)
			return steps[i] * power;
	return 10 * power;
}

double plot_length(double value, double top)
{
	if (!isfinite(value) || value <= 0 || top <= 0)
		return 0;
	return value >= top ? HTML_SVG_SIZE : HTML_SVG_SIZE * value / top;
}

void plot_add_grid(struct buf *out, int n)
{
	for (int i = 1; i <= n; i++) {
		double y = HTML_SVG_SIZE - HTML_SVG_SIZE * i / n;

		buf_printf(out,
			   "<line class=\"grid\" x1=\"0\" x2=\"1000\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
			   y, y);
	}
}

void plot_add_y_labels(struct buf *out, double top, int n)
{
	for (int i = 0; i <= n; i++) {
		CLEANUP(buf_done) struct buf text = { 0 };

		if (top >= 1e6)
			buf_printf(&text, "%.1e", top * i / n);
		else
			buf_printf(&text, "%.4g", top * i / n);
		buf_printf(out, "<span class=\"y\" style=\"bottom:%.1f%%\">%s</span>\n",
			   100.0 * i / n, buf_text(&text));
	}
}

int64_t plot_time_step_ns(int64_t span_ns)
{
	static const int64_t steps_s[] = { 1,	2,   5,	   10,	 15,   30,    60,    120,  300,
					   600, 900, 1800, 3600, 7200, 21600, 43200, 86400 };

	for (size_t i = 0; i < ARRAY_LEN(steps_s); i++)
		if (span_ns / (steps_s[i] * NS_PER_S) < X_STEPS_MAX)
			return steps_s[i] * NS_PER_S;
	return span_ns / X_STEPS_MAX;
}

static void add_time(struct buf *out, int64_t ns)
{
	int64_t s = ns / NS_PER_S;

	if (s < 60)
		buf_printf(out, "%" PRId64 " s", s);
	else if (s < 3600 && s % 60 == 0)
		buf_printf(out, "%" PRId64 " min", s / 60);
	else if (s < 3600)
		buf_printf(out, "%" PRId64 ":%02" PRId64 " min", s / 60, s % 60);
	else
		buf_printf(out, "%" PRId64 ":%02" PRId64 " h", s / 3600, s / 60 % 60);
}

/* The last word would stand out of the box: it is left out if it is near the end. */
void plot_add_x_labels(struct buf *out, int64_t span_ns)
{
	int64_t step_ns = plot_time_step_ns(span_ns);

	if (span_ns <= 0 || step_ns <= 0)
		return;
	for (int64_t at = 0; at <= span_ns - span_ns / 20; at += step_ns) {
		CLEANUP(buf_done) struct buf text = { 0 };

		add_time(&text, at);
		buf_printf(out, "<span class=\"x\" style=\"left:%.2f%%\">%s</span>\n",
			   100.0 * (double)at / (double)span_ns, buf_text(&text));
		if (at > span_ns - step_ns)
			break;
	}
}
