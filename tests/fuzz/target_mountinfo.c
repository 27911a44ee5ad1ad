/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_mountinfo - the mount table, with and without ids, and which mount holds a path
 */
#include "fuzz.h"
#include "fuzz_tree.h"
#include "probe/probe_parts.h"

/* A secret must not reach a page or a bundle. */
static void check_secrets(const char *options)
{
	static const char key[] = "password=", hidden[] = "password=***";

	for (const char *at = options; *at; at += *at == ',') {
		size_t len = strcspn(at, ",");

		if (len > strlen(key) && !strncmp(at, key, strlen(key)))
			FUZZ_REQUIRE(len == strlen(hidden) && !strncmp(at, hidden, len));
		at += len;
	}
}

static void check_mount(const struct mount *m)
{
	CLEANUP(xfree) char *options = mount_options(m);
	CLEANUP(xfree) char *subvol = mount_option(m, "subvol");

	check_secrets(options);
	FUZZ_REQUIRE(m->point && m->fs_type && m->source && m->root && m->number);
	FUZZ_REQUIRE(!subvol || !strchr(subvol, ','));
	fs_kind(m->fs_type);
	fs_is_compressing(m);
	fs_data_copies(m->fs_type, m);
	fs_own_cache(m->fs_type, m);
}

static void check_holder(const struct mount *m, const char *path)
{
	FUZZ_REQUIRE(!m || path_is_below(path, m->point));
}

static void check(const struct mounts *mounts)
{
	static const char *const paths[] = { "/", "/saswork", "/data/a/b", "/mnt" };
	size_t i;

	for (i = 0; i < mounts->n_items; i++) {
		check_mount(&mounts->items[i]);
		mounts_by_id(mounts, mounts->items[i].parent);
		check_holder(mounts_find(mounts, mounts->items[i].point), mounts->items[i].point);
	}
	for (i = 0; i < ARRAY_LEN(paths); i++) {
		check_holder(mounts_find(mounts, paths[i]), paths[i]);
		check_holder(mounts_find_on(mounts, paths[i], "8:1"), paths[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "proc/self/mountinfo", "proc/mounts" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
		CLEANUP(host_done) struct host host = { 0 };
		struct probe p = { .root = &root, .host = &host };

		host_init(&host);
		FUZZ_REQUIRE(sysroot_open(&root, fuzz_tree_file(names[i], data, size), NULL) == 0);
		probe_mounts(&p);
		check(&p.mounts);
		mounts_done(&p.mounts);
	}
	return 0;
}
