/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_block - the results block that field scripts parse
 *
 * Labels, columns, wording and plain digits are an interface: people cut the numbers out with
 * grep and sed, and add them up. Lines are never wrapped here.
 */
#include "text_parts.h"

#include <inttypes.h>

#include "iotest/units.h"
#include "layout.h"

/* As df rounds: a part of a block is a block. */
static int64_t to_kib(int64_t bytes)
{
	return bytes < 0 ? -1 : bytes / KIB + (bytes % KIB != 0);
}

static void add_kib(struct buf *out, int64_t bytes)
{
	if (bytes < 0)
		buf_add_text(out, " -");
	else
		buf_printf(out, " %" PRId64, to_kib(bytes));
}

/* Rounded up, of what this user can ever use, as df does. */
static void add_percent(struct buf *out, const struct target *t)
{
	uint64_t used = (uint64_t)to_kib(t->used_bytes);
	uint64_t all = used + (uint64_t)to_kib(t->free_bytes);

	if (t->used_bytes < 0 || t->free_bytes < 0 || all == 0)
		buf_add_text(out, " -");
	else
		buf_printf(out, " %" PRIu64 "%%", used * 100 / all + (used * 100 % all != 0));
}

static void add_df(const struct target *t, struct buf *out)
{
	buf_add_text(out, "  df -k:        ");
	layout_add_text(out, t->mount_source, "-");
	add_kib(out, t->size_bytes);
	add_kib(out, t->used_bytes);
	add_kib(out, t->free_bytes);
	add_percent(out, t);
	buf_add_text(out, " ");
	layout_add_text(out, t->mount_point, "-");
	buf_add_text(out, "\n");
}

/* Two decimals, and as many more as a small file needs to show two digits. */
static void add_gigabytes(struct buf *out, int64_t bytes)
{
	double gib = bytes < 0 ? -1 : units_gib(bytes);
	double shown = gib * 100;
	int decimals = 2;

	if (gib > 0 && gib < 0.01) {
		for (; shown < 10; shown *= 10)
			decimals++;
	}
	layout_add_number(out, gib, decimals);
	buf_add_text(out, " gigabytes\n");
}

static void add_rate(const struct report *r, int kind, const char *label, struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	/* What only prepares a mixed phase is no result. */
	bool is_result = rates->usable == 1 && r->plan->mixed_read_percent < 0;
	double rate = is_result ? rates->mean_mib_per_s_per_worker : -1;

	buf_add_text(out, label);
	layout_add_number(out, rate, 2);
	buf_printf(out, " megabytes/second per %s\n",
		   r->plan->workers == r->plan->cores ? "physical core" : "worker");
}

/* As planned; where the time limit or others ended the writing, what was written on average. */
static int64_t file_bytes(const struct report *r)
{
	bool is_cut =
		r->run->write.status == PHASE_TIME_LIMIT || r->run->write.status == PHASE_SPACE;

	if (is_cut && r->write.bytes >= 0 && r->plan->workers > 0)
		return r->write.bytes / r->plan->workers;
	return r->plan->bytes_per_worker;
}

void text_add_block(const struct report *report, struct buf *out)
{
	const struct target *t = layout_target(report->host, report->plan);

	buf_add_text(out, "RESULTS\n-------\nINVOCATION:  ");
	layout_add_text(out, report->run->invocation, "unknown");
	buf_add_text(out, "\n\nTARGET DETAILS\n  directory:    ");
	layout_add_text(out, report->plan->target, "unknown");
	buf_add_text(out, "\n");
	add_df(t, out);
	buf_add_text(out, "  mount point:  ");
	layout_add_mount(out, t);
	buf_add_text(out, "\n  iterations:   ");
	if (report->plan->workers < 0)
		buf_add_text(out, "unknown");
	else
		buf_printf(out, "%" PRId64, report->plan->workers);
	buf_add_text(out, "\n  filesize:     ");
	add_gigabytes(out, file_bytes(report));
	buf_add_text(out, "\nSTATISTICS\n");
	add_rate(report, PHASE_READ, "  read throughput rate:   ", out);
	add_rate(report, PHASE_WRITE, "  write throughput rate:  ", out);
}
