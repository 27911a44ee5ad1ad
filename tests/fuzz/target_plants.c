/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_plants - what others may plant where iotest looks for its own: names of directories and
 * files in a target, the state in a lock file; and the time of --start-at
 */
#include <inttypes.h>

#include "base/hostlock_state.h"
#include "cmd/start_at.h"
#include "fuzz.h"
#include "iotest/clock.h"
#include "run/workspace_name.h"

#define RANDOM_DIGITS 16
#define NOW_NS (1796094004LL * NS_PER_S)
#define AHEAD_MAX_NS (DAY_S / 24 * 13 * NS_PER_S) /* with a change to summer time */

/* A name that is taken for ours is, to the byte, one that we would make. */
static void check_directory(const char *name)
{
	CLEANUP(xfree) char *made = NULL;
	struct workspace_name n;

	if (!workspace_name_parse(name, &n))
		return;
	FUZZ_REQUIRE(n.pid >= 1 && strlen(name) < DIR_NAME_SIZE);
	made = xasprintf("%s%s-%" PRId64 "-%s-%s", WORKSPACE_PREFIX, n.host, n.pid,
			 *n.boot ? n.boot : "unknown-", name + strlen(name) - RANDOM_DIGITS);
	FUZZ_REQUIRE(!strcmp(made, name));
}

static void check_file(const char *name)
{
	char made[FILE_NAME_SIZE];

	if (!workspace_is_file_name(name))
		return;
	workspace_file_name(made, strtoul(name + strcspn(name, "0123456789"), NULL, 10));
	FUZZ_REQUIRE(!strcmp(made, name));
}

/* Any host name becomes one that can be read back. */
static void check_host(const char *text)
{
	char once[HOST_PART_SIZE], twice[HOST_PART_SIZE];

	workspace_host_part(text, once);
	workspace_host_part(once, twice);
	FUZZ_REQUIRE(!strcmp(once, twice) && !strchr(once, '/'));
}

static void check_visible(const char *text)
{
	for (; *text; text++)
		FUZZ_REQUIRE((unsigned char)*text >= ' ' && *text != 0x7f);
}

/* A holder that is written is the same when it is read, but for targets that are too long. */
static void check_again(const struct hostlock_holder *holder)
{
	CLEANUP(hostlock_holder_done) struct hostlock_holder again = { 0 };
	char text[HOSTLOCK_STATE_BYTES];

	hostlock_state_format(holder, text);
	FUZZ_REQUIRE(text[sizeof(text) - 1] == '\0');
	hostlock_state_parse(text, sizeof(text), &again);
	if (strlen(holder->targets) + strlen(holder->phase) > sizeof(text) / 2)
		return;
	FUZZ_REQUIRE(again.pid == holder->pid && again.since_ns == holder->since_ns);
	FUZZ_REQUIRE(again.phase_since_ns == holder->phase_since_ns);
	FUZZ_REQUIRE(!strcmp(again.phase, holder->phase));
	FUZZ_REQUIRE(!strcmp(again.targets, holder->targets));
}

static void check_state(const uint8_t *data, size_t size)
{
	CLEANUP(hostlock_holder_done) struct hostlock_holder holder = { 0 };

	FUZZ_REQUIRE(hostlock_state_parse((const char *)data, size, &holder) >= -1);
	FUZZ_REQUIRE(holder.pid >= -1 && holder.since_ns >= -1 && holder.phase_since_ns >= -1);
	check_visible(holder.phase);
	check_visible(holder.targets);
	check_again(&holder);
}

static void check_time(const char *text)
{
	struct err err = { 0 };
	int64_t at_ns = -1;

	if (start_at_parse(text, NOW_NS, &at_ns, &err))
		FUZZ_REQUIRE(at_ns == -1 && err.sentence[0]);
	else
		FUZZ_REQUIRE(at_ns >= NOW_NS && at_ns - NOW_NS <= AHEAD_MAX_NS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(xfree) char *text = fuzz_text(data, size);

	check_directory(text);
	check_file(text);
	check_host(text);
	check_state(data, size);
	check_time(text);
	return 0;
}
