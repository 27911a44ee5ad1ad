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

/* The elements that the page has. */
static bool is_our_element(const char *name, size_t len)
{
	static const char ours[] =
		" a article b body br caption code dd desc details div dl dt figcaption figure "
		"footer g h1 h2 h3 h4 h5 head header hr html i li line link main meta nav ol p "
		"path "
		"pre rect section small span strong style sub summary sup svg table tbody td text "
		"tfoot th thead title tr tspan ul wbr ";
	char word[24];

	return len + 2 < sizeof(word) &&
	       snprintf(word, sizeof(word), " %.*s ", (int)len, name) > 0 && strstr(ours, word);
}

/* No text of a report becomes part of the page's own language. */
static void check_page(const char *html)
{
	for (const char *at = strchr(html, '<'); at; at = strchr(at + 1, '<')) {
		const char *name = at + 1 + (at[1] == '/');

		FUZZ_REQUIRE(!strncmp(at, "<!DOCTYPE html>", 15) ||
			     !strncmp(at, "<!doctype html>", 15) ||
			     is_our_element(name, strcspn(name, " >\n/")));
	}
}

static void show_otherwise(const struct records *shown)
{
	CLEANUP(buf_done) struct buf details = { 0 }, html = { 0 }, ticket = { 0 };

	render_records_details(shown, &details);
	render_ticket_text(&shown->items[0]->report, "", &ticket);
	FUZZ_REQUIRE(details.len > 0 && ticket.len > 0);
	render_records_html(shown, &html);
	check_page(buf_text(&html));
}

static void show(struct records *judged, const struct records *from)
{
	CLEANUP(repeats_forget) struct records shown = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };

	repeats_choose(judged, from, &shown);
	FUZZ_REQUIRE(shown.n_items >= 1 && shown.n_items <= from->n_items);
	render_records_text(&shown, &page);
	FUZZ_REQUIRE(page.len > 0);
	show_otherwise(&shown);
}

/* As "iotest report" does: which runs stand for all is asked of a copy. */
static void show_recorded(const char *text, size_t size, const struct records *records)
{
	CLEANUP(records_done) struct records copy = { 0 };

	FUZZ_REQUIRE(render_read_json(text, size, "copy", &copy, NULL) == 0);
	show(&copy, records);
}

static void compare(const struct report *a, const struct report *b)
{
	CLEANUP(comparison_done) struct comparison c = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };
	struct err err = { 0 };

	if (analyze_compare(a, b, &c, &err)) {
		FUZZ_REQUIRE(err.rc < 0 && err.sentence[0]);
		return;
	}
	render_comparison_text(&c, "a", "b", &page);
	FUZZ_REQUIRE(page.len > 0);
}

/* As "iotest report --rejudge" does, and "iotest compare". */
static void judge_again(struct records *records)
{
	for (size_t i = 0; i < records->n_items; i++) {
		analyze(&records->items[i]->report);
		analyze_wants_control(&records->items[i]->report, PHASE_WRITE);
		report_exit_status(&records->items[i]->report);
	}
	show(records, records);
	compare(&records->items[0]->report, &records->items[records->n_items - 1]->report);
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
