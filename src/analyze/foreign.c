/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign - what others moved at the device in the meantime
 *
 * All bytes at the device less ours. As low in the chain as nothing can have written ours more
 * than once: others may use another partition of the same disk. Below a loop device with direct
 * I/O what can be told is told, too: others may use the disk that its file lies on.
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

/* Of a level: what is beyond ours, which may be unknown one way. */
static void compare(const struct chain *chain, int64_t our_reads_bytes, int64_t our_writes,
		    struct foreign *f)
{
	int64_t read_bytes = chain_bytes(chain, f->level, true);
	int64_t written_bytes = chain_bytes(chain, f->level, false);
	int64_t others_read = our_reads_bytes < 0 ? 0 : beyond(read_bytes, our_reads_bytes);

	f->written_bytes = our_writes < 0 ? 0 : beyond(written_bytes, our_writes);
	f->total_bytes = stats_plus(read_bytes, written_bytes);
	f->bytes = stats_plus(others_read, f->written_bytes);
}

static double ratio_of(const struct foreign *f)
{
	return f->total_bytes > 0 ? (double)f->bytes / (double)f->total_bytes : 0;
}

bool foreign_is_much(const struct foreign *f)
{
	return f->bytes >= 0 && ratio_of(f) > FOREIGN_RATIO_MAX;
}

static struct foreign find_above(const struct report *r, int kind, const struct chain *chain)
{
	const struct target *t = plan_target(r->host, r->plan);
	struct foreign f = { .bytes = -1, .total_bytes = -1, .reason = "" };
	bool is_mount = chain_is_mount(chain, t);
	int64_t our_writes;

	f.level = level_to_compare(chain);
	f.reason = f.level < chain->n_levels ? reason_of_target(r, is_mount)
					     : reason_without_counters(t);
	if (*f.reason)
		return f;
	if (our_reads(r, kind) < 0 || proof_bytes(r, kind, false) < 0 ||
	    units_mul(proof_bytes(r, kind, false), proof_copies(r, is_mount), &our_writes)) {
		f.reason = "what was moved is not known";
		return f;
	}
	compare(chain, our_reads(r, kind), our_writes, &f);
	return f;
}

/* Of these it is known that they write the data of a file once. */
static bool writes_once(const char *fs_type)
{
	static const char *const types[] = { "ext2", "ext3", "ext4", "xfs" };

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (!strcmp(fs_type, types[i]))
			return true;
	return false;
}

/* Below a loop device with direct I/O. What a phase does not do at all is not ours there; what it
 * does is the same as above, unless the file system in between may write it more than once. */
static struct foreign find_below(const struct report *r, int kind, const struct chain *chain,
				 size_t level)
{
	const struct target *t = plan_target(r->host, r->plan);
	int64_t our_writes = proof_bytes(r, kind, false);
	struct foreign f = { .level = level, .reason = "" };

	if (our_writes > 0 && (!writes_once(text_of(t->backing_fs_type)) ||
			       units_mul(our_writes, proof_copies(r, false), &our_writes)))
		our_writes = -1;
	compare(chain, our_reads(r, kind), our_writes, &f);
	return f;
}

static struct foreign find_all(const struct report *r, int kind, const struct chain *chain)
{
	struct foreign most = find_above(r, kind, chain);

	if (*most.reason)
		return most;
	for (size_t level = most.level + 1; level < chain->n_levels; level++) {
		struct foreign f;

		if (!chain_is_below_loops(chain, level) || chain_bytes(chain, level, true) < 0 ||
		    chain_bytes(chain, level, false) < 0)
			continue;
		f = find_below(r, kind, chain, level);
		if (ratio_of(&f) > ratio_of(&most))
			most = f;
	}
	return most;
}

struct foreign foreign_find_above(const struct report *r, int kind)
{
	const struct target *t = plan_target(r->host, r->plan);
	CLEANUP(chain_done) struct chain chain = { 0 };

	chain_make(t, run_phase_const(r->run, kind), &chain);
	return find_above(r, kind, &chain);
}

struct foreign foreign_find(const struct report *r, int kind, struct buf *names)
{
	const struct target *t = plan_target(r->host, r->plan);
	CLEANUP(chain_done) struct chain chain = { 0 };
	struct foreign f;

	chain_make(t, run_phase_const(r->run, kind), &chain);
	f = find_all(r, kind, &chain);
	if (names && !*f.reason)
		chain_add_names(&chain, f.level, names);
	return f;
}

void foreign_phase(struct report *r, int kind)
{
	struct phase_rates *rates = report_rates(r, kind);
	CLEANUP(buf_done) struct buf names = { 0 };
	struct foreign f = foreign_find(r, kind, &names);

	xstr_set(&rates->foreign_reason, f.reason);
	xstr_set(&rates->foreign_device, buf_text(&names));
	if (f.bytes >= 0)
		rates->foreign_ratio = ratio_of(&f);
}
