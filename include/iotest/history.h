/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history - what earlier runs of this host measured
 *
 * One SQLite file. Each run adds a row; rows are never changed. A file that is damaged is renamed
 * and begun anew: the history is never a reason not to measure.
 */
#ifndef IOTEST_HISTORY_H
#define IOTEST_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/err.h"
#include "iotest/schema.h"

/* Rates are MiB/s per core, as they were judged; -1 where a phase was not. lowest and highest are
 * those of --repeat, or the rate itself. */
struct history_entry {
	char *id; /* of the run */
	int64_t started_at_ns;
	char *command; /* "run", "check" */
	char *host;
	char *target;
	char *method; /* plan.method: unlike ones are never compared */
	char *plan;   /* what else must be the same for two runs to be alike */
	char *tool_version;
	char *verdict;
	char *verdict_text;
	int64_t exit_status;
	double requirement_mib_per_s;
	double write_mib_per_s;
	double write_lowest_mib_per_s;
	double write_highest_mib_per_s;
	double read_mib_per_s;
	double read_lowest_mib_per_s;
	double read_highest_mib_per_s;
	double mixed_mib_per_s;
	double mixed_lowest_mib_per_s;
	double mixed_highest_mib_per_s;
	char *settings; /* of the host, "name=value" lines, sorted */
	char *bundle;
	char *line; /* of a check: what it told the monitoring system */
};
extern const struct schema history_entry_schema;

struct history_list {
	struct history_entry *items; /* the oldest first */
	size_t n_items;
};
void history_list_done(struct history_list *list);

/* Which entries; "" or NULL, and -1, are all. */
struct history_filter {
	const char *host;
	const char *target;
	const char *method;
	const char *plan;
	const char *command;
	int64_t since_ns;
	int64_t newest; /* at most so many, the newest ones */
};
#define HISTORY_ALL ((struct history_filter){ .since_ns = -1, .newest = -1 })

struct history;

/* Appends the name and version of the library used here: "name 1.2.3". */
void history_add_libraries(struct buf *out);

/* Where the history of this user is: root /var/lib/iotest/history.db, others $XDG_STATE_HOME or
 * ~/.local/state. Returns 0, or -ENOENT for a user without a home. */
MUST_CHECK int history_default_path(struct buf *out);

enum history_access { HISTORY_READ, HISTORY_WRITE };

/*
 * Opens the history at path; to write, it is created with its folder (0700, the file 0600).
 * Returns 0; -ENOENT if there is none to read; -EPROTO if a newer iotest made it; else -errno.
 * Close with history_close.
 */
MUST_CHECK int history_open(const char *path, enum history_access access, struct history **out,
			    struct err *err);
void history_close(struct history **history);

/* Where a damaged file went when it was replaced; "" if it was sound. */
const char *history_set_aside(const struct history *history);

/* Adds one row, durably. Returns 0, -EEXIST for an id that is there, or -errno. */
MUST_CHECK int history_add(struct history *history, const struct history_entry *entry,
			   struct err *err);

/* Fills *out, which the caller releases. Returns 0 or -errno. */
MUST_CHECK int history_find(struct history *history, const struct history_filter *filter,
			    struct history_list *out, struct err *err);

#endif
