/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source - a recorded report: a bundle, its folder, or its report.json
 */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/fd.h"
#include "iotest/render.h"
#include "repeats.h"

#define REPORT_FILE_MAX (64 * MIB)

void source_done(struct source *s)
{
	bundle_content_done(&s->content);
	buf_done(&s->json);
}

static int read_plain(int fd, const char *path, struct buf *out, struct err *err)
{
	int rc = fd_read_all(fd, REPORT_FILE_MAX, out);

	if (rc == -EFBIG)
		return err_say(err, rc, "%s: too large to be a report of iotest", path);
	return rc ? err_set(err, rc, "%s: cannot be read", path) : 0;
}

/* The first byte that is not blank decides; an archive begins with bytes of its own. */
static bool begins_like_json(int fd)
{
	char head[512];
	ssize_t n = pread(fd, head, sizeof(head) - 1, 0);

	if (n <= 0)
		return false;
	head[n] = '\0';
	return head[strspn(head, " \t\r\n")] == '{';
}

static int load_bundle(const char *path, struct source *s, struct err *err)
{
	const struct bundle_file *json;
	const struct bundle_file *text;
	int rc = bundle_read(path, &s->content, err);

	if (rc)
		return rc;
	json = bundle_content_find(&s->content, "report.json");
	text = bundle_content_find(&s->content, "report.txt");
	if (!json) {
		err_say(err, -EINVAL, "%s: holds no report.json; the run did not get that far",
			path);
		err_advise(err, "iotest.log and samples.tsv in it can be read as they are; once "
				"no run is going on, it may be deleted");
		return -EINVAL;
	}
	buf_add(&s->json, json->data, json->len);
	s->text = text ? text->data : NULL;
	return 0;
}

/* Opened only after a look: opening alone can start a tape, or wait for the writer of a pipe. */
static int open_plain(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

/* A plain report.json is read here, everything else is for the bundle reader. */
int source_load(const char *path, struct source *s, struct err *err)
{
	int fd = open_plain(path);
	bool is_json = fd >= 0 && begins_like_json(fd);
	int rc = is_json ? read_plain(fd, path, &s->json, err) : 0;

	if (fd >= 0)
		close(fd);
	return is_json ? rc : load_bundle(path, s, err);
}

/* Which runs stand for all is asked of a copy, so that what was recorded is shown as it is. */
int source_find_shown(const struct source *s, const char *path, const struct records *records,
		      struct records *shown, struct err *err)
{
	CLEANUP(records_done) struct records copy = { 0 };
	int rc = render_read_json(buf_text(&s->json), s->json.len, path, &copy, err);

	if (!rc)
		repeats_choose(&copy, records, shown);
	return rc;
}

void source_say_checked(const struct source *s, const char *path)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	if (s->content.n_files == 0)
		return;
	buf_add_text(&line, "iotest: ");
	buf_add_visible(&line, path);
	if (s->content.is_checked)
		buf_printf(&line, ": %zu files match their digests", s->content.n_files);
	else
		buf_add_text(&line, ": a folder without MANIFEST, its files were not checked");
	fprintf(stderr, "%s\n", buf_text(&line));
}
