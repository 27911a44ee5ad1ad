/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin - what check and status have in common as plugins of a monitoring system
 */
#include "plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/child.h"
#include "iotest/fd.h"
#include "iotest/render.h"
#include "iotest/xalloc.h"

#define RESOLVE_NS (2 * NS_PER_S)

void plugin_add_failure(int state, const char *target, const struct err *err, struct buf *line)
{
	CLEANUP(xfree)
	char *text = xasprintf("%s%s%s", err->sentence, err->advice[0] ? "; " : "", err->advice);
	const struct monitor m = {
		.state = state,
		/* Not twice. */
		.target = err->sentence[0] == '/' ? NULL : target,
		.text = text,
		.write_mib_per_s = -1,
		.read_mib_per_s = -1,
	};

	render_monitor_line(&m, line);
}

static int resolve(void *given, struct buf *answer)
{
	char *path = realpath(given, NULL);

	if (!path)
		return -errno;
	buf_add_text(answer, path);
	free(path);
	return 0;
}

/* The server of a network file system may be dead. */
char *plugin_resolve(const char *given)
{
	CLEANUP(xfree) char *asked = xstrdup(given);
	struct buf path = { 0 };

	if (child_run(resolve, asked, RESOLVE_NS, &path))
		buf_add_text(&path, given);
	return buf_take(&path);
}

void plugin_print(const char *line)
{
	puts(line);
}

static int write_new(const char *path, const struct buf *text)
{
	CLEANUP(fd_close) int fd = -1;

	/* A leftover of a process that had our number. */
	(void)unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	/* The exporter is another user. */
	if (fchmod(fd, 0644))
		return -errno;
	return fd_write_all(fd, buf_text(text), text->len);
}

int plugin_put_file(const char *path, const struct buf *text, struct err *err)
{
	/* The collector reads *.prom, and not this. */
	CLEANUP(xfree) char *new_path = xasprintf("%s.%ld", path, (long)getpid());
	int rc = write_new(new_path, text);

	if (!rc && rename(new_path, path))
		rc = -errno;
	if (!rc)
		return 0;
	(void)unlink(new_path);
	return err_set(err, rc, "%s: cannot be written", path);
}
