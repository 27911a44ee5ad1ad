/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_collect - which files a pattern stands for, what is kept of them, and what they tell
 */
#include "suite.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "collect/counters.h"
#include "collect/items.h"
#include "iotest/xalloc.h"
#include "testdir.h"

static void open_tree(const char *top, struct evidence *kept, struct sysroot *out)
{
	struct err err = { 0 };

	ck_assert_int_eq(sysroot_open(out, top, &err), 0);
	out->evidence = kept;
}

static void add_device(struct host *host, const char *name)
{
	struct target *t =
		host->n_targets ? &host->targets[0] : XGROW(&host->targets, &host->n_targets);

	if (!t->n_devices)
		schema_init(&target_schema, t);
	schema_init(&device_schema, XGROW(&t->devices, &t->n_devices));
	t->devices[t->n_devices - 1].name = xstrdup(name);
}

static const char *kept_text(const struct evidence *e, const char *path)
{
	const struct evidence_item *item = evidence_find(e, path);

	return item && item->kind == EVIDENCE_FILE ? item->data : NULL;
}

static const struct {
	const char *pattern;
	const char *want; /* sorted */
} patterns[] = {
	{ "/a/x", "/a/x" },
	{ "/a/x|y", "/a/x /a/y" },
	{ "/a/*", "/a/x /a/y" },
	{ "/a/*|z", "/a/x /a/y /a/z" },
	{ "/b/n*/f", "/b/n1/f /b/n2/f" },
	{ "/b/n1|n2/f|g", "/b/n1/f /b/n1/g /b/n2/f /b/n2/g" },
	{ "/missing/*", "" },
	{ "/s/{device}/q", "/s/dm-0/q /s/sda/q" },
	{ "/c{cgroup}/m", "/c/user.slice/m" },
};

START_TEST(patterns_stand_for_paths)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host;
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(evidence_done) struct evidence kept = { 0 };

	host_init(&host);
	host.cgroup = xstrdup("/user.slice");
	add_device(&host, "sda");
	add_device(&host, "dm-0");
	add_device(&host, "sda");
	testdir_put(top, "a/x", "1");
	testdir_put(top, "a/y", "1");
	testdir_put(top, "a/.hidden", "1");
	testdir_put(top, "b/n1/f", "1");
	testdir_put(top, "b/n2/f", "1");
	open_tree(top, &kept, &root);
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		CLEANUP(strlist_done) struct strlist paths = { 0 };
		CLEANUP(buf_done) struct buf text = { 0 };

		item_expand(&root, &host, patterns[i].pattern, &paths);
		strlist_sort(&paths);
		for (size_t k = 0; k < paths.n_items; k++)
			buf_printf(&text, "%s%s", k ? " " : "", paths.items[k]);
		ck_assert_str_eq(buf_text(&text), patterns[i].want);
	}
	/* Looking for names is no evidence. */
	ck_assert_uint_eq(kept.n_items, 0);
}
END_TEST

START_TEST(a_control_group_that_is_unknown_or_strange_is_not_read)
{
	static const char *const groups[] = { NULL, "", "relative", "/../../etc" };
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(evidence_done) struct evidence kept = { 0 };

	open_tree(top, &kept, &root);
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		CLEANUP(host_done) struct host host;
		CLEANUP(strlist_done) struct strlist paths = { 0 };

		host_init(&host);
		host.cgroup = groups[i] ? xstrdup(groups[i]) : NULL;
		item_expand(&root, &host, "/c{cgroup}/m", &paths);
		ck_assert_uint_eq(paths.n_items, 0);
	}
}
END_TEST

START_TEST(what_is_there_is_kept_and_what_is_denied_is_counted)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host;
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(evidence_done) struct evidence kept = { 0 };
	CLEANUP(xfree) char *large = xcalloc(20001, 1);

	host_init(&host);
	add_device(&host, "sda");
	memset(large, 'x', 20000);
	testdir_put(top, "proc/vmstat", "oom_kill 0\n");
	testdir_put(top, "proc/loadavg", large);
	testdir_put(top, "sys/class/block/sda/queue/nr_requests", "256\n");
	testdir_put(top, "sys/class/block/sdb/queue/nr_requests", "64\n");
	testdir_put(top, "iotest.errors",
		    "13\tproc/net/snmp\tPermission denied\n"
		    "2\tproc/swaps\tNo such file or directory\n");
	open_tree(top, &kept, &root);
	/* the denied one, and the one that was cut */
	ck_assert_int_eq(collect(&root, &host, COLLECT_BEFORE), 1);
	ck_assert_str_eq(kept_text(&kept, "proc/vmstat"), "oom_kill 0\n");
	ck_assert_str_eq(kept_text(&kept, "sys/class/block/sda/queue/nr_requests"), "256\n");
	ck_assert_ptr_null(kept_text(&kept, "sys/class/block/sdb/queue/nr_requests"));
	ck_assert_int_eq(evidence_find(&kept, "proc/net/snmp")->error, EACCES);
	ck_assert_ptr_null(evidence_find(&kept, "proc/swaps"));
	ck_assert_uint_eq(evidence_find(&kept, "proc/loadavg")->len, 4096);
	ck_assert_int_eq(evidence_find(&kept, "proc/loadavg")->error, EFBIG);
}
END_TEST

START_TEST(after_a_run_only_what_changes_is_read)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host;
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(evidence_done) struct evidence kept = { 0 };

	host_init(&host);
	testdir_put(top, "proc/vmstat", "oom_kill 0\n");
	testdir_put(top, "proc/version", "Linux\n");
	open_tree(top, &kept, &root);
	ck_assert_int_eq(collect(&root, &host, COLLECT_AFTER), 0);
	ck_assert_ptr_nonnull(kept_text(&kept, "proc/vmstat"));
	ck_assert_ptr_null(kept_text(&kept, "proc/version"));
}
END_TEST

static void put(struct evidence *e, const char *path, const char *text)
{
	evidence_add(e, path, EVIDENCE_FILE, text, strlen(text), 0);
}

static const struct {
	const char *path;
	const char *before;
	const char *after;
	int64_t watched;
	int64_t rise; /* 0: not listed */
} changes[] = {
	{ "sys/class/block/sda/device/ioerr_cnt", "0x1f\n", "0x22\n", 1, 3 },
	{ "sys/class/block/sda/device/ioerr_cnt", "0x1f\n", "0x1f\n", 1, 0 },
	{ "sys/class/block/sda/device/ioerr_cnt", "5\n", "3\n", 1, 0 },
	{ "sys/class/block/sda/device/ioerr_cnt", "junk\n", "3\n", 0, 0 },
	{ "sys/class/block/sda/device/ioerr_cnt", "", "3\n", 0, 0 },
	{ "sys/class/net/eth0/statistics/rx_crc_errors", "7\n", "19\n", 1, 12 },
	{ "sys/class/fc_host/host3/statistics/invalid_crc_count", "0xffffffffffffffff\n",
	  "0xffffffffffffffff\n", 0, 0 },
	{ "proc/net/rpc/nfs", "net 0 0 0 0\nrpc 100 4 100\n", "net 0 0 0 0\nrpc 900 9 900\n", 1,
	  5 },
	{ "proc/net/snmp", "Tcp: RtoAlgorithm RtoMin\nTcp: 1 200 120000 -1 4 5 6 7 8 9 10 11 12\n",
	  "Tcp: RtoAlgorithm RtoMin\nTcp: 1 200 120000 -1 4 5 6 7 8 9 10 15 12\n", 1, 4 },
	{ "proc/net/snmp", "Tcp: 1 200\n", "Tcp: 1 200\n", 0, 0 },
	{ "proc/vmstat", "a 1\noom_kill 2\n", "a 1\noom_kill 3\n", 1, 1 },
	{ "sys/fs/btrfs/u/devinfo/1/error_stats", "write_errs 1\nread_errs 0\n",
	  "write_errs 1\nread_errs 2\n", 2, 2 },
	{ "proc/loadavg", "1\n", "2\n", 0, 0 },
};

START_TEST(counters_of_errors_that_rose_are_listed)
{
	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		CLEANUP(evidence_done) struct evidence before = { 0 };
		CLEANUP(evidence_done) struct evidence after = { 0 };
		CLEANUP(run_done) struct run run;

		run_init(&run);
		put(&before, changes[i].path, changes[i].before);
		put(&after, changes[i].path, changes[i].after);
		collect_changes(&before, &after, &run);
		ck_assert_int_eq(run.counters_watched, changes[i].watched);
		ck_assert_uint_eq(run.n_error_counts, changes[i].rise > 0);
		if (changes[i].rise > 0)
			ck_assert_int_eq(run.error_counts[0].rise, changes[i].rise);
	}
}
END_TEST

START_TEST(messages_of_the_kernel_are_those_after_the_first_look)
{
	CLEANUP(evidence_done) struct evidence before = { 0 };
	CLEANUP(evidence_done) struct evidence after = { 0 };
	CLEANUP(run_done) struct run run;

	run_init(&run);
	put(&before, KERNEL_LOG, "last=12\n11,3,1.5;sda: old\n");
	put(&after, KERNEL_LOG, "last=14\n11,3,1.5;sda: old\n13,3,9.5;sda: new; bad\n14,6,9.6\n");
	collect_changes(&before, &after, &run);
	ck_assert_int_eq(run.kernel_log_read, 1);
	ck_assert_uint_eq(run.n_kernel_messages, 1);
	ck_assert_str_eq(run.kernel_messages[0].text, "sda: new; bad");
	ck_assert_int_eq(run.kernel_messages[0].level, 3);
}
END_TEST

START_TEST(a_log_that_could_not_be_read_says_nothing)
{
	CLEANUP(evidence_done) struct evidence before = { 0 };
	CLEANUP(evidence_done) struct evidence after = { 0 };
	CLEANUP(run_done) struct run run;

	run_init(&run);
	evidence_add(&before, KERNEL_LOG, EVIDENCE_ERROR, NULL, 0, EPERM);
	put(&after, KERNEL_LOG, "last=14\n13,3,9.5;sda: new\n");
	collect_changes(&before, &after, &run);
	ck_assert_int_eq(run.kernel_log_read, -1);
	ck_assert_uint_eq(run.n_kernel_messages, 0);
}
END_TEST

/* "x|y" of one row, each as a pattern of fnmatch(3). */
static int row_covers(const char *row, const char *path)
{
	const char *slash = strrchr(row, '/');
	CLEANUP(xfree) char *dir = xstrndup(row + 1, (size_t)(slash - row));
	const char *mark = strstr(dir, "{");
	CLEANUP(xfree)
	char *glob = mark ? xasprintf("%.*s*%s", (int)(mark - dir), dir, strchr(mark, '}') + 1)
			  : xstrdup(dir);

	for (const char *at = slash + 1; *at;) {
		size_t len = strcspn(at, "|");
		CLEANUP(xfree) char *name = xasprintf("%s%.*s", glob, (int)len, at);

		if (fnmatch(name, path, 0) == 0)
			return 1;
		at += len + (at[len] == '|');
	}
	return 0;
}

START_TEST(every_counter_is_read_before_and_after)
{
	for (size_t i = 0; i < n_counters; i++) {
		int found = 0;

		for (size_t k = 0; k < n_items && !found; k++)
			found = items[k].when == COLLECT_BOTH && !items[k].fill &&
				row_covers(items[k].pattern, counters[i].pattern);
		ck_assert_msg(found, "%s is not read twice", counters[i].pattern);
	}
}
END_TEST

START_TEST(packed_evidence_comes_back_whole)
{
	CLEANUP(evidence_done) struct evidence e = { 0 };
	CLEANUP(evidence_done) struct evidence back = { 0 };
	CLEANUP(buf_done) struct buf bytes = { 0 };

	evidence_add(&e, "/a/b", EVIDENCE_FILE, "x\0y", 3, 0);
	evidence_add(&e, "/c", EVIDENCE_ERROR, NULL, 0, EACCES);
	evidence_add(&e, "/d", EVIDENCE_FILE, "", 0, EFBIG);
	evidence_pack(&e, &bytes);
	ck_assert_int_eq(evidence_unpack(&back, bytes.data, bytes.len), 0);
	ck_assert_uint_eq(back.n_items, 3);
	ck_assert_uint_eq(evidence_find(&back, "a/b")->len, 3);
	ck_assert_mem_eq(evidence_find(&back, "a/b")->data, "x\0y", 3);
	ck_assert_int_eq(evidence_find(&back, "c")->error, EACCES);
	ck_assert_int_eq(evidence_find(&back, "d")->error, EFBIG);
	for (size_t len = 1; len < bytes.len; len++) {
		CLEANUP(evidence_done) struct evidence part = { 0 };

		(void)!evidence_unpack(&part, bytes.data, len);
		ck_assert_uint_le(part.n_items, 3);
	}
}
END_TEST

SUITE_MAIN("collect", patterns_stand_for_paths,
	   a_control_group_that_is_unknown_or_strange_is_not_read,
	   what_is_there_is_kept_and_what_is_denied_is_counted,
	   after_a_run_only_what_changes_is_read, counters_of_errors_that_rose_are_listed,
	   messages_of_the_kernel_are_those_after_the_first_look,
	   a_log_that_could_not_be_read_says_nothing, every_counter_is_read_before_and_after,
	   packed_evidence_comes_back_whole)
