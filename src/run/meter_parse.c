/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter_parse - the texts that the meter reads
 *
 * The fields are in Documentation/filesystems/proc.rst and admin-guide/cgroup-v2.rst.
 */
#include "meter.h"

#include <errno.h>
#include <string.h>

#include "iotest/compiler.h"
#include "procfile.h"

/* The first fields of the line "cpu" of /proc/stat; those of guests follow. */
enum {
	CPU_USER,
	CPU_NICE,
	CPU_SYSTEM,
	CPU_IDLE,
	CPU_IOWAIT,
	CPU_IRQ,
	CPU_SOFTIRQ,
	CPU_STEAL,
	CPU_FIELDS
};

int meter_parse_stat(const char *text, int64_t tick_ns, int64_t *busy_ns, int64_t *cpu_ns)
{
	static const char key[] = "cpu ";
	int64_t ticks[CPU_FIELDS] = { 0 };
	int64_t all = 0, idle, all_ns;

	if (tick_ns <= 0 || strncmp(text, key, strlen(key)) != 0 ||
	    procfile_numbers(text + strlen(key), ticks, CPU_FIELDS) <= CPU_IDLE)
		return -EINVAL;
	for (size_t i = 0; i < CPU_FIELDS; i++) {
		if (__builtin_add_overflow(all, ticks[i], &all))
			return -EINVAL;
	}
	if (__builtin_mul_overflow(all, tick_ns, &all_ns))
		return -EINVAL;
	idle = ticks[CPU_IDLE] + ticks[CPU_IOWAIT];
	*busy_ns = (all - idle) * tick_ns;
	*cpu_ns = all_ns;
	return 0;
}

int meter_parse_meminfo(const char *text, int64_t *dirty_bytes)
{
	int64_t dirty_kib = procfile_value(text, "Dirty:");
	int64_t writeback_kib = procfile_value(text, "Writeback:");
	int64_t bytes;

	if (dirty_kib < 0 || writeback_kib < 0 ||
	    __builtin_add_overflow(dirty_kib, writeback_kib, &bytes) ||
	    __builtin_mul_overflow(bytes, KIB, &bytes))
		return -EINVAL;
	*dirty_bytes = bytes;
	return 0;
}

int meter_parse_cpu_stat(const char *text, int64_t *throttled_ns)
{
	static const struct {
		const char *key;
		int64_t unit_ns;
	} keys[] = { { "throttled_usec ", 1000 }, { "throttled_time ", 1 } };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		int64_t value = procfile_value(text, keys[i].key);
		int64_t ns;

		if (value < 0 || __builtin_mul_overflow(value, keys[i].unit_ns, &ns))
			continue;
		*throttled_ns = ns;
		return 0;
	}
	return -EINVAL;
}

int meter_parse_memory_stat(const char *text, int64_t *dirty_bytes)
{
	static const struct {
		const char *dirty;
		const char *writeback;
	} keys[] = { { "file_dirty ", "file_writeback " }, { "total_dirty ", "total_writeback " } };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		int64_t dirty = procfile_value(text, keys[i].dirty);
		int64_t writeback = procfile_value(text, keys[i].writeback);
		int64_t sum;

		if (dirty < 0 || writeback < 0 || __builtin_add_overflow(dirty, writeback, &sum))
			continue;
		*dirty_bytes = sum;
		return 0;
	}
	return -EINVAL;
}

int64_t meter_parse_oom_kills(const char *text)
{
	return procfile_value(text, "oom_kill ");
}

int meter_parse_memory_events(const char *text, int64_t *stalls)
{
	int64_t high = procfile_value(text, "high ");
	int64_t max = procfile_value(text, "max ");
	int64_t sum;

	if (high < 0 || max < 0 || __builtin_add_overflow(high, max, &sum))
		return -EINVAL;
	*stalls = sum;
	return 0;
}
