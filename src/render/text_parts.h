/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_parts - the sections of the text report that have a file of their own
 */
#ifndef IOTEST_RENDER_TEXT_PARTS_H
#define IOTEST_RENDER_TEXT_PARTS_H

#include "iotest/buf.h"
#include "iotest/report.h"

/* RESULTS to STATISTICS: lines that field scripts parse; they never change. */
void text_add_block(const struct report *report, struct buf *out);

/* RATES and WORKERS: what is judged, against what. */
void text_add_rates(const struct report *report, struct buf *out);

/* FACTS: how it was measured, what was moved. */
void text_add_facts(const struct report *report, struct buf *out);

#endif
