/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run - what happened: bytes and nanoseconds
 *
 * Filled by run_execute. No rates, no percentages, no judgement: those are made in analyze from
 * these facts, and can be made again.
 */
#ifndef IOTEST_RUN_H
#define IOTEST_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/schema.h"

enum phase_kind { PHASE_WRITE, PHASE_READ, PHASE_COUNT };

enum phase_status {
	PHASE_NOT_RUN,
	PHASE_COMPLETE,
	PHASE_TIME_LIMIT,  /* ended in an orderly way before all was done */
	PHASE_INTERRUPTED, /* by a signal */
	PHASE_FAILED,	   /* a worker failed or did less than it should */
	PHASE_STATUS_COUNT,
};

/* Where a worker was when it failed. */
enum worker_op { OP_NONE, OP_START, OP_WRITE, OP_READ, OP_FSYNC, OP_COUNT };

/* One process of one phase. Times are nanoseconds since the phase's gate opened (monotonic). */
struct worker_result {
	int64_t bytes;
	int64_t ops;
	int64_t start_ns;   /* just before the first call */
	int64_t last_io_ns; /* after the last write or read */
	int64_t end_ns;	    /* after fsync, where the window includes it */
	int64_t fsync_ns;   /* that call alone; 0 in a read phase */
	int64_t user_ns;    /* CPU time of the process */
	int64_t system_ns;
	int64_t storage_bytes; /* read_bytes or write_bytes of /proc/self/io over the window; -1 */
	int64_t error;	       /* errno, 0: none */
	int error_op;	       /* enum worker_op */
	int64_t error_offset_bytes;
	int64_t exit_status; /* -1 if it died of a signal or never ended */
	int64_t exit_signal; /* 0: none */
};

/* What a block device of the stack counted over a phase. */
struct device_count {
	char *name;
	int is_leaf;
	int64_t read_bytes;
	int64_t written_bytes;
};

struct phase {
	int status; /* enum phase_status */
	int64_t planned_bytes;
	int64_t started_at_ns;	 /* realtime at the gate */
	int64_t resident_bytes;	 /* of all files, in the page cache before a read phase; -1 */
	int64_t allocated_bytes; /* st_blocks of all files after a write phase; -1 */
	char *failure;		 /* why it could not be begun, "" if it could */
	struct worker_result *workers;
	size_t n_workers;
	struct device_count *devices;
	size_t n_devices;
};

struct run {
	char *id; /* 32 hex digits, random */
	char *tool_version;
	char *invocation;
	char *case_id;
	int64_t started_at_ns; /* realtime */
	int64_t ended_at_ns;
	int64_t utc_offset_s;
	char *timezone; /* abbreviation, "CET" */
	struct phase write;
	struct phase read;
	char *workspace;	/* "unnamed", "unlinked" or "named" test files */
	int64_t syncfs_ns;	/* between the phases, untimed for the rates; -1 not done */
	int64_t syncfs_error;	/* errno; ETIMEDOUT */
	int64_t drop_error;	/* errno of dropping the files from the cache */
	int64_t interrupted_by; /* signal number, 0 */
	int64_t left_bytes;	/* in the target after the run; -1 could not be checked */
	char *left_path;
	char *others_left;    /* directories of other, dead or living runs in the target, "" none */
	int64_t remove_ns;    /* time to remove the test files; -1 not done */
	char *failure;	      /* the sentence why nothing could be measured, "" if something was */
	char *output_dir;     /* where the results go, absolute; "" nowhere */
	int output_on_target; /* the results lie on the file system that was tested */
};

extern const struct schema run_schema;
extern const struct schema phase_schema;

void run_init(struct run *run);
void run_done(struct run *run);
struct phase *run_phase(struct run *run, int kind);
const struct phase *run_phase_const(const struct run *run, int kind);

/* Something failed, so that none of its rates can be used. */
bool run_has_failed(const struct run *run);

const char *phase_kind_name(int kind);
const char *phase_status_name(int status);
const char *worker_op_name(int op);

#endif
