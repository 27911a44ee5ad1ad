/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render - nouns to text for people and machines
 *
 * Writers append to a buf; they take time, host and version from the nouns, so that the same
 * nouns always give the same bytes.
 */
#ifndef IOTEST_RENDER_H
#define IOTEST_RENDER_H

#include "iotest/buf.h"
#include "iotest/comparison.h"
#include "iotest/err.h"
#include "iotest/report.h"

/* Hosts and plans have the first two only. */
enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_HTML, FORMAT_DETAILS, FORMAT_COUNT };
extern const char *const format_choices[FORMAT_JSON + 2];
extern const char *const report_format_choices[FORMAT_COUNT + 1];

/* Text: at most 80 columns, except where a path or mount line is longer. */
void render_host_text(const struct host *host, struct buf *out);
void render_plan_text(const struct host *host, const struct plan *plan, struct buf *out);
void render_report_text(const struct report *report, struct buf *out);
void render_records_text(const struct records *records, struct buf *out);

/* The same with everything that was measured: workers, rounds, calls, facts. */
void render_report_details(const struct report *report, struct buf *out);
void render_records_details(const struct records *records, struct buf *out);

/* One document that loads and runs nothing; with several records an article for each. */
void render_report_html(const struct report *report, struct buf *out);
void render_records_html(const struct records *records, struct buf *out);

/*
 * What to paste into a ticket, the command that measures again, and those with which dd and fio
 * check it. digest is that of the archive, "" if it is not known.
 */
void render_ticket_text(const struct report *report, const char *digest, struct buf *out);

/* Two reports side by side; the names are those of their files. */
void render_comparison_text(const struct comparison *comparison, const char *name_a,
			    const char *name_b, struct buf *out);

/* The lines of sasiotest, of a run with a named file that was measured. */
void render_sasiotest(const struct report *report, struct buf *out);

/* JSON, one line feed at the end. Several: {"schema": ..., "targets": [...]}. */
MUST_CHECK int render_host_json(const struct host *host, struct buf *out, struct err *err);
MUST_CHECK int render_plans_json(const struct host *host, const struct plan *plans, size_t n,
				 struct buf *out, struct err *err);
MUST_CHECK int render_records_json(const struct records *records, struct buf *out, struct err *err);

/* The way back. name is for the messages. out must be zeroed; on failure it stays so. */
MUST_CHECK int render_read_json(const char *text, size_t len, const char *name, struct records *out,
				struct err *err);

/* What a monitoring system is told of one target. */
enum monitor_state {
	MONITOR_OK,
	MONITOR_WARNING,
	MONITOR_CRITICAL,
	MONITOR_UNKNOWN,
	MONITOR_STATE_COUNT
};

struct monitor {
	int state; /* enum monitor_state, and the exit status */
	const char *target;
	const char *text;
	double write_mib_per_s; /* per core; -1: none was judged */
	double read_mib_per_s;
	double warn_mib_per_s; /* below it WARNING, and below the other CRITICAL; -1: none */
	double crit_mib_per_s;
	int trend; /* 0 none or not known, 1 suspected, 2 a regression */
	int64_t ended_at_ns;
	int64_t duration_ns;
	int64_t written_bytes;
};

/* "OK", "WARNING", ... */
const char *monitor_state_name(int state);

/* One line as the monitoring plugins have it, without a line feed, with performance data. */
void render_monitor_line(const struct monitor *monitor, struct buf *out);

/* A file for the textfile collector of node_exporter. */
void render_monitor_prometheus(const struct monitor *monitor, struct buf *out);

/* {"schema": ..., name: [...]} of n items that stand one behind the other. */
MUST_CHECK int render_list_json(const struct schema *schema, const void *items, size_t n,
				const char *name, struct buf *out, struct err *err);

/* Appends the names and versions of the libraries used here: "name 1.2.3, name 4.5". */
void render_add_libraries(struct buf *out);

#endif
