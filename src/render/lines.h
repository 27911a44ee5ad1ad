/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines - what a section says, as labels and sentences
 *
 * Made once and set by each output in its own way. Texts are raw: outputs escape them.
 */
#ifndef IOTEST_RENDER_LINES_H
#define IOTEST_RENDER_LINES_H

#include <stddef.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/report.h"

struct line {
	char *label;
	char *text;
};

struct lines {
	struct line *items;
	size_t n_items;
};

void lines_done(struct lines *lines);
void lines_add(struct lines *lines, const char *label, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* For the text page: the labels two columns in, the sentences from that column on. */
void lines_print(const struct lines *lines, size_t column, struct buf *out);

/* What is known of where the bytes came from, or went. */
void lines_add_proof(struct lines *lines, const struct report *report);

/* What held the rates back, with the control and the host. */
void lines_add_limits(struct lines *lines, const struct report *report);

/* The same on one screen: the control is in the sentence of its phase, if it says something. */
void lines_add_limits_short(struct lines *lines, const struct report *report);

/* How it was measured, what was moved. */
void lines_add_facts(struct lines *lines, const struct report *report);

/* The slowest and the fastest worker of each phase. */
void lines_add_workers(struct lines *lines, const struct report *report);

#endif
