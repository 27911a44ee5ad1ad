/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wishes - the words of the options that change the plan
 */
#ifndef IOTEST_PLAN_WISHES_H
#define IOTEST_PLAN_WISHES_H

#include <stdbool.h>

#include "iotest/err.h"
#include "iotest/plan.h"

/* The phases that are judged; NULL is both. Returns 0 or -EINVAL. */
MUST_CHECK int wishes_phases(const char *words, bool *write, bool *read, struct err *err);

/* Fills data, compressible_percent and data_file of a zeroed io; NULL is unique data. */
MUST_CHECK int wishes_data(const char *words, struct io_spec *io, struct err *err);

#endif
