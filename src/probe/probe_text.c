/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_text - the facts, lines and lists in which the kernel tells what it knows
 */
#include "probe_parts.h"

#include <errno.h>
#include <string.h>

#include "iotest/xalloc.h"

#define SHOWN_MAX 60

const char *next_line(const char *at)
{
	const char *end = strchrnul(at, '\n');

	return *end ? end + 1 : end;
}

char *shown_text(const char *text)
{
	CLEANUP(xfree) char *start = xstrndup(text, SHOWN_MAX);
	struct buf out = { 0 };

	buf_add_visible(&out, start);
	return buf_take(&out);
}

int probe_fact(const struct sysroot *root, const char *name, fact_fill *fill, void *context,
	       struct buf *out)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	int rc;

	if (!root->is_live)
		return sysroot_read_fact(root, out, name);
	rc = fill(context, &text);
	if (rc)
		return rc;
	sysroot_keep_fact(root, name, buf_text(&text), text.len);
	buf_add(out, buf_text(&text), text.len);
	return 0;
}

int64_t fact_or_unknown(const char *text, const char *key)
{
	int64_t value;

	return fact_i64(text, key, &value) ? -1 : value;
}

bool probe_was_cut(const struct sysroot *root, const char *path, const struct buf *text)
{
	const struct evidence_item *item = NULL;

	if (root->errors)
		item = evidence_find(root->errors, path);
	return text->len >= EVIDENCE_FILE_MAX || (item && item->error == EFBIG);
}
