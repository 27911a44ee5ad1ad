/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_report - report.json from anywhere: read, shown, written, judged again
 *
 * Two of three times the mutator changes one value of a JSON that is one, so that what lies behind
 * the reader is reached.
 */
#include "cmd/repeats.h"
#include "fuzz.h"
#include "fuzz_json.h"
#include "iotest/analyze.h"
#include "iotest/render.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return fuzz_json_mutate(data, size, max_size, seed);
}

/* What is written can be read, and is the same when it is written again. */
static void check_round_trip(const struct records *records)
{
	CLEANUP(records_done) struct records again = { 0 };
	CLEANUP(buf_done) struct buf first = { 0 };
	CLEANUP(buf_done) struct buf second = { 0 };
	struct err err = { 0 };
	int rc;

	FUZZ_REQUIRE(render_records_json(records, &first, &err) == 0);
	rc = render_read_json(buf_text(&first), first.len, "again", &again, &err);
	if (rc)
		fprintf(stderr, "%s\n", err.sentence);
	FUZZ_REQUIRE(rc == 0);
	FUZZ_REQUIRE(render_records_json(&again, &second, &err) == 0);
	FUZZ_REQUIRE(!strcmp(buf_text(&first), buf_text(&second)));
}

static void show(struct records *judged, const struct records *from)
{
	CLEANUP(repeats_forget) struct records shown = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };

	repeats_choose(judged, from, &shown);
	FUZZ_REQUIRE(shown.n_items >= 1 && shown.n_items <= from->n_items);
	render_records_text(&shown, &page);
	FUZZ_REQUIRE(page.len > 0);
}

/* As "iotest report" does: which runs stand for all is asked of a copy. */
static void show_recorded(const char *text, size_t size, const struct records *records)
{
	CLEANUP(records_done) struct records copy = { 0 };

	FUZZ_REQUIRE(render_read_json(text, size, "copy", &copy, NULL) == 0);
	show(&copy, records);
}

/* As "iotest report --rejudge" does. */
static void judge_again(struct records *records)
{
	for (size_t i = 0; i < records->n_items; i++) {
		analyze(&records->items[i]->report);
		analyze_wants_control(&records->items[i]->report, PHASE_WRITE);
		report_exit_status(&records->items[i]->report);
	}
	show(records, records);
	check_round_trip(records);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(records_done) struct records records = { 0 };
	const char *text = (const char *)data;
	struct err err = { 0 };

	if (render_read_json(text, size, "report", &records, &err)) {
		FUZZ_REQUIRE(err.sentence[0] && records.n_items == 0);
		return 0;
	}
	check_round_trip(&records);
	show_recorded(text, size, &records);
	judge_again(&records);
	return 0;
}
