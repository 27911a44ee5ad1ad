/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep - what runs that were killed left in a target
 *
 * In a child: the storage may hang, and a file that is removed may be large.
 */
#include "iotest/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iotest/child.h"
#include "iotest/fd.h"
#include "iotest/sysroot.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "sweep_dir.h"
#include "workspace.h"

/* One line each: outcome, bytes, name, reason, with tabs between them. */
static void answer_dir(const struct sweep_dir *d, struct buf *answer)
{
	buf_printf(answer, "%d\t%" PRId64 "\t", d->outcome, d->bytes);
	buf_add_visible(answer, d->name);
	buf_add_text(answer, "\t");
	buf_add_visible(answer, buf_text(&d->why));
	buf_add_text(answer, "\n");
}

static int sweep_work(void *context, struct buf *answer)
{
	const struct sweep_wish *wish = context;
	CLEANUP(strlist_done) struct strlist names = { 0 };
	CLEANUP(fd_close)
	int target_fd = open(wish->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int rc = target_fd < 0 ? -errno : workspace_list_names(target_fd, &names);

	for (size_t i = 0; rc == 0 && i < names.n_items; i++) {
		CLEANUP(sweep_dir_done)
		struct sweep_dir d = {
			.wish = wish,
			.target_fd = target_fd,
			.name = names.items[i],
			.fd = -1,
		};

		if (sweep_dir_judge(&d))
			answer_dir(&d, answer);
	}
	return rc;
}

static void take_line(char *line, struct sweep *out)
{
	struct swept *item = XGROW(&out->items, &out->n_items);
	int64_t outcome = SWEEP_FAILED;
	char *parts[4] = { line };

	for (size_t i = 1; i < ARRAY_LEN(parts); i++) {
		char *tab = strchr(parts[i - 1], '\t');

		parts[i] = tab ? tab + 1 : parts[i - 1] + strlen(parts[i - 1]);
		if (tab)
			*tab = '\0';
	}
	if (units_parse_count(parts[0], 0, SWEEP_OUTCOME_COUNT - 1, &outcome) ||
	    units_parse_i64(parts[1], &item->bytes))
		item->bytes = -1;
	item->outcome = (int)outcome;
	item->name = xstrdup(parts[2]);
	item->why = xstrdup(parts[3]);
}

int sweep_target(const struct sweep_wish *wish, struct sweep *out)
{
	CLEANUP(buf_done) struct buf answer = { 0 };
	struct sweep_wish asked = *wish;
	struct sweep sweep = { 0 };
	int rc = child_run(sweep_work, &asked, wish->deadline_ns, &answer);

	if (rc)
		return rc;
	for (char *line = answer.data; line && *line;) {
		char *end = strchrnul(line, '\n');
		char *next = *end ? end + 1 : end;

		*end = '\0';
		take_line(line, &sweep);
		line = next;
	}
	*out = sweep;
	return 0;
}

void sweep_done(struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->n_items; i++) {
		free(sweep->items[i].name);
		free(sweep->items[i].why);
	}
	free(sweep->items);
	*sweep = (struct sweep){ 0 };
}

size_t sweep_count(const struct sweep *sweep, enum sweep_outcome outcome)
{
	size_t n = 0;

	for (size_t i = 0; i < sweep->n_items; i++)
		n += sweep->items[i].outcome == (int)outcome;
	return n;
}

int64_t sweep_bytes(const struct sweep *sweep)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < sweep->n_items; i++) {
		if (sweep->items[i].outcome == SWEEP_REMOVED &&
		    units_add(bytes, sweep->items[i].bytes, &bytes))
			return -1;
	}
	return bytes;
}

/* Anybody may make directories with such names: some stand for all. */
#define NAMES_MAX 10

void sweep_add_names(const struct sweep *sweep, enum sweep_outcome outcome, struct buf *out)
{
	size_t n = sweep_count(sweep, outcome);
	size_t n_named = 0;

	for (size_t i = 0; i < sweep->n_items; i++) {
		const struct swept *item = &sweep->items[i];

		if (item->outcome != (int)outcome)
			continue;
		if (n_named == NAMES_MAX) {
			buf_printf(out, ", and %zu more", n - n_named);
			return;
		}
		n_named++;
		buf_printf(out, "%s%s", out->len ? ", " : "", item->name);
		if (item->why[0])
			buf_printf(out, " (%s)", item->why);
	}
}
