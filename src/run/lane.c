/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane - a file on its way: by which calls, in which order, and what is made or looked at
 */
#include "lane.h"

static ssize_t move_out(const struct io_ops *io, const struct lane *lane, char *data, size_t len)
{
	return io->pwrite(lane->file->fd, data, len, (off_t)lane->at);
}

static ssize_t move_in(const struct io_ops *io, const struct lane *lane, char *data, size_t len)
{
	return io->pread(lane->file->fd, data, len, (off_t)lane->at);
}

/* After a transfer that was cut short the first page is the rest of one. */
static int cut_into_pages(const struct lane *lane, char *data, size_t len, struct iovec *pages)
{
	size_t in_page = (size_t)(data - lane->data) % lane->page_bytes;
	int n = 0;

	for (; len > 0 && n < WORKER_PAGES_MAX; n++) {
		size_t rest = lane->page_bytes - in_page;
		size_t n_bytes = len < rest ? len : rest;

		pages[n] = (struct iovec){ .iov_base = data, .iov_len = n_bytes };
		data += n_bytes;
		len -= n_bytes;
		in_page = 0;
	}
	return n;
}

static ssize_t gather_out(const struct io_ops *io, const struct lane *lane, char *data, size_t len)
{
	struct iovec pages[WORKER_PAGES_MAX];
	int n = cut_into_pages(lane, data, len, pages);

	return io->pwritev(lane->file->fd, pages, n, (off_t)lane->at);
}

static ssize_t scatter_in(const struct io_ops *io, const struct lane *lane, char *data, size_t len)
{
	struct iovec pages[WORKER_PAGES_MAX];
	int n = cut_into_pages(lane, data, len, pages);

	return io->preadv(lane->file->fd, pages, n, (off_t)lane->at);
}

/* Who has each nth block only leaves out those of the others. */
static void step_on(struct lane *lane)
{
	lane->at += lane->block_bytes * (lane->file->block_stride - 1);
}

static void step_anywhere(struct lane *lane)
{
	if (lane->turn < lane->shuffle.n)
		lane->at = (int64_t)shuffle_at(&lane->shuffle, lane->turn++) * lane->block_bytes;
}

static void prepare_content(const struct lane *lane, int64_t at, size_t len)
{
	content_refill(&lane->file->content, at, lane->data, len);
}

static void prepare_nothing(const struct lane *lane, int64_t at, size_t len)
{
	(void)lane;
	(void)at;
	(void)len;
}

static void look_at_stamps(struct lane *lane, int64_t at, size_t len)
{
	content_check_stamps(&lane->file->content, at, lane->data, len, &lane->check);
}

static void look_at_all(struct lane *lane, int64_t at, size_t len)
{
	content_check_all(&lane->file->content, at, lane->data, len, lane->scratch, &lane->check);
}

static void look_at_nothing(struct lane *lane, int64_t at, size_t len)
{
	(void)lane;
	(void)at;
	(void)len;
}

static const struct direction writing = { prepare_content, look_at_nothing, OP_WRITE };
static const struct direction reading = { prepare_nothing, look_at_stamps, OP_READ };
static const struct direction comparing = { prepare_nothing, look_at_all, OP_READ };
static const struct direction reading_blindly = { prepare_nothing, look_at_nothing, OP_READ };

static const struct direction *direction_of(const struct worker_job *job,
					    const struct worker_file *file, bool reads)
{
	if (!reads)
		return &writing;
	if (file->is_foreign)
		return &reading_blindly;
	return job->integrity == INTEGRITY_FULL ? &comparing : &reading;
}

static void choose_calls(struct lane *lane, const struct worker_job *job, bool reads)
{
	bool in_pages = job->page_bytes > 0 && job->page_bytes < job->block_bytes;

	lane->page_bytes = (size_t)(in_pages ? job->page_bytes : job->block_bytes);
	if (in_pages)
		lane->move = reads ? scatter_in : gather_out;
	else
		lane->move = reads ? move_in : move_out;
}

static void choose_order(struct lane *lane, const struct worker_job *job, bool reads)
{
	const struct worker_file *file = lane->file;

	lane->at = file->first_block * job->block_bytes;
	lane->end = INT64_MAX;
	lane->step = step_on;
	if (!reads || job->order != ORDER_RANDOM || file->size_bytes <= 0)
		return;
	lane->end = file->size_bytes;
	lane->step = step_anywhere;
	shuffle_init(&lane->shuffle, (uint64_t)((lane->end - 1) / job->block_bytes + 1), job->seed);
	step_anywhere(lane);
}

void lane_begin(struct lane *lane, const struct worker_job *job, const struct worker_file *file,
		bool reads, char *data)
{
	*lane = (struct lane){
		.file = file,
		.d = direction_of(job, file, reads),
		.block_bytes = job->block_bytes,
		.data = data,
	};
	choose_calls(lane, job, reads);
	choose_order(lane, job, reads);
	content_fill(&file->content, lane->at, data, (size_t)job->block_bytes);
}
