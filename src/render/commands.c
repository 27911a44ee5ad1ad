/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands - how to measure the same again: with iotest, with dd, with fio
 */
#include "commands.h"

#include <inttypes.h>
#include <string.h>

#include "iotest/units.h"

static void add_count(struct buf *out, const char *option, int64_t n)
{
	if (n > 0)
		buf_printf(out, " %s %" PRId64, option, n);
}

static void add_flag(struct buf *out, const char *option, bool is_set)
{
	if (is_set)
		buf_printf(out, " %s", option);
}

/* By its name, but "number" stands for one that somebody gave. */
static void add_requirement(const struct plan *p, const char *option, struct buf *out)
{
	buf_printf(out, " %s ", option);
	if (*text_of(p->requirement_name) && strcmp(p->requirement_name, "number") != 0)
		buf_add_shell_word(out, text_of(p->requirement_name));
	else
		buf_printf(out, "%.10g", p->requirement_mib_per_s);
}

static void add_mode(const struct plan *p, struct buf *out)
{
	add_flag(out, "--quick", p->mode == MODE_QUICK);
	if (p->mode == MODE_PROVE)
		add_requirement(p, "--prove", out);
	else if (p->requirement_given == 1)
		add_requirement(p, "--require", out);
	if (p->time_limit_ns > 0 && p->time_limit_ns % NS_PER_S == 0)
		buf_printf(out, " --time-limit %" PRId64 "s", p->time_limit_ns / NS_PER_S);
	else if (p->time_limit_ns >= NS_PER_MS)
		buf_printf(out, " --time-limit %" PRId64 "ms", p->time_limit_ns / NS_PER_MS);
	if (p->repeat > 1)
		add_count(out, "--repeat", p->repeat);
}

static void add_phases(const struct plan *p, struct buf *out)
{
	if (p->mixed_read_percent > 0)
		add_count(out, "--mixed", p->mixed_read_percent);
	else if (p->judges_write == 0)
		buf_add_text(out, " --phases read");
	else if (p->judges_read == 0)
		buf_add_text(out, " --phases write");
}

static void add_data(const struct io_spec *io, struct buf *out)
{
	if (io->data == DATA_ZEROS)
		buf_add_text(out, " --data zeros");
	if (io->data == DATA_COMPRESSIBLE)
		buf_printf(out, " --data compressible=%" PRId64, io->compressible_percent);
	if (io->data == DATA_FILE && *text_of(io->data_file)) {
		buf_add_text(out, " --data ");
		buf_add_shell_word(out, io->data_file);
	}
	add_flag(out, "--integrity full", io->integrity == INTEGRITY_FULL);
}

static void add_target(const char *path, struct buf *out)
{
	buf_add_text(out, " -t ");
	buf_add_shell_word(out, text_of(path));
}

static void add_targets(const struct report *r, struct buf *out)
{
	if (r->plan->together != 1 || r->host->n_targets < 2) {
		add_target(r->plan->target, out);
		return;
	}
	for (size_t i = 0; i < r->host->n_targets; i++)
		add_target(r->host->targets[i].path, out);
	buf_add_text(out, " --together");
}

/* What kept it out of the way of others: the same command is for the same host. */
static void add_restraint(const struct plan *p, struct buf *out)
{
	add_count(out, "--max-rate", p->max_rate_mib_per_s);
	add_count(out, "--max-dirty", p->max_dirty_bytes);
	add_flag(out, "--gentle", p->gentle == 1);
	if (p->reserve_bytes < 0 || p->keep_free_bytes != p->reserve_bytes / 2)
		add_count(out, "--keep-free", p->keep_free_bytes);
}

void commands_add_iotest(const struct report *r, struct buf *out)
{
	const struct plan *p = r->plan;

	buf_add_text(out, "iotest run");
	add_targets(r, out);
	add_mode(p, out);
	add_phases(p, out);
	add_count(out, "--workers", p->workers);
	add_count(out, "--cores", p->cores);
	add_count(out, "--size", p->bytes_per_worker);
	add_count(out, "--block-size", p->block_bytes);
	add_flag(out, "--direct", p->io.direct == 1);
	add_flag(out, "--pin", p->io.pin == 1);
	add_flag(out, "--control", p->control == CONTROL_ALWAYS);
	add_data(&p->io, out);
	add_restraint(p, out);
	add_flag(out, "--yes", p->needs_consent == 1);
	buf_add_text(out, "\n");
}

/* Of one call, and calls per file. False if there is nothing to repeat. */
static bool get_sizes(const struct plan *p, int64_t *call_bytes, int64_t *calls)
{
	int64_t pages = p->io.pages_per_transfer > 1 ? p->io.pages_per_transfer : 1;

	if (p->workers < 1 || !*text_of(p->target) || p->block_bytes < 1 ||
	    units_mul(p->block_bytes, pages, call_bytes))
		return false;
	*calls = p->bytes_per_worker / *call_bytes;
	return *calls > 0;
}

static bool reads(const struct plan *p)
{
	return p->judges_read != 0 || p->mixed_read_percent > 0;
}

static void add_setting(const struct plan *p, struct buf *out)
{
	buf_printf(out, "n=%" PRId64 " d=", p->workers);
	buf_add_shell_word(out, p->target);
	buf_add_text(out, "\n");
}

void commands_add_dd(const struct report *r, struct buf *out)
{
	const struct plan *p = r->plan;
	const char *direct = p->io.direct == 1 ? "direct" : "";
	int64_t call_bytes, calls;

	if (!get_sizes(p, &call_bytes, &calls))
		return;
	add_setting(p, out);
	buf_printf(out,
		   "time (for i in $(seq $n); do dd if=/dev/zero of=\"$d/iotest-dd.$i\" "
		   "bs=%" PRId64 " count=%" PRId64 " conv=fsync%s%s & done; wait)\n",
		   call_bytes, calls, *direct ? " oflag=" : "", direct);
	if (reads(p))
		buf_printf(out,
			   "for i in $(seq $n); do dd if=/dev/null of=\"$d/iotest-dd.$i\" count=0 "
			   "oflag=nocache conv=notrunc,fdatasync status=none; done\n"
			   "time (for i in $(seq $n); do dd if=\"$d/iotest-dd.$i\" of=/dev/null "
			   "bs=%" PRId64 "%s%s & done; wait)\n",
			   call_bytes, *direct ? " iflag=" : "", direct);
	buf_add_text(out, "for i in $(seq $n); do rm -f \"$d/iotest-dd.$i\"; done\n");
}

/* fio takes a directory apart at colons. */
static void add_fio_directory(const char *path, struct buf *out)
{
	CLEANUP(buf_done) struct buf word = { 0 };

	for (; *path; path++) {
		if (*path == ':')
			buf_add_text(&word, "\\");
		buf_add(&word, path, 1);
	}
	buf_add_text(out, " --directory=");
	buf_add_shell_word(out, buf_text(&word));
}

static void add_fio(const struct plan *p, const char *way, int64_t call_bytes, int64_t calls,
		    struct buf *out)
{
	buf_add_text(out, "fio --name=iotest");
	add_fio_directory(p->target, out);
	buf_printf(out,
		   " --filename_format='iotest-fio.$jobnum' --numjobs=%" PRId64 " --size=%" PRId64
		   " --bs=%" PRId64 " --ioengine=psync --direct=%d --fallocate=none",
		   p->workers, call_bytes * calls, call_bytes, p->io.direct == 1);
	if (p->io.pace_bytes_per_s > 0)
		buf_printf(out, " --rate=%" PRId64, p->io.pace_bytes_per_s);
	else if (p->max_rate_mib_per_s > 0)
		buf_printf(out, " --rate=%" PRId64, p->max_rate_mib_per_s * MIB / p->workers);
	buf_printf(out, " --group_reporting %s\n", way);
}

void commands_add_fio(const struct report *r, struct buf *out)
{
	const struct plan *p = r->plan;
	int64_t call_bytes, calls;

	if (!get_sizes(p, &call_bytes, &calls))
		return;
	add_fio(p, "--rw=write --end_fsync=1 --refill_buffers", call_bytes, calls, out);
	if (reads(p))
		add_fio(p, "--rw=read --invalidate=1", call_bytes, calls, out);
	buf_add_text(out, "rm -f ");
	buf_add_shell_word(out, p->target);
	buf_add_text(out, "/iotest-fio.*\n");
}
