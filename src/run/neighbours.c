/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neighbours - who else tests the same directory
 *
 * flock(2) belongs to the open file and not to the process: a child can take it for its parent,
 * and may hang in it.
 */
#include "neighbours.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "iotest/child.h"
#include "iotest/xalloc.h"

/* A server of locks that does not answer by then is asked no more. */
#define ASK_NS (3 * NS_PER_S)

#define GLANCE_NS (5 * NS_PER_S)

/* Somebody else may have it alone for the moment in which it asks. */
#define SHARE_TRIES 20
#define SHARE_PAUSE_NS (10 * NS_PER_MS)

static int share(int fd, bool *is_shared)
{
	const struct timespec pause = { .tv_nsec = SHARE_PAUSE_NS };

	for (int i = 0; i < SHARE_TRIES; i++) {
		if (flock(fd, LOCK_SH | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK)
			return -errno;
		*is_shared = true;
		(void)nanosleep(&pause, NULL);
	}
	return 0;
}

/* Who asks for it alone gives up its share first, and needs a new one in any case. */
static int ask_work(void *context, struct buf *answer)
{
	const int *fd = context;
	bool is_shared = false;
	int rc = share(*fd, &is_shared);

	if (rc)
		return rc;
	if (flock(*fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return -errno;
		is_shared = true;
	}
	rc = share(*fd, &is_shared);
	if (rc == 0)
		buf_add(answer, (const char *)&is_shared, sizeof(is_shared));
	return rc;
}

void neighbours_look(const struct ensemble *x, struct execution *e)
{
	CLEANUP(buf_done) struct buf answer = { 0 };
	struct run *run = e->run;
	int rc;

	e->looked_ns = x->io->clock_ns();
	/* Several named files are tested together by whoever wants just that. */
	if (plan_has_file(e->plan))
		return;
	if (run->target_lock_error > 0 || run->target_shared == 1)
		return;
	rc = child_run(ask_work, &e->workspace.target_fd, ASK_NS, &answer);
	/* A signal, or no child, says nothing about the locks. */
	if (rc == -EINTR || rc == -EAGAIN || rc == -ENOMEM || rc == -ECHILD)
		return;
	run->target_lock_error = -rc;
	if (rc == 0)
		run->target_shared = answer.len > 0 && answer.data[0];
}

void neighbours_glance(const struct ensemble *x, struct execution *e)
{
	if (x->io->clock_ns() - e->looked_ns >= GLANCE_NS)
		neighbours_look(x, e);
}

/* Anybody may make directories with such names: some stand for all. */
#define NAMES_MAX 10

static void add_name(struct run *run, const char *name)
{
	CLEANUP(xfree) char *before = NULL;

	if (strstr(text_of(run->others_left), name) || strstr(text_of(run->sweep_failure), name))
		return;
	before = run->others_left;
	run->others_left = *text_of(before) ? xasprintf("%s, %s", before, name) : xstrdup(name);
}

void neighbours_name(struct execution *e)
{
	CLEANUP(strlist_done) struct strlist names = { 0 };
	CLEANUP(xfree) char *rest = NULL;

	if (!plan_has_file(e->plan))
		workspace_find_others(&e->workspace, &names);
	for (size_t i = 0; i < names.n_items && i < NAMES_MAX; i++)
		add_name(e->run, names.items[i]);
	if (names.n_items <= NAMES_MAX)
		return;
	rest = xasprintf("and %zu more", names.n_items - NAMES_MAX);
	add_name(e->run, rest);
}
