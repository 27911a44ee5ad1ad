/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_analyze_file - judgements about a test of one named file
 */
#include <string.h>

#include "iotest/analyze.h"
#include "iotest/compiler.h"
#include "iotest/xalloc.h"
#include "suite.h"

static struct records records;
static struct record *record;

static void given(bool writes)
{
	struct phase *phase;
	struct worker_result *w;
	struct target *t;

	record = records_add(&records);
	t = XGROW(&record->host.targets, &record->host.n_targets);
	schema_init(&target_schema, t);
	t->kind = TARGET_LOCAL;
	record->host.memory_bytes = 8 * GIB;
	record->plan.target_index = 0;
	record->plan.mode = MODE_FILE;
	record->plan.workers = 1;
	record->plan.cores = 1;
	record->plan.requirement_mib_per_s = 100;
	record->plan.total_bytes = GIB;
	record->plan.judges_write = writes;
	record->plan.judges_read = !writes;
	record->plan.io.direct = 1;
	xstr_set(&record->plan.io.file, "f");
	xstr_set(&record->plan.io.file_name, "f");
	phase = run_phase(&record->run, writes ? PHASE_WRITE : PHASE_READ);
	phase->status = PHASE_COMPLETE;
	phase->planned_bytes = GIB;
	w = XGROW(&phase->workers, &phase->n_workers);
	w->bytes = GIB;
	w->last_io_ns = 4 * NS_PER_S;
	w->end_ns = 4 * NS_PER_S;
}

static bool has_finding(const char *id, const char *part)
{
	analyze(&record->report);
	for (size_t i = 0; i < record->report.n_findings; i++)
		if (!strcmp(record->report.findings[i].id, id))
			return strstr(record->report.findings[i].text, part) != NULL;
	return false;
}

static const struct {
	int kind;
	int64_t before, after;
	bool want;
} reads[] = {
	{ TARGET_LOCAL, 0, 0, false },	   { TARGET_LOCAL, 0, GIB, true },
	{ TARGET_LOCAL, GIB, GIB, false }, /* somebody else's pages */
	{ TARGET_LOCAL, -1, -1, false },   { TARGET_MEMORY, GIB, GIB, true },
};

START_TEST(a_direct_read_that_filled_the_page_cache_was_none)
{
	for (size_t i = 0; i < ARRAY_LEN(reads); i++) {
		given(false);
		record->host.targets[0].kind = reads[i].kind;
		record->run.read.resident_bytes = reads[i].before;
		record->run.read.resident_after_bytes = reads[i].after;
		ck_assert_msg(has_finding("direct-not-direct", "after O_DIRECT reading") ==
				      reads[i].want,
			      "row %zu", i);
		records_done(&records);
	}
}
END_TEST

START_TEST(a_direct_write_that_filled_the_page_cache_was_none)
{
	given(true);
	record->run.write.resident_bytes = GIB;
	ck_assert(has_finding("direct-not-direct", "after O_DIRECT writing"));
	ck_assert_ptr_nonnull(strstr(record->report.findings[0].advice, "-unbuffered"));
	records_done(&records);
}
END_TEST

START_TEST(the_phase_that_was_not_asked_for_is_no_failure)
{
	given(false);
	analyze(&record->report);
	ck_assert_int_eq(record->report.exit_status, 0);
	for (size_t i = 0; i < record->report.n_findings; i++)
		ck_assert_int_ne(record->report.findings[i].severity, SEVERITY_ERROR);
	ck_assert_double_eq_tol(record->report.read.aggregate_mib_per_s, 256, 0.001);
	ck_assert(record->report.write.aggregate_mib_per_s < 0);
	records_done(&records);
}
END_TEST

SUITE_MAIN("analyze_file", a_direct_read_that_filled_the_page_cache_was_none,
	   a_direct_write_that_filled_the_page_cache_was_none,
	   the_phase_that_was_not_asked_for_is_no_failure)
