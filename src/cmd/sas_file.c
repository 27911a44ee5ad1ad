/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sas_file - where the file that sasiotest was given leads to
 */
#include "sas_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "iotest/buf.h"
#include "iotest/xalloc.h"

int sas_file_split(const char *given, struct sas_file *out, struct err *err)
{
	const char *slash = strrchr(given, '/');
	const char *name = slash ? slash + 1 : given;

	if (!*name || !strcmp(name, ".") || !strcmp(name, "..")) {
		err_say(err, -EISDIR, "%s: is a directory, not a file", given);
		err_advise(err, "name a file in it: %s%stestfile1.dat", given, *name ? "/" : "");
		return -EISDIR;
	}
	out->name = xstrdup(name);
	if (!slash)
		out->dir = xstrdup(".");
	else
		out->dir = slash == given ? xstrdup("/") : xstrndup(given, (size_t)(slash - given));
	return 0;
}

void sas_file_done(struct sas_file *file)
{
	free(file->dir);
	free(file->name);
	*file = (struct sas_file){ 0 };
}

static bool is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static bool is_world_writable(const char *dir)
{
	struct stat st;

	return stat(dir, &st) == 0 && (st.st_mode & S_IWOTH);
}

/* The directory that holds the last part of a path without slashes at its end. */
static char *parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return xstrdup(".");
	return slash == path ? xstrdup("/") : xstrndup(path, (size_t)(slash - path));
}

/* "/a/b/c": first /a, then /a/b, then /a/b/c. */
static int check_links(const char *given, struct err *err)
{
	for (const char *end = given + strspn(given, "/"); *end; end += strspn(end, "/")) {
		CLEANUP(xfree) char *path = NULL;
		CLEANUP(xfree) char *parent = NULL;

		end += strcspn(end, "/");
		path = xstrndup(given, (size_t)(end - given));
		parent = parent_of(path);
		if (!is_link(path) || !is_world_writable(parent))
			continue;
		err_say(err, -ELOOP,
			"%s: is a symbolic link in a directory that anybody may write to: not "
			"followed",
			path);
		err_advise(err, "name the file that it leads to");
		return -ELOOP;
	}
	return 0;
}

int sas_file_resolve(const char *given, bool follow, struct sas_file *file, struct err *err)
{
	CLEANUP(sas_file_done) struct sas_file found = { 0 };
	char path[PATH_MAX];
	int rc = check_links(given, err);

	if (rc || !follow || !is_link(given))
		return rc;
	if (!realpath(given, path))
		return err_set(err, -errno, "%s: this symbolic link cannot be followed", given);
	rc = sas_file_split(path, &found, err);
	if (rc)
		return rc;
	sas_file_done(file);
	*file = found;
	found = (struct sas_file){ 0 };
	return 1;
}

void sas_file_measure(const struct sas_file *file, int64_t n, int64_t *largest_bytes,
		      int64_t *occupied_bytes)
{
	int64_t count = n > 0 ? n : 1;

	*largest_bytes = 0;
	*occupied_bytes = 0;
	for (int64_t i = 1; i <= count; i++) {
		CLEANUP(xfree)
		char *path = n > 0 ? xasprintf("%s/%s.%lld", file->dir, file->name, (long long)i)
				   : xasprintf("%s/%s", file->dir, file->name);
		struct stat st;

		if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
			continue;
		if (st.st_size > *largest_bytes)
			*largest_bytes = st.st_size;
		*occupied_bytes += (int64_t)st.st_blocks * SECTOR_BYTES;
	}
}
