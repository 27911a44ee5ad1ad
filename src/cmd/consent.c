/* SPDX-License-Identifier: Apache-2.0 */
/*
 * consent - a long run, or one that fills the file system, is agreed to first
 */
#include "consent.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "iotest/commands.h"
#include "iotest/signals.h"

/* One line from the terminal, read without stdio so that a signal ends the wait. */
static bool answered_yes(void)
{
	char answer[64];
	ssize_t n = read(STDIN_FILENO, answer, sizeof(answer));

	return n > 0 && !signals_pending() && (answer[0] == 'y' || answer[0] == 'Y');
}

/* "what it is about; what can be done" */
static int refuse(const struct plan *plan, bool was_shown, struct err *err)
{
	const char *what = text_of(plan->consent);
	const char *advice = strrchr(what, ';');
	size_t len = advice ? (size_t)(advice - what) : strlen(what);

	if (was_shown)
		err_usage(err, "%s: this run needs consent, see above", text_of(plan->target));
	else
		err_usage(err, "%.*s", (int)len, what);
	if (advice)
		err_advise(err, "%s", advice + strspn(advice, "; "));
	return -EPERM;
}

static int ask(const struct plan *plan, bool was_shown, struct err *err)
{
	CLEANUP(buf_done) struct buf question = { 0 };

	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return refuse(plan, was_shown, err);
	if (!was_shown)
		cmd_print_note(text_of(plan->consent));
	buf_add_visible(&question, text_of(plan->target));
	fprintf(stderr, "Run it on %s? [y/N] ", buf_text(&question));
	fflush(stderr);
	if (answered_yes())
		return 0;
	fputc('\n', stderr);
	return err_say(err, -EPERM, "not agreed to, nothing was done");
}

int consent_get(const struct test_plans *plans, const struct test_args *args, struct err *err)
{
	for (size_t i = 0; i < plans->n_items; i++) {
		int rc;

		if (args->yes || plans->items[i].needs_consent != 1)
			continue;
		rc = ask(&plans->items[i], !args->quiet, err);
		if (rc)
			return rc;
	}
	return 0;
}
