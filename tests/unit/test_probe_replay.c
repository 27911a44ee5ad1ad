/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_probe_replay - what was recorded here tells the same host again
 */
#include "probe_tree.h"
#include "suite.h"

#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* Every field as "path=value" lines, in the order of the schema. */
static void describe(const struct schema *schema, const void *object, const char *prefix,
		     struct buf *out)
{
	size_t i, k, n;

	for (i = 0; i < schema->n_fields; i++) {
		const struct field *f = &schema->fields[i];
		const char *at = (const char *)object + f->offset;
		CLEANUP(xfree) char *path = xasprintf("%s/%s", prefix, f->key);

		switch (f->type) {
		case FIELD_TEXT:
			buf_printf(out, "%s=%s\n", path, text_of(*(char *const *)at));
			break;
		case FIELD_I64:
			buf_printf(out, "%s=%" PRId64 "\n", path, *(const int64_t *)at);
			break;
		case FIELD_DOUBLE:
			buf_printf(out, "%s=%.17g\n", path, *(const double *)at);
			break;
		case FIELD_BOOL:
		case FIELD_ENUM:
			buf_printf(out, "%s=%d\n", path, *(const int *)at);
			break;
		case FIELD_STRUCT:
			describe(f->sub, at, path, out);
			break;
		case FIELD_LIST:
			n = *(const size_t *)((const char *)object + f->count_offset);
			for (k = 0; k < n; k++)
				describe(f->sub, *(char *const *)at + k * f->sub->size, path, out);
			buf_printf(out, "%s: %zu\n", path, n);
			break;
		}
	}
}

static void probe_with(const struct sysroot *root, const struct strlist *targets, struct buf *out)
{
	CLEANUP(host_done) struct host host = { 0 };
	struct err err = { 0 };

	ck_assert_msg(probe_host(root, targets, &host, &err) == 0, "%s", err.sentence);
	describe(&host_schema, &host, "", out);
}

/* The targets that every machine has: a disk or what stands for it, memory, an odd name. */
static void add_targets(const char *top, struct strlist *targets)
{
	CLEANUP(xfree) char *odd = xasprintf("%s/a \\101\nc", top);

	testdir_put(top, "a \\101\nc/x", "");
	strlist_add(targets, "/tmp");
	if (access("/dev/shm", F_OK) == 0)
		strlist_add(targets, "/dev/shm");
	strlist_add(targets, odd);
}

/* Probes this machine; the answer into out, the evidence into the directory. */
static void record(const struct strlist *targets, const char *directory, struct buf *out)
{
	CLEANUP(evidence_done) struct evidence evidence = { 0 };
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(close_fd) int fd = -1;
	struct err err = { 0 };

	ck_assert_int_eq(sysroot_open(&root, NULL, &err), 0);
	root.evidence = &evidence;
	probe_with(&root, targets, out);
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(evidence_write(&evidence, fd), 0);
}

static void replay(const struct strlist *targets, const char *directory, struct buf *out)
{
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	struct err err = { 0 };

	ck_assert_int_eq(sysroot_open(&root, directory, &err), 0);
	probe_with(&root, targets, out);
}

START_TEST(this_machine_replays_to_the_same_host)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(testdir_done) char *recorded = testdir_new();
	CLEANUP(strlist_done) struct strlist targets = { 0 };
	CLEANUP(buf_done) struct buf live = { 0 };
	CLEANUP(buf_done) struct buf again = { 0 };

	add_targets(top, &targets);
	record(&targets, recorded, &live);
	replay(&targets, recorded, &again);
	ck_assert_str_eq(buf_text(&live), buf_text(&again));
}
END_TEST

START_TEST(what_the_issue_asks_for_is_in_the_evidence)
{
	static const char *const paths[] = { "proc/cpuinfo", "proc/meminfo", "proc/self/mountinfo",
					     "topology.xml", "os/uname",     "os/limits",
					     "os/affinity",  "os/target.1" };
	CLEANUP(testdir_done) char *recorded = testdir_new();
	CLEANUP(strlist_done) struct strlist targets = { 0 };
	CLEANUP(buf_done) struct buf live = { 0 };
	size_t i;

	strlist_add(&targets, "/tmp");
	record(&targets, recorded, &live);
	for (i = 0; i < ARRAY_LEN(paths); i++) {
		CLEANUP(xfree) char *path = xasprintf("%s/%s", recorded, paths[i]);

		ck_assert_msg(access(path, R_OK) == 0, "%s", paths[i]);
	}
}
END_TEST

/* hwloc reads all of DMI when it runs as root. */
START_TEST(no_serial_number_is_in_the_evidence)
{
	CLEANUP(testdir_done) char *recorded = testdir_new();
	CLEANUP(strlist_done) struct strlist targets = { 0 };
	CLEANUP(buf_done) struct buf live = { 0 };
	CLEANUP(buf_done) struct buf xml = { 0 };
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	const char *at;
	struct err err = { 0 };

	record(&targets, recorded, &live);
	ck_assert_int_eq(sysroot_open(&root, recorded, &err), 0);
	ck_assert_int_eq(sysroot_read(&root, &xml, "/topology.xml"), 0);
	for (at = strstr(buf_text(&xml), "Serial\""); at; at = strstr(at + 1, "Serial\""))
		ck_assert_int_eq(strncmp(at, "Serial\" value=\"\"", 16), 0);
}
END_TEST

START_TEST(a_replay_of_a_replay_is_the_same)
{
	CLEANUP(testdir_done) char *top = tree_grow("server");
	CLEANUP(testdir_done) char *copy = testdir_new();
	CLEANUP(evidence_done) struct evidence evidence = { 0 };
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(strlist_done) struct strlist targets = { 0 };
	CLEANUP(buf_done) struct buf first = { 0 };
	CLEANUP(buf_done) struct buf second = { 0 };
	CLEANUP(close_fd) int fd = -1;
	struct err err = { 0 };

	strlist_add(&targets, "/saswork");
	ck_assert_int_eq(sysroot_open(&root, top, &err), 0);
	root.evidence = &evidence;
	probe_with(&root, &targets, &first);
	fd = open(copy, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(evidence_write(&evidence, fd), 0);

	/* hwloc needs files that we do not read, and has no XML of a tree */
	replay(&targets, copy, &second);
	ck_assert_ptr_nonnull(strstr(buf_text(&second), "/physical_cores=48\n"));
	ck_assert_ptr_nonnull(strstr(buf_text(&second), "/free_bytes=1966080000000\n"));
	ck_assert_ptr_nonnull(strstr(buf_text(&second), "/devices: 6\n"));
}
END_TEST

SUITE_MAIN("probe replay", this_machine_replays_to_the_same_host,
	   what_the_issue_asks_for_is_in_the_evidence, no_serial_number_is_in_the_evidence,
	   a_replay_of_a_replay_is_the_same)
