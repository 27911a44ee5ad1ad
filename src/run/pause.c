/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pause - waiting for others before the start and between the slices, with --gentle
 */
#include "pause.h"

#include "iotest/signals.h"

/* One look; the pauses between looks at a busy storage grow to the last. */
#define LOOK_NS (500 * NS_PER_MS)
#define BACK_OFF_FIRST_NS NS_PER_S
#define BACK_OFF_LAST_NS (8 * NS_PER_S)
#define NAP_NS (50 * NS_PER_MS)

static bool is_gentle(const struct ensemble *x)
{
	return x->items[0].plan && x->items[0].plan->gentle == 1;
}

void pause_open(struct ensemble *x)
{
	if (!is_gentle(x))
		return;
	brake_open("/proc/pressure/io", "/sys/class/block", &x->brake);
	for (size_t i = 0; i < x->n_items; i++)
		brake_add_target(&x->brake, x->items[i].target);
	brake_choose(&x->brake);
	x->patience_ns = x->items[0].plan->patience_ns;
	x->brake_facts = (struct brake_facts){
		.kind = x->brake.kind,
		.stalled_ratio = -1,
		.worst_await_ns = -1,
		.worst_in_flight = -1,
	};
}

/* The facts are those of all runs at the same time. */
void pause_close(struct ensemble *x)
{
	for (size_t i = 0; is_gentle(x) && i < x->n_items; i++)
		x->items[i].run->brake = x->brake_facts;
	brake_close(&x->brake);
}

static void sleep_for(const struct ensemble *x, int64_t ns)
{
	int64_t until_ns = x->io->clock_ns() + ns;

	while (signals_pending() == 0) {
		int64_t now = x->io->clock_ns();

		if (now >= until_ns)
			return;
		x->io->sleep_until(now + NAP_NS < until_ns ? now + NAP_NS : until_ns);
	}
}

static bool others_are_busy(struct ensemble *x)
{
	struct brake_counts before, after;

	brake_read(&x->brake, x->io->clock_ns(), &before);
	sleep_for(x, LOOK_NS);
	brake_read(&x->brake, x->io->clock_ns(), &after);
	return brake_judge(&x->brake, &before, &after, &x->brake_facts);
}

static void wait_for_others(struct ensemble *x)
{
	int64_t back_off_ns = BACK_OFF_FIRST_NS;

	while (signals_pending() == 0 && others_are_busy(x)) {
		if (x->patience_ns < back_off_ns) {
			x->brake_facts.gave_up = 1;
			return;
		}
		sleep_for(x, back_off_ns);
		x->patience_ns -= back_off_ns;
		x->brake_facts.waited_ns += back_off_ns;
		if (back_off_ns < BACK_OFF_LAST_NS)
			back_off_ns *= 2;
	}
}

void pause_for_others(struct ensemble *x)
{
	int64_t began_ns = x->io->clock_ns();

	if (!is_gentle(x) || x->brake.kind == BRAKE_NONE)
		return;
	wait_for_others(x);
	/* The time limit is one of work: others are not to be the reason that it is too short. */
	if (x->end_ns < INT64_MAX)
		x->end_ns += x->io->clock_ns() - began_ns;
}
