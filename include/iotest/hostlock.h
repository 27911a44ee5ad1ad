/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostlock - one run at a time for each user of a host
 *
 * The lock is on the file "lock" in a directory of the user: /run/iotest for root, which stays, and
 * /tmp/iotest-UID for others (and for a root that may not write to /run), which goes with the lock.
 * Neither place comes from the environment: cron and a login shell have to meet. The file says
 * what its holder does. After a kill it stays, unlocked: the next run takes it over.
 *
 * It is a record lock of fcntl(2) that belongs to the process (not one of an open file
 * description, nor one of flock(2)): it ends with the process, whatever becomes of its children. A
 * worker that hangs in the kernel would keep a lock of the other kinds for as long as it hangs.
 * And the kernel tells the holder. What has to be minded: closing any descriptor of that file in
 * the process that holds it ends the lock; so all looks are done in children.
 *
 * base is a directory in which iotest-UID lies instead; NULL: where it is said above.
 */
#ifndef IOTEST_HOSTLOCK_H
#define IOTEST_HOSTLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/compiler.h"

/* A running iotest. Texts are owned, from a file of its user, and "" where it does not say. */
struct hostlock_holder {
	int64_t uid;
	int64_t pid; /* -1: lives in another pid namespace */
	char *targets;
	char *phase;
	int64_t since_ns;	/* realtime; -1 unknown */
	int64_t phase_since_ns; /* realtime; -1 unknown */
};
void hostlock_holder_done(struct hostlock_holder *holder);

struct hostlock {
	int base_fd;
	int dir_fd;
	int fd; /* -1: not held */
	char dir_name[32];
	bool dir_stays;
	char *path; /* of the directory, for messages; owned */
	struct hostlock_holder self;
};
#define HOSTLOCK_NONE                                  \
	{                                              \
		.base_fd = -1, .dir_fd = -1, .fd = -1, \
	}

/*
 * Takes it. Returns 0; -EBUSY if another run of this user goes on, which *busy tells then; another
 * negative errno if there can be no lock here: -EPERM if the directory is not ours alone.
 * out, HOSTLOCK_NONE before, has its path in any case. Give back with hostlock_release.
 */
MUST_CHECK int hostlock_take(const char *base, struct hostlock *out, struct hostlock_holder *busy);

/* What this run does from now on. targets NULL: as before. Does nothing without a lock. */
void hostlock_tell(struct hostlock *lock, const char *targets, const char *phase);

/* Also for CLEANUP. */
void hostlock_release(struct hostlock *lock);

/* Who holds that of this user. Returns 0, -ENOENT if nobody does, or why that is not known. */
MUST_CHECK int hostlock_find(const char *base, struct hostlock_holder *out);

struct hostlock_list {
	struct hostlock_holder *items;
	size_t n_items;
};
void hostlock_list_done(struct hostlock_list *list);

/* All that this user may see: root sees those of all users. Returns 0 or -errno. */
MUST_CHECK int hostlock_list(const char *base, struct hostlock_list *out);

#endif
