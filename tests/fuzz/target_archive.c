/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_archive - the bytes of a bundle: damaged, truncated, hostile, or of something else
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "iotest/bundle.h"
#include "iotest/fd.h"
#include "iotest/render.h"

/* What was read is sorted, each path once, and none leads out of the bundle. */
static void check_content(const struct bundle_content *content)
{
	for (size_t i = 0; i < content->n_files; i++) {
		const struct bundle_file *f = &content->files[i];

		FUZZ_REQUIRE(f->data[f->len] == '\0');
		FUZZ_REQUIRE(f->path[0] != '/' && !strstr(f->path, "../"));
		FUZZ_REQUIRE(i == 0 || strcmp(content->files[i - 1].path, f->path) < 0);
		FUZZ_REQUIRE(bundle_content_find(content, f->path) == f);
	}
	FUZZ_REQUIRE(content->is_checked);
}

static void read_bundle(const char *path)
{
	CLEANUP(bundle_content_done) struct bundle_content content = { 0 };
	struct err err = { 0 };

	if (bundle_read(path, &content, &err)) {
		FUZZ_REQUIRE(err.rc < 0 && err.sentence[0] && content.n_files == 0);
		return;
	}
	check_content(&content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(fd_close) int fd = memfd_create("bundle", MFD_CLOEXEC);
	CLEANUP(xfree) char *path = xasprintf("/proc/self/fd/%d", fd);

	FUZZ_REQUIRE(fd >= 0 && fd_write_all(fd, data, size) == 0);
	read_bundle(path);
	return 0;
}
