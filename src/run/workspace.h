/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workspace - the test files in the target, one for each worker
 *
 * Files without a name where the file system can do that: nothing stays, whatever happens.
 * Elsewhere they lie in a private directory ".iotest-<host>-<pid>-<boot id>-<random>" that is
 * locked while its owner lives. On local file systems both are unlinked at once; on network and
 * FUSE ones, where an unlinked open file is renamed and stays, they keep their names to the end.
 */
#ifndef IOTEST_RUN_WORKSPACE_H
#define IOTEST_RUN_WORKSPACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/compiler.h"
#include "iotest/err.h"
#include "iotest/plan.h"
#include "iotest/sysroot.h"
#include "content.h"
#include "workspace_name.h"

/* Files that somebody named, and that stay. */
struct given_files {
	const struct plan *plan; /* their names, and what may be done with them */
	bool writes;		 /* they are made, or written anew; else they are there */
};

struct workspace_wish {
	const char *path;	   /* the target: absolute, resolved */
	const char *device_number; /* of the target when it was probed, "8:17"; "": any */
	int target_kind;	   /* enum target_kind */
	const char *host_name;
	size_t n_files;
	int open_flags;			 /* in addition: O_DIRECT, O_DSYNC */
	bool in_directory;		 /* do not try files without a name */
	const struct given_files *given; /* instead of test files of our own, or NULL */
};

struct test_file {
	int fd;
	bool has_name;

	/* A given file: nothing below is filled of others. */
	bool is_given;	 /* it stays */
	bool is_created; /* by us; while it is empty it goes with us */
	bool is_ours;	 /* a test wrote it, the one that owner tells */
	struct content_owner owner;
	int64_t size_bytes; /* when it was opened */
	char name[NAME_MAX + 1];
};

/* A zeroed workspace is closed. */
struct workspace {
	char *path;
	int target_kind;
	const char *kind; /* "unnamed", "unlinked", "named", "given" */
	int target_fd;
	int dir_fd;		      /* the private directory, or -1 */
	char dir_name[DIR_NAME_SIZE]; /* "" if there is none in the target */
	struct test_file *files;
	size_t n_files;
};

/* What could not be removed. */
struct leftover {
	int64_t bytes; /* 0: nothing is left; -1: could not be checked */
	char *path;    /* where, or NULL; owned */
};

/*
 * Makes all files or none. Returns 0, or a negative errno with the sentence in err; left tells
 * then whether everything could be removed again.
 */
MUST_CHECK int workspace_open(const struct workspace_wish *wish, struct workspace *out,
			      struct leftover *left, struct err *err);

/*
 * A new description of file i, with flags as for open(2): so that a reader's read-ahead state is
 * clean, or that it goes past the page cache. Where there is no way to one, O_RDONLY alone gets
 * the writer's descriptor. Returns it, or -errno. The caller's to close, except that one.
 */
int workspace_reopen(const struct workspace *ws, size_t i, int flags);

/* Bytes allocated to all files (st_blocks), or -1. */
int64_t workspace_allocated_bytes(const struct workspace *ws);

/* Adds the names of directories of other runs in the target. */
void workspace_find_others(const struct workspace *ws, struct strlist *out);

/* Closes and removes everything, and looks whether it is gone. left may be NULL. */
void workspace_close(struct workspace *ws, struct leftover *left);

/*
 * The same where the storage may hang: a child does what can block. Returns 0, or -ETIMEDOUT
 * after deadline_ns: then the child is left behind, and what it could not remove goes when the
 * storage answers, or stays (left->bytes is -1).
 */
MUST_CHECK int workspace_remove(struct workspace *ws, int64_t deadline_ns, struct leftover *left);

/* For CLEANUP. */
void workspace_done(struct workspace *ws);

/* What the reader can do about an errno of the target; adds nothing if that is unknown. */
void workspace_advise(struct err *err, int target_kind, int rc);

#endif
