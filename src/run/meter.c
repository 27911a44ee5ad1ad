/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter - what the host counted while a phase went on, beside the bytes of the devices
 */
#include "meter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "iotest/compiler.h"
#include "procfile.h"

/* Two clocks cannot be read at the same moment. */
#define CLOCK_TRIES 5
#define CLOCK_NOISE_NS NS_PER_MS

#define CGROUPS "/sys/fs/cgroup"

/* The wanted lines stand in it, /proc/meminfo and memory.stat being the longest. */
#define TEXT_SIZE 4096
#define VMSTAT_SIZE 32768
#define PATH_SIZE 4608

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		return -1;
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* Of several tries the one that was disturbed least. */
static int64_t less_monotonic_ns(clockid_t clock)
{
	int64_t best = -1, best_gap_ns = INT64_MAX;

	for (int i = 0; i < CLOCK_TRIES; i++) {
		int64_t before_ns = clock_ns(CLOCK_MONOTONIC);
		int64_t there_ns = clock_ns(clock);
		int64_t gap_ns = clock_ns(CLOCK_MONOTONIC) - before_ns;

		if (there_ns < 0)
			return -1;
		if (gap_ns >= best_gap_ns)
			continue;
		best_gap_ns = gap_ns;
		best = there_ns - before_ns - gap_ns / 2;
	}
	/* Nanoseconds below 0 are those between the calls. */
	return best < 0 ? 0 : best;
}

/* How much of a path stands before its last name, without the slash. */
static int folder_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) : 0;
}

/* A file in the control group whose limit was read from source. */
static int read_beside(const char *source, const char *file, char *text, size_t size)
{
	char path[PATH_SIZE];
	int len = snprintf(path, sizeof(path), "%.*s/%s", folder_len(source), source, file);

	if (len < 0 || len >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return procfile_read(path, text, size);
}

static int64_t read_number_beside(const char *source, const char *file)
{
	char text[TEXT_SIZE];
	const char *at = text;
	int64_t value;

	if (read_beside(source, file, text, sizeof(text)) || !procfile_next(&at, &value))
		return -1;
	return value;
}

static int64_t throttled_ns(const char *source)
{
	char text[TEXT_SIZE];
	int64_t ns;

	if (!*source || read_beside(source, "cpu.stat", text, sizeof(text)) ||
	    meter_parse_cpu_stat(text, &ns))
		return -1;
	return ns;
}

/* memory.failcnt is of version 1. */
static int64_t memory_stalls(const char *source)
{
	char text[TEXT_SIZE];
	int64_t stalls;

	if (!*source)
		return -1;
	if (read_beside(source, "memory.events", text, sizeof(text)))
		return read_number_beside(source, "memory.failcnt");
	return meter_parse_memory_events(text, &stalls) ? -1 : stalls;
}

/* Version 1 counts them in another file. */
static int64_t oom_kills(const char *source)
{
	char text[TEXT_SIZE];

	if (!*source || (read_beside(source, "memory.events", text, sizeof(text)) &&
			 read_beside(source, "memory.oom_control", text, sizeof(text))))
		return -1;
	return meter_parse_oom_kills(text);
}

static int64_t host_oom_kills(void)
{
	char text[VMSTAT_SIZE];

	if (procfile_read("/proc/vmstat", text, sizeof(text)))
		return -1;
	return meter_parse_oom_kills(text);
}

void meter_find_memory_high(const char *cgroups, const struct host *host, char *source, size_t size)
{
	char group[PATH_SIZE];
	int len = snprintf(group, sizeof(group), "%s%s/", cgroups, text_of(host->cgroup));

	source[0] = '\0';
	if (host->memory_high_bytes < 0 || len < 0 || len >= (int)sizeof(group))
		return;
	for (; strlen(group) > strlen(cgroups); group[folder_len(group)] = '\0') {
		len = snprintf(source, size, "%.*s/memory.high", folder_len(group), group);
		if (len >= 0 && len < (int)size &&
		    read_number_beside(source, "memory.high") == host->memory_high_bytes)
			return;
	}
	source[0] = '\0';
}

static void read_cpu(struct meter_reading *out)
{
	char text[TEXT_SIZE];
	long ticks_per_s = sysconf(_SC_CLK_TCK);

	if (ticks_per_s <= 0 || procfile_read("/proc/stat", text, sizeof(text)) ||
	    meter_parse_stat(text, NS_PER_S / ticks_per_s, &out->busy_ns, &out->cpu_ns)) {
		out->busy_ns = -1;
		out->cpu_ns = -1;
	}
}

void meter_read(const struct host *host, struct meter_reading *out)
{
	const char *memory = text_of(host->memory_limit_source);
	char high[PATH_SIZE];

	if (!*memory) {
		meter_find_memory_high(CGROUPS, host, high, sizeof(high));
		memory = high;
	}
	out->wall_less_monotonic_ns = less_monotonic_ns(CLOCK_REALTIME);
	out->boot_less_monotonic_ns = less_monotonic_ns(CLOCK_BOOTTIME);
	read_cpu(out);
	out->throttled_ns = throttled_ns(text_of(host->cpu_quota_source));
	out->memory_stalls = memory_stalls(memory);
	out->oom_kills = oom_kills(memory);
	out->host_oom_kills = host_oom_kills();
}

/* A count that went back is another one. */
static int64_t growth(int64_t before, int64_t after)
{
	return before >= 0 && after >= before ? after - before : -1;
}

/* How far two clocks moved apart; both are slewed alike. */
static int64_t step_ns(int64_t before_ns, int64_t after_ns)
{
	int64_t ns;

	if (before_ns < 0 || after_ns < 0)
		return -1;
	ns = after_ns > before_ns ? after_ns - before_ns : before_ns - after_ns;
	return ns < CLOCK_NOISE_NS ? 0 : ns;
}

void meter_put(const struct meter_reading *before, const struct meter_reading *after,
	       struct phase *phase)
{
	phase->clock_step_ns =
		step_ns(before->wall_less_monotonic_ns, after->wall_less_monotonic_ns);
	phase->suspended_ns =
		step_ns(before->boot_less_monotonic_ns, after->boot_less_monotonic_ns);
	phase->host_busy_ns = growth(before->busy_ns, after->busy_ns);
	phase->host_cpu_ns = growth(before->cpu_ns, after->cpu_ns);
	phase->throttled_ns = growth(before->throttled_ns, after->throttled_ns);
	phase->memory_stalls = growth(before->memory_stalls, after->memory_stalls);
	phase->oom_kills = growth(before->oom_kills, after->oom_kills);
	phase->host_oom_kills = growth(before->host_oom_kills, after->host_oom_kills);
}

int64_t meter_group_dirty_bytes(const struct host *host)
{
	const char *source = text_of(host->memory_limit_source);
	char text[TEXT_SIZE];
	int64_t bytes;

	if (!*source || read_beside(source, "memory.stat", text, sizeof(text)) ||
	    meter_parse_memory_stat(text, &bytes))
		return -1;
	return bytes;
}

int64_t meter_dirty_bytes(void)
{
	char text[TEXT_SIZE];
	int64_t bytes;

	if (procfile_read("/proc/meminfo", text, sizeof(text)) || meter_parse_meminfo(text, &bytes))
		return -1;
	return bytes;
}
