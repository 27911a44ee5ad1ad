/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_proof - what is known of where the bytes came from, and what limited them
 */
#include "lines.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "iotest/units.h"
#include "layout.h"
#include "text_parts.h"

/* Each has a stamp. */
#define PIECE_BYTES 4096

/* What the readers compared. */
struct checked {
	int64_t bytes;
	int64_t stamps; /* -1: none */
	int64_t bad;
	const struct worker_result *first_bad;
	size_t number; /* of that worker, from 1 */
};

static void check_phase(const struct phase *phase, bool is_mixed, struct checked *out)
{
	for (size_t i = 0; i < phase->n_workers; i++) {
		const struct worker_result *w = &phase->workers[i];

		out->bytes = text_plus(out->bytes, is_mixed ? w->read_bytes : w->bytes);
		out->stamps = text_plus(out->stamps, w->stamps);
		out->bad = text_plus(out->bad, w->bad_stamps);
		if (w->bad_stamps > 0 && !out->first_bad) {
			out->first_bad = w;
			out->number = i + 1;
		}
	}
}

static void add_kind_of_data(const struct io_spec *io, struct buf *b)
{
	switch ((enum data_kind)io->data) {
	case DATA_ZEROS:
		buf_add_text(b, "zeros, of which storage may keep nothing");
		return;
	case DATA_COMPRESSIBLE:
		buf_printf(b, "%" PRId64 " %% of it compressible", io->compressible_percent);
		return;
	case DATA_FILE:
		buf_printf(b, "content of %s, repeated", text_of(io->data_file));
		return;
	case DATA_UNIQUE:
	case DATA_KIND_COUNT:
		break;
	}
	buf_add_text(b, "incompressible, unique");
}

static void add_first_bad(const struct checked *c, struct buf *b)
{
	const struct worker_result *w = c->first_bad;

	if (!w)
		return;
	buf_printf(b, " (worker %zu", c->number);
	if (w->bad_offset_bytes >= 0)
		buf_printf(b, " at byte %" PRId64, w->bad_offset_bytes);
	buf_printf(b, ": %s)", bad_kind_name(w->bad_kind));
}

static void add_checked(const struct report *r, int64_t written_bytes, struct buf *b)
{
	struct checked c = { .bytes = -1, .stamps = -1, .bad = -1 };

	check_phase(&r->run->read, false, &c);
	check_phase(&r->run->mixed, true, &c);
	if (c.bytes < 0) {
		buf_add_text(b, ", not read back");
		return;
	}
	if (c.stamps <= 0) {
		buf_add_text(b, ", read back without comparing");
		return;
	}
	if (c.stamps >= c.bytes / PIECE_BYTES) {
		buf_add_text(b, ", every stamp ");
		if (c.bytes < written_bytes) {
			buf_add_text(b, "of ");
			units_add_size(b, c.bytes);
			buf_add_text(b, " ");
		}
		buf_add_text(b, "read back");
	} else {
		buf_printf(b, ", %" PRId64 " stamps read back", c.stamps);
	}
	if (r->plan->io.integrity == INTEGRITY_FULL)
		buf_add_text(b, ", every byte compared");
	buf_printf(b, ", %" PRId64 " bad", c.bad < 0 ? 0 : c.bad);
	add_first_bad(&c, b);
}

static void add_data(const struct report *r, struct lines *out)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	int64_t bytes = r->written_bytes >= 0 ? r->written_bytes : r->write.bytes;

	if (bytes < 0)
		return;
	add_kind_of_data(&r->plan->io, &line);
	buf_add_text(&line, "; ");
	units_add_size(&line, bytes);
	buf_add_text(&line, " written");
	add_checked(r, bytes, &line);
	lines_add(out, "data", "%s", buf_text(&line));
}

/* Cut, not rounded, as in the findings: 100 % means all of it. */
static double percent(double ratio)
{
	return floor(1000 * ratio) / 10;
}

/* Reports of older rules have the ratio only. */
static void add_ratio(const struct phase_rates *rates, struct buf *b)
{
	if (rates->uncached_ratio >= 0)
		buf_printf(b, "%.1f %% of it came from the storage",
			   percent(rates->uncached_ratio));
	else if (rates->written_ratio >= 0)
		buf_printf(b, "%.1f %% of it was on the storage when fsync came back",
			   percent(rates->written_ratio));
}

static void add_phase_proof(const struct report *r, int kind, const char *label, struct lines *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	CLEANUP(buf_done) struct buf line = { 0 };

	if (*text_of(rates->proof))
		buf_add_text(&line, rates->proof);
	else
		add_ratio(rates, &line);
	if (line.len)
		lines_add(out, label, "%s", buf_text(&line));
}

/* Every phase that has a reason has this one. */
static bool is_reason_of_all(const struct report *r, const char *reason)
{
	for (size_t i = 0; i < TEXT_PHASES; i++) {
		const char *other = text_of(report_rates_const(r, text_phases[i])->foreign_reason);

		if (*other && strcmp(other, reason) != 0)
			return false;
	}
	return true;
}

static void add_reasons(const struct report *r, struct buf *line)
{
	for (size_t i = 0; i < TEXT_PHASES; i++) {
		const struct phase_rates *rates = report_rates_const(r, text_phases[i]);
		const char *reason = text_of(rates->foreign_reason);

		if (rates->foreign_ratio >= 0 || !*reason)
			continue;
		buf_add_text(line, line->len ? "; " : "");
		if (!line->len && is_reason_of_all(r, reason)) {
			buf_printf(line, "not attributable: %s", reason);
			return;
		}
		buf_printf(line, "%s: not attributable, %s", phase_kind_name(text_phases[i]),
			   reason);
	}
}

/* The device at which all phases looked for others; NULL: not the same for all. */
static const char *device_of_all(const struct report *r)
{
	const char *device = NULL;

	for (size_t i = 0; i < TEXT_PHASES; i++) {
		const struct phase_rates *rates = report_rates_const(r, text_phases[i]);

		if (rates->foreign_ratio < 0)
			continue;
		if (device && strcmp(device, text_of(rates->foreign_device)) != 0)
			return NULL;
		device = text_of(rates->foreign_device);
	}
	return device;
}

static void add_others(const struct report *r, struct lines *out)
{
	const char *device = device_of_all(r);
	CLEANUP(buf_done) struct buf line = { 0 };

	for (size_t i = 0; i < TEXT_PHASES; i++) {
		const struct phase_rates *rates = report_rates_const(r, text_phases[i]);

		if (rates->foreign_ratio < 0)
			continue;
		buf_printf(&line, "%s%.1f %% in %s", line.len ? ", " : "",
			   percent(rates->foreign_ratio), phase_kind_name(text_phases[i]));
		if (!device)
			buf_printf(&line, " at %s", text_of(rates->foreign_device));
	}
	buf_add_text(&line, line.len ? " of the I/O" : "");
	if (line.len && device && *device)
		buf_printf(&line, " at %s", device);
	buf_add_text(&line, line.len ? " was not ours" : "");
	add_reasons(r, &line);
	if (line.len)
		lines_add(out, "others", "%s", buf_text(&line));
}

void lines_add_proof(struct lines *lines, const struct report *report)
{
	add_data(report, lines);
	add_phase_proof(report, PHASE_READ, "reads", lines);
	add_phase_proof(report, PHASE_WRITE, "writes", lines);
	add_phase_proof(report, PHASE_MIXED, "mixed", lines);
	if (*text_of(report->beyond))
		lines_add(lines, "beyond", "%s", report->beyond);
	add_others(report, lines);
}
