/* SPDX-License-Identifier: Apache-2.0 */
/*
 * environment - a process that starts the same way whoever starts it
 */
#include "iotest/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/compiler.h"
#include "iotest/xalloc.h"

static void clear_environment(void)
{
	static const char *const kept[] = { "LANG",   "NO_COLOR", "TERM",
					    "TMPDIR", "TZ",	  "XDG_STATE_HOME" };
	char *values[ARRAY_LEN(kept)] = { NULL };

	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		const char *value = getenv(kept[i]);

		if (value)
			values[i] = xstrdup(value);
	}
	clearenv();
	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		if (values[i])
			setenv(kept[i], values[i], 1);
		free(values[i]);
	}
	/* hwloc tells its troubles on standard error; ours are notes of the probe. */
	setenv("HWLOC_HIDE_ERRORS", "2", 1);
}

/* A closed standard output stays one that cannot be written: opened for reading only, a report that
 * goes there is an error and not lost in silence. */
static void fill_standard_descriptors(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		int opened;

		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		opened = open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
		if (opened >= 0 && opened != fd) {
			dup2(opened, fd);
			close(opened);
		}
	}
}

void environment_tidy(void)
{
	fill_standard_descriptors();
	clear_environment();
	umask(077);
}
