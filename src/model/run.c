/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run - the fields of what happened
 */
#include "iotest/run.h"

#include "tables.h"

static const char *const phase_kinds[] = {
	[PHASE_WRITE] = "write",
	[PHASE_READ] = "read",
	[PHASE_MIXED] = "mixed",
	[PHASE_CONTROL_WRITE] = "control_write",
	[PHASE_CONTROL_READ] = "control_read",
};
_Static_assert(ARRAY_LEN(phase_kinds) == PHASE_COUNT, "name every phase");

static const char *const statuses[] = {
	[PHASE_NOT_RUN] = "not-run",	   [PHASE_COMPLETE] = "complete",
	[PHASE_TIME_LIMIT] = "time-limit", [PHASE_INTERRUPTED] = "interrupted",
	[PHASE_FAILED] = "failed",	   [PHASE_STEADY] = "steady",
	[PHASE_STUCK] = "stuck",	   [PHASE_SPACE] = "space",
};
_Static_assert(ARRAY_LEN(statuses) == PHASE_STATUS_COUNT, "name every phase status");

static const char *const ops[] = {
	[OP_NONE] = "none", [OP_START] = "start", [OP_WRITE] = "write",
	[OP_READ] = "read", [OP_FSYNC] = "fsync",
};
_Static_assert(ARRAY_LEN(ops) == OP_COUNT, "name every operation");

static const char *const bad_kinds[] = {
	[BAD_NONE] = "none",	     [BAD_ZEROS] = "zeros",    [BAD_RUN] = "other-run",
	[BAD_PLACE] = "other-place", [BAD_STAMP] = "no-stamp", [BAD_CONTENT] = "content",
};
_Static_assert(ARRAY_LEN(bad_kinds) == BAD_COUNT, "name every kind of bad data");

static const struct field worker_fields[] = {
	I64(worker_result, bytes, "bytes written or read"),
	I64(worker_result, read_bytes, "of those, read in a mixed phase"),
	I64(worker_result, ops, "write or read calls"),
	I64(worker_result, start_ns, "first call, since the gate opened"),
	I64(worker_result, last_io_ns, "end of the last write or read"),
	I64(worker_result, end_ns, "end, after fsync where the time includes it"),
	I64(worker_result, fsync_ns, "time of fsync alone"),
	I64(worker_result, window_ns,
	    "time in waits for write-back, where the writers have a window"),
	I64(worker_result, user_ns, "CPU time in user mode"),
	I64(worker_result, system_ns, "CPU time in the kernel"),
	I64(worker_result, storage_bytes, "read_bytes or write_bytes of /proc/self/io"),
	I64(worker_result, call_p50_ns, "median time of a write or read call, within 2 %"),
	I64(worker_result, call_p90_ns, "90 % of the calls took no longer"),
	I64(worker_result, call_p99_ns, "99 % of the calls took no longer"),
	I64(worker_result, call_p999_ns, "99.9 % of the calls took no longer"),
	I64(worker_result, call_max_ns, "longest call"),
	I64(worker_result, stopped_ns, "time for which the process was seen stopped by a signal"),
	I64(worker_result, stamps, "stamps checked, one in every 4 KiB"),
	I64(worker_result, bad_stamps, "pieces of 4 KiB that were not as written"),
	ENUM(worker_result, bad_kind, bad_kinds, "what stood in the first of them"),
	I64(worker_result, bad_offset_bytes, "where in the file"),
	I64(worker_result, bad_found_worker, "other-place: whose data it was, from 1"),
	I64(worker_result, bad_found_offset_bytes, "other-place: of which offset"),
	I64(worker_result, error, "errno of the first failure, 0 for none"),
	ENUM(worker_result, error_op, ops, "what failed"),
	I64(worker_result, error_offset_bytes, "where in the file"),
	I64(worker_result, exit_status, "exit status of the process, null if it had none"),
	I64(worker_result, exit_signal, "signal that ended the process, 0 for none"),
	BOOL(worker_result, given_up, "iotest itself killed it, which did not end when told to"),
};
static const struct schema worker_schema = SCHEMA(worker_result, worker_fields);

static const struct field count_fields[] = {
	TEXT(device_count, name, "kernel name; of a network file system its mount point"),
	BOOL(device_count, is_leaf, "nothing known lies below it"),
	BOOL(device_count, is_top, "the file system lies on it"),
	I64(device_count, read_bytes, "bytes read from it during the phase, by anybody"),
	I64(device_count, written_bytes, "bytes written to it during the phase, by anybody"),
	I64(device_count, read_ops, "reads that it completed"),
	I64(device_count, write_ops, "writes that it completed"),
	I64(device_count, read_ns, "time of those reads, summed"),
	I64(device_count, write_ns, "time of those writes, summed"),
	I64(device_count, busy_ns, "time during which anything was under way"),
	I64(device_count, queue_ns, "operations under way, multiplied by their time"),
};
static const struct schema count_schema = SCHEMA(device_count, count_fields);

static const struct field point_fields[] = {
	I64(series_point, at_ns, "since the gate opened"),
	I64(series_point, bytes, "bytes of all workers until then"),
	I64(series_point, cpu_ns, "CPU time of all workers until then"),
	I64(series_point, n_running, "workers not yet done"),
	I64(series_point, device_read_bytes, "read from the lowest devices until then"),
	I64(series_point, device_written_bytes, "written to the lowest devices until then"),
	I64(series_point, dirty_bytes, "of this host, not yet written back"),
};
static const struct schema point_schema = SCHEMA(series_point, point_fields);

static const struct field call_fields[] = {
	I64(call_time, ns, "time of a call, within 2 %"),
	I64(call_time, calls, "calls that took so long"),
};
static const struct schema call_schema = SCHEMA(call_time, call_fields);

static const struct field phase_fields[] = {
	ENUM(phase, status, statuses, "how the phase ended"),
	I64(phase, planned_bytes, "bytes planned"),
	I64(phase, started_at_ns, "when the gate opened, nanoseconds since 1970 UTC"),
	I64(phase, budget_ns, "time that the phase had, null without an end"),
	I64(phase, resident_bytes,
	    "bytes of the files in the page cache, before reading or after direct writing"),
	I64(phase, resident_after_bytes,
	    "bytes of the files in the page cache after a direct read of a named file"),
	I64(phase, allocated_bytes, "bytes the files occupy after writing"),
	I64(phase, depth, "transfers at the same time on each file"),
	I64(phase, clock_step_ns, "by how much the wall clock was set, without sign"),
	I64(phase, suspended_ns, "time for which the machine slept"),
	BOOL(phase, cut_short,
	     "calls were given up while bytes still moved: its rates are upper bounds"),
	I64(phase, still_ns,
	    "of a stuck phase: time in which nothing moved before it was given up"),
	I64(phase, held_ns, "pauses of --gentle, which are no time of the phase"),
	I64(phase, longest_gap_ns, "between two samples, which are to be 250 ms apart"),
	I64(phase, host_busy_ns, "CPU time of all processes of this host, iowait left out"),
	I64(phase, host_cpu_ns, "CPU time that this host had"),
	I64(phase, throttled_ns, "time for which the CPU quota held the processes"),
	I64(phase, memory_stalls, "times that the memory limit was hit"),
	I64(phase, dirty_peak_bytes, "most that a sample saw waiting for write-back on this host"),
	I64(phase, group_dirty_peak_bytes, "the same in the control group with the memory limit"),
	BOOL(phase, lazy_init, "ext4 was initialising inode tables when it began"),
	TEXT(phase, io_limits,
	     "I/O limits of the control groups when it was over; none; null if not read"),
	I64(phase, oom_kills, "processes that the kernel killed at that memory limit"),
	I64(phase, host_oom_kills, "processes of this host that it killed for lack of memory"),
	I64(phase, least_free_bytes, "least that was free for this user"),
	I64(phase, least_free_inodes, "fewest inodes that were free"),
	TEXT(phase, failure, "why the phase could not be begun, null if it could"),
	LIST(phase, workers, &worker_schema, "one entry per process"),
	LIST(phase, devices, &count_schema, "what the devices counted"),
	LIST(phase, series, &point_schema, "at most 2000 points in time; samples.tsv has all"),
	LIST(phase, call_times, &call_schema, "times of all calls"),
};
const struct schema phase_schema = SCHEMA(phase, phase_fields);

static const struct field error_fields[] = {
	TEXT(error_count, name, "file of the counter, and the line in it"),
	TEXT(error_count, meaning, "what it counts"),
	I64(error_count, before, "its value before the run"),
	I64(error_count, rise, "by how much it rose until the end of the run"),
	BOOL(error_count, is_common, "it rises now and then without harm"),
};
static const struct schema error_schema = SCHEMA(error_count, error_fields);

static const struct field message_fields[] = {
	I64(kernel_message, level, "level of the message: 3 error, 4 warning, 5 notice"),
	TEXT(kernel_message, text, "line of the kernel log"),
};
static const struct schema message_schema = SCHEMA(kernel_message, message_fields);
static const char *const brake_kinds[] = {
	[BRAKE_OFF] = "off",
	[BRAKE_NONE] = "none",
	[BRAKE_PRESSURE] = "pressure",
	[BRAKE_DEVICES] = "devices",
	[BRAKE_BOTH] = "pressure+devices",
};
_Static_assert(ARRAY_LEN(brake_kinds) == BRAKE_COUNT, "name every brake");

static const struct field brake_fields[] = {
	ENUM(brake_facts, kind, brake_kinds, "what was looked at for the load of others"),
	I64(brake_facts, n_looks, "looks, while nothing of ours was under way"),
	I64(brake_facts, n_busy, "looks in which others were busy"),
	I64(brake_facts, waited_ns, "time for which others were waited for"),
	BOOL(brake_facts, gave_up, "went on although others were busy"),
	DOUBLE(brake_facts, stalled_ratio,
	       "worst look: part of the time in which all tasks waited for I/O"),
	I64(brake_facts, worst_await_ns, "worst look: average time of a request of others"),
	DOUBLE(brake_facts, worst_in_flight, "worst look: requests of others under way"),
};
static const struct schema brake_schema = SCHEMA(brake_facts, brake_fields);

static const struct field run_fields[] = {
	TEXT(run, id, "random id of the run"),
	TEXT(run, tool_version, "iotest that ran it"),
	TEXT(run, invocation, "command line"),
	TEXT(run, case_id, "--case"),
	I64(run, started_at_ns, "nanoseconds since 1970 UTC"),
	I64(run, start_at_ns, "that --start-at asked for, null if it was not given"),
	I64(run, ended_at_ns, "nanoseconds since 1970 UTC"),
	I64(run, utc_offset_s, "local time less UTC in seconds"),
	TEXT(run, timezone, "abbreviation of the local time zone"),
	STRUCT(run, write, &phase_schema, "write phase"),
	STRUCT(run, read, &phase_schema, "read phase"),
	STRUCT(run, mixed, &phase_schema, "phase of reads and writes at the same time"),
	STRUCT(run, control_write, &phase_schema, "O_DIRECT writes, for comparison"),
	STRUCT(run, control_read, &phase_schema, "O_DIRECT reads, for comparison"),
	TEXT(run, workspace, "unnamed, unlinked or named test files, or given ones"),
	I64(run, syncfs_ns, "time of syncfs between the phases"),
	I64(run, syncfs_error, "its errno, 0 for none"),
	I64(run, drop_error, "errno of dropping the files from the page cache, 0 for none"),
	I64(run, interrupted_by, "signal number, 0 for none"),
	I64(run, left_bytes, "bytes of ours left in the target, null if not checked"),
	TEXT(run, left_path, "where they lie"),
	TEXT(run, host_lock_failure, "why a second run was not kept out, null if it was"),
	TEXT(run, swept, "directories of dead runs in the target that were removed before"),
	I64(run, swept_bytes, "their size"),
	TEXT(run, sweep_failure, "those that could not be removed, and why"),
	TEXT(run, others_left, "directories of other runs in the target"),
	BOOL(run, target_shared, "somebody else held the lock of the target at the same time"),
	I64(run, target_lock_error, "errno of locking it, 0 for none"),
	I64(run, remove_ns, "time of removing the test files"),
	I64(run, remove_error, "errno of it, 0 for none"),
	I64(run, direct_alignment_bytes, "alignment that O_DIRECT needs here, null if not used"),
	TEXT(run, direct_alignment_source, "statx, or tried"),
	STRUCT(run, brake, &brake_schema, "waiting for others (--gentle)"),
	I64(run, cpu_ns, "CPU time of all processes of iotest over the whole run"),
	I64(run, unread_files, "items of the evidence that could not be read by this user"),
	I64(run, sas_processes, "most SAS processes seen at once while it ran"),
	I64(run, counters_watched, "counters of errors that were read before and after"),
	LIST(run, error_counts, &error_schema, "those that rose, by whatever cause"),
	BOOL(run, kernel_log_read, "the kernel log could be read before and after"),
	LIST(run, kernel_messages, &message_schema, "its lines about storage during the run"),
	TEXT(run, failure, "why nothing could be measured, null if something was"),
	TEXT(run, output_dir, "directory of the bundle"),
	BOOL(run, output_on_target, "the results lie on the file system that was tested"),
};
const struct schema run_schema = SCHEMA(run, run_fields);

void run_init(struct run *run)
{
	schema_init(&run_schema, run);
	run->syncfs_error = 0;
	run->drop_error = 0;
	run->remove_error = 0;
	run->interrupted_by = 0;
	run->output_on_target = 0;
}

void run_done(struct run *run)
{
	schema_done(&run_schema, run);
}

static const size_t phase_offsets[] = {
	[PHASE_WRITE] = offsetof(struct run, write),
	[PHASE_READ] = offsetof(struct run, read),
	[PHASE_MIXED] = offsetof(struct run, mixed),
	[PHASE_CONTROL_WRITE] = offsetof(struct run, control_write),
	[PHASE_CONTROL_READ] = offsetof(struct run, control_read),
};
_Static_assert(ARRAY_LEN(phase_offsets) == PHASE_COUNT, "a place for every phase");

struct phase *run_phase(struct run *run, int kind)
{
	return (struct phase *)((char *)run + phase_offsets[kind]);
}

const struct phase *run_phase_const(const struct run *run, int kind)
{
	return (const struct phase *)((const char *)run + phase_offsets[kind]);
}

/* A control that failed spoils nothing. */
bool run_has_failed(const struct run *run)
{
	return text_of(run->failure)[0] || run->write.status == PHASE_FAILED ||
	       run->read.status == PHASE_FAILED || run->mixed.status == PHASE_FAILED;
}

bool phase_is_measured(const struct phase *phase)
{
	return phase->status == PHASE_COMPLETE || phase->status == PHASE_TIME_LIMIT ||
	       phase->status == PHASE_STEADY || phase->status == PHASE_SPACE;
}

bool phase_kind_reads(int kind)
{
	return kind == PHASE_READ || kind == PHASE_CONTROL_READ;
}

const char *phase_kind_name(int kind)
{
	return phase_kinds[kind];
}

const char *phase_status_name(int status)
{
	return statuses[status];
}

const char *worker_op_name(int op)
{
	return ops[op];
}

const char *bad_kind_name(int kind)
{
	return bad_kinds[kind];
}
