/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_processes - SAS that runs, and programs that look into files on access
 *
 * Only the short names of processes are read: whose they are, and how they were called, is nobody's
 * business here. Kept as the fact "os/processes".
 */
#include "probe_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iotest/probe.h"
#include "iotest/xalloc.h"

/* A short name has 15 letters at most. */
#define COMM_SIZE 16

static const char *const sas_names[] = { "sas", "cas" };

/* Processes of on-access scanners, as their products name them. */
static const struct {
	const char *name;
	const char *product;
} scanners[] = {
	{ "falcon-sensor", "CrowdStrike Falcon" },
	{ "falcon-sensor-b", "CrowdStrike Falcon" },
	{ "wdavdaemon", "Microsoft Defender" },
	{ "ds_agent", "Trend Micro Deep Security" },
	{ "ds_am", "Trend Micro Deep Security" },
	{ "cbagentd", "Carbon Black" },
	{ "clamonacc", "ClamAV" },
	{ "savscand", "Sophos" },
	{ "savd", "Sophos" },
	{ "mfetpd", "Trellix (McAfee)" },
	{ "rtvscand", "Symantec" },
	{ "fsoasd", "F-Secure" },
	{ "kesl", "Kaspersky" },
	{ "s1-agent", "SentinelOne" },
};

static bool read_name(const char *pid, char name[COMM_SIZE])
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, name, COMM_SIZE - 1);
	close(fd);
	if (n <= 0)
		return false;
	name[n] = '\0';
	name[strcspn(name, "\n")] = '\0';
	return true;
}

static bool is_sas(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(sas_names); i++)
		if (strcmp(name, sas_names[i]) == 0)
			return true;
	return false;
}

/* seen: of the scanners; may be NULL. Returns how many are of SAS, or -1. */
static int64_t count_processes(bool *seen)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	char name[COMM_SIZE];
	int64_t n = 0;

	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
		    !read_name(entry->d_name, name))
			continue;
		n += is_sas(name);
		for (size_t i = 0; seen && i < ARRAY_LEN(scanners); i++)
			seen[i] = seen[i] || strcmp(name, scanners[i].name) == 0;
	}
	closedir(dir);
	return n;
}

int64_t probe_sas_processes(void)
{
	return count_processes(NULL);
}

static int processes_write(void *context UNUSED, struct buf *out)
{
	bool seen[ARRAY_LEN(scanners)] = { false };
	const char *last = "";

	buf_printf(out, "sas=%" PRId64 "\nscanners=", count_processes(seen));
	for (size_t i = 0; i < ARRAY_LEN(scanners); i++) {
		if (!seen[i] || strcmp(last, scanners[i].product) == 0)
			continue;
		buf_printf(out, "%s%s", *last ? ", " : "", scanners[i].product);
		last = scanners[i].product;
	}
	buf_add_text(out, "\n");
	return 0;
}

void probe_processes(struct probe *p)
{
	CLEANUP(buf_done) struct buf fact = { 0 };
	CLEANUP(xfree) char *names = NULL;

	if (probe_fact(p->root, "os/processes", processes_write, NULL, &fact))
		return;
	p->host->sas.processes = fact_or_unknown(buf_text(&fact), "sas");
	if (fact_text(buf_text(&fact), "scanners", &names) == 0 && *names)
		xstr_set(&p->host->scanners, names);
}
