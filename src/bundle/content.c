/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content - the files of a bundle that is being read, within limits
 */
#include "content.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/buf.h"
#include "iotest/xalloc.h"

void bundle_content_done(struct bundle_content *content)
{
	for (size_t i = 0; i < content->n_files; i++) {
		free(content->files[i].path);
		free(content->files[i].data);
	}
	free(content->files);
	*content = (struct bundle_content){ 0 };
}

static int compare_files(const void *a, const void *b)
{
	const struct bundle_file *const x = a;
	const struct bundle_file *const y = b;

	return strcmp(x->path, y->path);
}

static int compare_path(const void *key, const void *element)
{
	const struct bundle_file *const file = element;

	return strcmp(key, file->path);
}

const struct bundle_file *bundle_content_find(const struct bundle_content *content,
					      const char *path)
{
	if (!content->n_files)
		return NULL;
	return bsearch(path, content->files, content->n_files, sizeof(*content->files),
		       compare_path);
}

int content_allow(struct content_budget *budget, const char *path, int64_t size_bytes,
		  const char *where, struct err *err)
{
	CLEANUP(buf_done) struct buf shown = { 0 };

	if (budget->n_members >= CONTENT_MEMBERS_MAX)
		return err_say(err, -E2BIG, "%s: holds more than %d files: not read", where,
			       CONTENT_MEMBERS_MAX);
	buf_add_visible(&shown, path);
	if (size_bytes < 0 || size_bytes > CONTENT_FILE_MAX)
		return err_say(err, -EFBIG, "%s: %s is larger than %lld MiB: not read", where,
			       buf_text(&shown), (long long)(CONTENT_FILE_MAX / MIB));
	/* Names take memory too. */
	size_bytes += (int64_t)strlen(path);
	if (size_bytes > CONTENT_TOTAL_MAX - budget->total_bytes)
		return err_say(err, -EFBIG, "%s: holds more than %lld MiB: not read", where,
			       (long long)(CONTENT_TOTAL_MAX / MIB));
	budget->n_members++;
	budget->total_bytes += size_bytes;
	return 0;
}

void content_add(struct bundle_content *content, const char *path, char *data, size_t len)
{
	struct bundle_file *file = XGROW(&content->files, &content->n_files);

	*file = (struct bundle_file){
		.path = xstrdup(path),
		.data = data,
		.len = len,
	};
}

int content_sort(struct bundle_content *content, const char *where, struct err *err)
{
	if (content->n_files)
		qsort(content->files, content->n_files, sizeof(*content->files), compare_files);
	for (size_t i = 1; i < content->n_files; i++) {
		CLEANUP(buf_done) struct buf shown = { 0 };

		if (strcmp(content->files[i - 1].path, content->files[i].path) != 0)
			continue;
		buf_add_visible(&shown, content->files[i].path);
		return err_say(err, -EBADMSG, "%s: %s is in it twice", where, buf_text(&shown));
	}
	return 0;
}

int content_is_foreign(const char *where, struct err *err)
{
	err_say(err, -EINVAL, "%s: not a bundle of iotest", where);
	err_advise(err, "give an iotest_*.tar.gz, or the folder that was kept of one");
	return -EINVAL;
}

int content_is_damaged(const char *where, struct err *err)
{
	err_say(err, -EBADMSG, "%s: the bundle is truncated or damaged", where);
	err_advise(err, "copy it again from where it was made, in binary mode");
	return -EBADMSG;
}
