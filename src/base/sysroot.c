/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysroot - the files of a host: the live one, or a recorded tree
 *
 * What is there in a recorded tree wins over a recorded failure, so that a tree can be edited.
 */
#include "iotest/sysroot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "resolve.h"

#define FILE_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define PATH_FLAGS (O_PATH | O_CLOEXEC)

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

PRINTF_LIKE(1, 0) static char *format(const char *fmt, va_list ap)
{
	struct buf b = { 0 };

	buf_vprintf(&b, fmt, ap);
	return buf_take(&b);
}

/* The public functions are printf-style; this is the first line of each. */
#define FORMAT_PATH(path, fmt)            \
	CLEANUP(xfree) char *path = NULL; \
	do {                              \
		va_list ap;               \
		va_start(ap, fmt);        \
		path = format(fmt, ap);   \
		va_end(ap);               \
	} while (0)

static void keep(const struct sysroot *root, const char *path, const struct buf *data, int error)
{
	if (root->evidence)
		evidence_add(root->evidence, path, EVIDENCE_FILE, data->data, data->len, error);
}

static void keep_error(const struct sysroot *root, const char *path, int rc)
{
	if (root->evidence)
		evidence_add(root->evidence, path, EVIDENCE_ERROR, NULL, 0, -rc);
}

/* Where the link or the list of path is kept. To be freed. */
static char *kept_path(const char *path, const char *suffix)
{
	CLEANUP(xfree) char *clean = evidence_path(path);

	return xasprintf("%s%s", clean, suffix);
}

/* What was recorded as the failure of path, as a negative errno, or otherwise. */
static int recorded_error(const struct sysroot *root, const char *path, int otherwise)
{
	const struct evidence_item *item = NULL;

	if (root->errors)
		item = evidence_find(root->errors, path);
	return item ? -item->error : otherwise;
}

/* Returns a descriptor or -errno. */
static int open_path(const struct sysroot *root, const char *path, int flags)
{
	CLEANUP(xfree) char *kept = NULL;
	int fd;

	while (*path == '/')
		path++;
	if (root->is_live) {
		fd = openat(root->dirfd, *path ? path : ".", flags);
		return fd < 0 ? -errno : fd;
	}
	if (!strstr(path, ".."))
		return resolve_open(root->dirfd, *path ? path : ".", flags);
	kept = evidence_path(path);
	fd = resolve_open(root->dirfd, *kept ? kept : ".", flags);
	if (fd == -ENOENT)
		fd = resolve_open(root->dirfd, path, flags);
	return fd;
}

/* Appends up to EVIDENCE_FILE_MAX bytes. Sizes in /proc and /sys are made up, so read to the end.
 * Returns 0, EFBIG if there was more, or -errno. */
static int read_all(int fd, struct buf *out)
{
	size_t left = EVIDENCE_FILE_MAX;
	char chunk[16384];

	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		if ((size_t)n > left) {
			buf_add(out, chunk, left);
			return EFBIG;
		}
		buf_add(out, chunk, (size_t)n);
		left -= (size_t)n;
	}
}

/* Returns 0, EFBIG, or -errno. */
static int read_regular(const struct sysroot *root, const char *path, struct buf *out)
{
	CLEANUP(close_fd) int fd = open_path(root, path, FILE_FLAGS);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	return read_all(fd, out);
}

/* The file at path, kept; out is filled only on success. Returns 0 or -errno. */
static int read_kept(const struct sysroot *root, const char *path, struct buf *out)
{
	CLEANUP(buf_done) struct buf data = { 0 };
	int rc = read_regular(root, path, &data);

	if (rc < 0) {
		rc = recorded_error(root, path, rc);
		keep_error(root, path, rc);
		return rc;
	}
	keep(root, path, &data, rc);
	buf_add(out, buf_text(&data), data.len);
	return 0;
}

static int load_errors(struct sysroot *root)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	int rc = read_regular(root, EVIDENCE_ERRORS, &text);

	if (rc == -ENOENT)
		return 0;
	if (rc < 0)
		return rc;
	root->errors = xcalloc(1, sizeof(*root->errors));
	evidence_add_errors(root->errors, buf_text(&text));
	return 0;
}

int sysroot_open(struct sysroot *out, const char *path, struct err *err)
{
	CLEANUP(sysroot_close) struct sysroot root = { .is_live = !path };
	int rc;

	root.path = xstrdup(path ? path : "/");
	root.dirfd = open(root.path, PATH_FLAGS | O_DIRECTORY);
	if (root.dirfd < 0)
		return err_set(err, -errno, "%s: cannot open the tree of files", root.path);
	if (!root.is_live) {
		rc = load_errors(&root);
		if (rc)
			return err_set(err, rc, "%s: cannot read %s", path, EVIDENCE_ERRORS);
	}

	*out = root;
	root = (struct sysroot){ 0 };
	return 0;
}

void sysroot_close(struct sysroot *root)
{
	/* Without a path it was never opened, and dirfd 0 is not ours. */
	if (root->path && root->dirfd >= 0)
		close(root->dirfd);
	if (root->errors)
		evidence_done(root->errors);
	free(root->errors);
	free(root->path);
	*root = (struct sysroot){ .dirfd = -1 };
}

int sysroot_read(const struct sysroot *root, struct buf *out, const char *fmt, ...)
{
	FORMAT_PATH(path, fmt);

	return read_kept(root, path, out);
}

static const char white[] = " \t\r\n\v\f";

/* The first line of path without white space around it, to be freed. */
static int read_line(const struct sysroot *root, const char *path, char **out)
{
	CLEANUP(buf_done) struct buf data = { 0 };
	const char *start;
	size_t len;
	int rc;

	rc = read_kept(root, path, &data);
	if (rc)
		return rc;
	start = buf_text(&data);
	len = strcspn(start, "\n");
	while (len > 0 && strchr(white, start[len - 1]))
		len--;
	for (; len > 0 && strchr(white, *start); len--)
		start++;
	*out = xstrndup(start, len);
	return 0;
}

static void replace_text(char **out, char *text)
{
	free(*out);
	*out = text;
}

int sysroot_read_text(const struct sysroot *root, char **out, const char *fmt, ...)
{
	FORMAT_PATH(path, fmt);
	char *line;
	int rc;

	rc = read_line(root, path, &line);
	if (rc)
		return rc;
	replace_text(out, line);
	return 0;
}

int sysroot_read_i64(const struct sysroot *root, int64_t *out, const char *fmt, ...)
{
	FORMAT_PATH(path, fmt);
	CLEANUP(xfree) char *line = NULL;
	int rc;

	rc = read_line(root, path, &line);
	return rc ? rc : units_parse_i64(line, out);
}

/* Reads the link itself. Its text is added to out. */
static int read_own_link(const struct sysroot *root, const char *path, struct buf *out)
{
	CLEANUP(close_fd) int fd = open_path(root, path, PATH_FLAGS | O_NOFOLLOW);
	char target[PATH_MAX];
	ssize_t len;

	if (fd < 0)
		return fd;
	len = readlinkat(fd, "", target, sizeof(target));
	if (len < 0) /* of an empty path the kernel says ENOENT if it is no link */
		return errno == ENOENT ? -EINVAL : -errno;
	buf_add(out, target, (size_t)len);
	return 0;
}

int sysroot_read_link(const struct sysroot *root, char **out, const char *fmt, ...)
{
	FORMAT_PATH(path, fmt);
	CLEANUP(xfree) char *kept = kept_path(path, EVIDENCE_LINK_SUFFIX);
	CLEANUP(buf_done) struct buf target = { 0 };
	int rc;

	rc = read_own_link(root, path, &target);
	if (rc && !root->is_live && read_regular(root, kept, &target) == 0)
		rc = 0;
	if (rc) {
		rc = recorded_error(root, kept, rc);
		keep_error(root, kept, rc);
		return rc;
	}
	keep(root, kept, &target, 0);
	replace_text(out, buf_take(&target));
	return 0;
}

static bool is_listed(const char *name)
{
	/* The list is kept as lines. The kernel's own directories have no such names. */
	return strcmp(name, ".") && strcmp(name, "..") && !strchr(name, '\n');
}

static void close_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* The names in the directory, in any order. Returns 0 or -errno. */
static int list_dir(const struct sysroot *root, const char *path, struct strlist *out)
{
	CLEANUP(close_dir) DIR *dir = NULL;
	int fd = open_path(root, path, DIR_FLAGS);

	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	for (;;) {
		const struct dirent *entry;

		errno = 0;
		entry = readdir(dir);
		if (!entry)
			return -errno;
		if (is_listed(entry->d_name))
			strlist_add(out, entry->d_name);
	}
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

	if (read_regular(root, kept, &text) == 0) {
		split_lines(buf_text(&text), out);
		return 0;
	}
	rc = recorded_error(root, kept, 0);
	if (rc)
		return rc;
	rc = list_dir(root, path, out);
	for (size_t i = 0; i < out->n_items; i++)
		strip_suffix(out->items[i]);
	return rc;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_unique(struct strlist *l)
{
	size_t n = 0;

	if (l->n_items == 0)
		return;
	qsort(l->items, l->n_items, sizeof(*l->items), compare_names);
	for (size_t i = 0; i < l->n_items; i++) {
		if (n > 0 && strcmp(l->items[n - 1], l->items[i]) == 0)
			free(l->items[i]);
		else
			l->items[n++] = l->items[i];
	}
	l->n_items = n;
}

static void keep_list(const struct sysroot *root, const char *kept, const struct strlist *names)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	for (size_t i = 0; i < names->n_items; i++)
		buf_printf(&text, "%s\n", names->items[i]);
	keep(root, kept, &text, 0);
}

static int list_kept(const struct sysroot *root, const char *path, struct strlist *out)
{
	CLEANUP(xfree) char *kept = kept_path(path, EVIDENCE_LIST_SUFFIX);
	CLEANUP(strlist_done) struct strlist names = { 0 };
	int rc;

	if (root->is_live)
		rc = list_dir(root, path, &names);
	else
		rc = list_recorded(root, path, kept, &names);
	if (rc) {
		keep_error(root, kept, rc);
		return rc;
	}
	sort_unique(&names);
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
	CLEANUP(close_fd) int fd = open_path(root, path, FILE_FLAGS);

	return fd >= 0;
}

/* Type bits of what is at path, or -errno. */
static int type_of(const struct sysroot *root, const char *path)
{
	CLEANUP(close_fd) int fd = open_path(root, path, PATH_FLAGS);
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

	/* Of a recorded directory there may be no more than its list. */
	if (type == S_IFDIR || (type < 0 && !root->is_live)) {
		if (list_kept(root, path, &names) == 0)
			return true;
	}
	/* Only plain files are opened: opening a device can do something. */
	if (type == S_IFREG && !can_open(root, path))
		type = -EACCES;
	if (type < 0) {
		keep_error(root, path, recorded_error(root, path, type));
		return false;
	}
	if (type == S_IFDIR)
		return false;
	if (root->evidence)
		evidence_add(root->evidence, path, EVIDENCE_PRESENT, NULL, 0, 0);
	return true;
}
