/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leftovers - what runs that were killed left in the targets goes before the next one
 */
#ifndef IOTEST_CMD_LEFTOVERS_H
#define IOTEST_CMD_LEFTOVERS_H

#include <stdbool.h>

#include "iotest/err.h"
#include "iotest/host.h"
#include "iotest/run.h"
#include "iotest/sweep.h"

/* One for each target of the host. */
struct leftovers {
	struct leftover_sweep {
		struct sweep sweep;
		int rc; /* 0, or why it could not be looked at */
	} * items;
	size_t n_items;
};
void leftovers_done(struct leftovers *leftovers);

/*
 * Sweeps all targets. A target that cannot be looked at is noted, and no reason to end. Returns 0,
 * or -EINTR by a signal.
 */
MUST_CHECK int leftovers_sweep(const struct host *host, bool is_short, struct leftovers *out,
			       struct err *err);

/* Space may have become free. */
bool leftovers_were_removed(const struct leftovers *leftovers);

/* On standard error, a sentence for each target in which something was. */
void leftovers_say(const struct leftovers *leftovers, const struct host *host);

/* The facts of one target. */
void leftovers_describe(const struct leftovers *leftovers, size_t target, struct run *run);

#endif
