/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content - what a test file holds at each place: data, a stamp in every 4 KiB, a readable line
 *
 * Made and checked for every block that is moved, so the ways for whole stamps have no call and
 * no branch but the loop's. What lies across the edge of a block is left to slower ways.
 */
#include "content.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/fd.h"

/* A shorter source is laid out several times, so that few copies make a block. */
#define SOURCE_LEAST_BYTES ((size_t)MIB)

/* Odd, so that each changed bit of a stamp changes its check sum; the start keeps zeros from
 * being a stamp. */
#define CHECK_START 0x6a09e667U
#define CHECK_TAG 0x9e3779b1U
#define CHECK_PLACE 0x85ebca77U
#define CHECK_WORKER 0xc2b2ae3dU

/* The three words of a stamp, as numbers. */
struct stamp {
	uint64_t run_tag;
	uint64_t piece; /* offset of its 4 KiB */
	uint64_t tail;	/* worker, above it the check sum */
};

/* Whoever finds a test file can read it, and so can the next start. */
#define LINE_START "iotest test file of run "
#define LINE_MIDDLE ": made by iotest to measure this file system"

/* What is added to it from one stamp to the next: the check sum is linear for this. Of the offset
 * it sees what lies below 16 TiB; the offset itself is compared in full. */
#define TAIL_STEP ((uint64_t)CHECK_PLACE << 32)

/* Which stamps lie completely in a part of the file. */
struct stamps {
	size_t at; /* of the first, from the begin of the part; may lie beyond its end */
	size_t n;
	uint64_t piece; /* of the first */
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* ------------------------------------------------------------------ the file as data */

static int read_source(int fd, unsigned char *to, size_t len)
{
	while (len > 0) {
		ssize_t n = read(fd, to, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -ENODATA;
		to += n;
		len -= (size_t)n;
	}
	return 0;
}

/* O_NONBLOCK: a pipe without a writer must not hold us. */
static int open_source(const char *path, int *out, size_t *size, struct err *err)
{
	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return err_set(err, -errno, "%s: cannot open the file with the data", path);
	if (fstat(fd, &st) < 0)
		return err_set(err, -errno, "%s: cannot learn its size", path);
	if (!S_ISREG(st.st_mode))
		return err_say(err, -EINVAL, "%s: the data has to come from a regular file", path);
	if (st.st_size <= 0)
		return err_say(err, -EINVAL, "%s: the file with the data is empty", path);

	*size = st.st_size < CONTENT_SOURCE_MAX ? (size_t)st.st_size : (size_t)CONTENT_SOURCE_MAX;
	*out = fd;
	fd = -1;
	return 0;
}

int content_source_open(const char *path, struct content_source *out, struct err *err)
{
	CLEANUP(content_source_close) struct content_source source = { 0 };
	CLEANUP(fd_close) int fd = -1;
	size_t size = 0, len;
	void *map;
	int rc;

	rc = open_source(path, &fd, &size, err);
	if (rc)
		return rc;
	len = (SOURCE_LEAST_BYTES + size - 1) / size * size;
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return err_set(err, -errno, "%s: no memory for its %zu bytes", path, size);
	source = (struct content_source){ .data = map, .len = len };
	rc = read_source(fd, source.data, size);
	if (rc == -ENODATA)
		return err_say(err, rc, "%s: became shorter while it was read", path);
	if (rc)
		return err_set(err, rc, "%s: cannot read the file with the data", path);
	for (size_t at = size; at < len; at += size)
		memcpy(source.data + at, source.data, size);

	*out = source;
	source = (struct content_source){ 0 };
	return 0;
}

void content_source_close(struct content_source *source)
{
	if (source->data)
		(void)munmap(source->data, source->len);
	*source = (struct content_source){ 0 };
}

/* ------------------------------------------------------------------ what the file holds */

static size_t zeros_in_piece(const struct io_spec *io)
{
	int64_t percent = io->data == DATA_COMPRESSIBLE ? io->compressible_percent : 0;

	if (io->data == DATA_ZEROS || percent > 100)
		percent = 100;
	return percent > 0 ? (size_t)percent * STAMP_EVERY_BYTES / 100 : 0;
}

static void make_line(struct content *c, const char *run_id, uint32_t n_workers)
{
	int n = snprintf(c->line, sizeof(c->line),
			 LINE_START "%s, worker %u of %u" LINE_MIDDLE
				    ", holds nobody's data; when that run is over it can be "
				    "deleted\n",
			 run_id, c->worker + 1, n_workers);

	c->line_len = n > 0 ? least((size_t)n, sizeof(c->line) - 1) : 0;
	if (c->line_len)
		c->line[c->line_len - 1] = '\n';
}

void content_init(struct content *c, const struct io_spec *io, const struct content_source *source,
		  const char *run_id, uint32_t worker, uint32_t n_workers)
{
	*c = (struct content){
		.data = io->data,
		.zeros_bytes = zeros_in_piece(io),
		.run_tag = pattern_hash(run_id),
		.worker = worker,
	};
	pattern_init(&c->pattern, run_id, worker);
	if (io->data == DATA_FILE) {
		c->source = source->data;
		c->source_len = source->len;
	}
	make_line(c, run_id, n_workers);
}

static bool is_zero(const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i])
			return false;
	}
	return true;
}

bool content_is_ours(const char *begin, size_t len)
{
	const char *end = memchr(begin, '\n', len);

	if (is_zero(begin, len))
		return true;
	if (memcmp(begin, LINE_START, least(len, strlen(LINE_START))) != 0)
		return false;
	if (!end)
		return len < CONTENT_LINE_MAX;
	return memmem(begin, (size_t)(end - begin), LINE_MIDDLE, strlen(LINE_MIDDLE)) != NULL;
}

/* ------------------------------------------------------------------ making */

static void fill_from_source(const struct content *c, uint64_t offset, uint8_t *out, size_t len)
{
	size_t from = (size_t)(offset % c->source_len);

	while (len > 0) {
		size_t n = least(len, c->source_len - from);

		memcpy(out, c->source + from, n);
		out += n;
		len -= n;
		from = 0;
	}
}

/* Of each 4 KiB the first bytes are unique, and the others zeros. */
static void fill_compressible(const struct content *c, uint64_t offset, uint8_t *out, size_t len)
{
	const size_t unique_bytes = STAMP_EVERY_BYTES - c->zeros_bytes;

	while (len > 0) {
		size_t in_piece = offset % STAMP_EVERY_BYTES;
		size_t n = least(STAMP_EVERY_BYTES - in_piece, len);
		size_t n_unique = in_piece < unique_bytes ? least(unique_bytes - in_piece, n) : 0;

		pattern_fill(&c->pattern, (int64_t)offset, out, n_unique);
		memset(out + n_unique, 0, n - n_unique);
		offset += n;
		out += n;
		len -= n;
	}
}

static void fill_data(const struct content *c, uint64_t offset, uint8_t *out, size_t len)
{
	if (c->data == DATA_FILE)
		fill_from_source(c, offset, out, len);
	else if (c->zeros_bytes == STAMP_EVERY_BYTES)
		memset(out, 0, len);
	else if (c->zeros_bytes)
		fill_compressible(c, offset, out, len);
	else
		pattern_fill(&c->pattern, (int64_t)offset, out, len);
}

static inline struct stamps stamps_within(uint64_t offset, size_t len)
{
	size_t at = (size_t)((STAMP_AT_BYTES - offset) % STAMP_EVERY_BYTES);

	return (struct stamps){
		.at = at,
		.n = len < at + STAMP_BYTES ? 0 : (len - at - STAMP_BYTES) / STAMP_EVERY_BYTES + 1,
		.piece = offset + at - STAMP_AT_BYTES,
	};
}

static inline uint64_t stamp_tail(uint64_t run_tag, uint64_t piece, uint32_t worker)
{
	uint32_t check = CHECK_START;

	check += (uint32_t)(run_tag ^ run_tag >> 32) * CHECK_TAG;
	check += (uint32_t)(piece / STAMP_EVERY_BYTES) * CHECK_PLACE;
	check += worker * CHECK_WORKER;
	return (uint64_t)check << 32 | worker;
}

static inline void put_word(uint8_t *to, uint64_t word)
{
	word = htole64(word);
	memcpy(to, &word, sizeof(word));
}

static inline uint64_t get_word(const uint8_t *from)
{
	uint64_t word;

	memcpy(&word, from, sizeof(word));
	return le64toh(word);
}

static inline void put_stamp(uint8_t *to, uint64_t run_tag, uint64_t piece, uint64_t tail)
{
	put_word(to, run_tag);
	put_word(to + 8, piece);
	put_word(to + 16, tail);
}

/* The part of a stamp from skip on that lies in len bytes. */
static void put_stamp_part(const struct content *c, uint64_t piece, size_t skip, uint8_t *out,
			   size_t len)
{
	uint8_t whole[STAMP_BYTES];

	put_stamp(whole, c->run_tag, piece, stamp_tail(c->run_tag, piece, c->worker));
	memcpy(out, whole + skip, least(STAMP_BYTES - skip, len));
}

static void put_stamps(const struct content *c, uint64_t offset, uint8_t *out, size_t len)
{
	const struct stamps in = stamps_within(offset, len);
	const uint64_t end = in.piece + in.n * STAMP_EVERY_BYTES, run_tag = c->run_tag;
	uint64_t tail = stamp_tail(run_tag, in.piece, c->worker);
	size_t at = in.at;

	if (in.at > STAMP_EVERY_BYTES - STAMP_BYTES)
		put_stamp_part(c, in.piece - STAMP_EVERY_BYTES, STAMP_EVERY_BYTES - in.at, out,
			       len);
	for (uint64_t piece = in.piece; piece != end; piece += STAMP_EVERY_BYTES) {
		put_stamp(out + at, run_tag, piece, tail);
		tail += TAIL_STEP;
		at += STAMP_EVERY_BYTES;
	}
	if (at < len)
		put_stamp_part(c, end, 0, out + at, len - at);
}

static void put_line(const struct content *c, uint64_t offset, uint8_t *out, size_t len)
{
	if (offset < c->line_len)
		memcpy(out, c->line + offset, least(c->line_len - (size_t)offset, len));
}

void content_fill(const struct content *c, int64_t offset_bytes, void *out, size_t len)
{
	const uint64_t offset = (uint64_t)offset_bytes;

	fill_data(c, offset, out, len);
	put_stamps(c, offset, out, len);
	put_line(c, offset, out, len);
}

/* Zeros where the line stood if this was the begin of the file. No byte of the line is zero. */
static void clear_line(const struct content *c, uint64_t offset, uint8_t *out, size_t len)
{
	size_t skip = offset % STAMP_EVERY_BYTES;

	if (skip < c->line_len && len > 0 && out[0])
		memset(out, 0, least(c->line_len - skip, len));
}

/* Zeros with stamps in just these places: only they can have one of this run at the first place.
 * Blocks that split pieces come here with theirs elsewhere. */
static bool holds_zeros(const struct content *c, uint64_t offset, const uint8_t *out, size_t len)
{
	const size_t at = stamps_within(offset, len).at;

	return c->zeros_bytes == STAMP_EVERY_BYTES && len >= at + STAMP_BYTES &&
	       get_word(out + at) == c->run_tag;
}

void content_refill(const struct content *c, int64_t offset_bytes, void *out, size_t len)
{
	const uint64_t offset = (uint64_t)offset_bytes;

	if (holds_zeros(c, offset, out, len))
		clear_line(c, offset, out, len);
	else
		fill_data(c, offset, out, len);
	put_stamps(c, offset, out, len);
	put_line(c, offset, out, len);
}

/* ------------------------------------------------------------------ checking */

static struct stamp get_stamp(const uint8_t *from)
{
	return (struct stamp){ get_word(from), get_word(from + 8), get_word(from + 16) };
}

static bool is_genuine(const struct stamp *s)
{
	return s->piece % STAMP_EVERY_BYTES == 0 && s->piece <= INT64_MAX &&
	       s->tail == stamp_tail(s->run_tag, s->piece, (uint32_t)s->tail);
}

/* What stands where another stamp should be. */
static void judge_stamp(const struct content *c, const uint8_t *data, struct content_check *check)
{
	const struct stamp found = get_stamp(data);

	if (!(found.run_tag | found.piece | found.tail)) {
		check->bad_kind = BAD_ZEROS;
	} else if (!is_genuine(&found)) {
		check->bad_kind = BAD_STAMP;
	} else if (found.run_tag != c->run_tag) {
		check->bad_kind = BAD_RUN;
	} else {
		check->bad_kind = BAD_PLACE;
		check->found_worker = (int64_t)(uint32_t)found.tail + 1;
		check->found_offset_bytes = (int64_t)found.piece;
	}
}

static __attribute__((cold, noinline)) void note_stamp(const struct content *c, uint64_t piece,
						       const uint8_t *data,
						       struct content_check *check)
{
	if (check->bad++)
		return;
	check->bad_offset_bytes = (int64_t)piece;
	judge_stamp(c, data, check);
}

void content_check_stamps(const struct content *c, int64_t offset_bytes, const void *data,
			  size_t len, struct content_check *check)
{
	const struct stamps in = stamps_within((uint64_t)offset_bytes, len);
	const uint64_t end = in.piece + in.n * STAMP_EVERY_BYTES, run_tag = c->run_tag;
	uint64_t tail = stamp_tail(run_tag, in.piece, c->worker);
	const uint8_t *from = data;

	from += in.n ? in.at : 0;
	for (uint64_t piece = in.piece; piece != end; piece += STAMP_EVERY_BYTES) {
		if (get_word(from) != run_tag || get_word(from + 8) != piece ||
		    get_word(from + 16) != tail)
			note_stamp(c, piece, from, check);
		tail += TAIL_STEP;
		from += STAMP_EVERY_BYTES;
	}
	check->stamps += (int64_t)in.n;
}

/* A part of one piece whose bytes are not those wanted. */
static void note_part(const struct content *c, uint64_t offset, const uint8_t *data,
		      const uint8_t *wanted, size_t len, struct content_check *check)
{
	const struct stamps in = stamps_within(offset, len);
	size_t i = 0;

	if (check->bad++)
		return;
	while (data[i] == wanted[i])
		i++;
	check->bad_offset_bytes = (int64_t)(offset + i);
	check->bad_kind = BAD_CONTENT;
	if (in.n && memcmp(data + in.at, wanted + in.at, STAMP_BYTES) != 0)
		judge_stamp(c, data + in.at, check);
}

void content_check_all(const struct content *c, int64_t offset_bytes, const void *data, size_t len,
		       void *scratch, struct content_check *check)
{
	const uint8_t *found = data, *wanted = scratch;
	uint64_t offset = (uint64_t)offset_bytes;

	content_fill(c, offset_bytes, scratch, len);
	check->stamps += (int64_t)stamps_within(offset, len).n;
	if (memcmp(found, wanted, len) == 0)
		return;
	while (len > 0) {
		size_t n = least(STAMP_EVERY_BYTES - offset % STAMP_EVERY_BYTES, len);

		if (memcmp(found, wanted, n) != 0)
			note_part(c, offset, found, wanted, n, check);
		offset += n;
		found += n;
		wanted += n;
		len -= n;
	}
}
