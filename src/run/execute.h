/* SPDX-License-Identifier: Apache-2.0 */
/*
 * execute - the runner with other I/O calls than the system's: the seam for tests
 */
#ifndef IOTEST_RUN_EXECUTE_H
#define IOTEST_RUN_EXECUTE_H

#include "iotest/io_ops.h"
#include "iotest/runner.h"

/* As run_execute; the workers and the parent use io. Its clock must run. */
MUST_CHECK int run_execute_with(const struct io_ops *io, const struct host *host,
				const struct plan *plan, const struct run_watch *watch,
				struct run *out, struct err *err);

#endif
