/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds - how much may wait in memory, and how fast all workers together may be
 */
#ifndef IOTEST_PLAN_BOUNDS_H
#define IOTEST_PLAN_BOUNDS_H

#include <stdint.h>

#include "iotest/compiler.h"
#include "iotest/err.h"
#include "iotest/plan.h"

/* In which pieces n writers start write-back, where nothing else bounds them. */
int64_t bounds_piece_bytes(int64_t n_writers);

/* The pace of each worker by --max-rate, shared with n_at_once - 1 other tests. */
MUST_CHECK int bounds_take_rate(const struct plan_wishes *wishes, int64_t n_at_once,
				struct plan *plan, struct err *err);

/* The window of each writer, and its pieces: of a bounded or paced test, and by --max-dirty. */
MUST_CHECK int bounds_take_dirty(const struct plan_wishes *wishes, int64_t n_at_once,
				 struct plan *plan, struct err *err);

/* With --gentle: how long it works before it looks at others, and waits for them. */
void bounds_take_patience(struct plan *plan);

/* What all writers of the plan may have waiting in memory; -1: as much as the kernel lets them. */
int64_t bounds_dirty_bytes(const struct plan *plan);

#endif
