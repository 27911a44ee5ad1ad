/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content_owner - is this file one of our test files, and whose
 *
 * It decides whether a file may be overwritten, so doubt means no.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "content.h"

/* The bytes of a piece of 4 KiB that hold its stamp, and those of the file that hold the line. */
#define HEAD_BYTES (STAMP_AT_BYTES + STAMP_BYTES)

/* Looked at, spread over the file; the first and the last are among them. */
#define LOOKS 16

/* From the last stamp to the end. */
#define TAIL_BYTES_MAX (STAMP_EVERY_BYTES + HEAD_BYTES)

/* Returns 1 if all of it is there, 0 if the file ends before, or -errno. */
static int read_piece(int fd, int64_t at, char *out, size_t len)
{
	ssize_t n;

	do
		n = pread(fd, out, len, (off_t)at);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len;
}

static bool parse_line(const char head[HEAD_BYTES], struct content_owner *out)
{
	static const char format[] = "iotest test file of run %64[0-9A-Za-z-], worker %u of %u:";
	char line[HEAD_BYTES + 1];
	unsigned int worker, n_workers;

	memcpy(line, head, HEAD_BYTES);
	line[HEAD_BYTES] = '\0';
	if (sscanf(line, format, out->run_id, &worker, &n_workers) != 3 || worker < 1 ||
	    worker > n_workers)
		return false;
	out->worker = worker - 1;
	out->n_workers = n_workers;
	return true;
}

static bool has_stamp(const struct content *c, int64_t at, const char head[HEAD_BYTES])
{
	struct content_check check = { 0 };

	content_check_stamps(c, at, head, HEAD_BYTES, &check);
	return check.stamps == 1 && check.bad == 0;
}

/* Returns as content_recognise. */
static int look_at_stamps(int fd, const struct content *c, int64_t last_piece)
{
	char head[HEAD_BYTES];

	for (int64_t i = 0; i < LOOKS; i++) {
		int64_t piece =
			last_piece / (LOOKS - 1) * i + last_piece % (LOOKS - 1) * i / (LOOKS - 1);
		int64_t at = piece * STAMP_EVERY_BYTES;
		int rc = read_piece(fd, at, head, HEAD_BYTES);

		if (rc != 1)
			return rc;
		if (!has_stamp(c, at, head))
			return 0;
	}
	return 1;
}

/* Nobody has added anything at the end, however little. */
static int look_at_tail(int fd, const struct content *c, int64_t at, int64_t size_bytes)
{
	char found[TAIL_BYTES_MAX], wanted[TAIL_BYTES_MAX];
	size_t len = (size_t)(size_bytes - at);
	int rc = read_piece(fd, at, found, len);

	if (rc != 1)
		return rc;
	content_fill(c, at, wanted, len);
	return memcmp(found, wanted, len) == 0;
}

int content_recognise(int fd, int64_t size_bytes, struct content_owner *out)
{
	static const struct io_spec any = { .data = DATA_UNIQUE };
	int64_t last = (size_bytes - HEAD_BYTES) / STAMP_EVERY_BYTES;
	struct content_owner owner;
	char head[HEAD_BYTES];
	struct content c;
	int rc;

	if (size_bytes < HEAD_BYTES)
		return 0;
	/* A look must not bring its neighbourhood into the page cache. */
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	rc = read_piece(fd, 0, head, HEAD_BYTES);
	if (rc != 1)
		return rc;
	if (!parse_line(head, &owner))
		return 0;
	content_init(&c, &any, NULL, owner.run_id, owner.worker, owner.n_workers);
	if (c.line_len > HEAD_BYTES || memcmp(head, c.line, c.line_len) != 0)
		return 0;
	rc = look_at_stamps(fd, &c, last);
	if (rc == 1)
		rc = look_at_tail(fd, &c, last * STAMP_EVERY_BYTES, size_bytes);
	if (rc == 1)
		*out = owner;
	return rc;
}
