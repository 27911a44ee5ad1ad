/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_tree - probe a tree of tests/fixtures/grow.sh
 *
 * $FIXTURES is the folder of grow.sh, as ctest sets it.
 */
#ifndef PROBE_TREE_H
#define PROBE_TREE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/probe.h"
#include "iotest/xalloc.h"
#include "testdir.h"

/* Grows the tree into a directory of its own; testdir_done() removes it. */
static inline char *tree_grow(const char *name)
{
	const char *fixtures = getenv("FIXTURES");
	char *top = testdir_new();
	CLEANUP(xfree) char *command = NULL;

	ck_assert_msg(fixtures != NULL, "FIXTURES is not set: run by ctest");
	command = xasprintf("'%s/grow.sh' '%s' '%s'", fixtures, name, top);
	ck_assert_int_eq(system(command), 0);
	return top;
}

/* Probes the tree below top with one target, or none if that is NULL. */
static inline void tree_probe(const char *top, const char *target, struct host *out)
{
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(strlist_done) struct strlist targets = { 0 };
	struct err err = { 0 };

	if (target)
		strlist_add(&targets, target);
	ck_assert_int_eq(sysroot_open(&root, top, &err), 0);
	ck_assert_msg(probe_host(&root, &targets, out, &err) == 0, "%s", err.sentence);
}

/* Both in one. */
static inline void probe_grown(const char *name, const char *target, struct host *out)
{
	CLEANUP(testdir_done) char *top = tree_grow(name);

	tree_probe(top, target, out);
}

/* Whether a note has the words in its text. */
static inline int has_note(const struct host *host, const char *words)
{
	size_t i;

	for (i = 0; i < host->n_notes; i++)
		if (strstr(host->notes[i].text, words))
			return 1;
	return 0;
}

#endif
