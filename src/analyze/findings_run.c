/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings_run - judgements about what happened
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <string.h>

#include "findings.h"
#include "iotest/units.h"
#include "proof.h"
#include "stats.h"
#include "verdict.h"

static bool check_run_failed(const struct report *r, struct buf *text, struct buf *advice UNUSED)
{
	buf_add_visible(text, text_of(r->run->failure));
	return text->len > 0;
}

static bool has_error(const struct worker_result *w)
{
	return w->error > 0;
}

static bool was_killed(const struct worker_result *w)
{
	return w->exit_signal > 0;
}

/* The first worker that it holds for; its number, from 1, or 0. */
static size_t find_worker(const struct phase *phase, bool (*holds)(const struct worker_result *w))
{
	for (size_t i = 0; i < phase->n_workers; i++)
		if (holds(&phase->workers[i]))
			return i + 1;
	return 0;
}

static bool check_phase_failed(const struct report *r, struct buf *text, struct buf *advice UNUSED)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase *phase = run_phase_const(r->run, kind);

		if (stats_is_control(kind) || !text_of(phase->failure)[0])
			continue;
		buf_printf(text, "the %s phase could not be begun: ", phase_kind_name(kind));
		buf_add_visible(text, phase->failure);
		return true;
	}
	return false;
}

/* ENODATA is the worker's own word for a call that moved nothing and told no error. */
static const char *error_text(const struct worker_result *w)
{
	if (w->error != ENODATA)
		return strerror((int)w->error);
	return w->error_op == OP_READ
		       ? "the file ended there; it was truncated or replaced under the test"
		       : "no byte was taken, and no error was told";
}

static bool check_failed_op(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase *phase = run_phase_const(r->run, kind);
		size_t number = find_worker(phase, has_error);
		const struct worker_result *w;

		if (stats_is_control(kind) || !number)
			continue;
		w = &phase->workers[number - 1];
		buf_printf(text, "%s worker %zu: %s failed at offset %" PRId64 ": %s",
			   phase_kind_name(kind), number, worker_op_name(w->error_op),
			   w->error_offset_bytes, error_text(w));
		buf_add_text(advice,
			     "no rate of this run can be used; mend the cause and run it again");
		return true;
	}
	return false;
}

/* What the kernel counted meanwhile tells a lack of memory from somebody's kill. */
static void say_who_killed(const struct report *r, const struct phase *phase, struct buf *text,
			   struct buf *advice)
{
	if (phase->oom_kills > 0) {
		buf_add_text(text, ": memory ran out in its control group (");
		buf_add_visible(text, text_of(r->host->memory_limit_source));
		buf_printf(text, "), where the kernel killed %" PRId64, phase->oom_kills);
	} else if (phase->host_oom_kills > 0) {
		buf_printf(text,
			   "; meanwhile the kernel killed %" PRId64
			   " processes of this host for lack of memory",
			   phase->host_oom_kills);
	} else if (phase->host_oom_kills == 0) {
		buf_add_text(text, ": memory did not run out, somebody killed it");
		return;
	}
	if (phase->oom_kills > 0 || phase->host_oom_kills > 0)
		buf_add_text(advice, "raise the memory limit; --max-dirty N bounds what waits in "
				     "memory to be written, --workers N makes it fewer");
	else
		buf_add_text(advice, "somebody killed it, or memory ran out: look at the kernel "
				     "log and at the memory limit");
}

/* Not the storage held it, which would be a phase that is stuck. */
static void say_given_up(const struct phase *phase, int kind, size_t number, struct buf *text,
			 struct buf *advice)
{
	buf_printf(text, "%s worker %zu did not end when it was told to", phase_kind_name(kind),
		   number);
	if (phase->workers[number - 1].stopped_ns > 0)
		buf_printf(text, ": a signal had stopped it %.1f s before",
			   units_seconds(phase->workers[number - 1].stopped_ns));
	buf_add_text(text, "; iotest ended it");
	buf_add_text(advice, "find out who sent SIGSTOP (a debugger, a batch system), and run it "
			     "again");
}

static bool check_killed(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase *phase = run_phase_const(r->run, kind);
		size_t number = find_worker(phase, was_killed);
		int64_t by;

		if (stats_is_control(kind) || !number || phase->status != PHASE_FAILED)
			continue;
		if (phase->workers[number - 1].given_up == 1) {
			say_given_up(phase, kind, number, text, advice);
			return true;
		}
		by = phase->workers[number - 1].exit_signal;
		buf_printf(text, "%s worker %zu was ended by signal %" PRId64 " (%s)",
			   phase_kind_name(kind), number, by, strsignal((int)by));
		if (by == SIGKILL)
			say_who_killed(r, phase, text, advice);
		return true;
	}
	return false;
}

static bool read_bad_data(const struct worker_result *w)
{
	return w->bad_stamps > 0;
}

/* What stood in the first piece that was not as written. */
static void say_what_stood(const struct worker_result *w, struct buf *text)
{
	static const char *const texts[] = {
		[BAD_NONE] = "what stood there is not known",
		[BAD_ZEROS] = "only zeros stood there: a hole, or data that was lost",
		[BAD_RUN] = "data of another run stood there",
		[BAD_PLACE] = "data of another place stood there",
		[BAD_STAMP] = "no stamp stood there, but other data",
		[BAD_CONTENT] = "its stamp was right, the bytes after it were not",
	};
	_Static_assert(ARRAY_LEN(texts) == BAD_COUNT, "a sentence for every kind of bad data");

	buf_add_text(text, texts[w->bad_kind]);
	if (w->bad_kind == BAD_PLACE)
		buf_printf(text, ", of worker %" PRId64 ", offset %" PRId64, w->bad_found_worker,
			   w->bad_found_offset_bytes);
}

static bool check_bad_data(const struct report *r, struct buf *text, struct buf *advice)
{
	int64_t n_bad = 0;
	const struct worker_result *first = NULL;
	CLEANUP(buf_done) struct buf where = { 0 };

	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase *phase = run_phase_const(r->run, kind);
		size_t number = find_worker(phase, read_bad_data);

		for (size_t i = 0; i < phase->n_workers; i++)
			n_bad = stats_plus(n_bad, phase->workers[i].bad_stamps);
		if (first || !number)
			continue;
		first = &phase->workers[number - 1];
		buf_printf(&where, "%s worker %zu, offset %" PRId64, phase_kind_name(kind), number,
			   first->bad_offset_bytes);
	}
	if (!first)
		return false;
	buf_printf(text, "%" PRId64 " piece%s of 4 KiB read back %s not as written; %s: ", n_bad,
		   n_bad == 1 ? "" : "s", n_bad == 1 ? "was" : "were", buf_text(&where));
	say_what_stood(first, text);
	buf_printf(advice, "do not use this storage before it is explained, and keep the %s",
		   plan_has_file(r->plan) ? "file" : "bundle");
	return true;
}

/* A failed phase of which nothing else is known must not stay without a word. */
static bool check_missing_bytes(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase *phase = run_phase_const(r->run, kind);

		if (stats_is_control(kind) || phase->status != PHASE_FAILED ||
		    text_of(phase->failure)[0] || find_worker(phase, has_error) ||
		    find_worker(phase, was_killed))
			continue;
		buf_printf(text,
			   "the %s phase moved %" PRId64 " of %" PRId64
			   " bytes, and no worker said why",
			   phase_kind_name(kind), report_rates_const(r, kind)->bytes,
			   phase->planned_bytes);
		buf_add_text(advice, "please report this with the bundle");
		return true;
	}
	return false;
}

static bool check_left(const struct report *r, struct buf *text, struct buf *advice)
{
	if (r->run->left_bytes <= 0 && !text_of(r->run->left_path)[0])
		return false;
	if (r->run->left_bytes > 0)
		units_add_size(text, r->run->left_bytes);
	else
		buf_add_text(text, "an unknown amount");
	buf_add_text(text, " of test files was left in ");
	buf_add_visible(text, text_of(r->run->left_path));
	buf_add_text(advice, "remove that directory by hand");
	return true;
}

static bool all_measured(const struct report *r)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++)
		if (stats_is_asked(r->plan, kind) &&
		    !phase_is_measured(run_phase_const(r->run, kind)))
			return false;
	return true;
}

static bool check_stopped_late(const struct report *r, struct buf *text, struct buf *advice UNUSED)
{
	if (r->run->interrupted_by <= 0 || !all_measured(r))
		return false;
	buf_printf(text, "signal %" PRId64 " (%s) came when all was measured: the result stands",
		   r->run->interrupted_by, strsignal((int)r->run->interrupted_by));
	return true;
}

static bool check_interrupted(const struct report *r, struct buf *text, struct buf *advice)
{
	if (r->run->interrupted_by <= 0 || all_measured(r))
		return false;
	buf_printf(text, "the run was stopped by signal %" PRId64 " (%s)", r->run->interrupted_by,
		   strsignal((int)r->run->interrupted_by));
	buf_add_text(advice, "run it again to the end; --time-limit ends a run with a result");
	return true;
}

static bool was_cut(const struct report *r)
{
	return r->run->write.status == PHASE_TIME_LIMIT ||
	       r->run->read.status == PHASE_TIME_LIMIT || r->run->mixed.status == PHASE_TIME_LIMIT;
}

/* What makes a phase longer depends on what made it short. */
static const char *longer_advice(const struct report *r)
{
	if (r->plan->mode == MODE_FILE)
		return "give a larger -filesize";
	if (was_cut(r))
		return "raise --time-limit";
	if (r->plan->sized_by == SIZED_BY_OPTION)
		return "use larger files: leave --size away, or raise it";
	if (r->plan->mode != MODE_FULL)
		return "the file system has too little free space for more: leave --quick or "
		       "--prove away for a full run";
	if (r->plan->sized_by == SIZED_BY_LIMIT)
		return "use larger files: --size, or run it outside of the memory limit";
	return "the files were as large as they may be: free some space, or choose a larger file "
	       "system";
}

static bool check_too_short(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase_rates *rates = report_rates_const(r, kind);

		if (!stats_is_asked(r->plan, kind) || rates->aggregate_mib_per_s < 0 ||
		    stats_is_long_enough(rates))
			continue;
		buf_printf(text, "%sthe %s phase took %.3f s", text->len ? ", " : "",
			   phase_kind_name(kind), units_seconds(rates->elapsed_ns));
	}
	if (!text->len)
		return false;
	buf_add_text(text, "; under 0.5 s nothing can be judged");
	buf_add_text(advice, longer_advice(r));
	return true;
}

static bool check_borderline(const struct report *r, struct buf *text, struct buf *advice)
{
	double need = r->plan->requirement_mib_per_s;

	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		double rate = report_rates_const(r, kind)->judged_mib_per_s_per_core;

		if (!stats_is_judged(r, kind) || !verdict_is_borderline(rate, need))
			continue;
		buf_printf(text, "%s%s does %.1f MiB/s = %.1f MB/s per core", text->len ? ", " : "",
			   phase_kind_name(kind), rate, rate * (double)MIB / 1e6);
	}
	if (!text->len)
		return false;
	buf_printf(text, ": below %.4g in MiB, not below it in MB", need);
	buf_add_text(advice,
		     "the requirement is read as MiB/s; its source does not say which it means");
	return true;
}

static bool check_capped(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++)
		if (stats_is_capped(r, kind))
			buf_printf(text, "%s%s", text->len ? " and " : "", phase_kind_name(kind));
	if (!text->len)
		return false;
	buf_printf(text,
		   " could not be faster than the %.4g MiB/s that --max-rate leaves, and "
		   "%.4g are required",
		   plan_cap_mib_per_s(r->plan),
		   r->plan->requirement_mib_per_s * (double)r->plan->cores);
	buf_add_text(advice, "this shows nothing about the requirement: raise --max-rate, or leave "
			     "it away");
	return true;
}

static bool check_sync(const struct report *r, struct buf *text, struct buf *advice)
{
	if (r->run->syncfs_error <= 0)
		return false;
	buf_printf(text, "the file system was not synchronised between the phases: %s",
		   strerror((int)r->run->syncfs_error));
	buf_add_text(advice, "reads may have shared the storage with late writes");
	return true;
}

static bool check_drop(const struct report *r, struct buf *text, struct buf *advice UNUSED)
{
	if (r->run->drop_error <= 0)
		return false;
	buf_printf(text, "the files could not be dropped from the page cache: %s",
		   strerror((int)r->run->drop_error));
	return true;
}

static bool check_output(const struct report *r, struct buf *text, struct buf *advice)
{
	if (r->run->output_on_target != 1)
		return false;
	buf_add_text(text, "the results were written to the file system under test");
	buf_add_text(advice, "choose another place for them: -o DIR");
	return true;
}

static bool is_short_of_bytes(const struct report *r, const struct phase *phase)
{
	return phase->least_free_bytes >= 0 && phase->least_free_bytes < r->plan->keep_free_bytes;
}

static void say_room(const struct report *r, const struct phase *phase, struct buf *text)
{
	if (is_short_of_bytes(r, phase)) {
		buf_add_text(text, "only ");
		units_add_size(text, phase->least_free_bytes);
		buf_add_text(text, " were left free, and ");
		units_add_size(text, r->plan->keep_free_bytes);
	} else {
		buf_printf(text, "only %" PRId64 " inodes were left free, and %" PRId64,
			   phase->least_free_inodes, r->plan->keep_free_inodes);
	}
	buf_add_text(text, " are to stay free");
}

static bool check_space(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase *phase = run_phase_const(r->run, kind);

		if (phase->status != PHASE_SPACE)
			continue;
		buf_printf(text, "%s ended after ", phase_kind_name(kind));
		units_add_size(text, report_rates_const(r, kind)->bytes);
		buf_add_text(text, " of ");
		units_add_size(text, phase->planned_bytes);
		buf_add_text(text, ", because others filled the file system: ");
		say_room(r, phase, text);
		if (kind == PHASE_WRITE && !plan_has_file(r->plan))
			buf_add_text(text, "; half of what was written was given back at once");
		buf_add_text(advice, "free some space, and run it again");
		if (!plan_has_file(r->plan))
			buf_add_text(advice, "; --keep-free N sets what is to stay free");
		return true;
	}
	return false;
}

static void say_worst(const struct brake_facts *b, struct buf *text)
{
	const char *between = " (at worst ";

	if (b->stalled_ratio >= 0) {
		buf_printf(text, "%sall waited for I/O for %.0f %% of the time", between,
			   100 * b->stalled_ratio);
		between = ", ";
	}
	if (b->worst_in_flight >= 0) {
		buf_printf(text, "%s%.1f requests under way", between, b->worst_in_flight);
		between = ", ";
	}
	if (b->worst_await_ns >= 0) {
		buf_printf(text, "%s%.1f ms each", between,
			   units_seconds(b->worst_await_ns) * 1000);
		between = ", ";
	}
	if (between[0] == ',')
		buf_add_text(text, ")");
}

static bool check_brake(const struct report *r, struct buf *text, struct buf *advice UNUSED)
{
	static const char *const names[] = {
		[BRAKE_PRESSURE] = "PSI io full (/proc/pressure/io)",
		[BRAKE_DEVICES] = "latency and requests under way at the disks; PSI is not there",
		[BRAKE_BOTH] =
			"PSI io full (/proc/pressure/io), and latency and requests under way "
			"at the disks",
	};
	_Static_assert(ARRAY_LEN(names) == BRAKE_COUNT, "name every brake");
	const struct brake_facts *b = &r->run->brake;

	if (!names[b->kind])
		return false;
	buf_printf(text,
		   "--gentle: the brake was %s; %" PRId64 " of %" PRId64 " looks found others "
		   "busy",
		   names[b->kind], b->n_busy, b->n_looks);
	say_worst(b, text);
	if (b->waited_ns > 0) {
		buf_add_text(text, ", who were waited for ");
		units_add_duration(text, b->waited_ns);
	}
	if (b->gave_up == 1)
		buf_add_text(text, "; they were still busy when it went on");
	buf_add_text(text, "; at the lowest priority rates are lower bounds");
	return true;
}

static bool check_no_brake(const struct report *r, struct buf *text, struct buf *advice)
{
	if (r->run->brake.kind != BRAKE_NONE)
		return false;
	buf_add_text(text,
		     "--gentle: no brake here, neither PSI nor counters of the disks: whether "
		     "others were held up was not seen");
	buf_add_text(advice, "--max-rate N bounds what others feel");
	return true;
}

static bool check_time_limit(const struct report *r, struct buf *text, struct buf *advice)
{
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const struct phase *phase = run_phase_const(r->run, kind);

		if (stats_is_control(kind) || phase->status != PHASE_TIME_LIMIT)
			continue;
		buf_printf(text, "%s%s ended after ", text->len ? ", " : "", phase_kind_name(kind));
		units_add_size(text, report_rates_const(r, kind)->bytes);
		buf_add_text(text, " of ");
		units_add_size(text, phase->planned_bytes);
	}
	if (!text->len)
		return false;
	buf_add_text(text, r->plan->mode == MODE_FULL ? ", by --time-limit" : ", by its budget");
	if (r->run->write.cut_short == 1 || r->run->read.cut_short == 1 ||
	    r->run->mixed.cut_short == 1)
		buf_add_text(text,
			     "; its last calls had not come back by then, so that its rate is "
			     "an upper bound");
	buf_add_text(advice,
		     "longer effects, such as a cache that fills, cannot be seen in this time");
	return true;
}

const struct judgement run_judgements[] = {
	{ "run-failed", SEVERITY_ERROR, "nothing could be measured", check_run_failed,
	  "the target, its space or its rights did not allow the test to begin",
	  "read the sentence of the failure, correct it, and run again" },
	{ "phase-failed", SEVERITY_ERROR, "a phase could not be begun", check_phase_failed,
	  "memory, processes or descriptors were short when the workers were to start",
	  "look at the limits of this user (ulimit -a) and at the free memory" },
	{ "worker-failed", SEVERITY_ERROR, "a write, read or fsync failed", check_failed_op,
	  "the file system or the device answered a call with an error",
	  "look at the kernel's messages (dmesg) for the device, and at free space and quotas" },
	{ "worker-killed", SEVERITY_ERROR, "a worker was ended by a signal", check_killed,
	  "the kernel ran out of memory, or somebody ended the process",
	  "look for the OOM killer in the kernel's messages, and at the memory limit of the "
	  "group" },
	{ "bad-data", SEVERITY_ERROR, "other data was read than was written", check_bad_data,
	  "a device, a controller, memory or a file system returns other data than it was given",
	  "stop using it, keep the bundle, and have the hardware and the file system checked" },
	{ "bytes-missing", SEVERITY_ERROR, "fewer bytes moved than planned", check_missing_bytes,
	  "the device or the file system ended calls early",
	  "look at the kernel's messages; the run cannot be used" },
	{ "left-behind", SEVERITY_ERROR, "test files could not be removed", check_left,
	  "the file system refused to remove the files, or did not answer",
	  "remove the directory that is named, or run iotest clean" },
	{ "interrupted", SEVERITY_WARNING, "a signal ended the run early", check_interrupted,
	  "somebody, or a time limit outside of iotest, ended it",
	  "run it again to its end; what was measured holds only for the time it had" },
	{ "too-short", SEVERITY_WARNING, "a phase took less than 0.5 s", check_too_short,
	  "the files were so small that the caches took them",
	  "use larger files (--size), or leave the size to iotest" },
	{ "borderline-unit", SEVERITY_WARNING, "the verdict depends on reading MB as MiB",
	  check_borderline, "the requirement was published without saying which megabyte it means",
	  "settle with the vendor which unit is meant, or aim for the higher one" },
	{ "rate-capped", SEVERITY_WARNING, "--max-rate is below the requirement", check_capped,
	  "--max-rate holds the workers below what is required",
	  "raise --max-rate, or leave it out, to learn whether the requirement is met" },
	{ "space-short", SEVERITY_WARNING, "others filled the file system: the workers stopped",
	  check_space, "another program wrote so much that the reserve was in danger",
	  "find out who fills the file system (df, du, lsof), and run again" },
	{ "no-brake", SEVERITY_WARNING, "--gentle could not see the load of others", check_no_brake,
	  "the kernel gives no pressure figures and no counters of the devices here",
	  "use --max-rate to be sure to leave room for others" },
	{ "sync-failed", SEVERITY_WARNING, "syncfs between the phases failed", check_sync,
	  "the file system reported an earlier write error, or took too long",
	  "look at the kernel's messages; later reads can come from memory" },
	{ "drop-failed", SEVERITY_WARNING, "the page cache could not be dropped", check_drop,
	  "the file system does not let its pages go, or they are in use by others",
	  "trust the read rate only if PROOF says that the bytes came from the storage" },
	{ "output-on-target", SEVERITY_WARNING, "results lie on the tested file system",
	  check_output, "-o, or the current directory, lies on the file system under test",
	  "write the bundle elsewhere: -o DIR" },
	{ "stopped-late", SEVERITY_INFO, "a signal came after the measurement", check_stopped_late,
	  "somebody pressed Ctrl-C, or ended it, after the last phase",
	  "nothing: the result is complete" },
	{ "brake", SEVERITY_INFO, "--gentle: what was looked at, and waited for", check_brake,
	  "--gentle was given", "compare it only with other runs of --gentle" },
	{ "time-limit", SEVERITY_INFO, "--time-limit, or its budget, ended a phase",
	  check_time_limit,
	  "the storage is too slow for all bytes in that time, or the limit is short",
	  "raise --time-limit, or leave it out, to measure all of it" },
};
const size_t n_run_judgements = ARRAY_LEN(run_judgements);
