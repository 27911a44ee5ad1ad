/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals - the one flag that says somebody wants us to stop
 *
 * SIGINT, SIGTERM and SIGHUP set it, but for a SIGHUP that nohup(1) ignored; SIGPIPE and SIGXFSZ
 * are ignored, so that the calls fail with EPIPE and EFBIG instead. A child that calls
 * signals_child() leaves the stopping to its parent.
 */
#ifndef IOTEST_SIGNALS_H
#define IOTEST_SIGNALS_H

void signals_install(void);

/* The last signal that asked us to stop, or 0; how many came. */
int signals_pending(void);
int signals_count(void);

/* For a child that must not react to the terminal's Ctrl-C itself: ignores SIGINT and SIGHUP,
 * gives SIGTERM its default action. */
void signals_child(void);

/* Restores the default action and raises the signal: does not return if it is deadly. */
void signals_die_by(int signal_number);

#endif
