/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle - the result directory, and the archive that is made of it
 *
 * While a run lasts its small results live in "<name>.partial/" in the output directory. At the
 * end the archive is written without a name and linked in complete; then the folder goes. After
 * SIGKILL the folder stays as evidence, and the next start names it.
 */
#ifndef IOTEST_BUNDLE_H
#define IOTEST_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/err.h"
#include "iotest/sysroot.h"

struct bundle {
	int out_fd;		       /* the output directory */
	int dir_fd;		       /* the partial folder, locked while we live */
	char *out_path;		       /* absolute */
	char *name;		       /* "iotest_host_20260131-120000", with a suffix when taken */
	size_t stem_len;	       /* of name, without that suffix */
	char digest[DIGEST_TEXT_SIZE]; /* of the archive, once written */
	int64_t archive_bytes;
};

/* Whether a bundle could be made in that directory; the same errors as bundle_open. */
MUST_CHECK int bundle_check_place(const char *out_path, struct err *err);

/*
 * Makes the partial folder "<name>.partial" in out_path (0700). stem is the name without a
 * suffix; "_2", "_3", ... is added while the folder, its final name or the archive exist.
 * abandoned gets the names of partial folders in out_path whose owners are dead.
 */
MUST_CHECK int bundle_open(struct bundle *out, const char *out_path, const char *stem,
			   struct strlist *abandoned, struct err *err);

/* Writes or replaces a file of the folder (atomically), 0600. path may have folders in it. */
MUST_CHECK int bundle_put(struct bundle *bundle, const char *path, const void *data, size_t len,
			  struct err *err);

/* A descriptor to append to such a file; the caller closes it. */
MUST_CHECK int bundle_create(struct bundle *bundle, const char *path, int *fd, struct err *err);

/* A descriptor of a folder inside, made if needed; the caller closes it. */
MUST_CHECK int bundle_make_dir(struct bundle *bundle, const char *path, int *fd, struct err *err);

/*
 * Close first what bundle_create gave; from here on nothing may write into the folder.
 * Writes MANIFEST, then the archive "<name>.tar.gz" (0600, never over an existing file) unless
 * without_archive, and then removes the folder, or with keep_dir gives it its final name.
 * The name can change to a free one, so it is final only after this. If it fails, the partial
 * folder stays and the sentence names it; nothing half-written stays.
 */
MUST_CHECK int bundle_seal(struct bundle *bundle, bool without_archive, bool keep_dir,
			   struct err *err);

/*
 * The same, but the archive is written to fd, such as a pipe, and gets no name; the folder goes. It
 * is complete before its first byte leaves.
 */
MUST_CHECK int bundle_stream(struct bundle *bundle, int fd, struct err *err);

/* Removes the folder with all that is in it, for a run that did not begin. Returns 0 or -errno. */
int bundle_discard(struct bundle *bundle);

/* The files of the partial folder, unchecked. What is open for writing has to be flushed. */
struct bundle_content;
MUST_CHECK int bundle_load(const struct bundle *bundle, struct bundle_content *out,
			   struct err *err);

/* Removes a file of the folder. Returns 0 or -errno. */
MUST_CHECK int bundle_remove(struct bundle *bundle, const char *path);

/* A file beside the bundle in the output directory, "<name><ending>", 0600, never over another. */
MUST_CHECK int bundle_put_beside(const struct bundle *bundle, const char *ending, const void *data,
				 size_t len, struct err *err);

/* Closes what is open; removes nothing. */
void bundle_done(struct bundle *bundle);

/* A file of a bundle or result folder that was read back. */
struct bundle_file {
	char *path; /* below the top folder */
	char *data; /* zero-terminated */
	size_t len;
};
struct bundle_content {
	struct bundle_file *files; /* sorted by path */
	size_t n_files;
	char digest[DIGEST_TEXT_SIZE]; /* of the archive; "" of a folder */
	bool is_checked; /* against its MANIFEST; false for a partial folder without one */
};
void bundle_content_done(struct bundle_content *content);
const struct bundle_file *bundle_content_find(const struct bundle_content *content,
					      const char *path);

/*
 * Reads an archive, or the folder of one (kept, or partial: then without a MANIFEST it is not
 * checked). Every file must be named in MANIFEST with its size and SHA-256, and be there.
 * Errors name the file: truncated, changed, missing, additional, not a bundle of iotest.
 */
MUST_CHECK int bundle_read(const char *path, struct bundle_content *out, struct err *err);

/* One way in which a bundle is not what its MANIFEST says. */
struct bundle_difference {
	char *path; /* "" for the whole */
	char *text; /* "was changed: its size is not that in MANIFEST" */
};

/* What became of a bundle since it was sealed. */
struct bundle_check {
	struct bundle_content content;
	struct bundle_difference *differences;
	size_t n_differences;
};
void bundle_check_done(struct bundle_check *check);

/*
 * As bundle_read, but all differences are listed in place of the first being an error; a partial
 * folder, which has no MANIFEST, is an error. -EBADMSG: it cannot be read to its end, or its
 * MANIFEST is damaged.
 */
MUST_CHECK int bundle_verify(const char *path, struct bundle_check *out, struct err *err);

/*
 * Removes archives from out_path until the newest `keep` are left of those that are named as name
 * is, but for the time in it. Only plain files of this user that are sound bundles go, the oldest
 * first; removed gets their names. Returns 0 or the first -errno.
 */
MUST_CHECK int bundle_prune(const char *out_path, const char *name, size_t keep,
			    struct strlist *removed);

/* Appends the names and versions of the libraries used here: "name 1.2.3, name 4.5". */
void bundle_add_libraries(struct buf *out);

#endif
