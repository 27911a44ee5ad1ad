/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolve - open a path below a directory that nothing in the path can leave
 */
#include "resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "iotest/buf.h"
#include "iotest/xalloc.h"

/* As the kernel has it. */
#define MAX_LINKS 40

/* openat2(2) is younger than the headers we build with, so its few words are said here. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define IN_ROOT 0x10 /* RESOLVE_IN_ROOT */

struct open_args {
	uint64_t flags;
	uint64_t mode;
	uint64_t resolve;
};

static int open_in_root(int dirfd, const char *path, int flags)
{
	struct open_args args = {
		.flags = (uint64_t)(unsigned int)flags,
		.resolve = IN_ROOT,
	};
	long fd = syscall(SYS_openat2, dirfd, path, &args, sizeof(args));

	return fd < 0 ? -errno : (int)fd;
}

static void pop_component(struct buf *walked)
{
	char *slash = walked->data ? strrchr(walked->data, '/') : NULL;

	walked->len = slash ? (size_t)(slash - walked->data) : 0;
	if (walked->data)
		walked->data[walked->len] = '\0';
}

/*
 * Adds name to walked, which holds no link. If that is a link to be followed, walked goes back and
 * the link's target goes before what is left in rest. Returns 1 if it was one, 0, or -errno.
 */
static int step(int dirfd, struct buf *walked, const char *name, char **rest, bool follow)
{
	CLEANUP(xfree) char *joined = NULL;
	char target[PATH_MAX];
	ssize_t len;

	if (strcmp(name, "..") == 0) {
		pop_component(walked);
		return 0;
	}
	buf_printf(walked, "%s%s", walked->len ? "/" : "", name);
	if (!follow)
		return 0;
	len = readlinkat(dirfd, buf_text(walked), target, sizeof(target) - 1);
	if (len < 0)
		return errno == EINVAL ? 0 : -errno;

	target[len] = '\0';
	pop_component(walked);
	if (target[0] == '/')
		walked->len = 0;
	joined = xasprintf("%s/%s", target, *rest);
	xstr_set(rest, joined);
	return 1;
}

/* Cuts the first component off rest. It is "" at the end. */
static char *take_component(char **rest)
{
	const char *s = *rest + strspn(*rest, "/");
	size_t len = strcspn(s, "/");
	char *name = xstrndup(s, len);
	CLEANUP(xfree) char *left = xstrdup(s + len);

	xstr_set(rest, left);
	return name;
}

int resolve_open_by_walking(int dirfd, const char *path, int flags)
{
	CLEANUP(buf_done) struct buf walked = { 0 };
	CLEANUP(xfree) char *rest = xstrdup(path);
	int n_links = 0;
	int fd;

	for (;;) {
		CLEANUP(xfree) char *name = take_component(&rest);
		bool is_last = rest[strspn(rest, "/")] == '\0';
		int rc;

		if (name[0] == '\0')
			break;
		if (strcmp(name, ".") == 0)
			continue;
		rc = step(dirfd, &walked, name, &rest, !is_last || !(flags & O_NOFOLLOW));
		if (rc < 0)
			return rc;
		n_links += rc;
		if (n_links > MAX_LINKS)
			return -ELOOP;
	}
	fd = openat(dirfd, walked.len ? walked.data : ".", flags | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

int resolve_open(int dirfd, const char *path, int flags)
{
	int fd = open_in_root(dirfd, path, flags);

	/* A seccomp filter that does not know the call answers EPERM. */
	if (fd == -ENOSYS || fd == -EPERM)
		return resolve_open_by_walking(dirfd, path, flags);
	return fd;
}
