/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_sasiotest - the lines of SAS's utility, which programs read
 *
 * Byte for byte: wording, six decimals, and MB for what are MiB.
 */
#include "iotest/render.h"

#include <inttypes.h>

#include "iotest/units.h"
#include "iotest/xalloc.h"

/* A write ends with its last byte, as the original has it. */
static double mib_per_s(const struct worker_result *w)
{
	int64_t ns = w->last_io_ns - w->start_ns;

	return units_mib(w->bytes) / units_seconds(ns > 0 ? ns : 1);
}

static void add_test(const struct report *r, size_t i, struct buf *out)
{
	bool reads = plan_only_reads(r->plan);
	const struct phase *phase = reads ? &r->run->read : &r->run->write;
	const struct worker_result *w = &phase->workers[i];
	CLEANUP(xfree) char *name = plan_worker_file(r->plan, text_of(r->plan->io.file), i);

	buf_add_text(out, "SAS I/O Test Utility: v1.0\n");
	buf_printf(out, "%s %s %" PRId64 " bytes %s file: ",
		   r->plan->io.order == ORDER_RANDOM ? "Randomly" : "Sequentially",
		   reads ? "reading" : "writing", w->bytes, reads ? "from" : "to");
	buf_add_visible(out, name);
	buf_printf(out, " with a %" PRId64 " pagesize.\n", r->plan->io.block_bytes);
	buf_printf(out, "%s Throughput: %.6f MB/Sec.\n", reads ? "Read" : "Write", mib_per_s(w));
}

/* In words that no reader of the other lines takes for one of them. */
static void add_total(const struct report *r, struct buf *out)
{
	bool reads = plan_only_reads(r->plan);
	const struct phase_rates *rates = reads ? &r->read : &r->write;

	buf_printf(out, "Total of %" PRId64 " instances: %" PRId64 " bytes, %.6f MB/Sec.\n",
		   r->plan->workers, rates->bytes,
		   reads ? rates->aggregate_mib_per_s : rates->before_fsync_mib_per_s);
}

void render_sasiotest(const struct report *report, struct buf *out)
{
	const struct phase *phase =
		plan_only_reads(report->plan) ? &report->run->read : &report->run->write;

	for (size_t i = 0; i < phase->n_workers; i++)
		add_test(report, i, out);
	if (report->plan->io.numbered == 1)
		add_total(report, out);
}
