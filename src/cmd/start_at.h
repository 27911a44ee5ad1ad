/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start_at - several hosts begin together
 */
#ifndef IOTEST_CMD_START_AT_H
#define IOTEST_CMD_START_AT_H

#include <stdint.h>

#include "iotest/err.h"

/*
 * The moment of the local time "HH:MM:SS" that is at most 12 hours away: of today, or of tomorrow.
 * Returns 0, or -EINVAL with the sentence in err if it is none, or has passed.
 */
MUST_CHECK int start_at_parse(const char *text, int64_t now_ns, int64_t *at_ns, struct err *err);

/* Returns 0 at that moment, -EINTR by a signal. */
MUST_CHECK int start_at_wait(int64_t at_ns, struct err *err);

#endif
