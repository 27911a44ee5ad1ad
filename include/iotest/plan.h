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
	SIZED_BY_COUNT
};

/* The line of the plan page that explains one number. */
struct reason {
	char *key;   /* the plan field it explains, or a word for what is none */
	char *value; /* as shown */
	char *text;  /* why it is so */
};

/* How a worker does its I/O: plain data, so that other commands are other plans. */
enum data_kind { DATA_UNIQUE, DATA_ZEROS, DATA_KIND_COUNT };

struct io_spec {
	int64_t block_bytes;	    /* of one page */
	int64_t pages_per_transfer; /* 1: pwrite/pread; more: pwritev/preadv */
	int data;		    /* enum data_kind */
	int direct;		    /* O_DIRECT */
	int dsync;		    /* O_DSYNC */
	int fsync_in_window;	    /* the write window ends after fsync */
	int drop_cache;		    /* between the phases */
};

struct plan {
	char *target;	      /* absolute path */
	int64_t target_index; /* in host.targets */
	char *method;	      /* "full/1": rates of unlike methods are not comparable */

	int64_t cores;	      /* the divisor of every per-core figure */
	int cores_overridden; /* --cores */
	int64_t workers;
	int workers_overridden; /* --workers or -i */
	int64_t bytes_per_worker;
	int64_t block_bytes;
	int64_t blocks_per_worker;
	int64_t total_bytes; /* written once and read once */

	int sized_by;			 /* enum sized_by */
	int shrunk;			 /* smaller than the rules ask for, for lack of space */
	int64_t wanted_bytes_per_worker; /* before shrinking */
	int fits_in_cache;   /* all files together are not larger than what can cache them */
	int64_t cache_bytes; /* the memory that this compares with */

	int64_t preallocation_bytes; /* per file, what XFS may take beyond the size */
	int64_t reserve_percent;
	int64_t reserve_bytes;	  /* of the file system, never touched */
	int64_t usable_bytes;	  /* free less reserve */
	int64_t free_after_bytes; /* while all files exist */
	int64_t dirty_peak_bytes; /* not yet written back, at most */

	double requirement_mib_per_s; /* per core */
	char *requirement_name;
	char *requirement_published; /* as its source has it, "100 MB/s per core" */
	char *requirement_source;
	int64_t requirement_year;
	int requirement_given; /* by --require: the verdict changes the exit status */

	int64_t expected_ns;   /* both phases, at the required rate */
	int64_t time_limit_ns; /* -1: none */
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
	const char *require; /* a name of the requirement table, or a number of MiB/s */
};
#define PLAN_WISHES_NONE                     \
	{                                    \
		-1, -1, -1, -1, -1, -1, NULL \
	}

void plan_init(struct plan *plan);
void plan_done(struct plan *plan);

/* Cores that the workers can be expected to stand for: with fewer workers, those. */
int64_t plan_streams(const struct plan *plan);

#endif
