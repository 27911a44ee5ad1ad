/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan - the fields of a plan
 */
#include "iotest/plan.h"

#include "iotest/run.h"
#include "iotest/xalloc.h"
#include "tables.h"

static const char *const sized_by_names[] = {
	[SIZED_BY_MEMORY] = "memory",
	[SIZED_BY_LIMIT] = "memory-limit",
	[SIZED_BY_OPTION] = "option",
	[SIZED_BY_SPACE] = "space",
	[SIZED_BY_MEMORY_FS] = "memory-file-system",
	[SIZED_BY_QUICK] = "quick",
};
_Static_assert(ARRAY_LEN(sized_by_names) == SIZED_BY_COUNT, "name every way of sizing");

static const char *const data_kinds[] = {
	[DATA_UNIQUE] = "unique",
	[DATA_ZEROS] = "zeros",
	[DATA_COMPRESSIBLE] = "compressible",
	[DATA_FILE] = "file",
};
_Static_assert(ARRAY_LEN(data_kinds) == DATA_KIND_COUNT, "name every kind of data");

static const char *const io_orders[] = {
	[ORDER_SEQUENTIAL] = "sequential",
	[ORDER_RANDOM] = "random",
};
_Static_assert(ARRAY_LEN(io_orders) == IO_ORDER_COUNT, "name every order");

static const char *const integrities[] = {
	[INTEGRITY_STAMPS] = "stamps",
	[INTEGRITY_FULL] = "full",
};
_Static_assert(ARRAY_LEN(integrities) == INTEGRITY_COUNT, "name every comparison");

static const char *const modes[] = {
	[MODE_FULL] = "full",
	[MODE_QUICK] = "quick",
	[MODE_PROVE] = "prove",
	[MODE_FILE] = "file",
};
_Static_assert(ARRAY_LEN(modes) == MODE_COUNT, "name every mode");

static const char *const controls[] = {
	[CONTROL_IF_BELOW] = "if-below",
	[CONTROL_ALWAYS] = "always",
	[CONTROL_NEVER] = "never",
};
_Static_assert(ARRAY_LEN(controls) == CONTROL_COUNT, "name every rule for the control");

static const struct field reason_fields[] = {
	TEXT(reason, key, "what is explained"),
	TEXT(reason, value, "its value for people"),
	TEXT(reason, text, "why it is so"),
};
static const struct schema reason_schema = SCHEMA(reason, reason_fields);

static const struct field io_fields[] = {
	I64(io_spec, block_bytes, "bytes of one block"),
	I64(io_spec, pages_per_transfer, "blocks of one call"),
	ENUM(io_spec, order, io_orders, "which block is next"),
	TEXT(io_spec, file,
	     "named file that is written or read, and stays; empty: test files that are removed"),
	TEXT(io_spec, file_name, "its name in the target"),
	BOOL(io_spec, numbered, "each worker has a file of its own: .1, .2, ... after the name"),
	BOOL(io_spec, overwrite, "the named file may hold anything, not only what a test wrote"),
	ENUM(io_spec, data, data_kinds, "what is written"),
	I64(io_spec, compressible_percent, "zeros in every 4 KiB of compressible data, in percent"),
	TEXT(io_spec, data_file, "file whose content is written over and over"),
	ENUM(io_spec, integrity, integrities, "what the readers compare"),
	BOOL(io_spec, direct, "O_DIRECT"),
	BOOL(io_spec, dsync, "O_DSYNC"),
	BOOL(io_spec, fsync_in_window, "the write time includes fsync"),
	BOOL(io_spec, drop_cache, "the files are dropped from the page cache before reading"),
	I64(io_spec, window_bytes,
	    "bytes that a writer may be ahead of the write-back it starts, null: the kernel "
	    "decides"),
	I64(io_spec, piece_bytes, "write-back is started in pieces of so many bytes"),
	I64(io_spec, pace_bytes_per_s, "pace of each worker, null: as fast as it goes"),
	BOOL(io_spec, pace_is_cap, "time lost at that pace is not made up (--max-rate)"),
	BOOL(io_spec, pin, "each worker is bound to one physical core"),
};
static const struct schema io_schema = SCHEMA(io_spec, io_fields);

static const struct field plan_fields[] = {
	TEXT(plan, target, "directory under test"),
	I64(plan, target_index, "its index in host.targets"),
	TEXT(plan, method, "method id; rates of unlike methods are not comparable"),
	ENUM(plan, mode, modes, "full, quick, prove or file"),
	BOOL(plan, judges_write, "the write phase is judged"),
	BOOL(plan, judges_read, "the read phase is judged"),
	I64(plan, mixed_read_percent, "share of reads in a mixed phase, null without one"),
	ENUM(plan, control, controls, "when the comparison with O_DIRECT is made"),
	BOOL(plan, together, "at the same time as the other targets"),
	BOOL(plan, gentle, "steps back for others"),
	I64(plan, slice_ns, "gentle: time of work between two looks at the load of others"),
	I64(plan, patience_ns, "gentle: others are waited for so long, in each run"),
	I64(plan, repeat, "runs of this plan, one after the other"),
	BOOL(plan, light, "a check: few bytes, and no comparison after it"),
	I64(plan, cores, "cores that every per-core figure is divided by"),
	BOOL(plan, cores_overridden, "cores came from --cores"),
	I64(plan, workers, "writers, and after them readers, at the same time"),
	BOOL(plan, workers_overridden, "workers came from --workers or -i"),
	I64(plan, bytes_per_worker, "size of each test file in bytes"),
	I64(plan, block_bytes, "bytes of one write or read call"),
	I64(plan, blocks_per_worker, "blocks of each test file"),
	I64(plan, total_bytes, "bytes of all test files"),
	ENUM(plan, sized_by, sized_by_names, "what decided the size"),
	BOOL(plan, shrunk, "smaller than the rules ask for, for lack of space"),
	BOOL(plan, size_given, "--size or -b asked for a size"),
	I64(plan, wanted_bytes_per_worker, "size before shrinking in bytes"),
	BOOL(plan, fits_in_cache, "all files together fit into the memory that caches them"),
	I64(plan, cache_bytes, "memory that can cache files in bytes"),
	I64(plan, preallocation_bytes, "bytes the file system may take beyond each file's size"),
	I64(plan, reserve_percent, "share of the file system that stays free, in percent"),
	I64(plan, reserve_bytes, "bytes of the file system that stay free"),
	I64(plan, usable_bytes, "free bytes less the reserve"),
	I64(plan, keep_free_bytes, "the workers stop when fewer bytes are free"),
	I64(plan, keep_free_inodes, "the workers stop when fewer inodes are free"),
	I64(plan, free_after_bytes, "free bytes while all files exist"),
	I64(plan, dirty_peak_bytes, "bytes in memory that are not yet written back, at most"),
	I64(plan, max_dirty_bytes, "--max-dirty, null without one"),
	I64(plan, max_rate_mib_per_s,
	    "--max-rate, of all tests at the same time, null without one"),
	DOUBLE(plan, requirement_mib_per_s, "required MiB/s per physical core"),
	TEXT(plan, requirement_name, "name of the requirement"),
	TEXT(plan, requirement_published, "the figure as its source has it"),
	TEXT(plan, requirement_source, "who published it"),
	I64(plan, requirement_year, "when; null if undated"),
	BOOL(plan, requirement_given, "by --require: the verdict changes the exit status"),
	I64(plan, expected_ns,
	    "time of all phases and runs: at the required rate, or their budgets"),
	I64(plan, time_limit_ns, "--time-limit, null without one"),
	I64(plan, write_budget_ns,
	    "the write phase ends then at the latest, null: at its last byte"),
	I64(plan, read_budget_ns, "the read phase ends then at the latest, null: at its last byte"),
	BOOL(plan, until_steady, "a phase ends when its rate is steady"),
	BOOL(plan, needs_consent, "somebody must agree before it is run"),
	TEXT(plan, consent, "why, and what else could be done"),
	STRUCT(plan, io, &io_schema, "how a worker does its I/O"),
	LIST(plan, reasons, &reason_schema, "every number with its reason"),
};
const struct schema plan_schema = SCHEMA(plan, plan_fields);

void plan_init(struct plan *plan)
{
	schema_init(&plan_schema, plan);
}

void plan_done(struct plan *plan)
{
	schema_done(&plan_schema, plan);
}

int64_t plan_streams(const struct plan *plan)
{
	return plan->workers < plan->cores ? plan->workers : plan->cores;
}

double plan_cap_mib_per_s(const struct plan *plan)
{
	if (plan->io.pace_is_cap != 1 || plan->io.pace_bytes_per_s < 0)
		return -1;
	return (double)plan->io.pace_bytes_per_s * (double)plan->workers / (double)MIB;
}

bool plan_judges(const struct plan *plan, int phase_kind)
{
	if (phase_kind == PHASE_MIXED)
		return plan->mixed_read_percent >= 0;
	if (phase_kind == PHASE_WRITE)
		return plan->judges_write == 1;
	return phase_kind == PHASE_READ && plan->judges_read == 1;
}

int64_t plan_mixed_read_bytes(const struct plan *plan)
{
	int64_t blocks = plan->blocks_per_worker;
	int64_t percent = plan->mixed_read_percent;
	int64_t read;

	if (percent < 0 || percent > 100 || blocks < 0 || plan->block_bytes < 0)
		return 0;
	read = blocks / 100 * percent + (blocks % 100 * percent + 50) / 100;
	if (read >= blocks)
		read = blocks - 1;
	return (read > 0 ? read : blocks > 0) * plan->block_bytes;
}

const char *plan_mode_name(int mode)
{
	return modes[mode];
}

bool plan_has_file(const struct plan *plan)
{
	return plan->io.file_name && plan->io.file_name[0];
}

bool plan_only_reads(const struct plan *plan)
{
	return plan_has_file(plan) && plan->judges_write != 1;
}

char *plan_worker_file(const struct plan *plan, const char *name, size_t worker)
{
	return plan->io.numbered == 1 ? xasprintf("%s.%zu", name, worker + 1) : xstrdup(name);
}
