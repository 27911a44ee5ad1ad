/* SPDX-License-Identifier: Apache-2.0 */
/*
 * brake - whether others are held up by the storage, looked at while our own I/O stands still
 *
 * The pressure is described in Documentation/accounting/psi.rst.
 */
#include "brake.h"

#include <stdlib.h>
#include <string.h>

#include "iotest/xalloc.h"
#include "blockstat.h"
#include "procfile.h"

/* Of the time, in which all that could run waited for I/O. */
#define STALLED_RATIO 0.10
/* Requests of others took so long, and were no single ones. */
#define AWAIT_NS (20 * NS_PER_MS)
#define OPS_PER_S 20
/* Or there was always more than one of them under way. */
#define IN_FLIGHT 1.0

#define PRESSURE_SIZE 512

void brake_open(const char *pressure, const char *blocks, struct brake *out)
{
	*out = (struct brake){ .kind = BRAKE_NONE, .pressure = pressure, .blocks = blocks };
}

void brake_add_target(struct brake *brake, const struct target *target)
{
	for (size_t i = 0; i < target->n_devices; i++) {
		const struct device *d = &target->devices[i];

		if (d->is_leaf == 1 && text_of(d->name)[0])
			*XGROW(&brake->devices, &brake->n_devices) = xstrdup(d->name);
	}
}

void brake_close(struct brake *brake)
{
	for (size_t i = 0; i < brake->n_devices; i++)
		free(brake->devices[i]);
	free(brake->devices);
	*brake = (struct brake){ 0 };
}

int64_t brake_parse_pressure(const char *text)
{
	const char *full = strstr(text, "full ");
	const char *total = full ? strstr(full, "total=") : NULL;
	int64_t us, ns;

	if (!total)
		return -1;
	total += strlen("total=");
	if (!procfile_next(&total, &us) || __builtin_mul_overflow(us, 1000, &ns))
		return -1;
	return ns;
}

static int64_t read_pressure(const struct brake *brake)
{
	char text[PRESSURE_SIZE];

	return procfile_read(brake->pressure, text, sizeof(text)) ? -1 : brake_parse_pressure(text);
}

static bool add_device(const struct brake *brake, const char *name, struct brake_counts *out)
{
	int64_t fields[BLOCKSTAT_FIELDS];
	char path[512], text[BLOCKSTAT_TEXT_SIZE];

	if (blockstat_path(path, sizeof(path), brake->blocks, name, "stat") ||
	    procfile_read(path, text, sizeof(text)) || blockstat_parse(text, fields))
		return false;
	return !__builtin_add_overflow(out->ops, fields[BLOCKSTAT_READ_OPS], &out->ops) &&
	       !__builtin_add_overflow(out->ops, fields[BLOCKSTAT_WRITE_OPS], &out->ops) &&
	       !__builtin_add_overflow(out->ops_ns, fields[BLOCKSTAT_READ_NS], &out->ops_ns) &&
	       !__builtin_add_overflow(out->ops_ns, fields[BLOCKSTAT_WRITE_NS], &out->ops_ns) &&
	       !__builtin_add_overflow(out->queue_ns, fields[BLOCKSTAT_QUEUE_NS], &out->queue_ns);
}

static void read_devices(const struct brake *brake, struct brake_counts *out)
{
	bool is_known = brake->n_devices > 0;

	out->ops = out->ops_ns = out->queue_ns = 0;
	for (size_t i = 0; is_known && i < brake->n_devices; i++)
		is_known = !blockstat_is_told_not_to_count(brake->blocks, brake->devices[i]) &&
			   add_device(brake, brake->devices[i], out);
	if (!is_known)
		out->ops = out->ops_ns = out->queue_ns = -1;
}

void brake_read(const struct brake *brake, int64_t now_ns, struct brake_counts *out)
{
	out->at_ns = now_ns;
	out->stalled_ns = read_pressure(brake);
	read_devices(brake, out);
}

void brake_choose(struct brake *brake)
{
	struct brake_counts now;

	brake_read(brake, 0, &now);
	if (now.stalled_ns >= 0)
		brake->kind = now.ops >= 0 ? BRAKE_BOTH : BRAKE_PRESSURE;
	else if (now.ops >= 0)
		brake->kind = BRAKE_DEVICES;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* How much it grew, or -1. */
static double growth(int64_t before, int64_t after)
{
	return before < 0 || after < before ? -1 : (double)(after - before);
}

static bool judge_pressure(const struct brake_counts *before, const struct brake_counts *after,
			   double ns, struct brake_facts *facts)
{
	double ratio = growth(before->stalled_ns, after->stalled_ns) / ns;

	facts->stalled_ratio = larger(facts->stalled_ratio, ratio < 1 ? ratio : 1);
	return ratio > STALLED_RATIO;
}

static bool judge_devices(const struct brake_counts *before, const struct brake_counts *after,
			  double ns, struct brake_facts *facts)
{
	double ops = growth(before->ops, after->ops);
	double ops_ns = growth(before->ops_ns, after->ops_ns);
	double in_flight = growth(before->queue_ns, after->queue_ns) / ns;
	double await_ns = ops > 0 && ops_ns >= 0 ? ops_ns / ops : 0;
	bool are_many = ops / ns * (double)NS_PER_S >= OPS_PER_S;

	if (are_many && await_ns < (double)INT64_MAX / 2 &&
	    (int64_t)await_ns > facts->worst_await_ns)
		facts->worst_await_ns = (int64_t)await_ns;
	facts->worst_in_flight = larger(facts->worst_in_flight, in_flight);
	return in_flight > IN_FLIGHT || (are_many && await_ns > (double)AWAIT_NS);
}

bool brake_judge(const struct brake *brake, const struct brake_counts *before,
		 const struct brake_counts *after, struct brake_facts *facts)
{
	double ns = (double)(after->at_ns - before->at_ns);
	bool is_busy = false;

	if (ns <= 0 || brake->kind == BRAKE_NONE)
		return false;
	if (brake->kind != BRAKE_DEVICES)
		is_busy = judge_pressure(before, after, ns, facts);
	if (brake->kind != BRAKE_PRESSURE)
		is_busy = judge_devices(before, after, ns, facts) || is_busy;
	facts->n_looks++;
	facts->n_busy += is_busy;
	return is_busy;
}
