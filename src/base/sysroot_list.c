/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysroot_list - what there is on a host: names in directories, and whether a path exists
 */
#include "sysroot_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "iotest/fd.h"

/* The names in the directory. Returns 0 or -errno. */
static int list_dir(const struct sysroot *root, const char *path, struct strlist *out)
{
	int fd = sysroot_open_path(root, path, OPEN_DIR);

	return fd < 0 ? fd : fd_list(fd, out);
}

/* In a tree made by hand "x.link" and "x.list" tell of x, which may not be there itself. */
static void strip_suffix(char *name)
{
	static const char *const suffixes[] = { EVIDENCE_LINK_SUFFIX, EVIDENCE_LIST_SUFFIX };
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && strcmp(name + len - n, suffixes[i]) == 0)
			name[len - n] = '\0';
	}
}

static void split_lines(const char *text, struct strlist *out)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		CLEANUP(xfree) char *line = xstrndup(text, len);

		if (len)
			strlist_add(out, line);
		text += len;
		text += *text == '\n';
	}
}

/* The list that was kept, else the failure that was kept, else what is there. */
static int list_recorded(const struct sysroot *root, const char *path, const char *kept,
			 struct strlist *out)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	int rc;

	if (sysroot_read_regular(root, kept, &text) == 0) {
		split_lines(buf_text(&text), out);
		return 0;
	}
	rc = sysroot_recorded_error(root, kept, 0);
	if (rc)
		return rc;
	rc = list_dir(root, path, out);
	for (size_t i = 0; i < out->n_items; i++)
		strip_suffix(out->items[i]);
	return rc;
}

/* Sorted, each once. The list is kept as lines: no name of the kernel's has a line feed in it. */
static void make_list(struct strlist *l)
{
	size_t n = 0;

	strlist_sort(l);
	for (size_t i = 0; i < l->n_items; i++) {
		char *name = l->items[i];

		if (strchr(name, '\n') || (n > 0 && strcmp(l->items[n - 1], name) == 0))
			free(name);
		else
			l->items[n++] = name;
	}
	l->n_items = n;
}

static void keep_list(const struct sysroot *root, const char *kept, const struct strlist *names)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	for (size_t i = 0; i < names->n_items; i++)
		buf_printf(&text, "%s\n", names->items[i]);
	sysroot_keep(root, kept, &text, 0);
}

static int list_kept(const struct sysroot *root, const char *path, struct strlist *out)
{
	CLEANUP(xfree) char *kept = sysroot_kept_path(path, EVIDENCE_LIST_SUFFIX);
	CLEANUP(strlist_done) struct strlist names = { 0 };
	int rc;

	if (root->is_live)
		rc = list_dir(root, path, &names);
	else
		rc = list_recorded(root, path, kept, &names);
	if (rc) {
		sysroot_keep_error(root, kept, rc);
		return rc;
	}
	make_list(&names);
	keep_list(root, kept, &names);

	strlist_done(out);
	*out = names;
	names = (struct strlist){ 0 };
	return 0;
}

int sysroot_list(const struct sysroot *root, struct strlist *out, const char *fmt, ...)
{
	FORMAT_PATH(path, fmt);

	return list_kept(root, path, out);
}

static bool can_open(const struct sysroot *root, const char *path)
{
	CLEANUP(fd_close) int fd = sysroot_open_path(root, path, OPEN_FILE);

	return fd >= 0;
}

/* Of a recorded directory there may be no more than its list. */
static bool has_recorded_list(const struct sysroot *root, const char *path)
{
	CLEANUP(xfree) char *kept = sysroot_kept_path(path, EVIDENCE_LIST_SUFFIX);

	return !root->is_live && can_open(root, kept);
}

/* Type bits of what is at path, or -errno. */
static int type_of(const struct sysroot *root, const char *path)
{
	CLEANUP(fd_close) int fd = sysroot_open_path(root, path, OPEN_PLACE);
	struct stat st;

	if (fd < 0)
		return fd;
	return fstat(fd, &st) ? -errno : (int)(st.st_mode & S_IFMT);
}

bool sysroot_has(const struct sysroot *root, const char *fmt, ...)
{
	FORMAT_PATH(path, fmt);
	CLEANUP(strlist_done) struct strlist names = { 0 };
	int type = type_of(root, path);

	if (type == S_IFDIR || has_recorded_list(root, path))
		return list_kept(root, path, &names) == 0;
	/* Only plain files are opened: opening a device can do something. */
	if (type == S_IFREG && !can_open(root, path))
		type = -EACCES;
	if (type < 0) {
		sysroot_keep_error(root, path, sysroot_recorded_error(root, path, type));
		return false;
	}
	if (root->evidence)
		evidence_add(root->evidence, path, EVIDENCE_PRESENT, NULL, 0, 0);
	return true;
}
