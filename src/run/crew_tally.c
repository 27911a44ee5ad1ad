/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crew_tally - what the parent sees of its workers: samples while they run, results at the end
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "crew_parts.h"
#include "iotest/signals.h"
#include "iotest/xalloc.h"

/* Looks at a CPU clock in one sample. */
#define CPU_LOOKS 64

int64_t crew_cpu_ns(const struct member *member)
{
	struct timespec t;

	if (member->cpu_clock == CLOCK_NONE || clock_gettime(member->cpu_clock, &t) < 0)
		return -1;
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* The clock of another process costs the kernel a microsecond: of many workers some are looked at
 * in each sample, in turn. */
static void look_at_cpu(struct crew *crew)
{
	size_t n = crew->n_started < CPU_LOOKS ? crew->n_started : CPU_LOOKS;

	for (size_t i = 0; i < n; i++) {
		struct member *member = &crew->members[crew->cpu_turn++ % crew->n_started];
		int64_t now = crew_cpu_ns(member);

		if (now - member->cpu_begin_ns > member->cpu_ns)
			member->cpu_ns = now - member->cpu_begin_ns;
	}
}

/* Of one worker since the gate; at its end it has told it itself. */
static int64_t cpu_since_gate(const struct crew *crew, size_t i)
{
	const struct worker_slot *slot = &crew->board->slots[i];

	if (SLOT_GET(slot->system_ns) >= 0)
		return SLOT_GET(slot->user_ns) + SLOT_GET(slot->system_ns);
	return crew->members[i].cpu_ns;
}

static void add_worker(const struct crew *crew, size_t i, struct run_sample *s)
{
	const struct worker_slot *slot = &crew->board->slots[i];
	int64_t bytes = SLOT_GET(slot->bytes);

	s->bytes += bytes;
	if (s->slowest_bytes < 0 || bytes < s->slowest_bytes)
		s->slowest_bytes = bytes;
	if (bytes > s->fastest_bytes)
		s->fastest_bytes = bytes;
	s->n_running += SLOT_GET(slot->state) != WORKER_ENDED && !crew->members[i].is_reaped;
	s->point.cpu_ns += cpu_since_gate(crew, i);
}

static bool all_sync(const struct crew *crew, size_t first, size_t n)
{
	bool any = false;

	for (size_t i = first; i < first + n; i++) {
		int32_t state = SLOT_GET(crew->board->slots[i].state);

		if (crew->members[i].is_reaped || state == WORKER_ENDED)
			continue;
		if (state != WORKER_SYNCING)
			return false;
		any = true;
	}
	return any;
}

static void tell_part(const struct crew *crew, size_t part, size_t first, int64_t elapsed_ns)
{
	const struct crew_order *order = crew->order;
	size_t n = order->parts[part].n_tasks;
	struct run_sample sample = {
		.phase = order->phase,
		.elapsed_ns = elapsed_ns,
		.planned_bytes = order->parts[part].phase->planned_bytes,
		.slowest_bytes = -1,
		.devices = "",
	};

	for (size_t i = first; i < first + n; i++)
		add_worker(crew, i, &sample);
	sample.is_syncing = all_sync(crew, first, n);
	sample.point.at_ns = elapsed_ns;
	sample.point.bytes = sample.bytes;
	sample.point.n_running = sample.n_running;
	order->sample(order->context, part, &sample);
}

void crew_tell(struct crew *crew)
{
	int64_t now = crew_now_ns(crew);
	size_t first = 0;

	if (now - crew->sampled_ns > crew->longest_gap_ns)
		crew->longest_gap_ns = now - crew->sampled_ns;
	crew->sampled_ns = now;
	if (!crew->order->sample)
		return;
	look_at_cpu(crew);
	for (size_t i = 0; i < crew->order->n_parts; i++) {
		tell_part(crew, i, first, now - crew->gate_ns - crew->held_ns);
		first += crew->order->parts[i].n_tasks;
	}
}

/* Killed by the signal that stopped everything, or by us after a second one. */
static bool is_excused(const struct crew *crew, const struct worker_result *w)
{
	if (signals_count() == 0 || w->error)
		return false;
	return w->exit_signal == SIGTERM || (crew->killed_ns >= 0 && w->exit_status < 0);
}

static void collect_worker(const struct crew *crew, size_t i, struct worker_result *out)
{
	const struct worker_slot *slot = &crew->board->slots[i];
	const struct member *member = &crew->members[i];

	board_collect(slot, crew->gate_ns, out);
	out->stopped_ns = member->stopped_ns;
	if (member->stopped_at_ns >= 0)
		out->stopped_ns += crew_now_ns(crew) - member->stopped_at_ns;
	if (member->is_reaped && WIFSIGNALED(member->status))
		out->exit_signal = WTERMSIG(member->status);
	out->given_up = member->is_given_up && out->exit_signal == SIGKILL;
	if (member->is_reaped && WIFEXITED(member->status))
		out->exit_status = WEXITSTATUS(member->status);

	/* Given up in the middle of a call: its time goes on until then. */
	if (crew->was_cut && out->exit_signal == SIGKILL) {
		out->end_ns = crew->killed_ns - crew->gate_ns - crew->held_ns;
		if (out->last_io_ns >= 0)
			out->fsync_ns = out->end_ns - out->last_io_ns;
		else
			out->last_io_ns = out->end_ns;
	}

	/* It ended well, nobody stopped it, and yet it did less: never let that pass. */
	if (out->exit_status == 0 && crew->cause == CAUSE_NONE && !SLOT_GET(slot->is_complete)) {
		out->error = EIO;
		out->error_op = phase_kind_reads(crew->order->phase) ? OP_READ : OP_WRITE;
		out->error_offset_bytes = out->bytes;
	}
}

static enum phase_status status_of(const struct crew *crew, bool is_complete, bool has_failure)
{
	if (crew->was_stuck)
		return PHASE_STUCK;
	if (crew->was_cut)
		return PHASE_TIME_LIMIT;
	if (has_failure)
		return PHASE_FAILED;
	if (is_complete)
		return PHASE_COMPLETE;
	if (crew->cause == CAUSE_STEADY)
		return PHASE_STEADY;
	if (crew->cause == CAUSE_SPACE)
		return PHASE_SPACE;
	return crew->cause == CAUSE_TIME ? PHASE_TIME_LIMIT : PHASE_INTERRUPTED;
}

static void collect_calls(const struct crew *crew, size_t first, struct phase *phase)
{
	uint64_t counts[HISTOGRAM_CLASSES] = { 0 };

	for (size_t i = first; i < first + phase->n_workers; i++)
		board_add_calls(&crew->board->slots[i], counts);
	for (size_t i = 0; i < HISTOGRAM_CLASSES; i++) {
		if (counts[i])
			*XGROW(&phase->call_times, &phase->n_call_times) =
				(struct call_time){ histogram_middle_ns(i), (int64_t)counts[i] };
	}
}

/* Fills the workers of a part, whose tasks begin at first. */
static void collect(const struct crew *crew, size_t first, struct phase *phase)
{
	bool is_complete = true;
	bool has_failure = false;

	for (size_t i = 0; i < phase->n_workers; i++) {
		struct worker_result *w = &phase->workers[i];

		collect_worker(crew, first + i, w);
		is_complete = is_complete && w->exit_status == 0 &&
			      SLOT_GET(crew->board->slots[first + i].is_complete);
		has_failure = has_failure || ((w->error || w->exit_status) && !is_excused(crew, w));
	}
	collect_calls(crew, first, phase);
	phase->longest_gap_ns = crew->longest_gap_ns;
	if (crew->order->slice_ns > 0)
		phase->held_ns = crew->held_ns;
	if (crew->was_stuck)
		phase->still_ns = crew->still_ns;
	phase->cut_short = crew->was_cut;
	phase->status = (int)status_of(crew, is_complete, has_failure);
}

void crew_collect(const struct crew *crew)
{
	size_t first = 0;

	for (size_t i = 0; i < crew->order->n_parts; i++) {
		collect(crew, first, crew->order->parts[i].phase);
		first += crew->order->parts[i].n_tasks;
	}
}
