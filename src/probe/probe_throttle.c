/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_throttle - what the control groups allow of I/O on devices
 *
 * In version 2 the limits of every level hold (Documentation/admin-guide/cgroup-v2.rst, io.max).
 * In version 1 those of the own group alone do: its throttling does not hand them down
 * (Documentation/admin-guide/cgroup-v1/blkio-controller.rst, "Hierarchical Cgroups").
 */
#include "probe_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/units.h"
#include "iotest/xalloc.h"

static const struct {
	const char *key;     /* of io.max */
	const char *file_v1; /* the limit of one device a line */
	const char *what;
	bool is_bytes; /* else operations, both in a second */
} kinds[] = {
	{ "rbps", "blkio.throttle.read_bps_device", "read", true },
	{ "wbps", "blkio.throttle.write_bps_device", "write", true },
	{ "riops", "blkio.throttle.read_iops_device", "read", false },
	{ "wiops", "blkio.throttle.write_iops_device", "write", false },
};

/* What was found, each once: the same hierarchy may be mounted twice. */
struct found {
	struct strlist limits;
	struct strlist sources;
};

static void found_done(struct found *f)
{
	strlist_done(&f->limits);
	strlist_done(&f->sources);
}

static bool has_item(const struct strlist *l, const char *text)
{
	size_t i;

	for (i = 0; i < l->n_items; i++)
		if (!strcmp(l->items[i], text))
			return true;
	return false;
}

/* The word that begins there, to be freed; *at is set behind it and the blanks that follow. */
static char *take_word(const char **at)
{
	size_t len = strcspn(*at, " \t\n");
	char *word = xstrndup(*at, len);

	*at += len;
	*at += strspn(*at, " \t");
	return word;
}

/* "8:16" */
static bool is_device_number(const char *text)
{
	static const char digits[] = "0123456789";
	size_t len = strspn(text, digits);

	if (len == 0 || text[len] != ':')
		return false;
	text += len + 1;
	len = strspn(text, digits);
	return len > 0 && !text[len];
}

/* "max", and what is no number, limits nothing. */
static void add_limit(struct found *out, const char *device, size_t kind, const char *value)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	int64_t n;

	if (units_parse_i64(value, &n) || n <= 0)
		return;
	buf_printf(&text, "%s %s ", device, kinds[kind].what);
	if (kinds[kind].is_bytes) {
		units_add_size(&text, n);
		buf_add_text(&text, "/s");
	} else {
		buf_printf(&text, "%" PRId64 " IOPS", n);
	}
	if (!has_item(&out->limits, buf_text(&text)))
		strlist_add(&out->limits, buf_text(&text));
}

/* "8:16 rbps=2097152 wbps=max" */
static void add_line_v2(struct found *out, const char *device, const char *at)
{
	size_t i;

	while (*at && *at != '\n') {
		CLEANUP(xfree) char *word = take_word(&at);
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value++ = '\0';
		for (i = 0; i < ARRAY_LEN(kinds); i++)
			if (!strcmp(word, kinds[i].key))
				add_limit(out, device, i, value);
	}
}

/* kind: of version 1, where it is told by the name of the file; else -1. */
static void add_file(struct probe *p, struct found *out, const char *path, int kind)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t n_before = out->limits.n_items;
	const char *line;

	if (sysroot_read(p->root, &text, "%s", path))
		return;
	for (line = buf_text(&text); *line; line = next_line(line)) {
		const char *at = line;
		CLEANUP(xfree) char *device = take_word(&at);
		CLEANUP(xfree) char *value = NULL;

		if (!is_device_number(device))
			continue;
		if (kind < 0) {
			add_line_v2(out, device, at);
			continue;
		}
		value = take_word(&at);
		add_limit(out, device, (size_t)kind, value);
	}
	if (out->limits.n_items > n_before)
		strlist_add(&out->sources, path);
}

static void throttles_v1(struct probe *p, const struct hierarchy *h, struct found *out)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(kinds); i++) {
		CLEANUP(xfree)
		char *path = xasprintf("%s%s/%s", h->point, h->own, kinds[i].file_v1);

		add_file(p, out, path, (int)i);
	}
}

static void throttles_v2(struct probe *p, const struct hierarchy *h, struct found *out)
{
	CLEANUP(xfree) char *own = xstrdup(h->own);

	do {
		CLEANUP(xfree) char *path = xasprintf("%s%s/io.max", h->point, own);

		add_file(p, out, path, -1);
	} while (cgroup_climb(own));
}

static char *joined(const struct strlist *l, const char *between)
{
	struct buf out = { 0 };
	size_t i;

	for (i = 0; i < l->n_items; i++)
		buf_printf(&out, "%s%s", i ? between : "", l->items[i]);
	return buf_take(&out);
}

void probe_throttles(struct probe *p)
{
	CLEANUP(found_done) struct found found = { 0 };
	size_t i;

	for (i = 0; i < p->cgroups.n_items; i++) {
		const struct hierarchy *one = &p->cgroups.items[i];

		if (one->is_v2)
			throttles_v2(p, one, &found);
		else if (wordlist_has(one->controllers, "blkio", strlen("blkio")))
			throttles_v1(p, one, &found);
	}
	free(p->host->io_limits);
	free(p->host->io_limits_source);
	p->host->io_limits = joined(&found.limits, "; ");
	p->host->io_limits_source = joined(&found.sources, ", ");
}
