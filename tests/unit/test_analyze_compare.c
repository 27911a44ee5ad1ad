/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_analyze_compare - what differs between two reports, and which changes are more than spread
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "golden.h"
#include "iotest/analyze.h"
#include "iotest/compiler.h"
#include "iotest/render.h"
#include "iotest/xalloc.h"
#include "sample_record.h"
#include "suite.h"

static const struct difference *find(const struct comparison *c, const char *key)
{
	for (size_t i = 0; i < c->n_differences; i++)
		if (strcmp(c->differences[i].key, key) == 0)
			return &c->differences[i];
	return NULL;
}

static const struct rate_change *change_of(const struct comparison *c, int kind)
{
	for (size_t i = 0; i < c->n_changes; i++)
		if (c->changes[i].kind == kind)
			return &c->changes[i];
	return NULL;
}

static void compare_ok(const struct record *a, const struct record *b, struct comparison *out)
{
	struct err err = { 0 };

	ck_assert_msg(analyze_compare(&a->report, &b->report, out, &err) == 0, "%s", err.sentence);
}

START_TEST(a_report_does_not_differ_from_itself)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(comparison_done) struct comparison c = { 0 };
	struct record *r = sample_record_add(&records);

	compare_ok(r, r, &c);
	ck_assert_uint_eq(c.n_differences, 0);
	ck_assert_uint_eq(c.n_changes, 2);
	for (size_t i = 0; i < c.n_changes; i++) {
		ck_assert_int_eq(c.changes[i].result, CHANGE_NONE);
		ck_assert_double_eq_tol(c.changes[i].ratio, 0, 1e-12);
	}
}
END_TEST

static const struct {
	double a_low, a, a_high, b_low, b, b_high;
	int want;
} spreads[] = {
	{ 98, 100, 102, 80, 90, 97.9, CHANGE_LOWER },	{ 98, 100, 102, 80, 90, 98, CHANGE_NONE },
	{ 98, 100, 102, 103, 110, 120, CHANGE_HIGHER }, { 50, 100, 150, 49, 60, 200, CHANGE_NONE },
	{ 98, 100, 102, 98, 100, 102, CHANGE_NONE },
};

START_TEST(a_change_counts_where_the_ranges_of_the_runs_do_not_touch)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(comparison_done) struct comparison c = { 0 };
	struct record *a = sample_record_add_repeats(&records);
	struct record *b = sample_record_add_repeats(&records);
	const struct rate_change *change;

	a->report.write.lowest_mib_per_s_per_core = spreads[_i].a_low;
	a->report.write.judged_mib_per_s_per_core = spreads[_i].a;
	a->report.write.highest_mib_per_s_per_core = spreads[_i].a_high;
	b->report.write.lowest_mib_per_s_per_core = spreads[_i].b_low;
	b->report.write.judged_mib_per_s_per_core = spreads[_i].b;
	b->report.write.highest_mib_per_s_per_core = spreads[_i].b_high;
	compare_ok(a, b, &c);
	change = change_of(&c, PHASE_WRITE);
	ck_assert_int_eq(change->result, spreads[_i].want);
	ck_assert_int_eq(change->a.spread_of, SPREAD_RUNS);
	ck_assert_double_eq_tol(change->ratio, spreads[_i].b / spreads[_i].a - 1, 1e-9);
}
END_TEST

START_TEST(one_run_is_held_against_its_rounds)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(comparison_done) struct comparison c = { 0 };
	struct record *a = sample_record_add(&records);
	struct record *b = sample_record_add(&records);

	/* Its last rounds lie within 4 %. */
	b->report.read.judged_mib_per_s_per_core *= 0.95;
	b->report.write.judged_mib_per_s_per_core *= 0.97;
	compare_ok(a, b, &c);
	ck_assert_int_eq(change_of(&c, PHASE_READ)->result, CHANGE_LOWER);
	ck_assert_int_eq(change_of(&c, PHASE_READ)->a.spread_of, SPREAD_ROUNDS);
	ck_assert_int_eq(change_of(&c, PHASE_WRITE)->result, CHANGE_NONE);
}
END_TEST

START_TEST(without_a_spread_a_change_is_not_told)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(comparison_done) struct comparison c = { 0 };
	struct record *a = sample_record_add(&records);
	struct record *b = sample_record_add(&records);

	b->report.read.judged_mib_per_s_per_core = 1;
	b->report.read.is_steady = -1;
	b->report.write.usable = 0;
	compare_ok(a, b, &c);
	ck_assert_int_eq(change_of(&c, PHASE_READ)->result, CHANGE_UNKNOWN);
	ck_assert_int_eq(change_of(&c, PHASE_WRITE)->result, CHANGE_UNKNOWN);
	/* What cannot be used is not there. */
	ck_assert_double_eq(change_of(&c, PHASE_WRITE)->b.mib_per_s_per_core, -1);
	ck_assert(isnan(change_of(&c, PHASE_WRITE)->ratio));
}
END_TEST

START_TEST(unlike_methods_are_refused_with_what_differs)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(comparison_done) struct comparison c = { 0 };
	struct err err = { 0 };
	struct record *a = sample_record_add(&records);
	struct record *b = sample_record_add_quick(&records);

	ck_assert_int_eq(analyze_compare(&a->report, &b->report, &c, &err), -EINVAL);
	ck_assert_int_eq(err.status, EXIT_STATUS_UNUSABLE);
	ck_assert_str_eq(err.sentence,
			 "rates of unlike methods are not comparable: method full/2 and quick/1, "
			 "mode full and quick, io.window_bytes unknown and 256 MiB");
	ck_assert_uint_eq(c.n_differences + c.n_changes, 0);
}
END_TEST

static void change_much(struct record *b)
{
	b->host.memory_bytes = 48 * GIB;
	b->host.threads = -1;
	b->host.cpu_quota_cores = -1;
	xstr_set(&b->host.name, "sasnode4");
	xstr_set(&b->host.os.kernel, "");
	xstr_set(&b->host.targets[0].mount_options, "rw,relatime,attr2,inode64");
	b->host.targets[0].devices[1].read_ahead_bytes = 4 * MIB;
	b->host.targets[0].devices[1].rotational = 0;
	b->host.targets[0].free_bytes = 7;
	b->plan.workers = 8;
	b->plan.io.direct = 1;
	b->plan.cache_bytes++;
	b->report.verdict.result = VERDICT_PASS;
	xstr_set(&b->report.write.limited_by, "core");
	xstr_set(&b->report.findings[0].id, "time-limit");
	b->report.write.judged_mib_per_s_per_core = 160;
}

START_TEST(what_differs_is_told_as_people_read_it)
{
	static const struct {
		const char *key, *a, *b;
	} want[] = {
		{ "memory_bytes", "96 GiB", "48 GiB" },
		{ "threads", "8", "unknown" },
		{ "cpu_quota_cores", "2.5", "unknown" },
		{ "name", "sasnode3.example.net", "sasnode4" },
		{ "os.kernel", "5.14.0-503.el9.x86_64", "unknown" },
		{ "mount_options", "rw,noatime,attr2,inode64", "rw,relatime,attr2,inode64" },
		{ "devices[1].read_ahead_bytes", "128 KiB", "4 MiB" },
		{ "devices[1].rotational", "yes", "no" },
		{ "workers", "4", "8" },
		{ "io.direct", "no", "yes" },
		{ "cache_bytes", "96.00 GiB (103079215106)", "96.00 GiB (103079215105)" },
		{ "verdict", "below", "pass" },
		{ "write limited by", "device", "core" },
		{ "finding time-limit", "none", "this control group may use 2.5 cores" },
		{ "finding cpu-quota", "this control group may use 2.5 cores", "none" },
	};
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(comparison_done) struct comparison c = { 0 };
	struct record *a = sample_record_add(&records);
	struct record *b = sample_record_add(&records);

	a->plan.cache_bytes += 2;
	change_much(b);
	compare_ok(a, b, &c);
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		const struct difference *d = find(&c, want[i].key);

		ck_assert_msg(d != NULL, "no %s", want[i].key);
		ck_assert_str_eq(d->a, want[i].a);
		ck_assert_str_eq(d->b, want[i].b);
	}
	/* Free space is another every minute. */
	ck_assert_ptr_null(find(&c, "free_bytes"));
	ck_assert_uint_eq(c.n_differences, ARRAY_LEN(want));
}
END_TEST

START_TEST(lists_of_unlike_length_are_compared_as_far_as_they_go)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(comparison_done) struct comparison c = { 0 };
	struct record *a = sample_record_add(&records);
	struct record *b = sample_record_add(&records);
	struct target *t = &b->host.targets[0];

	schema_done(&device_schema, &t->devices[--t->n_devices]);
	compare_ok(a, b, &c);
	ck_assert_str_eq(find(&c, "devices")->a, "2 of them");
	ck_assert_str_eq(find(&c, "devices")->b, "1 of them");
	ck_assert_uint_eq(c.n_differences, 1);
}
END_TEST

START_TEST(nothing_known_compares_with_anything)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(comparison_done) struct comparison c = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct record *a = records_add(&records);
	struct record *b = sample_record_add(&records);

	xstr_set(&a->plan.method, "full/2");
	compare_ok(a, b, &c);
	render_comparison_text(&c, "a", "b", &out);
	ck_assert_ptr_nonnull(strstr(buf_text(&out), "unknown target on unknown host"));
}
END_TEST

START_TEST(the_page_is_the_golden_one)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(comparison_done) struct comparison c = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct record *a = sample_record_add(&records);
	struct record *b = sample_record_add(&records);

	change_much(b);
	xstr_set(&b->plan.target, "/data/work\033[1m");
	compare_ok(a, b, &c);
	render_comparison_text(&c, "good.tar.gz", "bad.tar.gz", &out);
	golden_check("compare.txt", buf_text(&out));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("analyze_compare");
	TCase *all = tcase_create("analyze_compare");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	suite_add_tcase(suite, all);
	tcase_add_test(all, a_report_does_not_differ_from_itself);
	tcase_add_loop_test(all, a_change_counts_where_the_ranges_of_the_runs_do_not_touch, 0,
			    ARRAY_LEN(spreads));
	tcase_add_test(all, one_run_is_held_against_its_rounds);
	tcase_add_test(all, without_a_spread_a_change_is_not_told);
	tcase_add_test(all, unlike_methods_are_refused_with_what_differs);
	tcase_add_test(all, what_differs_is_told_as_people_read_it);
	tcase_add_test(all, lists_of_unlike_length_are_compared_as_far_as_they_go);
	tcase_add_test(all, nothing_known_compares_with_anything);
	tcase_add_test(all, the_page_is_the_golden_one);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? 1 : 0;
}
