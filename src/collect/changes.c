/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes - what went wrong between two collections: error counters that rose, messages
 */
#include "items.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "iotest/xalloc.h"

#define MESSAGES_MAX 40
#define COUNTS_MAX 200

/* "0x1f" and "31" alike; a counter that does not exist is all ones. */
static int64_t number(const char *text)
{
	unsigned long long n;
	char *end;

	text += strspn(text, " \t:");
	errno = 0;
	n = strtoull(text, &end, 0);
	if (end == text || errno || n > INT64_MAX || !strchr(" \t\n", *end))
		return -1;
	return (int64_t)n;
}

/* The column of the line that begins with the key; the first one that has a number there. */
static int64_t number_in_line(const char *text, const struct counter *c)
{
	size_t len = strlen(c->key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *at;
		int64_t n;

		line += *line == '\n';
		if (strncmp(line, c->key, len) != 0 || !strchr(" \t:", line[len]))
			continue;
		at = line + len;
		for (int i = 1; i < c->column; i++) {
			at += strspn(at, " \t:");
			at += strcspn(at, " \t\n");
		}
		n = number(at);
		if (n >= 0)
			return n;
	}
	return -1;
}

static int64_t count_of(const struct evidence *e, const char *path, const struct counter *c)
{
	const struct evidence_item *item = evidence_find(e, path);

	if (!item || item->kind != EVIDENCE_FILE)
		return -1;
	return c->key ? number_in_line(item->data, c) : number(item->data);
}

/* Returns whether there was anything to compare. */
static bool add_change(const struct evidence *before, const struct evidence *after,
		       const char *path, const struct counter *c, struct run *run)
{
	int64_t was = count_of(before, path, c);
	int64_t is = count_of(after, path, c);
	struct error_count *count;

	if (was < 0 || is < 0)
		return false;
	if (is <= was || run->n_error_counts >= COUNTS_MAX)
		return true;
	count = XGROW(&run->error_counts, &run->n_error_counts);
	count->name = c->key ? xasprintf("/%s %s", path, c->key) : xasprintf("/%s", path);
	count->meaning = xstrdup(c->meaning);
	count->is_common = c->is_common;
	count->before = was;
	count->rise = is - was;
	return true;
}

static void add_changes(const struct evidence *before, const struct evidence *after,
			struct run *run)
{
	for (size_t i = 0; i < after->n_items; i++) {
		const char *path = after->items[i].path;

		for (size_t k = 0; k < n_counters; k++)
			if (fnmatch(counters[k].pattern, path, 0) == 0)
				run->counters_watched +=
					add_change(before, after, path, &counters[k], run);
	}
}

/* "last=12": the number of the newest record; -1 if there is none. */
static int64_t last_record(const struct evidence *e)
{
	const struct evidence_item *item = evidence_find(e, KERNEL_LOG);
	int64_t last;

	if (!item || item->kind != EVIDENCE_FILE || fact_i64(item->data, "last", &last))
		return -1;
	return last;
}

/* "number,level,seconds;text" */
static void add_message(const char *line, size_t len, struct run *run)
{
	const char *text = memchr(line, ';', len);
	const char *level = memchr(line, ',', len);
	struct kernel_message *m;

	if (!text || !level || level > text || run->n_kernel_messages >= MESSAGES_MAX)
		return;
	m = XGROW(&run->kernel_messages, &run->n_kernel_messages);
	m->level = level[1] >= '0' && level[1] <= '7' ? level[1] - '0' : -1;
	m->text = xstrndup(text + 1, len - (size_t)(text + 1 - line));
}

/* A boot between the two is no case: the run would be gone. */
static void add_messages(const struct evidence *before, const struct evidence *after,
			 struct run *run)
{
	const struct evidence_item *item = evidence_find(after, KERNEL_LOG);
	int64_t last = last_record(before);
	const char *line;

	if (last < 0 || last_record(after) < 0)
		return;
	run->kernel_log_read = 1;
	for (line = item->data; *line;) {
		size_t len = strcspn(line, "\n");

		if (strtoll(line, NULL, 10) > last)
			add_message(line, len, run);
		line += len + (line[len] == '\n');
	}
}

void collect_changes(const struct evidence *before, const struct evidence *after, struct run *run)
{
	run->counters_watched = 0;
	add_changes(before, after, run);
	add_messages(before, after, run);
}
