/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proof_text - what is proved, and what is not, in one line each
 */
#include "proof_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "iotest/compiler.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "foreign.h"
#include "proof.h"
#include "stats.h"

double proof_text_percent(double ratio)
{
	return floor(1000 * ratio) / 10;
}

const char *proof_text_of_reason(const char *reason)
{
	size_t len = strlen(PROOF_UNPROVED);

	return strncmp(reason, PROOF_UNPROVED, len) ? reason : reason + len;
}

/* The lowest level, unless it is below a loop device and others moved bytes there, too. */
static size_t level_that_counts(const struct report *r, int kind, const struct chain *chain)
{
	struct foreign above = foreign_find_above(r, kind);
	struct foreign most = foreign_find(r, kind, NULL);
	bool is_below = most.bytes >= 0 && most.level > above.level;

	return is_below && foreign_is_much(&most) ? above.level : chain->n_levels - 1;
}

/* "100.0 % counted at the disks (sda, sdb)" */
static void say_counted(const struct report *r, int kind, const struct chain *chain, double share,
			struct buf *out)
{
	const struct target *t = plan_target(r->host, r->plan);
	CLEANUP(buf_done) struct buf names = { 0 };
	size_t level = level_that_counts(r, kind, chain);
	const char *what = level + 1 == chain->n_levels ? "disk" : "device";
	size_t n = chain_add_names(chain, level, &names);

	buf_printf(out, "%.1f %% counted ", proof_text_percent(share));
	if (chain_is_mount(chain, t))
		buf_printf(out, "by the server mount %s", buf_text(&names));
	else
		buf_printf(out, "at the %s%s (%s)", what, n == 1 ? "" : "s", buf_text(&names));
}

static void say_unproved(const char *reason, struct buf *out)
{
	buf_printf(out, "not provable here: %s", proof_text_of_reason(reason));
}

/* Why the devices cannot tell how much was written. */
static const char *why_unknown(const struct report *r, int kind, const struct chain *chain)
{
	const struct target *t = plan_target(r->host, r->plan);

	struct foreign above = foreign_find_above(r, kind);

	if (foreign_is_much(&above))
		return "others wrote to the devices, too";
	if (t && proof_is_dax(t))
		return "direct access goes past the counters";
	if (proof_chain_caches(t))
		return "a device below caches in this host's memory";
	if (chain->n_levels > 0 && proof_copies(r, chain_is_mount(chain, t)) < 0)
		return "the copies that are written are not known";
	return "no device counters tell";
}

static void say_written(const struct report *r, int kind, const struct chain *chain,
			struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	const struct target *t = plan_target(r->host, r->plan);
	int64_t copies = proof_copies(r, chain_is_mount(chain, t));

	if ((rates->written_ratio < 0 || (t && target_is_in_memory(t))) &&
	    rates->unusable_reason[0]) {
		say_unproved(rates->unusable_reason, out);
	} else if (rates->written_ratio < 0) {
		say_unproved(why_unknown(r, kind, chain), out);
		buf_add_text(out, "; fsync is believed");
	} else {
		buf_add_text(out, rates->written_ratio < PROOF_RATIO_MIN ? "only " : "");
		say_counted(r, kind, chain, rates->written_ratio, out);
		buf_add_text(out, " when fsync came back");
		if (copies > 1)
			buf_printf(out, ", %" PRId64 " copies", copies);
	}
}

static void say_resident(const struct report *r, int kind, struct buf *out)
{
	const struct target *t = plan_target(r->host, r->plan);
	int64_t resident = run_phase_const(r->run, kind)->resident_bytes;
	int64_t bytes = proof_bytes(r, kind, true);

	if (resident < 0 || bytes <= 0 || text_of(t->own_cache)[0])
		return;
	buf_printf(out, "; %.1f %% in the page cache before",
		   100 * (resident < bytes ? (double)resident / (double)bytes : 1));
}

static void say_read(const struct report *r, int kind, const struct chain *chain, struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	/* Of a mixed phase it can be that of the writes. */
	bool is_other = rates->written_ratio >= 0 && rates->written_ratio < PROOF_RATIO_MIN;

	if (rates->uncached_ratio >= 0 && rates->uncached_ratio < PROOF_RATIO_MIN) {
		buf_add_text(out, "only ");
		say_counted(r, kind, chain, rates->uncached_ratio, out);
		buf_add_text(out, "; the rest came from this host's memory");
	} else if (rates->unusable_reason[0] && !is_other) {
		say_unproved(rates->unusable_reason, out);
	} else if (rates->uncached_ratio >= 0) {
		buf_add_text(out, "not from this host's memory: ");
		say_counted(r, kind, chain, rates->uncached_ratio, out);
		say_resident(r, kind, out);
	} else {
		buf_add_text(out, "not from this host's memory, by size only: ");
		units_add_size(out, proof_bytes(r, kind, true));
		buf_add_text(out, " read, memory ");
		units_add_size(out, proof_memory_bytes(r));
	}
}

void proof_text_phase(struct report *r, int kind, const struct chain *chain)
{
	struct phase_rates *rates = report_rates(r, kind);
	CLEANUP(buf_done) struct buf text = { 0 };

	if (kind == PHASE_MIXED)
		buf_add_text(&text, "written: ");
	if (!phase_kind_reads(kind))
		say_written(r, kind, chain, &text);
	if (kind == PHASE_MIXED)
		buf_add_text(&text, "; read: ");
	if (phase_kind_reads(kind) || kind == PHASE_MIXED)
		say_read(r, kind, chain, &text);
	xstr_set(&rates->proof, buf_text(&text));
}

static void say_where(const struct report *r, const struct target *t, struct buf *out)
{
	if (t && t->kind == TARGET_NETWORK)
		buf_add_text(out,
			     "caches of the server and behind it cannot be seen from a client");
	else if (t && t->kind == TARGET_USERSPACE)
		buf_printf(out, "caches of the program behind %s cannot be seen from here",
			   text_of(t->fs_type));
	else if (text_of(r->host->os.hypervisor)[0])
		buf_printf(out,
			   "caches behind the device, or of the hypervisor (%s), cannot be seen "
			   "from a host",
			   r->host->os.hypervisor);
	else
		buf_add_text(out, "caches behind the device cannot be seen from a host");
}

/* Of the bytes of all phases, what had passed the devices as far as they can tell. */
static int64_t passed(const struct report *r, bool is_read)
{
	static const int kinds[] = { PHASE_WRITE, PHASE_READ, PHASE_MIXED };
	int64_t sum = -1;

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		const struct phase_rates *rates = report_rates_const(r, kinds[i]);
		double share = is_read ? rates->uncached_ratio : rates->written_ratio;
		int64_t bytes = proof_bytes(r, kinds[i], is_read);

		if (!phase_is_measured(run_phase_const(r->run, kinds[i])) || bytes < 0)
			continue;
		if (share >= 0 && share < PROOF_RATIO_MIN)
			bytes = (int64_t)(share * (double)bytes);
		sum = stats_plus(sum, bytes);
	}
	return sum;
}

/* "256 MiB of 1 GiB" */
static void add_passed(const struct report *r, bool is_read, int64_t bytes, struct buf *out)
{
	int64_t part = passed(r, is_read);

	if (part >= 0 && part < bytes) {
		buf_add_text(out, "only ");
		units_add_size(out, part);
		buf_add_text(out, " of ");
	}
	units_add_size(out, bytes);
}

static bool is_all_passed(const struct report *r)
{
	return passed(r, true) >= r->read_bytes && passed(r, false) >= r->written_bytes;
}

void proof_text_beyond(const struct report *r, struct buf *out)
{
	const struct target *t = plan_target(r->host, r->plan);
	int64_t written = r->written_bytes;
	int64_t read = r->read_bytes;

	if (written < 0 && read < 0)
		return;
	if (t && target_is_in_memory(t)) {
		buf_add_text(out, "the target lies in memory: no storage was tested");
		return;
	}
	say_where(r, t, out);
	buf_add_text(out, "; ");
	if (written < 0 || read < 0) {
		add_passed(r, written < 0, written < 0 ? read : written, out);
		buf_add_text(out,
			     written < 0 ? " were read through them" : " were written to them");
	} else if (written == read && is_all_passed(r)) {
		units_add_size(out, read);
		buf_add_text(out, " were cycled through them (written and read back)");
	} else {
		add_passed(r, false, written, out);
		buf_add_text(out, " were written to them and ");
		add_passed(r, true, read, out);
		buf_add_text(out, " read back");
	}
}
