/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start_at - several hosts begin together
 *
 * Who comes too late must be told, and not begin a day after the others: what is more than half a
 * day away has passed.
 */
#include "start_at.h"

#include <errno.h>
#include <stdbool.h>
#include <time.h>

#include "iotest/buf.h"
#include "iotest/clock.h"
#include "iotest/signals.h"
#include "iotest/units.h"

#define HALF_DAY_NS (DAY_S / 2 * NS_PER_S)

/* Short, so that a clock that is set meanwhile, or a signal just before the sleep, is seen. */
#define SLEEP_NS (100 * NS_PER_MS)

/* Exactly two digits and a colon, or the end, after them. */
static bool take_two(const char **at, char end, int max, int *out)
{
	const char *c = *at;

	if (c[0] < '0' || c[0] > '9' || c[1] < '0' || c[1] > '9' || c[2] != end)
		return false;
	*out = (c[0] - '0') * 10 + c[1] - '0';
	*at = c + 3;
	return *out <= max;
}

static int64_t on_day(const struct tm *today, const struct tm *time, int days)
{
	struct tm tm = {
		.tm_year = today->tm_year,
		.tm_mon = today->tm_mon,
		.tm_mday = today->tm_mday + days,
		.tm_hour = time->tm_hour,
		.tm_min = time->tm_min,
		.tm_sec = time->tm_sec,
		.tm_isdst = -1,
	};

	return (int64_t)mktime(&tm) * NS_PER_S;
}

static int refuse_passed(const char *text, int64_t ago_ns, struct err *err)
{
	CLEANUP(buf_done) struct buf ago = { 0 };

	units_add_duration(&ago, ago_ns);
	err_usage(err, "--start-at %s: that was %s ago", text, buf_text(&ago));
	err_advise(err, "give a local time within the next 12 hours");
	return -EINVAL;
}

int start_at_parse(const char *text, int64_t now_ns, int64_t *at_ns, struct err *err)
{
	time_t now = (time_t)(now_ns / NS_PER_S);
	struct tm today = { 0 }, time = { 0 };
	const char *c = text;
	int64_t at;

	if (!take_two(&c, ':', 23, &time.tm_hour) || !take_two(&c, ':', 59, &time.tm_min) ||
	    !take_two(&c, '\0', 59, &time.tm_sec))
		return err_usage(err, "--start-at: '%s' is not a local time as HH:MM:SS", text);
	localtime_r(&now, &today);
	at = on_day(&today, &time, 0);
	if (at < now_ns - HALF_DAY_NS)
		at = on_day(&today, &time, 1);
	else if (at > now_ns + HALF_DAY_NS)
		at = on_day(&today, &time, -1);
	if (at < now_ns)
		return refuse_passed(text, now_ns - at, err);
	*at_ns = at;
	return 0;
}

int start_at_wait(int64_t at_ns, struct err *err)
{
	for (;;) {
		int64_t left_ns = at_ns - clock_wall_ns();
		struct timespec pause;

		if (signals_pending())
			return err_say(err, -EINTR, "interrupted before the start");
		if (left_ns <= 0)
			return 0;
		if (left_ns > SLEEP_NS)
			left_ns = SLEEP_NS;
		pause = (struct timespec){ .tv_nsec = left_ns };
		(void)nanosleep(&pause, NULL);
	}
}
