/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_host - a whole recorded tree: processors, memory, mounts, control groups, devices
 *
 * The text is that of fuzz_tree.h; before its first mark are the directories under test. What is
 * probed is shown and planned. No process is started: what the child that reads the topology
 * would answer stands in the file "child" of the tree.
 */
#include <errno.h>

#include "fuzz.h"
#include "fuzz_tree.h"
#include "iotest/child.h"
#include "iotest/planner.h"
#include "iotest/probe.h"
#include "iotest/render.h"

#define TARGETS_MAX 3
#define WISHES 3

int __wrap_child_run(child_work *work, void *context, int64_t deadline_ns, struct buf *answer);

/* Instead of the one of iotest: see CMakeLists.txt. */
int __wrap_child_run(child_work *work UNUSED, void *context UNUSED, int64_t deadline_ns UNUSED,
		     struct buf *answer)
{
	CLEANUP(xfree) char *text = fuzz_tree_read("child");

	buf_add_text(answer, text);
	return *text ? 0 : -ETIMEDOUT;
}

/* None, and those that lead elsewhere in the planner. */
static void fill_wishes(struct plan_wishes wishes[WISHES])
{
	for (size_t i = 0; i < WISHES; i++)
		wishes[i] = (struct plan_wishes)PLAN_WISHES_NONE;
	wishes[1].quick = true;
	wishes[1].pin = true;
	wishes[1].repeat = 3;
	wishes[1].mixed_read_percent = 70;
	wishes[2].prove = "100";
	wishes[2].direct = true;
	wishes[2].workers = 2;
	wishes[2].bytes_per_worker = MIB;
}

/* Returns the number of plans made; the others have their sentence. */
static size_t make_plans(const struct host *host, size_t target, struct plan *plans)
{
	struct plan_wishes wishes[WISHES];
	size_t n = 0;

	fill_wishes(wishes);
	for (size_t i = 0; i < WISHES; i++) {
		struct err err = { 0 };

		if (plan_build(host, target, &wishes[i], &plans[n], &err)) {
			FUZZ_REQUIRE(err.rc < 0 && err.sentence[0]);
			continue;
		}
		FUZZ_REQUIRE(plans[n].workers >= 1 && plans[n].bytes_per_worker >= 1);
		n++;
	}
	return n;
}

static void plan_and_show(const struct host *host, size_t target)
{
	struct plan plans[WISHES] = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };
	size_t n = make_plans(host, target, plans);

	for (size_t i = 0; i < n; i++)
		render_plan_text(host, &plans[i], &page);
	FUZZ_REQUIRE(render_plans_json(host, plans, n, &page, NULL) == 0);
	for (size_t i = 0; i < n; i++)
		plan_done(&plans[i]);
}

/* The JSON of the plans holds that of the host. */
static void show(const struct host *host)
{
	CLEANUP(buf_done) struct buf page = { 0 };

	render_host_text(host, &page);
	FUZZ_REQUIRE(host->physical_cores >= -1 && host->memory_bytes >= -1);
	if (!host->n_targets)
		FUZZ_REQUIRE(render_host_json(host, &page, NULL) == 0);
	for (size_t i = 0; i < host->n_targets; i++)
		plan_and_show(host, i);
}

static void probe(const struct sysroot *root, const struct strlist *targets)
{
	CLEANUP(host_done) struct host host = { 0 };
	struct err err = { 0 };

	if (probe_host(root, targets, &host, &err))
		FUZZ_REQUIRE(err.rc < 0 && err.sentence[0]);
	else
		show(&host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(xfree) char *text = fuzz_text(data, size);
	CLEANUP(strlist_done) struct strlist targets = { 0 };
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(evidence_done) struct evidence evidence = { 0 };
	struct err err = { 0 };

	if (sysroot_open(&root, fuzz_tree_make(text, &targets), &err)) {
		FUZZ_REQUIRE(err.sentence[0]);
		return 0;
	}
	while (targets.n_items > TARGETS_MAX)
		free(targets.items[--targets.n_items]);
	root.evidence = &evidence;
	probe(&root, &targets);
	return 0;
}
