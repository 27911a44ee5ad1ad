/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proof - where the bytes of a phase came from, or went to
 *
 * Several counters are asked, because each can be fooled: what the processes caused to be moved,
 * and what the devices of every level moved. The smallest decides. docs/METHOD.md has the
 * argument.
 */
#include "proof.h"

#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "foreign.h"
#include "iotest/wordlist.h"
#include "iotest/xalloc.h"
#include "proof_text.h"
#include "stats.h"

static bool has_option(const struct target *t, const char *option)
{
	return wordlist_has(text_of(t->mount_options), option, strlen(option));
}

bool proof_is_dax(const struct target *t)
{
	return has_option(t, "dax") || has_option(t, "dax=always");
}

bool proof_chain_caches(const struct target *t)
{
	for (size_t i = 0; t && i < t->n_devices; i++)
		if (chain_device_caches(&t->devices[i]))
			return true;
	return false;
}

/* What the own processes read in a phase where some read and some write. */
static int64_t mixed_read_bytes(const struct phase *phase)
{
	int64_t sum = phase->n_workers ? 0 : -1;

	for (size_t i = 0; i < phase->n_workers; i++) {
		if (phase->workers[i].read_bytes < 0)
			return -1;
		sum = stats_plus(sum, phase->workers[i].read_bytes);
	}
	return sum;
}

int64_t proof_bytes(const struct report *r, int kind, bool is_read)
{
	int64_t bytes = report_rates_const(r, kind)->bytes;
	int64_t read_bytes;

	if (kind != PHASE_MIXED)
		return phase_kind_reads(kind) == is_read ? bytes : 0;
	read_bytes = mixed_read_bytes(&r->run->mixed);
	if (read_bytes < 0 || bytes < read_bytes)
		return -1;
	return is_read ? read_bytes : bytes - read_bytes;
}

static int64_t own_bytes(const struct phase *phase)
{
	int64_t sum = -1;

	for (size_t i = 0; i < phase->n_workers; i++) {
		int64_t own = phase->workers[i].storage_bytes;

		if (own < 0)
			return -1;
		/* Read ahead beyond a cut, or by others on the same file, is not this worker's. */
		sum = stats_plus(sum,
				 own < phase->workers[i].bytes ? own : phase->workers[i].bytes);
	}
	return sum;
}

/* The smaller of two, where -1 is unknown. */
static int64_t lower_of(int64_t a, int64_t b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

static double ratio(int64_t part, double bytes)
{
	if (part < 0 || bytes <= 0)
		return -1;
	return (double)part >= bytes ? 1 : (double)part / bytes;
}

/*
 * Not all clients of network file systems count for the process, nor does a file system with a
 * cache of its own, or does it for what came from that cache; and where a process reads and writes
 * it is not known which of the two was counted.
 */
static bool asks_own(const struct chain *chain, const struct target *t, int kind)
{
	return !chain_is_mount(chain, t) && !text_of(t->own_cache)[0] && kind != PHASE_MIXED;
}

static double uncached_ratio(const struct report *r, const struct chain *chain, int kind)
{
	const struct target *t = plan_target(r->host, r->plan);
	int64_t lowest = -1;

	if (!t || proof_is_dax(t) || proof_chain_caches(t))
		return -1;
	for (size_t level = 0; level < chain->n_levels; level++)
		lowest = lower_of(lowest, chain_bytes(chain, level, true));
	if (lowest >= 0 && asks_own(chain, t, kind)) {
		int64_t own = own_bytes(run_phase_const(r->run, kind));

		lowest = own < 0 ? -1 : lower_of(lowest, own);
	}
	return ratio(lowest, (double)proof_bytes(r, kind, true));
}

int64_t proof_copies(const struct report *r, bool is_mount)
{
	const struct target *t = plan_target(r->host, r->plan);

	if (is_mount)
		return 1; /* what the client sent, whatever the server makes of it */
	if (!t || t->data_copies < 1)
		return -1;
	/* ext4 writes data twice then, and how much of it is in place when fsync is back varies. */
	return has_option(t, "data=journal") ? -1 : t->data_copies;
}

static bool leaf_caches(const struct chain *chain)
{
	for (size_t i = 0; i < chain->n_nodes; i++)
		if (chain->nodes[i].is_leaf && chain->nodes[i].device &&
		    chain_device_caches(chain->nodes[i].device))
			return true;
	return false;
}

/*
 * The processes' own counter says what was made dirty, so the devices alone can tell. A level
 * below what can write a byte twice, or copies of an unknown number, can show that bytes are
 * missing, but not that all are there.
 */
static double written_ratio(const struct report *r, const struct chain *chain, int kind)
{
	const struct target *t = plan_target(r->host, r->plan);
	int64_t copies = proof_copies(r, chain_is_mount(chain, t));
	bool is_exact = false;
	int64_t lowest = -1;
	double share;

	if (!t || proof_is_dax(t) || leaf_caches(chain))
		return -1;
	for (size_t level = 0; level < chain->n_levels; level++) {
		int64_t bytes = chain_bytes(chain, level, false);

		is_exact = is_exact || (bytes >= 0 && chain_is_plain(chain, level));
		lowest = lower_of(lowest, bytes);
	}
	share = ratio(lowest,
		      (double)proof_bytes(r, kind, false) * (double)(copies > 0 ? copies : 1));
	return share >= PROOF_RATIO_MIN && (!is_exact || copies < 0) ? -1 : share;
}

static bool is_direct(const struct report *r, int kind)
{
	return r->plan->io.direct == 1 &&
	       (kind == PHASE_WRITE || kind == PHASE_READ || kind == PHASE_MIXED);
}

/* Of a file that was there already it is asked what reading it has brought into the cache. In
 * memory it was there before, and stays. */
static bool was_read_into_cache(const struct report *r)
{
	const struct target *t = plan_target(r->host, r->plan);
	const struct phase *read = &r->run->read;
	int64_t before = read->resident_bytes > 0 ? read->resident_bytes : 0;

	if (t && target_is_in_memory(t))
		before = 0;
	return read->resident_after_bytes > before &&
	       (double)(read->resident_after_bytes - before) >
		       PROOF_RESIDENT_MAX * (double)r->read.bytes;
}

/* The files of all three were written in the write phase, and looked at after it. */
bool proof_is_not_direct(const struct report *r, int kind)
{
	if (plan_only_reads(r->plan))
		return is_direct(r, kind) && r->read.bytes > 0 && was_read_into_cache(r);
	return is_direct(r, kind) && r->write.bytes > 0 &&
	       (double)r->run->write.resident_bytes > PROOF_RESIDENT_MAX * (double)r->write.bytes;
}

bool proof_has_bad_data(const struct report *r)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase *phase = run_phase_const(r->run, kind);

		for (size_t i = 0; i < phase->n_workers; i++)
			if (phase->workers[i].bad_stamps > 0)
				return true;
	}
	return false;
}

bool proof_fits_in_memory(const struct report *r)
{
	int64_t bytes = r->written_bytes >= 0 ? r->written_bytes : r->plan->total_bytes;
	int64_t memory = r->host->memory_bytes > 0 ? r->host->memory_bytes : r->plan->cache_bytes;

	return memory > 0 && bytes >= 0 && bytes <= memory;
}

/* Then the rate is an upper bound, and says so. */
static bool was_cut_short(const struct report *r, const struct phase_rates *rates)
{
	return (rates == &r->write && r->run->write.cut_short == 1) ||
	       (rates == &r->mixed && r->run->mixed.cut_short == 1);
}

const char *proof_write_reason(const struct report *r, const struct phase_rates *rates)
{
	const struct target *t = plan_target(r->host, r->plan);

	if (t && (has_option(t, "volatile") || has_option(t, "fsync=volatile")))
		return "the overlay is mounted volatile: fsync does not wait for the storage";
	if (proof_chain_caches(t) && (has_option(t, "nobarrier") || has_option(t, "barrier=0")))
		return "mounted without barriers on a device that caches: fsync does not wait "
		       "for the storage";
	if (rates->written_ratio >= 0 && rates->written_ratio < PROOF_RATIO_MIN &&
	    !was_cut_short(r, rates))
		return "part of it had not reached the storage when fsync came back";
	return "";
}

/* Pages that a network client reads are charged to the reader's control group; what a daemon or a
 * file system of its own caches is not. */
int64_t proof_memory_bytes(const struct report *r)
{
	const struct target *t = plan_target(r->host, r->plan);
	bool is_client = t && t->kind == TARGET_NETWORK &&
			 strncmp(text_of(t->fs_type), "fuse", 4) != 0 && !text_of(t->own_cache)[0];

	return is_client ? host_cache_bytes(r->host) : r->host->memory_bytes;
}

static bool was_resident(const struct report *r, int kind)
{
	return (double)run_phase_const(r->run, kind)->resident_bytes >
	       PROOF_RESIDENT_MAX * (double)proof_bytes(r, kind, true);
}

static void by_size(const struct report *r, int kind, struct buf *reason)
{
	const struct target *t = plan_target(r->host, r->plan);
	int64_t memory = proof_memory_bytes(r);

	if (memory >= 0 && proof_bytes(r, kind, true) > memory)
		return;
	if (t && text_of(t->own_cache)[0])
		buf_printf(reason, PROOF_UNPROVED "%s can hold what was read", t->own_cache);
	else
		buf_add_text(reason, PROOF_UNPROVED
			     "no device counters tell, and memory could hold what was read");
}

/* Where the own counter was asked, it has the last word on files that seem to be resident. */
static void read_reason(const struct report *r, int kind, const struct chain *chain,
			struct buf *reason)
{
	const struct target *t = plan_target(r->host, r->plan);
	double share = report_rates_const(r, kind)->uncached_ratio;

	if (proof_chain_caches(t))
		buf_add_text(reason, PROOF_UNPROVED "a device below caches in this host's memory");
	else if (share >= 0 && share < 0.01)
		buf_add_text(reason, "it came from this host's memory, not from the storage");
	else if (share >= 0 && share < PROOF_RATIO_MIN)
		buf_add_text(reason, "part of it came from this host's memory, not from the "
				     "storage");
	else if ((share < 0 || !asks_own(chain, t, kind)) && was_resident(r, kind))
		buf_add_text(reason, "part of the files was still in the page cache");
	else if (share < 0)
		by_size(r, kind, reason);
}

/* What the devices then move is no measure of what was asked for. */
static bool is_compressed(const struct report *r)
{
	const struct target *t = plan_target(r->host, r->plan);

	return t && t->compressing == 1 && r->plan->io.data != DATA_UNIQUE;
}

static void find_reason(const struct report *r, int kind, const struct chain *chain,
			struct buf *reason)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	const struct target *t = plan_target(r->host, r->plan);
	bool reads = phase_kind_reads(kind) || kind == PHASE_MIXED;

	if (is_compressed(r))
		buf_add_text(reason, PROOF_UNPROVED "the file system compresses this data, and the "
						    "devices count what is left of it");
	else if (t && target_is_in_memory(t))
		buf_printf(reason, "the target lies in memory: nothing was %s a storage",
			   phase_kind_reads(kind) ? "read from" : "written to");
	else if (proof_is_not_direct(r, kind))
		buf_add_text(reason, "O_DIRECT was accepted, but the data went through the page "
				     "cache");
	else if (!phase_kind_reads(kind))
		buf_add_text(reason, proof_write_reason(r, rates));
	if (!reason->len && reads)
		read_reason(r, kind, chain, reason);
}

void proof_phase(struct report *r, int kind)
{
	struct phase_rates *rates = report_rates(r, kind);
	const struct phase *phase = run_phase_const(r->run, kind);
	CLEANUP(chain_done) struct chain chain = { 0 };
	CLEANUP(buf_done) struct buf reason = { 0 };
	struct foreign above;

	if (rates->aggregate_mib_per_s < 0)
		return;
	chain_make(plan_target(r->host, r->plan), phase, &chain);
	if ((phase_kind_reads(kind) || kind == PHASE_MIXED) && !is_compressed(r))
		rates->uncached_ratio = uncached_ratio(r, &chain, kind);
	if (!phase_kind_reads(kind) && !is_compressed(r))
		rates->written_ratio = written_ratio(r, &chain, kind);
	if (kind == PHASE_WRITE && rates->bytes > 0 && phase->allocated_bytes >= 0)
		rates->allocated_ratio = (double)phase->allocated_bytes / (double)rates->bytes;
	foreign_phase(r, kind);
	/* What others wrote can stand for what is missing of ours. */
	above = foreign_find_above(r, kind);
	if (foreign_is_much(&above) && rates->written_ratio >= PROOF_RATIO_MIN)
		rates->written_ratio = -1;
	find_reason(r, kind, &chain, &reason);
	xstr_set(&rates->unusable_reason, buf_text(&reason));
	proof_text_phase(r, kind, &chain);
}

/* -1 is none. */
static int64_t sum(int64_t a, int64_t b)
{
	return a < 0 ? b : stats_plus(a, b);
}

void proof_totals(struct report *r)
{
	static const int kinds[] = { PHASE_WRITE, PHASE_READ, PHASE_MIXED };

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (!phase_is_measured(run_phase_const(r->run, kinds[i])))
			continue;
		if (kinds[i] != PHASE_READ)
			r->written_bytes = sum(r->written_bytes, proof_bytes(r, kinds[i], false));
		if (kinds[i] != PHASE_WRITE)
			r->read_bytes = sum(r->read_bytes, proof_bytes(r, kinds[i], true));
	}
}

void proof_beyond(struct report *r)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	proof_text_beyond(r, &text);
	xstr_set(&r->beyond, buf_text(&text));
}
