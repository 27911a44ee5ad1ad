/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_limits - what held the rates back, with the control and the host beside it
 */
#include "lines.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "iotest/compiler.h"
#include "iotest/units.h"
#include "layout.h"
#include "text_parts.h"

/* Of what is not judged it is not looked for what held it back. */
static void add_untold(const struct report *r, int kind, struct lines *out)
{
	if (plan_judges(r->plan, kind) && report_rates_const(r, kind)->carries_cores < 0)
		lines_add(out, phase_kind_name(kind),
			  "not told: the phase was too short to be judged");
}

static void add_limit(const struct report *r, int kind, struct lines *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	CLEANUP(buf_done) struct buf line = { 0 };

	if (rates->usable != 1)
		return;
	if (!*text_of(rates->limited_by)) {
		add_untold(r, kind, out);
		return;
	}
	/* The figures say the rest themselves; of a device they do not say what follows. */
	if (strcmp(rates->limited_by, "device") == 0)
		buf_add_text(&line, "what lies below the file system: ");
	buf_add_text(&line,
		     *text_of(rates->limited_text) ? rates->limited_text : rates->limited_by);
	lines_add(out, phase_kind_name(kind), "%s", buf_text(&line));
}

static void add_per_core(const struct report *r, const struct phase_rates *rates, struct buf *line)
{
	if (r->plan->cores < 1)
		return;
	buf_add_text(line, " in all, ");
	text_add_rate(line, rates->aggregate_mib_per_s / (double)r->plan->cores);
	buf_add_text(line, " per core");
}

static void add_control(const struct report *r, int kind, struct lines *out)
{
	const struct phase *phase = run_phase_const(r->run, kind);
	const struct phase_rates *rates = report_rates_const(r, kind);
	CLEANUP(buf_done) struct buf line = { 0 };

	if (phase->status == PHASE_NOT_RUN) {
		if (*text_of(phase->failure))
			lines_add(out, "control", "no %s: %s",
				  phase_kind_reads(kind) ? "reads" : "writes", phase->failure);
		return;
	}
	buf_printf(&line, "%s past the page cache (",
		   phase_kind_reads(kind) ? "reads" : "overwriting");
	units_add_size(&line, CONTROL_BLOCK_BYTES);
	if (phase->depth > 0)
		buf_printf(&line, ", depth %" PRId64, phase->depth);
	buf_add_text(&line, ", ");
	units_add_duration(&line, rates->elapsed_ns);
	buf_add_text(&line, "): ");
	if (rates->usable == 1) {
		text_add_rate(&line, rates->aggregate_mib_per_s);
		buf_add_text(&line, " MiB/s");
		add_per_core(r, rates, &line);
		if (rates->elapsed_ns < CONTROL_COMPARED_NS)
			buf_add_text(&line, "; too short to compare");
	} else {
		buf_printf(&line, "n/a (%s)",
			   *text_of(rates->unusable_reason) ? rates->unusable_reason
							    : "no reason recorded");
	}
	lines_add(out, "control", "%s", buf_text(&line));
}

/* Cut, not rounded: 94.9 % are not yet 95. */
static double percent(double ratio)
{
	return floor(100 * ratio + 1e-9);
}

static void add_busy(const struct report *r, struct buf *line)
{
	for (size_t i = 0; i < TEXT_PHASES; i++) {
		const struct phase *phase = run_phase_const(r->run, text_phases[i]);

		if (phase->host_busy_ns < 0 || phase->host_cpu_ns <= 0)
			continue;
		buf_printf(line, "%s%.0f %% in %s", line->len ? ", " : "CPU ",
			   percent((double)phase->host_busy_ns / (double)phase->host_cpu_ns),
			   phase_kind_name(text_phases[i]));
	}
}

static void add_dirty(const struct report *r, struct buf *line)
{
	int64_t peak = -1;

	for (size_t i = 0; i < TEXT_PHASES; i++) {
		const struct phase *phase = run_phase_const(r->run, text_phases[i]);

		if (phase->dirty_peak_bytes > peak)
			peak = phase->dirty_peak_bytes;
	}
	if (peak < 0)
		return;
	buf_add_text(line, line->len ? "; " : "");
	buf_add_text(line, "dirty pages, highest of 4 samples a second: ");
	units_add_size(line, peak);
	if (r->host->dirty_limit_bytes >= 0) {
		buf_add_text(line, " of ");
		units_add_size(line, r->host->dirty_limit_bytes);
	}
}

void text_add_control(const struct report *report, size_t column, struct buf *out)
{
	static const int kinds[] = { PHASE_CONTROL_READ, PHASE_CONTROL_WRITE };
	CLEANUP(buf_done) struct buf line = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(kinds) && report->plan->cores > 0; i++) {
		const struct phase_rates *rates = report_rates_const(report, kinds[i]);

		if (rates->usable != 1 ||
		    run_phase_const(report->run, kinds[i])->status == PHASE_NOT_RUN)
			continue;
		buf_printf(&line, "%s%s ", line.len ? ", " : "",
			   phase_kind_reads(kinds[i]) ? "read" : "overwrite");
		text_add_rate(&line, rates->aggregate_mib_per_s / (double)report->plan->cores);
		buf_add_text(&line, " MiB/s per core");
		if (rates->elapsed_ns < CONTROL_COMPARED_NS)
			buf_add_text(&line, " (too short to compare)");
	}
	if (line.len)
		layout_row(out, column, "direct", "control, past the page cache: %s",
			   buf_text(&line));
}

static void add_host(const struct report *r, struct lines *out)
{
	CLEANUP(buf_done) struct buf host = { 0 };

	add_busy(r, &host);
	add_dirty(r, &host);
	if (host.len)
		lines_add(out, "host", "%s", buf_text(&host));
}

void lines_add_limits(struct lines *lines, const struct report *report)
{
	for (size_t i = 0; i < TEXT_PHASES; i++)
		add_limit(report, text_phases[i], lines);
	add_control(report, PHASE_CONTROL_READ, lines);
	add_control(report, PHASE_CONTROL_WRITE, lines);
	add_host(report, lines);
}

void lines_add_limits_short(struct lines *lines, const struct report *report)
{
	for (size_t i = 0; i < TEXT_PHASES; i++) {
		const struct phase_rates *rates = report_rates_const(report, text_phases[i]);

		if (rates->usable == 1 && strcmp(text_of(rates->limited_by), "unknown") == 0)
			lines_add(lines, phase_kind_name(text_phases[i]),
				  "not attributable; report --format details has the figures");
		else
			add_limit(report, text_phases[i], lines);
	}
	add_host(report, lines);
}
