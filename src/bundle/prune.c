/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prune - old bundles make room, and nothing else does
 *
 * A name says what is meant, the owner and the MANIFEST that it is ours.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bundle_dir.h"
#include "iotest/bundle.h"
#include "iotest/fd.h"
#include "iotest/xalloc.h"
#include "tree.h"

/* "20260131-120000" */
#define STAMP_DATE 8
#define STAMP_LEN 15

static bool is_stamp(const char *s)
{
	for (int i = 0; i < STAMP_LEN; i++)
		if (i == STAMP_DATE ? s[i] != '-' : !isdigit((unsigned char)s[i]))
			return false;
	return true;
}

/* How long the part of the name before its time is; 0 if it has none. */
static size_t prefix_len(const char *name)
{
	for (size_t len = strlen(name); len > STAMP_LEN; len--)
		if (name[len - STAMP_LEN - 1] == '_' && is_stamp(name + len - STAMP_LEN))
			return len - STAMP_LEN;
	return 0;
}

/* "<prefix><stamp>.tar.gz", or with _2 and so on before the ending. */
static bool is_named_so(const char *name, const char *like, size_t len)
{
	const char *rest = name + len + STAMP_LEN;

	if (strncmp(name, like, len) != 0 || strlen(name) < len + STAMP_LEN ||
	    !is_stamp(name + len))
		return false;
	if (*rest == '_' && isdigit((unsigned char)rest[1]))
		rest += 1 + strspn(rest + 1, "0123456789");
	return !strcmp(rest, BUNDLE_ARCHIVE);
}

/* By its time, and then by the number behind it: a longer name is a later one. */
static bool is_older(const char *a, const char *b, size_t prefix)
{
	int by_time = strncmp(a + prefix, b + prefix, STAMP_LEN);

	if (by_time)
		return by_time < 0;
	return strlen(a) != strlen(b) ? strlen(a) < strlen(b) : strcmp(a, b) < 0;
}

static void sort_by_age(struct strlist *names, size_t prefix)
{
	for (size_t i = 1; i < names->n_items; i++) {
		char *name = names->items[i];
		size_t at = i;

		for (; at > 0 && is_older(name, names->items[at - 1], prefix); at--)
			names->items[at] = names->items[at - 1];
		names->items[at] = name;
	}
}

static bool is_ours(int out_fd, const char *out_path, const char *name)
{
	CLEANUP(bundle_content_done) struct bundle_content content = { 0 };
	CLEANUP(xfree) char *path = xasprintf("%s/%s", out_path, name);
	struct stat st;

	return !fstatat(out_fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
	       st.st_uid == geteuid() && !bundle_read(path, &content, NULL) && content.is_checked;
}

/* Those of the names that look like ours, the oldest first. */
static int find_candidates(int out_fd, const char *like, size_t prefix, struct strlist *out)
{
	CLEANUP(strlist_done) struct strlist all = { 0 };
	int rc = tree_names(out_fd, &all);

	for (size_t i = 0; !rc && i < all.n_items; i++)
		if (is_named_so(all.items[i], like, prefix))
			strlist_add(out, all.items[i]);
	sort_by_age(out, prefix);
	return rc;
}

int bundle_prune(const char *out_path, const char *name, size_t keep, struct strlist *removed)
{
	CLEANUP(strlist_done) struct strlist names = { 0 };
	CLEANUP(fd_close) int fd = open(out_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t prefix = prefix_len(name);
	int rc = fd < 0 ? -errno : 0;

	if (!rc && prefix == 0)
		rc = -EINVAL;
	if (!rc)
		rc = find_candidates(fd, name, prefix, &names);
	for (size_t i = 0; !rc && i + keep < names.n_items; i++) {
		if (!is_ours(fd, out_path, names.items[i]))
			continue;
		if (unlinkat(fd, names.items[i], 0))
			rc = -errno;
		else
			strlist_add(removed, names.items[i]);
	}
	return rc;
}
