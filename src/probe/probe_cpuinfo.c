/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_cpuinfo - /proc/cpuinfo, which every architecture writes in its own way
 *
 * A CPU is a block that says "processor: N" (most), a line "processor N: ..." or a block
 * "cpu number: N" (s390), or a line "CPUN: online" (sparc). A block without any of these, such
 * as the trailer of POWER, is no CPU.
 */
#include "probe_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/xalloc.h"

struct line {
	char key[64];
	const char *value;
	size_t value_len;
};

/* Not snprintf: millions of lines are no machine, but must be over soon. */
static void set_key(struct line *out, const char *key, size_t len)
{
	if (len >= sizeof(out->key))
		len = sizeof(out->key) - 1;
	memcpy(out->key, key, len);
	out->key[len] = '\0';
}

/* Cuts "key : value" out of the text at *at and moves on; false at the end. */
static bool take_line(const char **at, struct line *out)
{
	const char *start = *at;
	const char *end = strchrnul(start, '\n');
	const char *colon = memchr(start, ':', (size_t)(end - start));
	const char *key_end = colon ? colon : end;

	if (!*start)
		return false;
	while (key_end > start && strchr(" \t\r", key_end[-1]))
		key_end--;
	set_key(out, start, (size_t)(key_end - start));

	out->value = colon ? colon + 1 : end;
	while (out->value < end && strchr(" \t", *out->value))
		out->value++;
	while (end > out->value && strchr(" \t\r", end[-1]))
		end--;
	out->value_len = (size_t)(end - out->value);
	*at = next_line(start);
	return true;
}

/* The number that a value begins with, decimal or 0x; -1 if it is none. */
static int64_t line_number(const struct line *l)
{
	char *end;
	long long n;

	if (l->value_len == 0)
		return -1;
	errno = 0;
	n = strtoll(l->value, &end, 0);
	if (errno || end == l->value || n < 0)
		return -1;
	return n;
}

static bool value_is(const struct line *l, const char *text)
{
	return l->value_len == strlen(text) && !strncmp(l->value, text, l->value_len);
}

/* The number of the CPU that this line begins or mentions; -1: none. */
static int64_t cpu_of_line(const struct line *l)
{
	unsigned int n;
	char rest;

	if (!strcmp(l->key, "processor") || !strcmp(l->key, "cpu number"))
		return line_number(l);
	if (sscanf(l->key, "processor %u%c", &n, &rest) == 1)
		return n;
	if (sscanf(l->key, "CPU%u%c", &n, &rest) == 1 && value_is(l, "online"))
		return n;
	return -1;
}

static struct cpuinfo_cpu unknown_cpu(int64_t number)
{
	return (struct cpuinfo_cpu){ number, -1, -1, -1, -1, -1, -1 };
}

static struct cpuinfo_cpu *cpu_get(struct cpuinfo *info, int64_t number)
{
	struct cpuinfo_cpu *cpu;
	size_t i;

	/* Backwards: the last block is nearly always meant. */
	for (i = info->n_cpus; i-- > 0;)
		if (info->cpus[i].number == number)
			return &info->cpus[i];
	cpu = XGROW(&info->cpus, &info->n_cpus);
	*cpu = unknown_cpu(number);
	return cpu;
}

static void cpu_take(struct cpuinfo_cpu *cpu, const struct line *l)
{
	static const struct {
		const char *key;
		size_t offset;
	} members[] = {
		{ "physical id", offsetof(struct cpuinfo_cpu, package) },
		{ "core id", offsetof(struct cpuinfo_cpu, core) },
		{ "siblings", offsetof(struct cpuinfo_cpu, siblings) },
		{ "cpu cores", offsetof(struct cpuinfo_cpu, cpu_cores) },
		{ "CPU implementer", offsetof(struct cpuinfo_cpu, implementer) },
		{ "CPU part", offsetof(struct cpuinfo_cpu, part) },
		/* LoongArch and MIPS */
		{ "package", offsetof(struct cpuinfo_cpu, package) },
		{ "core", offsetof(struct cpuinfo_cpu, core) },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(members); i++)
		if (!strcmp(l->key, members[i].key))
			*(int64_t *)((char *)cpu + members[i].offset) = line_number(l);
}

/* Some tell only how many there are: sparc with old kernels, s390, alpha, 32-bit ARM. More than
 * any machine has is not told. */
static void count_without_blocks(struct cpuinfo *info)
{
	static const char *const keys[] = { "ncpus active", "# processors", "cpus active" };
	int64_t i, n = 0;
	size_t k;

	for (k = 0; k < ARRAY_LEN(keys) && n <= 0; k++) {
		CLEANUP(xfree) char *value = cpuinfo_value(info, keys[k]);

		n = value ? atoll(value) : 0;
		if (n > CPULIST_MAX + 1)
			n = 0;
	}
	if (n <= 0) {
		CLEANUP(xfree) char *brand = cpuinfo_value(info, "Processor");

		n = brand != NULL;
	}
	if (n <= 0)
		return;
	info->cpus = xcalloc((size_t)n, sizeof(*info->cpus));
	info->n_cpus = (size_t)n;
	for (i = 0; i < n; i++)
		info->cpus[i] = unknown_cpu(i);
}

void cpuinfo_read(struct probe *p)
{
	static const char path[] = "/proc/cpuinfo";
	struct cpuinfo *out = &p->cpuinfo;
	struct cpuinfo_cpu *cpu = NULL;
	struct line l;
	const char *at;
	int rc;

	rc = sysroot_read(p->root, &out->text, "%s", path);
	if (rc)
		return;
	if (probe_was_cut(p->root, path, &out->text)) {
		host_note(p->host, "cores",
			  "%s is too long, only its beginning was read: its CPUs are not counted",
			  path);
		return;
	}
	for (at = buf_text(&out->text); take_line(&at, &l);) {
		int64_t number = cpu_of_line(&l);

		if (!l.key[0])
			cpu = NULL;
		else if (number >= 0 && number <= CPULIST_MAX)
			cpu = cpu_get(out, number);
		else if (cpu)
			cpu_take(cpu, &l);
	}
	if (out->n_cpus == 0)
		count_without_blocks(out);
}

void cpuinfo_done(struct cpuinfo *info)
{
	free(info->cpus);
	buf_done(&info->text);
	*info = (struct cpuinfo){ 0 };
}

char *cpuinfo_value(const struct cpuinfo *info, const char *key)
{
	const char *at = buf_text(&info->text);
	struct line l;

	while (take_line(&at, &l))
		if (!strcmp(l.key, key))
			return xstrndup(l.value, l.value_len);
	return NULL;
}

static int64_t package_of(const struct cpuinfo_cpu *cpu)
{
	return cpu->package < 0 ? 0 : cpu->package;
}

static bool is_same_pair(const struct cpuinfo_cpu *a, const struct cpuinfo_cpu *b)
{
	return a->core >= 0 && a->core == b->core && package_of(a) == package_of(b);
}

static int compare_pairs(const void *left, const void *right)
{
	const struct cpuinfo_cpu *a = left, *b = right;

	if (package_of(a) != package_of(b))
		return package_of(a) < package_of(b) ? -1 : 1;
	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* The CPUs in the set, sorted so that those of one core stand together; to be freed. */
static struct cpuinfo_cpu *sorted_cpus(const struct cpuinfo *info, const struct cpulist *set,
				       size_t *n)
{
	struct cpuinfo_cpu *cpus = xcalloc(info->n_cpus + 1, sizeof(*cpus));
	size_t i;

	*n = 0;
	for (i = 0; i < info->n_cpus; i++)
		if (!set || cpulist_has(set, (unsigned int)info->cpus[i].number))
			cpus[(*n)++] = info->cpus[i];
	qsort(cpus, *n, sizeof(*cpus), compare_pairs);
	return cpus;
}

int64_t cpuinfo_count_pairs(const struct cpuinfo *info)
{
	CLEANUP(xfree) struct cpuinfo_cpu *cpus = NULL;
	int64_t n_pairs = 0;
	size_t i, n;

	cpus = sorted_cpus(info, NULL, &n);
	for (i = 0; i < n; i++)
		if (cpus[i].core >= 0 && (i == 0 || !is_same_pair(&cpus[i], &cpus[i - 1])))
			n_pairs++;
	return n_pairs ? n_pairs : -1;
}

/* What siblings and cpu cores claim, rounded up for hybrids; 0: they claim nothing credible. */
static int64_t threads_per_core(const struct cpuinfo_cpu *cpu)
{
	int64_t n;

	if (cpu->siblings <= 0 || cpu->cpu_cores <= 0)
		return 0;
	n = (cpu->siblings + cpu->cpu_cores - 1) / cpu->cpu_cores;
	return n > THREADS_PER_CORE_MAX ? 1 : n;
}

const char *cpuinfo_assign_cores(const struct cpuinfo *info, const struct cpulist *online,
				 int *core_of, struct host *host)
{
	CLEANUP(xfree) struct cpuinfo_cpu *cpus = NULL;
	int64_t in_core = 0, n_ids = 0, n_split = 0;
	size_t i, n;

	cpus = sorted_cpus(info, online, &n);
	for (i = 0; i < n; i++) {
		int64_t most = threads_per_core(&cpus[i]);
		bool is_same = i > 0 && is_same_pair(&cpus[i], &cpus[i - 1]);
		int self = (int)cpus[i].number;

		/* Dies that use the same core ids again, and guests where every id is 0. */
		if (is_same && most > 0 && in_core >= most)
			n_split++;
		n_ids += cpus[i].core >= 0;
		if (is_same && (most == 0 || in_core < most)) {
			core_of[self] = core_of[cpus[i - 1].number];
			in_core++;
		} else {
			core_of[self] = self;
			in_core = 1;
		}
	}
	if (n == 0)
		return NULL;
	if (n_split)
		host_note(host, "cores",
			  "/proc/cpuinfo repeats core ids that its own siblings and cpu cores "
			  "contradict: threads were told apart by those");
	return n_ids ? "cpuinfo ids" : "cpuinfo processors";
}
