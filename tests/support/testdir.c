/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testdir - a directory of its own for a test, with files made from texts
 */
#include "testdir.h"

#include <check.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/buf.h"
#include "iotest/xalloc.h"

char *testdir_new(void)
{
	const char *tmp = getenv("TMPDIR");
	char *top = xasprintf("%s/iotest-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");

	ck_assert_ptr_nonnull(mkdtemp(top));
	return top;
}

static int remove_entry(const char *path, const struct stat *st UNUSED, int type UNUSED,
			struct FTW *at UNUSED)
{
	return remove(path);
}

void testdir_done(char **top)
{
	if (*top)
		nftw(*top, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	xfree(top);
}

/* "top/path", with the folders above it made. */
static char *place(const char *top, const char *path)
{
	char *whole = xasprintf("%s/%s", top, path);

	for (char *slash = strchr(whole + strlen(top) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		ck_assert_msg(mkdir(whole, 0700) == 0 || errno == EEXIST, "%s: %s", whole,
			      strerror(errno));
		*slash = '/';
	}
	return whole;
}

void testdir_put(const char *top, const char *path, const char *text)
{
	CLEANUP(xfree) char *whole = place(top, path);
	FILE *file = fopen(whole, "we");

	ck_assert_msg(file != NULL, "%s: %s", whole, strerror(errno));
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

void testdir_link(const char *top, const char *path, const char *target)
{
	CLEANUP(xfree) char *whole = place(top, path);

	ck_assert_int_eq(symlink(target, whole), 0);
}

void testdir_expect(const char *top, const char *path, const char *text)
{
	CLEANUP(xfree) char *whole = xasprintf("%s/%s", top, path);
	CLEANUP(buf_done) struct buf got = { 0 };
	FILE *file = fopen(whole, "re");
	int c;

	if (!text) {
		if (file)
			fclose(file);
		ck_assert_msg(file == NULL, "%s exists", whole);
		return;
	}
	ck_assert_msg(file != NULL, "%s: %s", whole, strerror(errno));
	for (c = getc(file); c != EOF; c = getc(file))
		buf_printf(&got, "%c", c);
	fclose(file);
	ck_assert_str_eq(buf_text(&got), text);
}
