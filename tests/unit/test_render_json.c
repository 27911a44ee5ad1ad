/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_render_json - records to JSON and back; and what is no record
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "iotest/compiler.h"
#include "iotest/render.h"
#include "iotest/xalloc.h"
#include "sample_record.h"
#include "suite.h"

static char *json_of(const struct records *records)
{
	struct buf out = { 0 };

	ck_assert_int_eq(render_records_json(records, &out, NULL), 0);
	return buf_take(&out);
}

static void read_ok(const char *text, struct records *out)
{
	struct err err = { 0 };
	int rc = render_read_json(text, strlen(text), "report.json", out, &err);

	ck_assert_msg(rc == 0, "%d: %s", rc, err.sentence);
}

static void assert_round_trip(const struct records *records)
{
	CLEANUP(records_done) struct records again = { 0 };
	CLEANUP(xfree) char *first = json_of(records);
	CLEANUP(xfree) char *second = NULL;

	read_ok(first, &again);
	second = json_of(&again);
	ck_assert_str_eq(first, second);
}

START_TEST(json_is_the_golden_file)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *text = NULL;

	sample_record_add(&records);
	text = json_of(&records);
	golden_check("report.json", text);
}
END_TEST

START_TEST(json_of_a_record_comes_back_as_the_same_bytes)
{
	CLEANUP(records_done) struct records full = { 0 };
	CLEANUP(records_done) struct records quick = { 0 };
	CLEANUP(records_done) struct records repeats = { 0 };

	sample_record_add(&full);
	assert_round_trip(&full);
	sample_record_add_quick(&quick);
	assert_round_trip(&quick);
	sample_record_add_repeats(&repeats);
	assert_round_trip(&repeats);
}
END_TEST

static const struct {
	int status;
	int64_t mixed_percent;
	bool is_there;
} left_out[] = {
	{ PHASE_NOT_RUN, -1, false },
	{ PHASE_FAILED, -1, true },
	{ PHASE_COMPLETE, 70, true },
	{ PHASE_NOT_RUN, 70, true }, /* it should have been: its reason says why it was not */
};

START_TEST(json_leaves_out_phases_that_were_not_to_be_run)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add_quick(&records);
	CLEANUP(xfree) char *text = NULL;

	r->run.mixed.status = left_out[_i].status;
	r->plan.mixed_read_percent = left_out[_i].mixed_percent;
	text = json_of(&records);
	ck_assert_int_eq(strstr(text, "\n    \"mixed\": {") != NULL, left_out[_i].is_there);
	ck_assert_ptr_null(strstr(text, "\"control_write\""));
	ck_assert_ptr_null(strstr(text, "\"control_read\""));
	ck_assert_ptr_nonnull(strstr(text, "\n    \"write\": {"));
	ck_assert_ptr_nonnull(strstr(text, "\n    \"read\": {"));
	assert_round_trip(&records);
}
END_TEST

static const struct {
	size_t n, written;
} lengths[] = {
	{ 0, 0 }, { 1, 1 }, { 2000, 2000 }, { 2001, 1001 }, { 4000, 2000 }, { 9999, 2000 }
};

START_TEST(json_has_at_most_2000_points_in_time_and_the_last_one)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(records_done) struct records again = { 0 };
	CLEANUP(xfree) char *text = NULL;
	struct phase *phase = &records_add(&records)->run.write;

	for (size_t i = 0; i < lengths[_i].n; i++)
		XGROW(&phase->series, &phase->n_series)->at_ns = (int64_t)i;
	text = json_of(&records);
	read_ok(text, &again);
	phase = &again.items[0]->run.write;
	ck_assert_uint_eq(phase->n_series, lengths[_i].written);
	if (phase->n_series > 0)
		ck_assert_int_eq(phase->series[phase->n_series - 1].at_ns,
				 (int64_t)lengths[_i].n - 1);
}
END_TEST

static char *fixture(const char *name)
{
	const char *fixtures = getenv("FIXTURES");
	CLEANUP(xfree)
	char *path = xasprintf("%s/reports/%s", fixtures ? fixtures : "tests/fixtures", name);
	struct buf out = { 0 };
	FILE *f = fopen(path, "re");
	char piece[4096];
	size_t n;

	ck_assert_msg(f != NULL, "%s", path);
	while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
		buf_add(&out, piece, n);
	fclose(f);
	return buf_take(&out);
}

/* Keys that came later are unknown, and the page says less instead of anything wrong. */
START_TEST(json_of_the_first_method_is_still_a_report)
{
	static const char *const lines[] = {
		"\n  read  judged all bytes            105.03  420.1  400.0   4 cores  900-936 s\n",
		"\n  write judged all bytes             78.52  314.1  400.0   3 cores  1240-1252 "
		"s\n",
		"\n  write throughput rate:  78.90 megabytes/second per physical core\n",
		"\n  reads    99.9 % of it came from the storage\n",
		"  full run  case 7612\n",
	};
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };
	CLEANUP(xfree) char *text = fixture("report-of-method-1.json");
	const struct record *r;

	read_ok(text, &records);
	r = records.items[0];
	ck_assert_str_eq(r->plan.method, "full/1");
	ck_assert_int_eq(r->run.mixed.status, PHASE_NOT_RUN);
	ck_assert_int_eq(r->report.mixed.usable, -1);
	ck_assert_int_eq(r->report.write.is_steady, -1);
	ck_assert_int_eq(r->run.write.workers[0].call_p50_ns, -1);
	render_report_text(&r->report, &page);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		ck_assert_msg(strstr(buf_text(&page), lines[i]) != NULL, "no \"%s\" in:\n%s",
			      lines[i], buf_text(&page));
	ck_assert_ptr_null(strstr(buf_text(&page), "CALLS"));
	ck_assert_ptr_null(strstr(buf_text(&page), "OVER TIME"));
	assert_round_trip(&records);
}
END_TEST

START_TEST(json_of_nothing_known_comes_back_as_the_same_bytes)
{
	CLEANUP(records_done) struct records records = { 0 };

	records_add(&records);
	assert_round_trip(&records);
}
END_TEST

START_TEST(json_of_two_targets_is_a_list_and_comes_back)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(records_done) struct records again = { 0 };
	CLEANUP(xfree) char *text = NULL;

	sample_record_add(&records);
	sample_record_add(&records);
	xstr_set(&records.items[1]->plan.target, "/second");
	assert_round_trip(&records);
	text = json_of(&records);
	read_ok(text, &again);
	ck_assert_uint_eq(again.n_items, 2);
	ck_assert_str_eq(again.items[0]->plan.target, "/data/work");
	ck_assert_str_eq(again.items[1]->plan.target, "/second");
}
END_TEST

START_TEST(json_gives_back_facts_and_points_into_its_own_record)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(records_done) struct records again = { 0 };
	CLEANUP(xfree) char *text = NULL;
	const struct record *r;

	sample_record_add(&records);
	text = json_of(&records);
	read_ok(text, &again);
	r = again.items[0];
	ck_assert_ptr_eq(r->report.host, &r->host);
	ck_assert_ptr_eq(r->report.plan, &r->plan);
	ck_assert_ptr_eq(r->report.run, &r->run);
	ck_assert_int_eq(r->run.utc_offset_s, -18000);
	ck_assert_int_eq(r->run.write.status, PHASE_COMPLETE);
	ck_assert_uint_eq(r->run.write.n_workers, 4);
	ck_assert_int_eq(r->run.write.workers[3].end_ns, 1252 * NS_PER_S);
	ck_assert_int_eq(r->run.write.resident_bytes, -1);
	ck_assert_int_eq(r->run.read.resident_bytes, 0);
	ck_assert_str_eq(r->host.targets[0].devices[1].model, "ARRAY LUN");
	ck_assert_int_eq(r->host.targets[0].devices[1].kind, DEVICE_SCSI);
	ck_assert_ptr_null(r->host.os.hypervisor);
	ck_assert_double_eq_tol(r->report.write.mib_per_s_per_core, 78.5175719, 1e-7);
	ck_assert_double_lt(r->report.write.uncached_ratio, 0);
	ck_assert_str_eq(r->report.findings[1].id, "write-below");
	ck_assert_int_eq(r->report.findings[1].severity, SEVERITY_WARNING);
	ck_assert_int_eq(r->report.verdict.result, VERDICT_BELOW);
	ck_assert_str_eq(r->report.bundle, "iotest_sasnode3_20261201-030004.tar.gz");
	ck_assert_str_eq(r->report.analyzed_by, "0.1.0");
}
END_TEST

START_TEST(json_renders_the_same_page_after_the_round_trip)
{
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(records_done) struct records again = { 0 };
	CLEANUP(buf_done) struct buf before = { 0 };
	CLEANUP(buf_done) struct buf after = { 0 };
	CLEANUP(xfree) char *text = NULL;

	sample_record_add(&records);
	text = json_of(&records);
	read_ok(text, &again);
	render_report_text(&records.items[0]->report, &before);
	render_report_text(&again.items[0]->report, &after);
	ck_assert_str_eq(buf_text(&before), buf_text(&after));
}
END_TEST

START_TEST(json_holds_texts_that_are_not_utf8_and_numbers_that_are_none)
{
	CLEANUP(records_done) struct records records = { 0 };
	struct record *r = sample_record_add(&records);
	CLEANUP(xfree) char *text = NULL;

	xstr_set(&r->plan.target, "/a\xff\n\xc3\xa9");
	xstr_set(&r->run.case_id, "line\nfeed \"quoted\" \xc3\xa9");
	r->report.read.aggregate_mib_per_s = HUGE_VAL;
	r->report.read.need_mib_per_s = nan("");
	r->plan.expected_ns = -5;
	text = json_of(&records);
	ck_assert_ptr_nonnull(strstr(text, "\"target\": \"/a\\\\377\\\\012\xc3\xa9\""));
	ck_assert_ptr_nonnull(strstr(text, "\"case_id\": \"line\\nfeed \\\"quoted\\\" \xc3\xa9\""));
	ck_assert_ptr_nonnull(strstr(text, "\"aggregate_mib_per_s\": null"));
	ck_assert_ptr_nonnull(strstr(text, "\"need_mib_per_s\": null"));
	ck_assert_ptr_nonnull(strstr(text, "\"expected_ns\": null"));
	assert_round_trip(&records);
}
END_TEST

START_TEST(json_of_probe_and_plan_name_their_schema)
{
	CLEANUP(records_done) struct records records = { 0 };
	const struct record *r = sample_record_add(&records);
	CLEANUP(buf_done) struct buf host = { 0 };
	CLEANUP(buf_done) struct buf plan = { 0 };
	CLEANUP(buf_done) struct buf plans = { 0 };
	struct plan two[2] = { r->plan, r->plan };

	ck_assert_int_eq(render_host_json(&r->host, &host, NULL), 0);
	ck_assert_ptr_nonnull(strstr(buf_text(&host), "\"schema\": \"iotest.host/1\""));
	ck_assert_ptr_nonnull(strstr(buf_text(&host), "\"physical_cores\": 4,"));
	ck_assert_int_eq(render_plans_json(&r->host, &r->plan, 1, &plan, NULL), 0);
	ck_assert_ptr_nonnull(strstr(buf_text(&plan), "\"schema\": \"iotest.plan/1\""));
	ck_assert_ptr_nonnull(strstr(buf_text(&plan), "\n  \"plan\": {\n"));
	ck_assert_int_eq(render_plans_json(&r->host, two, 2, &plans, NULL), 0);
	ck_assert_ptr_nonnull(strstr(buf_text(&plans), "\n  \"plans\": [\n"));
}
END_TEST

#define S "\"schema\":\"iotest.report/1\""

static const char *const accepted[] = {
	"{" S "}",
	"{" S ",\"new\":{\"deep\":[1,2]},\"plan\":{\"new\":1}}",
	"{" S ",\"plan\":{\"requirement_mib_per_s\":100,\"target\":\"\"},\"phases\":{}}",
	"{" S ",\"host\":{\"targets\":[{}]},\"plan\":{\"target_index\":0}}",
};

START_TEST(json_reader_ignores_unknown_keys_and_lets_missing_ones_be_unknown)
{
	CLEANUP(records_done) struct records out = { 0 };

	read_ok(accepted[_i], &out);
	for (size_t i = 0; i < out.n_items; i++) {
		ck_assert_int_eq(out.items[i]->plan.workers, -1);
		ck_assert_str_eq(text_of(out.items[i]->plan.target), "");
		ck_assert_int_eq(out.items[i]->report.read.usable, -1);
		ck_assert_int_eq(out.items[i]->report.verdict.result, VERDICT_INCONCLUSIVE);
	}
}
END_TEST

static const struct {
	const char *text, *want;
} refused[] = {
	{ "[]", "x: is not a report of iotest" },
	{ "{}", "x: has no key \"schema\", so it is not a report of iotest" },
	{ "{\"schema\":1}", "x: schema is not a text" },
	{ "{\"schema\":\"iotest.plan/1\"}", "x: schema is not known here: \"iotest.plan/1\"" },
	{ "{" S ",\"plan\":{\"workers\":\"4\"}}", "x: plan.workers is not a number" },
	{ "{" S ",\"plan\":{\"workers\":4.5}}", "x: plan.workers is not a whole number" },
	{ "{" S ",\"plan\":{\"workers\":-4}}", "x: plan.workers is out of range" },
	{ "{" S ",\"plan\":{\"requirement_mib_per_s\":-1.5}}",
	  "x: plan.requirement_mib_per_s is out of range" },
	{ "{" S ",\"plan\":{\"requirement_mib_per_s\":true}}",
	  "x: plan.requirement_mib_per_s is not a number" },
	{ "{" S ",\"plan\":{\"shrunk\":0}}", "x: plan.shrunk is neither true, false nor null" },
	{ "{" S ",\"plan\":{\"sized_by\":\"luck\"}}",
	  "x: plan.sized_by is not known here: \"luck\"" },
	{ "{" S ",\"plan\":{\"sized_by\":\"\\u001b[2J\"}}",
	  "x: plan.sized_by is not known here: \"\\033[2J\"" },
	{ "{" S ",\"plan\":{\"target\":7}}", "x: plan.target is not a text" },
	{ "{" S ",\"plan\":{\"target_index\":0}}", "x: plan.target_index is out of range" },
	{ "{" S ",\"plan\":[]}", "x: plan is not an object" },
	{ "{" S ",\"run\":{\"utc_offset_s\":-90000}}", "x: run.utc_offset_s is out of range" },
	{ "{" S ",\"findings\":{}}", "x: findings is not a list" },
	{ "{" S ",\"findings\":[{},3]}", "x: findings[1] is not an object" },
	{ "{" S ",\"phases\":[]}", "x: phases is not an object" },
	{ "{" S ",\"phases\":{\"write\":{\"workers\":[{\"bytes\":{}}]}}}",
	  "x: phases.write.workers[0].bytes is not a number" },
	{ "{" S ",\"targets\":[{" S "},{}]}",
	  "x: targets[1] has no key \"schema\", so it is not a report of iotest" },
	{ "{" S ",\"targets\":7}", "x: targets is not a list" },
	{ "{" S ",\"targets\":[]}", "x: targets is empty" },
};

START_TEST(json_reader_names_the_key_that_is_wrong)
{
	struct records out = { 0 };
	struct err err = { 0 };
	const char *text = refused[_i].text;

	ck_assert_int_eq(render_read_json(text, strlen(text), "x", &out, &err), -EINVAL);
	ck_assert_str_eq(err.sentence, refused[_i].want);
	ck_assert_ptr_null(out.items);
	ck_assert_uint_eq(out.n_items, 0);
}
END_TEST

/* What jansson says differs between its versions: only that it is refused is a fact. */
static const struct {
	const char *text;
	size_t len;
} broken[] = {
	{ "{" S ",\"plan\":{},\"plan\":{}}", 0 },
	{ "{" S "} trailing", 0 },
	{ "{" S, 0 },
	{ "", 0 },
	{ "{" S ",\"bundle\":\"a\\u0000b\"}", 0 },
	{ "{" S ",\"bundle\":\"\xff\"}", 0 },
	{ "{" S ",\"bundle\":\"a\0b\"}", sizeof("{" S ",\"bundle\":\"a\0b\"}") - 1 },
	{ "{" S ",\"plan\":{\"workers\":99999999999999999999}}", 0 },
	{ "{" S ",\"plan\":{\"requirement_mib_per_s\":1e999}}", 0 },
};

START_TEST(json_reader_refuses_broken_json)
{
	struct records out = { 0 };
	struct err err = { 0 };
	size_t len = broken[_i].len ? broken[_i].len : strlen(broken[_i].text);

	ck_assert_int_eq(render_read_json(broken[_i].text, len, "x", &out, &err), -EINVAL);
	ck_assert_int_eq(strncmp(err.sentence, "x: not JSON at line 1, column ", 30), 0);
	ck_assert_ptr_null(out.items);
}
END_TEST

START_TEST(json_reader_refuses_what_is_too_deep_or_too_long)
{
	CLEANUP(buf_done) struct buf deep = { 0 };
	CLEANUP(buf_done) struct buf wide = { 0 };
	struct records out = { 0 };
	struct err err = { 0 };

	buf_add_text(&deep, "{" S ",\"new\":");
	for (int i = 0; i < 100000; i++)
		buf_add_text(&deep, "[");
	ck_assert_int_eq(render_read_json(deep.data, deep.len, "x", &out, &err), -EINVAL);

	buf_add_text(&wide, "{" S ",\"findings\":[{}");
	for (int i = 0; i < 65536; i++)
		buf_add_text(&wide, ",{}");
	buf_add_text(&wide, "]}");
	ck_assert_int_eq(render_read_json(wide.data, wide.len, "x", &out, &err), -EINVAL);
	ck_assert_str_eq(err.sentence, "x: findings has too many elements");
}
END_TEST

/* Every way a file can be cut short or have one byte changed: an error or a record, no crash. */
START_TEST(json_reader_survives_every_cut_and_many_changed_bytes)
{
	static const char bytes[] = "\"{}[],:-0e\\\xff";
	CLEANUP(records_done) struct records records = { 0 };
	CLEANUP(xfree) char *text = NULL;
	size_t len;

	sample_record_add(&records);
	text = json_of(&records);
	len = strlen(text);
	for (size_t i = 0; i + 1 < len; i += 7) {
		struct records out = { 0 };
		char kept = text[i];

		/* The last byte is the line feed: JSON is complete without it. */
		ck_assert_int_eq(render_read_json(text, i, "x", &out, NULL), -EINVAL);
		text[i] = bytes[i / 7 % (sizeof(bytes) - 1)];
		if (render_read_json(text, len, "x", &out, NULL) == 0) {
			CLEANUP(buf_done) struct buf page = { 0 };

			ck_assert_uint_eq(out.n_items, 1);
			render_report_text(&out.items[0]->report, &page);
			ck_assert_ptr_nonnull(strstr(buf_text(&page), "CLEAN"));
		}
		records_done(&out);
		text[i] = kept;
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("render_json");
	TCase *all = tcase_create("render_json");
	TCase *slow = tcase_create("render_json: slow");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	suite_add_tcase(suite, all);
	suite_add_tcase(suite, slow);
	tcase_set_timeout(all, 60);
	tcase_set_timeout(slow, 60);
	tcase_set_tags(slow, "slow");
	tcase_add_test(all, json_is_the_golden_file);
	tcase_add_test(all, json_of_a_record_comes_back_as_the_same_bytes);
	tcase_add_loop_test(all, json_leaves_out_phases_that_were_not_to_be_run, 0,
			    ARRAY_LEN(left_out));
	tcase_add_loop_test(all, json_has_at_most_2000_points_in_time_and_the_last_one, 0,
			    ARRAY_LEN(lengths));
	tcase_add_test(all, json_of_the_first_method_is_still_a_report);
	tcase_add_test(all, json_of_nothing_known_comes_back_as_the_same_bytes);
	tcase_add_test(all, json_of_two_targets_is_a_list_and_comes_back);
	tcase_add_test(all, json_gives_back_facts_and_points_into_its_own_record);
	tcase_add_test(all, json_renders_the_same_page_after_the_round_trip);
	tcase_add_test(all, json_holds_texts_that_are_not_utf8_and_numbers_that_are_none);
	tcase_add_test(all, json_of_probe_and_plan_name_their_schema);
	tcase_add_loop_test(all, json_reader_ignores_unknown_keys_and_lets_missing_ones_be_unknown,
			    0, ARRAY_LEN(accepted));
	tcase_add_loop_test(all, json_reader_names_the_key_that_is_wrong, 0, ARRAY_LEN(refused));
	tcase_add_loop_test(all, json_reader_refuses_broken_json, 0, ARRAY_LEN(broken));
	tcase_add_test(all, json_reader_refuses_what_is_too_deep_or_too_long);
	tcase_add_test(slow, json_reader_survives_every_cut_and_many_changed_bytes);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? 1 : 0;
}
