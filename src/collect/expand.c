/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expand - from a pattern to paths
 */
#include "items.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/xalloc.h"

struct expansion {
	struct sysroot root; /* without evidence: what was only looked for is none */
	const struct host *host;
	struct strlist *out;
};

static void walk(struct expansion *x, const char *base, const char *rest);

static void step(struct expansion *x, const char *base, const char *name, const char *rest)
{
	CLEANUP(xfree) char *path = xasprintf("%s/%s", base, name);

	if (*rest)
		walk(x, path, rest);
	else
		strlist_add(x->out, path);
}

static void walk_devices(struct expansion *x, const char *base, const char *rest)
{
	CLEANUP(strlist_done) struct strlist seen = { 0 };

	for (size_t t = 0; t < x->host->n_targets; t++) {
		const struct target *target = &x->host->targets[t];

		for (size_t i = 0; i < target->n_devices; i++)
			strlist_add(&seen, text_of(target->devices[i].name));
	}
	strlist_sort(&seen);
	for (size_t i = 0; i < seen.n_items; i++)
		if (i == 0 || strcmp(seen.items[i], seen.items[i - 1]) != 0)
			step(x, base, seen.items[i], rest);
}

static void walk_matches(struct expansion *x, const char *base, const char *glob, const char *rest)
{
	CLEANUP(strlist_done) struct strlist names = { 0 };

	if (sysroot_list(&x->root, &names, "%s", base))
		return;
	for (size_t i = 0; i < names.n_items; i++)
		if (fnmatch(glob, names.items[i], FNM_PERIOD) == 0)
			step(x, base, names.items[i], rest);
}

/* One of the names between "|". */
static void walk_name(struct expansion *x, const char *base, const char *name, const char *rest)
{
	if (strcmp(name, "{device}") == 0)
		walk_devices(x, base, rest);
	else if (strpbrk(name, "*?"))
		walk_matches(x, base, name, rest);
	else
		step(x, base, name, rest);
}

/* rest is "/name|other/more". */
static void walk(struct expansion *x, const char *base, const char *rest)
{
	const char *at = rest + 1;
	const char *end = strchrnul(at, '/');

	for (;;) {
		size_t len = strcspn(at, "|/");
		CLEANUP(xfree) char *name = xstrndup(at, len);

		walk_name(x, base, name, end);
		at += len;
		if (at >= end)
			return;
		at++;
	}
}

/* The own control group is a path of its own, and may be unknown. Its names are no patterns. */
static void walk_cgroup(struct expansion *x, const char *pattern, const char *mark)
{
	const char *group = text_of(x->host->cgroup);
	CLEANUP(xfree) char *base = xstrndup(pattern, (size_t)(mark - pattern));
	CLEANUP(xfree) char *whole = NULL;

	if (*group != '/' || strstr(group, ".."))
		return;
	whole = xasprintf("%s%s", base, strcmp(group, "/") ? group : "");
	walk(x, whole, mark + strlen("{cgroup}"));
}

void item_expand(const struct sysroot *root, const struct host *host, const char *pattern,
		 struct strlist *out)
{
	struct expansion x = { .root = *root, .host = host, .out = out };
	const char *mark = strstr(pattern, "{cgroup}");

	x.root.evidence = NULL;
	if (mark)
		walk_cgroup(&x, pattern, mark);
	else
		walk(&x, "", pattern);
}
