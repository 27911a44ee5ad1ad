/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_memory - /proc/meminfo, and how many dirty bytes the kernel lets writers pile up
 */
#include "probe_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "iotest/units.h"

/* "Key:   123 kB" in bytes, or without "kB" as it is; -1 if absent or absurd. */
static int64_t meminfo_value(const char *text, const char *key)
{
	size_t len = strlen(key);
	const char *at = text;
	long long n;
	int64_t bytes;
	char *end;

	while (*at && (strncmp(at, key, len) || at[len] != ':'))
		at = next_line(at);
	if (!*at)
		return -1;
	at += len + 1;
	at += strspn(at, " \t");
	if (*at < '0' || *at > '9')
		return -1;
	errno = 0;
	n = strtoll(at, &end, 10);
	if (errno)
		return -1;
	if (strncmp(end, " kB", 3))
		return n;
	return units_mul(n, KIB, &bytes) ? -1 : bytes;
}

static int64_t hugepages(const char *text)
{
	int64_t all = meminfo_value(text, "Hugetlb"); /* of every size, from Linux 4.16 */
	int64_t n = meminfo_value(text, "HugePages_Total");
	int64_t size = meminfo_value(text, "Hugepagesize");
	int64_t bytes;

	if (all >= 0)
		return all;
	if (n < 0 || (n > 0 && size < 0))
		return -1;
	return units_mul(n, n ? size : 0, &bytes) ? -1 : bytes;
}

static int sysinfo_write(void *context UNUSED, struct buf *out)
{
	struct sysinfo s;

	if (sysinfo(&s))
		return -errno;
	buf_printf(out, "totalram_bytes=%llu\n", (unsigned long long)s.totalram * s.mem_unit);
	return 0;
}

/* lxcfs shows a container its share in /proc/meminfo, and the system call knows nothing of it. */
static void compare_with_sysinfo(struct probe *p)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	int64_t total, other;

	if (probe_fact(p->root, "os/sysinfo", sysinfo_write, NULL, &text))
		return;
	total = p->host->memory_bytes;
	other = fact_or_unknown(buf_text(&text), "totalram_bytes");
	if (total <= 0 || other <= 0)
		return;
	if (llabs(total - other) > other / 20)
		host_note(p->host, "memory",
			  "/proc/meminfo tells %" PRId64 " bytes, sysinfo(2) %" PRId64
			  ": the first one counts",
			  total, other);
}

/* Writers wait above this: dirty_bytes, or dirty_ratio percent of what can be dirty. */
static int64_t dirty_limit(struct probe *p)
{
	int64_t bytes = 0, ratio;

	if (sysroot_read_i64(p->root, &bytes, "/proc/sys/vm/dirty_bytes") == 0 && bytes > 0)
		return bytes;
	if (sysroot_read_i64(p->root, &ratio, "/proc/sys/vm/dirty_ratio") || ratio < 0 ||
	    ratio > 100 || p->host->memory_available_bytes < 0)
		return -1;
	return p->host->memory_available_bytes / 100 * ratio;
}

void probe_memory(struct probe *p)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct host *host = p->host;
	int rc;

	rc = sysroot_read(p->root, &text, "/proc/meminfo");
	if (rc) {
		host_note(host, "memory", "/proc/meminfo cannot be read: %s", strerror(-rc));
		text.len = 0;
	}
	host->memory_bytes = meminfo_value(buf_text(&text), "MemTotal");
	if (host->memory_bytes <= 0) {
		host->memory_bytes = -1;
		if (!rc)
			host_note(host, "memory",
				  "/proc/meminfo does not tell the size of the memory");
	}
	host->memory_available_bytes = meminfo_value(buf_text(&text), "MemAvailable");
	host->hugepages_bytes = hugepages(buf_text(&text));
	host->swap_bytes = meminfo_value(buf_text(&text), "SwapTotal");
	host->dirty_limit_bytes = dirty_limit(p);
	compare_with_sysinfo(p);
}
