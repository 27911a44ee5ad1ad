/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sasiotest - one file, one test, for people who script their own
 *
 * The same stages as a run: probe, plan, run, analyze, render. What is told besides the result goes
 * to standard error, since programs read the lines.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iotest/analyze.h"
#include "iotest/clock.h"
#include "iotest/commands.h"
#include "iotest/planner.h"
#include "iotest/probe.h"
#include "iotest/render.h"
#include "iotest/runner.h"
#include "iotest/signals.h"
#include "iotest/xalloc.h"
#include "identity.h"
#include "progress.h"
#include "sas_args.h"
#include "sas_file.h"

/* Everything one invocation works on. */
struct session {
	struct sas_args args;
	struct sas_file file;
	struct sysroot root;
	struct host host;
	struct records records; /* one */
	struct progress progress;
};

static void session_done(struct session *s)
{
	progress_done(&s->progress);
	records_done(&s->records);
	host_done(&s->host);
	sysroot_close(&s->root);
	sas_file_done(&s->file);
	sas_args_done(&s->args);
}

static void caution(const char *text)
{
	CLEANUP(xfree) char *line = xasprintf("warning: %s", text);

	cmd_print_note(line);
}

static void tell(void *context, const struct run_event *event)
{
	progress_tell(context, event);
}

/* ------------------------------------------------------------------ before */

static int probe(struct session *s, struct err *err)
{
	CLEANUP(strlist_done) struct strlist dirs = { 0 };
	int rc;

	host_done(&s->host);
	strlist_add(&dirs, s->file.dir);
	rc = probe_host(&s->root, &dirs, &s->host, err);
	if (rc == -ENOENT)
		err_advise(err, "create the directory, or name a file in another one");
	return rc;
}

/* The directory is asked first: a dead mount is found there without hanging. */
static int find_file(struct session *s, struct err *err)
{
	int rc = sas_file_split(s->args.file, &s->file, err);

	if (!rc)
		rc = sysroot_open(&s->root, NULL, err);
	if (!rc)
		rc = probe(s, err);
	if (!rc)
		rc = sas_file_resolve(s->args.file, s->args.n_instances < 0, &s->file, err);
	return rc == 1 ? probe(s, err) : rc;
}

static int make_plan(const struct session *s, struct plan *out, struct err *err)
{
	const struct sas_args *a = &s->args;
	struct file_wishes w = {
		.given = a->file,
		.name = s->file.name,
		.writes = a->writes,
		.random = a->random,
		.bytes = a->file_bytes,
		.page_bytes = a->page_bytes,
		.pages = a->n_pages,
		.instances = a->n_instances,
		.direct = a->unbuffered,
		.dsync = a->writethru && a->writes,
		.cached = a->cached,
		.force = a->force,
	};

	sas_file_measure(&s->file, a->n_instances, &w.file_bytes, &w.own_bytes);
	return plan_build_file(&s->host, &w, out, err);
}

/* ------------------------------------------------------------------ afterwards */

static int phase_of(const struct session *s)
{
	return s->args.writes ? PHASE_WRITE : PHASE_READ;
}

static const struct finding *find_finding(const struct report *r, const char *id)
{
	for (size_t i = 0; i < r->n_findings; i++)
		if (!strcmp(r->findings[i].id, id))
			return &r->findings[i];
	return NULL;
}

/* What is worth the exit status: the gravest finding, else what ended it early. */
static const struct finding *why_failed(const struct report *r)
{
	const struct finding *space = find_finding(r, "space-short");

	for (size_t i = 0; i < r->n_findings; i++)
		if (r->findings[i].severity == SEVERITY_ERROR)
			return &r->findings[i];
	return space ? space : find_finding(r, "interrupted");
}

static bool is_good(const struct session *s, const struct report *r)
{
	const struct phase *phase = run_phase_const(r->run, phase_of(s));

	return phase->status == PHASE_COMPLETE && !why_failed(r) &&
	       report_rates_const(r, phase_of(s))->aggregate_mib_per_s >= 0;
}

/* No line and no rate, but a sentence. */
static int fail(const struct session *s, const struct report *r, struct err *err)
{
	const struct finding *finding = why_failed(r);
	CLEANUP(buf_done) struct buf name = { 0 };

	buf_add_visible(&name, s->args.file);
	if (!finding)
		return err_say(err, -EIO, "%s: it took no time that could be measured",
			       buf_text(&name));
	err_say(err, -EIO, "%s: %s", buf_text(&name), finding->text);
	if (s->args.writes)
		err_advise(err, "%s; what was written stays: remove it when it is not needed",
			   finding->advice);
	else if (finding->advice[0])
		err_advise(err, "%s", finding->advice);
	return -EIO;
}

/* A file can be shorter than it was asked for. */
static void note_short(const struct session *s, const struct report *r)
{
	const struct phase *read = &r->run->read;

	for (size_t i = 0; s->args.reads && i < read->n_workers; i++) {
		CLEANUP(xfree) char *name = plan_worker_file(r->plan, s->args.file, i);
		CLEANUP(xfree) char *text = NULL;

		if (read->workers[i].bytes >= s->args.file_bytes)
			continue;
		text = xasprintf("%s: %" PRId64 " bytes are there to be read, not the %" PRId64
				 " of -filesize",
				 name, read->workers[i].bytes, s->args.file_bytes);
		caution(text);
	}
}

static void note_findings(const struct session *s, const struct report *r)
{
	static const char *const told[] = { "direct-not-direct", "drop-failed" };
	const struct phase_rates *rates = report_rates_const(r, phase_of(s));

	for (size_t i = 0; i < ARRAY_LEN(told); i++) {
		const struct finding *finding = find_finding(r, told[i]);

		if (finding)
			caution(finding->text);
	}
	if (rates->unusable_reason[0]) {
		CLEANUP(xfree)
		char *text =
			xasprintf("this is no rate of the storage: %s", rates->unusable_reason);

		caution(text);
	}
}

static void note_fsync(const struct session *s, const struct report *r)
{
	CLEANUP(xfree) char *text = NULL;

	if (!s->args.writes)
		return;
	text = xasprintf("with fsync: %.6f MB/Sec.", r->write.aggregate_mib_per_s);
	cmd_print_note(text);
}

static int print(const struct session *s, struct err *err)
{
	CLEANUP(buf_done) struct buf page = { 0 };
	int rc = 0;

	if (s->args.format == FORMAT_JSON)
		rc = render_records_json(&s->records, &page, err);
	else
		render_sasiotest(&s->records.items[0]->report, &page);
	if (rc)
		return rc;
	fwrite(buf_text(&page), 1, page.len, stdout);
	return 0;
}

static int finish(struct session *s, struct err *err)
{
	struct report *r = &s->records.items[0]->report;
	int rc;

	if (!is_good(s, r)) {
		r->exit_status = EXIT_STATUS_FAILED;
		rc = s->args.format == FORMAT_JSON ? print(s, err) : 0;
		return rc ? rc : fail(s, r, err);
	}
	r->exit_status = EXIT_STATUS_DONE;
	rc = print(s, err);
	if (rc)
		return rc;
	/* In the order in which both appear on a terminal. */
	(void)fflush(stdout);
	note_short(s, r);
	note_findings(s, r);
	note_fsync(s, r);
	return EXIT_STATUS_DONE;
}

/* ------------------------------------------------------------------ the command */

static int measure(struct session *s, const char *invocation, struct err *err)
{
	const struct run_watch watch = { .tell = tell, .context = &s->progress };
	struct record *record = records_add(&s->records);
	int rc;

	rc = make_plan(s, &record->plan, err);
	if (rc)
		return rc;
	host_copy(&s->host, &record->host);
	identity_describe(invocation, clock_wall_ns(), &record->run);
	/* Scripts keep what is on standard error, too: the live line is for terminals. */
	progress_init(&s->progress, !isatty(STDERR_FILENO));
	progress_begin(&s->progress, &record->plan, 1, 0);
	rc = run_execute(&record->host, &record->plan, &watch, &record->run, err);
	if (rc)
		return rc;
	record->run.ended_at_ns = clock_wall_ns();
	analyze(&record->report);
	return 0;
}

/* "iotest sasiotest FILE ...", however it was called. */
static char *invocation_of(int argc, char **argv)
{
	CLEANUP(xfree) char **all = xcalloc((size_t)argc + 1, sizeof(*all));
	char word[] = "sasiotest";

	all[0] = argv[0];
	all[1] = word;
	for (int i = 1; i < argc; i++)
		all[i + 1] = argv[i];
	return identity_command_line(argc + 1, all);
}

static int sasiotest_main(int argc, char **argv, struct err *err)
{
	CLEANUP(session_done) struct session s = { .root = { .dirfd = -1 } };
	CLEANUP(xfree) char *invocation = invocation_of(argc, argv);
	int rc;

	rc = sas_args_parse(argc, argv, &s.args, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < s.args.notes.n_items; i++)
		caution(s.args.notes.items[i]);
	rc = find_file(&s, err);
	if (rc)
		return rc;
	rc = measure(&s, invocation, err);
	return rc ? rc : finish(&s, err);
}

const struct command cmd_sasiotest = {
	.name = "sasiotest",
	.synopsis = "FILE [-w | -r] [options]",
	.summary = "write or read one file, as SAS's utility of this name does",
	.details = "Sizes are binary: 1K and 1KB are 1024 bytes; MB/Sec is MiB/s. Options are\n"
		   "understood in any letter case, and as -option=value. A write is timed to its\n"
		   "last byte; the rate with fsync is told on standard error.\n"
		   "  sasiotest /saswork/testfile1.dat -w -filesize 129G -pagesize 128K\n"
		   "  sasiotest /saswork/testfile1.dat -r -filesize 129G -pagesize 128K",
	.add_options = sas_args_add_help,
	.main = sasiotest_main,
};
