/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_plan_sizing - the rules of the reference script, row by row
 */
#include "suite.h"

#include <errno.h>
#include <stdint.h>

#include "iotest/compiler.h"
#include "plan/sizing.h"

#define BLOCK (64 * KIB)
#define NONE (-1)

static const struct {
	const char *what;
	struct size_question q;
	int rc;
	int64_t bytes_per_worker;
	int64_t preallocation;
	bool to_space;
	bool to_cap;
} rows[] = {
	{ "fits on ext4",
	  { 24 * GIB, 2, BLOCK, 100 * GIB, 100 * GIB, 10, false, NONE, NONE, 0, 0, 0 },
	  0,
	  24 * GIB,
	  0,
	  false,
	  false },
	{ "memory is rounded down to blocks",
	  { 24 * GIB + BLOCK - 1, 2, BLOCK, 100 * GIB, 100 * GIB, 10, false, NONE, NONE, 0, 0, 0 },
	  0,
	  24 * GIB,
	  0,
	  false,
	  false },
	{ "just fits above the reserve",
	  { 45 * GIB, 2, BLOCK, 100 * GIB, 100 * GIB, 10, false, NONE, NONE, 0, 0, 0 },
	  0,
	  45 * GIB,
	  0,
	  false,
	  false },
	{ "shrinks to the space above the reserve",
	  { 50 * GIB, 2, BLOCK, 100 * GIB, 100 * GIB, 10, false, NONE, NONE, 0, 0, 0 },
	  0,
	  45 * GIB,
	  0,
	  true,
	  false },
	{ "a pod keeps 25 %",
	  { 50 * GIB, 2, BLOCK, 100 * GIB, 100 * GIB, 25, false, NONE, NONE, 0, 0, 0 },
	  0,
	  75 * GIB / 2,
	  0,
	  true,
	  false },
	{ "reserve counts the whole file system, not the free part",
	  { 50 * GIB, 2, BLOCK, 50 * GIB, 100 * GIB, 10, false, NONE, NONE, 0, 0, 0 },
	  0,
	  20 * GIB,
	  0,
	  true,
	  false },
	{ "XFS takes up to 8 GiB ahead",
	  { 24 * GIB, 2, BLOCK, 100 * GIB, 100 * GIB, 10, true, NONE, NONE, 0, 0, 0 },
	  0,
	  24 * GIB,
	  8 * GIB,
	  false,
	  false },
	{ "XFS takes as much as a small file",
	  { 1 * GIB, 2, BLOCK, 100 * GIB, 100 * GIB, 10, true, NONE, NONE, 0, 0, 0 },
	  0,
	  1 * GIB,
	  1 * GIB,
	  false,
	  false },
	{ "XFS with allocsize takes that",
	  { 24 * GIB, 2, BLOCK, 100 * GIB, 100 * GIB, 10, true, GIB, NONE, 0, 0, 0 },
	  0,
	  24 * GIB,
	  GIB,
	  false,
	  false },
	{ "XFS shrinks to half up to 16 GiB",
	  { 20 * GIB, 2, BLOCK, 42 * GIB, 100 * GIB, 10, true, NONE, NONE, 0, 0, 0 },
	  0,
	  8 * GIB,
	  8 * GIB,
	  true,
	  false },
	{ "XFS shrinks by 8 GiB above 16 GiB",
	  { 30 * GIB, 2, BLOCK, 50 * GIB, 100 * GIB, 10, true, NONE, NONE, 0, 0, 0 },
	  0,
	  12 * GIB,
	  8 * GIB,
	  true,
	  false },
	{ "XFS with allocsize shrinks by that",
	  { 30 * GIB, 2, BLOCK, 50 * GIB, 100 * GIB, 10, true, GIB, NONE, 0, 0, 0 },
	  0,
	  19 * GIB,
	  GIB,
	  true,
	  false },
	{ "an allocsize above half the share leaves half",
	  { 30 * GIB, 2, BLOCK, 12 * GIB, 100 * GIB, 10, true, 3 * GIB, NONE, 0, 0, 0 },
	  0,
	  GIB / 2,
	  GIB / 2,
	  true,
	  false },
	{ "files in memory are capped together",
	  { 24 * GIB, 2, BLOCK, 100 * GIB, 100 * GIB, 10, false, NONE, 10 * GIB, 0, 0, 0 },
	  0,
	  5 * GIB,
	  0,
	  false,
	  true },
	{ "an unknown size of the file system shrinks nothing",
	  { 24 * GIB, 2, BLOCK, NONE, NONE, 10, false, NONE, NONE, 0, 0, 0 },
	  0,
	  24 * GIB,
	  0,
	  false,
	  false },
	{ "no space above the reserve",
	  { GIB, 2, BLOCK, 5 * GIB, 100 * GIB, 10, false, NONE, NONE, 0, 0, 0 },
	  -ENOSPC,
	  0,
	  0,
	  false,
	  false },
	{ "less than one block of room per worker",
	  { GIB, 4, GIB, 12 * GIB, 100 * GIB, 10, false, NONE, NONE, 0, 0, 0 },
	  -ENOSPC,
	  0,
	  0,
	  false,
	  false },
	{ "less than one block wanted",
	  { BLOCK - 1, 2, BLOCK, GIB, GIB, 10, false, NONE, NONE, 0, 0, 0 },
	  -EINVAL,
	  0,
	  0,
	  false,
	  false },
	{ "nothing wanted",
	  { 0, 2, BLOCK, GIB, GIB, 10, false, NONE, NONE, 0, 0, 0 },
	  -EINVAL,
	  0,
	  0,
	  false,
	  false },
	{ "no workers",
	  { GIB, 0, BLOCK, GIB, GIB, 10, false, NONE, NONE, 0, 0, 0 },
	  -EINVAL,
	  0,
	  0,
	  false,
	  false },
	{ "24 TiB on 512 workers",
	  { 24 * 1024 * GIB, 512, BLOCK, NONE, NONE, 10, false, NONE, NONE, 0, 0, 0 },
	  0,
	  24 * 1024 * GIB,
	  0,
	  false,
	  false },
	{ "overflow is an error",
	  { INT64_MAX / 2, 4, BLOCK, NONE, NONE, 10, false, NONE, NONE, 0, 0, 0 },
	  -EOVERFLOW,
	  0,
	  0,
	  false,
	  false },
	{ "overflow on a known file system shrinks",
	  { INT64_MAX / 2, 4, BLOCK, 100 * GIB, 100 * GIB, 10, false, NONE, NONE, 0, 0, 0 },
	  0,
	  90 * GIB / 4,
	  0,
	  true,
	  false },
	{ "two tests share what is above one reserve",
	  { 50 * GIB, 2, BLOCK, 100 * GIB, 100 * GIB, 10, false, NONE, NONE, 0, 2, 0 },
	  0,
	  90 * GIB / 4,
	  0,
	  true,
	  false },
	{ "rounded down to the step",
	  { 10 * 4096 - 1, 2, 512, 100 * GIB, 100 * GIB, 10, false, NONE, NONE, 4096, 0, 0 },
	  0,
	  9 * 4096,
	  0,
	  false,
	  false },
	{ "below a step whole blocks remain",
	  { 3000, 2, 512, 100 * GIB, 100 * GIB, 10, false, NONE, NONE, 4096, 0, 0 },
	  0,
	  5 * 512,
	  0,
	  false,
	  false },
};

START_TEST(sizing_follows_the_rules)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct size_answer a = { .bytes_per_worker = -7 };
		int rc = sizing_solve(&rows[i].q, &a);

		ck_assert_msg(rc == rows[i].rc, "%s: rc %d", rows[i].what, rc);
		if (rc) {
			ck_assert_msg(a.bytes_per_worker == -7, "%s: touched", rows[i].what);
			continue;
		}
		ck_assert_msg(a.bytes_per_worker == rows[i].bytes_per_worker, "%s: %lld bytes",
			      rows[i].what, (long long)a.bytes_per_worker);
		ck_assert_msg(a.preallocation_bytes == rows[i].preallocation, "%s: ahead %lld",
			      rows[i].what, (long long)a.preallocation_bytes);
		ck_assert_msg(a.shrunk_to_space == rows[i].to_space, "%s: space", rows[i].what);
		ck_assert_msg(a.shrunk_to_cap == rows[i].to_cap, "%s: cap", rows[i].what);
		ck_assert_int_eq(a.bytes_per_worker % rows[i].q.block_bytes, 0);
		ck_assert_int_eq(a.blocks_per_worker * rows[i].q.block_bytes, a.bytes_per_worker);
		ck_assert_int_eq(a.total_bytes, a.bytes_per_worker * rows[i].q.workers);
	}
}
END_TEST

START_TEST(what_was_shrunk_fits_with_its_preallocation)
{
	for (int64_t free_gib = 11; free_gib < 200; free_gib++) {
		struct size_question q = { 500 * GIB, 3,  BLOCK, free_gib * GIB,
					   100 * GIB, 10, true,	 NONE,
					   NONE,      0,  0,	 0 };
		struct size_answer a;

		ck_assert_int_eq(sizing_solve(&q, &a), 0);
		ck_assert_int_le((a.bytes_per_worker + a.preallocation_bytes) * 3, a.usable_bytes);
	}
}
END_TEST

SUITE_MAIN("sizing", sizing_follows_the_rules, what_was_shrunk_fits_with_its_preallocation)
