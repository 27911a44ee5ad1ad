/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_render_host_plan - the pages of probe and plan
 */
#include <string.h>

#include "golden.h"
#include "iotest/compiler.h"
#include "iotest/render.h"
#include "iotest/xalloc.h"
#include "sample_record.h"
#include "suite.h"

START_TEST(host_is_the_golden_page)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	render_host_text(&sample_record_add(&records)->host, &out);
	golden_check("host.txt", buf_text(&out));
}
END_TEST

START_TEST(plan_is_the_golden_page)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct record *r = sample_record_add(&records);

	render_plan_text(&r->host, &r->plan, &out);
	golden_check("plan.txt", buf_text(&out));
}
END_TEST

START_TEST(host_and_plan_of_nothing_known_are_pages_too)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct record *r = records_add(&records);

	schema_init(&target_schema, XGROW(&r->host.targets, &r->host.n_targets));
	render_host_text(&r->host, &out);
	ck_assert_ptr_nonnull(strstr(buf_text(&out), "HOST  unknown\n"));
	ck_assert_ptr_nonnull(strstr(buf_text(&out), "TARGET  unknown\n"));
	ck_assert_ptr_nonnull(strstr(buf_text(&out), "  devices          none known\n"));
	render_plan_text(&r->host, &r->plan, &out);
	ck_assert_ptr_nonnull(strstr(buf_text(&out), "PLAN  unknown target\n"));
	ck_assert_ptr_null(strstr(buf_text(&out), "CONSENT"));
}
END_TEST

START_TEST(host_with_devices_that_lie_on_each_other_ends)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct record *r = sample_record_add(&records);

	r->host.targets[0].devices[0].parent = 1;
	render_host_text(&r->host, &out);
	ck_assert_ptr_nonnull(strstr(buf_text(&out), "NOTES\n"));
	r->host.targets[0].devices[0].parent = 0;
	render_host_text(&r->host, &out);
}
END_TEST

START_TEST(plan_escapes_what_a_terminal_must_not_see)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct record *r = sample_record_add(&records);

	xstr_set(&r->plan.target, "/a\033[2J b");
	xstr_set(&r->plan.reasons[0].text, "\xff\n");
	render_plan_text(&r->host, &r->plan, &out);
	ck_assert_ptr_nonnull(strstr(buf_text(&out), "PLAN  /a\\033[2J b\n"));
	ck_assert_ptr_nonnull(strstr(buf_text(&out), "  \\377\\012\n"));
}
END_TEST

SUITE_MAIN("render_host_plan", host_is_the_golden_page, plan_is_the_golden_page,
	   host_and_plan_of_nothing_known_are_pages_too,
	   host_with_devices_that_lie_on_each_other_ends, plan_escapes_what_a_terminal_must_not_see)
