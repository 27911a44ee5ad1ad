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
#include "iotest/xalloc.h"

/* Whether the unit is the one that the kernel writes; else a note says what is there. */
static bool has_unit(struct host *host, const char *key, const char *at, const char *unit)
{
	CLEANUP(xfree) char *word = NULL;
	CLEANUP(xfree) char *shown = NULL;

	at += strspn(at, " \t");
	word = xstrndup(at, strcspn(at, " \t\r\n"));
	if (!strcmp(word, unit))
		return true;
	shown = shown_text(word);
	if (*word)
		host_note(host, "memory",
			  "/proc/meminfo: %s has the unit \"%s\": its value is not known", key,
			  shown);
	else
		host_note(host, "memory", "/proc/meminfo: %s has no unit: its value is not known",
			  key);
	return false;
}

/* "Key:   123 kB" in bytes, or with the unit "" as it is; -1 if absent or absurd. */
static int64_t meminfo_value(struct host *host, const char *text, const char *key, const char *unit)
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
	if (errno || !has_unit(host, key, end, unit))
		return -1;
	if (!*unit)
		return n;
	return units_mul(n, KIB, &bytes) ? -1 : bytes;
}

static int64_t hugepages(struct host *host, const char *text)
{
	/* of every size, from Linux 4.16 */
	int64_t all = meminfo_value(host, text, "Hugetlb", "kB");
	int64_t n = meminfo_value(host, text, "HugePages_Total", "");
	int64_t size = meminfo_value(host, text, "Hugepagesize", "kB");
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

/* dirty_ratio percent of what can be dirty; -1 unknown. */
static int64_t dirty_share(struct probe *p)
{
	int64_t whole = p->host->memory_available_bytes;
	int64_t ratio;

	if (sysroot_read_i64(p->root, &ratio, "/proc/sys/vm/dirty_ratio") || ratio < 0 ||
	    ratio > 100)
		return -1;
	if (whole < 0 && p->host->memory_bytes > 0) {
		whole = p->host->memory_bytes;
		host_note(p->host, "memory",
			  "the memory available is not known: the limit of dirty bytes is "
			  "estimated from all memory");
	}
	return whole < 0 ? -1 : whole / 100 * ratio;
}

/* Writers wait above this: dirty_bytes, or a share of the memory. */
static int64_t dirty_limit(struct probe *p)
{
	int64_t bytes = 0;

	if (sysroot_read_i64(p->root, &bytes, "/proc/sys/vm/dirty_bytes") || bytes <= 0)
		bytes = dirty_share(p);
	if (p->host->memory_bytes > 0 && bytes > p->host->memory_bytes)
		return p->host->memory_bytes;
	return bytes;
}

/* Parts that are larger than the whole are unknown. */
static void drop_impossible(struct host *host)
{
	if (host->memory_bytes < 0)
		return;
	if (host->memory_available_bytes > host->memory_bytes) {
		host->memory_available_bytes = -1;
		host_note(host, "memory",
			  "/proc/meminfo tells of more memory available than there is: how much "
			  "it is, is not known");
	}
	if (host->hugepages_bytes > host->memory_bytes) {
		host->hugepages_bytes = -1;
		host_note(host, "memory",
			  "/proc/meminfo tells of more huge pages than there is memory: how much "
			  "they take is not known");
	}
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
	host->memory_bytes = meminfo_value(host, buf_text(&text), "MemTotal", "kB");
	if (host->memory_bytes <= 0) {
		host->memory_bytes = -1;
		if (!rc)
			host_note(host, "memory",
				  "/proc/meminfo does not tell the size of the memory");
	}
	host->memory_available_bytes = meminfo_value(host, buf_text(&text), "MemAvailable", "kB");
	host->hugepages_bytes = hugepages(host, buf_text(&text));
	host->swap_bytes = meminfo_value(host, buf_text(&text), "SwapTotal", "kB");
	drop_impossible(host);
	host->dirty_limit_bytes = dirty_limit(p);
	compare_with_sysinfo(p);
}
