/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mountstats - what a mount of NFS moved, of /proc/self/mountstats
 *
 * A block for each mount begins with "device SERVER:/x mounted on /mnt with fstype nfs4 ..."; its
 * other lines are indented. The one with the bytes has eight numbers: normal, direct and server
 * bytes, read and written, then pages. Blanks in names are written as in mountinfo, \040.
 */
#include "counters.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "procfile.h"

/* The fields of "bytes:" that crossed the network. */
enum { SERVER_READ = 4, SERVER_WRITTEN = 5, BYTES_FIELDS = 6 };

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* One byte of a name that may be written as \ooo; *at moves behind it. */
static char next_byte(const char **at)
{
	const char *c = *at;

	if (c[0] == '\\' && is_octal(c[1]) && is_octal(c[2]) && is_octal(c[3])) {
		*at += 4;
		return (char)((c[1] - '0') << 6 | (c[2] - '0') << 3 | (c[3] - '0'));
	}
	*at += 1;
	return c[0];
}

static bool is_name(const char *at, const char *name)
{
	while (*at && *at != ' ' && *at != '\n') {
		if (!*name || next_byte(&at) != *name)
			return false;
		name++;
	}
	return !*name;
}

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The first line of a block: behind "device NAME" or "no device", else NULL. */
static const char *behind_device(const char *line)
{
	if (has_prefix(line, "no device "))
		return line + strlen("no device");
	if (!has_prefix(line, "device "))
		return NULL;
	line += strlen("device ");
	return line + strcspn(line, " \n");
}

static bool is_mounted_on(const char *at, const char *mount_point)
{
	static const char words[] = " mounted on ";

	return has_prefix(at, words) && is_name(at + strlen(words), mount_point);
}

static bool parse_bytes(const char *line, int64_t fields[BYTES_FIELDS])
{
	static const char key[] = "bytes:";

	line += strspn(line, " \t");
	return has_prefix(line, key) &&
	       procfile_numbers(line + strlen(key), fields, BYTES_FIELDS) == BYTES_FIELDS;
}

int counters_parse_mountstats(const char *text, const char *mount_point, int64_t *read_bytes,
			      int64_t *written_bytes)
{
	int64_t fields[BYTES_FIELDS];
	bool is_ours = false;
	bool is_counted = false;

	for (const char *line = text; *line; line += *line == '\n') {
		const char *device = behind_device(line);

		if (device) {
			is_ours = is_mounted_on(device, mount_point);
			/* A later mount on the same point hides this one. */
			is_counted = is_counted && !is_ours;
		} else if (is_ours && !is_counted) {
			is_counted = parse_bytes(line, fields);
		}
		line = strchrnul(line, '\n');
	}
	if (!is_counted)
		return -ENOENT;
	*read_bytes = fields[SERVER_READ];
	*written_bytes = fields[SERVER_WRITTEN];
	return 0;
}
