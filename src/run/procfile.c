/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procfile - the small files of proc and sysfs, and the numbers in them
 */
#include "procfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int procfile_read_again(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	return 0;
}

int procfile_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return -errno;
	rc = procfile_read_again(fd, text, size);
	(void)close(fd);
	return rc;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_end(char c)
{
	return c == '\0' || c == ' ' || c == '\t' || c == '\n';
}

bool procfile_next(const char **at, int64_t *out)
{
	const char *c = *at + strspn(*at, " \t");
	int64_t value = 0;

	if (!is_digit(*c))
		return false;
	for (; is_digit(*c); c++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *c - '0', &value))
			return false;
	}
	if (!is_end(*c))
		return false;
	*at = c;
	*out = value;
	return true;
}

size_t procfile_numbers(const char *at, int64_t *out, size_t max)
{
	size_t n = 0;

	while (n < max && procfile_next(&at, &out[n]))
		n++;
	return n;
}

int64_t procfile_value(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *at;
		int64_t value;

		line += *line == '\n';
		if (strncmp(line, key, len) != 0)
			continue;
		at = line + len;
		return procfile_next(&at, &value) ? value : -1;
	}
	return -1;
}
