/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters - what the kernel counted: bytes of block devices and of this process
 */
#ifndef IOTEST_RUN_COUNTERS_H
#define IOTEST_RUN_COUNTERS_H

#include <stdint.h>

#include "iotest/compiler.h"
#include "iotest/host.h"
#include "iotest/run.h"

/* A number of /proc/self/io, such as "read_bytes: "; -1 if it cannot be read. Allocates nothing
 * and uses no stdio: for workers. */
int64_t counters_self_io(const char *key);

/* The same of a given text, as the kernel writes it. */
int64_t counters_io_value(const char *text, const char *key);

/* Bytes read and written since boot, from the text of a device's stat file. -EINVAL if it is
 * none; the out parameters are untouched then. */
MUST_CHECK int counters_parse_stat(const char *text, int64_t *read_bytes, int64_t *written_bytes);

/* Fills phase->devices with what the devices of the target have counted so far; -1: unknown. */
void counters_begin(const struct target *target, struct phase *phase);

/* Turns what counters_begin took into the difference since then; -1 stays unknown. A device that
 * was told not to count (queue/iostats), and did not, becomes unknown. */
void counters_end(struct phase *phase);

/* The same with another directory than /sys/class/block, for tests. */
void counters_begin_at(const char *blocks, const struct target *target, struct phase *phase);
void counters_end_at(const char *blocks, struct phase *phase);

#endif
