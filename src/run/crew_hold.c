/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crew_hold - all workers pause at a common point, so that nothing of ours is under way
 *
 * Each ends its block, waits for its own write-back, and says that it holds. Only the time after
 * that is taken out of the phase: until then it is work.
 */
#include <sys/wait.h>

#include "crew_parts.h"
#include "iotest/signals.h"

/* A call that takes longer is no reason to wait: then this slice goes on into the next. */
#define HOLD_LIMIT_NS (10 * NS_PER_S)
#define HOLD_POLL_NS (5 * NS_PER_MS)

static bool all_hold(const struct crew *crew)
{
	for (size_t i = 0; i < crew->n_started; i++) {
		int32_t state = SLOT_GET(crew->board->slots[i].state);

		if (!crew->members[i].is_reaped && state != WORKER_HOLDING && state != WORKER_ENDED)
			return false;
	}
	return true;
}

static bool await_hold(struct crew *crew)
{
	int64_t end_ns = crew_now_ns(crew) + HOLD_LIMIT_NS;

	while (!all_hold(crew)) {
		if (signals_count() > 0 || crew_now_ns(crew) > end_ns)
			return false;
		crew->order->io->sleep_until(crew_now_ns(crew) + HOLD_POLL_NS);
		crew_reap(crew);
	}
	return crew->n_reaped < crew->n_started;
}

void crew_hold(struct crew *crew)
{
	const struct crew_order *order = crew->order;
	int64_t began_ns, held_ns;

	SLOT_PUT(crew->board->stop, STOP_HOLD);
	if (await_hold(crew)) {
		began_ns = crew_now_ns(crew);
		order->pause(order->context);
		held_ns = crew_now_ns(crew) - began_ns;
		crew->held_ns += held_ns;
		if (crew->deadline_ns < INT64_MAX)
			crew->deadline_ns += held_ns;
		/* No sample was to be taken meanwhile. */
		crew->sampled_ns = crew_now_ns(crew);
		SLOT_PUT(crew->board->held_ns, crew->held_ns);
	}
	/* Who goes on sees how long it was. */
	atomic_store_explicit(&crew->board->stop, STOP_NONE, memory_order_release);
}
