/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ps - the tests that are running on this host
 *
 * For whoever sees a full file system with nothing in it: test files have no name.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "iotest/buf.h"
#include "iotest/clock.h"
#include "iotest/commands.h"
#include "iotest/hostlock.h"
#include "iotest/schema.h"
#include "iotest/units.h"

#define PHASE_WIDTH 24

/* "2026-12-01 03:12:01", local; "-" unknown. */
static void add_time(struct buf *row, int64_t ns)
{
	time_t at = (time_t)(ns / NS_PER_S);
	struct tm tm = { 0 };
	char text[32] = "-";

	if (ns > 0 && localtime_r(&at, &tm))
		(void)strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	buf_printf(row, "%-19s", text);
}

/* "write, 2 min 05 s" */
static void add_phase(struct buf *row, const struct hostlock_holder *holder)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_add_text(&text, *text_of(holder->phase) ? holder->phase : "-");
	if (holder->phase_since_ns > 0) {
		buf_add_text(&text, ", ");
		units_add_duration(&text, clock_wall_ns() - holder->phase_since_ns);
	}
	buf_printf(row, "%-*s", PHASE_WIDTH, buf_text(&text));
}

static void print_row(const struct hostlock_holder *holder)
{
	CLEANUP(buf_done) struct buf row = { 0 };

	if (holder->pid > 0)
		buf_printf(&row, "%7" PRId64 "  ", holder->pid);
	else
		buf_add_text(&row, "      -  ");
	buf_printf(&row, "%10" PRId64 "  ", holder->uid);
	add_time(&row, holder->since_ns);
	buf_add_text(&row, "  ");
	add_phase(&row, holder);
	printf("%s  %s\n", buf_text(&row), *text_of(holder->targets) ? holder->targets : "-");
}

static int ps_main(int argc, char **argv, struct err *err)
{
	CLEANUP(hostlock_list_done) struct hostlock_list list = { 0 };
	int rc = cli_parse(&cmd_ps, argc, argv, NULL, NULL, err);

	if (rc)
		return rc;
	rc = hostlock_list(NULL, &list);
	if (rc)
		return err_set(err, rc, "cannot look for running tests");
	if (list.n_items == 0)
		puts("no iotest is running");
	else
		printf("%7s  %10s  %-19s  %-*s  %s\n", "PID", "UID", "SINCE", PHASE_WIDTH, "PHASE",
		       "TARGET");
	for (size_t i = 0; i < list.n_items; i++)
		print_row(&list.items[i]);
	return EXIT_STATUS_DONE;
}

const struct command cmd_ps = {
	.name = "ps",
	.synopsis = "",
	.summary = "list the tests that are running, their phases and targets",
	.details = "Root sees those of all users, others their own.",
	.options = NULL,
	.n_options = 0,
	.main = ps_main,
};
