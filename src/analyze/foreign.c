/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign - what others moved at the device in the meantime
 *
 * All bytes at the device less ours. As low in the chain as nothing can have written ours more
 * than once: others may use another partition of the same disk.
 */
#include "foreign.h"

#include <string.h>

#include "chain.h"
#include "iotest/compiler.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "proof.h"
#include "stats.h"

/* The lowest level that can be compared; n_levels if there is none. */
static size_t level_to_compare(const struct chain *chain)
{
	for (size_t level = chain->n_levels; level-- > 0;)
		if (chain_is_plain(chain, level) && chain_bytes(chain, level, true) >= 0 &&
		    chain_bytes(chain, level, false) >= 0)
			return level;
	return chain->n_levels;
}

static const char *reason_without_counters(const struct target *t)
{
	if (!t)
		return "the target is not known";
	if (target_is_in_memory(t))
		return "the target lies in memory";
	if (t->kind == TARGET_USERSPACE)
		return "a program serves the file system (FUSE), and no device is known";
	if (t->kind == TARGET_NETWORK)
		return "this network file system does not count what its mount moves";
	if (!strcmp(text_of(t->fs_type), "overlay") && t->n_devices == 0)
		return "what lies below the overlay is not known";
	return "no device counters tell";
}

/* Ours cannot be told from others' then. */
static const char *reason_of_target(const struct report *r, bool is_mount)
{
	const struct target *t = plan_target(r->host, r->plan);

	if (r->plan->together == 1)
		return "other targets were tested at the same time";
	if (t && proof_is_dax(t))
		return "direct access to persistent memory goes past the counters";
	if (t && t->compressing == 1)
		return "the file system compresses";
	if (proof_copies(r, is_mount) < 0)
		return "how many copies the file system writes is not known";
	return "";
}

/* What our processes caused to be read beyond what they asked for is ours as well: read-ahead. */
static int64_t our_reads(const struct report *r, int kind)
{
	const struct phase *phase = run_phase_const(r->run, kind);
	int64_t asked = proof_bytes(r, kind, true);
	int64_t own = 0;

	if (!phase_kind_reads(kind))
		return asked;
	for (size_t i = 0; i < phase->n_workers; i++)
		own = stats_plus(own, phase->workers[i].storage_bytes);
	return own > asked ? own : asked;
}

static int64_t beyond(int64_t all, int64_t ours)
{
	return all > ours ? all - ours : 0;
}

struct foreign foreign_find(const struct report *r, int kind, struct buf *names)
{
	const struct target *t = plan_target(r->host, r->plan);
	CLEANUP(chain_done) struct chain chain = { 0 };
	struct foreign f = { .bytes = -1, .total_bytes = -1, .reason = "" };
	int64_t read_bytes, written_bytes, our_writes;
	bool is_mount;
	size_t level;

	chain_make(t, run_phase_const(r->run, kind), &chain);
	is_mount = chain_is_mount(&chain, t);
	level = level_to_compare(&chain);
	f.reason =
		level < chain.n_levels ? reason_of_target(r, is_mount) : reason_without_counters(t);
	if (*f.reason)
		return f;
	if (our_reads(r, kind) < 0 || proof_bytes(r, kind, false) < 0 ||
	    units_mul(proof_bytes(r, kind, false), proof_copies(r, is_mount), &our_writes)) {
		f.reason = "what was moved is not known";
		return f;
	}
	read_bytes = chain_bytes(&chain, level, true);
	written_bytes = chain_bytes(&chain, level, false);
	f.total_bytes = stats_plus(read_bytes, written_bytes);
	f.bytes = stats_plus(beyond(read_bytes, our_reads(r, kind)),
			     beyond(written_bytes, our_writes));
	if (names)
		chain_add_names(&chain, level, names);
	return f;
}

void foreign_phase(struct report *r, int kind)
{
	struct phase_rates *rates = report_rates(r, kind);
	struct foreign f = foreign_find(r, kind, NULL);

	xstr_set(&rates->foreign_reason, f.reason);
	if (f.bytes >= 0)
		rates->foreign_ratio =
			f.total_bytes > 0 ? (double)f.bytes / (double)f.total_bytes : 0;
}
