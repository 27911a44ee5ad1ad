/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requirements - how --require is understood
 */
#ifndef IOTEST_PLAN_REQUIREMENTS_H
#define IOTEST_PLAN_REQUIREMENTS_H

#include "iotest/err.h"
#include "iotest/plan.h"

/* Fills the requirement fields of plan; words NULL is the default. option is where the words came
 * from, for the message. Returns 0 or -EINVAL. */
MUST_CHECK int requirements_choose(const char *option, const char *words, struct plan *plan,
				   struct err *err);

#endif
