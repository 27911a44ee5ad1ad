/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters - what the kernel counted: bytes of block devices and of this process
 */
#ifndef IOTEST_RUN_COUNTERS_H
#define IOTEST_RUN_COUNTERS_H

#include <stdint.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/host.h"
#include "iotest/run.h"

/* A number of /proc/self/io, such as "read_bytes: "; -1 if it cannot be read. Allocates nothing
 * and uses no stdio: for workers. */
int64_t counters_self_io(const char *key);

/* The same of a given text, as the kernel writes it. */
int64_t counters_io_value(const char *text, const char *key);

/* What a device's stat file counts since boot (Documentation/block/stat.rst), in bytes and ns.
 * -EINVAL if the text is none; out is untouched then. name, is_leaf and is_top stay. */
MUST_CHECK int counters_parse_stat(const char *text, struct device_count *out);

/*
 * The bytes that came from and went to the server of the mount at mount_point, as
 * /proc/self/mountstats has them ("bytes:", fields 5 and 6: serverreadbytes, serverwritebytes).
 * -ENOENT if that mount is not in it or is not counted. text is the whole file.
 */
MUST_CHECK int counters_parse_mountstats(const char *text, const char *mount_point,
					 int64_t *read_bytes, int64_t *written_bytes);

/* Fills phase->devices with what the devices of the target, or its mount if that is one of NFS,
 * have counted so far; -1: unknown. */
void counters_begin(const struct target *target, struct phase *phase);

/* Turns what counters_begin took into the difference since then; -1 stays unknown. A device that
 * was told not to count (queue/iostats), and did not, becomes unknown. */
void counters_end(struct phase *phase);

/*
 * While the phase runs, after counters_begin: one line for a sample, as it goes into samples.tsv:
 * "sda=READ/WRITTEN/IN-FLIGHT sdb=...", bytes since the begin. Adds up those of the lowest
 * devices into point (-1 if one of them does not tell). Files stay open between samples. For
 * block devices only: a mount is looked at before and after the phase.
 */
struct counters_sampler;
struct counters_sampler *counters_sampler_open(const struct phase *phase);
void counters_sample(struct counters_sampler *sampler, struct series_point *point,
		     struct buf *devices);
/* Read and written at the topmost devices, by the last sample; -1 if one does not tell. */
int64_t counters_sampler_top_bytes(const struct counters_sampler *sampler);
void counters_sampler_close(struct counters_sampler **sampler);

/* The same with other files than /sys/class/block and /proc/self/mountstats, for tests. */
struct counters_place {
	const char *blocks;
	const char *mountstats;
};
void counters_begin_at(const struct counters_place *place, const struct target *target,
		       struct phase *phase);
void counters_end_at(const struct counters_place *place, struct phase *phase);
struct counters_sampler *counters_sampler_open_at(const struct counters_place *place,
						  const struct phase *phase);

#endif
