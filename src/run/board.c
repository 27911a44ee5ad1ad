/* SPDX-License-Identifier: Apache-2.0 */
/*
 * board - the shared memory between the parent and its workers
 */
#include "board.h"

#include <errno.h>
#include <sys/mman.h>

_Static_assert(sizeof(struct worker_slot) % BOARD_LINE_BYTES == 0, "no two slots on one line");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "a lock in shared memory would outlive its holder");

static size_t board_size(size_t n)
{
	return sizeof(struct board) + n * sizeof(struct worker_slot);
}

int board_open(size_t n, struct board **out)
{
	struct board *board;

	if (n == 0 || n > (SIZE_MAX - sizeof(*board)) / sizeof(struct worker_slot))
		return -EINVAL;
	board = mmap(NULL, board_size(n), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (board == MAP_FAILED)
		return -errno;

	board->n_slots = n;
	for (size_t i = 0; i < n; i++) {
		struct worker_slot *s = &board->slots[i];

		SLOT_PUT(s->start_ns, -1);
		SLOT_PUT(s->last_io_ns, -1);
		SLOT_PUT(s->end_ns, -1);
		SLOT_PUT(s->user_ns, -1);
		SLOT_PUT(s->system_ns, -1);
		SLOT_PUT(s->storage_bytes, -1);
		SLOT_PUT(s->read_bytes, -1);
		SLOT_PUT(s->window_ns, -1);
		SLOT_PUT(s->stamps, -1);
		SLOT_PUT(s->bad_offset_bytes, -1);
		SLOT_PUT(s->bad_found_worker, -1);
		SLOT_PUT(s->bad_found_offset_bytes, -1);
	}
	*out = board;
	return 0;
}

void board_close(struct board **board)
{
	if (!*board)
		return;
	(void)munmap(*board, board_size((*board)->n_slots));
	*board = NULL;
}

static int64_t since(int64_t gate_ns, int64_t ns)
{
	if (ns < 0)
		return -1;
	return ns > gate_ns ? ns - gate_ns : 0;
}

void board_add_calls(const struct worker_slot *slot, uint64_t *counts)
{
	for (size_t i = 0; i < HISTOGRAM_CLASSES; i++)
		counts[i] += SLOT_GET(slot->calls[i]);
}

/* A class has a middle: that of the slowest call can lie above the slowest call. */
static int64_t percentile(const uint64_t *counts, double share, int64_t max_ns)
{
	int64_t ns = histogram_percentile_ns(counts, share);

	return ns < max_ns ? ns : max_ns;
}

static void collect_calls(const struct worker_slot *slot, struct worker_result *out)
{
	uint64_t counts[HISTOGRAM_CLASSES] = { 0 };
	int64_t max_ns = SLOT_GET(slot->call_max_ns);

	board_add_calls(slot, counts);
	if (histogram_percentile_ns(counts, 0) < 0)
		return;
	out->call_p50_ns = percentile(counts, 0.5, max_ns);
	out->call_p90_ns = percentile(counts, 0.9, max_ns);
	out->call_p99_ns = percentile(counts, 0.99, max_ns);
	out->call_p999_ns = percentile(counts, 0.999, max_ns);
	out->call_max_ns = max_ns;
}

void board_collect(const struct worker_slot *slot, int64_t gate_ns, struct worker_result *out)
{
	*out = (struct worker_result){
		.bytes = SLOT_GET(slot->bytes),
		.read_bytes = SLOT_GET(slot->read_bytes),
		.ops = SLOT_GET(slot->ops),
		.start_ns = since(gate_ns, SLOT_GET(slot->start_ns)),
		.last_io_ns = since(gate_ns, SLOT_GET(slot->last_io_ns)),
		.end_ns = since(gate_ns, SLOT_GET(slot->end_ns)),
		.fsync_ns = SLOT_GET(slot->fsync_ns),
		.window_ns = SLOT_GET(slot->window_ns),
		.user_ns = SLOT_GET(slot->user_ns),
		.system_ns = SLOT_GET(slot->system_ns),
		.storage_bytes = SLOT_GET(slot->storage_bytes),
		.error = SLOT_GET(slot->error),
		.error_op = SLOT_GET(slot->error_op),
		.error_offset_bytes = SLOT_GET(slot->error_offset_bytes),
		.call_p50_ns = -1,
		.call_p90_ns = -1,
		.call_p99_ns = -1,
		.call_p999_ns = -1,
		.call_max_ns = -1,
		.stamps = SLOT_GET(slot->stamps),
		.bad_stamps = SLOT_GET(slot->bad_stamps),
		.bad_kind = SLOT_GET(slot->bad_kind),
		.bad_offset_bytes = SLOT_GET(slot->bad_offset_bytes),
		.bad_found_worker = SLOT_GET(slot->bad_found_worker),
		.bad_found_offset_bytes = SLOT_GET(slot->bad_found_offset_bytes),
		.exit_status = -1,
	};
	collect_calls(slot, out);
}
