/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_meminfo - /proc/meminfo
 */
#include "fuzz.h"
#include "fuzz_tree.h"
#include "probe/probe_parts.h"

/* No part is larger than the whole. */
static void check(const struct host *host)
{
	FUZZ_REQUIRE(host->memory_bytes == -1 || host->memory_bytes > 0);
	FUZZ_REQUIRE(host->memory_available_bytes >= -1 && host->hugepages_bytes >= -1);
	FUZZ_REQUIRE(host->swap_bytes >= -1 && host->dirty_limit_bytes >= -1);
	if (host->memory_bytes < 0)
		return;
	FUZZ_REQUIRE(host->memory_available_bytes <= host->memory_bytes);
	FUZZ_REQUIRE(host->hugepages_bytes <= host->memory_bytes);
	FUZZ_REQUIRE(host->dirty_limit_bytes <= host->memory_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(host_done) struct host host = { 0 };
	struct probe p = { .root = &root, .host = &host };

	host_init(&host);
	FUZZ_REQUIRE(sysroot_open(&root, fuzz_tree_file("proc/meminfo", data, size), NULL) == 0);
	probe_memory(&p);
	check(&host);
	return 0;
}
