/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostlock - one run at a time for each user of a host
 *
 * /tmp belongs to everybody: a directory or file there is used only if it is ours alone, and no
 * symbolic link on the way is followed. Who makes the directory before us takes the lock away from
 * us, and no more than that: the run goes on without, and says so.
 */
#include "iotest/hostlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/buf.h"
#include "iotest/child.h"
#include "iotest/clock.h"
#include "iotest/fd.h"
#include "iotest/sysroot.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "hostlock_state.h"

#define ROOT_BASE "/run"
#define ROOT_NAME "iotest"
#define USERS_BASE "/tmp"
#define USERS_PREFIX "iotest-"
#define DIR_NAME_SIZE 32
#define FILE_NAME "lock"

/* What others have made may hang, such as a mount of theirs. */
#define LOOK_NS (3 * NS_PER_S)

/* The holder before us removes the directory just when we look: once is likely, often is not. */
#define TAKE_TRIES 20

/* What a child that looked answers, one for each lock that is held. */
struct sighting {
	int64_t uid;
	int64_t pid; /* as the kernel tells; 0: of another namespace */
	char state[HOSTLOCK_STATE_BYTES];
};

void hostlock_holder_done(struct hostlock_holder *holder)
{
	free(holder->targets);
	free(holder->phase);
	*holder = (struct hostlock_holder){ 0 };
}

void hostlock_list_done(struct hostlock_list *list)
{
	for (size_t i = 0; i < list->n_items; i++)
		hostlock_holder_done(&list->items[i]);
	free(list->items);
	*list = (struct hostlock_list){ 0 };
}

/* Of this user, and nobody else may do anything there. */
static bool is_private(const struct stat *st, uid_t uid)
{
	return st->st_uid == uid && (st->st_mode & 077) == 0;
}

/* Returns a descriptor or -errno. */
static int open_private_dir(int base_fd, const char *name, uid_t uid)
{
	CLEANUP(fd_close)
	int fd = openat(base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int opened;

	if (fd < 0 || fstat(fd, &st) < 0)
		return errno == ENOTDIR || errno == ELOOP ? -EPERM : -errno;
	if (!is_private(&st, uid))
		return -EPERM;
	opened = fd;
	fd = -1;
	return opened;
}

/* The same for the file; O_NONBLOCK: it could be a pipe. */
static int open_private_file(int dir_fd, int flags, uid_t uid)
{
	CLEANUP(fd_close)
	int fd = openat(dir_fd, FILE_NAME, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	struct stat st;
	int opened;

	if (fd < 0 || fstat(fd, &st) < 0)
		return errno == ELOOP ? -EPERM : -errno;
	if (!S_ISREG(st.st_mode) || !is_private(&st, uid) || st.st_nlink > 1)
		return -EPERM;
	opened = fd;
	fd = -1;
	return opened;
}

/* ------------------------------------------------------------------ looking */

/* In a child: it closes the file. Returns 0 if it is held, -ENOENT if it is not, or -errno. */
static int look_at(int base_fd, const char *name, uid_t uid, struct sighting *out)
{
	CLEANUP(fd_close) int dir_fd = open_private_dir(base_fd, name, uid);
	CLEANUP(fd_close) int fd = dir_fd < 0 ? dir_fd : open_private_file(dir_fd, O_RDONLY, uid);
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	*out = (struct sighting){ .uid = (int64_t)uid };
	if (fd < 0)
		return fd;
	if (fcntl(fd, F_GETLK, &lock) < 0)
		return -errno;
	if (lock.l_type == F_UNLCK)
		return -ENOENT;
	out->pid = lock.l_pid;
	if (pread(fd, out->state, sizeof(out->state), 0) < 0)
		return -errno;
	return 0;
}

/* One directory. */
struct search {
	const char *base;
	char name[DIR_NAME_SIZE];
	uid_t uid;
};

static const struct search search_root = { .base = ROOT_BASE, .name = ROOT_NAME };

static struct search search_user(const char *base, uid_t uid)
{
	struct search search = { .base = base, .uid = uid };

	(void)snprintf(search.name, sizeof(search.name), USERS_PREFIX "%u", uid);
	return search;
}

static bool is_at_root(const char *base)
{
	return !base && geteuid() == 0 && access(ROOT_BASE, W_OK) == 0;
}

static struct search search_own(const char *base)
{
	return is_at_root(base) ? search_root : search_user(base ? base : USERS_BASE, geteuid());
}

static int look(void *context, struct buf *answer)
{
	const struct search *search = context;
	CLEANUP(fd_close) int base_fd = open(search->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct sighting found;
	int rc;

	if (base_fd < 0)
		return -errno;
	rc = look_at(base_fd, search->name, search->uid, &found);
	if (rc == 0)
		buf_add(answer, (const char *)&found, sizeof(found));
	return rc;
}

/* What the kernel says counts: the file may still hold what a dead one wrote. */
static void take_sighting(const struct sighting *found, struct hostlock_holder *out)
{
	int64_t pid = found->pid > 0 ? found->pid : -1;
	int64_t start = hostlock_state_parse(found->state, sizeof(found->state), out);

	if (pid > 0 && (out->pid != pid || hostlock_process_start(pid) != start))
		(void)hostlock_state_parse("", 0, out);
	out->uid = found->uid;
	out->pid = pid;
}

static int find(struct search search, struct hostlock_holder *out)
{
	CLEANUP(buf_done) struct buf answer = { 0 };
	struct sighting found;
	int rc = child_run(look, &search, LOOK_NS, &answer);

	if (rc)
		return rc;
	if (answer.len != sizeof(found))
		return -ECHILD;
	memcpy(&found, answer.data, sizeof(found));
	hostlock_holder_done(out);
	take_sighting(&found, out);
	return 0;
}

int hostlock_find(const char *base, struct hostlock_holder *out)
{
	return find(search_own(base), out);
}

static void add_found(struct search search, struct hostlock_list *list)
{
	struct hostlock_holder found = { 0 };

	if (find(search, &found) == 0)
		*XGROW(&list->items, &list->n_items) = found;
}

/* Each name that can be one of ours, with the user in it. What hangs, or is none, is passed by. */
static int list_below(const char *base, struct hostlock_list *list)
{
	CLEANUP(strlist_done) struct strlist names = { 0 };
	int fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : fd_list(fd, &names);

	for (size_t i = 0; rc == 0 && i < names.n_items; i++) {
		const char *name = names.items[i];
		int64_t uid;

		if (strncmp(name, USERS_PREFIX, strlen(USERS_PREFIX)) ||
		    units_parse_count(name + strlen(USERS_PREFIX), 0, UINT32_MAX - 1, &uid))
			continue;
		add_found(search_user(base, (uid_t)uid), list);
	}
	return rc;
}

int hostlock_list(const char *base, struct hostlock_list *out)
{
	CLEANUP(hostlock_list_done) struct hostlock_list list = { 0 };
	int rc = 0;

	if (is_at_root(base))
		add_found(search_root, &list);
	if (geteuid() == 0)
		rc = list_below(base ? base : USERS_BASE, &list);
	else
		add_found(search_own(base), &list);
	if (rc)
		return rc;
	*out = list;
	list = (struct hostlock_list){ 0 };
	return 0;
}

/* ------------------------------------------------------------------ holding */

static void let_go(struct hostlock *lock)
{
	fd_close(&lock->fd);
	fd_close(&lock->dir_fd);
	fd_close(&lock->base_fd);
}

/* -EBUSY: somebody holds it. -ENOENT, -ESTALE: somebody has just removed it. */
static int try_to_take(const char *base, struct hostlock *lock)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct stat st;

	lock->base_fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lock->base_fd < 0)
		return -errno;
	if (mkdirat(lock->base_fd, lock->dir_name, 0700) < 0 && errno != EEXIST)
		return -errno;
	lock->dir_fd = open_private_dir(lock->base_fd, lock->dir_name, geteuid());
	if (lock->dir_fd < 0)
		return lock->dir_fd;
	lock->fd = open_private_file(lock->dir_fd, O_RDWR | O_CREAT, geteuid());
	if (lock->fd < 0)
		return lock->fd;
	if (fcntl(lock->fd, F_SETLK, &whole) < 0)
		return errno == EACCES || errno == EAGAIN ? -EBUSY : -errno;
	/* Locked, but by then no longer the file that others will find. */
	if (fstat(lock->fd, &st) < 0)
		return -errno;
	return st.st_nlink == 0 ? -ESTALE : 0;
}

/* Another user's directory in place of ours may lie on a mount that hangs: a child goes first. */
static int go_ahead(const struct search *own, struct hostlock_holder *busy)
{
	int rc = find(*own, busy);

	if (rc == 0)
		return -EBUSY;
	return rc == -ENOENT ? 0 : rc;
}

static int take_patiently(const char *base, struct hostlock *lock)
{
	int rc = -ENOENT;

	for (int i = 0; (rc == -ENOENT || rc == -ESTALE) && i < TAKE_TRIES; i++) {
		rc = try_to_take(base, lock);
		if (rc)
			let_go(lock);
	}
	return rc;
}

int hostlock_take(const char *base, struct hostlock *out, struct hostlock_holder *busy)
{
	const struct search own = search_own(base);
	struct hostlock lock = HOSTLOCK_NONE;
	int rc;

	(void)snprintf(lock.dir_name, sizeof(lock.dir_name), "%s", own.name);
	lock.dir_stays = is_at_root(base);
	lock.path = xasprintf("%s/%s", own.base, own.name);
	*out = lock;
	rc = go_ahead(&own, busy);
	if (rc)
		return rc;
	rc = take_patiently(own.base, &lock);
	/* Who was faster may be gone by now: then nothing is known of it. */
	if (rc == -EBUSY && find(own, busy))
		(void)hostlock_state_parse("", 0, busy);
	if (rc)
		return rc;
	lock.self = (struct hostlock_holder){
		.uid = (int64_t)own.uid,
		.pid = getpid(),
		.since_ns = clock_wall_ns(),
	};
	*out = lock;
	return 0;
}

void hostlock_tell(struct hostlock *lock, const char *targets, const char *phase)
{
	char state[HOSTLOCK_STATE_BYTES];

	if (lock->fd < 0)
		return;
	if (targets)
		xstr_set(&lock->self.targets, targets);
	xstr_set(&lock->self.phase, phase);
	lock->self.phase_since_ns = clock_wall_ns();
	hostlock_state_format(&lock->self, state);
	/* The lock holds without it. */
	(void)!pwrite(lock->fd, state, sizeof(state), 0);
}

void hostlock_release(struct hostlock *lock)
{
	/* While it is held: who opened it before finds that it has no name any more. */
	if (lock->fd >= 0 && unlinkat(lock->dir_fd, FILE_NAME, 0) == 0 && !lock->dir_stays)
		(void)unlinkat(lock->base_fd, lock->dir_name, AT_REMOVEDIR);
	let_go(lock);
	hostlock_holder_done(&lock->self);
	free(lock->path);
	*lock = (struct hostlock)HOSTLOCK_NONE;
}
