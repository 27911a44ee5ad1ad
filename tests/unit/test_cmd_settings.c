/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_cmd_settings - what rates depend on, and what of it changed
 */
#include "suite.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/settings.h"
#include "iotest/xalloc.h"

static const struct {
	const char *name;
	const char *before;
	const char *after;
	size_t n;
	const char *text;
} rows[] = {
	{ "nothing", "a.x=1\nb.y=2\n", "a.x=1\nb.y=2\n", 0, "" },
	{ "both empty", "", "", 0, "" },
	{ "one value", "a.x=1\nb.y=2\n", "a.x=1\nb.y=3\n", 1, "b.y 2 -> 3" },
	{ "a value with a sign in it", "m.o=rw,size=1\n", "m.o=rw,size=2\n", 1,
	  "m.o rw,size=1 -> rw,size=2" },
	{ "one name is the beginning of another", "a.x=1\na.xy=1\n", "a.x=1\na.xy=2\n", 1,
	  "a.xy 1 -> 2" },
	{ "a path went", "d.sda.k=1\nd.sdb.k=1\n", "d.sda.k=1\n", 1, "d.sdb.k 1 -> none" },
	{ "a path came", "d.sda.k=1\n", "d.sda.k=1\nd.sdb.k=1\n", 1, "d.sdb.k none -> 1" },
	{ "more than are named", "a=1\nb=1\nc=1\n", "a=2\nb=2\nc=2\n", 3,
	  "a 1 -> 2, b 1 -> 2 and 1 more" },
	{ "lines that are none", "\n\nx\n", "\n\n", 1, "x none -> none" },
	{ "no line feed at the end", "a=1", "a=2", 1, "a 1 -> 2" },
};

START_TEST(changes_are_named_with_both_values)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(buf_done) struct buf text = { 0 };
		size_t n = settings_add_changes(rows[i].before, rows[i].after, 2, &text);

		ck_assert_msg(n == rows[i].n, "%s: %zu", rows[i].name, n);
		ck_assert_msg(!strcmp(buf_text(&text), rows[i].text), "%s: %s", rows[i].name,
			      buf_text(&text));
	}
}
END_TEST

START_TEST(lines_are_sorted_and_cannot_be_forged)
{
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(host_done) struct host host;
	CLEANUP(buf_done) struct buf text = { 0 };
	struct target *t;
	struct device *d;
	struct err err = { 0 };
	char empty[] = "/tmp/iotest-settings.XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(empty));
	ck_assert_int_eq(sysroot_open(&root, empty, &err), 0);
	ck_assert_int_eq(rmdir(empty), 0);
	host_init(&host);
	host.os.kernel = xstrdup("6.1\nos.kernel=forged");
	host.physical_cores = 4;
	t = XGROW(&host.targets, &host.n_targets);
	schema_init(&target_schema, t);
	t->mount_options = xstrdup("rw,noatime");
	d = XGROW(&t->devices, &t->n_devices);
	schema_init(&device_schema, d);
	d->dm_name = xstrdup("a=b c");
	d->scheduler = xstrdup("none");
	settings_add(&root, &host, t, &text);
	ck_assert_ptr_nonnull(strstr(buf_text(&text), "\nos.kernel=6.1\\012os.kernel=forged\n"));
	ck_assert_ptr_nonnull(strstr(buf_text(&text), "\ntarget.mount_options=rw,noatime\n"));
	ck_assert_ptr_nonnull(strstr(buf_text(&text), "device.a_b_c.scheduler=none\n"));
	ck_assert_ptr_nonnull(strstr(buf_text(&text), "host.physical_cores=4\n"));
	/* What is not known has no line. */
	ck_assert_ptr_null(strstr(buf_text(&text), "hypervisor"));
	ck_assert_ptr_null(strstr(buf_text(&text), "-1"));
}
END_TEST

SUITE_MAIN("settings", changes_are_named_with_both_values, lines_are_sorted_and_cannot_be_forged)
