/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_prometheus - a check in the text format that node_exporter collects
 *
 * Base units, and their names at the end: https://prometheus.io/docs/practices/naming/.
 */
#include <math.h>

#include "iotest/compiler.h"
#include "iotest/render.h"

#define NS_PER_SECOND 1e9

/* A metric of one number; the rates below have more labels. */
struct gauge {
	const char *name;
	const char *help;
	double value; /* NAN: not known */
};

static void add_label_value(const char *text, struct buf *out)
{
	for (const char *s = text; *s; s++) {
		if (*s == '\n')
			buf_add_text(out, "\\n");
		else if (*s == '\\' || *s == '"')
			buf_printf(out, "\\%c", *s);
		else
			buf_add(out, s, 1);
	}
}

static void add_head(const char *name, const char *help, struct buf *out)
{
	buf_printf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

/* label may be NULL. */
static void add_sample(const struct monitor *m, const char *name, const char *label, double value,
		       struct buf *out)
{
	CLEANUP(buf_done) struct buf target = { 0 };

	buf_add_visible(&target, text_of(m->target));
	buf_printf(out, "%s{target=\"", name);
	add_label_value(buf_text(&target), out);
	buf_printf(out, "\"%s} %.15g\n", label ? label : "", value);
}

static void add_gauge(const struct monitor *m, const struct gauge *g, struct buf *out)
{
	if (isnan(g->value))
		return;
	add_head(g->name, g->help, out);
	add_sample(m, g->name, NULL, g->value, out);
}

/* Two of one metric, told apart by a label; none if both are unknown. */
struct pair {
	const char *name;
	const char *help;
	const char *labels[2];
	double mib_per_s[2];
};

static void add_pair(const struct monitor *m, const struct pair *p, struct buf *out)
{
	if (p->mib_per_s[0] < 0 && p->mib_per_s[1] < 0)
		return;
	add_head(p->name, p->help, out);
	for (size_t i = 0; i < 2; i++)
		if (p->mib_per_s[i] >= 0)
			add_sample(m, p->name, p->labels[i], p->mib_per_s[i] * (double)MIB, out);
}

static double or_nan(int64_t value, double divisor)
{
	return value < 0 ? (double)NAN : (double)value / divisor;
}

void render_monitor_prometheus(const struct monitor *m, struct buf *out)
{
	const struct gauge gauges[] = {
		{ "iotest_check_state",
		  "State of the check: 0 ok, 1 warning, 2 critical, 3 unknown.", m->state },
		{ "iotest_check_regression",
		  "Slower than the runs before: 0 no or not known, 1 suspected, 2 confirmed.",
		  m->trend },
		{ "iotest_check_timestamp_seconds", "When the check ended, since 1970.",
		  or_nan(m->ended_at_ns, NS_PER_SECOND) },
		{ "iotest_check_duration_seconds", "How long the check took.",
		  or_nan(m->duration_ns, NS_PER_SECOND) },
		{ "iotest_check_written_bytes", "What the check wrote.",
		  or_nan(m->written_bytes, 1) },
	};
	const struct pair pairs[] = {
		{ "iotest_check_rate_bytes_per_second",
		  "Throughput per physical core.",
		  { ",phase=\"write\"", ",phase=\"read\"" },
		  { m->write_mib_per_s, m->read_mib_per_s } },
		{ "iotest_check_threshold_bytes_per_second",
		  "Throughput per physical core below which the state changes.",
		  { ",level=\"warning\"", ",level=\"critical\"" },
		  { m->warn_mib_per_s, m->crit_mib_per_s } },
	};

	for (size_t i = 0; i < ARRAY_LEN(gauges); i++)
		add_gauge(m, &gauges[i], out);
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		add_pair(m, &pairs[i], out);
}
