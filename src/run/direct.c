/* SPDX-License-Identifier: Apache-2.0 */
/*
 * direct - what O_DIRECT wants on this file system
 */
#include "direct.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SMALLEST_BYTES 512
#define LARGEST_BYTES (64 * KIB)

/* include/uapi/linux/stat.h of Linux 6.1; neither the call nor the fields are in the glibc of
 * SLES 15. */
#define STATX_SIZE 256
#define STATX_MASK_AT 0
#define DIOALIGN_MASK 0x2000U
#define DIO_OFFSET_ALIGN_AT 0x9c

/* -1: the kernel does not say. */
static int64_t ask_statx(int fd)
{
#ifdef SYS_statx
	unsigned char stx[STATX_SIZE] = { 0 };
	uint32_t mask, align;

	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, DIOALIGN_MASK, stx) < 0)
		return -1;
	memcpy(&mask, stx + STATX_MASK_AT, sizeof(mask));
	memcpy(&align, stx + DIO_OFFSET_ALIGN_AT, sizeof(align));
	return mask & DIOALIGN_MASK ? (int64_t)align : -1;
#else
	(void)fd;
	return -1;
#endif
}

static int try_write(int fd, const void *data, size_t len)
{
	ssize_t n;

	do
		n = pwrite(fd, data, len, (off_t)len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

static int try_read(int fd, void *data, size_t len)
{
	ssize_t n;

	do
		n = pread(fd, data, len, (off_t)len);
	while (n < 0 && errno == EINTR);
	/* Beyond the end of the file there is nothing, which is as good. */
	return n < 0 ? -errno : 0;
}

/* At an offset that is a multiple of the length, and of nothing larger. */
static int try_alignments(int fd, void *data, bool reads, int64_t *alignment_bytes)
{
	int rc = -EINVAL;

	for (size_t len = SMALLEST_BYTES; rc == -EINVAL && len <= LARGEST_BYTES; len *= 2) {
		rc = reads ? try_read(fd, data, len) : try_write(fd, data, len);
		if (rc == 0)
			*alignment_bytes = (int64_t)len;
	}
	if (!reads && ftruncate(fd, 0) < 0 && rc == 0)
		return -errno;
	return rc;
}

static int learn(int fd, bool reads, int64_t *alignment_bytes, const char **source)
{
	int64_t align = ask_statx(fd);
	void *data;
	int rc;

	if (align > 0) {
		*alignment_bytes = align;
		*source = "statx";
		return 0;
	}
	/* 0: this file cannot do it. */
	if (align == 0)
		return -EINVAL;
	data = mmap(NULL, LARGEST_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	if (data == MAP_FAILED)
		return -errno;
	rc = try_alignments(fd, data, reads, alignment_bytes);
	(void)munmap(data, LARGEST_BYTES);
	if (rc == 0)
		*source = "tried";
	return rc;
}

int direct_learn(int fd, int64_t *alignment_bytes, const char **source)
{
	return learn(fd, false, alignment_bytes, source);
}

int direct_learn_reading(int fd, int64_t *alignment_bytes, const char **source)
{
	return learn(fd, true, alignment_bytes, source);
}
