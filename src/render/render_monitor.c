/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_monitor - the line that monitoring plugins print
 *
 * https://www.monitoring-plugins.org/doc/guidelines.html: a state, a sentence, and behind the bar
 * the performance data, label=value;warn;crit;min;max. The range "100:" is "at least 100".
 */
#include <string.h>

#include "iotest/compiler.h"
#include "iotest/render.h"

const char *monitor_state_name(int state)
{
	static const char *const names[] = {
		[MONITOR_OK] = "OK",
		[MONITOR_WARNING] = "WARNING",
		[MONITOR_CRITICAL] = "CRITICAL",
		[MONITOR_UNKNOWN] = "UNKNOWN",
	};
	_Static_assert(ARRAY_LEN(names) == MONITOR_STATE_COUNT, "name every state");

	return state >= 0 && state < MONITOR_STATE_COUNT ? names[state] : names[MONITOR_UNKNOWN];
}

/* The bar begins the data, and a line feed the text that nobody reads. */
static void add_text(const char *text, struct buf *out)
{
	CLEANUP(buf_done) struct buf shown = { 0 };

	buf_add_visible(&shown, text);
	for (const char *s = buf_text(&shown); *s; s++)
		buf_add(out, *s == '|' ? "/" : s, 1);
}

static void add_threshold(double mib_per_s, struct buf *out)
{
	buf_add_text(out, ";");
	if (mib_per_s >= 0)
		buf_printf(out, "%.6g:", mib_per_s);
}

static void add_rate(const struct monitor *m, const char *phase, double mib_per_s, struct buf *out)
{
	if (mib_per_s < 0)
		return;
	buf_printf(out, " %s_mib_per_s_per_core=%.1f", phase, mib_per_s);
	add_threshold(m->warn_mib_per_s, out);
	add_threshold(m->crit_mib_per_s, out);
	buf_add_text(out, ";0");
}

void render_monitor_line(const struct monitor *m, struct buf *out)
{
	buf_printf(out, "IOTEST %s - ", monitor_state_name(m->state));
	if (m->target && *m->target) {
		add_text(m->target, out);
		buf_add_text(out, ": ");
	}
	add_text(m->text, out);
	if (m->write_mib_per_s >= 0 || m->read_mib_per_s >= 0)
		buf_add_text(out, " |");
	add_rate(m, "write", m->write_mib_per_s, out);
	add_rate(m, "read", m->read_mib_per_s, out);
}
