/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_run_content - what a test file holds, and what a reader finds out about it
 */
#include "suite.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iotest/compiler.h"
#include "iotest/plan.h"
#include "iotest/run.h"
#include "iotest/xalloc.h"
#include "run/content.h"
#include "testdir.h"

#define RUN_A "00112233445566778899aabbccddeeff"
#define RUN_B "00112233445566778899aabbccddeefe"
#define BLOCK 65536
#define PIECE STAMP_EVERY_BYTES
#define SECTOR 512

/* A source whose length has nothing to do with any block. */
static unsigned char source_data[10007];
static const struct content_source source = { source_data, sizeof(source_data) };

static const struct io_spec kinds[] = {
	{ .data = DATA_UNIQUE, .compressible_percent = -1 },
	{ .data = DATA_ZEROS, .compressible_percent = -1 },
	{ .data = DATA_COMPRESSIBLE, .compressible_percent = 50 },
	{ .data = DATA_COMPRESSIBLE, .compressible_percent = 99 },
	{ .data = DATA_COMPRESSIBLE, .compressible_percent = 37 },
	{ .data = DATA_FILE, .compressible_percent = -1 },
};

static void fill_source(void)
{
	if (source_data[1])
		return;
	for (size_t i = 0; i < sizeof(source_data); i++)
		source_data[i] = (unsigned char)(i * i / 7 + i);
}

static struct content make(const struct io_spec *io, const char *run_id, uint32_t worker)
{
	struct content c;

	fill_source();
	content_init(&c, io, &source, run_id, worker, 24);
	return c;
}

static struct content make_kind(int data, uint32_t worker)
{
	const struct io_spec io = { .data = data, .compressible_percent = -1 };

	return make(&io, RUN_A, worker);
}

static uint64_t word_at(const uint8_t *from)
{
	uint64_t word;

	memcpy(&word, from, sizeof(word));
	return le64toh(word);
}

/* ------------------------------------------------------------------ making */

START_TEST(every_4_kib_has_a_stamp_of_run_place_and_worker)
{
	static uint8_t block[BLOCK];

	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		struct content c = make(&kinds[k], RUN_A, 5);

		content_fill(&c, 3 * BLOCK, block, BLOCK);
		for (size_t at = 0; at < BLOCK; at += PIECE) {
			const uint8_t *stamp = block + at + STAMP_AT_BYTES;

			ck_assert_uint_eq(word_at(stamp), c.run_tag);
			ck_assert_uint_eq(word_at(stamp + 8), 3 * BLOCK + at);
			ck_assert_uint_eq(word_at(stamp + 16) & UINT32_MAX, 5);
		}
	}
}
END_TEST

START_TEST(the_file_begins_with_a_line_that_says_what_it_is)
{
	static const char want[] = "iotest test file of run " RUN_A ", worker 3 of 24: ";
	uint8_t block[PIECE];

	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		struct content c = make(&kinds[k], RUN_A, 2);

		content_fill(&c, 0, block, sizeof(block));
		ck_assert_mem_eq(block, want, sizeof(want) - 1);
		ck_assert_uint_lt(c.line_len, CONTENT_LINE_MAX);
		ck_assert_int_eq(block[c.line_len - 1], '\n');
		for (size_t i = 0; i + 1 < c.line_len; i++)
			ck_assert(block[i] >= ' ' && block[i] <= '~');
	}
}
END_TEST

START_TEST(a_line_that_is_too_long_still_ends)
{
	char run_id[2 * CONTENT_LINE_MAX];
	const struct io_spec io = { .data = DATA_ZEROS };
	struct content c;

	memset(run_id, 'x', sizeof(run_id) - 1);
	run_id[sizeof(run_id) - 1] = '\0';
	content_init(&c, &io, NULL, run_id, 0, 1);
	ck_assert_uint_eq(c.line_len, CONTENT_LINE_MAX - 1);
	ck_assert_int_eq(c.line[c.line_len - 1], '\n');
}
END_TEST

START_TEST(the_same_place_gives_the_same_bytes_however_it_is_cut)
{
	static const size_t cuts[] = { 1, 7, 24, 488, 511, 512, 1000, 4096, 5000 };
	/* The begin of a file, the middle of a stamp, and where the check sum starts again. */
	static const int64_t offsets[] = { 0, 3, 65536 + 495, (1LL << 44) - 8192 };
	uint8_t whole[20000], parts[20000];

	for (size_t row = 0; row < ARRAY_LEN(kinds) * ARRAY_LEN(offsets); row++) {
		struct content c = make(&kinds[row / ARRAY_LEN(offsets)], RUN_A, 3);
		int64_t offset = offsets[row % ARRAY_LEN(offsets)];

		content_fill(&c, offset, whole, sizeof(whole));
		for (size_t i = 0; i < ARRAY_LEN(cuts); i++) {
			memset(parts, 0xee, sizeof(parts));
			for (size_t at = 0; at < sizeof(parts); at += cuts[i]) {
				size_t left = sizeof(parts) - at;

				content_fill(&c, offset + (int64_t)at, parts + at,
					     left < cuts[i] ? left : cuts[i]);
			}
			ck_assert_mem_eq(whole, parts, sizeof(whole));
		}
	}
}
END_TEST

START_TEST(fills_not_one_byte_beyond_the_length)
{
	uint8_t data[700], guard[700];

	memset(guard, 0xa5, sizeof(guard));
	for (size_t row = 0; row < ARRAY_LEN(kinds) * 600; row++) {
		struct content c = make(&kinds[row / 600], RUN_A, 0);
		size_t len = row % 600;

		memset(data, 0xa5, sizeof(data));
		content_fill(&c, 11, data + 3, len);
		ck_assert_mem_eq(data, guard, 3);
		ck_assert_mem_eq(data + 3 + len, guard, sizeof(data) - 3 - len);
	}
}
END_TEST

START_TEST(filling_again_gives_what_filling_gives)
{
	/* A worker's way through its file, ending in a short block, and back; by whole pieces, and
	 * from inside of the line. */
	static const struct {
		int64_t from;
		size_t len;
	} ways[] = { { 0, BLOCK }, { 40, 3 * PIECE + 100 }, { 500, PIECE }, { 0, PIECE } };
	static uint8_t again[BLOCK], fresh[BLOCK];

	for (size_t row = 0; row < ARRAY_LEN(kinds) * ARRAY_LEN(ways); row++) {
		struct content c = make(&kinds[row / ARRAY_LEN(ways)], RUN_A, 3);
		int64_t from = ways[row % ARRAY_LEN(ways)].from;
		size_t len = ways[row % ARRAY_LEN(ways)].len;
		const struct {
			int64_t at;
			size_t len;
		} steps[] = { { from + BLOCK, len },
			      { from + 2 * BLOCK, len },
			      { from + 9 * BLOCK, len - 100 },
			      { from, len - 100 },
			      { from + BLOCK, len - 100 } };

		content_fill(&c, from, again, len);
		for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
			content_fill(&c, steps[i].at, fresh, steps[i].len);
			content_refill(&c, steps[i].at, again, steps[i].len);
			ck_assert_mem_eq(again, fresh, steps[i].len);
		}
	}
}
END_TEST

START_TEST(filling_again_works_with_blocks_that_split_pieces_and_in_new_memory)
{
	static const size_t lens[] = { 512, 1000, 1536, 6144, 4096 + 512, 20000 };
	static uint8_t again[20000], fresh[20000];

	for (size_t row = 0; row < ARRAY_LEN(kinds) * ARRAY_LEN(lens); row++) {
		struct content c = make(&kinds[row / ARRAY_LEN(lens)], RUN_A, 3);
		size_t len = lens[row % ARRAY_LEN(lens)];

		memset(again, 0xee, sizeof(again));
		for (size_t at = 0; at < 100000; at += len) {
			/* The last block is a short one, of a whole piece. */
			size_t n = at + len < 100000 || len < PIECE ? len : PIECE;

			content_fill(&c, (int64_t)at, fresh, n);
			content_refill(&c, (int64_t)at, again, n);
			ck_assert_mem_eq(again, fresh, n);
		}
	}
}
END_TEST

START_TEST(zeros_are_zeros_but_for_line_and_stamps)
{
	struct content c = make_kind(DATA_ZEROS, 0);
	static uint8_t block[BLOCK];
	size_t n_nonzero = 0;

	memset(block, 0xff, BLOCK);
	content_fill(&c, 0, block, BLOCK);
	for (size_t i = 0; i < BLOCK; i++) {
		bool is_stamp =
			i % PIECE >= STAMP_AT_BYTES && i % PIECE < STAMP_AT_BYTES + STAMP_BYTES;

		if (!is_stamp && i >= c.line_len)
			n_nonzero += block[i] != 0;
	}
	ck_assert_uint_eq(n_nonzero, 0);
}
END_TEST

static const struct {
	int64_t percent;
	size_t zeros_bytes;
} shares[] = { { -1, 0 },    { 0, 0 },	     { 1, 40 },	     { 50, 2048 },
	       { 99, 4055 }, { 100, PIECE }, { 101, PIECE }, { INT64_MAX, PIECE } };

/* The other bytes are those of the unique kind. */
START_TEST(the_given_share_of_each_4_kib_is_zeros_at_its_end)
{
	const struct io_spec io = { .data = DATA_COMPRESSIBLE,
				    .compressible_percent = shares[_i].percent };
	struct content c = make(&io, RUN_A, 1), unique = make_kind(DATA_UNIQUE, 1);
	const size_t n_unique = PIECE - shares[_i].zeros_bytes;
	uint8_t piece[PIECE], wanted[PIECE];

	ck_assert_uint_eq(c.zeros_bytes, shares[_i].zeros_bytes);
	content_fill(&c, 7 * PIECE, piece, PIECE);
	content_fill(&unique, 7 * PIECE, wanted, PIECE);
	memset(wanted + n_unique, 0, PIECE - n_unique);
	memcpy(wanted + STAMP_AT_BYTES, piece + STAMP_AT_BYTES, STAMP_BYTES);
	ck_assert_mem_eq(piece, wanted, PIECE);
	ck_assert_uint_eq(word_at(piece + STAMP_AT_BYTES), c.run_tag);
}
END_TEST

START_TEST(the_content_of_a_file_is_repeated)
{
	struct content c = make_kind(DATA_FILE, 1);
	const int64_t from = 1000003;
	static uint8_t block[3 * PIECE];
	size_t n_other = 0;

	content_fill(&c, from, block, sizeof(block));
	for (size_t i = 0; i < sizeof(block); i++) {
		size_t at = (size_t)from + i;

		if (at % PIECE < STAMP_AT_BYTES || at % PIECE >= STAMP_AT_BYTES + STAMP_BYTES)
			n_other += block[i] != source_data[at % sizeof(source_data)];
	}
	ck_assert_uint_eq(n_other, 0);
}
END_TEST

static int compare_sectors(const void *a, const void *b)
{
	return memcmp(*(const uint8_t *const *)a, *(const uint8_t *const *)b, SECTOR);
}

static size_t count_twins(const uint8_t *data, size_t len)
{
	size_t n = len / SECTOR, equal = 0;
	const uint8_t **sectors = xcalloc(n, sizeof(*sectors));

	for (size_t i = 0; i < n; i++)
		sectors[i] = data + i * SECTOR;
	qsort(sectors, n, sizeof(*sectors), compare_sectors);
	for (size_t i = 1; i < n; i++)
		equal += memcmp(sectors[i - 1], sectors[i], SECTOR) == 0;
	free(sectors);
	return equal;
}

START_TEST(every_512_bytes_are_unique_across_offsets_workers_and_runs)
{
	static const struct {
		const char *run;
		uint32_t worker;
		int64_t offset;
	} parts[] = {
		{ RUN_A, 0, 0 }, { RUN_A, 1, 0 }, { RUN_A, 0, 1LL << 40 },
		{ RUN_B, 0, 0 }, { RUN_B, 1, 0 }, { "", 0, 0 },
	};
	const size_t len = 2 * MIB;
	uint8_t *data = xcalloc(ARRAY_LEN(parts), len);

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		struct content c = make(&kinds[0], parts[i].run, parts[i].worker);

		content_fill(&c, parts[i].offset, data + i * len, len);
	}
	ck_assert_uint_eq(count_twins(data, ARRAY_LEN(parts) * len), 0);
	free(data);
}
END_TEST

/* ------------------------------------------------------------------ the file as data */

START_TEST(a_file_is_read_and_laid_out_in_whole_copies)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *path = xasprintf("%s/f", top);
	CLEANUP(content_source_close) struct content_source s = { 0 };
	struct err err = { 0 };

	testdir_put(top, "f", "abcdefg");
	ck_assert_msg(content_source_open(path, &s, &err) == 0, "%s", err.sentence);
	ck_assert_uint_gt(s.len, 0);
	ck_assert_uint_eq(s.len % 7, 0);
	for (size_t at = 0; at < s.len; at += 7)
		ck_assert_int_eq(memcmp(s.data + at, "abcdefg", 7), 0);
	content_source_close(&s);
	ck_assert_ptr_null(s.data);
}
END_TEST

START_TEST(of_a_huge_file_the_begin_is_taken)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *path = xasprintf("%s/f", top);
	CLEANUP(content_source_close) struct content_source s = { 0 };
	struct err err = { 0 };

	testdir_put(top, "f", "abcdefg");
	ck_assert_int_eq(truncate(path, CONTENT_SOURCE_MAX + 4097), 0);
	ck_assert_msg(content_source_open(path, &s, &err) == 0, "%s", err.sentence);
	ck_assert_int_eq((int64_t)s.len, CONTENT_SOURCE_MAX);
	ck_assert_mem_eq(s.data, "abcdefg\0", 8);
}
END_TEST

START_TEST(children_share_the_memory_of_the_source)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *path = xasprintf("%s/f", top);
	CLEANUP(content_source_close) struct content_source s = { 0 };
	struct err err = { 0 };
	pid_t child;

	testdir_put(top, "f", "abcdefg");
	ck_assert_int_eq(content_source_open(path, &s, &err), 0);
	child = fork();
	if (child == 0) {
		s.data[0] = 'X';
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_int_eq(s.data[0], 'X');
}
END_TEST

static const struct {
	const char *name;
	int rc;
	const char *sentence; /* after the path */
} refused[] = {
	{ "missing", -ENOENT, ": cannot open the file with the data: No such file or directory" },
	{ "empty", -EINVAL, ": the file with the data is empty" },
	{ "folder", -EINVAL, ": the data has to come from a regular file" },
	{ "pipe", -EINVAL, ": the data has to come from a regular file" },
};

START_TEST(what_is_no_file_with_content_is_refused)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(xfree) char *path = xasprintf("%s/%s", top, refused[_i].name);
	CLEANUP(xfree) char *pipe_path = xasprintf("%s/pipe", top);
	CLEANUP(xfree) char *sentence = xasprintf("%s%s", path, refused[_i].sentence);
	struct content_source s = { NULL, 77 };
	struct err err = { 0 };

	testdir_put(top, "empty", "");
	testdir_put(top, "folder/file", "x");
	ck_assert_int_eq(mkfifo(pipe_path, 0600), 0);
	ck_assert_int_eq(content_source_open(path, &s, &err), refused[_i].rc);
	ck_assert_str_eq(err.sentence, sentence);
	ck_assert_uint_eq(s.len, 77);
}
END_TEST

/* ------------------------------------------------------------------ checking */

START_TEST(good_blocks_are_good_and_their_stamps_are_counted)
{
	static uint8_t block[BLOCK], scratch[BLOCK];

	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		struct content c = make(&kinds[k], RUN_A, 3);
		struct content_check stamps = { 0 }, all = { 0 };

		for (int64_t at = 0; at < 4 * BLOCK; at += BLOCK) {
			content_fill(&c, at, block, BLOCK);
			content_check_stamps(&c, at, block, BLOCK, &stamps);
			content_check_all(&c, at, block, BLOCK, scratch, &all);
		}
		ck_assert_int_eq(stamps.stamps, 64);
		ck_assert_int_eq(stamps.bad, 0);
		ck_assert_int_eq(stamps.bad_kind, BAD_NONE);
		ck_assert_int_eq(all.stamps, 64);
		ck_assert_int_eq(all.bad, 0);
	}
}
END_TEST

static const struct {
	int64_t offset;
	size_t len;
	int64_t stamps;
} parts_of_a_file[] = {
	{ 0, 0, 0 },
	{ 0, 511, 0 },
	{ 0, 512, 1 },
	{ 512, 512, 0 },
	{ 512, 4096, 1 },
	{ 4096, 512, 1 },
	{ 488, 24, 1 },
	{ 489, 4096, 0 }, /* two halves */
	{ 489, 4119, 1 },
	{ 100, 65536, 16 },
	{ 0, 65536 + 511, 16 },
	{ (1LL << 44) - 4096, 8192, 2 },
};

START_TEST(stamps_that_lie_completely_in_a_part_are_looked_at)
{
	struct content c = make_kind(DATA_UNIQUE, 3);
	static uint8_t data[2 * BLOCK], scratch[2 * BLOCK];

	for (size_t i = 0; i < ARRAY_LEN(parts_of_a_file); i++) {
		struct content_check stamps = { 0 }, all = { 0 };
		int64_t offset = parts_of_a_file[i].offset;
		size_t len = parts_of_a_file[i].len;

		content_fill(&c, offset, data, len);
		content_check_stamps(&c, offset, data, len, &stamps);
		content_check_all(&c, offset, data, len, scratch, &all);
		ck_assert_int_eq(stamps.stamps, parts_of_a_file[i].stamps);
		ck_assert_int_eq(all.stamps, parts_of_a_file[i].stamps);
		ck_assert_int_eq(stamps.bad, 0);
		ck_assert_int_eq(all.bad, 0);
	}
}
END_TEST

/* What stands in the piece at 5 * PIECE of a file of worker 3 (from 0) instead of its own. */
#define BAD_AT (5 * PIECE)

static void of_nobody(uint8_t *piece)
{
	memset(piece, 0, PIECE);
}

static void of_another_run(uint8_t *piece)
{
	struct content c = make(&kinds[0], RUN_B, 3);

	content_fill(&c, BAD_AT, piece, PIECE);
}

static void of_another_worker(uint8_t *piece)
{
	struct content c = make(&kinds[0], RUN_A, 17);

	content_fill(&c, BAD_AT, piece, PIECE);
}

static void of_another_place(uint8_t *piece)
{
	struct content c = make(&kinds[0], RUN_A, 3);

	content_fill(&c, 1LL << 41, piece, PIECE);
}

static void of_something_else(uint8_t *piece)
{
	memset(piece, 'x', PIECE);
}

/* A genuine check sum over a place where no stamp lies. */
static void of_an_impossible_place(uint8_t *piece)
{
	of_another_place(piece);
	piece[STAMP_AT_BYTES + 8] |= 1;
}

static const struct {
	void (*put)(uint8_t *piece);
	int kind;
	int64_t worker;
	int64_t offset;
} findings[] = {
	{ of_nobody, BAD_ZEROS, 0, 0 },
	{ of_another_run, BAD_RUN, 0, 0 },
	{ of_another_worker, BAD_PLACE, 18, BAD_AT },
	{ of_another_place, BAD_PLACE, 4, 1LL << 41 },
	{ of_something_else, BAD_STAMP, 0, 0 },
	{ of_an_impossible_place, BAD_STAMP, 0, 0 },
};

START_TEST(what_stands_in_the_wrong_place_is_told)
{
	struct content c = make_kind(DATA_UNIQUE, 3);
	static uint8_t block[BLOCK], scratch[BLOCK];
	struct content_check stamps = { 0 }, all = { 0 };
	int64_t at;

	content_fill(&c, 0, block, BLOCK);
	findings[_i].put(block + BAD_AT);

	content_check_stamps(&c, 0, block, BLOCK, &stamps);
	ck_assert_int_eq(stamps.stamps, 16);
	ck_assert_int_eq(stamps.bad, 1);
	ck_assert_int_eq(stamps.bad_kind, findings[_i].kind);
	ck_assert_int_eq(stamps.bad_offset_bytes, BAD_AT);
	ck_assert_int_eq(stamps.found_worker, findings[_i].worker);
	ck_assert_int_eq(stamps.found_offset_bytes, findings[_i].offset);

	content_check_all(&c, 0, block, BLOCK, scratch, &all);
	ck_assert_int_eq(all.bad, 1);
	ck_assert_int_eq(all.bad_kind, findings[_i].kind);
	ck_assert_int_eq(all.found_worker, findings[_i].worker);
	ck_assert_int_eq(all.found_offset_bytes, findings[_i].offset);
	at = all.bad_offset_bytes;
	ck_assert(at >= BAD_AT && at < BAD_AT + PIECE);
	ck_assert_uint_ne(block[at], scratch[at]);
	ck_assert_mem_eq(block, scratch, (size_t)at);
}
END_TEST

START_TEST(each_flipped_bit_of_a_stamp_is_seen_and_no_other_run_or_place)
{
	struct content c = make_kind(DATA_UNIQUE, 3);
	uint8_t piece[PIECE];

	content_fill(&c, 9 * PIECE, piece, PIECE);
	for (size_t bit = 0; bit < STAMP_BYTES * 8; bit++) {
		uint8_t *byte = piece + STAMP_AT_BYTES + bit / 8;
		struct content_check check = { 0 };
		/* The check sum leaves out what a file of 16 TiB has not. */
		bool is_far = bit >= 64 + 44 && bit < 64 + 63;

		*byte ^= (uint8_t)(1 << bit % 8);
		content_check_stamps(&c, 9 * PIECE, piece, PIECE, &check);
		*byte ^= (uint8_t)(1 << bit % 8);
		ck_assert_int_eq(check.bad, 1);
		ck_assert_int_eq(check.bad_kind, is_far ? BAD_PLACE : BAD_STAMP);
	}
}
END_TEST

START_TEST(stamps_say_nothing_of_other_bytes_but_comparing_finds_each)
{
	static uint8_t block[BLOCK], scratch[BLOCK];

	for (size_t row = 0; row < ARRAY_LEN(kinds) * 64; row++) {
		struct content c = make(&kinds[row / 64], RUN_A, 3);
		size_t at = row % 64 * 1021 + 3;
		struct content_check stamps = { 0 }, all = { 0 };

		if (at % PIECE >= STAMP_AT_BYTES && at % PIECE < STAMP_AT_BYTES + STAMP_BYTES)
			continue;
		content_fill(&c, BLOCK, block, BLOCK);
		block[at] ^= 0x10;
		content_check_stamps(&c, BLOCK, block, BLOCK, &stamps);
		content_check_all(&c, BLOCK, block, BLOCK, scratch, &all);
		ck_assert_int_eq(stamps.bad, 0);
		ck_assert_int_eq(all.bad, 1);
		ck_assert_int_eq(all.bad_kind, BAD_CONTENT);
		ck_assert_int_eq(all.bad_offset_bytes, BLOCK + (int64_t)at);
	}
}
END_TEST

START_TEST(bad_pieces_are_added_up_and_the_first_one_stays)
{
	struct content c = make_kind(DATA_UNIQUE, 3);
	static uint8_t block[BLOCK], scratch[BLOCK];
	struct content_check stamps = { 0 }, all = { 0 };

	for (int64_t at = 0; at < 3 * BLOCK; at += BLOCK) {
		content_fill(&c, at, block, BLOCK);
		if (at == BLOCK)
			of_another_worker(block + 2 * PIECE);
		if (at)
			of_nobody(block + 7 * PIECE);
		content_check_stamps(&c, at, block, BLOCK, &stamps);
		content_check_all(&c, at, block, BLOCK, scratch, &all);
	}
	ck_assert_int_eq(stamps.stamps, 48);
	ck_assert_int_eq(stamps.bad, 3);
	ck_assert_int_eq(stamps.bad_kind, BAD_PLACE);
	ck_assert_int_eq(stamps.bad_offset_bytes, BLOCK + 2 * PIECE);
	ck_assert_int_eq(all.bad, 3);
	ck_assert_int_eq(all.bad_kind, BAD_PLACE);
}
END_TEST

START_TEST(blocks_of_512_bytes_are_checked_as_well)
{
	struct content c = make_kind(DATA_UNIQUE, 3);
	uint8_t sector[SECTOR], scratch[SECTOR];
	struct content_check stamps = { 0 }, all = { 0 };

	for (int64_t at = 0; at < 4 * PIECE; at += SECTOR) {
		content_fill(&c, at, sector, SECTOR);
		if (at == PIECE)
			memset(sector, 0, SECTOR);
		if (at == 2 * PIECE + SECTOR) /* no stamp there */
			memset(sector, 0, SECTOR);
		content_check_stamps(&c, at, sector, SECTOR, &stamps);
		content_check_all(&c, at, sector, SECTOR, scratch, &all);
	}
	ck_assert_int_eq(stamps.stamps, 4);
	ck_assert_int_eq(stamps.bad, 1);
	ck_assert_int_eq(stamps.bad_kind, BAD_ZEROS);
	ck_assert_int_eq(stamps.bad_offset_bytes, PIECE);
	ck_assert_int_eq(all.stamps, 4);
	ck_assert_int_eq(all.bad, 2);
	ck_assert_int_eq(all.bad_kind, BAD_ZEROS);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("run_content");
	TCase *tc = tcase_create("content");
	SRunner *runner;
	int n_failed;

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, every_4_kib_has_a_stamp_of_run_place_and_worker);
	tcase_add_test(tc, the_file_begins_with_a_line_that_says_what_it_is);
	tcase_add_test(tc, a_line_that_is_too_long_still_ends);
	tcase_add_test(tc, the_same_place_gives_the_same_bytes_however_it_is_cut);
	tcase_add_test(tc, fills_not_one_byte_beyond_the_length);
	tcase_add_test(tc, filling_again_gives_what_filling_gives);
	tcase_add_test(tc, filling_again_works_with_blocks_that_split_pieces_and_in_new_memory);
	tcase_add_test(tc, zeros_are_zeros_but_for_line_and_stamps);
	tcase_add_loop_test(tc, the_given_share_of_each_4_kib_is_zeros_at_its_end, 0,
			    ARRAY_LEN(shares));
	tcase_add_test(tc, the_content_of_a_file_is_repeated);
	tcase_add_test(tc, every_512_bytes_are_unique_across_offsets_workers_and_runs);
	tcase_add_test(tc, a_file_is_read_and_laid_out_in_whole_copies);
	tcase_add_test(tc, of_a_huge_file_the_begin_is_taken);
	tcase_add_test(tc, children_share_the_memory_of_the_source);
	tcase_add_loop_test(tc, what_is_no_file_with_content_is_refused, 0, ARRAY_LEN(refused));
	tcase_add_test(tc, good_blocks_are_good_and_their_stamps_are_counted);
	tcase_add_test(tc, stamps_that_lie_completely_in_a_part_are_looked_at);
	tcase_add_loop_test(tc, what_stands_in_the_wrong_place_is_told, 0, ARRAY_LEN(findings));
	tcase_add_test(tc, each_flipped_bit_of_a_stamp_is_seen_and_no_other_run_or_place);
	tcase_add_test(tc, stamps_say_nothing_of_other_bytes_but_comparing_finds_each);
	tcase_add_test(tc, bad_pieces_are_added_up_and_the_first_one_stays);
	tcase_add_test(tc, blocks_of_512_bytes_are_checked_as_well);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
