/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_bundle_prune - old bundles go, and nothing else
 */
#include "bundle_scratch.h"

#include "iotest/sysroot.h"

static void make(const struct scratch *s, const char *stem)
{
	struct bundle b = { 0 };
	struct err err = { 0 };

	open_bundle_in(s, stem, &b);
	put_text(&b, "report.txt", "verdict: pass\n");
	ck_assert_msg(bundle_seal(&b, false, false, &err) == 0, "%s", err.sentence);
	bundle_done(&b);
}

static void put(const struct scratch *s, const char *name)
{
	int fd = openat(s->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	close(fd);
}

static size_t prune(const struct scratch *s, size_t keep)
{
	CLEANUP(strlist_done) struct strlist removed = { 0 };

	ck_assert_int_eq(bundle_prune(s->path, "iotest_host_check_20260201-120000.tar.gz", keep,
				      &removed),
			 0);
	return removed.n_items;
}

START_TEST(the_oldest_go_and_the_newest_stay)
{
	struct scratch s = scratch_make();

	make(&s, "iotest_host_check_20260201-120000");
	make(&s, "iotest_host_check_20260201-120000");
	make(&s, "iotest_host_check_20251231-235959");
	make(&s, "iotest_host_check_20260101-000000");
	ck_assert_int_eq(prune(&s, 4), 0);
	ck_assert_int_eq(prune(&s, 2), 2);
	ck_assert(scratch_has(&s, "iotest_host_check_20260201-120000.tar.gz"));
	ck_assert(scratch_has(&s, "iotest_host_check_20260201-120000_2.tar.gz"));
	ck_assert_int_eq(prune(&s, 1), 1);
	ck_assert(!scratch_has(&s, "iotest_host_check_20260201-120000.tar.gz"));
	scratch_remove(&s);
}
END_TEST

START_TEST(what_is_not_surely_a_bundle_of_a_check_stays)
{
	static const char *const others[] = {
		"iotest_host_check_20200101-000000.tar.gz", /* empty */
		"iotest_host_check_20200101-000000.tar.gz.bak",
		"iotest_host_check_20200101-000000x.tar.gz",
		"iotest_host_check_20200101-00000.tar.gz",
		"iotest_host_check_20200101-000000_.tar.gz",
		"iotest_host_check_.tar.gz",
		"iotest_host_check_",
		"important.tar.gz",
	};
	struct scratch s = scratch_make();

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		put(&s, others[i]);
	/* Of another host, of a run, and of another case. */
	make(&s, "iotest_host2_check_20200101-000000");
	make(&s, "iotest_host_20200101-000000");
	make(&s, "iotest_host_other-check_20200101-000000");
	make(&s, "iotest_host_check_20260201-120000");
	ck_assert_int_eq(
		symlinkat("important.tar.gz", s.fd, "iotest_host_check_20190101-000000.tar.gz"), 0);
	ck_assert_int_eq(mkdirat(s.fd, "iotest_host_check_20180101-000000.tar.gz", 0700), 0);
	ck_assert_int_eq(prune(&s, 1), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(scratch_has(&s, others[i]), "%s", others[i]);
	ck_assert(scratch_has(&s, "iotest_host_20200101-000000.tar.gz"));
	scratch_remove(&s);
}
END_TEST

START_TEST(a_name_without_a_time_prunes_nothing)
{
	static const char *const names[] = {
		"", "x", "iotest_host_check.tar.gz", "20260201-120000", "20260201-12000",
	};
	struct scratch s = scratch_make();

	make(&s, "iotest_host_check_20260201-120000");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CLEANUP(strlist_done) struct strlist removed = { 0 };

		ck_assert_int_eq(bundle_prune(s.path, names[i], 0, &removed), -EINVAL);
	}
	ck_assert(scratch_has(&s, "iotest_host_check_20260201-120000.tar.gz"));
	scratch_remove(&s);
}
END_TEST

SUITE_MAIN("prune", the_oldest_go_and_the_newest_stay, what_is_not_surely_a_bundle_of_a_check_stays,
	   a_name_without_a_time_prunes_nothing)
