/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store - the history in SQLite; the only file that knows that library
 *
 * A row is committed before history_add returns, and SQLite keeps what was committed whatever
 * kills a writer. On local file systems the journal is a write-ahead log, so that readers do not
 * wait; on network ones, whose shared memory is not shared, it is the rollback journal.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "iotest/clock.h"
#include "iotest/fd.h"
#include "iotest/history.h"
#include "iotest/xalloc.h"

/* How long a writer waits for another one. */
#define BUSY_MS 10000

struct history {
	sqlite3 *db;
	char *path;
	char *set_aside;
	enum history_access access;
	ino_t inode;
};

/* Each step brings a file to the next version of its schema, "PRAGMA user_version". Those that
 * were published never change. */
static const char *const steps[] = {
	"CREATE TABLE runs ("
	" id TEXT PRIMARY KEY, started_at_ns INTEGER, command TEXT, host TEXT, target TEXT,"
	" method TEXT, plan TEXT, tool_version TEXT, verdict TEXT, verdict_text TEXT,"
	" exit_status INTEGER, requirement_mib_per_s REAL,"
	" write_mib_per_s REAL, write_lowest_mib_per_s REAL, write_highest_mib_per_s REAL,"
	" read_mib_per_s REAL, read_lowest_mib_per_s REAL, read_highest_mib_per_s REAL,"
	" mixed_mib_per_s REAL, mixed_lowest_mib_per_s REAL, mixed_highest_mib_per_s REAL,"
	" settings TEXT) WITHOUT ROWID;"
	"CREATE INDEX runs_by_target ON runs (target, started_at_ns);",
	"ALTER TABLE runs ADD COLUMN bundle TEXT;",
	"ALTER TABLE runs ADD COLUMN line TEXT;",
};

/* ------------------------------------------------------------------ places */

int history_default_path(struct buf *out)
{
	const char *state = getenv("XDG_STATE_HOME");
	const struct passwd *user;

	if (geteuid() == 0) {
		buf_add_text(out, "/var/lib/iotest/history.db");
		return 0;
	}
	if (state && state[0] == '/') {
		buf_printf(out, "%s/iotest/history.db", state);
		return 0;
	}
	user = getpwuid(geteuid());
	if (!user || !user->pw_dir || user->pw_dir[0] != '/')
		return -ENOENT;
	buf_printf(out, "%s/.local/state/iotest/history.db", user->pw_dir);
	return 0;
}

/* Of file systems that several hosts write to. */
static bool is_on_network(const char *path)
{
	static const long magics[] = {
		0x6969,	    /* NFS */
		0xff534d42, /* CIFS */
		0xfe534d42, /* SMB2 */
		0x517b,	    /* SMB */
		0x0bd00bd0, /* Lustre */
		0x47504653, /* GPFS */
		0x00c36400, /* Ceph */
		0x5346414f, /* AFS */
		0x01021997, /* 9P */
		0x65735546, /* FUSE: may be any of them */
		0x19830326, /* BeeGFS */
		0x7461636f, /* OCFS2 */
		0x01161970, /* GFS2 */
	};
	struct statfs fs;

	if (statfs(path, &fs) < 0)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(magics); i++)
		if ((unsigned long)fs.f_type == (unsigned long)magics[i])
			return true;
	return false;
}

/* SQLite would create it for all to read. Nothing but a plain file is taken for a history. */
static int touch(struct history *h)
{
	int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	CLEANUP(fd_close) int fd = -1;
	struct stat st;

	flags |= h->access == HISTORY_WRITE ? O_RDWR | O_CREAT : O_RDONLY;
	fd = open(h->path, flags, 0600);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	h->inode = st.st_ino;
	return 0;
}

/* ------------------------------------------------------------------ SQLite */

static bool is_damage(int code)
{
	return (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB;
}

static int errno_of(int code)
{
	static const struct {
		int code;
		int rc;
	} table[] = {
		{ SQLITE_BUSY, -EBUSY },      { SQLITE_LOCKED, -EBUSY },
		{ SQLITE_PERM, -EACCES },     { SQLITE_READONLY, -EROFS },
		{ SQLITE_FULL, -ENOSPC },     { SQLITE_NOMEM, -ENOMEM },
		{ SQLITE_CANTOPEN, -ENOENT }, { SQLITE_AUTH, -EACCES },
		{ SQLITE_CORRUPT, -EUCLEAN }, { SQLITE_NOTADB, -EUCLEAN },
	};

	if (code == SQLITE_CONSTRAINT_PRIMARYKEY)
		return -EEXIST;
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (table[i].code == (code & 0xff))
			return table[i].rc;
	return -EIO;
}

static int fail(const struct history *h, int code, struct err *err)
{
	return err_say(err, errno_of(code), "%s: %s", h->path,
		       h->db ? sqlite3_errmsg(h->db) : sqlite3_errstr(code));
}

static int run_sql(struct history *h, const char *sql)
{
	return sqlite3_exec(h->db, sql, NULL, NULL, NULL);
}

/* One number that a statement answers with. */
static int ask(struct history *h, const char *sql, int64_t *out)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(h->db, sql, -1, &statement, NULL);

	if (code == SQLITE_OK) {
		code = sqlite3_step(statement);
		if (code == SQLITE_ROW) {
			*out = sqlite3_column_int64(statement, 0);
			code = SQLITE_OK;
		} else if (code == SQLITE_DONE) {
			code = SQLITE_CORRUPT;
		}
	}
	(void)sqlite3_finalize(statement);
	return code;
}

/* All steps that are missing, or none. A version of the future is SQLITE_SCHEMA. */
static int migrate(struct history *h)
{
	int64_t version = 0;
	int code = run_sql(h, "BEGIN IMMEDIATE");

	if (code == SQLITE_OK)
		code = ask(h, "PRAGMA user_version", &version);
	if (code == SQLITE_OK && (version < 0 || version > (int64_t)ARRAY_LEN(steps)))
		code = SQLITE_SCHEMA;
	while (code == SQLITE_OK && version < (int64_t)ARRAY_LEN(steps)) {
		char set[64];

		code = run_sql(h, steps[version++]);
		(void)snprintf(set, sizeof(set), "PRAGMA user_version = %lld", (long long)version);
		if (code == SQLITE_OK)
			code = run_sql(h, set);
	}
	if (code == SQLITE_OK)
		return run_sql(h, "COMMIT");
	(void)run_sql(h, "ROLLBACK");
	return code;
}

static int prepare_to_write(struct history *h)
{
	int code = run_sql(h, is_on_network(h->path) ? "PRAGMA journal_mode = DELETE"
						     : "PRAGMA journal_mode = WAL");

	/* Somebody reads it at this moment, or it is on a file system without locks: the next one
	 * sets the mode. */
	if ((code & 0xff) == SQLITE_BUSY)
		code = SQLITE_OK;
	if (code == SQLITE_OK)
		code = run_sql(h, "PRAGMA synchronous = FULL");
	return code == SQLITE_OK ? migrate(h) : code;
}

/* An empty file is a history of nobody. One of an older version has fewer columns. */
static int prepare_to_read(struct history *h)
{
	int64_t version = 0;
	int code = ask(h, "PRAGMA user_version", &version);

	if (code == SQLITE_OK && (version < 0 || version > (int64_t)ARRAY_LEN(steps)))
		return SQLITE_SCHEMA;
	if (code == SQLITE_OK && version == 0)
		return SQLITE_EMPTY;
	return code == SQLITE_OK && version < (int64_t)ARRAY_LEN(steps) ? SQLITE_MISMATCH : code;
}

static void close_db(struct history *h)
{
	(void)sqlite3_close(h->db);
	h->db = NULL;
}

static int open_db(struct history *h)
{
	bool writes = h->access == HISTORY_WRITE;
	int flags = writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
	int code = sqlite3_open_v2(h->path, &h->db, flags, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_busy_timeout(h->db, BUSY_MS);
	if (code == SQLITE_OK)
		code = sqlite3_extended_result_codes(h->db, 1);
	if (code == SQLITE_OK)
		code = writes ? prepare_to_write(h) : prepare_to_read(h);
	return code;
}

/* ------------------------------------------------------------------ damage */

static int rename_all(const char *from, const char *to)
{
	static const char *const tails[] = { "-wal", "-shm", "-journal" };

	if (rename(from, to) < 0)
		return -errno;
	for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
		CLEANUP(xfree) char *a = xasprintf("%s%s", from, tails[i]);
		CLEANUP(xfree) char *b = xasprintf("%s%s", to, tails[i]);

		(void)rename(a, b);
	}
	return 0;
}

/* Who comes second finds a new file there, and leaves it alone: one at a time, by a lock on the
 * folder, and only the file that was seen to be damaged. */
static int set_aside(struct history *h)
{
	CLEANUP(xfree) char *folder = xstrdup(h->path);
	CLEANUP(xfree) char *to = NULL;
	CLEANUP(fd_close) int fd = -1;
	struct stat st;
	char stamp[32];
	struct tm tm;
	time_t now = (time_t)(clock_wall_ns() / NS_PER_S);

	*strrchr(folder, '/') = '\0';
	fd = open(*folder ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX) < 0)
		return -errno;
	if (stat(h->path, &st) < 0 || st.st_ino != h->inode)
		return 0;
	(void)gmtime_r(&now, &tm);
	(void)strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm);
	to = xasprintf("%s.damaged-%s-%ld", h->path, stamp, (long)getpid());
	if (rename_all(h->path, to) < 0)
		return -errno;
	xstr_set(&h->set_aside, to);
	return 0;
}

/* Begins anew in place of a damaged file. */
static int replace(struct history *h)
{
	int rc;

	close_db(h);
	rc = set_aside(h);
	return rc ? rc : touch(h);
}

/* ------------------------------------------------------------------ open and close */

static int fail_to_open(struct history *h, int code, struct err *err)
{
	if (code == SQLITE_SCHEMA)
		return err_say(err, -EPROTO, "%s: a newer iotest made this history", h->path);
	if (code == SQLITE_EMPTY)
		return err_say(err, -ENOENT, "%s: holds no history", h->path);
	return fail(h, code, err);
}

static int open_checked(struct history *h, struct err *err)
{
	int rc = h->access == HISTORY_WRITE ? fd_make_parents(h->path) : 0;
	int code;

	if (rc == 0)
		rc = touch(h);
	if (rc)
		return err_set(err, rc, "%s: cannot open the history", h->path);
	code = open_db(h);
	if (code == SQLITE_MISMATCH) {
		close_db(h);
		h->access = HISTORY_WRITE;
		code = open_db(h);
	}
	if (is_damage(code) && h->access == HISTORY_WRITE) {
		rc = replace(h);
		if (rc)
			return err_set(err, rc, "%s: is damaged and cannot be set aside", h->path);
		code = open_db(h);
	}
	return code == SQLITE_OK ? 0 : fail_to_open(h, code, err);
}

int history_open(const char *path, enum history_access access, struct history **out,
		 struct err *err)
{
	struct history *h = xcalloc(1, sizeof(*h));
	int rc;

	h->access = access;
	/* With a slash, so that it has a folder. */
	h->path = strchr(path, '/') ? xstrdup(path) : xasprintf("./%s", path);
	rc = open_checked(h, err);
	if (rc) {
		history_close(&h);
		return rc;
	}
	*out = h;
	return 0;
}

void history_close(struct history **history)
{
	if (!*history)
		return;
	close_db(*history);
	free((*history)->path);
	free((*history)->set_aside);
	free(*history);
	*history = NULL;
}

const char *history_set_aside(const struct history *history)
{
	return text_of(history->set_aside);
}

void history_add_libraries(struct buf *out)
{
	buf_printf(out, "SQLite %s", sqlite3_libversion());
}

/* ------------------------------------------------------------------ rows */

static void add_columns(struct buf *sql)
{
	for (size_t i = 0; i < history_entry_schema.n_fields; i++)
		buf_printf(sql, "%s%s", i ? ", " : "", history_entry_schema.fields[i].key);
}

static const void *member_of(const struct history_entry *entry, const struct field *field)
{
	return (const char *)entry + field->offset;
}

/* What is not known is NULL. */
static int bind(sqlite3_stmt *statement, int column, const struct history_entry *entry,
		const struct field *field)
{
	const void *member = member_of(entry, field);

	if (field->type == FIELD_TEXT && *text_of(*(char *const *)member))
		return sqlite3_bind_text(statement, column, *(char *const *)member, -1,
					 SQLITE_STATIC);
	if (field->type == FIELD_I64 && *(const int64_t *)member >= 0)
		return sqlite3_bind_int64(statement, column, *(const int64_t *)member);
	if (field->type == FIELD_DOUBLE && *(const double *)member >= 0)
		return sqlite3_bind_double(statement, column, *(const double *)member);
	return sqlite3_bind_null(statement, column);
}

static int insert(struct history *h, const struct history_entry *entry)
{
	CLEANUP(buf_done) struct buf sql = { 0 };
	sqlite3_stmt *statement = NULL;
	int code;

	buf_add_text(&sql, "INSERT INTO runs (");
	add_columns(&sql);
	buf_add_text(&sql, ") VALUES (");
	for (size_t i = 0; i < history_entry_schema.n_fields; i++)
		buf_add_text(&sql, i ? ", ?" : "?");
	buf_add_text(&sql, ")");
	code = sqlite3_prepare_v2(h->db, buf_text(&sql), -1, &statement, NULL);
	for (size_t i = 0; code == SQLITE_OK && i < history_entry_schema.n_fields; i++)
		code = bind(statement, (int)i + 1, entry, &history_entry_schema.fields[i]);
	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	(void)sqlite3_finalize(statement);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

int history_add(struct history *history, const struct history_entry *entry, struct err *err)
{
	int code = insert(history, entry);

	/* Damage that opening it did not see. */
	if (is_damage(code) && replace(history) == 0 && open_db(history) == SQLITE_OK)
		code = insert(history, entry);
	return code == SQLITE_OK ? 0 : fail(history, code, err);
}

static void take_column(sqlite3_stmt *statement, int column, const struct field *field,
			struct history_entry *out)
{
	void *member = (char *)out + field->offset;

	if (sqlite3_column_type(statement, column) == SQLITE_NULL)
		return;
	if (field->type == FIELD_TEXT)
		xstr_set(member, (const char *)sqlite3_column_text(statement, column));
	else if (field->type == FIELD_I64)
		*(int64_t *)member = sqlite3_column_int64(statement, column);
	else
		*(double *)member = sqlite3_column_double(statement, column);
}

static void take_row(sqlite3_stmt *statement, struct history_list *out)
{
	struct history_entry *entry = XGROW(&out->items, &out->n_items);

	schema_init(&history_entry_schema, entry);
	for (size_t i = 0; i < history_entry_schema.n_fields; i++)
		take_column(statement, (int)i, &history_entry_schema.fields[i], entry);
}

/* A filter that is not set lets all pass. */
static int select_rows(struct history *h, const struct history_filter *filter,
		       sqlite3_stmt **statement)
{
	const struct {
		const char *name;
		const char *value;
	} texts[] = {
		{ "host", filter->host },	{ "target", filter->target },
		{ "method", filter->method },	{ "plan", filter->plan },
		{ "command", filter->command },
	};
	CLEANUP(buf_done) struct buf sql = { 0 };
	int column = 1;
	int code;

	buf_add_text(&sql, "SELECT ");
	add_columns(&sql);
	buf_add_text(&sql, " FROM runs WHERE started_at_ns >= ?");
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i].value && *texts[i].value)
			buf_printf(&sql, " AND %s = ?", texts[i].name);
	buf_add_text(&sql, " ORDER BY started_at_ns DESC, id DESC LIMIT ?");
	code = sqlite3_prepare_v2(h->db, buf_text(&sql), -1, statement, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(*statement, column++, filter->since_ns);
	for (size_t i = 0; code == SQLITE_OK && i < ARRAY_LEN(texts); i++)
		if (texts[i].value && *texts[i].value)
			code = sqlite3_bind_text(*statement, column++, texts[i].value, -1,
						 SQLITE_STATIC);
	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(*statement, column, filter->newest);
	return code;
}

static void reverse(struct history_list *list)
{
	for (size_t i = 0; i < list->n_items / 2; i++) {
		struct history_entry *a = &list->items[i];
		struct history_entry *b = &list->items[list->n_items - 1 - i];
		struct history_entry t = *a;

		*a = *b;
		*b = t;
	}
}

int history_find(struct history *history, const struct history_filter *filter,
		 struct history_list *out, struct err *err)
{
	CLEANUP(history_list_done) struct history_list list = { 0 };
	sqlite3_stmt *statement = NULL;
	int code = select_rows(history, filter, &statement);

	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	while (code == SQLITE_ROW) {
		take_row(statement, &list);
		code = sqlite3_step(statement);
	}
	(void)sqlite3_finalize(statement);
	if (code != SQLITE_DONE)
		return fail(history, code, err);
	reverse(&list);
	*out = list;
	list = (struct history_list){ 0 };
	return 0;
}
