/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter - what the host counted while a phase went on, beside the bytes of the devices
 *
 * Clock steps and sleep, CPU time of everybody, quota and memory limit of the control group.
 * What cannot be read is -1.
 */
#ifndef IOTEST_RUN_METER_H
#define IOTEST_RUN_METER_H

#include <stddef.h>
#include <stdint.h>

#include "iotest/compiler.h"
#include "iotest/host.h"
#include "iotest/run.h"

struct meter_reading {
	int64_t wall_less_monotonic_ns;
	int64_t boot_less_monotonic_ns;
	int64_t busy_ns;       /* /proc/stat: user, nice, system, irq, softirq, steal */
	int64_t cpu_ns;	       /* all fields of that line but guest, which user holds already */
	int64_t throttled_ns;  /* of the group that has the CPU quota in force */
	int64_t memory_stalls; /* of the group that has the memory limit in force */
	int64_t oom_kills;     /* in the same group */
	int64_t host_oom_kills;
};

/* Takes what can be read now. host tells where its control groups are. */
void meter_read(const struct host *host, struct meter_reading *out);

/* The difference between two readings, into the fields of the phase. */
void meter_put(const struct meter_reading *before, const struct meter_reading *after,
	       struct phase *phase);

/* Dirty and Writeback of /proc/meminfo, summed, in bytes; -1. Cheap enough for every sample. */
int64_t meter_dirty_bytes(void);

/* Dirty pages, and those under write-back, of the control group with the memory limit in force, in
 * bytes; -1 if there is none, or it does not tell. */
int64_t meter_group_dirty_bytes(const struct host *host);

/*
 * The file of a memory.high that is the only limit in force, which the host does not name: it is
 * that of the own group or of one above it. cgroups is the mount; source becomes "" if there is
 * no such file. For tests.
 */
void meter_find_memory_high(const char *cgroups, const struct host *host, char *source,
			    size_t size);

/* The parsers, for tests: a negative errno leaves the out parameters untouched. */
MUST_CHECK int meter_parse_stat(const char *text, int64_t tick_ns, int64_t *busy_ns,
				int64_t *cpu_ns);
MUST_CHECK int meter_parse_meminfo(const char *text, int64_t *dirty_bytes);
/* throttled_usec of cgroup v2, throttled_time (ns) of v1. */
MUST_CHECK int meter_parse_cpu_stat(const char *text, int64_t *throttled_ns);
/* memory.stat: of v2, and of v1 with the groups below. */
MUST_CHECK int meter_parse_memory_stat(const char *text, int64_t *dirty_bytes);
/* memory.events of v2: high + max. */
MUST_CHECK int meter_parse_memory_events(const char *text, int64_t *stalls);
/* "oom_kill" of memory.events, of memory.oom_control (v1, since Linux 4.13), or of /proc/vmstat;
 * -1 if it is not there. */
int64_t meter_parse_oom_kills(const char *text);

#endif
