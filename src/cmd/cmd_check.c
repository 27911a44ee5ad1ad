/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check - a small test for cron, timers and monitoring systems: one line, one of four states
 *
 * Whatever goes wrong is UNKNOWN, status 3, on standard output: that is where monitoring systems
 * look.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "iotest/bundle.h"
#include "iotest/child.h"
#include "iotest/clock.h"
#include "iotest/commands.h"
#include "iotest/fd.h"
#include "iotest/log.h"
#include "iotest/planner.h"
#include "iotest/render.h"
#include "iotest/signals.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "identity.h"
#include "past.h"
#include "plugin.h"
#include "redaction.h"
#include "session.h"
#include "test_args.h"
#include "trend.h"

#define KEEP_BUNDLES 10
#define ANSWER_NS (10 * NS_PER_S)
#define BASELINE_MAX (TREND_RUNS - REGRESSION_NEWEST)

struct check_args {
	struct test_args test; /* the first: its options have their offsets in it */
	const char *warn;
	const char *crit;
	const char *textfile;
	int format;
	int64_t keep_bundles;
	int64_t baseline_min;
};

enum { CHECK_TEXT, CHECK_PROMETHEUS, CHECK_FORMAT_COUNT };
static const char *const formats[CHECK_FORMAT_COUNT + 1] = {
	[CHECK_TEXT] = "text",
	[CHECK_PROMETHEUS] = "prometheus",
};

#define CHECK_ARG(m) offsetof(struct check_args, m)

static const struct cli_option options[] = {
	{ .letter = 't',
	  .name = "target",
	  .type = CLI_LIST,
	  .offset = TEST_ARG(targets),
	  .value = "DIR",
	  .help = "directory to check" },
	{ .name = "require",
	  .type = CLI_TEXT,
	  .offset = TEST_ARG(wishes.require),
	  .value = "NAME|N",
	  .help = "the rate, MiB/s per core, that --warn and --crit have by default; a name of "
		  "iotest --help, or a number; default: 100" },
	{ .letter = 'w',
	  .name = "warn",
	  .type = CLI_TEXT,
	  .offset = CHECK_ARG(warn),
	  .value = "N",
	  .help = "WARNING below N MiB/s per core: N is at least, and the same as N:" },
	{ .letter = 'c',
	  .name = "crit",
	  .type = CLI_TEXT,
	  .offset = CHECK_ARG(crit),
	  .value = "N",
	  .help = "CRITICAL below it" },
	{ .name = "prove",
	  .type = CLI_TEXT,
	  .offset = TEST_ARG(wishes.prove),
	  .value = "NAME|N",
	  .help = "only show that this rate is carried, and drive the storage no harder" },
	{ .name = "time-limit",
	  .type = CLI_DURATION,
	  .offset = TEST_ARG(wishes.time_limit_ns),
	  .value = "TIME",
	  .help = "the test is over after this time; default: 60s" },
	{ .name = "phases",
	  .type = CLI_TEXT,
	  .offset = TEST_ARG(wishes.phases),
	  .value = "LIST",
	  .help = "what is measured: write, read, or write,read (the default)" },
	{ .name = "size",
	  .type = CLI_SIZE,
	  .offset = TEST_ARG(wishes.bytes_per_worker),
	  .value = "N",
	  .help = "bytes per worker; all of them write 4 GiB at most" },
	{ .name = "workers",
	  .type = CLI_COUNT,
	  .offset = TEST_ARG(wishes.workers),
	  .value = "N",
	  .help = "writers, later readers; default: one per physical core" },
	{ .name = "cores",
	  .type = CLI_COUNT,
	  .offset = TEST_ARG(wishes.cores),
	  .value = "N",
	  .help = "physical cores to divide the rates by; default: those found" },
	{ .letter = 'o',
	  .name = "output",
	  .type = CLI_TEXT,
	  .offset = TEST_ARG(out_dir),
	  .value = "DIR",
	  .help = "where the bundles go; default: the folder checks beside the history" },
	{ .name = "keep-bundles",
	  .type = CLI_COUNT,
	  .offset = CHECK_ARG(keep_bundles),
	  .value = "N",
	  .help = "so many bundles of checks stay in that directory; default: 10" },
	{ .name = "no-bundle",
	  .type = CLI_FLAG,
	  .offset = TEST_ARG(no_bundle),
	  .help = "write no archive" },
	OPTIONS_OF_THE_HISTORY,
	{ .name = "baseline-min",
	  .type = CLI_COUNT,
	  .offset = CHECK_ARG(baseline_min),
	  .value = "N",
	  .help = "runs before the last three from which on a regression is looked for; "
		  "default: 20" },
	{ .letter = 'q',
	  .name = "quiet",
	  .type = CLI_FLAG,
	  .offset = TEST_ARG(quiet),
	  .help = "print nothing if the state is OK" },
	{ .name = "format",
	  .type = CLI_CHOICE,
	  .offset = CHECK_ARG(format),
	  .value = "FORMAT",
	  .choices = formats,
	  .help = "of the output; default: text" },
	{ .name = "textfile",
	  .type = CLI_TEXT,
	  .offset = CHECK_ARG(textfile),
	  .value = "FILE",
	  .help = "write the metrics to FILE, for the textfile collector of node_exporter" },
};

/* One check on its way. */
struct check {
	struct check_args args;
	bool is_quiet;
	double warn; /* -1: none */
	double crit;
	bool was_told;
	int failed_as; /* enum monitor_state, of a check that could not begin */
	char *target;
	bool no_history;
	const char *history_file;
};

/* ------------------------------------------------------------------ thresholds */

/* "100" and "100:" are the same. */
static int parse_threshold(const char *option, const char *text, double *out, struct err *err)
{
	size_t len = strlen(text);
	CLEANUP(xfree) char *number = xstrndup(text, len && text[len - 1] == ':' ? len - 1 : len);

	if (!units_parse_number(number, out) && *out > 0)
		return 0;
	return err_usage(
		err, "%s: '%s' is not a rate in MiB/s per core, such as 100 or 100:", option, text);
}

/* What the name or the number stands for; -1: the planner refuses it with a better sentence. */
static double rate_of(const char *words)
{
	double value = -1;
	size_t n;
	const struct requirement *all = requirements(&n);

	for (size_t i = 0; i < n; i++)
		if (words ? !strcmp(all[i].name, words) : i == 0)
			return all[i].mib_per_s;
	return words && units_parse_number(words, &value) ? -1 : value;
}

static double higher(double a, double b)
{
	return a > b ? a : b;
}

/*
 * The requirement is what both are by default. Who gives a warning below it and no other has none
 * that is critical.
 */
static int take_thresholds(const struct check_args *args, struct check *c, struct err *err)
{
	const struct plan_wishes *w = &args->test.wishes;
	double required = rate_of(w->prove ? w->prove : w->require);
	int rc = 0;

	c->warn = required;
	c->crit = required;
	if (args->warn)
		rc = parse_threshold("--warn", args->warn, &c->warn, err);
	if (!rc && args->crit)
		rc = parse_threshold("--crit", args->crit, &c->crit, err);
	else if (!rc && args->warn && c->warn < required)
		c->crit = -1;
	if (rc)
		return rc;
	if (!args->warn)
		c->warn = higher(c->warn, c->crit);
	if (args->warn && args->crit && c->crit > c->warn)
		return err_usage(err, "--crit is the lower of the two: %s is above --warn %s",
				 args->crit, args->warn);
	if (w->prove && required > 0 && higher(c->warn, c->crit) > required)
		return err_usage(err,
				 "--prove drives the storage no harder than %s, and a "
				 "threshold is above that",
				 w->prove);
	return 0;
}

/* The verdict and the state are about the same rate. */
static void require_threshold(const struct check *c, struct test_args *test, char **words)
{
	double highest = higher(c->warn, c->crit);

	if (test->wishes.prove || highest < 0 || highest == rate_of(test->wishes.require))
		return;
	*words = xasprintf("%.10g", highest);
	test->wishes.require = *words;
}

/* ------------------------------------------------------------------ state */

/* What is worse than slow. */
static int state_of_failure(const struct report *r)
{
	static const char *const grave[] = { "stuck", "bad-data", "worker-failed" };

	for (size_t i = 0; i < r->n_findings; i++)
		for (size_t k = 0; k < ARRAY_LEN(grave); k++)
			if (!strcmp(text_of(r->findings[i].id), grave[k]))
				return MONITOR_CRITICAL;
	return MONITOR_UNKNOWN;
}

static int state_of(const struct check *c, const struct report *r)
{
	double rate = r->verdict.mib_per_s_per_core;

	switch ((enum verdict_result)r->verdict.result) {
	case VERDICT_PASS:
		return MONITOR_OK;
	case VERDICT_BELOW:
		if (rate < c->crit)
			return MONITOR_CRITICAL;
		/* A pace that was not held can still be all that is asked for. */
		return rate < c->warn ? MONITOR_WARNING : MONITOR_OK;
	case VERDICT_INVALID:
		return state_of_failure(r);
	case VERDICT_INCONCLUSIVE:
	case VERDICT_COUNT:
		break;
	}
	return MONITOR_UNKNOWN;
}

static double judged(const struct report *r, int kind)
{
	const struct phase_rates *rates = report_rates_const(r, kind);

	return plan_judges(r->plan, kind) && rates->usable == 1 ? rates->judged_mib_per_s_per_core
								: -1;
}

/* The gravest finding that explains a bad state, in its own words. */
static void add_reason(const struct report *r, struct buf *text)
{
	for (size_t i = 0; i < r->n_findings; i++) {
		if (r->findings[i].severity != SEVERITY_ERROR)
			continue;
		buf_printf(text, "; %s", text_of(r->findings[i].text));
		return;
	}
	for (int kind = PHASE_WRITE; kind <= PHASE_READ; kind++) {
		const struct phase_rates *rates = report_rates_const(r, kind);

		if (*text_of(rates->limited_by) && strcmp(rates->limited_by, "unknown") != 0 &&
		    r->verdict.result == VERDICT_BELOW) {
			buf_printf(text, "; %s limited by %s", phase_kind_name(kind),
				   rates->limited_by);
			return;
		}
	}
}

static int worse(int a, int b)
{
	/* UNKNOWN is graver than OK and than a warning that rests on other days. */
	static const int ranks[] = {
		[MONITOR_OK] = 0,
		[MONITOR_WARNING] = 1,
		[MONITOR_UNKNOWN] = 2,
		[MONITOR_CRITICAL] = 3,
	};

	return ranks[a] > ranks[b] ? a : b;
}

/* ------------------------------------------------------------------ history */

static const int trend_codes[] = {
	[REGRESSION_LEARNING] = 0,
	[REGRESSION_NONE] = 0,
	[REGRESSION_SUSPECTED] = 1,
	[REGRESSION_CONFIRMED] = 2,
};
_Static_assert(ARRAY_LEN(trend_codes) == REGRESSION_STATE_COUNT, "a code for every state");

static void judge_trend(const struct check *c, struct history *h, const struct history_entry *e,
			struct monitor *m, struct buf *text)
{
	enum regression_state state = REGRESSION_NONE;
	CLEANUP(buf_done) struct buf told = { 0 };
	struct err err = { 0 };

	if (trend_judge_next(h, e, (size_t)c->args.baseline_min, &state, &told, &err))
		buf_printf(&told, "no comparison with earlier runs: %s", err.sentence);
	if (told.len)
		buf_printf(text, "; %s", buf_text(&told));
	m->trend = trend_codes[state];
	if (state == REGRESSION_CONFIRMED)
		m->state = worse(m->state, MONITOR_WARNING);
}

static void remember(struct history *h, struct history_entry *e, const struct monitor *m,
		     const char *line)
{
	struct err err = { 0 };

	e->exit_status = m->state;
	xstr_set(&e->line, line);
	if (history_add(h, e, &err))
		log_line(LOG_LEVEL_WARNING, "the history lacks this check: %s", err.sentence);
}

/* ------------------------------------------------------------------ the end of the test */

/* Under another name first, so that nobody reads half of it. */
static int write_textfile(const char *path, const struct monitor *m, struct err *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	render_monitor_prometheus(m, &text);
	return plugin_put_file(path, &text, err);
}

static void tell(struct check *c, const struct monitor *m, const char *line)
{
	CLEANUP(buf_done) struct buf metrics = { 0 };
	struct err err = { 0 };

	c->was_told = true;
	if (c->args.textfile && write_textfile(c->args.textfile, m, &err))
		cmd_print_error(&err);
	if (c->args.format == CHECK_PROMETHEUS && !c->args.textfile) {
		render_monitor_prometheus(m, &metrics);
		fputs(buf_text(&metrics), stdout);
	} else if (!c->is_quiet || m->state != MONITOR_OK) {
		printf("%s\n", line);
	}
}

static void prune(const struct check *c, const struct session_outcome *o, const char *name)
{
	CLEANUP(strlist_done) struct strlist removed = { 0 };
	int rc;

	if (!*name || !*o->output_dir)
		return;
	rc = bundle_prune(o->output_dir, name, (size_t)c->args.keep_bundles, &removed);
	for (size_t i = 0; i < removed.n_items; i++)
		redaction_remove_map(o->output_dir, removed.items[i]);
	if (rc)
		log_line(LOG_LEVEL_WARNING, "%s: old bundles cannot be removed: %s", o->output_dir,
			 strerror(-rc));
}

static void describe(const struct check *c, const struct session_outcome *o,
		     const struct record *record, struct monitor *m, struct buf *text)
{
	const struct report *r = &record->report;

	*m = (struct monitor){
		.state = state_of(c, r),
		.target = text_of(record->plan.target),
		.write_mib_per_s = judged(r, PHASE_WRITE),
		.read_mib_per_s = judged(r, PHASE_READ),
		.warn_mib_per_s = c->warn,
		.crit_mib_per_s = c->crit,
		.ended_at_ns = record->run.ended_at_ns,
		.duration_ns = record->run.ended_at_ns - record->run.started_at_ns,
		.written_bytes = r->written_bytes,
	};
	if (!o->was_measured)
		buf_add_text(text, text_of(record->run.failure));
	else
		buf_add_text(text, text_of(r->verdict.text));
	if (m->state != MONITOR_OK && o->was_measured)
		add_reason(r, text);
	if (*o->keep_failure) {
		buf_printf(text, "; no bundle: %s", o->keep_failure);
		m->state = worse(m->state, MONITOR_WARNING);
	}
}

static void end_with_history(const struct check *c, const struct session_outcome *o,
			     const struct record *record, struct monitor *m, struct buf *text,
			     struct buf *line)
{
	CLEANUP(buf_done) struct buf warning = { 0 };
	CLEANUP(history_close) struct history *h = NULL;
	struct history_entry e;

	past_describe(record, "check", o->root, &e);
	if (!o->args->no_history)
		h = past_open(o->args->history_file, HISTORY_WRITE, &warning);
	if (warning.len)
		buf_printf(text, "; history: %s", buf_text(&warning));
	if (h)
		judge_trend(c, h, &e, m, text);
	m->text = buf_text(text);
	render_monitor_line(m, line);
	if (h)
		remember(h, &e, m, buf_text(line));
	schema_done(&history_entry_schema, &e);
}

static int end_of_check(void *context, const struct session_outcome *o, struct err *err)
{
	struct check *c = context;
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf line = { 0 };
	const struct record *record;
	struct monitor m;

	if (o->shown->n_items == 0)
		return err_say(err, -EINVAL, "nothing was measured");
	record = o->shown->items[0];
	describe(c, o, record, &m, &text);
	end_with_history(c, o, record, &m, &text, &line);
	tell(c, &m, buf_text(&line));
	prune(c, o, text_of(record->report.bundle));
	return m.state;
}

/* ------------------------------------------------------------------ the command */

/* The folder beside the history, made if needed; without one there is no bundle. */
static void default_output(struct test_args *test, struct buf *path)
{
	char *slash;

	if (test->out_dir || test->no_bundle)
		return;
	if (history_default_path(path) || fd_make_parents(buf_text(path))) {
		test->no_bundle = true;
		return;
	}
	slash = strrchr(path->data, '/');
	path->len = (size_t)(slash - path->data);
	*slash = '\0';
	buf_add_text(path, "/checks");
	if (mkdir(buf_text(path), 0700) && errno != EEXIST)
		test->no_bundle = true;
	else
		test->out_dir = buf_text(path);
}

/* A check that could not begin is one all the same; another run, or a typing error, is not. */
static void remember_failure(const struct check *c, const char *line, const struct err *err)
{
	CLEANUP(buf_done) struct buf warning = { 0 };
	CLEANUP(history_close) struct history *h = NULL;
	struct history_entry e;
	struct err unheard = { 0 };
	struct utsname host;

	if (c->no_history || !c->target || err->status != EXIT_STATUS_FAILED)
		return;
	h = past_open(c->history_file, HISTORY_WRITE, &warning);
	if (!h)
		return;
	schema_init(&history_entry_schema, &e);
	e.id = identity_random();
	e.started_at_ns = clock_wall_ns();
	e.command = xstrdup("check");
	e.host = xstrdup(uname(&host) ? "" : host.nodename);
	e.target = xstrdup(c->target);
	e.tool_version = xstrdup(IOTEST_VERSION);
	e.verdict = xstrdup(verdict_name(VERDICT_INVALID));
	e.verdict_text = xstrdup(err->sentence);
	e.exit_status = c->failed_as;
	e.line = xstrdup(line);
	(void)!history_add(h, &e, &unheard);
	schema_done(&history_entry_schema, &e);
}

static void take_place(const struct test_args *test, struct check *c)
{
	const char *given = test->targets.items[0];

	c->no_history = test->no_history;
	c->history_file = test->history_file;
	c->target = plugin_resolve(given);
}

/* A file without a name, which is gone again when the child is. */
static int make_file(void *target, struct buf *answer UNUSED)
{
	int fd = open(target, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	fd_close(&fd);
	return 0;
}

/*
 * Nobody gets out of a file system that does not answer, so a child tries it first. What fails
 * otherwise is for the test to say.
 */
static bool answers(const struct check *c)
{
	CLEANUP(buf_done) struct buf nothing = { 0 };

	return child_run(make_file, c->target, ANSWER_NS, &nothing) != -ETIMEDOUT;
}

/* What makes a check of a test. */
static void settle(struct check *c, struct test_args *test, char **required, struct buf *output)
{
	c->is_quiet = test->quiet;
	test->quiet = true;
	test->yes = true;
	test->case_id = "check";
	test->wishes.light = true;
	test->wishes.gentle = true;
	test->wishes.quick = !test->wishes.prove;
	require_threshold(c, test, required);
	default_output(test, output);
	log_keep_quiet();
}

static int parse(int argc, char **argv, struct check *c, struct err *err)
{
	struct test_args *test = &c->args.test;
	int rc = test_args_parse(&cmd_check, argc, argv, test, err);

	if (!rc && test->targets.n_items > 1)
		rc = err_usage(err, "one target, so that one line can tell its state");
	if (!rc && test->out_dir && !strcmp(test->out_dir, "-"))
		rc = err_usage(err, "-o -: standard output is for the line of the check");
	if (!rc && c->args.baseline_min > BASELINE_MAX)
		rc = err_usage(err, "--baseline-min: no more than %d runs are looked back on",
			       BASELINE_MAX);
	return rc ? rc : take_thresholds(&c->args, c, err);
}

static int check(int argc, char **argv, struct check *c, struct err *err)
{
	const struct session_use use = { .end = end_of_check, .context = c, .is_silent = true };
	CLEANUP(buf_done) struct buf output = { 0 };
	CLEANUP(xfree) char *required = NULL;
	int rc = parse(argc, argv, c, err);

	if (rc)
		return rc;
	take_place(&c->args.test, c);
	if (!answers(c)) {
		c->failed_as = MONITOR_CRITICAL;
		return err_say(err, -ETIMEDOUT,
			       "%s: the storage hung: no file could be made within %d s", c->target,
			       (int)(ANSWER_NS / NS_PER_S));
	}
	settle(c, &c->args.test, &required, &output);
	return session_run(&c->args.test, identity_command_line(argc, argv), &use, err);
}

static void check_done(struct check *c)
{
	test_args_done(&c->args.test);
	xfree(&c->target);
}

static int check_main(int argc, char **argv, struct err *err)
{
	CLEANUP(check_done)
	struct check c = {
		.args = {
			.test = TEST_ARGS_NONE,
			.keep_bundles = KEEP_BUNDLES,
			.baseline_min = REGRESSION_BASELINE_MIN,
		},
		.warn = -1,
		.crit = -1,
		.failed_as = MONITOR_UNKNOWN,
	};
	CLEANUP(buf_done) struct buf line = { 0 };
	int rc = check(argc, argv, &c, err);

	if (rc >= 0)
		return rc;
	if (!c.was_told) {
		plugin_add_failure(c.failed_as, c.target, err, &line);
		plugin_print(buf_text(&line));
		remember_failure(&c, buf_text(&line), err);
	}
	return c.was_told ? MONITOR_UNKNOWN : c.failed_as;
}

const struct command cmd_check = {
	.name = "check",
	.synopsis = "-t DIR [options]",
	.summary = "one line and one of four states, for cron and monitoring systems",
	.details = "A gentle test of at most a minute and 4 GiB. Exit status: 0 OK, 1 WARNING,\n"
		   "2 CRITICAL, 3 UNKNOWN, which is also the status of this page.",
	.options = options,
	.n_options = ARRAY_LEN(options),
	.is_plugin = true,
	.main = check_main,
};
