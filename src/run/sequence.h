/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sequence - which phases there are, in which order, and what lies between them
 */
#ifndef IOTEST_RUN_SEQUENCE_H
#define IOTEST_RUN_SEQUENCE_H

#include "iotest/compiler.h"
#include "iotest/err.h"
#include "ensemble.h"

/* All phases of runs whose test files are open. Returns 0 if anything was measured; else a
 * negative errno with the sentence in err. */
MUST_CHECK int sequence_run(struct ensemble *x, struct err *err);

#endif
