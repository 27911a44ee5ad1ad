/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings - what the rates of a host depend on, as lines that can be compared years later
 */
#ifndef IOTEST_CMD_SETTINGS_H
#define IOTEST_CMD_SETTINGS_H

#include <stddef.h>

#include "iotest/buf.h"
#include "iotest/host.h"
#include "iotest/sysroot.h"

/* Adds "name=value" lines, sorted; what is not known has none. */
void settings_add(const struct sysroot *root, const struct host *host, const struct target *target,
		  struct buf *out);

/* Adds "name old -> new, ..." for at most so many names, and how many more there are. Returns the
 * number of all. */
size_t settings_add_changes(const char *before, const char *after, size_t most, struct buf *out);

#endif
