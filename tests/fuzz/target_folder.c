/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_folder - the folder of a bundle, its MANIFEST, and its report
 *
 * The text is that of fuzz_tree.h.
 */
#include "fuzz.h"
#include "fuzz_tree.h"
#include "iotest/bundle.h"
#include "iotest/render.h"

static void check_report(const struct bundle_content *content)
{
	const struct bundle_file *json = bundle_content_find(content, "report.json");
	CLEANUP(records_done) struct records records = { 0 };
	struct err err = { 0 };

	if (json && render_read_json(json->data, json->len, "report.json", &records, &err))
		FUZZ_REQUIRE(err.sentence[0]);
}

/* "iotest verify" finds nothing where reading is content, and something where it is not. */
static void check_verify(const char *path, bool is_good)
{
	CLEANUP(bundle_check_done) struct bundle_check check = { 0 };
	struct err err = { 0 };

	if (bundle_verify(path, &check, &err)) {
		FUZZ_REQUIRE(!is_good && err.rc < 0 && err.sentence[0]);
		return;
	}
	FUZZ_REQUIRE(is_good == (check.n_differences == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(xfree) char *text = fuzz_text(data, size);
	CLEANUP(bundle_content_done) struct bundle_content content = { 0 };
	const char *path = fuzz_tree_make(text, NULL);
	struct err err = { 0 };
	int rc = bundle_read(path, &content, &err);

	check_verify(path, rc == 0);
	if (rc) {
		FUZZ_REQUIRE(err.rc < 0 && err.sentence[0] && content.n_files == 0);
		return 0;
	}
	FUZZ_REQUIRE(content.is_checked && bundle_content_find(&content, "MANIFEST"));
	check_report(&content);
	return 0;
}
