/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archiver - what libarchive does for us: tar.gz out, tar.gz in, SHA-256
 *
 * libarchive has no call for a digest, but its mtree format writes those of the entries that it
 * is given. So a digest is an mtree of one entry, written to memory.
 */
#include "archiver.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "content.h"
#include "iotest/bundle.h"
#include "iotest/buf.h"
#include "iotest/fd.h"
#include "iotest/xalloc.h"

#define BLOCK_BYTES (64 * KIB)
#define DIGEST_KEY "sha256digest="
#define DIGEST_LEN (DIGEST_TEXT_SIZE - 1)

static void writer_free(struct archive **a)
{
	archive_write_free(*a);
}

static void reader_free(struct archive **a)
{
	archive_read_free(*a);
}

static void entry_free(struct archive_entry **entry)
{
	archive_entry_free(*entry);
}

/* libarchive keeps an errno, or its own codes for what is no system error. */
static int error_of(struct archive *a)
{
	int e = archive_errno(a);

	return e > 0 ? -e : -EIO;
}

/* --- digest --- */

struct digest {
	struct archive *mtree;
	char text[4096];
	size_t len;
};

static void digest_done(struct digest *d)
{
	archive_write_free(d->mtree);
}

static int no_digest(const char *what, struct err *err)
{
	return err_say(err, -ENOTSUP,
		       "%s: cannot compute its SHA-256: this libarchive (%s) has none", what,
		       archive_version_string());
}

static int digest_start(struct digest *d, int64_t len_bytes, const char *what, struct err *err)
{
	CLEANUP(entry_free) struct archive_entry *entry = archive_entry_new();

	d->mtree = archive_write_new();
	if (!d->mtree || !entry)
		return err_set(err, -ENOMEM, "%s: cannot compute its SHA-256", what);
	if (archive_write_set_format_mtree(d->mtree) != ARCHIVE_OK ||
	    archive_write_set_options(d->mtree, "mtree:!all,mtree:sha256") != ARCHIVE_OK)
		return no_digest(what, err);
	archive_entry_set_pathname(entry, "data");
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_size(entry, len_bytes);
	if (archive_write_open_memory(d->mtree, d->text, sizeof(d->text) - 1, &d->len) !=
		    ARCHIVE_OK ||
	    archive_write_header(d->mtree, entry) != ARCHIVE_OK)
		return err_set(err, error_of(d->mtree), "%s: cannot compute its SHA-256", what);
	return 0;
}

static int digest_add(struct digest *d, const void *data, size_t len, const char *what,
		      struct err *err)
{
	if (len && archive_write_data(d->mtree, data, len) != (la_ssize_t)len)
		return err_set(err, error_of(d->mtree), "%s: cannot compute its SHA-256", what);
	return 0;
}

static int digest_finish(struct digest *d, const char *what, char out[DIGEST_TEXT_SIZE],
			 struct err *err)
{
	const char *hex;

	if (archive_write_close(d->mtree) != ARCHIVE_OK)
		return err_set(err, error_of(d->mtree), "%s: cannot compute its SHA-256", what);
	d->text[d->len] = '\0';
	hex = strstr(d->text, DIGEST_KEY);
	if (!hex)
		return no_digest(what, err);
	hex += strlen(DIGEST_KEY);
	if (strspn(hex, "0123456789abcdef") != DIGEST_LEN)
		return no_digest(what, err);
	memcpy(out, hex, DIGEST_LEN);
	out[DIGEST_LEN] = '\0';
	return 0;
}

int archiver_digest_memory(const void *data, size_t len, const char *what,
			   char out[DIGEST_TEXT_SIZE], struct err *err)
{
	CLEANUP(digest_done) struct digest d = { 0 };
	int rc;

	rc = digest_start(&d, (int64_t)len, what, err);
	if (!rc)
		rc = digest_add(&d, data, len, what, err);
	return rc ? rc : digest_finish(&d, what, out, err);
}

/* One block of a file, or what is left of len_bytes; 0 only at its end. */
static ssize_t read_block(int fd, char *block, int64_t at, int64_t len_bytes)
{
	int64_t left = len_bytes - at;
	size_t want = left < BLOCK_BYTES ? (size_t)left : (size_t)BLOCK_BYTES;
	ssize_t n;

	do {
		n = pread(fd, block, want, at);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* Hands the first len_bytes of a file to take(), block by block. */
static int read_file(int fd, int64_t len_bytes, const char *what,
		     int (*take)(void *to, const void *data, size_t len, const char *what,
				 struct err *err),
		     void *to, struct err *err)
{
	char block[BLOCK_BYTES];
	int64_t at = 0;

	while (at < len_bytes) {
		ssize_t n = read_block(fd, block, at, len_bytes);
		int rc;

		if (n < 0)
			return err_set(err, (int)n, "%s: cannot read it", what);
		if (n == 0)
			return err_say(err, -EIO, "%s: became shorter while it was read", what);
		rc = take(to, block, (size_t)n, what, err);
		if (rc)
			return rc;
		at += n;
	}
	return 0;
}

static int take_digest(void *to, const void *data, size_t len, const char *what, struct err *err)
{
	return digest_add(to, data, len, what, err);
}

int archiver_digest_file(int fd, int64_t len_bytes, const char *what, char out[DIGEST_TEXT_SIZE],
			 struct err *err)
{
	CLEANUP(digest_done) struct digest d = { 0 };
	int rc;

	rc = digest_start(&d, len_bytes, what, err);
	if (!rc)
		rc = read_file(fd, len_bytes, what, take_digest, &d, err);
	return rc ? rc : digest_finish(&d, what, out, err);
}

/* --- writing --- */

/*
 * libarchive 3.6 leaks its compressor when a write fails. So writing never fails for it: the first
 * error is kept here, what comes after is dropped, and it closes in an orderly way.
 */
struct writing {
	struct archive *a;
	const char *name; /* of the bundle */
	int dirfd;
	int out_fd;
	int rc; /* -errno of the first write that failed */
};

static la_ssize_t write_out(struct archive *a UNUSED, void *to, const void *data, size_t len)
{
	struct writing *w = to;

	if (!w->rc)
		w->rc = fd_write_all(w->out_fd, data, len);
	return (la_ssize_t)len;
}

static int write_failed(const struct writing *w, struct err *err)
{
	return err_set(err, w->rc ? w->rc : error_of(w->a), "%s.tar.gz: cannot write the archive",
		       w->name);
}

static int take_member(void *to, const void *data, size_t len, const char *what UNUSED,
		       struct err *err)
{
	const struct writing *w = to;

	if (archive_write_data(w->a, data, len) != (la_ssize_t)len || w->rc)
		return write_failed(w, err);
	return 0;
}

/*
 * Owner, mode and whole seconds are the same for everybody: the archive is reproducible, and plain
 * ustar but for long or foreign names. Those that are not UTF-8 libarchive stores as they are, with
 * a warning that is none for us.
 */
static struct archive_entry *entry_of(const char *name, const struct tree_item *item)
{
	CLEANUP(xfree)
	char *path = *item->path ? xasprintf("%s/%s", name, item->path) : xstrdup(name);
	struct archive_entry *entry = archive_entry_new();
	bool is_dir = item->kind == TREE_DIR;

	if (!entry)
		return NULL;
	archive_entry_copy_pathname(entry, path);
	archive_entry_set_filetype(entry, is_dir ? AE_IFDIR : AE_IFREG);
	archive_entry_set_perm(entry, is_dir ? 0700 : 0600);
	archive_entry_set_mtime(entry, item->mtime_s, 0);
	archive_entry_set_size(entry, is_dir ? 0 : item->size_bytes);
	return entry;
}

static int write_member(struct writing *w, const struct tree_item *item, struct err *err)
{
	CLEANUP(entry_free) struct archive_entry *entry = entry_of(w->name, item);
	CLEANUP(fd_close) int fd = -1;

	if (!entry)
		return err_set(err, -ENOMEM, "%s.tar.gz: cannot write the archive", w->name);
	if (item->kind == TREE_FILE) {
		fd = tree_open_file(w->dirfd, item->path);
		if (fd < 0)
			return err_set(err, fd, "%s: cannot read it for the archive", item->path);
	}
	if (archive_write_header(w->a, entry) < ARCHIVE_WARN || w->rc)
		return write_failed(w, err);
	if (fd < 0)
		return 0;
	return read_file(fd, item->size_bytes, item->path, take_member, w, err);
}

static int start_tar(struct writing *w)
{
	struct archive *a = w->a;

	if (archive_write_set_format_pax_restricted(a) != ARCHIVE_OK ||
	    archive_write_add_filter_gzip(a) != ARCHIVE_OK ||
	    archive_write_set_options(a, "gzip:!timestamp") != ARCHIVE_OK ||
	    archive_write_set_bytes_in_last_block(a, 1) != ARCHIVE_OK)
		return -1;
	return archive_write_open(a, w, NULL, write_out, NULL) == ARCHIVE_OK ? 0 : -1;
}

static int64_t newest_mtime(const struct tree *tree)
{
	int64_t newest = 0;

	for (size_t i = 0; i < tree->n_items; i++)
		if (tree->items[i].mtime_s > newest)
			newest = tree->items[i].mtime_s;
	return newest;
}

int archiver_write(int fd, int dirfd, const char *name, const struct tree *tree, struct err *err)
{
	CLEANUP(writer_free) struct archive *a = archive_write_new();
	struct writing w = { .a = a, .name = name, .dirfd = dirfd, .out_fd = fd };
	char root[] = "";
	const struct tree_item top = { .path = root,
				       .kind = TREE_DIR,
				       .mtime_s = newest_mtime(tree) };
	int rc;

	if (!a)
		return err_set(err, -ENOMEM, "%s.tar.gz: cannot write the archive", name);
	if (start_tar(&w))
		return write_failed(&w, err);
	rc = write_member(&w, &top, err);
	for (size_t i = 0; !rc && i < tree->n_items; i++)
		rc = write_member(&w, &tree->items[i], err);
	/* Freeing what is left closes it, and that must not write any more. */
	if (rc && !w.rc)
		w.rc = rc;
	if (rc)
		return rc;
	if (archive_write_close(a) != ARCHIVE_OK || w.rc)
		return write_failed(&w, err);
	return 0;
}

/* --- reading --- */

struct reading {
	struct archive *a;
	const char *where; /* the archive, for sentences */
	struct content_budget budget;
	struct bundle_content *content;
	char *top;
};

/* Splits "top/path", *path is "" for the top itself. All members have the same top. */
static int split_top(struct reading *r, char *full, const char **path, struct err *err)
{
	char *slash;
	size_t len = strlen(full);

	while (len > 1 && full[len - 1] == '/')
		full[--len] = '\0';
	if (!tree_path_is_safe(full))
		return content_is_foreign(r->where, err);
	slash = strchr(full, '/');
	if (slash)
		*slash = '\0';
	if (!r->top)
		r->top = xstrdup(full);
	if (strcmp(r->top, full) != 0)
		return content_is_foreign(r->where, err);
	*path = slash ? slash + 1 : "";
	return 0;
}

static int read_data(struct reading *r, const char *path, int64_t size_bytes, struct err *err)
{
	CLEANUP(xfree) char *data = malloc((size_t)size_bytes + 1);
	size_t at = 0;

	if (!data)
		return err_set(err, -ENOMEM, "%s: cannot read %s", r->where, path);
	while (at < (size_t)size_bytes) {
		la_ssize_t n = archive_read_data(r->a, data + at, (size_t)size_bytes - at);

		if (n <= 0)
			return content_is_damaged(r->where, err);
		at += (size_t)n;
	}
	data[at] = '\0';
	content_add(r->content, path, data, at);
	data = NULL;
	return 0;
}

static int read_member(struct reading *r, struct archive_entry *entry, struct err *err)
{
	const char *raw = archive_entry_pathname(entry);
	CLEANUP(xfree) char *full = raw ? xstrdup(raw) : NULL;
	int64_t size_bytes = archive_entry_size(entry);
	const char *path = "";
	int rc;

	if (!full || archive_entry_hardlink(entry))
		return content_is_foreign(r->where, err);
	rc = split_top(r, full, &path, err);
	if (rc)
		return rc;
	if (archive_entry_filetype(entry) == AE_IFDIR)
		return content_allow(&r->budget, path, 0, r->where, err);
	if (archive_entry_filetype(entry) != AE_IFREG || !*path)
		return content_is_foreign(r->where, err);
	rc = content_allow(&r->budget, path, size_bytes, r->where, err);
	return rc ? rc : read_data(r, path, size_bytes, err);
}

/* The first header decides whether this is an archive at all. */
static int read_failed(struct reading *r, bool is_first, int fd, struct err *err)
{
	unsigned char magic[2] = { 0 };
	ssize_t n = pread(fd, magic, sizeof(magic), 0);
	bool is_gzip = n == 2 && magic[0] == 0x1f && magic[1] == 0x8b;

	if (is_first && !is_gzip && n == 2)
		return content_is_foreign(r->where, err);
	return content_is_damaged(r->where, err);
}

/* Something that is no tar. If it unpacks to its end it is whole, and simply not ours. */
static int read_unknown(struct reading *r, int fd, struct err *err)
{
	char block[BLOCK_BYTES];
	int64_t total = 0;

	if (archive_filter_code(r->a, 0) != ARCHIVE_FILTER_GZIP)
		return read_failed(r, true, fd, err);
	while (total < CONTENT_TOTAL_MAX) {
		la_ssize_t n = archive_read_data(r->a, block, sizeof(block));

		if (n < 0)
			return content_is_damaged(r->where, err);
		if (n == 0)
			break;
		total += n;
	}
	return content_is_foreign(r->where, err);
}

/*
 * The option makes the reader go on behind the end mark of the tar to the end of the file:
 * only there it sees that the gzip stream was cut short. Format raw is for what is no tar.
 */
static int start_reading(struct archive *a, int fd)
{
	if (archive_read_support_filter_gzip(a) != ARCHIVE_OK ||
	    archive_read_support_format_tar(a) != ARCHIVE_OK ||
	    archive_read_support_format_raw(a) != ARCHIVE_OK ||
	    archive_read_set_options(a, "read_concatenated_archives") != ARCHIVE_OK)
		return -1;
	return archive_read_open_fd(a, fd, BLOCK_BYTES) == ARCHIVE_OK ? 0 : -1;
}

static int read_members(struct reading *r, int fd, struct err *err)
{
	if (start_reading(r->a, fd))
		return read_failed(r, true, fd, err);
	for (bool is_first = true;; is_first = false) {
		struct archive_entry *entry;
		int rc = archive_read_next_header(r->a, &entry);

		if (rc == ARCHIVE_EOF)
			return is_first ? read_failed(r, true, fd, err) : 0;
		if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN)
			return read_failed(r, is_first, fd, err);
		if (archive_format(r->a) == ARCHIVE_FORMAT_RAW)
			return read_unknown(r, fd, err);
		rc = read_member(r, entry, err);
		if (rc)
			return rc;
	}
}

static void reading_done(struct reading *r)
{
	free(r->top);
}

int archiver_read(int fd, const char *path, struct bundle_content *out, char **top, struct err *err)
{
	CLEANUP(reader_free) struct archive *a = archive_read_new();
	CLEANUP(bundle_content_done) struct bundle_content content = { 0 };
	CLEANUP(reading_done)
	struct reading r = { .a = a, .where = path, .content = &content };
	int rc;

	if (!a)
		return err_set(err, -ENOMEM, "%s: cannot read it", path);
	rc = read_members(&r, fd, err);
	if (rc)
		return rc;
	*out = content;
	content = (struct bundle_content){ 0 };
	*top = r.top;
	r.top = NULL;
	return 0;
}

void bundle_add_libraries(struct buf *out)
{
	buf_add_text(out, archive_version_string());
}
