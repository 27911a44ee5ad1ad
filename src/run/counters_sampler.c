/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters_sampler - the counters of the block devices while a phase runs
 */
#include "counters.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "iotest/fd.h"
#include "iotest/xalloc.h"
#include "blockstat.h"
#include "procfile.h"

struct sampled {
	char *name;
	int fd; /* -1: it does not tell, or no longer */
	bool is_leaf;
	bool is_top;
	bool is_told_not_to_count;
	int64_t begin_read_bytes;
	int64_t begin_written_bytes;
	int64_t read_bytes; /* since the begin; -1 */
	int64_t written_bytes;
	int64_t in_flight;
};

struct counters_sampler {
	struct sampled *items;
	size_t n_items;
	bool is_leaf_unknown; /* one of the lowest is not sampled */
};

static void stop(struct sampled *one)
{
	fd_close(&one->fd);
	one->read_bytes = -1;
	one->written_bytes = -1;
	one->in_flight = -1;
}

static void add(struct counters_sampler *sampler, const char *blocks,
		const struct device_count *count)
{
	struct sampled *one = XGROW(&sampler->items, &sampler->n_items);
	char path[512];

	*one = (struct sampled){
		.name = xstrdup(count->name),
		.fd = -1,
		.is_leaf = count->is_leaf > 0,
		.is_top = count->is_top > 0,
		.is_told_not_to_count = blockstat_is_told_not_to_count(blocks, count->name),
		.begin_read_bytes = count->read_bytes,
		.begin_written_bytes = count->written_bytes,
	};
	if (count->read_bytes >= 0 && count->written_bytes >= 0 &&
	    blockstat_path(path, sizeof(path), blocks, count->name, "stat") == 0)
		one->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (one->fd < 0)
		stop(one);
}

struct counters_sampler *counters_sampler_open_at(const struct counters_place *place,
						  const struct phase *phase)
{
	struct counters_sampler *sampler = xcalloc(1, sizeof(*sampler));

	for (size_t i = 0; i < phase->n_devices; i++) {
		const struct device_count *count = &phase->devices[i];

		if (count->name[0] != '/')
			add(sampler, place->blocks, count);
		else if (count->is_leaf > 0)
			sampler->is_leaf_unknown = true;
	}
	return sampler;
}

/* A device that went, or whose counts went back, was replaced: it is not taken up again. */
static void sample(struct sampled *one)
{
	int64_t fields[BLOCKSTAT_FIELDS];
	char text[BLOCKSTAT_TEXT_SIZE];
	int64_t read_bytes, written_bytes;

	if (one->fd < 0)
		return;
	if (procfile_read_again(one->fd, text, sizeof(text)) || blockstat_parse(text, fields)) {
		stop(one);
		return;
	}
	read_bytes = fields[BLOCKSTAT_READ_BYTES] - one->begin_read_bytes;
	written_bytes = fields[BLOCKSTAT_WRITE_BYTES] - one->begin_written_bytes;
	if (read_bytes < one->read_bytes || written_bytes < one->written_bytes) {
		stop(one);
		return;
	}
	one->read_bytes = read_bytes;
	one->written_bytes = written_bytes;
	one->in_flight = fields[BLOCKSTAT_IN_FLIGHT];
}

/* Told not to count, and it did not: that is no zero. */
static bool is_unknown(const struct sampled *one)
{
	return one->fd < 0 ||
	       (one->is_told_not_to_count && one->read_bytes == 0 && one->written_bytes == 0);
}

static void add_text(struct buf *devices, const struct sampled *one)
{
	if (is_unknown(one))
		buf_printf(devices, "%s=-1/-1/-1", one->name);
	else
		buf_printf(devices, "%s=%" PRId64 "/%" PRId64 "/%" PRId64, one->name,
			   one->read_bytes, one->written_bytes, one->in_flight);
}

int64_t counters_sampler_top_bytes(const struct counters_sampler *sampler)
{
	int64_t bytes = 0;
	bool any = false;

	for (size_t i = 0; i < sampler->n_items; i++) {
		const struct sampled *one = &sampler->items[i];

		if (!one->is_top)
			continue;
		if (is_unknown(one) || __builtin_add_overflow(bytes, one->read_bytes, &bytes) ||
		    __builtin_add_overflow(bytes, one->written_bytes, &bytes))
			return -1;
		any = true;
	}
	return any ? bytes : -1;
}

static void add_up(const struct counters_sampler *sampler, struct series_point *point)
{
	bool is_known = !sampler->is_leaf_unknown;
	int64_t read_bytes = 0, written_bytes = 0;
	size_t n_leaves = 0;

	for (size_t i = 0; i < sampler->n_items; i++) {
		const struct sampled *one = &sampler->items[i];

		if (!one->is_leaf)
			continue;
		n_leaves++;
		is_known =
			is_known && !is_unknown(one) &&
			!__builtin_add_overflow(read_bytes, one->read_bytes, &read_bytes) &&
			!__builtin_add_overflow(written_bytes, one->written_bytes, &written_bytes);
	}
	is_known = is_known && n_leaves > 0;
	point->device_read_bytes = is_known ? read_bytes : -1;
	point->device_written_bytes = is_known ? written_bytes : -1;
}

void counters_sample(struct counters_sampler *sampler, struct series_point *point,
		     struct buf *devices)
{
	for (size_t i = 0; i < sampler->n_items; i++) {
		sample(&sampler->items[i]);
		if (i > 0)
			buf_add_text(devices, " ");
		add_text(devices, &sampler->items[i]);
	}
	add_up(sampler, point);
}

void counters_sampler_close(struct counters_sampler **sampler)
{
	struct counters_sampler *s = *sampler;

	*sampler = NULL;
	if (!s)
		return;
	for (size_t i = 0; i < s->n_items; i++) {
		fd_close(&s->items[i].fd);
		free(s->items[i].name);
	}
	free(s->items);
	free(s);
}
