/* SPDX-License-Identifier: Apache-2.0 */
/*
 * first_touch - which parts of a phase were slowed by memory that was used for the first time
 *
 * A virtual machine pays for memory that its host took back: several times the CPU of a copy into
 * memory that is there. The kernel gives out what is there first, so that it can begin at any time
 * of a phase, and come and go. What the parts that are cheap have in common is the level of this
 * machine; a part far above it is spoiled.
 */
#include "first_touch.h"

#include <stdlib.h>

#include "iotest/compiler.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"

/* A spoiled part costs this many times the CPU of the cheap ones, and this much in all. */
#define SPOILED_RATIO 3.0
#define SPOILED_CPU_S_PER_GIB 0.5
/* The level: a tenth of all parts whose CPU is known costs no more. */
#define CHEAP_SHARE 10
/* In a part with less than this share of the mean, CPU per byte says nothing. */
#define CPU_BYTES_RATIO 0.1
/* With fewer parts there is no level. */
#define PARTS_MIN 6
/* The CPU clocks of so many workers are read in one sample; of more, in turn. */
#define WORKERS_PER_SAMPLE 64

static double per_gib(double cpu_ns, double bytes)
{
	return bytes > 0 ? cpu_ns / (double)NS_PER_S / (bytes / (double)GIB) : -1;
}

static void make_parts(const struct first_touch_facts *f, struct first_touch *out)
{
	size_t step = f->n_workers / WORKERS_PER_SAMPLE + 1;
	struct series_sample bytes = { 0 };
	struct series_sample cpu = { 0 };

	out->parts = xcalloc(f->n / step + 1, sizeof(*out->parts));
	for (size_t i = step - 1; i < f->n; i += step) {
		out->parts[out->n_parts++] = (struct first_touch_part){
			.start_ns = bytes.at_ns,
			.end_ns = f->bytes[i].at_ns,
			.bytes = (double)(f->bytes[i].count - bytes.count),
			.cpu_ns = (double)(f->cpu_ns[i].count - cpu.count),
		};
		bytes = f->bytes[i];
		cpu = f->cpu_ns[i];
	}
}

static double mean_bytes(const struct first_touch *touch)
{
	double sum = 0;

	for (size_t i = 0; i < touch->n_parts; i++)
		sum += touch->parts[i].bytes;
	return sum / (double)touch->n_parts;
}

/* CPU of a part, -1 if it moved too little to tell. */
static double cost(const struct first_touch_part *part, double least_bytes)
{
	return part->bytes < least_bytes ? -1 : per_gib(part->cpu_ns, part->bytes);
}

/* What the cheap parts cost; -1 if too few are known. */
static double cheap_cost(const struct first_touch *touch, double least_bytes)
{
	double *known = xcalloc(touch->n_parts, sizeof(*known));
	double cheap = -1;
	size_t n = 0;

	for (size_t i = 0; i < touch->n_parts; i++) {
		double c = cost(&touch->parts[i], least_bytes);

		if (c >= 0)
			known[n++] = c;
	}
	series_sort(known, n);
	if (n >= PARTS_MIN)
		cheap = known[n / CHEAP_SHARE];
	free(known);
	return cheap;
}

static bool is_spoiled(const struct first_touch_part *part, size_t n_workers, double least_bytes,
		       double cheap)
{
	double c = cost(part, least_bytes);
	double time_ns = (double)(part->end_ns - part->start_ns) * (double)n_workers;

	return c > SPOILED_RATIO * cheap && c > SPOILED_CPU_S_PER_GIB &&
	       part->cpu_ns >= FIRST_TOUCH_CPU_RATIO * time_ns;
}

static void sum_up(struct first_touch *touch)
{
	double bytes[2] = { 0 };
	double cpu_ns[2] = { 0 };

	for (size_t i = 0; i < touch->n_parts; i++) {
		const struct first_touch_part *part = &touch->parts[i];

		bytes[part->is_spoiled] += part->bytes;
		cpu_ns[part->is_spoiled] += part->cpu_ns;
		if (part->is_spoiled)
			touch->spoiled_ns += part->end_ns - part->start_ns;
	}
	touch->spoiled_bytes = bytes[true];
	touch->spoiled_cpu_s_per_gib = per_gib(cpu_ns[true], bytes[true]);
	touch->other_cpu_s_per_gib = per_gib(cpu_ns[false], bytes[false]);
}

void first_touch_find(const struct first_touch_facts *facts, struct first_touch *out)
{
	double least_bytes, cheap;

	*out = (struct first_touch){ .spoiled_cpu_s_per_gib = -1, .other_cpu_s_per_gib = -1 };
	if (facts->n == 0)
		return;
	make_parts(facts, out);
	if (out->n_parts == 0)
		return;
	least_bytes = CPU_BYTES_RATIO * mean_bytes(out);
	cheap = cheap_cost(out, least_bytes);
	for (size_t i = 0; i < out->n_parts && cheap >= 0; i++)
		out->parts[i].is_spoiled =
			is_spoiled(&out->parts[i], facts->n_workers, least_bytes, cheap);
	sum_up(out);
}

void first_touch_done(struct first_touch *touch)
{
	free(touch->parts);
	*touch = (struct first_touch){ 0 };
}

int64_t first_touch_ns(const struct first_touch *touch, int64_t from_ns, int64_t to_ns)
{
	int64_t sum = 0;

	for (size_t i = 0; i < touch->n_parts; i++) {
		const struct first_touch_part *part = &touch->parts[i];
		int64_t start = part->start_ns > from_ns ? part->start_ns : from_ns;
		int64_t end = part->end_ns < to_ns ? part->end_ns : to_ns;

		if (part->is_spoiled && end > start)
			sum += end - start;
	}
	return sum;
}
