/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe - learn what the machine and the targets are: host
 *
 * Reads through the sysroot only, so that a recorded tree gives the same answer. A missing fact
 * is a note; only what makes everything else meaningless is an error.
 */
#ifndef IOTEST_PROBE_H
#define IOTEST_PROBE_H

#include "iotest/buf.h"
#include "iotest/err.h"
#include "iotest/host.h"
#include "iotest/sysroot.h"

/*
 * Fills out, which stays untouched on failure. targets are directories as given by the user;
 * relative ones are resolved against the working directory.
 *
 * Errors: a target that does not exist, is no directory, is a block device or does not answer.
 * A read-only or unwritable target is a fact here (read_only, writable), not an error.
 */
MUST_CHECK int probe_host(const struct sysroot *root, const struct strlist *targets,
			  struct host *out, struct err *err);

/* What the control groups allow of I/O now, as host.io_limits has it, to be freed; "" nothing. */
char *probe_io_limits(const struct sysroot *root);

/* The same with the configuration of SAS in that file; NULL: in the usual places. */
MUST_CHECK int probe_host_with_sas(const struct sysroot *root, const struct strlist *targets,
				   const char *sas_config, struct host *out, struct err *err);

/* How many processes of SAS run now on this host; -1 unknown. */
int64_t probe_sas_processes(void);

/* Appends the names and versions of the libraries used here: "name 1.2.3, name 4.5". */
void probe_add_libraries(struct buf *out);

#endif
