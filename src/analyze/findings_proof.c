/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings_proof - judgements about where the bytes came from, or went
 */
#include <inttypes.h>

#include "findings.h"
#include "foreign.h"
#include "iotest/units.h"
#include "medium.h"
#include "proof.h"
#include "proof_text.h"
#include "stats.h"

/* No single storage device of today reads faster per core; memory does. */
#define PLAUSIBLE_MIB_PER_S_PER_CORE 8192
/* Others are named above this share and amount: metadata, journals and logs are always there. */
#define FOREIGN_BYTES (16 * MIB)
/* Below this share of what was written the files have holes. */
#define ALLOCATED_RATIO 0.98

/* The phases that ask the storage for what was written. */
static const int readers[] = { PHASE_READ, PHASE_MIXED };
static const int writers[] = { PHASE_WRITE, PHASE_MIXED };

static bool check_not_direct(const struct report *r, struct buf *text, struct buf *advice)
{
	bool reads = plan_only_reads(r->plan);
	int64_t resident = reads ? r->run->read.resident_after_bytes : r->run->write.resident_bytes;
	int64_t bytes = reads ? r->read.bytes : r->write.bytes;

	if (!proof_is_not_direct(r, reads ? PHASE_READ : PHASE_WRITE))
		return false;
	units_add_size(text, resident);
	buf_printf(text,
		   " of the files (%.1f %%) were in the page cache after O_DIRECT %s: the file "
		   "system accepts O_DIRECT and does not do it",
		   proof_text_percent((double)resident / (double)bytes),
		   reads ? "reading" : "writing");
	buf_add_text(advice, plan_has_file(r->plan) ? "leave -unbuffered away here"
						    : "leave --direct away here");
	return true;
}

static bool check_not_on_storage(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct target *t = plan_target(r->host, r->plan);

	for (size_t i = 0; i < ARRAY_LEN(writers) && !text->len; i++) {
		const struct phase_rates *rates = report_rates_const(r, writers[i]);
		const char *reason = proof_write_reason(r, rates);
		/* What spoils the reads of a mixed phase has words of its own. */
		bool is_low = rates->written_ratio >= 0 && rates->written_ratio < PROOF_RATIO_MIN;

		if (rates->aggregate_mib_per_s < 0 || !*reason || (t && target_is_in_memory(t)) ||
		    proof_is_not_direct(r, writers[i]) || (writers[i] == PHASE_MIXED && !is_low))
			continue;
		buf_printf(text, "the %s rate is not that of the storage: %s",
			   phase_kind_name(writers[i]), reason);
		if (rates->written_ratio >= 0)
			buf_printf(text, " (%.1f %% had)",
				   proof_text_percent(rates->written_ratio));
	}
	buf_add_text(advice, "look at the mount options, and at what lies below the file system");
	return text->len > 0;
}

static bool check_read_cached(const struct report *r, struct buf *text, struct buf *advice)
{
	for (size_t i = 0; i < ARRAY_LEN(readers); i++) {
		double share = report_rates_const(r, readers[i])->uncached_ratio;

		if (share < 0 || share >= PROOF_RATIO_MIN)
			continue;
		buf_printf(text,
			   "%s%.1f %% of the bytes read were counted at the storage; the rest came "
			   "from memory of this host",
			   text->len ? "; when mixed, " : "", proof_text_percent(share));
	}
	buf_printf(advice,
		   "use files larger than the memory (%s); below a loop device or an overlay "
		   "another cache can hold them",
		   plan_has_file(r->plan) ? "-filesize" : "leave --size away");
	return text->len > 0;
}

static bool check_resident(const struct report *r, struct buf *text, struct buf *advice)
{
	for (size_t i = 0; i < ARRAY_LEN(readers) && !text->len; i++) {
		const struct phase *phase = run_phase_const(r->run, readers[i]);

		if (phase->resident_bytes <= 0 || phase->planned_bytes <= 0 ||
		    (double)phase->resident_bytes <=
			    PROOF_RESIDENT_MAX * (double)phase->planned_bytes)
			continue;
		units_add_size(text, phase->resident_bytes);
		buf_add_text(text,
			     " of the files were still in the page cache before they were read");
	}
	buf_add_text(advice,
		     "another process holds these pages, or the file system does not drop them");
	return text->len > 0;
}

/* What would make more of the test than memory can hold. */
static const char *proof_advice(const struct report *r)
{
	if (r->plan->mode == MODE_FILE)
		return "write and read a file larger than the memory: -filesize";
	if (r->plan->mode != MODE_FULL)
		return "only a full run reads more than memory can hold: leave --quick or --prove "
		       "away";
	if (r->plan->sized_by == SIZED_BY_OPTION)
		return "use files larger than the memory: leave --size away";
	if (r->plan->sized_by == SIZED_BY_LIMIT)
		return "outside of the memory limit the files are larger than the memory";
	return "free some space, so that the files can be larger than the memory";
}

static bool check_read_unproved(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct target *t = plan_target(r->host, r->plan);

	for (size_t i = 0; i < ARRAY_LEN(readers) && !text->len; i++) {
		const struct phase_rates *rates = report_rates_const(r, readers[i]);
		bool is_late = rates->written_ratio >= 0 && rates->written_ratio < PROOF_RATIO_MIN;

		if (rates->aggregate_mib_per_s < 0 || rates->uncached_ratio >= 0 ||
		    rates->usable != 0 || is_late || (t && target_is_in_memory(t)) ||
		    proof_is_not_direct(r, readers[i]))
			continue;
		buf_printf(text, "whether the reads came from the storage is not provable here: %s",
			   proof_text_of_reason(text_of(rates->unusable_reason)));
	}
	buf_add_text(advice, proof_advice(r));
	return text->len > 0;
}

static void say_count(struct buf *text, size_t n, const char *what)
{
	if (n)
		buf_printf(text, "%s%zu %s%s", text->len ? " and " : "", n, what,
			   n == 1 ? "" : "s");
}

static bool check_implausible(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct target *t = plan_target(r->host, r->plan);
	struct medium m = medium_of(r->host, t);
	CLEANUP(buf_done) struct buf disks = { 0 };

	if (r->read.usable != 1)
		return false;
	say_count(&disks, m.n_rotating, "rotating disk");
	say_count(&disks, m.n_others, "device");
	if (m.mib_per_s > 0 && r->read.aggregate_mib_per_s > m.mib_per_s)
		buf_printf(text,
			   "reading at %.0f MiB/s is faster than the storage below is: %s give at "
			   "most %.0f MiB/s",
			   r->read.aggregate_mib_per_s, buf_text(&disks), m.mib_per_s);
	else if (r->read.mib_per_s_per_core >= PLAUSIBLE_MIB_PER_S_PER_CORE)
		buf_printf(text,
			   "reading at %.0f MiB/s per core is faster than storage is (%d at most)",
			   r->read.mib_per_s_per_core, PLAUSIBLE_MIB_PER_S_PER_CORE);
	else
		return false;
	buf_add_text(text, "; a cache that this host cannot see may have answered");
	buf_add_text(advice, "do not use the read rate before it is explained");
	return true;
}

static bool check_foreign(const struct report *r, struct buf *text, struct buf *advice)
{
	bool is_ext4 = false;

	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		double share = report_rates_const(r, kind)->foreign_ratio;
		CLEANUP(buf_done) struct buf names = { 0 };
		struct foreign f;

		if (share <= FOREIGN_RATIO_MAX || stats_is_control(kind))
			continue;
		f = foreign_find(r, kind, &names);
		if (f.bytes <= FOREIGN_BYTES)
			continue;
		buf_add_text(text,
			     text->len ? "; " : "lower bound, others were using the device: ");
		buf_printf(text, "%s %.1f %% of the bytes at %s (", phase_kind_name(kind),
			   proof_text_percent(share), buf_text(&names));
		units_add_size(text, f.bytes);
		buf_add_text(text, ") were not ours");
		is_ext4 = is_ext4 ||
			  (f.written_bytes > 0 && run_phase_const(r->run, kind)->lazy_init == 1);
	}
	if (!text->len)
		return false;
	buf_add_text(advice, "a pass stands all the same; before a rate is called too low, run it "
			     "again when the storage is quiet");
	if (is_ext4) {
		buf_add_text(text, "; it can be ext4 itself, which was still initialising inode "
				   "tables of a new file system (ext4lazyinit)");
		buf_add_text(advice, ", which it is when the kernel thread ext4lazyinit is gone");
	}
	return true;
}

static bool check_holes(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct target *t = plan_target(r->host, r->plan);
	const struct phase_rates *rates = &r->write;

	if (rates->allocated_ratio < 0 || rates->allocated_ratio >= ALLOCATED_RATIO)
		return false;
	/* Servers and programs need not tell what a file occupies. */
	if (rates->allocated_ratio <= 0 && (!t || t->kind != TARGET_LOCAL))
		return false;
	buf_printf(text,
		   "the files occupy %.1f %% of what was written: the file system compressed them "
		   "or left holes",
		   proof_text_percent(rates->allocated_ratio));
	buf_add_text(advice, r->plan->io.data == DATA_UNIQUE
				     ? "the data cannot be compressed: ask what this file system "
				       "does with it; the rates are those of less data"
				     : "the rates are those of less data: leave --data away");
	return true;
}

static bool check_compressible(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct io_spec *io = &r->plan->io;

	if (io->data == DATA_ZEROS)
		buf_add_text(text, "nothing but zeros were written");
	else if (io->data == DATA_COMPRESSIBLE && io->compressible_percent >= 0)
		buf_printf(text, "%" PRId64 " %% of each 4 KiB written are zeros",
			   io->compressible_percent);
	else if (io->data == DATA_COMPRESSIBLE)
		buf_add_text(text, "data that can be compressed was written");
	else if (io->data == DATA_FILE) {
		buf_add_text(text, "the content of ");
		buf_add_visible(text, text_of(io->data_file)[0] ? io->data_file : "a file");
		buf_add_text(text, " was written over and over");
	} else {
		return false;
	}
	buf_add_text(text, ": storage that compresses or deduplicates stores less, so the rates "
			   "are an upper bound");
	buf_add_text(advice, "leave --data away for what cannot be compressed");
	return true;
}

const struct judgement proof_judgements[] = {
	{ "direct-not-direct", SEVERITY_WARNING, "O_DIRECT was accepted, but is not direct",
	  check_not_direct,
	  "the file system takes O_DIRECT and goes through the page cache all the same",
	  "do not compare it with direct rates elsewhere; PROOF says what was cached" },
	{ "write-not-on-storage", SEVERITY_WARNING,
	  "fsync came back before the data was on the storage", check_not_on_storage,
	  "a device or file system acknowledges fsync before the data is safe",
	  "ask the vendor how a flush is answered; after a power cut such data can be lost" },
	{ "read-cached", SEVERITY_WARNING, "reads were answered from this host's memory",
	  check_read_cached,
	  "the files were small enough, or the memory large enough, to keep them cached",
	  "use larger files, or run as the only user of the memory" },
	{ "cache-not-empty", SEVERITY_WARNING, "files were in the page cache before reading",
	  check_resident, "the pages could not be dropped before reading, or others read the files",
	  "run again; if it stays so, use larger files" },
	{ "read-unproved", SEVERITY_WARNING, "nothing shows where the reads came from",
	  check_read_unproved,
	  "the devices below cannot be counted from here, and the files fit into memory",
	  "use files larger than the memory, or run where the devices can be seen" },
	{ "read-implausible", SEVERITY_WARNING, "reads were faster than storage is",
	  check_implausible, "a cache that this host cannot see answered",
	  "use larger files; ask where the bytes came from: hypervisor, array, server" },
	{ "foreign-load", SEVERITY_WARNING, "others were using the device: rates are lower bounds",
	  check_foreign, "other programs, hosts or virtual machines use the same device",
	  "run when the others are quiet, or read the rates as what is left beside them" },
	{ "holes", SEVERITY_WARNING, "the files occupy less than was written", check_holes,
	  "the file system compresses, deduplicates or does not allocate what is written",
	  "read the write rate as that of the file system, not of the device" },
	{ "data-compressible", SEVERITY_WARNING, "data was written that storage can make smaller",
	  check_compressible, "--data asked for data that storage can make smaller",
	  "use unique data for a rate that holds for all data" },
};
const size_t n_proof_judgements = ARRAY_LEN(proof_judgements);
