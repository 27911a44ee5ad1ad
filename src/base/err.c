/* SPDX-License-Identifier: Apache-2.0 */
/*
 * err - fill the one sentence
 */
#include "iotest/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Room that is kept for ": <strerror>", so that a long path never hides the cause. */
#define CAUSE_SIZE 128

PRINTF_LIKE(5, 0)
static void fill(struct err *err, int rc, enum exit_status status, size_t room, const char *fmt,
		 va_list ap)
{
	err->rc = rc;
	err->status = status;
	err->advice[0] = '\0';
	if (vsnprintf(err->sentence, room, fmt, ap) < 0)
		err->sentence[0] = '\0';
}

int err_set(struct err *err, int rc, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	if (!err)
		return rc;
	va_start(ap, fmt);
	fill(err, rc, EXIT_STATUS_FAILED, sizeof(err->sentence) - CAUSE_SIZE, fmt, ap);
	va_end(ap);

	len = strlen(err->sentence);
	snprintf(err->sentence + len, sizeof(err->sentence) - len, ": %s", strerror(-rc));
	return rc;
}

int err_say(struct err *err, int rc, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return rc;
	va_start(ap, fmt);
	fill(err, rc, EXIT_STATUS_FAILED, sizeof(err->sentence), fmt, ap);
	va_end(ap);
	return rc;
}

int err_usage(struct err *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -EINVAL;
	va_start(ap, fmt);
	fill(err, -EINVAL, EXIT_STATUS_USAGE, sizeof(err->sentence), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

void err_advise(struct err *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	if (vsnprintf(err->advice, sizeof(err->advice), fmt, ap) < 0)
		err->advice[0] = '\0';
	va_end(ap);
}
