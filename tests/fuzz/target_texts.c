/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_texts - facts of a recorded tree, its list of errors, paths, and what a terminal shows
 */
#include <errno.h>

#include "fuzz.h"
#include "iotest/buf.h"
#include "iotest/evidence.h"
#include "iotest/sysroot.h"
#include "iotest/wordlist.h"
#include "iotest/wrap.h"

static void check_errors(const char *text)
{
	CLEANUP(evidence_done) struct evidence e = { 0 };

	evidence_add_errors(&e, text);
	for (size_t i = 0; i < e.n_items; i++) {
		FUZZ_REQUIRE(e.items[i].error > 0);
		FUZZ_REQUIRE(evidence_find(&e, e.items[i].path) == &e.items[i]);
	}
}

/* A path that is kept stays as it is, and never leads out of the tree. */
static void check_path(const char *text)
{
	CLEANUP(xfree) char *once = evidence_path(text);
	CLEANUP(xfree) char *twice = evidence_path(once);

	FUZZ_REQUIRE(!strcmp(once, twice));
	FUZZ_REQUIRE(once[0] != '/' && strcmp(once, "..") && strncmp(once, "../", 3) &&
		     !strstr(once, "/../"));
}

static void check_facts(const char *text)
{
	CLEANUP(xfree) char *value = NULL;
	int64_t n = -77;
	int rc = fact_text(text, "key", &value);

	FUZZ_REQUIRE(rc == 0 ? value != NULL : rc == -ENOENT && !value);
	rc = fact_i64(text, "key", &n);
	FUZZ_REQUIRE(rc == 0 || n == -77);
}

/* No byte that a terminal would obey; showing it again changes nothing. */
static void check_visible(const char *text)
{
	CLEANUP(buf_done) struct buf once = { 0 }, twice = { 0 };

	buf_add_visible(&once, text);
	for (size_t i = 0; i < once.len; i++)
		FUZZ_REQUIRE((unsigned char)once.data[i] >= ' ' && once.data[i] != 0x7f);
	buf_add_visible(&twice, buf_text(&once));
	FUZZ_REQUIRE(once.len == twice.len && !strcmp(buf_text(&once), buf_text(&twice)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(xfree) char *text = fuzz_text(data, size);

	check_errors(text);
	check_path(text);
	check_facts(text);
	check_visible(text);
	wordlist_has(text, "rw", 2);
	return 0;
}
