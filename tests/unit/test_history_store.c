/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_history_store - real SQLite files: rows, versions, writers at once, damage
 */
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iotest/compiler.h"
#include "iotest/history.h"
#include "iotest/xalloc.h"

static char folder[64];
static char path[128];

static void begin(void)
{
	(void)snprintf(folder, sizeof(folder), "/tmp/iotest-history.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/state/history.db", folder);
}

static void end(void)
{
	char command[160];

	(void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

static struct history *open_to(enum history_access access)
{
	struct history *h = NULL;
	struct err err = { 0 };

	ck_assert_msg(history_open(path, access, &h, &err) == 0, "%s", err.sentence);
	return h;
}

static int add(struct history *h, const char *id, int64_t at_ns, double write)
{
	CLEANUP(xfree) char *own = xstrdup(id);
	struct history_entry e;
	struct err err = { 0 };

	schema_init(&history_entry_schema, &e);
	e.id = own;
	e.started_at_ns = at_ns;
	e.host = (char[]){ "alpha" };
	e.target = (char[]){ "/saswork" };
	e.method = (char[]){ "quick/1" };
	e.plan = (char[]){ "2 workers" };
	e.settings = (char[]){ "kernel=6.1\nread_ahead_kb=128\n" };
	e.write_mib_per_s = write;
	return history_add(h, &e, &err);
}

static size_t count(struct history *h, const struct history_filter *filter)
{
	CLEANUP(history_list_done) struct history_list list = { 0 };
	struct err err = { 0 };

	ck_assert_msg(history_find(h, filter, &list, &err) == 0, "%s", err.sentence);
	return list.n_items;
}

START_TEST(a_row_comes_back_as_it_was_added)
{
	CLEANUP(history_list_done) struct history_list list = { 0 };
	struct history_filter all = HISTORY_ALL;
	struct history *h;
	struct stat st;
	struct err err = { 0 };

	begin();
	h = open_to(HISTORY_WRITE);
	ck_assert_int_eq(add(h, "b", 2000, 321.5), 0);
	ck_assert_int_eq(add(h, "a", 1000, -1), 0);
	ck_assert_int_eq(add(h, "a", 3000, 1), -EEXIST);
	ck_assert_int_eq(history_find(h, &all, &list, &err), 0);
	ck_assert_uint_eq(list.n_items, 2);
	ck_assert_str_eq(list.items[0].id, "a");
	ck_assert_double_eq(list.items[0].write_mib_per_s, -1);
	ck_assert_double_eq(list.items[1].write_mib_per_s, 321.5);
	ck_assert_str_eq(list.items[1].settings, "kernel=6.1\nread_ahead_kb=128\n");
	ck_assert_int_eq(list.items[1].exit_status, -1);
	ck_assert_ptr_null(list.items[1].bundle);
	ck_assert_str_eq(history_set_aside(h), "");
	history_close(&h);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	end();
}
END_TEST

START_TEST(filters_choose_and_the_newest_come_last)
{
	static const struct {
		struct history_filter filter;
		size_t want;
	} rows[] = {
		{ { .host = "alpha", .since_ns = -1, .newest = -1 }, 5 },
		{ { .host = "beta", .since_ns = -1, .newest = -1 }, 0 },
		{ { .target = "/saswork", .since_ns = 3000, .newest = -1 }, 3 },
		{ { .method = "full/2", .since_ns = -1, .newest = -1 }, 0 },
		{ { .plan = "2 workers", .method = "quick/1", .since_ns = -1, .newest = 2 }, 2 },
	};
	CLEANUP(history_list_done) struct history_list list = { 0 };
	struct err err = { 0 };
	struct history *h;

	begin();
	h = open_to(HISTORY_WRITE);
	for (int i = 1; i <= 5; i++) {
		char id[8];

		(void)snprintf(id, sizeof(id), "run%d", i);
		ck_assert_int_eq(add(h, id, i * 1000, i), 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ck_assert_msg(count(h, &rows[i].filter) == rows[i].want, "row %zu", i);
	ck_assert_int_eq(history_find(h, &rows[4].filter, &list, &err), 0);
	ck_assert_str_eq(list.items[1].id, "run5");
	history_close(&h);
	end();
}
END_TEST

START_TEST(what_is_not_there_cannot_be_read)
{
	struct history *h = NULL;
	struct err err = { 0 };

	begin();
	ck_assert_int_eq(history_open(path, HISTORY_READ, &h, &err), -ENOENT);
	ck_assert_ptr_null(h);
	ck_assert_int_eq(access(path, F_OK), -1);
	end();
}
END_TEST

static void sqlite(const char *sql)
{
	CLEANUP(xfree) char *command = xasprintf("sqlite3 '%s' \"%s\"", path, sql);

	ck_assert_int_eq(system(command), 0);
}

START_TEST(an_old_file_can_be_read)
{
	struct history_filter all = HISTORY_ALL;
	struct history *h;

	begin();
	h = open_to(HISTORY_WRITE);
	ck_assert_int_eq(add(h, "old", 1, 100), 0);
	history_close(&h);
	sqlite("ALTER TABLE runs DROP COLUMN line; PRAGMA user_version = 2;");
	h = open_to(HISTORY_READ);
	ck_assert_int_eq(count(h, &all), 1);
	history_close(&h);
	end();
}
END_TEST

/* As the first version made it, with a row in it. */
START_TEST(an_old_file_is_brought_to_the_new_version)
{
	struct history_filter all = HISTORY_ALL;
	struct history *h;

	begin();
	h = open_to(HISTORY_WRITE);
	ck_assert_int_eq(add(h, "old", 1000, 100), 0);
	history_close(&h);
	sqlite("ALTER TABLE runs DROP COLUMN bundle; ALTER TABLE runs DROP COLUMN line;"
	       "PRAGMA user_version = 1;");
	h = open_to(HISTORY_WRITE);
	ck_assert_int_eq(add(h, "new", 2000, 100), 0);
	ck_assert_uint_eq(count(h, &all), 2);
	history_close(&h);
	end();
}
END_TEST

START_TEST(a_file_of_the_future_is_left_alone)
{
	struct err err = { 0 };
	struct history *h;

	begin();
	h = open_to(HISTORY_WRITE);
	history_close(&h);
	sqlite("PRAGMA user_version = 99;");
	ck_assert_int_eq(history_open(path, HISTORY_WRITE, &h, &err), -EPROTO);
	ck_assert_int_eq(history_open(path, HISTORY_READ, &h, &err), -EPROTO);
	ck_assert_ptr_nonnull(strstr(err.sentence, "a newer iotest"));
	end();
}
END_TEST

static void put_at(off_t at, size_t n)
{
	char *text = malloc(n);
	int fd = open(path, O_WRONLY);

	memset(text, 'x', n);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, text, n, at), (ssize_t)n);
	(void)close(fd);
	free(text);
}

START_TEST(a_damaged_file_is_set_aside_and_begun_anew)
{
	static const struct {
		off_t at;
		size_t n;
	} rows[] = { { 0, 100 }, { 0, 4096 }, { 100, 3000 }, { 4096, 8192 } };
	struct history_filter all = HISTORY_ALL;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct history *h;

		begin();
		h = open_to(HISTORY_WRITE);
		ck_assert_int_eq(add(h, "old", 1000, 100), 0);
		history_close(&h);
		put_at(rows[i].at, rows[i].n);
		h = open_to(HISTORY_WRITE);
		ck_assert_msg(add(h, "new", 2000, 100) == 0, "row %zu", i);
		ck_assert_msg(count(h, &all) == 1, "row %zu", i);
		ck_assert_msg(strstr(history_set_aside(h), ".damaged-") != NULL, "row %zu", i);
		ck_assert_int_eq(access(history_set_aside(h), F_OK), 0);
		history_close(&h);
		end();
	}
}
END_TEST

/* Each adds its rows and tells through a file how many were committed; some are killed. */
static pid_t start_writer(int number, int n)
{
	pid_t pid = fork();
	struct history *h;

	if (pid)
		return pid;
	h = open_to(HISTORY_WRITE);
	for (int i = 0; i < n; i++) {
		CLEANUP(xfree) char *id = xasprintf("w%d-%d", number, i);
		CLEANUP(xfree) char *mark = xasprintf("%s/%s", folder, id);

		if (add(h, id, 1000 * number + i, 1) == 0)
			(void)close(open(mark, O_CREAT | O_WRONLY, 0600));
	}
	_exit(0);
}

START_TEST(writers_at_once_and_kills_lose_nothing_that_was_committed)
{
	struct history_filter all = HISTORY_ALL;
	CLEANUP(history_list_done) struct history_list list = { 0 };
	struct err err = { 0 };
	struct history *h;
	pid_t pids[6];
	size_t n_marks = 0;

	begin();
	for (int i = 0; i < 6; i++)
		pids[i] = start_writer(i, i < 3 ? 20 : 1000000);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(waitpid(pids[i], NULL, 0), pids[i]);
	for (int i = 3; i < 6; i++) {
		ck_assert_int_eq(kill(pids[i], SIGKILL), 0);
		ck_assert_int_eq(waitpid(pids[i], NULL, 0), pids[i]);
	}
	h = open_to(HISTORY_WRITE);
	ck_assert_str_eq(history_set_aside(h), "");
	ck_assert_int_eq(history_find(h, &all, &list, &err), 0);
	for (size_t i = 0; i < list.n_items; i++) {
		CLEANUP(xfree) char *mark = xasprintf("%s/%s", folder, list.items[i].id);

		n_marks += access(mark, F_OK) == 0;
		(void)unlink(mark);
	}
	/* Every mark had its row: none is left. */
	ck_assert_uint_ge(n_marks, 3 * 20);
	history_close(&h);
	{
		CLEANUP(xfree)
		char *command = xasprintf("test -z \"$(ls %s/w* 2>/dev/null)\"", folder);

		ck_assert_int_eq(system(command), 0);
	}
	end();
}
END_TEST

START_TEST(a_symbolic_link_is_no_history)
{
	struct history *h = NULL;
	struct err err = { 0 };
	char other[160];

	begin();
	(void)snprintf(other, sizeof(other), "%s/other", folder);
	(void)snprintf(path, sizeof(path), "%s/history.db", folder);
	ck_assert_int_eq(symlink(other, path), 0);
	ck_assert_int_lt(history_open(path, HISTORY_WRITE, &h, &err), 0);
	ck_assert_int_eq(access(other, F_OK), -1);
	end();
}
END_TEST

SUITE_MAIN("history store", a_row_comes_back_as_it_was_added,
	   filters_choose_and_the_newest_come_last, what_is_not_there_cannot_be_read,
	   an_old_file_is_brought_to_the_new_version, an_old_file_can_be_read,
	   a_file_of_the_future_is_left_alone, a_damaged_file_is_set_aside_and_begun_anew,
	   writers_at_once_and_kills_lose_nothing_that_was_committed, a_symbolic_link_is_no_history)
