/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_cpuinfo - /proc/cpuinfo of any architecture
 */
#include "fuzz.h"
#include "fuzz_tree.h"
#include "probe/probe_parts.h"

/* Every CPU of the set gets a core of the set, and the core of a core is itself. */
static void check_cores(const struct cpuinfo *info, const struct cpulist *online, struct host *host)
{
	CLEANUP(xfree) int *core_of = xcalloc(CPULIST_MAX + 1, sizeof(*core_of));
	int cpu;

	for (cpu = 0; cpu <= CPULIST_MAX; cpu++)
		core_of[cpu] = cpu;
	if (!cpuinfo_assign_cores(info, online, core_of, host))
		return;
	for (cpu = cpulist_next(online, 0); cpu >= 0; cpu = cpulist_next(online, cpu + 1)) {
		FUZZ_REQUIRE(cpulist_has(online, (unsigned int)core_of[cpu]));
		FUZZ_REQUIRE(core_of[core_of[cpu]] == core_of[cpu]);
	}
	FUZZ_REQUIRE(count_cores(online, core_of) >= 1);
}

static void check(struct probe *p)
{
	CLEANUP(cpulist_done) struct cpulist online = { 0 };
	size_t i;

	cpuinfo_read(p);
	probe_cpu(p);
	for (i = 0; i < p->cpuinfo.n_cpus; i++) {
		int64_t number = p->cpuinfo.cpus[i].number;

		FUZZ_REQUIRE(number >= 0 && number <= CPULIST_MAX);
		cpulist_set(&online, (unsigned int)number);
	}
	FUZZ_REQUIRE(cpulist_count(&online) == p->cpuinfo.n_cpus);
	FUZZ_REQUIRE(cpuinfo_count_pairs(&p->cpuinfo) <= (int64_t)p->cpuinfo.n_cpus);
	check_cores(&p->cpuinfo, &online, p->host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(host_done) struct host host = { 0 };
	struct probe p = { .root = &root, .host = &host };

	host_init(&host);
	FUZZ_REQUIRE(sysroot_open(&root, fuzz_tree_file("proc/cpuinfo", data, size), NULL) == 0);
	check(&p);
	cpuinfo_done(&p.cpuinfo);
	return 0;
}
