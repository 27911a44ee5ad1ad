/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fact - what a host tells by calls instead of files, kept as files
 */
#include "iotest/sysroot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/units.h"
#include "iotest/xalloc.h"

void sysroot_keep_fact(const struct sysroot *root, const char *name, const void *data, size_t len)
{
	if (root->evidence)
		evidence_add(root->evidence, name, EVIDENCE_FILE, data, len, 0);
}

int sysroot_read_fact(const struct sysroot *root, struct buf *out, const char *name)
{
	if (root->is_live)
		return -ENOENT;
	return sysroot_read(root, out, "/%s", name);
}

/* The value behind "key=" at the start of a line, and its length; NULL if there is none. */
static const char *find_value(const char *text, const char *key, size_t *len)
{
	size_t key_len = strlen(key);

	while (*text) {
		size_t line_len = strcspn(text, "\n");

		if (strncmp(text, key, key_len) == 0 && text[key_len] == '=') {
			*len = line_len - key_len - 1;
			return text + key_len + 1;
		}
		text += line_len;
		text += *text == '\n';
	}
	return NULL;
}

int fact_text(const char *text, const char *key, char **out)
{
	size_t len;
	const char *value = find_value(text, key, &len);

	if (!value)
		return -ENOENT;
	free(*out);
	*out = xstrndup(value, len);
	return 0;
}

int fact_i64(const char *text, const char *key, int64_t *out)
{
	CLEANUP(xfree) char *value = NULL;
	int rc;

	rc = fact_text(text, key, &value);
	return rc ? rc : units_parse_i64(value, out);
}
