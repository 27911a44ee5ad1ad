/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart - rates over time in characters
 */
#include "chart.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "layout.h"
#include "text_parts.h"

#define LABEL_COLUMNS 8
#define SAME_LEVEL_RATIO 0.85
#define COARSER_RATIO 0.05

struct column {
	double rate; /* mean of its rounds; below 0: none is known */
	bool is_spoiled;
};

/* Each level ends where the next, lower one begins. */
struct levels {
	double lowest[CHART_ROWS];
	double mean[CHART_ROWS];
	size_t n;
};

size_t chart_merged(size_t n_rounds)
{
	return n_rounds <= CHART_COLUMNS ? 1 : (n_rounds + CHART_COLUMNS - 1) / CHART_COLUMNS;
}

static struct column merge(const struct round *rounds, size_t n)
{
	struct column c = { .rate = -1 };
	double sum = 0;
	size_t n_known = 0;

	for (size_t i = 0; i < n; i++) {
		c.is_spoiled |= rounds[i].is_spoiled == 1;
		if (!isfinite(rounds[i].mib_per_s) || rounds[i].mib_per_s < 0)
			continue;
		sum += rounds[i].mib_per_s;
		n_known++;
	}
	if (n_known > 0 && isfinite(sum))
		c.rate = sum / (double)n_known;
	return c;
}

static size_t fill(const struct round *rounds, size_t n_rounds, struct column *columns)
{
	size_t merged = chart_merged(n_rounds);
	size_t n = 0;

	for (size_t at = 0; at < n_rounds && n < CHART_COLUMNS; at += merged) {
		size_t left = n_rounds - at;

		columns[n++] = merge(rounds + at, left < merged ? left : merged);
	}
	return n;
}

static int higher_first(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x < y) - (x > y);
}

/* False if there are more levels than rows. Rates descend. */
static bool divide(const double *rates, size_t n, double ratio, struct levels *out)
{
	size_t begin = 0;

	out->n = 0;
	while (begin < n) {
		double sum = 0;
		size_t end = begin;

		if (out->n == CHART_ROWS)
			return false;
		for (; end < n && rates[end] >= ratio * rates[begin]; end++)
			sum += rates[end];
		out->lowest[out->n] = rates[end - 1];
		out->mean[out->n++] = sum / (double)(end - begin);
		begin = end;
	}
	return true;
}

static void find_levels(const struct column *columns, size_t n_columns, struct levels *out)
{
	double rates[CHART_COLUMNS] = { 0 };
	double ratio = SAME_LEVEL_RATIO;
	size_t n = 0;

	for (size_t i = 0; i < n_columns; i++)
		if (columns[i].rate >= 0)
			rates[n++] = columns[i].rate;
	qsort(rates, n, sizeof(rates[0]), higher_first);
	/* At 0 all of them are one level. */
	while (!divide(rates, n, ratio, out))
		ratio = ratio > COARSER_RATIO ? ratio - COARSER_RATIO : 0;
}

static size_t level_of(const struct levels *levels, double rate)
{
	size_t level = 0;

	while (level + 1 < levels->n && rate < levels->lowest[level])
		level++;
	return level;
}

void chart_add(const struct round *rounds, size_t n_rounds, struct buf *out)
{
	struct column columns[CHART_COLUMNS];
	struct levels levels;
	size_t n = fill(rounds, n_rounds, columns);

	find_levels(columns, n, &levels);
	for (size_t level = 0; level < levels.n; level++) {
		CLEANUP(buf_done) struct buf label = { 0 };
		int gap = 1;

		text_add_rate(&label, levels.mean[level]);
		layout_cell(out, LABEL_COLUMNS, buf_text(&label));
		for (size_t i = 0; i < n; i++, gap++) {
			if (columns[i].rate < 0 || level_of(&levels, columns[i].rate) != level)
				continue;
			buf_printf(out, "%*s%c", gap, "", columns[i].is_spoiled ? 'o' : '#');
			gap = -1; /* the loop makes it 0 */
		}
		buf_add_text(out, "\n");
	}
}

size_t chart_line_merged(size_t n_rounds)
{
	return n_rounds <= CHART_LINE_COLUMNS
		       ? 1
		       : (n_rounds + CHART_LINE_COLUMNS - 1) / CHART_LINE_COLUMNS;
}

double chart_add_line(const struct round *rounds, size_t n_rounds, struct buf *out)
{
	size_t merged = chart_line_merged(n_rounds);
	double rates[CHART_LINE_COLUMNS];
	double highest = -1;
	size_t n = 0;

	for (size_t at = 0; at < n_rounds && n < CHART_LINE_COLUMNS; at += merged, n++) {
		size_t left = n_rounds - at;

		rates[n] = merge(rounds + at, left < merged ? left : merged).rate;
		highest = rates[n] > highest ? rates[n] : highest;
	}
	for (size_t i = 0; highest >= 0 && i < n; i++) {
		if (rates[i] < 0)
			buf_add_text(out, " ");
		else
			buf_printf(out, "%d",
				   highest > 0 ? (int)(9 * (rates[i] / highest) + 0.5) : 0);
	}
	return highest;
}
