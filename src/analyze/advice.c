/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advice - settings that somebody published, held against those in effect
 *
 * The table has what was published for SAS, and the profiles that such texts build on. Where a
 * value comes from is the name by which it is found again; a year only where the source has one.
 */
#include "advice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/units.h"
#include "iotest/xalloc.h"

enum comparison { IS, AT_LEAST, INCLUDES, COMPARISON_COUNT };

static const char *const comparisons[] = {
	[IS] = "is",
	[AT_LEAST] = "at least",
	[INCLUDES] = "includes",
};
_Static_assert(ARRAY_LEN(comparisons) == COMPARISON_COUNT, "name every comparison");

/* Whom a value is meant for. */
enum scope { ALL, BLOCK, XFS, NFS, LUSTRE, AWS };

#define TUNED "throughput-performance of tuned"
#define GUEST "virtual-guest of tuned"
#define OCI "OCI script for SAS Grid"
#define OCI_GPFS "OCI script for SAS Grid on GPFS"
#define ANF "Azure NetApp Files guide for SAS Grid"
#define ARK "SAS Viya 3.x ARK"
#define AWS_GRID "AWS SAS Grid guidance"

static const struct published {
	const char *setting;
	enum comparison comparison;
	const char *value;
	enum scope scope;
	const char *source;
	int year; /* 0: the source has none */
} table[] = {
	{ "tuned profile", INCLUDES, "throughput-performance", ALL, ANF, 2020 },
	{ "vm.dirty_ratio", IS, "30", ALL, OCI_GPFS, 0 },
	{ "vm.dirty_ratio", IS, "40", ALL, TUNED, 0 },
	{ "vm.dirty_ratio", IS, "30", ALL, GUEST, 0 },
	{ "vm.dirty_background_ratio", IS, "10", ALL, OCI_GPFS, 0 },
	{ "vm.dirty_background_ratio", IS, "10", ALL, TUNED, 0 },
	{ "vm.dirty_bytes", IS, "31457280", NFS, ANF, 2020 },
	{ "vm.dirty_expire_centisecs", IS, "100", NFS, ANF, 2020 },
	{ "vm.dirty_writeback_centisecs", IS, "300", NFS, ANF, 2020 },
	{ "vm.swappiness", IS, "10", ALL, TUNED, 0 },
	{ "vm.swappiness", IS, "30", ALL, OCI, 0 },
	{ "vm.swappiness", IS, "1", ALL, ARK, 0 },
	{ "transparent_hugepage", IS, "never", ALL, OCI, 0 },
	{ "cpu governor", IS, "performance", ALL, TUNED, 0 },
	{ "cpu min_perf_pct", IS, "100", ALL, TUNED, 0 },
	{ "read_ahead_kb", AT_LEAST, "4096", BLOCK, TUNED, 0 },
	{ "read_ahead_kb", IS, "16384", BLOCK, OCI, 0 },
	{ "read_ahead_kb", IS, "8192", AWS, "AWS whitepaper on storage types (historical)", 0 },
	{ "nfs read_ahead_kb", IS, "15360", NFS, ANF, 2020 },
	{ "sunrpc.tcp_max_slot_table_entries", IS, "128", NFS, ANF, 2020 },
	{ "mount option hard", IS, "yes", NFS, ANF, 2020 },
	{ "mount option vers", IS, "3", NFS, ANF, 2020 },
	{ "mount option rsize", IS, "65536", NFS, ANF, 2020 },
	{ "mount option wsize", IS, "65536", NFS, ANF, 2020 },
	{ "mount option nconnect", IS, "8", NFS, ANF " (RHEL 8.3 and later)", 2020 },
	{ "mount option nocto", IS, "yes", NFS, ANF " (SASWORK)", 2020 },
	{ "mount option noatime", IS, "yes", NFS, ANF, 2020 },
	{ "mount option noatime", IS, "yes", XFS, "SAS note KB0039548, example", 0 },
	{ "mount option flock", IS, "yes", LUSTRE, AWS_GRID, 0 },
	{ "dm-crypt", IS, "no", BLOCK, "Azure guide for SAS (SASWORK)", 0 },
	{ "open files", AT_LEAST, "500000", ALL, OCI, 0 },
	{ "open files", AT_LEAST, "150000", ALL, ARK, 0 },
	{ "user processes", AT_LEAST, "131072", ALL, OCI, 0 },
	{ "user processes", AT_LEAST, "100000", ALL, ARK, 0 },
	{ "kernel.sem", AT_LEAST, "512 32000 256 1024", ALL, ARK, 0 },
	{ "net.core.somaxconn", AT_LEAST, "2048", ALL, ARK, 0 },
	{ "vm.max_map_count", AT_LEAST, "262144", ALL, ARK, 0 },
	{ "vm.overcommit_memory", IS, "0", ALL, ARK, 0 },
};

/* --- values in effect --- */

static char *number_text(int64_t n)
{
	return n < 0 ? NULL : xasprintf("%" PRId64, n);
}

/* Of the topmost devices: that is where the file system reads ahead. */
static char *read_ahead(const struct target *t)
{
	for (size_t i = 0; i < t->n_devices; i++)
		if (t->devices[i].parent < 0 && t->devices[i].read_ahead_bytes >= 0)
			return number_text(t->devices[i].read_ahead_bytes / KIB);
	return NULL;
}

static char *dm_crypt(const struct target *t)
{
	for (size_t i = 0; i < t->n_devices; i++)
		if (!strncmp(text_of(t->devices[i].dm_uuid), "CRYPT-", 6))
			return xstrdup("yes");
	return t->n_devices ? xstrdup("no") : NULL;
}

/* "yes" or "no" for one without a value. NULL: no options are known. */
static char *mount_option_value(const struct target *t, const char *name)
{
	size_t len = strlen(name);
	const char *at = text_of(t->mount_options);

	if (!*at)
		return NULL;
	for (; *at; at += strcspn(at, ",")) {
		at += *at == ',';
		if (strncmp(at, name, len) != 0)
			continue;
		if (at[len] == '=')
			return xstrndup(at + len + 1, strcspn(at + len + 1, ","));
		if (!at[len] || at[len] == ',')
			return xstrdup("yes");
	}
	return xstrdup("no");
}

static char *kernel_setting(const struct host *h, const char *name)
{
	for (size_t i = 0; i < h->n_settings; i++)
		if (strcmp(text_of(h->settings[i].name), name) == 0)
			return xstrdup(text_of(h->settings[i].value));
	return NULL;
}

/* To be freed; NULL: not known. */
static char *value_of(const struct host *h, const struct target *t, const char *setting)
{
	static const char option[] = "mount option ";

	if (strncmp(setting, option, strlen(option)) == 0)
		return mount_option_value(t, setting + strlen(option));
	if (strcmp(setting, "read_ahead_kb") == 0)
		return read_ahead(t);
	if (strcmp(setting, "dm-crypt") == 0)
		return dm_crypt(t);
	if (strcmp(setting, "tuned profile") == 0)
		return *text_of(h->tuned_profile) ? xstrdup(h->tuned_profile) : NULL;
	if (strcmp(setting, "open files") == 0)
		return number_text(h->os.open_files_limit);
	if (strcmp(setting, "user processes") == 0)
		return number_text(h->os.processes_limit);
	return kernel_setting(h, setting);
}

/* --- comparing --- */

static bool is_type(const struct target *t, const char *prefix)
{
	return strncmp(text_of(t->fs_type), prefix, strlen(prefix)) == 0;
}

static bool is_meant(enum scope scope, const struct host *h, const struct target *t)
{
	switch (scope) {
	case BLOCK:
		return t->n_devices > 0;
	case XFS:
		return is_type(t, "xfs");
	case NFS:
		return is_type(t, "nfs");
	case LUSTRE:
		return is_type(t, "lustre");
	case AWS:
		return t->n_devices > 0 && strstr(text_of(h->os.system_vendor), "Amazon");
	case ALL:
		break;
	}
	return true;
}

/* Each number of the one is at least that of the other. */
static bool is_at_least(const char *value, const char *published)
{
	while (*published) {
		char *value_end, *published_end;
		long long have = strtoll(value, &value_end, 10);
		long long want = strtoll(published, &published_end, 10);

		if (value_end == value || published_end == published || have < want)
			return false;
		value = value_end;
		published = published_end;
	}
	return true;
}

static bool matches(const struct published *p, const char *value)
{
	if (p->comparison == AT_LEAST)
		return is_at_least(value, p->value);
	if (p->comparison == INCLUDES)
		return strstr(value, p->value) != NULL;
	return strcmp(value, p->value) == 0;
}

static void add(struct report *r, const struct published *p, const char *value)
{
	struct advice *a = XGROW(&r->advice, &r->n_advice);

	a->setting = xstrdup(p->setting);
	a->value = xstrdup(value);
	a->comparison = xstrdup(comparisons[p->comparison]);
	a->published = xstrdup(p->value);
	a->source = xstrdup(p->source);
	a->year = p->year ? p->year : -1;
	a->matches = matches(p, value);
}

void advice_fill(struct report *r)
{
	const struct target *t = plan_target(r->host, r->plan);

	for (size_t i = 0; t && i < ARRAY_LEN(table); i++) {
		CLEANUP(xfree) char *value = NULL;

		if (is_meant(table[i].scope, r->host, t))
			value = value_of(r->host, t, table[i].setting);
		if (value)
			add(r, &table[i], value);
	}
}
