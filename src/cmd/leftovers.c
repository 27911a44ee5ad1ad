/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leftovers - what runs that were killed left in the targets goes before the next one
 */
#include "leftovers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/commands.h"
#include "iotest/schema.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"

/* To remove large files on slow storage takes its time; a short test has none for it, and to look
 * whether there is something needs none. */
#define SWEEP_NS (1800 * NS_PER_S)
#define SWEEP_SHORT_NS (10 * NS_PER_S)

void leftovers_done(struct leftovers *leftovers)
{
	for (size_t i = 0; i < leftovers->n_items; i++)
		sweep_done(&leftovers->items[i].sweep);
	free(leftovers->items);
	*leftovers = (struct leftovers){ 0 };
}

static int look_and_sweep(struct sweep_wish wish, int64_t deadline_ns, struct sweep *out)
{
	int rc;

	wish.dry_run = true;
	wish.deadline_ns = SWEEP_SHORT_NS;
	rc = sweep_target(&wish, out);
	if (rc || sweep_count(out, SWEEP_REMOVED) == 0)
		return rc;
	sweep_done(out);
	wish.dry_run = false;
	wish.deadline_ns = deadline_ns;
	return sweep_target(&wish, out);
}

int leftovers_sweep(const struct host *host, bool is_short, struct leftovers *out, struct err *err)
{
	CLEANUP(leftovers_done) struct leftovers l = { 0 };

	for (size_t i = 0; i < host->n_targets; i++) {
		struct leftover_sweep *item = XGROW(&l.items, &l.n_items);
		const struct sweep_wish wish = {
			.path = text_of(host->targets[i].path),
			.host_name = text_of(host->name),
		};

		item->rc = look_and_sweep(wish, is_short ? SWEEP_SHORT_NS : SWEEP_NS, &item->sweep);
		if (item->rc == -EINTR)
			return err_say(err, -EINTR, "interrupted while %s was swept", wish.path);
	}
	*out = l;
	l = (struct leftovers){ 0 };
	return 0;
}

bool leftovers_were_removed(const struct leftovers *leftovers)
{
	for (size_t i = 0; i < leftovers->n_items; i++) {
		if (sweep_count(&leftovers->items[i].sweep, SWEEP_REMOVED) > 0)
			return true;
	}
	return false;
}

void leftovers_say(const struct leftovers *leftovers, const struct host *host)
{
	for (size_t i = 0; i < leftovers->n_items; i++) {
		const struct sweep *sweep = &leftovers->items[i].sweep;
		CLEANUP(buf_done) struct buf line = { 0 };
		CLEANUP(buf_done) struct buf names = { 0 };

		sweep_add_names(sweep, SWEEP_REMOVED, &names);
		if (names.len == 0)
			continue;
		buf_printf(&line, "%s: removed what a run that was killed had left: %s, ",
			   text_of(host->targets[i].path), buf_text(&names));
		units_add_size(&line, sweep_bytes(sweep));
		cmd_print_note(buf_text(&line));
	}
}

static char *names_of(const struct sweep *sweep, enum sweep_outcome outcome)
{
	struct buf names = { 0 };

	sweep_add_names(sweep, outcome, &names);
	return buf_take(&names);
}

void leftovers_describe(const struct leftovers *leftovers, size_t target, struct run *run)
{
	const struct leftover_sweep *item;

	if (target >= leftovers->n_items)
		return;
	item = &leftovers->items[target];
	run->swept = names_of(&item->sweep, SWEEP_REMOVED);
	run->swept_bytes = sweep_bytes(&item->sweep);
	run->sweep_failure = item->rc ? xasprintf("it was not looked for: %s", strerror(-item->rc))
				      : names_of(&item->sweep, SWEEP_FAILED);
	run->others_left = names_of(&item->sweep, SWEEP_LEFT);
}
