/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workspace_name - the names of directories and files that a run makes in a target
 */
#include "workspace_name.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "iotest/compiler.h"
#include "iotest/fd.h"
#include "iotest/sysroot.h"
#include "iotest/units.h"

#define RANDOM_DIGITS 16
#define BOOT_DIGITS (BOOT_PART_SIZE - 1)
#define BOOT_UNKNOWN "unknown-"
#define FILE_PREFIX "worker-"
#define FILES_MAX 1000000

/* A directory with more entries than these is not read to its end. */
#define ENTRIES_MAX 100000

/* ------------------------------------------------------------------ made */

static bool is_host_char(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '-' || c == '_';
}

void workspace_host_part(const char *host_name, char out[HOST_PART_SIZE])
{
	size_t n = 0;

	for (; n < HOST_PART_SIZE - 1 && host_name[n]; n++)
		out[n] = is_host_char(host_name[n]) ? host_name[n] : '_';
	out[n] = '\0';
}

/* The first part of the boot id: a directory of another boot has no living owner. */
void workspace_boot_part(char out[BOOT_PART_SIZE])
{
	CLEANUP(fd_close) int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	memset(out, 0, BOOT_PART_SIZE);
	if (fd < 0 || read(fd, out, BOOT_DIGITS) != BOOT_DIGITS)
		out[0] = '\0';
}

void workspace_name_make(const char *host_name, char out[DIR_NAME_SIZE])
{
	char host[HOST_PART_SIZE], boot[BOOT_PART_SIZE];
	uint64_t random = 0;

	workspace_host_part(host_name, host);
	workspace_boot_part(boot);
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = (uint64_t)time(NULL);
	(void)snprintf(out, DIR_NAME_SIZE, "%s%s-%jd-%s-%016" PRIx64, WORKSPACE_PREFIX, host,
		       (intmax_t)getpid(), *boot ? boot : BOOT_UNKNOWN, random);
}

void workspace_file_name(char name[FILE_NAME_SIZE], size_t i)
{
	(void)snprintf(name, FILE_NAME_SIZE, FILE_PREFIX "%zu", i);
}

/* ------------------------------------------------------------------ read back */

static bool is_lower_hex(const char *text, size_t len)
{
	return strspn(text, "0123456789abcdef") >= len;
}

/* A number as printf writes it: no sign, no zero in front. */
static bool take_number(const char *digits, size_t len, int64_t max, int64_t *out)
{
	char text[24];

	if (len == 0 || len >= sizeof(text) || (digits[0] == '0' && len > 1))
		return false;
	(void)snprintf(text, sizeof(text), "%.*s", (int)len, digits);
	return units_parse_count(text, 0, max, out) == 0;
}

static bool take_host(const char *host, size_t len, char out[HOST_PART_SIZE])
{
	if (len >= HOST_PART_SIZE)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!is_host_char(host[i]))
			return false;
	}
	memcpy(out, host, len);
	out[len] = '\0';
	return true;
}

static bool take_boot(const char *boot, char out[BOOT_PART_SIZE])
{
	out[0] = '\0';
	if (!strncmp(boot, BOOT_UNKNOWN, BOOT_DIGITS))
		return true;
	if (!is_lower_hex(boot, BOOT_DIGITS))
		return false;
	memcpy(out, boot, BOOT_DIGITS);
	out[BOOT_DIGITS] = '\0';
	return true;
}

/* From its end: a host name may have as many dashes as it likes. */
bool workspace_name_parse(const char *name, struct workspace_name *out)
{
	const size_t prefix = strlen(WORKSPACE_PREFIX);
	const size_t tail = 1 + BOOT_DIGITS + 1 + RANDOM_DIGITS;
	const size_t len = strlen(name);
	struct workspace_name n = { .pid = 0 };
	const char *end, *digits;

	if (len <= prefix + tail || strncmp(name, WORKSPACE_PREFIX, prefix) != 0)
		return false;
	end = name + len - tail;
	for (digits = end; digits > name + prefix && isdigit((unsigned char)digits[-1]); digits--)
		;
	if (digits == name + prefix || digits[-1] != '-' || *end != '-' ||
	    end[1 + BOOT_DIGITS] != '-' || !is_lower_hex(end + tail - RANDOM_DIGITS, RANDOM_DIGITS))
		return false;
	if (!take_boot(end + 1, n.boot) ||
	    !take_number(digits, (size_t)(end - digits), INT_MAX, &n.pid) || n.pid < 1 ||
	    !take_host(name + prefix, (size_t)(digits - 1 - name) - prefix, n.host))
		return false;
	*out = n;
	return true;
}

bool workspace_is_file_name(const char *name)
{
	const char *digits = name + strlen(FILE_PREFIX);
	int64_t number;

	return !strncmp(name, FILE_PREFIX, strlen(FILE_PREFIX)) &&
	       take_number(digits, strlen(digits), FILES_MAX, &number);
}

/* ------------------------------------------------------------------ found */

int workspace_list_names(int target_fd, struct strlist *out)
{
	int fd = openat(target_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	size_t n = 0;

	if (!dir) {
		int rc = -errno;

		fd_close(&fd);
		return rc;
	}
	while ((entry = readdir(dir)) && n++ < ENTRIES_MAX) {
		if (!strncmp(entry->d_name, WORKSPACE_PREFIX, strlen(WORKSPACE_PREFIX)))
			strlist_add(out, entry->d_name);
	}
	(void)closedir(dir);
	strlist_sort(out);
	return 0;
}
