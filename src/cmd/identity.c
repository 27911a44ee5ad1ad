/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity - what names a run: its command line, its random id, its case
 */
#include "identity.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "iotest/buf.h"
#include "iotest/clock.h"
#include "iotest/xalloc.h"

char *identity_command_line(int argc, char **argv)
{
	struct buf b = { 0 };

	buf_add_text(&b, "iotest");
	for (int i = 1; i < argc; i++) {
		buf_add_text(&b, " ");
		buf_add_shell_word(&b, argv[i]);
	}
	return buf_take(&b);
}

char *identity_random(void)
{
	unsigned char bytes[16];
	struct buf id = { 0 };

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
		int64_t seed[2] = { clock_wall_ns(), getpid() };

		memcpy(bytes, seed, sizeof(bytes));
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		buf_printf(&id, "%02x", bytes[i]);
	return buf_take(&id);
}

void identity_describe(const char *invocation, int64_t started_at_ns, struct run *run)
{
	time_t at = (time_t)(started_at_ns / NS_PER_S);
	struct tm tm = { 0 };

	localtime_r(&at, &tm);
	run->id = identity_random();
	run->tool_version = xstrdup(IOTEST_VERSION);
	run->invocation = xstrdup(invocation);
	run->started_at_ns = clock_wall_ns();
	run->utc_offset_s = tm.tm_gmtoff;
	run->timezone = xstrdup(text_of(tm.tm_zone));
}

int identity_check_case(const char *id, struct err *err)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-";

	if (!id || (strspn(id, allowed) == strlen(id) && id[0] != '.' && strlen(id) <= 64))
		return 0;
	return err_usage(
		err, "--case: '%s' is not made of letters, digits, '-' and '.', 64 at most", id);
}
