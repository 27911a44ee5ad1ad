/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reasons_mode - the rows of the plan page that an ordinary full run does not have
 */
#include <inttypes.h>
#include <string.h>

#include "iotest/units.h"
#include "mode.h"
#include "quick.h"
#include "reasons_parts.h"

void reasons_say_bounds(const struct plan *p, struct buf *text)
{
	buf_printf(text,
		   "all files take at most %d %% of the free space, half of what is above "
		   "the reserve, ",
		   QUICK_SPACE_PERCENT);
	units_add_size(text, p->light == 1 ? LIGHT_SPACE_MAX : QUICK_SPACE_MAX);
	buf_add_text(text, " and what a full run would take");
	if (p->mode == MODE_PROVE)
		buf_add_text(text, "; within that, what the required rate moves in the time");
}

static void say_quick(struct plan *p)
{
	struct buf value = { 0 };
	struct buf text = { 0 };

	buf_add_text(&value, "quick");
	buf_add_text(&text,
		     "each phase ends when its rate is steady, when its time is over or when "
		     "its files are done; longer bursts cannot be seen");
	reasons_row(p, "test", &value, &text);
}

static void say_prove(struct plan *p)
{
	struct buf value = { 0 };
	struct buf text = { 0 };

	buf_printf(&value, "%.2f MiB/s", units_mib(p->io.pace_bytes_per_s));
	buf_printf(&text,
		   "pace of each worker: %" PRId64 " cores x %.4g MiB/s / %" PRId64
		   " workers, and %d %% above it, so that a pace that is held proves at least the "
		   "requirement; the storage is not driven harder than that",
		   p->cores, p->requirement_mib_per_s, p->workers, PACE_ABOVE_PERCENT);
	reasons_row(p, "pace", &value, &text);
}

static void say_max_rate(struct plan *p)
{
	double need = p->requirement_mib_per_s * (double)p->cores;
	double cap = plan_cap_mib_per_s(p);
	struct buf value = { 0 };
	struct buf text = { 0 };

	buf_printf(&value, "%.2f MiB/s", units_mib(p->io.pace_bytes_per_s));
	buf_printf(&text,
		   "of each worker at most, by option: %" PRId64 " MiB/s for all; write-back keeps "
		   "step, and time that was lost is not made up",
		   p->max_rate_mib_per_s);
	if (cap < need)
		buf_printf(&text,
			   "; the requirement of %.4g MiB/s for all cores cannot be reached, and "
			   "a lower rate shows nothing about it",
			   need);
	reasons_row(p, "pace", &value, &text);
}

/* The schedulers of disks that heed the idle class, and since when. */
static void say_scheduler(const struct device *d, struct buf *text)
{
	static const char *const heed[] = { "bfq", "cfq" };
	const char *scheduler = text_of(d->scheduler);

	for (size_t i = 0; i < ARRAY_LEN(heed); i++)
		if (!strcmp(scheduler, heed[i]))
			return;
	if (!strcmp(scheduler, "mq-deadline"))
		buf_printf(text, ", which the scheduler of %s heeds since Linux 5.14",
			   text_of(d->name));
	else
		buf_printf(text, ", which the scheduler %s of %s does not heed", scheduler,
			   text_of(d->name));
}

static void say_gentle(const struct target *target, struct plan *p)
{
	struct buf value = { 0 };
	struct buf text = { 0 };

	buf_add_text(&value, "gentle");
	buf_add_text(&text, "by option: nice 19 and the idle class of I/O");
	for (size_t i = 0; i < target->n_devices; i++) {
		const struct device *d = &target->devices[i];

		if (d->is_leaf != 1 || !text_of(d->scheduler)[0])
			continue;
		say_scheduler(d, &text);
		break;
	}
	buf_add_text(&text, "; before the start and every ");
	units_add_duration(&text, p->slice_ns);
	buf_add_text(&text, " all workers pause, and wait for others that the storage holds up, in "
			    "all at most ");
	units_add_duration(&text, p->patience_ns);
	reasons_row(p, "priority", &value, &text);
}

static void say_mixed(struct plan *p)
{
	struct buf value = { 0 };
	struct buf text = { 0 };

	buf_printf(&value, "%" PRId64 " %% reads", p->mixed_read_percent);
	buf_add_text(&text, "each worker reads one file of ");
	units_add_size(&text, plan_mixed_read_bytes(p));
	buf_add_text(&text, ", which is written before and not judged, and writes another of ");
	units_add_size(&text, p->bytes_per_worker - plan_mixed_read_bytes(p));
	buf_add_text(&text, " at the same time");
	reasons_row(p, "mixed", &value, &text);
}

static void say_one_phase(struct plan *p)
{
	struct buf value = { 0 };
	struct buf text = { 0 };

	if (p->judges_write == p->judges_read)
		return;
	buf_printf(&value, "%s only", p->judges_write ? "write" : "read");
	buf_add_text(&text, p->judges_write ? "by option; nothing is read back"
					    : "by option; the files that are read have to be "
					      "written first, which is not judged");
	reasons_row(p, "phases", &value, &text);
}

void reasons_add_mode(const struct target *target, struct plan *p)
{
	if (p->mode == MODE_QUICK)
		say_quick(p);
	if (p->mode == MODE_PROVE)
		say_prove(p);
	if (p->io.pace_is_cap)
		say_max_rate(p);
	if (p->gentle)
		say_gentle(target, p);
	if (p->mixed_read_percent >= 0)
		say_mixed(p);
	say_one_phase(p);
}

static void add_kind_of_data(const struct io_spec *io, struct buf *value, struct buf *text)
{
	switch ((enum data_kind)io->data) {
	case DATA_UNIQUE:
		buf_add_text(value, "unique");
		buf_add_text(text, "cannot be compressed, and no piece occurs twice");
		break;
	case DATA_ZEROS:
		buf_add_text(value, "zeros");
		buf_add_text(text, "by option; storage that compresses or deduplicates hardly "
				   "stores them");
		break;
	case DATA_COMPRESSIBLE:
		buf_add_text(value, "compressible");
		buf_printf(text, "by option: %" PRId64 " %% of every 4 KiB are zeros",
			   io->compressible_percent);
		break;
	case DATA_FILE:
		buf_add_text(value, "file");
		buf_printf(text, "by option: the content of %s, repeated", text_of(io->data_file));
		break;
	case DATA_KIND_COUNT:
		break;
	}
}

static void say_data(struct plan *p)
{
	struct buf value = { 0 };
	struct buf text = { 0 };
	bool reads = p->judges_read || p->mixed_read_percent >= 0;

	add_kind_of_data(&p->io, &value, &text);
	buf_add_text(&text, "; every 4 KiB carries a stamp");
	if (reads)
		buf_add_text(&text, p->io.integrity == INTEGRITY_FULL
					    ? ", and the reader compares every byte"
					    : " that the reader checks");
	reasons_row(p, "data", &value, &text);
}

static void say_direct(struct plan *p)
{
	struct buf value = { 0 };
	struct buf text = { 0 };

	buf_add_text(&value, "O_DIRECT");
	buf_add_text(&text,
		     "by option: past the page cache, one block of each worker at a time; if "
		     "the file system refuses it, nothing is measured");
	reasons_row(p, "transfers", &value, &text);
}

static void say_pin(struct plan *p)
{
	struct buf value = { 0 };
	struct buf text = { 0 };

	buf_add_text(&value, "pinned");
	buf_add_text(&text, "by option: each worker is bound to the threads of one physical core; "
			    "with more workers than cores it begins again at the first");
	reasons_row(p, "cores", &value, &text);
}

void reasons_add_io(struct plan *p)
{
	say_data(p);
	if (p->io.direct)
		say_direct(p);
	if (p->io.pin)
		say_pin(p);
}

static void say_together(const struct host *host, int64_t n_on_device, struct plan *p)
{
	struct buf value = { 0 };
	struct buf text = { 0 };

	buf_printf(&value, "%zu targets", host->n_targets);
	buf_add_text(&text, "by option: at the same time");
	if (n_on_device > 1)
		buf_printf(&text,
			   "; %" PRId64 " of them lie on this file system, and each gets an equal "
			   "share of its space",
			   n_on_device);
	reasons_row(p, "together", &value, &text);
}

static void say_repeat(struct plan *p)
{
	struct buf value = { 0 };
	struct buf text = { 0 };

	buf_printf(&value, "%" PRId64, p->repeat);
	buf_add_text(&text, "by option: one after the other; their median is judged");
	reasons_row(p, "runs", &value, &text);
}

static void say_control(const struct target *target, struct plan *p)
{
	struct buf value = { 0 };
	struct buf text = { 0 };

	if (p->control == CONTROL_NEVER) {
		buf_add_text(&value, "none");
		if (target_is_in_memory(target))
			buf_add_text(&text, "this file system lies in memory: there is nothing "
					    "below the page cache");
		else if (p->light == 1)
			buf_add_text(&text, "a check moves no more bytes than it has to");
		else
			buf_add_text(&text, "a pace, or a mix of reads and writes, has nothing to "
					    "be compared with");
	} else {
		units_add_duration(&value, CONTROL_NS);
		buf_printf(&text,
			   "at most, of O_DIRECT 1 MiB transfers, %d at a time on each file, "
			   "overwriting it, %s: tells whether the page cache is the limit",
			   CONTROL_DEPTH,
			   p->control == CONTROL_ALWAYS ? "after all phases"
							: "at the end, if a phase is below");
	}
	reasons_row(p, "control", &value, &text);
}

void reasons_add_company(const struct host *host, const struct target *target, int64_t n_on_device,
			 struct plan *p)
{
	if (p->together)
		say_together(host, n_on_device, p);
	if (p->repeat > 1)
		say_repeat(p);
	say_control(target, p);
}
