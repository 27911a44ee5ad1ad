/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings_proof - judgements about where the bytes came from, or went
 */
#include <inttypes.h>
#include <math.h>

#include "findings.h"
#include "iotest/units.h"
#include "proof.h"
#include "stats.h"

/* Above this share of the page cache a file does not count as dropped. */
#define RESIDENT_RATIO_MAX 0.02
/* No single storage device of today reads faster per core; memory does. */
#define PLAUSIBLE_MIB_PER_S_PER_CORE 8192

static bool check_not_on_storage(const struct report *r, struct buf *text, struct buf *advice)
{
	const char *reason = text_of(r->write.unusable_reason);
	const struct target *t = plan_target(r->host, r->plan);

	if (!phase_is_measured(&r->run->write) || r->write.aggregate_mib_per_s < 0 || !*reason ||
	    (t && target_is_in_memory(t)))
		return false;
	buf_printf(text, "the write rate is not that of the storage: %s", reason);
	if (r->write.written_ratio >= 0)
		buf_printf(text, " (%.1f %% had)", floor(1000 * r->write.written_ratio) / 10);
	buf_add_text(advice, "look at the mount options, and at what lies below the file system");
	return true;
}

static bool check_read_cached(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct phase_rates *rates = &r->read;

	if (rates->uncached_ratio < 0 || rates->uncached_ratio >= PROOF_RATIO_MIN)
		return false;
	/* Cut, not rounded, as in the facts of the page. */
	buf_printf(
		text,
		"%.1f %% of the bytes read were counted at the storage; the rest came from memory "
		"of this host",
		floor(1000 * rates->uncached_ratio) / 10);
	buf_add_text(advice,
		     "use files larger than the memory (leave --size away); below a loop device "
		     "or an overlay another cache can hold them");
	return true;
}

static bool check_resident(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct phase *read = &r->run->read;

	if (read->resident_bytes <= 0 || read->planned_bytes <= 0)
		return false;
	if ((double)read->resident_bytes <= RESIDENT_RATIO_MAX * (double)read->planned_bytes)
		return false;
	units_add_size(text, read->resident_bytes);
	buf_add_text(text, " of the files were still in the page cache before they were read");
	buf_add_text(advice,
		     "another process holds these pages, or the file system does not drop them");
	return true;
}

static bool check_read_unproved(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct phase_rates *rates = &r->read;
	const struct target *t = plan_target(r->host, r->plan);

	if (rates->bytes < 0 || rates->uncached_ratio >= 0 || rates->usable != 0)
		return false;
	if (!phase_is_measured(&r->run->read) || (t && target_is_in_memory(t)))
		return false;
	buf_add_text(text, "whether the reads came from the storage is not provable here");
	buf_add_text(advice, "use files larger than the memory: leave --size away");
	return true;
}

static bool check_implausible(const struct report *r, struct buf *text, struct buf *advice)
{
	if (r->read.usable != 1 || r->read.mib_per_s_per_core < PLAUSIBLE_MIB_PER_S_PER_CORE)
		return false;
	buf_printf(text,
		   "reading at %.0f MiB/s per core is faster than storage is; a cache that this "
		   "host cannot see may have answered",
		   r->read.mib_per_s_per_core);
	buf_add_text(advice, "do not use the read rate before it is explained");
	return true;
}

const struct judgement proof_judgements[] = {
	{ "write-not-on-storage", SEVERITY_WARNING,
	  "fsync came back before the data was on the storage", check_not_on_storage },
	{ "read-cached", SEVERITY_WARNING, "reads were answered from this host's memory",
	  check_read_cached },
	{ "cache-not-empty", SEVERITY_WARNING, "files were in the page cache before reading",
	  check_resident },
	{ "read-unproved", SEVERITY_WARNING, "nothing shows where the reads came from",
	  check_read_unproved },
	{ "read-implausible", SEVERITY_WARNING, "reads were faster than storage is",
	  check_implausible },
};
const size_t n_proof_judgements = ARRAY_LEN(proof_judgements);
