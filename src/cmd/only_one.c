/* SPDX-License-Identifier: Apache-2.0 */
/*
 * only_one - a test runs alone
 */
#include "only_one.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "iotest/buf.h"
#include "iotest/clock.h"
#include "iotest/schema.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"

/* Only what it says of itself, if it does. */
static int refuse(const struct hostlock_holder *busy, struct err *err)
{
	CLEANUP(buf_done) struct buf who = { 0 };

	if (busy->pid > 0)
		buf_printf(&who, "pid %" PRId64, busy->pid);
	else
		buf_add_text(&who, "in another container");
	if (text_of(busy->targets)[0])
		buf_printf(&who, ", on %s", busy->targets);
	if (text_of(busy->phase)[0])
		buf_printf(&who, ", %s", busy->phase);
	if (busy->since_ns > 0) {
		buf_add_text(&who, ", for ");
		units_add_duration(&who, clock_wall_ns() - busy->since_ns);
	}
	(void)err_say(err, -EBUSY, "another iotest of this user is running: %s", buf_text(&who));
	err_advise(err, "two at a time would measure each other: wait for its end; iotest ps shows "
			"how far it is");
	err->status = EXIT_STATUS_BUSY;
	return -EBUSY;
}

int only_one_begin(struct hostlock *lock, char **failure, struct err *err)
{
	CLEANUP(hostlock_holder_done) struct hostlock_holder busy = { 0 };
	int rc = hostlock_take(NULL, lock, &busy);

	if (rc == -EBUSY)
		return refuse(&busy, err);
	if (rc == 0)
		return 0;
	*failure = xasprintf("%s: %s", lock->path,
			     rc == -EPERM ? "not a directory of this user alone" : strerror(-rc));
	return 0;
}

/* Who looks stands elsewhere. It is not resolved: that may hang. */
static void add_absolute(const char *path, struct buf *names)
{
	char here[PATH_MAX];

	buf_add_text(names, names->len ? ", " : "");
	if (path[0] != '/' && getcwd(here, sizeof(here)))
		buf_printf(names, "%s/", here);
	buf_add_text(names, path);
}

void only_one_tell(struct hostlock *lock, const struct strlist *targets, const char *phase)
{
	CLEANUP(buf_done) struct buf names = { 0 };

	for (size_t i = 0; targets && i < targets->n_items; i++)
		add_absolute(targets->items[i], &names);
	hostlock_tell(lock, targets ? buf_text(&names) : NULL, phase);
}

void only_one_follow(struct hostlock *lock, const struct run_event *event)
{
	if (event->kind == RUN_PHASE_BEGIN)
		hostlock_tell(lock, NULL, phase_kind_name(event->sample.phase));
	else if (event->kind == RUN_PHASE_END)
		hostlock_tell(lock, NULL, "between phases");
	else if (event->kind == RUN_REMOVING)
		hostlock_tell(lock, NULL, "removing files");
}
