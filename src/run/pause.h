/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pause - waiting for others before the start and between the slices, with --gentle
 */
#ifndef IOTEST_RUN_PAUSE_H
#define IOTEST_RUN_PAUSE_H

#include "ensemble.h"

/* Which brake there is, if the plan asks for one; released by pause_close. */
void pause_open(struct ensemble *x);
void pause_close(struct ensemble *x);

/* While nothing of ours is under way: looks, and waits for others as long as there is patience. */
void pause_for_others(struct ensemble *x);

#endif
