/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache - what of the test files is in memory, and how it gets out of there
 */
#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/child.h"
#include "iotest/xalloc.h"

/* Mapped at a time; a multiple of every page size. */
#define WINDOW_BYTES GIB

static int sync_work(void *context, struct buf *answer)
{
	const int *fd = context;

	(void)answer;
	return syncfs(*fd) < 0 ? -errno : 0;
}

int cache_sync_fs(int fd, int64_t deadline_ns)
{
	CLEANUP(buf_done) struct buf answer = { 0 };

	return child_run(sync_work, &fd, deadline_ns, &answer);
}

int cache_drop(int fd)
{
	int rc;

	do
		rc = fsync(fd);
	while (rc < 0 && errno == EINTR);
	if (rc < 0)
		return -errno;
	return -posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* Resident pages of one window, or -1; pages has a byte for each page of it. */
static int64_t resident_pages(int fd, int64_t offset, size_t len, size_t n, unsigned char *pages)
{
	void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)offset);
	int64_t count = 0;
	int rc;

	if (map == MAP_FAILED)
		return -1;
	rc = mincore(map, len, pages);
	(void)munmap(map, len);
	if (rc < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		count += pages[i] & 1;
	return count;
}

int64_t cache_resident_bytes(int fd)
{
	const int64_t page_bytes = sysconf(_SC_PAGESIZE);
	CLEANUP(xfree) unsigned char *pages = NULL;
	int64_t count = 0;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -1;
	pages = malloc((size_t)(WINDOW_BYTES / page_bytes));
	if (!pages)
		return -1;

	for (int64_t at = 0; at < st.st_size; at += WINDOW_BYTES) {
		int64_t left = st.st_size - at;
		int64_t len = left < WINDOW_BYTES ? left : WINDOW_BYTES;
		int64_t n = resident_pages(fd, at, (size_t)len,
					   (size_t)((len + page_bytes - 1) / page_bytes), pages);

		if (n < 0)
			return -1;
		count += n;
	}
	return count * page_bytes;
}

int64_t cache_resident_total(const struct workspace *ws)
{
	int64_t sum = 0;

	for (size_t i = 0; i < ws->n_files; i++) {
		int64_t bytes = cache_resident_bytes(ws->files[i].fd);

		if (bytes < 0)
			return -1;
		sum += bytes;
	}
	return sum;
}
