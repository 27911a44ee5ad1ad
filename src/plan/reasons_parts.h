/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reasons_parts - the rows of the plan page, by what they are about
 */
#ifndef IOTEST_PLAN_REASONS_PARTS_H
#define IOTEST_PLAN_REASONS_PARTS_H

#include "iotest/buf.h"
#include "iotest/host.h"
#include "iotest/plan.h"

/* One row: value and text are built by the caller and taken over. */
void reasons_row(struct plan *plan, const char *key, struct buf *value, struct buf *text);
void reasons_row_size(struct plan *plan, const char *key, int64_t bytes, struct buf *text);

/* Which test it is: nothing for an ordinary full one. */
void reasons_add_mode(const struct target *target, struct plan *plan);

/* What is written and how: the data always, the rest where it is unusual. */
void reasons_add_io(struct plan *plan);

/* With what it is shared, compared and repeated. */
void reasons_add_company(const struct host *host, const struct target *target, int64_t n_on_device,
			 struct plan *plan);

/* Ends the text about the size of a file: what a bounded test allows. */
void reasons_say_bounds(const struct plan *plan, struct buf *text);

#endif
