/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process - what /proc/PID/stat says of a process
 */
#include "iotest/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iotest/buf.h"
#include "iotest/fd.h"
#include "iotest/units.h"

/* The name is the second field and may hold blanks and brackets; the start is the 22nd. */
#define FIELDS_AFTER_NAME 20
#define STAT_BYTES_MAX 4096

static int64_t parse_start(const char *name_end)
{
	const char *at = name_end;
	int64_t start;
	char text[32];

	for (int i = 0; at && i < FIELDS_AFTER_NAME; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		return -1;
	(void)snprintf(text, sizeof(text), "%.*s", (int)strcspn(at + 1, " \n"), at + 1);
	return units_parse_i64(text, &start) || start < 0 ? -1 : start;
}

int process_read(int64_t pid, struct process *out)
{
	CLEANUP(buf_done) struct buf stat = { 0 };
	CLEANUP(fd_close) int fd = -1;
	const char *begin, *end;
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%" PRId64 "/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fd_read_all(fd, STAT_BYTES_MAX, &stat))
		return -EIO;
	begin = strchr(buf_text(&stat), '(');
	end = strrchr(buf_text(&stat), ')');
	if (!begin || !end || end < begin || end[1] != ' ')
		return -EINVAL;
	(void)snprintf(out->name, sizeof(out->name), "%.*s", (int)(end - begin - 1), begin + 1);
	out->is_over = end[2] == 'Z' || end[2] == 'X';
	out->start = parse_start(end);
	return 0;
}
