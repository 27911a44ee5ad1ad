/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_cpu - who made the processor: vendor, brand, family
 *
 * The only file with libcpuid, and for the identity only: its core counts and code names are
 * often wrong. Other architectures, and a build without it, take /proc/cpuinfo.
 */
#include "probe_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBCPUID
#include <libcpuid/libcpuid.h>
#endif

#include "iotest/xalloc.h"

#ifdef HAVE_LIBCPUID
/* The leaves that tell the identity and the features; caches and topology are not asked. */
static int leaves_write(void *context UNUSED, struct buf *out)
{
	struct cpu_raw_data_t raw;
	size_t i;

	if (!cpuid_present())
		return -EOPNOTSUPP;
	memset(&raw, 0, sizeof(raw));
	if (cpuid_get_raw_data(&raw))
		return -EOPNOTSUPP;
	for (i = 0; i <= raw.basic_cpuid[0][0] && i < MAX_CPUID_LEVEL; i++)
		buf_printf(out, "%08zx=%08x %08x %08x %08x\n", i, raw.basic_cpuid[i][0],
			   raw.basic_cpuid[i][1], raw.basic_cpuid[i][2], raw.basic_cpuid[i][3]);
	for (i = 0; i < MAX_EXT_CPUID_LEVEL && i <= (raw.ext_cpuid[0][0] & 0xffff); i++)
		buf_printf(out, "%08zx=%08x %08x %08x %08x\n", i + 0x80000000u, raw.ext_cpuid[i][0],
			   raw.ext_cpuid[i][1], raw.ext_cpuid[i][2], raw.ext_cpuid[i][3]);
	return 0;
}

static void leaves_read(const char *text, struct cpu_raw_data_t *raw)
{
	uint32_t leaf, r[4];
	const char *at;

	memset(raw, 0, sizeof(*raw));
	for (at = text; *at; at = next_line(at)) {
		if (sscanf(at, "%8" SCNx32 "=%8" SCNx32 " %8" SCNx32 " %8" SCNx32 " %8" SCNx32,
			   &leaf, &r[0], &r[1], &r[2], &r[3]) != 5)
			continue;
		if (leaf < MAX_CPUID_LEVEL)
			memcpy(raw->basic_cpuid[leaf], r, sizeof(r));
		else if (leaf >= 0x80000000u && leaf - 0x80000000u < MAX_EXT_CPUID_LEVEL)
			memcpy(raw->ext_cpuid[leaf - 0x80000000u], r, sizeof(r));
	}
}

static bool identify_by_leaves(struct probe *p)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct cpu *cpu = &p->host->cpu;
	struct cpu_raw_data_t raw;
	struct cpu_id_t id;
	int rc;

	rc = probe_fact(p->root, "cpuid.raw", leaves_write, NULL, &text);
	if (rc)
		return false;
	leaves_read(buf_text(&text), &raw);
	memset(&id, 0, sizeof(id));
	if (cpu_identify(&raw, &id) || !id.vendor_str[0])
		return false;
	xstr_set(&cpu->vendor, id.vendor_str);
	xstr_set(&cpu->brand, id.brand_str);
	cpu->family = id.ext_family;
	cpu->model = id.ext_model;
	cpu->stepping = id.stepping;
	xstr_set(&cpu->source, "libcpuid");
	return true;
}
#else
static bool identify_by_leaves(struct probe *p UNUSED)
{
	return false;
}
#endif

static const struct {
	int64_t implementer;
	const char *vendor;
} arm_vendors[] = {
	{ 0x41, "ARM" },       { 0x42, "Broadcom" }, { 0x43, "Cavium" }, { 0x46, "Fujitsu" },
	{ 0x48, "HiSilicon" }, { 0x4e, "NVIDIA" },   { 0x50, "APM" },	 { 0x51, "Qualcomm" },
	{ 0x53, "Samsung" },   { 0x56, "Marvell" },  { 0x61, "Apple" },	 { 0x6d, "Microsoft" },
	{ 0x70, "Phytium" },   { 0xc0, "Ampere" },
};

static const struct {
	int64_t implementer;
	int64_t part;
	const char *name;
} arm_parts[] = {
	{ 0x41, 0xd03, "Cortex-A53" },
	{ 0x41, 0xd04, "Cortex-A35" },
	{ 0x41, 0xd05, "Cortex-A55" },
	{ 0x41, 0xd07, "Cortex-A57" },
	{ 0x41, 0xd08, "Cortex-A72" },
	{ 0x41, 0xd09, "Cortex-A73" },
	{ 0x41, 0xd0a, "Cortex-A75" },
	{ 0x41, 0xd0b, "Cortex-A76" },
	{ 0x41, 0xd0c, "Neoverse-N1" },
	{ 0x41, 0xd0d, "Cortex-A77" },
	{ 0x41, 0xd40, "Neoverse-V1" },
	{ 0x41, 0xd41, "Cortex-A78" },
	{ 0x41, 0xd44, "Cortex-X1" },
	{ 0x41, 0xd46, "Cortex-A510" },
	{ 0x41, 0xd47, "Cortex-A710" },
	{ 0x41, 0xd48, "Cortex-X2" },
	{ 0x41, 0xd49, "Neoverse-N2" },
	{ 0x41, 0xd4a, "Neoverse-E1" },
	{ 0x41, 0xd4d, "Cortex-A715" },
	{ 0x41, 0xd4e, "Cortex-X3" },
	{ 0x41, 0xd4f, "Neoverse-V2" },
	{ 0x41, 0xd80, "Cortex-A520" },
	{ 0x41, 0xd81, "Cortex-A720" },
	{ 0x41, 0xd82, "Cortex-X4" },
	{ 0x41, 0xd84, "Neoverse-V3" },
	{ 0x41, 0xd85, "Cortex-X925" },
	{ 0x41, 0xd87, "Cortex-A725" },
	{ 0x41, 0xd8e, "Neoverse-N3" },
	{ 0x43, 0x0a1, "ThunderX" },
	{ 0x43, 0x0af, "ThunderX2" },
	{ 0x46, 0x001, "A64FX" },
	{ 0x48, 0xd01, "Kunpeng-920" },
	{ 0x4e, 0x004, "Carmel" },
	{ 0x51, 0x001, "Oryon" },
	{ 0x6d, 0xd49, "Azure Cobalt 100" },
	{ 0x70, 0x663, "FTC663" },
	{ 0xc0, 0xac3, "Ampere-1" },
	{ 0xc0, 0xac4, "Ampere-1a" },
};

const char *arm_part_name(int64_t implementer, int64_t part)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(arm_parts); i++)
		if (arm_parts[i].implementer == implementer && arm_parts[i].part == part)
			return arm_parts[i].name;
	return NULL;
}

static int64_t take_number(const struct cpuinfo *info, const char *key)
{
	CLEANUP(xfree) char *value = cpuinfo_value(info, key);
	char *end;
	long long n;

	if (!value || !*value)
		return -1;
	n = strtoll(value, &end, 0);
	return *end || n < 0 ? -1 : n;
}

static void identify_arm(struct probe *p)
{
	struct cpu *cpu = &p->host->cpu;
	int64_t implementer = take_number(&p->cpuinfo, "CPU implementer");
	int64_t part = take_number(&p->cpuinfo, "CPU part");
	const char *name;
	size_t i;

	if (implementer < 0)
		return;
	for (i = 0; i < ARRAY_LEN(arm_vendors); i++)
		if (arm_vendors[i].implementer == implementer)
			xstr_set(&cpu->vendor, arm_vendors[i].vendor);
	name = arm_part_name(implementer, part);
	if (*text_of(cpu->brand))
		return;
	if (name) {
		xstr_set(&cpu->brand, name);
		return;
	}
	free(cpu->brand);
	cpu->brand = xasprintf("implementer 0x%02" PRIx64 " part 0x%03" PRIx64, implementer, part);
}

/* The first of the keys that has a value; the names differ from one architecture to the next. */
static void take_first(const struct cpuinfo *info, const char *const *keys, char **out)
{
	for (; *keys && !*text_of(*out); keys++) {
		CLEANUP(xfree) char *value = cpuinfo_value(info, *keys);

		if (value && *value)
			xstr_set(out, value);
	}
}

/* s390: "processor 0: version = 00,  identification = 01,  machine = 3906" */
static void identify_s390(struct probe *p)
{
	const char *at = strstr(buf_text(&p->cpuinfo.text), "machine = ");
	struct cpu *cpu = &p->host->cpu;

	if (!at || *text_of(cpu->brand) || strncmp(text_of(cpu->vendor), "IBM/S390", 8))
		return;
	at += strlen("machine = ");
	free(cpu->brand);
	cpu->brand = xasprintf("IBM Z machine %.*s", (int)strspn(at, "0123456789"), at);
}

static void identify_by_cpuinfo(struct probe *p)
{
	/* x86, ARM from 3.8, LoongArch, POWER, RISC-V, MIPS, sparc (also "cpu"), 32-bit ARM. */
	static const char *const brands[] = { "model name", "Model Name", "cpu model", "cpu",
					      "uarch",	    "Processor",  NULL };
	static const char *const fallbacks[] = { "machine", "isa", NULL };
	static const char *const vendors[] = { "vendor_id", "mvendorid", NULL };
	struct cpu *cpu = &p->host->cpu;

	take_first(&p->cpuinfo, vendors, &cpu->vendor);
	take_first(&p->cpuinfo, brands, &cpu->brand);
	identify_arm(p);
	identify_s390(p);
	take_first(&p->cpuinfo, fallbacks, &cpu->brand);
	cpu->family = take_number(&p->cpuinfo, "cpu family");
	cpu->model = take_number(&p->cpuinfo, "model");
	cpu->stepping = take_number(&p->cpuinfo, "stepping");
	if (p->cpuinfo.text.len)
		xstr_set(&cpu->source, "cpuinfo");
	if (!*text_of(cpu->brand))
		host_note(p->host, "cpu", "/proc/cpuinfo does not name the processor");
}

void probe_cpu(struct probe *p)
{
	if (!identify_by_leaves(p))
		identify_by_cpuinfo(p);
}

void cpu_add_library(struct buf *out)
{
#ifdef HAVE_LIBCPUID
	buf_printf(out, "libcpuid %s", cpuid_lib_version());
#else
	buf_add_text(out, "no libcpuid");
#endif
}
