/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crew_parts - what the files of the crew share: the parent's view of its workers
 */
#ifndef IOTEST_RUN_CREW_PARTS_H
#define IOTEST_RUN_CREW_PARTS_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "board.h"
#include "crew.h"

/* No clock has this number. */
#define CLOCK_NONE ((clockid_t)-1)

enum stop_cause { CAUSE_NONE, CAUSE_STEADY, CAUSE_TIME, CAUSE_SPACE, CAUSE_ERROR, CAUSE_SIGNAL };

struct member {
	pid_t pid;
	int status; /* of waitpid */
	bool is_reaped;
	bool is_given_up; /* killed by us */
	clockid_t cpu_clock;
	int64_t cpu_begin_ns;  /* at the gate */
	int64_t cpu_ns;	       /* since then, when it was looked at last */
	int64_t stopped_at_ns; /* by a signal; -1: it is not */
	int64_t stopped_ns;    /* so far */
};

struct crew {
	const struct crew_order *order;
	struct board *board;
	struct member *members;
	size_t n_started;
	size_t n_reaped;
	int gate[2];
	int done[2];
	int64_t gate_ns;
	int64_t killed_ns; /* -1: nobody was killed by us */
	bool was_stuck;	   /* that is why: nothing moved */
	bool was_cut;	   /* or: it still moved, but the time was over */
	int64_t still_ns;  /* then: nothing had moved for so long */
	enum stop_cause cause;
	int64_t stopped_ns; /* when the first stop was ordered */
	int64_t sampled_ns; /* when the last sample was taken */
	int64_t longest_gap_ns;
	int64_t deadline_ns; /* of the order, later by what was held */
	int64_t held_ns;
	size_t cpu_turn; /* whose CPU time is looked at next */
};

static inline int64_t crew_now_ns(const struct crew *crew)
{
	return crew->order->io->clock_ns();
}

/* CPU time of a living worker, or -1. */
int64_t crew_cpu_ns(const struct member *member);

/* In the child: worker i, to its end. */
_Noreturn void crew_be_member(struct crew *crew, size_t i, pid_t parent);

/* Notes who was stopped, went on, or is gone. */
void crew_reap(struct crew *crew);

/* Holds all workers for the order's pause. */
void crew_hold(struct crew *crew);

/* Takes one sample, for each part. */
void crew_tell(struct crew *crew);

/* Fills the phases with what happened. */
void crew_collect(const struct crew *crew);

#endif
