/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manifest - the list of a bundle's files with size and SHA-256
 */
#include "manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "archiver.h"
#include "bundle_dir.h"
#include "content.h"
#include "iotest/fd.h"
#include "iotest/xalloc.h"

#define TITLE "# iotest bundle "
#define VALUE_MARK ") = "

/* --- writing --- */

static void add_escaped(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\')
			buf_add_text(out, "\\\\");
		else if (*text == '\n')
			buf_add_text(out, "\\n");
		else
			buf_add(out, text, 1);
	}
}

static void add_line(struct buf *out, const char *tag, const char *path, const char *value)
{
	if (strpbrk(path, "\\\n"))
		buf_add_text(out, "\\");
	buf_printf(out, "%s (", tag);
	add_escaped(out, path);
	buf_printf(out, VALUE_MARK "%s\n", value);
}

static int add_file(int dirfd, const struct tree_item *item, struct buf *out, struct err *err)
{
	CLEANUP(fd_close) int fd = tree_open_file(dirfd, item->path);
	CLEANUP(xfree) char *size = xasprintf("%" PRId64, item->size_bytes);
	char digest[DIGEST_TEXT_SIZE];
	int rc;

	if (fd < 0)
		return err_set(err, fd, "%s: cannot read it for the bundle", item->path);
	rc = archiver_digest_file(fd, item->size_bytes, item->path, digest, err);
	if (rc)
		return rc;
	add_line(out, "SHA256", item->path, digest);
	add_line(out, "# SIZE", item->path, size);
	return 0;
}

int manifest_format(int dirfd, const char *name, const struct tree *tree, struct buf *out,
		    struct err *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_printf(&text, TITLE "%s\n", name);
	for (size_t i = 0; i < tree->n_items; i++) {
		const struct tree_item *item = &tree->items[i];
		int rc = 0;

		if (item->kind == TREE_FILE)
			rc = add_file(dirfd, item, &text, err);
		if (rc)
			return rc;
	}
	buf_add(out, text.data, text.len);
	return 0;
}

/* --- reading --- */

struct promise {
	char *path;
	char *digest;
	int64_t size_bytes; /* -1: no SIZE line */
	bool is_found;
};

struct promises {
	struct promise *items; /* sorted by path, because the text is */
	size_t n_items;
};

static void promises_done(struct promises *p)
{
	for (size_t i = 0; i < p->n_items; i++) {
		free(p->items[i].path);
		free(p->items[i].digest);
	}
	free(p->items);
	*p = (struct promises){ 0 };
}

/* In place. Returns false for what is not \\ or \n. */
static bool unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text != '\\') {
			*to++ = *text;
			continue;
		}
		text++;
		if (*text != '\\' && *text != 'n')
			return false;
		*to++ = *text == 'n' ? '\n' : '\\';
	}
	*to = '\0';
	return true;
}

static char *find_last(char *text, const char *mark)
{
	char *found = NULL;

	for (char *at = strstr(text, mark); at; at = strstr(at + 1, mark))
		found = at;
	return found;
}

static bool parse_digest(struct promise *p, char *value)
{
	if (p->digest || strlen(value) != DIGEST_TEXT_SIZE - 1 ||
	    strspn(value, "0123456789abcdef") != DIGEST_TEXT_SIZE - 1)
		return false;
	p->digest = xstrdup(value);
	return true;
}

static bool parse_size(struct promise *p, char *value)
{
	size_t len = strlen(value);

	/* 18 digits always fit */
	if (p->size_bytes >= 0 || !len || len > 18 || strspn(value, "0123456789") != len)
		return false;
	p->size_bytes = strtoll(value, NULL, 10);
	return true;
}

/* Lines of one path stand together and paths are sorted; NULL if this one breaks that. */
static struct promise *promise_for(struct promises *all, const char *path)
{
	int order = all->n_items ? strcmp(all->items[all->n_items - 1].path, path) : -1;
	struct promise *p;

	if (order > 0)
		return NULL;
	if (order == 0)
		return &all->items[all->n_items - 1];
	p = XGROW(&all->items, &all->n_items);
	p->path = xstrdup(path);
	p->size_bytes = -1;
	return p;
}

/* One line without its newline. False if it cannot be read. */
static bool parse_line(struct promises *all, char *line)
{
	static const struct {
		const char *start;
		bool (*parse)(struct promise *p, char *value);
	} tags[] = {
		{ "SHA256 (", parse_digest },
		{ "# SIZE (", parse_size },
	};
	bool is_escaped = *line == '\\';

	line += is_escaped;
	for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
		size_t start = strlen(tags[i].start);
		struct promise *p;
		char *mark;

		if (strncmp(line, tags[i].start, start) != 0)
			continue;
		if (is_escaped && !unescape(line))
			return false;
		mark = find_last(line + start, VALUE_MARK);
		if (!mark)
			return false;
		*mark = '\0';
		p = promise_for(all, line + start);
		return p && tags[i].parse(p, mark + strlen(VALUE_MARK));
	}
	return true;
}

static int parse_manifest(struct promises *all, const struct bundle_file *manifest,
			  const char *where, const char *name, struct err *err)
{
	CLEANUP(xfree) char *text = xstrndup(manifest->data, manifest->len);
	char *line = text;
	size_t title = strlen(TITLE);

	if (strncmp(text, TITLE, title) != 0)
		return content_is_foreign(where, err);
	if (strlen(text) != manifest->len)
		return content_is_damaged(where, err);
	for (int number = 1; *line; number++) {
		char *end = strchr(line, '\n');

		if (!end)
			return content_is_damaged(where, err);
		*end = '\0';
		if (number == 1 && name && strcmp(line + title, name) != 0)
			return err_say(err, -EBADMSG, "%s: MANIFEST is that of another bundle",
				       where);
		if (!parse_line(all, line))
			return err_say(err, -EBADMSG, "%s: MANIFEST is damaged in line %d", where,
				       number);
		line = end + 1;
	}
	return 0;
}

static int compare_path(const void *key, const void *element)
{
	const struct promise *const p = element;

	return strcmp(key, p->path);
}

/* What is wrong with a file that MANIFEST names; NULL if it is as it was. */
static int check_file(const struct bundle_file *file, const struct promise *p, const char *where,
		      const char **how, struct err *err)
{
	char digest[DIGEST_TEXT_SIZE];
	int rc;

	if (!p->digest || p->size_bytes < 0) {
		*how = "has no size or SHA-256 in MANIFEST";
		return 0;
	}
	if ((int64_t)file->len != p->size_bytes) {
		*how = "was changed: its size is not that in MANIFEST";
		return 0;
	}
	rc = archiver_digest_memory(file->data, file->len, where, digest, err);
	if (!rc && strcmp(digest, p->digest) != 0)
		*how = "was changed: its SHA-256 is not that in MANIFEST";
	return rc;
}

static void add_difference(struct bundle_check *check, const char *path, const char *how)
{
	*XGROW(&check->differences, &check->n_differences) = (struct bundle_difference){
		.path = xstrdup(path),
		.text = xstrdup(how),
	};
}

static struct promise *find_promise(const struct promises *all, const char *path)
{
	if (!all->n_items)
		return NULL;
	return bsearch(path, all->items, all->n_items, sizeof(*all->items), compare_path);
}

static int compare_all(struct bundle_check *check, const struct promises *all, const char *where,
		       struct err *err)
{
	for (size_t i = 0; i < check->content.n_files; i++) {
		const struct bundle_file *file = &check->content.files[i];
		struct promise *p = find_promise(all, file->path);
		const char *how = p ? NULL : "was added: MANIFEST does not name it";
		int rc = 0;

		if (strcmp(file->path, BUNDLE_MANIFEST) == 0)
			continue;
		if (p) {
			p->is_found = true;
			rc = check_file(file, p, where, &how, err);
		}
		if (rc)
			return rc;
		if (how)
			add_difference(check, file->path, how);
	}
	for (size_t i = 0; i < all->n_items; i++)
		if (!all->items[i].is_found)
			add_difference(check, all->items[i].path,
				       "is missing, though MANIFEST names it");
	return 0;
}

int manifest_compare(struct bundle_check *check, const char *where, const char *name,
		     struct err *err)
{
	const struct bundle_file *manifest = bundle_content_find(&check->content, BUNDLE_MANIFEST);
	CLEANUP(promises_done) struct promises all = { 0 };
	int rc;

	if (!manifest)
		return content_is_foreign(where, err);
	rc = parse_manifest(&all, manifest, where, name, err);
	return rc ? rc : compare_all(check, &all, where, err);
}
