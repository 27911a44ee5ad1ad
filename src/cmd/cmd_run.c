/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run - the test: probe, plan, write, read, judge, bundle
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "consent.h"
#include "iotest/analyze.h"
#include "iotest/clock.h"
#include "iotest/collect.h"
#include "iotest/commands.h"
#include "iotest/log.h"
#include "iotest/probe.h"
#include "iotest/runner.h"
#include "iotest/signals.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "identity.h"
#include "leftovers.h"
#include "only_one.h"
#include "past.h"
#include "progress.h"
#include "repeats.h"
#include "results.h"
#include "run_log.h"
#include "session.h"
#include "start_at.h"
#include "test_args.h"

static const struct cli_option options[] = {
	OPTION_TARGET,
	OPTIONS_OF_THE_PLAN,
	OPTIONS_OF_THE_MODE,
	{ .name = "dry-run",
	  .type = CLI_FLAG,
	  .offset = TEST_ARG(dry_run),
	  .help = "show the plan and end, as iotest plan does" },
	OPTIONS_OF_THE_RUN(LISTED),
	OPTIONS_OF_THE_HISTORY,
	OPTION_FORMAT(test_args),
};

/* Everything one invocation works on. */
struct session {
	struct test_args args;
	const struct session_use *use;
	struct hostlock lock;
	char *lock_failure;
	struct evidence evidence;
	struct evidence after;
	struct sysroot root;
	struct host host;
	struct leftovers leftovers;
	struct test_plans plans;
	struct results results;
	struct records records;
	struct records shown; /* of those, what a person reads */
	struct progress progress;
	size_t first; /* record of the first job of what is measured now */
	size_t run;   /* which of the repeats, from 0 */
	char *invocation;
	int64_t start_at_ns; /* -1: at once */
	int64_t started_at_ns;
	int64_t unread_files;
	int64_t sas_counted_at_ns;
};

static void session_done(struct session *s)
{
	repeats_forget(&s->shown);
	records_done(&s->records);
	progress_done(&s->progress);
	results_done(&s->results);
	test_plans_done(&s->plans);
	leftovers_done(&s->leftovers);
	host_done(&s->host);
	sysroot_close(&s->root);
	evidence_done(&s->after);
	evidence_done(&s->evidence);
	hostlock_release(&s->lock);
	test_args_done(&s->args);
	free(s->lock_failure);
	free(s->invocation);
}

/* What the caller of the runner knows better than the runner. */
static void describe_run(const struct session *s, size_t target, struct run *run)
{
	identity_describe(s->invocation, s->started_at_ns, run);
	run->case_id = xstrdup(text_of(s->args.case_id));
	/* The runs that follow begin when those before them end. */
	run->start_at_ns = s->records.n_items == 1 || s->args.wishes.together ? s->start_at_ns : -1;
	run->host_lock_failure = xstrdup(text_of(s->lock_failure));
	leftovers_describe(&s->leftovers, target, run);
	run->output_dir = xstrdup(results_dir(&s->results));
	run->unread_files = s->unread_files;
	run->output_on_target =
		results_lie_on(&s->results, text_of(s->host.targets[target].device_number));
}

static struct record *record_of(const struct session *s, size_t job)
{
	return s->records.items[s->first + job];
}

static void keep_phase(struct session *s, const struct run_event *event)
{
	struct record *record = record_of(s, event->job);
	const struct phase *phase = run_phase_const(event->run, event->sample.phase);
	const struct results_place place = {
		.target = (size_t)record->plan.target_index,
		.run = s->run,
	};
	struct err err = { 0 };

	log_line(LOG_LEVEL_NOTE, "%s phase of %s: %s, %" PRId64 " of %" PRId64 " bytes in %.3f s",
		 phase_kind_name(event->sample.phase), record->plan.target,
		 phase_status_name(phase->status), event->sample.bytes, phase->planned_bytes,
		 units_seconds(event->sample.elapsed_ns));
	if (results_put_phase(&s->results, &place, event->run, event->sample.phase, &err))
		log_line(LOG_LEVEL_WARNING, "%s", err.sentence);
	/* What there is by now, for whoever finds the folder of a run that was killed. */
	analyze(&record->report);
	if (results_put_reports(&s->results, &s->records, &s->records, &err))
		log_line(LOG_LEVEL_WARNING, "%s", err.sentence);
}

/* Looking at every process costs some milliseconds on a large host. */
#define SAS_COUNT_NS (10 * NS_PER_S)

static void count_sas(struct session *s)
{
	int64_t now_ns = clock_monotonic_ns();
	int64_t n;

	if (s->sas_counted_at_ns && now_ns - s->sas_counted_at_ns < SAS_COUNT_NS)
		return;
	s->sas_counted_at_ns = now_ns;
	n = probe_sas_processes();
	for (size_t i = s->first; i < s->records.n_items; i++)
		if (s->records.items[i]->run.sas_processes < n)
			s->records.items[i]->run.sas_processes = n;
}

static void tell(void *context, const struct run_event *event)
{
	struct session *s = context;

	progress_tell(&s->progress, event);
	only_one_follow(&s->lock, event);
	if (event->kind == RUN_PHASE_BEGIN || event->kind == RUN_SAMPLE)
		results_add_sample(&s->results, text_of(record_of(s, event->job)->plan.target),
				   &event->sample);
	if (event->kind == RUN_SAMPLE)
		count_sas(s);
	if (event->kind == RUN_PHASE_BEGIN && event->run->syncfs_ns >= 0)
		log_line(LOG_LEVEL_NOTE, "syncfs between the phases: %.3f s, errno %" PRId64,
			 units_seconds(event->run->syncfs_ns), event->run->syncfs_error);
	if (event->kind == RUN_PHASE_END)
		keep_phase(s, event);
}

/* The facts so far are judged as if they were all. */
static bool wants_control(void *context, const struct run *run UNUSED, size_t job, int phase_kind)
{
	struct record *record = record_of(context, job);

	analyze(&record->report);
	return analyze_wants_control(&record->report, phase_kind);
}

/* Of the live host; the evidence is what was found before the test. */
static char *io_limits(void *context)
{
	const struct session *s = context;
	struct sysroot now = s->root;

	now.evidence = NULL;
	return probe_io_limits(&now);
}

static void begin_run(struct session *s, size_t target)
{
	struct record *record = records_add(&s->records);

	host_copy(&s->host, &record->host);
	schema_copy(&plan_schema, &s->plans.items[target], &record->plan);
	describe_run(s, target, &record->run);
	log_line(LOG_LEVEL_NOTE, "run %s on %s: %" PRId64 " workers, %" PRId64 " bytes each",
		 record->run.id, record->plan.target, record->plan.workers,
		 record->plan.bytes_per_worker);
	if (s->run == 0)
		run_log_plan(&record->plan);
	syslog(LOG_INFO, "run %s started on %s: %" PRId64 " workers, %" PRId64 " bytes each",
	       record->run.id, record->plan.target, record->plan.workers,
	       record->plan.bytes_per_worker);
}

static void end_run(struct record *record, int rc, const struct err *err)
{
	if (rc && !text_of(record->run.failure)[0])
		xstr_set(&record->run.failure, err->sentence);
	record->run.ended_at_ns = clock_wall_ns();
	analyze(&record->report);
	run_log_outcome(record);
}

static int execute(struct session *s, size_t n_jobs, const struct run_watch *watch, struct err *err)
{
	CLEANUP(xfree) struct run_job *jobs = xcalloc(n_jobs, sizeof(*jobs));

	for (size_t i = 0; i < n_jobs; i++) {
		jobs[i].plan = &record_of(s, i)->plan;
		jobs[i].run = &record_of(s, i)->run;
	}
	if (n_jobs == 1)
		return run_execute(&record_of(s, 0)->host, jobs[0].plan, watch, jobs[0].run, err);
	return run_execute_together(&s->host, jobs, n_jobs, watch, err);
}

/* One run of n targets from that one on. */
static int measure_once(struct session *s, size_t target, size_t n, struct err *err)
{
	const struct run_watch watch = {
		.tell = tell,
		.wants_control = wants_control,
		.io_limits = io_limits,
		.context = s,
	};
	int rc;

	s->first = s->records.n_items;
	s->sas_counted_at_ns = 0;
	for (size_t i = 0; i < n; i++)
		begin_run(s, target + i);
	progress_begin(&s->progress, &s->plans.items[target], n, s->run);
	rc = execute(s, n, &watch, err);
	for (size_t i = 0; i < n; i++)
		end_run(record_of(s, i), rc, err);
	return rc;
}

static int measure_repeatedly(struct session *s, size_t target, size_t n, struct err *err)
{
	size_t n_runs = (size_t)s->plans.items[target].repeat;
	int rc = 0;

	for (s->run = 0; !rc && s->run < n_runs; s->run++) {
		if (s->run > 0 &&
		    (signals_pending() || !repeats_are_worthwhile(&s->records, s->first)))
			break;
		rc = measure_once(s, target, n, err);
	}
	return rc;
}

/* One target after the other, or all together; the first that fails or is interrupted is the
 * last. */
static int measure(struct session *s, struct err *err)
{
	size_t n = s->args.wishes.together ? s->host.n_targets : 1;
	int rc = 0;

	for (size_t target = 0; !rc && target < s->host.n_targets; target += n) {
		/* The first one tells even so that it was interrupted before it began. */
		if (target > 0 && signals_pending())
			break;
		rc = measure_repeatedly(s, target, n, err);
	}
	return rc;
}

static bool was_measured(const struct session *s)
{
	for (size_t i = 0; i < s->records.n_items; i++)
		if (!text_of(s->records.items[i]->run.failure)[0])
			return true;
	return false;
}

/* The gravest of what is shown: unusable before below before done. */
static int gravest(const struct session *s)
{
	int status = EXIT_STATUS_DONE;

	for (size_t i = 0; i < s->shown.n_items; i++) {
		int one = report_exit_status(&s->shown.items[i]->report);

		if (one > status)
			status = one;
	}
	return status;
}

/* Every page says what the whole process ends with. */
static void set_exit_status(struct session *s, int status)
{
	/* As a shell tells an end by a signal; the run that is shown may be an earlier one. */
	if (signals_pending())
		status = 128 + signals_pending();
	else if (s->use->is_silent)
		status = -1;
	for (size_t i = 0; i < s->records.n_items; i++)
		s->records.items[i]->report.exit_status = status;
}

/* The reports name the bundle they are in, so they are written before it is closed. */
static int keep(struct session *s, struct err *err)
{
	CLEANUP(xfree) char *name = results_name(&s->results);
	int rc;

	for (size_t i = 0; i < s->records.n_items; i++)
		xstr_set(&s->records.items[i]->report.bundle, name);
	rc = results_put_reports(&s->results, &s->records, &s->shown, err);
	return rc ? rc : results_seal(&s->results, err);
}

static void say_end(const struct session *s)
{
	CLEANUP(xfree) char *name = results_name(&s->results);
	const struct bundle *b = &s->results.bundle;

	for (size_t i = 0; i < s->records.n_items; i++) {
		const struct record *r = s->records.items[i];

		syslog(LOG_INFO, "run %s ended on %s: %s; bundle %s sha256 %s", r->run.id,
		       text_of(r->plan.target), verdict_name(r->report.verdict.result),
		       name[0] ? name : "none", b->digest[0] ? b->digest : "none");
	}
	if (s->args.quiet || !name[0])
		return;
	if (b->digest[0] && s->results.is_streamed)
		fprintf(stderr,
			"iotest: bundle %s on standard output, %" PRId64 " KiB, sha256 %s\n", name,
			(b->archive_bytes + KIB - 1) / KIB, b->digest);
	else if (b->digest[0])
		fprintf(stderr, "iotest: bundle %s/%s, %" PRId64 " KiB, sha256 %s\n", b->out_path,
			name, (b->archive_bytes + KIB - 1) / KIB, b->digest);
	if (s->results.keep_dir)
		fprintf(stderr, "iotest: folder %s/%s/\n", b->out_path, b->name);
}

static int print_reports(const struct session_outcome *o, struct err *err)
{
	CLEANUP(buf_done) struct buf page = { 0 };
	int rc = 0;

	if (o->args->format == FORMAT_JSON)
		rc = render_records_json(o->records, &page, err);
	else
		render_records_text(o->shown, &page);
	if (rc)
		return rc;
	fwrite(buf_text(&page), 1, page.len, o->is_streamed ? stderr : stdout);
	return 0;
}

static void show_plans(const struct session *s)
{
	CLEANUP(buf_done) struct buf page = { 0 };

	if (s->args.quiet)
		return;
	for (size_t i = 0; i < s->plans.n_items; i++)
		render_plan_text(&s->host, &s->plans.items[i], &page);
	fprintf(stderr, "%s\n", buf_text(&page));
}

static int await_start(struct session *s, struct err *err)
{
	CLEANUP(xfree) char *phase = NULL;

	if (s->start_at_ns < 0)
		return 0;
	phase = xasprintf("waiting for %s", s->args.start_at);
	only_one_tell(&s->lock, NULL, phase);
	if (!s->args.quiet)
		fprintf(stderr, "waiting until %s to begin\n", s->args.start_at);
	return start_at_wait(s->start_at_ns, err);
}

static int look_at_host(struct session *s, struct err *err)
{
	int rc = test_args_open_sysroot(NULL, &s->root, err);

	s->root.evidence = &s->evidence;
	return rc ? rc
		  : probe_host_with_sas(&s->root, &s->args.targets, s->args.sas_config, &s->host,
					err);
}

/* What was removed makes room: then it is all looked at again. */
static int sweep_targets(struct session *s, struct err *err)
{
	int rc = leftovers_sweep(&s->host, s->args.wishes.quick || s->args.wishes.prove,
				 &s->leftovers, err);

	if (rc || !leftovers_were_removed(&s->leftovers))
		return rc;
	if (!s->use->is_silent)
		leftovers_say(&s->leftovers, &s->host);
	host_done(&s->host);
	sysroot_close(&s->root);
	evidence_done(&s->evidence);
	return look_at_host(s, err);
}

/* Up to here nothing has been written anywhere. */
static int prepare(struct session *s, struct err *err)
{
	int rc;

	rc = look_at_host(s, err);
	if (!rc)
		rc = sweep_targets(s, err);
	if (rc)
		return rc;
	rc = test_plans_build(&s->host, &s->args, &s->plans, err);
	if (rc)
		return rc;
	rc = results_check(&s->args, err);
	if (rc)
		return rc;
	show_plans(s);
	rc = consent_get(&s->plans, &s->args, err);
	if (rc)
		return rc;
	/* It may take its time, so it comes before the moment that hosts agreed on. */
	s->unread_files = collect(&s->root, &s->host, COLLECT_BEFORE);
	rc = await_start(s, err);
	if (rc)
		return rc;
	s->started_at_ns = clock_wall_ns();
	return results_open(&s->results, &s->args, &s->host, s->started_at_ns, &s->evidence, err);
}

/* What went wrong meanwhile is judged with the rest. */
static void collect_after(struct session *s)
{
	struct err err = { 0 };

	s->root.evidence = &s->after;
	(void)collect(&s->root, &s->host, COLLECT_AFTER);
	for (size_t i = 0; i < s->records.n_items; i++) {
		struct record *record = s->records.items[i];

		collect_changes(&s->evidence, &s->after, &record->run);
		analyze(&record->report);
	}
	if (results_put_after(&s->results, &s->after, &err))
		log_line(LOG_LEVEL_WARNING, "%s", err.sentence);
}

/* The bundle could not be made: the reports on standard output must not name one. */
static void disown_bundle(struct session *s)
{
	for (size_t i = 0; i < s->records.n_items; i++)
		xstr_set(&s->records.items[i]->report.bundle, "");
	set_exit_status(s, EXIT_STATUS_UNUSABLE);
}

/* Returns the status that the kept files leave. */
static int keep_or_disown(struct session *s, int status, struct err *keeping)
{
	if (!keep(s, keeping))
		return status;
	if (!s->use->is_silent)
		cmd_print_error(keeping);
	disown_bundle(s);
	return EXIT_STATUS_UNUSABLE;
}

/*
 * A run of which nothing was measured leaves its evidence, but no report on standard output. If
 * only a later target failed, the earlier ones were measured all the same.
 */
static int finish(struct session *s, int failed, struct err *err)
{
	struct err keeping = { 0 };
	struct session_outcome o = {
		.args = &s->args,
		.root = &s->root,
		.records = &s->records,
		.shown = &s->shown,
		.was_measured = was_measured(s),
		.is_streamed = s->results.is_streamed,
		.keep_failure = keeping.sentence,
	};
	int rc;

	collect_after(s);
	only_one_tell(&s->lock, NULL, "writing the bundle");
	repeats_choose(&s->records, &s->records, &s->shown);
	run_log_medians(&s->shown);
	o.status = o.was_measured ? gravest(s) : EXIT_STATUS_FAILED;
	set_exit_status(s, o.status);
	o.status = keep_or_disown(s, o.status, &keeping);
	o.output_dir = text_of(s->results.bundle.out_path);
	say_end(s);
	if (failed && o.was_measured && !s->use->is_silent)
		cmd_print_error(err);
	s->root.evidence = NULL;
	rc = s->use->end(s->use->context, &o, o.was_measured ? err : NULL);
	return o.was_measured ? rc : failed;
}

int session_run(struct test_args *args, char *invocation, const struct session_use *use,
		struct err *err)
{
	CLEANUP(session_done)
	struct session s = {
		.args = *args,
		.use = use,
		.lock = HOSTLOCK_NONE,
		.root = { .dirfd = -1 },
		.invocation = invocation,
		.start_at_ns = -1,
	};
	int rc = 0;

	*args = (struct test_args)TEST_ARGS_NONE;
	if (s.args.start_at)
		rc = start_at_parse(s.args.start_at, clock_wall_ns(), &s.start_at_ns, err);
	if (rc)
		return rc;
	progress_init(&s.progress, s.args.quiet);
	openlog("iotest", LOG_PID, LOG_USER);
	rc = only_one_begin(&s.lock, &s.lock_failure, err);
	if (rc)
		return rc;
	only_one_tell(&s.lock, &s.args.targets, "preparing");
	rc = prepare(&s, err);
	if (rc)
		return rc;
	rc = measure(&s, err);
	return finish(&s, rc, err);
}

/* ------------------------------------------------------------------ the command */

static int end_of_run(void *context UNUSED, const struct session_outcome *o, struct err *err)
{
	int rc;

	past_add(o, "run");
	rc = o->was_measured ? print_reports(o, err) : 0;
	return rc ? rc : o->status;
}

static int run_main(int argc, char **argv, struct err *err)
{
	CLEANUP(test_args_done) struct test_args args = TEST_ARGS_NONE;
	const struct session_use use = { .end = end_of_run };
	int rc;

	rc = test_args_parse(&cmd_run, argc, argv, &args, err);
	if (!rc)
		rc = identity_check_case(args.case_id, err);
	if (rc)
		return rc;
	if (args.dry_run)
		return test_args_show_plan(&args, err);
	return session_run(&args, identity_command_line(argc, argv), &use, err);
}

const struct command cmd_run = {
	.name = "run",
	.synopsis = "-t DIR [options]",
	.summary = "measure the throughput of a file system and judge it",
	.details = test_args_details,
	.options = options,
	.n_options = ARRAY_LEN(options),
	.main = run_main,
};
