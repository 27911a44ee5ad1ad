/* SPDX-License-Identifier: Apache-2.0 */
/*
 * results - what a run leaves: the files of the bundle, as they become known
 */
#include "results.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "iotest/clock.h"
#include "iotest/fd.h"
#include "iotest/log.h"
#include "iotest/render.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "redaction.h"

/* A letter that is safe in every file name and shell. */
static char safe(char c)
{
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-')
		return c;
	return '-';
}

/* iotest_<host>_[<case>_]<YYYYMMDD-HHMMSS>, the host without its domain. */
static char *make_stem(const char *host, const char *case_id, int64_t at_ns)
{
	struct buf stem = { 0 };
	time_t at = (time_t)(at_ns / NS_PER_S);
	char stamp[32];
	struct tm tm;

	buf_add_text(&stem, "iotest_");
	for (const char *c = host; *c && *c != '.'; c++)
		buf_printf(&stem, "%c", safe(*c));
	if (!*host || *host == '.')
		buf_add_text(&stem, "unknown");
	if (case_id)
		buf_printf(&stem, "_%s", case_id);
	gmtime_r(&at, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	buf_printf(&stem, "_%s", stamp);
	return buf_take(&stem);
}

static int put_evidence(struct results *r, const char *folder, const struct evidence *evidence,
			struct err *err)
{
	int fd = -1;
	int rc = bundle_make_dir(&r->bundle, folder, &fd, err);

	if (rc)
		return rc;
	rc = evidence_write(evidence, fd);
	close(fd);
	return rc ? err_set(err, rc, "%s: the system files cannot be written", r->bundle.out_path)
		  : 0;
}

static int create_samples(struct results *r, struct err *err)
{
	static const char header[] =
		"seconds\ttarget\tphase\telapsed_s\tbytes\trunning\tsyncing\tslowest_bytes\t"
		"fastest_bytes\tcpu_s\tdirty_bytes\tdevice_read_bytes\tdevice_written_bytes\t"
		"devices\n";
	int rc = bundle_create(&r->bundle, "samples.tsv", &r->samples_fd, err);

	if (rc)
		return rc;
	if (write(r->samples_fd, header, sizeof(header) - 1) < 0)
		return err_set(err, -errno, "%s: samples.tsv cannot be written",
			       r->bundle.out_path);
	return 0;
}

int results_put_after(struct results *results, const struct evidence *evidence, struct err *err)
{
	if (!results->is_wanted)
		return 0;
	return put_evidence(results, "system_files_after", evidence, err);
}

static int fill(struct results *r, const struct test_args *args, const struct evidence *evidence,
		struct err *err)
{
	int rc = bundle_create(&r->bundle, "iotest.log", &r->log_fd, err);

	if (rc)
		return rc;
	log_set_file(r->log_fd);
	rc = args->evidence_only ? 0 : create_samples(r, err);
	return rc ? rc : put_evidence(r, "system_files", evidence, err);
}

static void close_files(struct results *results)
{
	log_set_file(-1);
	fd_close(&results->log_fd);
	fd_close(&results->samples_fd);
}

static void tell_abandoned(const struct strlist *names, const char *out_path)
{
	for (size_t i = 0; i < names->n_items; i++)
		log_line(LOG_LEVEL_WARNING,
			 "%s/%s was left by a run that did not finish; it is kept as evidence, "
			 "remove it when it is not needed",
			 out_path, names->items[i]);
}

static bool is_wanted(const struct test_args *args)
{
	return !args->no_bundle || args->keep_dir;
}

bool results_are_streamed(const struct test_args *args)
{
	return args->out_dir && !strcmp(args->out_dir, "-");
}

/* Nothing is left in it, so the first place that can be written to is good enough. */
static const char *temporary_dir(void)
{
	static const char *const places[] = { "/tmp", "/var/tmp", "/dev/shm" };
	const char *wanted = getenv("TMPDIR");

	if (wanted && *wanted)
		return wanted;
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (access(places[i], W_OK | X_OK) == 0)
			return places[i];
	return places[0];
}

static const char *out_dir(const struct test_args *args)
{
	if (results_are_streamed(args))
		return temporary_dir();
	return args->out_dir ? args->out_dir : ".";
}

const char *results_dir(const struct results *results)
{
	return results->is_streamed ? "" : text_of(results->bundle.out_path);
}

static int check_stream(const struct test_args *args, struct err *err)
{
	if (args->keep_dir || args->no_bundle)
		return err_usage(err,
				 "-o - writes the archive to standard output, and %s leaves "
				 "none there; give one of them",
				 args->keep_dir ? "--keep-dir" : "--no-bundle");
	if (!isatty(STDOUT_FILENO))
		return 0;
	err_usage(err, "-o -: standard output is a terminal, and an archive is no text");
	err_advise(err, "send it to a file or a pipe: iotest -t DIR -o - > bundle.tar.gz");
	return -EINVAL;
}

int results_check(const struct test_args *args, struct err *err)
{
	int rc = results_are_streamed(args) ? check_stream(args, err) : 0;

	if (rc)
		return rc;
	return is_wanted(args) ? bundle_check_place(out_dir(args), err) : 0;
}

int results_open(struct results *out, const struct test_args *args, const struct host *host,
		 int64_t started_at_ns, const struct evidence *evidence, struct err *err)
{
	CLEANUP(strlist_done) struct strlist abandoned = { 0 };
	CLEANUP(xfree) char *name = NULL;
	CLEANUP(xfree) char *stem = NULL;
	struct results r = {
		.is_wanted = is_wanted(args),
		.without_archive = args->no_bundle,
		.keep_dir = args->keep_dir,
		.is_streamed = results_are_streamed(args),
		.log_fd = -1,
		.samples_fd = -1,
		.n_targets = host->n_targets,
		.is_repeated = args->wishes.repeat > 1,
	};
	int rc;

	if (!r.is_wanted) {
		*out = r;
		return 0;
	}
	r.redact = args->redact;
	r.redactor = redaction_begin(r.redact, host);
	name = redactor_token(r.redactor, REDACTED_HOST, text_of(host->name));
	stem = make_stem(name, args->case_id, started_at_ns);
	rc = bundle_open(&r.bundle, out_dir(args), stem, &abandoned, err);
	if (rc) {
		redactor_free(r.redactor);
		return rc;
	}
	rc = fill(&r, args, evidence, err);
	if (rc) {
		(void)bundle_discard(&r.bundle);
		results_done(&r);
		return rc;
	}
	tell_abandoned(&abandoned, r.bundle.out_path);
	*out = r;
	return 0;
}

bool results_lie_on(const struct results *results, const char *dir_device)
{
	return results->is_wanted && fd_is_on_device(results->bundle.out_fd, dir_device) == 1;
}

/* One more column: a number, or "-" where it is not known. */
static void add_column(struct buf *line, int64_t n)
{
	if (n < 0)
		buf_add_text(line, "\t-");
	else
		buf_printf(line, "\t%" PRId64, n);
}

static void add_sample(const struct run_sample *s, struct buf *line)
{
	buf_printf(line, "\t%s\t%.3f\t%" PRId64 "\t%" PRId64 "\t%d", phase_kind_name(s->phase),
		   units_seconds(s->elapsed_ns), s->bytes, s->n_running, s->is_syncing);
	add_column(line, s->slowest_bytes);
	add_column(line, s->fastest_bytes);
	if (s->point.cpu_ns < 0)
		buf_add_text(line, "\t-");
	else
		buf_printf(line, "\t%.3f", units_seconds(s->point.cpu_ns));
	add_column(line, s->point.dirty_bytes);
	add_column(line, s->point.device_read_bytes);
	add_column(line, s->point.device_written_bytes);
	buf_add_text(line, "\t");
	buf_add_visible(line, text_of(s->devices)[0] ? s->devices : "-");
	buf_add_text(line, "\n");
}

/* A full output disk must not end the run: what can still be kept is kept. */
void results_add_sample(struct results *results, const char *target, const struct run_sample *s)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	int64_t now_ns = clock_wall_ns();

	if (!results->is_wanted)
		return;
	buf_printf(&line, "%" PRId64 ".%03" PRId64 "\t", now_ns / NS_PER_S,
		   now_ns % NS_PER_S / NS_PER_MS);
	buf_add_visible(&line, target);
	add_sample(s, &line);
	if (write(results->samples_fd, line.data, line.len) < 0)
		log_line(LOG_LEVEL_DEBUG, "samples.tsv: %s", strerror(errno));
}

static void add_seconds(struct buf *b, const char *key, int64_t ns)
{
	if (ns < 0)
		buf_printf(b, "%s\tunknown\n", key);
	else
		buf_printf(b, "%s\t%.6f\n", key, units_seconds(ns));
}

static void add_number(struct buf *b, const char *key, int64_t n)
{
	if (n < 0)
		buf_printf(b, "%s\tunknown\n", key);
	else
		buf_printf(b, "%s\t%" PRId64 "\n", key, n);
}

static void add_microseconds(struct buf *b, const char *key, int64_t ns)
{
	if (ns < 0)
		buf_printf(b, "%s\tunknown\n", key);
	else
		buf_printf(b, "%s\t%.3f\n", key, (double)ns / 1000);
}

static void describe_calls(const struct worker_result *w, struct buf *b)
{
	add_microseconds(b, "call_p50_us", w->call_p50_ns);
	add_microseconds(b, "call_p90_us", w->call_p90_ns);
	add_microseconds(b, "call_p99_us", w->call_p99_ns);
	add_microseconds(b, "call_p999_us", w->call_p999_ns);
	add_microseconds(b, "call_max_us", w->call_max_ns);
}

/* Nothing is compared while it is written. */
static void describe_stamps(const struct worker_result *w, struct buf *b)
{
	if (w->stamps < 0)
		return;
	add_number(b, "stamps", w->stamps);
	add_number(b, "bad_stamps", w->bad_stamps);
	if (w->bad_stamps > 0)
		buf_printf(b, "first_bad\t%s at offset %" PRId64 "\n", bad_kind_name(w->bad_kind),
			   w->bad_offset_bytes);
}

static void describe(const struct worker_result *w, struct buf *b)
{
	add_number(b, "bytes", w->bytes);
	if (w->read_bytes >= 0)
		add_number(b, "read_bytes", w->read_bytes);
	add_number(b, "ops", w->ops);
	add_seconds(b, "start_s", w->start_ns);
	add_seconds(b, "last_io_s", w->last_io_ns);
	add_seconds(b, "end_s", w->end_ns);
	add_seconds(b, "fsync_s", w->fsync_ns);
	if (w->window_ns >= 0)
		add_seconds(b, "window_s", w->window_ns);
	add_seconds(b, "user_s", w->user_ns);
	add_seconds(b, "system_s", w->system_ns);
	if (w->error <= 0 && w->exit_status == 0 && w->end_ns > w->start_ns)
		buf_printf(b, "mib_per_s\t%.2f\n",
			   units_mib(w->bytes) / units_seconds(w->end_ns - w->start_ns));
	describe_calls(w, b);
	describe_stamps(w, b);
	add_seconds(b, "stopped_s", w->stopped_ns);
	add_number(b, "exit_status", w->exit_status);
	add_number(b, "exit_signal", w->exit_signal);
	if (w->error > 0)
		buf_printf(b, "error\t%s at offset %" PRId64 ": %s\n", worker_op_name(w->error_op),
			   w->error_offset_bytes, strerror((int)w->error));
}

static void add_path(const struct results *results, const struct results_place *place,
		     struct buf *path)
{
	buf_add_text(path, "results/");
	if (results->n_targets > 1)
		buf_printf(path, "target%zu/", place->target + 1);
	if (results->is_repeated)
		buf_printf(path, "run%zu/", place->run + 1);
}

int results_put_phase(struct results *results, const struct results_place *place,
		      const struct run *run, int phase, struct err *err)
{
	const struct phase *p = run_phase_const(run, phase);

	for (size_t i = 0; results->is_wanted && i < p->n_workers; i++) {
		CLEANUP(buf_done) struct buf text = { 0 };
		CLEANUP(buf_done) struct buf path = { 0 };
		int rc;

		add_path(results, place, &path);
		buf_printf(&path, "%s.%zu", phase_kind_name(phase), i + 1);
		describe(&p->workers[i], &text);
		rc = bundle_put(&results->bundle, buf_text(&path), text.data, text.len, err);
		if (rc)
			return rc;
	}
	return 0;
}

int results_put_reports(struct results *results, const struct records *records,
			const struct records *shown, struct err *err)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf html = { 0 };
	int rc;

	if (!results->is_wanted)
		return 0;
	rc = render_records_json(records, &json, err);
	if (rc)
		return rc;
	render_records_text(shown, &text);
	render_records_html(shown, &html);
	rc = bundle_put(&results->bundle, "report.json", json.data, json.len, err);
	if (!rc)
		rc = bundle_put(&results->bundle, "report.txt", text.data, text.len, err);
	return rc ? rc : bundle_put(&results->bundle, "report.html", html.data, html.len, err);
}

char *results_name(const struct results *results)
{
	if (!results->is_wanted)
		return xstrdup("");
	return xasprintf("%s%s", results->bundle.name, results->without_archive ? "/" : ".tar.gz");
}

int results_seal(struct results *results, struct err *err)
{
	int rc;

	if (!results->is_wanted)
		return 0;
	close_files(results);
	rc = redaction_apply(results->redactor, results->redact, &results->bundle, err);
	if (rc)
		return rc;
	/* In a pod there is no place that would keep a map. */
	if (results->is_streamed)
		return bundle_stream(&results->bundle, STDOUT_FILENO, err);
	rc = bundle_seal(&results->bundle, results->without_archive, results->keep_dir, err);
	return rc ? rc : redaction_put_map(results->redactor, &results->bundle, err);
}

void results_done(struct results *results)
{
	if (!results->is_wanted)
		return;
	close_files(results);
	redactor_free(results->redactor);
	results->redactor = NULL;
	bundle_done(&results->bundle);
}
