/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collect - read the table of items, whatever some of them do
 *
 * One child reads everything. If it does not come back, each row gets a child of its own, and of
 * a row that does not come back each file: so all is read but what hangs. All deadlines together
 * are bounded, too.
 */
#include "items.h"

#include <errno.h>
#include <string.h>

#include "iotest/child.h"
#include "iotest/clock.h"
#include "iotest/xalloc.h"

#define ALL_NS (3 * NS_PER_S)
#define ROW_NS (1 * NS_PER_S)
#define FILE_NS (NS_PER_S / 2)
/* Before the run; after it people wait for a result. */
#define TOTAL_BEFORE_NS (16 * NS_PER_S)
#define TOTAL_AFTER_NS (10 * NS_PER_S)

/* What one row, and all rows, may add: a bundle stays under 1 MiB. */
#define ROW_FILES_MAX 400
#define FILES_MAX 2500
#define BYTES_MAX (3 * MIB)

struct collection {
	struct sysroot root; /* its evidence is the child's own */
	const struct host *host;
	int when;
	size_t first; /* rows */
	size_t n;
	const char *path; /* of one file */
	int64_t end_ns;
};

/* Nothing that somebody could give us: it is not there, or is nothing that is read. */
static bool is_no_loss(int error)
{
	static const int errors[] = { ENOENT, ENOTDIR, EISDIR,	   EINVAL, ENODEV,
				      ENXIO,  ELOOP,   EOPNOTSUPP, EIO,	   ENODATA };

	for (size_t i = 0; i < ARRAY_LEN(errors); i++)
		if (errors[i] == error)
			return true;
	return false;
}

/* Moves what is worth keeping. Returns the bytes of it. */
static int64_t keep(const struct evidence *from, struct evidence *to)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < from->n_items; i++) {
		const struct evidence_item *item = &from->items[i];

		if (item->kind == EVIDENCE_ERROR && is_no_loss(item->error))
			continue;
		evidence_add(to, item->path, item->kind, item->data, item->len, item->error);
		bytes += (int64_t)item->len;
	}
	return bytes;
}

static void read_fact(const struct sysroot *root, const struct host *host, const struct item *item)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	int rc;

	if (!root->is_live)
		return;
	rc = item->fill(host, &text);
	if (rc)
		evidence_add(root->evidence, item->pattern, EVIDENCE_ERROR, NULL, 0, -rc);
	else if (text.len > 0)
		sysroot_keep_fact(root, item->pattern, text.data, text.len);
}

static void read_files(const struct sysroot *root, const struct host *host, const struct item *item)
{
	CLEANUP(strlist_done) struct strlist paths = { 0 };

	item_expand(root, host, item->pattern, &paths);
	for (size_t i = 0; i < paths.n_items && i < ROW_FILES_MAX; i++)
		(void)sysroot_keep_file(root, paths.items[i], (size_t)item->max_bytes);
}

static void read_row(const struct sysroot *root, const struct host *host, const struct item *item)
{
	if (item->fill)
		read_fact(root, host, item);
	else
		read_files(root, host, item);
}

/* In a child. */
static int work_rows(void *context, struct buf *answer)
{
	const struct collection *c = context;
	CLEANUP(evidence_done) struct evidence all = { 0 };
	int64_t bytes = 0;

	for (size_t i = c->first; i < c->first + c->n; i++) {
		CLEANUP(evidence_done) struct evidence one = { 0 };
		struct sysroot root = c->root;

		if (!(items[i].when & c->when))
			continue;
		if (bytes > BYTES_MAX || all.n_items > FILES_MAX) {
			evidence_add(&all, items[i].pattern, EVIDENCE_ERROR, NULL, 0, EFBIG);
			continue;
		}
		root.evidence = &one;
		read_row(&root, c->host, &items[i]);
		bytes += keep(&one, &all);
	}
	evidence_pack(&all, answer);
	return 0;
}

static int work_names(void *context, struct buf *answer)
{
	const struct collection *c = context;
	CLEANUP(strlist_done) struct strlist paths = { 0 };

	item_expand(&c->root, c->host, items[c->first].pattern, &paths);
	for (size_t i = 0; i < paths.n_items && i < ROW_FILES_MAX; i++)
		buf_add(answer, paths.items[i], strlen(paths.items[i]) + 1);
	return 0;
}

static int work_file(void *context, struct buf *answer)
{
	const struct collection *c = context;
	CLEANUP(evidence_done) struct evidence one = { 0 };
	CLEANUP(evidence_done) struct evidence kept = { 0 };
	struct sysroot root = c->root;

	root.evidence = &one;
	(void)sysroot_keep_file(&root, c->path, (size_t)items[c->first].max_bytes);
	(void)keep(&one, &kept);
	evidence_pack(&kept, answer);
	return 0;
}

/* Within what is left of the whole time. */
static int run_child(struct collection *c, child_work *work, int64_t deadline_ns,
		     struct buf *answer)
{
	int64_t left_ns = c->end_ns - clock_monotonic_ns();

	if (left_ns <= 0)
		return -ETIMEDOUT;
	return child_run(work, c, left_ns < deadline_ns ? left_ns : deadline_ns, answer);
}

static int take(struct evidence *e, const struct buf *answer)
{
	return answer->len ? evidence_unpack(e, answer->data, answer->len) : 0;
}

static void lose(struct evidence *e, const char *path, int rc)
{
	evidence_add(e, path, EVIDENCE_ERROR, NULL, 0, -rc);
}

static void collect_row_by_file(struct collection *c, struct evidence *e)
{
	CLEANUP(buf_done) struct buf names = { 0 };
	size_t at = 0;
	int rc;

	rc = items[c->first].fill ? -ETIMEDOUT : run_child(c, work_names, ROW_NS, &names);
	if (rc) {
		lose(e, items[c->first].pattern, rc);
		return;
	}
	for (; at < names.len; at += strlen(names.data + at) + 1) {
		CLEANUP(buf_done) struct buf answer = { 0 };

		c->path = names.data + at;
		rc = run_child(c, work_file, FILE_NS, &answer);
		if (!rc)
			rc = take(e, &answer);
		if (rc)
			lose(e, c->path, rc);
	}
}

static void collect_by_row(struct collection *c, struct evidence *e)
{
	c->n = 1;
	for (c->first = 0; c->first < n_items; c->first++) {
		CLEANUP(buf_done) struct buf answer = { 0 };
		int rc;

		if (!(items[c->first].when & c->when))
			continue;
		rc = run_child(c, work_rows, ROW_NS, &answer);
		if (!rc)
			rc = take(e, &answer);
		if (rc)
			collect_row_by_file(c, e);
	}
}

static int64_t count_errors(const struct evidence *e)
{
	int64_t n = 0;

	for (size_t i = 0; i < e->n_items; i++)
		n += e->items[i].kind == EVIDENCE_ERROR && !is_no_loss(e->items[i].error);
	return n;
}

int64_t collect(const struct sysroot *root, const struct host *host, enum collect_when when)
{
	CLEANUP(buf_done) struct buf answer = { 0 };
	struct collection c = {
		.root = *root,
		.host = host,
		.when = (int)when,
		.n = n_items,
		.end_ns = clock_monotonic_ns() +
			  (when == COLLECT_AFTER ? TOTAL_AFTER_NS : TOTAL_BEFORE_NS),
	};
	int rc = run_child(&c, work_rows, ALL_NS, &answer);

	if (!rc)
		rc = take(root->evidence, &answer);
	if (rc == -ETIMEDOUT || rc == -ECHILD)
		collect_by_row(&c, root->evidence);
	else if (rc)
		lose(root->evidence, "os/collection", rc);
	return count_errors(root->evidence);
}
