/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mode - which test it is, which phases it has, and how its workers do their I/O
 */
#include "mode.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "iotest/units.h"
#include "iotest/xalloc.h"
#include "bounds.h"
#include "quick.h"
#include "wishes.h"

bool mode_is_bounded(const struct plan *p)
{
	return p->mode == MODE_QUICK || p->mode == MODE_PROVE;
}

double mode_passes(const struct plan *p)
{
	if (p->mixed_read_percent >= 0)
		return 1 + (double)p->mixed_read_percent / 100;
	return p->judges_read == 1 ? 2 : 1;
}

static void add_data(const struct io_spec *io, struct buf *id)
{
	switch ((enum data_kind)io->data) {
	case DATA_ZEROS:
		buf_add_text(id, "+zeros");
		break;
	case DATA_COMPRESSIBLE:
		buf_printf(id, "+compressible%" PRId64, io->compressible_percent);
		break;
	case DATA_FILE:
		buf_add_text(id, "+file");
		break;
	case DATA_UNIQUE:
	case DATA_KIND_COUNT:
		break;
	}
}

/* A bound of memory or rate changes what is measured. */
static void add_bounds(const struct plan *p, struct buf *id)
{
	if (p->max_dirty_bytes > 0 && p->max_dirty_bytes % MIB == 0)
		buf_printf(id, "+dirty%" PRId64 "MiB", p->max_dirty_bytes / MIB);
	else if (p->max_dirty_bytes > 0)
		buf_printf(id, "+dirty%" PRId64 "B", p->max_dirty_bytes);
	if (p->max_rate_mib_per_s > 0)
		buf_printf(id, "+rate%" PRId64 "MiB", p->max_rate_mib_per_s);
	if (p->gentle)
		buf_add_text(id, "+gentle");
}

void mode_name_method(struct plan *p)
{
	/* The number goes up whenever the same storage would get other rates. */
	static const char *const methods[] = {
		[MODE_FULL] = "full/2",
		[MODE_QUICK] = "quick/1",
		[MODE_PROVE] = "prove/1",
		[MODE_FILE] = "file/1",
	};
	_Static_assert(ARRAY_LEN(methods) == MODE_COUNT, "a method for every mode");
	struct buf id = { 0 };

	buf_add_text(&id, methods[p->mode]);
	if (p->io.pages_per_transfer > 1)
		buf_printf(&id, "+pages%" PRId64, p->io.pages_per_transfer);
	if (p->io.direct)
		buf_add_text(&id, "+direct");
	if (p->io.dsync)
		buf_add_text(&id, "+dsync");
	if (p->io.order == ORDER_RANDOM)
		buf_add_text(&id, "+random");
	if (!p->io.drop_cache)
		buf_add_text(&id, "+cached");
	if (p->mixed_read_percent >= 0)
		buf_printf(&id, "+mixed%" PRId64, p->mixed_read_percent);
	if (p->together)
		buf_add_text(&id, "+together");
	if (p->io.pin)
		buf_add_text(&id, "+pin");
	add_data(&p->io, &id);
	if (p->judges_write != p->judges_read)
		buf_add_text(&id, p->judges_write ? "+write" : "+read");
	add_bounds(p, &id);
	p->method = buf_take(&id);
}

static int take_phases(const struct plan_wishes *w, struct plan *p, struct err *err)
{
	bool writes;
	bool reads;
	int rc = wishes_phases(w->phases, &writes, &reads, err);

	if (rc)
		return rc;
	p->mixed_read_percent = w->mixed_read_percent;
	p->judges_write = writes && p->mixed_read_percent < 0;
	p->judges_read = reads && p->mixed_read_percent < 0;
	return 0;
}

static int take_io(const struct host *host, const struct plan_wishes *w, struct plan *p,
		   struct err *err)
{
	int rc;

	p->io = (struct io_spec){
		.block_bytes = p->block_bytes,
		.pages_per_transfer = 1,
		.integrity = w->integrity,
		.direct = w->direct,
		.fsync_in_window = 1,
		.drop_cache = 1,
		.window_bytes = -1,
		.piece_bytes = -1,
		.pace_bytes_per_s = -1,
		.pin = w->pin,
	};
	rc = wishes_data(w->data, &p->io, err);
	if (rc)
		return rc;
	if (!w->pin || host->n_cores > 0)
		return 0;
	err_say(err, -ENODATA, "--pin: the cores could not be told apart");
	err_advise(err, "run it without --pin");
	return -ENODATA;
}

static int take_pace(struct plan *p, struct err *err)
{
	if (p->mode != MODE_PROVE)
		return 0;
	if (quick_pace(p->requirement_mib_per_s, p->cores, p->workers, &p->io.pace_bytes_per_s))
		return err_usage(err, "--prove: %.4g MiB/s per core are more than can be paced",
				 p->requirement_mib_per_s);
	return 0;
}

static void take_budgets(struct plan *p)
{
	if (!mode_is_bounded(p))
		return;
	if (p->time_limit_ns < 0)
		p->time_limit_ns = QUICK_LIMIT_NS;
	p->write_budget_ns = quick_budget_ns(p->time_limit_ns);
	p->read_budget_ns = quick_budget_ns(p->time_limit_ns);
	p->until_steady = p->mode == MODE_QUICK;
}

int mode_take(const struct host *host, const struct plan_wishes *w, int64_t n_at_once,
	      struct plan *p, struct err *err)
{
	int rc;

	p->mode = MODE_FULL;
	if (w->quick)
		p->mode = MODE_QUICK;
	if (w->prove)
		p->mode = MODE_PROVE;
	p->repeat = w->repeat > 0 ? w->repeat : 1;
	p->together = w->together;
	p->light = w->light;
	p->until_steady = 0;
	p->gentle = w->gentle;
	rc = take_phases(w, p, err);
	if (!rc)
		rc = take_io(host, w, p, err);
	if (!rc)
		rc = take_pace(p, err);
	if (!rc)
		rc = bounds_take_rate(w, n_at_once, p, err);
	if (!rc)
		rc = bounds_take_dirty(w, n_at_once, p, err);
	if (rc)
		return rc;
	take_budgets(p);
	bounds_take_patience(p);
	mode_name_method(p);
	return 0;
}
