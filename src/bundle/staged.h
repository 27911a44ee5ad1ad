/* SPDX-License-Identifier: Apache-2.0 */
/*
 * staged - a file that gets its name only when it is complete
 *
 * Private to the bundle. Without a name from the start where the file system can do that
 * (O_TMPFILE), else under a temporary name inside the partial folder.
 */
#ifndef IOTEST_BUNDLE_STAGED_H
#define IOTEST_BUNDLE_STAGED_H

#include <stdbool.h>

#include "iotest/bundle.h"
#include "iotest/compiler.h"

struct staged {
	int fd; /* for reading and writing, mode 0600 */
	int dir_fd;
	bool has_name;
};

/* with_name: do not try O_TMPFILE. Returns 0 or -errno; end with staged_done(). */
MUST_CHECK int staged_open(struct staged *out, const struct bundle *bundle, bool with_name);

/*
 * Makes the file durable and gives it that name in the output directory, never over anything.
 * Returns 0, -EEXIST, -ENOTSUP if it has to be written again with_name, or -errno.
 */
MUST_CHECK int staged_link(struct staged *staged, const struct bundle *bundle, const char *name);

/* Closes it; without staged_link nothing of it stays. */
void staged_done(struct staged *staged);

#endif
