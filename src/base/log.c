/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log - what happened, when
 */
#include "iotest/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "iotest/buf.h"
#include "iotest/clock.h"

static int log_fd = -1;
static bool is_quiet;

void log_set_file(int fd)
{
	log_fd = fd;
}

void log_keep_quiet(void)
{
	is_quiet = true;
}

static void add_stamp(struct buf *b)
{
	int64_t now_ns = clock_wall_ns();
	time_t now_s = (time_t)(now_ns / NS_PER_S);
	struct tm utc;
	char text[32];

	gmtime_r(&now_s, &utc);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
	buf_printf(b, "%s.%03dZ", text, (int)(now_ns % NS_PER_S / NS_PER_MS));
}

/* One call for a line, so that lines of several writers do not mix. A lost line is no failure. */
static void put(int fd, const struct buf *line)
{
	ssize_t n = write(fd, line->data, line->len);

	(void)n;
}

void log_line(enum log_level level, const char *fmt, ...)
{
	static const char *const names[] = {
		[LOG_LEVEL_DEBUG] = "debug",
		[LOG_LEVEL_NOTE] = "note",
		[LOG_LEVEL_WARNING] = "warning",
	};
	_Static_assert(ARRAY_LEN(names) == LOG_LEVEL_COUNT, "name every level");
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf line = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);

	if (log_fd >= 0) {
		add_stamp(&line);
		buf_printf(&line, " %s ", names[level]);
		buf_add_visible(&line, buf_text(&text));
		buf_add_text(&line, "\n");
		put(log_fd, &line);
	}
	if (level >= LOG_LEVEL_WARNING && !is_quiet) {
		line.len = 0;
		buf_add_text(&line, "iotest: ");
		buf_add_visible(&line, buf_text(&text));
		buf_add_text(&line, "\n");
		put(STDERR_FILENO, &line);
	}
}
