/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history_page - runs of the past as a table, with a sparkline and a trend for those that are alike
 */
#ifndef IOTEST_CMD_HISTORY_PAGE_H
#define IOTEST_CMD_HISTORY_PAGE_H

#include "iotest/buf.h"
#include "iotest/history.h"

/* The oldest first. */
void history_page_text(const struct history_list *list, struct buf *out);

/* One line of names, then one for each run; RFC 4180. */
void history_page_csv(const struct history_list *list, struct buf *out);

#endif
