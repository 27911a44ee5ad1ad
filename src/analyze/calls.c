/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls - how long the calls of a phase took, and the devices' own operations
 *
 * A buffered call is a copy and, when too much is dirty, a wait for others: it is no latency of
 * the storage. What the devices say stands beside it.
 */
#include "calls.h"

#include <math.h>

#include "iotest/compiler.h"
#include "stats.h"

static double all_calls(const struct phase *phase)
{
	double sum = 0;

	for (size_t i = 0; i < phase->n_call_times; i++)
		if (phase->call_times[i].calls > 0)
			sum += (double)phase->call_times[i].calls;
	return sum;
}

static int64_t longest(const struct phase *phase)
{
	int64_t max_ns = -1;

	for (size_t i = 0; i < phase->n_workers; i++)
		if (phase->workers[i].call_max_ns > max_ns)
			max_ns = phase->workers[i].call_max_ns;
	return max_ns;
}

/* The time of the ceil(share x all)-th call. */
static int64_t percentile(const struct phase *phase, double all, double share, int64_t max_ns)
{
	double wanted = ceil(share * all);
	double seen = 0;
	int64_t ns = -1;

	for (size_t i = 0; i < phase->n_call_times && seen < wanted; i++) {
		if (phase->call_times[i].calls <= 0)
			continue;
		seen += (double)phase->call_times[i].calls;
		ns = phase->call_times[i].ns;
	}
	/* The middle of the last class can lie above the longest call. */
	return max_ns >= 0 && ns > max_ns ? max_ns : ns;
}

/* Mean over the operations of all devices that the file system lies on. */
static int64_t await_ns(const struct phase *phase, bool is_read)
{
	int64_t ns = -1;
	int64_t ops = -1;

	for (size_t i = 0; i < phase->n_devices; i++) {
		const struct device_count *d = &phase->devices[i];

		if (d->is_top != 1)
			continue;
		ns = stats_plus(ns, is_read ? d->read_ns : d->write_ns);
		ops = stats_plus(ops, is_read ? d->read_ops : d->write_ops);
	}
	return ns < 0 || ops <= 0 ? -1 : ns / ops;
}

void calls_fill(const struct phase *phase, struct phase_rates *out)
{
	double all = all_calls(phase);

	out->call_max_ns = longest(phase);
	out->device_read_await_ns = await_ns(phase, true);
	out->device_write_await_ns = await_ns(phase, false);
	if (all <= 0)
		return;
	out->call_p50_ns = percentile(phase, all, 0.5, out->call_max_ns);
	out->call_p90_ns = percentile(phase, all, 0.9, out->call_max_ns);
	out->call_p99_ns = percentile(phase, all, 0.99, out->call_max_ns);
	out->call_p999_ns = percentile(phase, all, 0.999, out->call_max_ns);
}
