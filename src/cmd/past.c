/* SPDX-License-Identifier: Apache-2.0 */
/*
 * past - a run among those before it: its row of the history, and what follows from the others
 */
#include "past.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "iotest/log.h"
#include "iotest/run.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "settings.h"

static bool has_finding(const struct report *r, const char *id)
{
	for (size_t i = 0; i < r->n_findings; i++)
		if (!strcmp(text_of(r->findings[i].id), id))
			return true;
	return false;
}

/* What was cut off, or over at once, says nothing about later runs. */
static bool is_comparable(const struct record *record)
{
	return record->run.interrupted_by <= 0 &&
	       record->report.verdict.result != VERDICT_INVALID &&
	       !has_finding(&record->report, "too-short");
}

static void take_rate(const struct phase_rates *rates, double *judged, double *lowest,
		      double *highest)
{
	bool is_repeated = rates->n_runs > 1;

	if (rates->usable != 1 && !is_repeated)
		return;
	*judged = rates->judged_mib_per_s_per_core;
	*lowest = is_repeated ? rates->lowest_mib_per_s_per_core : *judged;
	*highest = is_repeated ? rates->highest_mib_per_s_per_core : *judged;
}

static void take_rates(const struct record *record, struct history_entry *e)
{
	const struct report *r = &record->report;

	if (!is_comparable(record))
		return;
	if (plan_judges(&record->plan, PHASE_WRITE))
		take_rate(&r->write, &e->write_mib_per_s, &e->write_lowest_mib_per_s,
			  &e->write_highest_mib_per_s);
	if (plan_judges(&record->plan, PHASE_READ))
		take_rate(&r->read, &e->read_mib_per_s, &e->read_lowest_mib_per_s,
			  &e->read_highest_mib_per_s);
	if (plan_judges(&record->plan, PHASE_MIXED))
		take_rate(&r->mixed, &e->mixed_mib_per_s, &e->mixed_lowest_mib_per_s,
			  &e->mixed_highest_mib_per_s);
}

/*
 * What has to be alike beyond the method. The size of a full run is a rule of the machine; that of
 * a bounded one follows the free space, which changes by itself, and its phases end by time.
 */
static char *plan_id(const struct plan *p)
{
	CLEANUP(buf_done) struct buf id = { 0 };

	buf_printf(&id, "cores=%" PRId64 " workers=%" PRId64 " block=%" PRId64, p->cores,
		   p->workers, p->block_bytes);
	if (p->mode == MODE_FULL || p->size_given == 1)
		buf_printf(&id, " bytes=%" PRId64, p->bytes_per_worker);
	if (p->time_limit_ns >= 0)
		buf_printf(&id, " limit=%" PRId64 "s", p->time_limit_ns / NS_PER_S);
	if (p->io.pace_bytes_per_s >= 0)
		buf_printf(&id, " pace=%" PRId64, p->io.pace_bytes_per_s);
	if (p->repeat > 1)
		buf_printf(&id, " repeat=%" PRId64, p->repeat);
	if (p->light == 1)
		buf_add_text(&id, " light");
	return buf_take(&id);
}

static char *bundle_path(const struct record *record)
{
	const char *name = text_of(record->report.bundle);

	return *name ? xasprintf("%s/%s", text_of(record->run.output_dir), name) : xstrdup("");
}

void past_describe(const struct record *record, const char *command, const struct sysroot *root,
		   struct history_entry *out)
{
	CLEANUP(buf_done) struct buf settings = { 0 };

	schema_init(&history_entry_schema, out);
	settings_add(root, &record->host, plan_target(&record->host, &record->plan), &settings);
	out->id = xstrdup(text_of(record->run.id));
	out->started_at_ns = record->run.started_at_ns;
	out->command = xstrdup(command);
	out->host = xstrdup(text_of(record->host.name));
	out->target = xstrdup(text_of(record->plan.target));
	out->method = xstrdup(text_of(record->plan.method));
	out->plan = plan_id(&record->plan);
	out->tool_version = xstrdup(text_of(record->run.tool_version));
	out->verdict = xstrdup(verdict_name(record->report.verdict.result));
	out->verdict_text =
		xstrdup(*text_of(record->run.failure) ? record->run.failure
						      : text_of(record->report.verdict.text));
	out->exit_status = record->report.exit_status;
	out->requirement_mib_per_s = record->plan.requirement_mib_per_s;
	take_rates(record, out);
	out->settings = buf_take(&settings);
	out->bundle = bundle_path(record);
}

int past_path(const char *given, struct buf *out, struct err *err)
{
	if (given) {
		buf_add_text(out, given);
		return 0;
	}
	if (!history_default_path(out))
		return 0;
	err_say(err, -ENOENT, "there is no place for a history: this user has no home directory");
	err_advise(err, "name a file: --history-file FILE");
	return -ENOENT;
}

/* Users of services, and containers, may have none that can be written. */
static bool is_no_place(int rc)
{
	return rc == -ENOENT || rc == -EACCES || rc == -EPERM || rc == -EROFS;
}

struct history *past_open(const char *given, enum history_access access, struct buf *warning)
{
	CLEANUP(buf_done) struct buf path = { 0 };
	struct history *h = NULL;
	struct err err = { 0 };
	int rc = past_path(given, &path, &err);

	if (!rc)
		rc = history_open(buf_text(&path), access, &h, &err);
	if (rc && !given && is_no_place(rc))
		log_line(LOG_LEVEL_NOTE, "no history: %s", err.sentence);
	else if (rc)
		buf_printf(warning, "%s", err.sentence);
	else if (*history_set_aside(h))
		buf_printf(warning, "%s was damaged and begun anew; the old one is %s",
			   buf_text(&path), history_set_aside(h));
	return h;
}

static void add_row(struct history *h, const struct record *record, const char *command,
		    const struct sysroot *root)
{
	struct history_entry e;
	struct err err = { 0 };

	past_describe(record, command, root, &e);
	if (history_add(h, &e, &err))
		log_line(LOG_LEVEL_WARNING, "the history lacks this run: %s", err.sentence);
	schema_done(&history_entry_schema, &e);
}

void past_add(const struct session_outcome *o, const char *command)
{
	CLEANUP(buf_done) struct buf warning = { 0 };
	CLEANUP(history_close) struct history *h = NULL;

	if (o->args->no_history)
		return;
	h = past_open(o->args->history_file, HISTORY_WRITE, &warning);
	if (warning.len)
		log_line(LOG_LEVEL_WARNING, "history: %s", buf_text(&warning));
	for (size_t i = 0; h && i < o->shown->n_items; i++)
		add_row(h, o->shown->items[i], command, o->root);
}
