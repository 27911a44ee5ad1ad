/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals - the one flag that says somebody wants us to stop
 */
#include "iotest/signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t pending;
static volatile sig_atomic_t count;

static void note_signal(int signal_number)
{
	pending = signal_number;
	count = count + 1;
}

static void act(int signal_number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	/* No SA_RESTART: whatever waits shall come back and look at the flag. */
	sigemptyset(&action.sa_mask);
	sigaction(signal_number, &action, NULL);
}

void signals_install(void)
{
	struct sigaction before;

	act(SIGINT, note_signal);
	act(SIGTERM, note_signal);
	/* nohup(1) asked for this one to be ignored: it stays so. */
	if (sigaction(SIGHUP, NULL, &before) || before.sa_handler != SIG_IGN)
		act(SIGHUP, note_signal);
	act(SIGPIPE, SIG_IGN);
	act(SIGXFSZ, SIG_IGN);
}

int signals_pending(void)
{
	return pending;
}

int signals_count(void)
{
	return count;
}

void signals_child(void)
{
	act(SIGINT, SIG_IGN);
	act(SIGHUP, SIG_IGN);
	act(SIGTERM, SIG_DFL);
}

void signals_die_by(int signal_number)
{
	sigset_t set;

	act(signal_number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signal_number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal_number);
}
