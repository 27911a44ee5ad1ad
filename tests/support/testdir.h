/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testdir - a directory of its own for a test, with files made from texts
 *
 *	CLEANUP(testdir_done) char *top = testdir_new();
 *
 *	testdir_put(top, "sys/block/sda/size", "2048\n");
 *	testdir_link(top, "sys/class/block/sda", "../../block/sda");
 */
#ifndef TESTDIR_H
#define TESTDIR_H

/* Makes an empty directory below $TMPDIR. */
char *testdir_new(void);

/* Removes all of it. */
void testdir_done(char **top);

/* Writes or replaces a file, and makes the folders it lies in. */
void testdir_put(const char *top, const char *path, const char *text);
void testdir_link(const char *top, const char *path, const char *target);

/* Fails the test unless the file holds just this text; NULL: unless there is none. */
void testdir_expect(const char *top, const char *path, const char *text);

#endif
