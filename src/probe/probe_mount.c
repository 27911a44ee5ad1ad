/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_mount - the mount table, and which mount holds a path
 *
 * The only file with libmount, which decodes the lines. It is given the text: lines that are
 * none are left out first, since one bad line must not cost us the others.
 */
#include "probe_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <libmount.h>

#include "iotest/xalloc.h"

/* libmount replaces the source /dev/root by what the running kernel was booted from, which is
 * wrong in a recorded tree. It does not know this way to write it. */
#define REAL_ROOT "/dev/root"
#define HIDDEN_ROOT "/dev//root"

static void table_done(struct libmnt_table **tb)
{
	mnt_unref_table(*tb);
}

static void iter_done(struct libmnt_iter **itr)
{
	mnt_free_iter(*itr);
}

static void file_done(FILE **f)
{
	if (*f)
		fclose(*f);
}

/* "8:17", and nothing else up to the blank behind it. */
static bool is_device_number(const char *field)
{
	static const char digits[] = "0123456789";
	size_t major = strspn(field, digits);
	size_t minor = field[major] == ':' ? strspn(field + major + 1, digits) : 0;

	return major && minor && field[major + 1 + minor] == ' ';
}

/* Where this is in doubt, libmount would count other fields. */
static bool is_mountinfo_line(const char *line)
{
	unsigned int id, parent;
	int number = 0, point = 0;
	const char *dash;

	if (sscanf(line, "%u %u %n%*s %*s %n", &id, &parent, &number, &point) != 2 || !point ||
	    !is_device_number(line + number))
		return false;
	dash = strstr(line + point, " - ");
	return line[point] == '/' && dash && dash[3] && dash[3] != ' ';
}

static bool is_mounts_line(const char *line)
{
	char type[64], options[2];

	return *line != '#' && sscanf(line, "%*s /%*s %63s %1s", type, options) == 2;
}

/* Adds the line with the source /dev/root hidden; type and source follow the separator. */
static void add_line(struct buf *out, const char *line, bool has_ids)
{
	const char *dash = has_ids ? strstr(line, " - ") : NULL;
	const char *source = dash ? strchr(dash + 3, ' ') : NULL;
	size_t len = strlen(REAL_ROOT);

	if (!has_ids)
		source = line - 1;
	if (source && !strncmp(source + 1, REAL_ROOT, len) &&
	    (source[1 + len] == ' ' || !source[1 + len])) {
		buf_add(out, line, (size_t)(source + 1 - line));
		buf_printf(out, "%s%s\n", HIDDEN_ROOT, source + 1 + len);
		return;
	}
	buf_printf(out, "%s\n", line);
}

/* Copies the good lines. Returns how many were left out. */
static size_t copy_good_lines(const char *text, bool has_ids, struct buf *out)
{
	size_t n_bad = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");
		CLEANUP(xfree) char *line = xstrndup(text, len);

		if (has_ids ? is_mountinfo_line(line) : is_mounts_line(line))
			add_line(out, line, has_ids);
		else if (len)
			n_bad++;
		text += len;
		text += *text == '\n';
	}
	return n_bad;
}

/* One that is bad all the same: skip it and go on. */
static int on_bad_line(struct libmnt_table *tb UNUSED, const char *filename UNUSED, int line UNUSED)
{
	return 1;
}

static void add_mount(struct mounts *mounts, struct libmnt_fs *fs, bool has_ids)
{
	struct mount *m = XGROW(&mounts->items, &mounts->n_items);
	dev_t number = mnt_fs_get_devno(fs);
	const char *source = text_of(mnt_fs_get_source(fs));
	const char *options = mnt_fs_get_vfs_options(fs);

	if (!has_ids)
		options = mnt_fs_get_options(fs);
	m->id = has_ids ? mnt_fs_get_id(fs) : -1;
	m->parent = has_ids ? mnt_fs_get_parent_id(fs) : -1;
	m->number = has_ids ? xasprintf("%u:%u", major(number), minor(number)) : xstrdup("");
	m->root = xstrdup(has_ids ? text_of(mnt_fs_get_root(fs)) : "/");
	m->point = xstrdup(text_of(mnt_fs_get_target(fs)));
	m->fs_type = xstrdup(text_of(mnt_fs_get_fstype(fs)));
	m->source = xstrdup(strcmp(source, HIDDEN_ROOT) ? source : REAL_ROOT);
	m->options = xstrdup(text_of(options));
	m->fs_options = xstrdup(text_of(has_ids ? mnt_fs_get_fs_options(fs) : options));
}

static int parse(struct buf *good, bool has_ids, struct mounts *out)
{
	CLEANUP(table_done) struct libmnt_table *tb = mnt_new_table();
	CLEANUP(iter_done) struct libmnt_iter *itr = mnt_new_iter(MNT_ITER_FORWARD);
	CLEANUP(file_done) FILE *f = NULL;
	struct libmnt_fs *fs;
	int rc;

	if (!tb || !itr)
		return -ENOMEM;
	if (good->len == 0)
		return 0;
	f = fmemopen(good->data, good->len, "r");
	if (!f)
		return -errno;
	mnt_table_set_parser_errcb(tb, on_bad_line);
	rc = mnt_table_parse_stream(tb, f, "/proc/self/mountinfo");
	if (rc)
		return rc < 0 ? rc : -EINVAL;
	while (mnt_table_next_fs(tb, itr, &fs) == 0)
		add_mount(out, fs, has_ids);
	return 0;
}

void probe_mounts(struct probe *p)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf good = { 0 };
	const char *path = "/proc/self/mountinfo";
	bool has_ids = true;
	size_t n_bad;
	int rc;

	rc = sysroot_read(p->root, &text, "%s", path);
	if (rc) {
		has_ids = false;
		path = "/proc/mounts";
		rc = sysroot_read(p->root, &text, "%s", path);
	}
	if (rc) {
		path = "/proc/self/mounts";
		rc = sysroot_read(p->root, &text, "%s", path);
	}
	if (rc) {
		host_note(p->host, "mounts", "/proc/self/mountinfo cannot be read: %s",
			  strerror(-rc));
		return;
	}
	p->mounts.is_cut = probe_was_cut(p->root, path, &text);
	if (p->mounts.is_cut)
		host_note(p->host, "mounts",
			  "%s is too long, only its beginning was read: a path is taken to be on a "
			  "mount only if the kernel says so",
			  path);
	n_bad = copy_good_lines(buf_text(&text), has_ids, &good);
	if (n_bad)
		host_note(p->host, "mounts", "%s has %zu lines that cannot be understood: skipped",
			  path, n_bad);
	rc = parse(&good, has_ids, &p->mounts);
	if (rc)
		host_note(p->host, "mounts", "%s cannot be parsed: %s", path, strerror(-rc));
}

void mounts_done(struct mounts *m)
{
	size_t i;

	for (i = 0; i < m->n_items; i++) {
		free(m->items[i].number);
		free(m->items[i].root);
		free(m->items[i].point);
		free(m->items[i].fs_type);
		free(m->items[i].source);
		free(m->items[i].options);
		free(m->items[i].fs_options);
	}
	free(m->items);
	*m = (struct mounts){ 0 };
}

const struct mount *mounts_by_id(const struct mounts *m, int64_t id)
{
	size_t i;

	for (i = 0; id >= 0 && i < m->n_items; i++)
		if (m->items[i].id == id)
			return &m->items[i];
	return NULL;
}

bool path_is_below(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	while (len > 0 && directory[len - 1] == '/')
		len--;
	return !strncmp(path, directory, len) && (path[len] == '/' || !path[len]);
}

bool mount_is_autofs(const struct mount *m)
{
	return !strcmp(m->fs_type, "autofs");
}

/* The longest mount point; of several the last one, but not the automounter below it. */
static const struct mount *find_longest(const struct mounts *mounts, const char *path)
{
	const struct mount *best = NULL;
	size_t i;

	for (i = 0; i < mounts->n_items; i++) {
		const struct mount *m = &mounts->items[i];
		size_t len = strlen(m->point);

		if (!path_is_below(path, m->point))
			continue;
		if (best && len < strlen(best->point))
			continue;
		if (best && len == strlen(best->point) && mount_is_autofs(m) &&
		    !mount_is_autofs(best))
			continue;
		best = m;
	}
	return best;
}

/* What the kernel enters next on the way to path: the child whose mount point comes first; of
 * several the last one, but not an automounter. */
static const struct mount *find_child(const struct mounts *mounts, const struct mount *parent,
				      const char *path)
{
	const struct mount *best = NULL;
	size_t i;

	for (i = 0; i < mounts->n_items; i++) {
		const struct mount *m = &mounts->items[i];

		if (m == parent || m->id == parent->id || m->parent != parent->id)
			continue;
		if (!path_is_below(path, m->point) || !path_is_below(m->point, parent->point))
			continue;
		if (best && strlen(m->point) > strlen(best->point))
			continue;
		if (best && strlen(m->point) == strlen(best->point) && mount_is_autofs(m) &&
		    !mount_is_autofs(best))
			continue;
		best = m;
	}
	return best;
}

/* The mount that everything starts at: the one at "/" that lies on none of the table. */
static const struct mount *find_root(const struct mounts *mounts)
{
	size_t i;

	for (i = 0; i < mounts->n_items; i++) {
		const struct mount *m = &mounts->items[i];
		const struct mount *parent = mounts_by_id(mounts, m->parent);

		if (!strcmp(m->point, "/") && (!parent || parent == m))
			return m;
	}
	return NULL;
}

/* A mount on the way whose parent is not listed: the ids do not lead to it. */
static bool is_trimmed(const struct mounts *mounts, const struct mount *root, const char *path)
{
	size_t i;

	for (i = 0; i < mounts->n_items; i++) {
		const struct mount *m = &mounts->items[i];

		if (m != root && path_is_below(path, m->point) && !mounts_by_id(mounts, m->parent))
			return true;
	}
	return false;
}

static const struct mount *find_holder(const struct mounts *mounts, const char *path)
{
	const struct mount *at = find_root(mounts);
	size_t steps;

	if (!at || at->id < 0 || is_trimmed(mounts, at, path))
		return find_longest(mounts, path);
	/* Broken tables may go in circles. */
	for (steps = 0; steps < mounts->n_items; steps++) {
		const struct mount *next = find_child(mounts, at, path);

		if (!next)
			break;
		at = next;
	}
	return at;
}

const struct mount *mounts_find(const struct mounts *mounts, const char *path)
{
	return mounts->is_cut ? NULL : find_holder(mounts, path);
}

const struct mount *mounts_find_on(const struct mounts *mounts, const char *path,
				   const char *number)
{
	const struct mount *m = find_holder(mounts, path);

	return m && (!*m->number || !strcmp(m->number, number)) ? m : NULL;
}

static bool is_secret(const char *option, size_t len)
{
	static const char *const names[] = { "password=", "password2=", "pass=", "passwd=",
					     "secret=" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++)
		if (len > strlen(names[i]) && !strncmp(option, names[i], strlen(names[i])))
			return true;
	return false;
}

static void add_options(struct buf *out, const char *list)
{
	while (*list) {
		size_t len = strcspn(list, ",");

		if (len && is_secret(list, len)) {
			buf_printf(out, "%s%.*s***", out->len ? "," : "",
				   (int)strcspn(list, "=") + 1, list);
		} else if (len && !wordlist_has(buf_text(out), list, len)) {
			if (out->len)
				buf_add_text(out, ",");
			buf_add(out, list, len);
		}
		list += len;
		list += *list == ',';
	}
}

char *mount_options(const struct mount *m)
{
	struct buf out = { 0 };
	bool is_ro = wordlist_has(m->options, "ro", 2) || wordlist_has(m->fs_options, "ro", 2);
	CLEANUP(buf_done) struct buf all = { 0 };
	const char *at;

	/* A file system that is writable behind a read-only mount is read-only here. */
	add_options(&out, is_ro ? "ro" : "rw");
	buf_printf(&all, "%s,%s", m->options, m->fs_options);
	for (at = buf_text(&all); *at;) {
		size_t len = strcspn(at, ",");

		if (!(len == 2 && (!strncmp(at, "rw", 2) || !strncmp(at, "ro", 2)))) {
			CLEANUP(xfree) char *one = xstrndup(at, len);

			add_options(&out, one);
		}
		at += len;
		at += *at == ',';
	}
	return buf_take(&out);
}

static char *option_in(const char *list, const char *name)
{
	size_t len = strlen(name);

	while (*list) {
		size_t n = strcspn(list, ",");

		if (n >= len && !strncmp(list, name, len)) {
			if (n == len)
				return xstrdup("");
			if (list[len] == '=')
				return xstrndup(list + len + 1, n - len - 1);
		}
		list += n;
		list += *list == ',';
	}
	return NULL;
}

char *mount_option(const struct mount *m, const char *name)
{
	char *value = option_in(m->fs_options, name);

	return value ? value : option_in(m->options, name);
}

void mounts_add_library(struct buf *out)
{
	const char *version = "unknown";

	mnt_get_library_version(&version);
	buf_printf(out, "libmount %s", version);
}
