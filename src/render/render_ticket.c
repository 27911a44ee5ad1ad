/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_ticket - what to paste into a ticket, and with what others can check it
 */
#include "iotest/render.h"

#include <string.h>

#include "commands.h"
#include "layout.h"
#include "sentences.h"
#include "text_parts.h"

static void add_where(const struct report *r, struct buf *out)
{
	const struct target *t = layout_target(r->host, r->plan);

	buf_add_text(out, "iotest ");
	sentence_add_version(r, out);
	if (*text_of(r->plan->method))
		buf_printf(out, " (method %s)", r->plan->method);
	buf_printf(out, " measured %s",
		   *text_of(r->plan->target) ? r->plan->target : "an unknown target");
	if (*text_of(t->fs_type))
		buf_printf(out, " (%s from %s)", t->fs_type,
			   *text_of(t->mount_source) ? t->mount_source : "an unknown source");
	buf_printf(out, " on %s, ", *text_of(r->host->name) ? r->host->name : "an unknown host");
	sentence_add_times(r->run, out);
	if (*text_of(r->run->case_id))
		buf_printf(out, ", case %s", r->run->case_id);
	buf_add_text(out, ".");
}

static void add_verdict(const struct report *r, struct buf *out)
{
	buf_add_text(out, "Verdict ");
	sentence_add_result(&r->verdict, out);
	if (*text_of(r->verdict.text))
		buf_printf(out, ": %s", r->verdict.text);
	buf_add_text(out, ". Required: ");
	sentence_add_rule(&r->verdict, out);
	buf_add_text(out, ".");
}

/* Of what is judged: what it is proved by and what held it back. */
static void add_phase(const struct report *r, int kind, struct buf *out)
{
	const struct phase_rates *rates = report_rates_const(r, kind);

	if (!text_has_phase(r, kind))
		return;
	if (rates->usable != 1) {
		buf_printf(out, "No %s rate: %s.", phase_kind_name(kind),
			   *text_of(rates->unusable_reason) ? rates->unusable_reason
							    : "no reason recorded");
		return;
	}
	buf_printf(out, " %s: ",
		   kind == PHASE_READ	 ? "Read"
		   : kind == PHASE_WRITE ? "Write"
					 : "Mixed");
	text_add_rate(out, rates->aggregate_mib_per_s);
	buf_add_text(out, " MiB/s in all");
	if (*text_of(rates->proof))
		buf_printf(out, "; %s", rates->proof);
	if (*text_of(rates->limited_text))
		buf_printf(out, "; limit: %s%s",
			   strcmp(text_of(rates->limited_by), "device") == 0
				   ? "what lies below the file system, "
				   : "",
			   rates->limited_text);
	buf_add_text(out, ".");
}

static void add_findings(const struct report *r, struct buf *out)
{
	const char *sep = "Findings: ";

	for (int severity = SEVERITY_COUNT - 1; severity > SEVERITY_INFO; severity--)
		for (size_t i = 0; i < r->n_findings; i++) {
			const struct finding *f = &r->findings[i];

			if (f->severity != severity)
				continue;
			buf_printf(out, "%s%s (%s)", sep, text_of(f->id), text_of(f->text));
			sep = "; ";
		}
	buf_add_text(out, *sep == ';' ? "." : "");
}

static void add_evidence(const struct report *r, const char *digest, struct buf *out)
{
	buf_printf(out, "Evidence: %s", *text_of(r->bundle) ? r->bundle : "no bundle");
	if (*digest)
		buf_printf(out, ", sha256 %s", digest);
	if (*text_of(r->run->id))
		buf_printf(out, ", run %s", r->run->id);
	buf_add_text(out, ".");
}

/* Each line of it, so that all can be pasted into a shell. */
static void add_comment(const char *note, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	const char *line;

	layout_wrap(&text, "  ", 2, note);
	for (line = buf_text(&text); *line; line += strcspn(line, "\n") + 1)
		buf_printf(out, "# %.*s\n", (int)(strcspn(line, "\n") - 2), line + 2);
}

static void add_commands(const char *title, const char *note, const struct buf *commands,
			 struct buf *out)
{
	if (!commands->len)
		return;
	buf_printf(out, "\n%s\n", title);
	add_comment(note, out);
	buf_add_text(out, buf_text(commands));
}

static void end_sentence(struct buf *text, struct buf *out)
{
	if (text->len)
		layout_wrap(out, "", 0, buf_text(text));
	buf_done(text);
}

static void add_sentences(const struct report *r, const char *digest, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	add_where(r, &text);
	end_sentence(&text, out);
	add_verdict(r, &text);
	end_sentence(&text, out);
	for (size_t i = 0; i < TEXT_PHASES; i++) {
		add_phase(r, text_phases[i], &text);
		end_sentence(&text, out);
	}
	add_findings(r, &text);
	end_sentence(&text, out);
	add_evidence(r, digest, &text);
	end_sentence(&text, out);
}

void render_ticket_text(const struct report *report, const char *digest, struct buf *out)
{
	CLEANUP(buf_done) struct buf again = { 0 };
	CLEANUP(buf_done) struct buf dd = { 0 };
	CLEANUP(buf_done) struct buf fio = { 0 };
	CLEANUP(buf_done) struct buf dd_note = { 0 };
	CLEANUP(buf_done) struct buf fio_note = { 0 };

	buf_add_text(&dd_note, "zeros, so that storage that compresses looks faster; a rate is all "
			       "bytes by the real time");
	buf_add_text(&fio_note, "its bw is of all jobs together");
	if (report->plan->max_rate_mib_per_s > 0)
		buf_add_text(&dd_note, "; dd keeps no rate, and goes as fast as it can");
	if (report->plan->mixed_read_percent >= 0) {
		buf_add_text(&dd_note, "; all writes, then all reads, and not the mixed rate");
		buf_add_text(&fio_note, "; all writes, then all reads, and not the mixed rate");
	}
	add_sentences(report, digest, out);
	commands_add_iotest(report, &again);
	commands_add_dd(report, &dd);
	commands_add_fio(report, &fio);
	add_commands("MEASURE AGAIN", "the same plan, whatever this host finds", &again, out);
	add_commands("CHECK WITH DD", buf_text(&dd_note), &dd, out);
	add_commands("CHECK WITH FIO", buf_text(&fio_note), &fio, out);
}
