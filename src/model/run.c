/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run - the fields of what happened
 */
#include "iotest/run.h"

#include "tables.h"

static const char *const phase_kinds[] = { [PHASE_WRITE] = "write", [PHASE_READ] = "read" };
_Static_assert(ARRAY_LEN(phase_kinds) == PHASE_COUNT, "name every phase");

static const char *const statuses[] = {
	[PHASE_NOT_RUN] = "not-run",	   [PHASE_COMPLETE] = "complete",
	[PHASE_TIME_LIMIT] = "time-limit", [PHASE_INTERRUPTED] = "interrupted",
	[PHASE_FAILED] = "failed",
};
_Static_assert(ARRAY_LEN(statuses) == PHASE_STATUS_COUNT, "name every phase status");

static const char *const ops[] = {
	[OP_NONE] = "none", [OP_START] = "start", [OP_WRITE] = "write",
	[OP_READ] = "read", [OP_FSYNC] = "fsync",
};
_Static_assert(ARRAY_LEN(ops) == OP_COUNT, "name every operation");

static const struct field worker_fields[] = {
	I64(worker_result, bytes, "bytes written or read"),
	I64(worker_result, ops, "write or read calls"),
	I64(worker_result, start_ns, "first call, since the gate opened"),
	I64(worker_result, last_io_ns, "end of the last write or read"),
	I64(worker_result, end_ns, "end, after fsync where the time includes it"),
	I64(worker_result, fsync_ns, "time of fsync alone"),
	I64(worker_result, user_ns, "CPU time in user mode"),
	I64(worker_result, system_ns, "CPU time in the kernel"),
	I64(worker_result, storage_bytes, "read_bytes or write_bytes of /proc/self/io"),
	I64(worker_result, error, "errno of the first failure, 0 for none"),
	ENUM(worker_result, error_op, ops, "what failed"),
	I64(worker_result, error_offset_bytes, "where in the file"),
	I64(worker_result, exit_status, "exit status of the process, null if it had none"),
	I64(worker_result, exit_signal, "signal that ended the process, 0 for none"),
};
static const struct schema worker_schema = SCHEMA(worker_result, worker_fields);

static const struct field count_fields[] = {
	TEXT(device_count, name, "kernel name"),
	BOOL(device_count, is_leaf, "nothing known lies below it"),
	I64(device_count, read_bytes, "bytes read from it during the phase, by anybody"),
	I64(device_count, written_bytes, "bytes written to it during the phase, by anybody"),
};
static const struct schema count_schema = SCHEMA(device_count, count_fields);

static const struct field phase_fields[] = {
	ENUM(phase, status, statuses, "how the phase ended"),
	I64(phase, planned_bytes, "bytes planned"),
	I64(phase, started_at_ns, "when the gate opened, nanoseconds since 1970 UTC"),
	I64(phase, resident_bytes, "bytes of the files in the page cache before reading"),
	I64(phase, allocated_bytes, "bytes the files occupy after writing"),
	TEXT(phase, failure, "why the phase could not be begun, null if it could"),
	LIST(phase, workers, &worker_schema, "one entry per process"),
	LIST(phase, devices, &count_schema, "what the devices counted"),
};
const struct schema phase_schema = SCHEMA(phase, phase_fields);

static const struct field run_fields[] = {
	TEXT(run, id, "random id of the run"),
	TEXT(run, tool_version, "iotest that ran it"),
	TEXT(run, invocation, "command line"),
	TEXT(run, case_id, "--case"),
	I64(run, started_at_ns, "nanoseconds since 1970 UTC"),
	I64(run, ended_at_ns, "nanoseconds since 1970 UTC"),
	I64(run, utc_offset_s, "local time less UTC in seconds"),
	TEXT(run, timezone, "abbreviation of the local time zone"),
	STRUCT(run, write, &phase_schema, "write phase"),
	STRUCT(run, read, &phase_schema, "read phase"),
	TEXT(run, workspace, "unnamed, unlinked or named test files"),
	I64(run, syncfs_ns, "time of syncfs between the phases"),
	I64(run, syncfs_error, "its errno, 0 for none"),
	I64(run, drop_error, "errno of dropping the files from the page cache, 0 for none"),
	I64(run, interrupted_by, "signal number, 0 for none"),
	I64(run, left_bytes, "bytes of ours left in the target, null if not checked"),
	TEXT(run, left_path, "where they lie"),
	TEXT(run, others_left, "directories of other runs in the target"),
	I64(run, remove_ns, "time of removing the test files"),
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
	run->interrupted_by = 0;
	run->output_on_target = 0;
}

void run_done(struct run *run)
{
	schema_done(&run_schema, run);
}

struct phase *run_phase(struct run *run, int kind)
{
	return kind == PHASE_WRITE ? &run->write : &run->read;
}

const struct phase *run_phase_const(const struct run *run, int kind)
{
	return kind == PHASE_WRITE ? &run->write : &run->read;
}

bool run_has_failed(const struct run *run)
{
	return text_of(run->failure)[0] || run->write.status == PHASE_FAILED ||
	       run->read.status == PHASE_FAILED;
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
