/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan - what will be done, and why
 *
 * Filled by plan_build from the host and the wishes; holds no descriptors and no results.
 */
#ifndef IOTEST_PLAN_H
#define IOTEST_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/schema.h"

enum sized_by {
	SIZED_BY_MEMORY,
	SIZED_BY_LIMIT,
	SIZED_BY_OPTION,
	SIZED_BY_SPACE,
	SIZED_BY_MEMORY_FS,
	SIZED_BY_QUICK, /* what quick and prove may take of space and time */
	SIZED_BY_COUNT
};

/* The line of the plan page that explains one number. */
struct reason {
	char *key;   /* the plan field it explains, or a word for what is none */
	char *value; /* as shown */
	char *text;  /* why it is so */
};

/* How a worker does its I/O: plain data, so that other commands are other plans. */
enum data_kind { DATA_UNIQUE, DATA_ZEROS, DATA_COMPRESSIBLE, DATA_FILE, DATA_KIND_COUNT };

/* Which block is next. Random: each one once, in an order that does not repeat. */
enum io_order { ORDER_SEQUENTIAL, ORDER_RANDOM, IO_ORDER_COUNT };

enum integrity { INTEGRITY_STAMPS, INTEGRITY_FULL, INTEGRITY_COUNT };

struct io_spec {
	int64_t block_bytes;	    /* of one page */
	int64_t pages_per_transfer; /* 1: pwrite/pread; more: pwritev/preadv */
	int order;		    /* enum io_order */
	/* A file that somebody named, and that stays; else test files that are removed. */
	char *file;		      /* as it was named; "" */
	char *file_name;	      /* its name in the target */
	int numbered;		      /* one for each worker: the name with ".1", ".2", ... */
	int overwrite;		      /* it may hold anything; else only what a test wrote */
	int data;		      /* enum data_kind */
	int64_t compressible_percent; /* DATA_COMPRESSIBLE: zeros in every 4 KiB; else -1 */
	char *data_file;	      /* DATA_FILE: whose content is repeated */
	int integrity;		      /* enum integrity: what the readers compare */
	int direct;		      /* O_DIRECT */
	int dsync;		      /* O_DSYNC */
	int fsync_in_window;	      /* the write window ends after fsync */
	int drop_cache;		      /* between the phases */
	/* Write-back is started as the writers go on, and each may be ahead of it by so much; -1:
	 * the kernel decides. */
	int64_t window_bytes;
	int64_t piece_bytes;	  /* with a window: write-back is started in such pieces; -1 */
	int64_t pace_bytes_per_s; /* of each worker; -1: as fast as it goes */
	int pace_is_cap;	  /* time that was lost is not made up */
	int pin;		  /* each worker is bound to one physical core */
};

/* Three strengths of the same question, and a file that is only written or only read. */
enum plan_mode {
	MODE_FULL,  /* all files, to their end */
	MODE_QUICK, /* within a minute, until the rates are steady */
	MODE_PROVE, /* paced at the requirement: can it be carried */
	MODE_FILE,  /* a named file that stays: sasiotest */
	MODE_COUNT
};

/* The comparison with transfers that go past the page cache. */
enum control_when { CONTROL_IF_BELOW, CONTROL_ALWAYS, CONTROL_NEVER, CONTROL_COUNT };
#define CONTROL_DEPTH 8
#define CONTROL_BLOCK_BYTES (1024 * 1024)
#define CONTROL_NS (20LL * 1000000000)
/* What was over sooner is compared with nothing. */
#define CONTROL_COMPARED_NS (2LL * 1000000000)

struct plan {
	char *target;	      /* absolute path */
	int64_t target_index; /* in host.targets */
	char *method;	      /* "full/2": rates of unlike methods are not comparable */
	int mode;	      /* enum plan_mode */
	int judges_write;     /* the phase is judged; a mixed run only prepares by writing */
	int judges_read;
	int64_t mixed_read_percent; /* of the bytes of a mixed phase; -1: no such phase */
	int control;		    /* enum control_when */
	int together;		    /* at the same time as the other targets */
	int gentle;		    /* steps back for others */
	int64_t slice_ns;	    /* of work between two looks at others; -1 */
	int64_t patience_ns;	    /* waits so long for others, in all; -1 */
	int light;		    /* a check: few bytes, and no comparison after it */
	int64_t repeat;		    /* runs of this plan, one after the other */

	int64_t cores;	      /* the divisor of every per-core figure */
	int cores_overridden; /* --cores */
	int64_t workers;
	int workers_overridden; /* --workers or -i */
	int64_t bytes_per_worker;
	int64_t block_bytes;
	int64_t blocks_per_worker;
	int64_t total_bytes; /* of all workers, each byte once: a mixed run reads a share of it */

	int sized_by;			 /* enum sized_by */
	int shrunk;			 /* smaller than the rules ask for, for lack of space */
	int size_given;			 /* --size or -b */
	int64_t wanted_bytes_per_worker; /* before shrinking */
	int fits_in_cache;   /* all files together are not larger than what can cache them */
	int64_t cache_bytes; /* the memory that this compares with */

	int64_t preallocation_bytes; /* per file, what XFS may take beyond the size */
	int64_t reserve_percent;
	int64_t reserve_bytes;	    /* of the file system, never touched */
	int64_t usable_bytes;	    /* free less reserve */
	int64_t keep_free_bytes;    /* the workers stop when less is free */
	int64_t keep_free_inodes;   /* or fewer inodes */
	int64_t free_after_bytes;   /* while all files exist */
	int64_t dirty_peak_bytes;   /* not yet written back, at most */
	int64_t max_dirty_bytes;    /* --max-dirty; -1: none */
	int64_t max_rate_mib_per_s; /* --max-rate, of all tests at the same time; -1: none */

	double requirement_mib_per_s; /* per core */
	char *requirement_name;
	char *requirement_published; /* as its source has it, "100 MB/s per core" */
	char *requirement_source;
	int64_t requirement_year;
	int requirement_given; /* by --require or --prove: the verdict changes the exit status */

	int64_t expected_ns;	 /* all phases and runs: at the required rate, or their budgets */
	int64_t time_limit_ns;	 /* of each run; -1: none */
	int64_t write_budget_ns; /* quick and prove: the phase ends then at the latest; -1 */
	int64_t read_budget_ns;
	int until_steady; /* the phases end when their rate is steady */
	int needs_consent;
	char *consent; /* why, and what else could be done; "" if not needed */

	struct io_spec io;
	struct reason *reasons;
	size_t n_reasons;
};

extern const struct schema plan_schema;

/* What the command line asks for; -1 or NULL: nothing asked. */
struct plan_wishes {
	int64_t cores;
	int64_t workers;
	int64_t bytes_per_worker;
	int64_t block_bytes;
	int64_t blocks_per_worker;
	int64_t time_limit_ns;
	int64_t repeat;
	int64_t mixed_read_percent;
	int64_t max_dirty_bytes;
	int64_t max_rate_mib_per_s;
	int64_t keep_free_bytes;
	const char *require; /* a name of the requirement table, or a number of MiB/s */
	const char *prove;   /* the same; it is held, not exceeded */
	const char *data;    /* "unique", "zeros", "compressible=PCT", or the path of a file */
	const char *phases;  /* "write", "read", "write,read" */
	int integrity;	     /* enum integrity */
	bool quick;
	bool gentle;
	bool direct;
	bool pin;
	bool together;
	bool control; /* always */
	bool light;   /* of quick and prove: no more than a check may take */
};
#define PLAN_WISHES_NONE                                                                   \
	{                                                                                  \
		.cores = -1, .workers = -1, .bytes_per_worker = -1, .block_bytes = -1,     \
		.blocks_per_worker = -1, .time_limit_ns = -1, .repeat = -1,                \
		.mixed_read_percent = -1, .max_dirty_bytes = -1, .max_rate_mib_per_s = -1, \
		.keep_free_bytes = -1                                                      \
	}

void plan_init(struct plan *plan);
void plan_done(struct plan *plan);

/* The phase, an enum phase_kind of run.h, is one that the verdict needs. */
bool plan_judges(const struct plan *plan, int phase_kind);

const char *plan_mode_name(int mode);

/* The test is one of files that somebody named. */
bool plan_has_file(const struct plan *plan);

/* What is read is there already. */
bool plan_only_reads(const struct plan *plan);

/* "name" or "name.1": of the worker, from 0, made from either name of the file. To be freed. */
char *plan_worker_file(const struct plan *plan, const char *name, size_t worker);

/* Of the bytes of each worker in a mixed run: the file that it reads, whole blocks; the file that
 * it writes has the rest. 0 without a mixed phase. */
int64_t plan_mixed_read_bytes(const struct plan *plan);

/* Cores that the workers can be expected to stand for: with fewer workers, those. */
int64_t plan_streams(const struct plan *plan);

/* What --max-rate leaves to all workers of this plan, MiB/s; -1 without it. */
double plan_cap_mib_per_s(const struct plan *plan);

#endif
