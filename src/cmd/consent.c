/* SPDX-License-Identifier: Apache-2.0 */
/*
 * consent - a long run, or one that fills the file system, is agreed to first
 */
#include "consent.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "iotest/signals.h"

/* One line from the terminal, read without stdio so that a signal ends the wait. */
static bool answered_yes(void)
{
	char answer[64];
	ssize_t n = read(STDIN_FILENO, answer, sizeof(answer));

	return n > 0 && !signals_pending() && (answer[0] == 'y' || answer[0] == 'Y');
}

static int ask(const struct plan *plan, struct err *err)
{
	CLEANUP(buf_done) struct buf question = { 0 };

	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
		err_usage(err, "%s", plan->consent);
		return -EPERM;
	}
	buf_add_visible(&question, plan->consent);
	fprintf(stderr, "iotest: %s\nRun it? [y/N] ", buf_text(&question));
	fflush(stderr);
	if (answered_yes())
		return 0;
	fputc('\n', stderr);
	return err_say(err, -EPERM, "not agreed to, nothing was done");
}

int consent_get(const struct test_plans *plans, bool yes, struct err *err)
{
	for (size_t i = 0; i < plans->n_items; i++) {
		int rc;

		if (yes || plans->items[i].needs_consent != 1)
			continue;
		rc = ask(&plans->items[i], err);
		if (rc)
			return rc;
	}
	return 0;
}
