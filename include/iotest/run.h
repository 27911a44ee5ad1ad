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

/* The control is done on the files of the others, past the page cache: is it the host or not. */
enum phase_kind {
	PHASE_WRITE,
	PHASE_READ,
	PHASE_MIXED,
	PHASE_CONTROL_WRITE,
	PHASE_CONTROL_READ,
	PHASE_COUNT
};

enum phase_status {
	PHASE_NOT_RUN,
	PHASE_COMPLETE,
	PHASE_TIME_LIMIT,  /* ended in an orderly way before all was done */
	PHASE_STEADY,	   /* ended because its rate had become steady */
	PHASE_INTERRUPTED, /* by a signal */
	PHASE_FAILED,	   /* a worker failed or did less than it should */
	PHASE_STUCK,	   /* a call did not come back in time: the storage hangs */
	PHASE_SPACE,	   /* ended because others filled the file system */
	PHASE_STATUS_COUNT,
};

/* Where a worker was when it failed. */
enum worker_op { OP_NONE, OP_START, OP_WRITE, OP_READ, OP_FSYNC, OP_COUNT };

/* What stood where a stamp, or other data, should have been. */
enum bad_kind {
	BAD_NONE,
	BAD_ZEROS,   /* nothing but zeros: a hole, or data that was lost */
	BAD_RUN,     /* a stamp of another run */
	BAD_PLACE,   /* a stamp of this run, for another file or offset */
	BAD_STAMP,   /* no stamp */
	BAD_CONTENT, /* a good stamp, but other bytes after it (--integrity full) */
	BAD_COUNT
};

/* One process of one phase. Times are nanoseconds since the phase's gate opened (monotonic). */
struct worker_result {
	int64_t bytes;
	int64_t read_bytes; /* of those, in a mixed phase; else -1 */
	int64_t ops;
	int64_t start_ns;   /* just before the first call */
	int64_t last_io_ns; /* after the last write or read */
	int64_t end_ns;	    /* after fsync, where the window includes it */
	int64_t fsync_ns;   /* that call alone; 0 in a read phase */
	int64_t window_ns;  /* waits for the write-back of what lies behind the window; -1: none */
	int64_t user_ns;    /* CPU time of the process */
	int64_t system_ns;
	int64_t storage_bytes; /* read_bytes or write_bytes of /proc/self/io over the window; -1 */
	int64_t call_p50_ns;   /* of write or read calls, and those waits: within 2 % */
	int64_t call_p90_ns;
	int64_t call_p99_ns;
	int64_t call_p999_ns;
	int64_t call_max_ns; /* exact */
	int64_t stopped_ns;  /* was seen stopped by a signal for so long */
	int64_t stamps;	     /* checked; -1 in a write phase */
	int64_t bad_stamps;  /* or pieces of 4 KiB with other content */
	int bad_kind;	     /* enum bad_kind, of the first one */
	int64_t bad_offset_bytes;
	int64_t bad_found_worker;	/* BAD_PLACE: whose data stood there, from 1 */
	int64_t bad_found_offset_bytes; /* and of which place */
	int64_t error;			/* errno, 0: none */
	int error_op;			/* enum worker_op */
	int64_t error_offset_bytes;
	int64_t exit_status; /* -1 if it died of a signal or never ended */
	int64_t exit_signal; /* 0: none */
	int given_up;	     /* that was SIGKILL by iotest: it did not end when it was told to */
};

/* What a block device of the stack, or the mount of a network file system, counted over a phase.
 * Only the bytes are known of a mount. */
struct device_count {
	char *name;  /* "sda1"; of a mount its directory */
	int is_leaf; /* nothing known lies below it */
	int is_top;  /* the file system lies on it */
	int64_t read_bytes;
	int64_t written_bytes;
	int64_t read_ops;
	int64_t write_ops;
	int64_t read_ns; /* sum over the operations, from queue to end */
	int64_t write_ns;
	int64_t busy_ns;  /* at least one operation was under way */
	int64_t queue_ns; /* operations under way x time */
};

/* All counts since the gate opened; device bytes are those of the lowest devices. */
struct series_point {
	int64_t at_ns;
	int64_t bytes;	/* of all workers */
	int64_t cpu_ns; /* of all workers */
	int64_t n_running;
	int64_t device_read_bytes;
	int64_t device_written_bytes;
	int64_t dirty_bytes; /* of the host, under write-back included; no sum */
};
#define SERIES_POINTS_MAX 2000

/* So many calls took this long; the middle of a class less than 2 % wide. */
struct call_time {
	int64_t ns;
	int64_t calls;
};

#define PHASE_IO_LIMITS_NONE "none"

/* What can be looked at to tell that others are held up by the storage. */
enum brake_kind {
	BRAKE_OFF,	/* not asked for */
	BRAKE_NONE,	/* nothing of it is there */
	BRAKE_PRESSURE, /* PSI, "full" of /proc/pressure/io */
	BRAKE_DEVICES,	/* the counters of the lowest devices */
	BRAKE_BOTH,
	BRAKE_COUNT
};

/* What it told, over all looks. */
struct brake_facts {
	int kind; /* enum brake_kind */
	int64_t n_looks;
	int64_t n_busy;		/* of those, others were busy */
	int64_t waited_ns;	/* for them */
	int gave_up;		/* went on while they were busy: patience was over */
	double stalled_ratio;	/* worst: of the time all tasks waited for I/O; -1 */
	int64_t worst_await_ns; /* of their requests, on average in one look; -1 */
	double worst_in_flight; /* -1 */
};

struct phase {
	int status; /* enum phase_status */
	int64_t planned_bytes;
	int64_t started_at_ns; /* realtime at the gate */
	int64_t budget_ns;     /* the time it had; -1: no end */
	/* Of all files, in the page cache: before a read phase, after a direct write phase; -1. */
	int64_t resident_bytes;
	int64_t resident_after_bytes; /* the same after a direct read of a named file; -1 */
	int64_t allocated_bytes;      /* st_blocks of all files after a write phase; -1 */
	int64_t depth;		      /* transfers at the same time on each file */
	int64_t clock_step_ns;	      /* the wall clock was set by this much, forward or back; -1 */
	int64_t suspended_ns;	      /* the machine slept; -1 not known */
	int cut_short;	  /* calls were given up while bytes still moved: rates are upper bounds */
	int64_t still_ns; /* stuck: nothing had moved for so long; else -1 */
	int64_t held_ns;  /* pauses of --gentle, no time of the phase; -1: there are none */
	int64_t longest_gap_ns; /* between two samples, which should be 250 ms apart */
	int64_t host_busy_ns;	/* CPU time of everything on this host, idle and iowait left out */
	int64_t host_cpu_ns;	/* CPUs x time */
	int64_t throttled_ns;	/* by the CPU quota of the control group; -1 */
	int64_t memory_stalls;	/* times the control group's memory limit was hit; -1 */
	int64_t dirty_peak_bytes;	/* the most that a sample saw, of the whole host */
	int64_t group_dirty_peak_bytes; /* the same of the group with the memory limit; -1 */
	int lazy_init;	   /* ext4 was initialising inode tables when it began; -1 not looked for */
	char *io_limits;   /* as host.io_limits, when it was over; "none"; "" not read */
	int64_t oom_kills; /* processes killed in that group, for lack of memory; -1 */
	int64_t host_oom_kills;	  /* on this host, ours included; -1 */
	int64_t least_free_bytes; /* that was seen, for this user; -1 */
	int64_t least_free_inodes;
	char *failure; /* why it could not be begun, "" if it could */
	struct worker_result *workers;
	size_t n_workers;
	struct device_count *devices;
	size_t n_devices;
	struct series_point *series; /* at most SERIES_POINTS_MAX, the gate not among them */
	size_t n_series;
	struct call_time *call_times; /* of all workers, ascending */
	size_t n_call_times;
};

/* A counter of errors that rose while the run lasted. */
struct error_count {
	char *name; /* its file, and the line in it */
	char *meaning;
	int64_t before;
	int64_t rise;
	int is_common; /* rises now and then without any harm */
};

/* A line of the kernel log that came while the run lasted, about storage. */
struct kernel_message {
	int64_t level; /* 3 error, 4 warning, 5 notice, ... */
	char *text;
};

struct run {
	char *id; /* 32 hex digits, random */
	char *tool_version;
	char *invocation;
	char *case_id;
	int64_t started_at_ns; /* realtime */
	int64_t start_at_ns;   /* that --start-at asked for; -1: none */
	int64_t ended_at_ns;
	int64_t utc_offset_s;
	char *timezone; /* abbreviation, "CET" */
	struct phase write;
	struct phase read;
	struct phase mixed;
	struct phase control_write;
	struct phase control_read;
	char *workspace;	/* "unnamed", "unlinked" or "named" test files, or "given" ones */
	int64_t syncfs_ns;	/* between the phases, untimed for the rates; -1 not done */
	int64_t syncfs_error;	/* errno; ETIMEDOUT */
	int64_t drop_error;	/* errno of dropping the files from the cache */
	int64_t interrupted_by; /* signal number, 0 */
	int64_t left_bytes;	/* in the target after the run; -1 could not be checked */
	char *left_path;
	char *host_lock_failure; /* why a second run of this user was not kept out, "" if it was */
	char *swept;		 /* directories of dead runs that were removed before, "" none */
	int64_t swept_bytes;
	char *sweep_failure; /* those that could not be, and why; "" none */
	char *others_left;   /* of other runs that may live, or are not provably ours; "" none */
	int target_shared;   /* somebody else held the lock of the target, too */
	int64_t target_lock_error;	/* errno, ETIMEDOUT; 0: locks are granted there */
	int64_t remove_ns;		/* time to remove the test files; -1 not done */
	int64_t remove_error;		/* errno; ETIMEDOUT: a hanging storage still holds them */
	int64_t direct_alignment_bytes; /* that O_DIRECT needs here; -1: not used */
	char *direct_alignment_source;	/* "statx" or "tried" */
	struct brake_facts brake;
	int64_t cpu_ns;			  /* of all our processes, over the whole run */
	int64_t unread_files;		  /* of the evidence, not to be read by this user; -1 */
	int64_t sas_processes;		  /* most SAS processes seen at once while it ran; -1 */
	int64_t counters_watched;	  /* of errors, before and after; -1 */
	struct error_count *error_counts; /* those that rose */
	size_t n_error_counts;
	int kernel_log_read; /* before and after */
	struct kernel_message *kernel_messages;
	size_t n_kernel_messages;
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

/* Ended in an order that leaves rates: complete, at its time limit, or steady. */
bool phase_is_measured(const struct phase *phase);

/* Which way most of its bytes go. */
bool phase_kind_reads(int kind);

const char *phase_kind_name(int kind);
const char *phase_status_name(int status);
const char *worker_op_name(int op);
const char *bad_kind_name(int kind);

#endif
