/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redaction - what is taken out of a bundle before it is closed
 */
#include "redaction.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/random.h>
#include <unistd.h>

#include "iotest/fd.h"
#include "iotest/log.h"
#include "iotest/sysroot.h"
#include "iotest/xalloc.h"

#define SUMMARY "redaction.txt"
#define MAP_ENDING ".do-not-send.map"
#define SMALL_FILE_MAX ((size_t)(256 * KIB))

static int read_file(const char *path, struct buf *out)
{
	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : fd_read_all(fd, SMALL_FILE_MAX, out);

	return rc == -EFBIG ? 0 : rc;
}

/* The machine's own id is a secret that lasts; where there is none, tokens last for one bundle. */
static void make_key(uint8_t key[16])
{
	CLEANUP(buf_done) struct buf id = { 0 };
	unsigned int byte;

	if (read_file("/etc/machine-id", &id) == 0 && id.len >= 32) {
		size_t i;

		for (i = 0; i < 16 && sscanf(id.data + 2 * i, "%2x", &byte) == 1; i++)
			key[i] = (uint8_t)byte;
		if (i == 16)
			return;
	}
	if (getrandom(key, 16, 0) != 16)
		memset(key, getpid() & 0xff, 16);
}

/* "name:x:1000:..." of that number; to be freed, NULL if there is none. */
static char *name_of_user(const char *passwd, int64_t uid)
{
	for (const char *line = passwd; line && *line; line = strchr(line, '\n')) {
		const char *end, *number;
		int64_t n;

		line += *line == '\n';
		end = strchr(line, ':');
		number = end ? strchr(end + 1, ':') : NULL;
		if (number && sscanf(number, ":%" SCNd64, &n) == 1 && n == uid)
			return xstrndup(line, (size_t)(end - line));
	}
	return NULL;
}

static void add_user(struct redactor *r, const char *passwd, int64_t uid)
{
	CLEANUP(xfree) char *name = name_of_user(passwd, uid);

	if (uid > 0 && name)
		redactor_add(r, REDACTED_USER, name);
}

/* Who runs this, and who logged in to do so. */
static void add_users(struct redactor *r, int64_t uid)
{
	CLEANUP(buf_done) struct buf passwd = { 0 };
	CLEANUP(buf_done) struct buf login = { 0 };
	int64_t login_uid;

	if (read_file("/etc/passwd", &passwd))
		return;
	add_user(r, buf_text(&passwd), uid);
	if (read_file("/proc/self/loginuid", &login) == 0 &&
	    sscanf(buf_text(&login), "%" SCNd64, &login_uid) == 1)
		add_user(r, buf_text(&passwd), login_uid);
}

struct redactor *redaction_begin(int level, const struct host *host)
{
	struct redactor *r;
	uint8_t key[16];

	make_key(key);
	r = redactor_new(level, key);
	redactor_add(r, REDACTED_HOST, text_of(host->name));
	add_users(r, host->os.uid);
	return r;
}

static void withhold(const struct bundle_file *file, const char *kind, struct buf *list)
{
	buf_printf(list, "withheld\t%s\t%s\n", kind, file->path);
	log_line(LOG_LEVEL_WARNING, "%s is not in the bundle: a %s could not be taken out of it",
		 file->path, kind);
}

/* Puts the rewritten file in the place of the old one, or withholds it. */
static int replace(struct redactor *r, struct bundle *b, const struct bundle_file *file,
		   struct buf *list, struct err *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf path = { 0 };
	const char *leak;
	bool moves;

	redactor_rewrite(r, file->path, file->data, file->len, &text);
	redactor_rewrite(r, NULL, file->path, strlen(file->path), &path);
	moves = strcmp(file->path, buf_text(&path)) != 0;
	leak = redactor_leak(r, buf_text(&text), text.len);
	if (!leak)
		leak = redactor_leak(r, buf_text(&path), path.len);
	if (leak)
		withhold(&(struct bundle_file){ .path = path.data }, leak, list);
	if (leak || moves) {
		int rc = bundle_remove(b, file->path);

		if (rc)
			return err_set(err, rc, "%s/%s: cannot be removed", b->name, file->path);
	}
	if (leak ||
	    (!moves && text.len == file->len && !memcmp(buf_text(&text), file->data, text.len)))
		return 0;
	return bundle_put(b, buf_text(&path), buf_text(&text), text.len, err);
}

int redaction_apply(struct redactor *r, int level, struct bundle *bundle, struct err *err)
{
	CLEANUP(bundle_content_done) struct bundle_content content = { 0 };
	CLEANUP(buf_done) struct buf list = { 0 };
	CLEANUP(buf_done) struct buf summary = { 0 };
	int rc = 0;

	if (level != REDACT_NONE)
		rc = bundle_load(bundle, &content, err);
	for (size_t i = 0; !rc && i < content.n_files; i++)
		redactor_learn(r, content.files[i].path, content.files[i].data,
			       content.files[i].len);
	for (size_t i = 0; !rc && i < content.n_files; i++)
		rc = replace(r, bundle, &content.files[i], &list, err);
	if (rc)
		return rc;
	buf_printf(&summary, "level\t%s\nreplaced\t", redact_level_name(level));
	redactor_add_summary(r, &summary);
	buf_printf(&summary, "\n%s", buf_text(&list));
	return bundle_put(bundle, SUMMARY, summary.data, summary.len, err);
}

int redaction_put_map(struct redactor *r, const struct bundle *bundle, struct err *err)
{
	CLEANUP(buf_done) struct buf map = { 0 };

	redactor_add_map(r, &map);
	return map.len ? bundle_put_beside(bundle, MAP_ENDING, map.data, map.len, err) : 0;
}

void redaction_remove_map(const char *out_path, const char *archive_name)
{
	static const char ending[] = ".tar.gz";
	size_t len = strlen(archive_name);
	CLEANUP(xfree) char *map = NULL;
	struct stat st;

	if (len <= strlen(ending) || strcmp(archive_name + len - strlen(ending), ending) != 0)
		return;
	map = xasprintf("%s/%.*s%s", out_path, (int)(len - strlen(ending)), archive_name,
			MAP_ENDING);
	if (!lstat(map, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		(void)unlink(map);
}

int redaction_level_of(const struct bundle_content *content)
{
	const struct bundle_file *file = bundle_content_find(content, SUMMARY);

	for (int level = 0; file && level < REDACT_COUNT; level++) {
		CLEANUP(xfree) char *line = xasprintf("level\t%s\n", redact_level_name(level));

		if (!strncmp(file->data, line, strlen(line)))
			return level;
	}
	return REDACT_NONE;
}
