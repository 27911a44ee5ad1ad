/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io_limit - whether a phase came near an I/O limit of the control groups
 *
 * A limit that is set, but far above the rate or for another device, explains nothing. It is
 * compared with what the device that it names moved, and not with what the workers did: a file
 * system may write twice, and others may use other devices.
 */
#include "io_limit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/compiler.h"
#include "iotest/units.h"
#include "proof.h"
#include "stats.h"

#define REACHED_RATIO 0.8
/* What is far above a limit was not held by it: it is not for this kind of I/O. */
#define EXCEEDED_RATIO 1.25
/* Less is the same limit, worded in another unit. */
#define CHANGED_RATIO 0.01
/* Of what a file system writes of its own. */
#define OWN_METADATA_FACTOR 1.1

/* "100 MiB/s" or "500 IOPS", as they stand in host.io_limits; false if it is neither. */
static bool parse_limit(const char *at, double *value, bool *is_bytes)
{
	static const struct {
		const char *unit;
		double factor;
		bool is_bytes;
	} units[] = {
		{ "IOPS", 1, false },
		{ "B/s", 1, true },
		{ "KiB/s", 1024.0, true },
		{ "MiB/s", 1048576.0, true },
		{ "GiB/s", 1073741824.0, true },
		{ "TiB/s", 1099511627776.0, true },
	};
	char *end;
	double number = strtod(at, &end);

	if (end == at || !isfinite(number) || number <= 0)
		return false;
	end += strspn(end, " ");
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		size_t len = strlen(units[i].unit);

		if (strncmp(end, units[i].unit, len) || (end[len] && end[len] != ';'))
			continue;
		*value = number * units[i].factor;
		*is_bytes = units[i].is_bytes;
		return true;
	}
	return false;
}

/* With no list of devices, any number may be that of the target. */
static bool is_of_target(const struct report *r, const char *number, size_t len)
{
	const struct target *t = plan_target(r->host, r->plan);

	for (size_t i = 0; t && i < t->n_devices; i++) {
		const char *own = text_of(t->devices[i].number);

		if (strlen(own) == len && !strncmp(own, number, len))
			return true;
	}
	return !t || t->n_devices == 0;
}

/* One entry, "8:16 read 100 MiB/s", for a device of the target; count is NULL where that device
 * counts nothing. */
struct io_limit {
	const char *entry;
	size_t len;
	const struct device_count *count;
	bool is_read;
	bool is_bytes;
	double per_s;
};

static const struct device_count *count_of(const struct report *r, int kind, const char *number,
					   size_t len)
{
	const struct target *t = plan_target(r->host, r->plan);
	const struct phase *phase = run_phase_const(r->run, kind);

	for (size_t i = 0; t && i < t->n_devices; i++) {
		const char *own = text_of(t->devices[i].number);

		if (strlen(own) != len || strncmp(own, number, len) != 0)
			continue;
		for (size_t k = 0; k < phase->n_devices; k++)
			if (!strcmp(text_of(phase->devices[k].name), text_of(t->devices[i].name)))
				return &phase->devices[k];
	}
	return NULL;
}

static bool parse_entry(const struct report *r, int kind, const char *entry, struct io_limit *out)
{
	size_t len = strcspn(entry, " ");
	const char *way = entry + len + strspn(entry + len, " ");

	out->entry = entry;
	out->len = strcspn(entry, ";");
	out->is_read = !strncmp(way, "read ", 5);
	if (!is_of_target(r, entry, len) || (!out->is_read && strncmp(way, "write ", 6) != 0))
		return false;
	out->count = count_of(r, kind, entry, len);
	return parse_limit(way + (out->is_read ? 5 : 6), &out->per_s, &out->is_bytes);
}

/* The most that was ours of what a device moved this way: what was asked for or read ahead, with
 * the copies that the file system writes; -1 not known. */
static double most_of_ours(const struct report *r, int kind, bool is_read)
{
	double ours = (double)proof_bytes(r, kind, is_read);
	int64_t copies = is_read ? 1 : proof_copies(r, false);
	const struct phase *phase = run_phase_const(r->run, kind);
	double fetched = 0;

	for (size_t i = 0; is_read && i < phase->n_workers; i++)
		fetched += (double)phase->workers[i].storage_bytes;
	if (ours < 0 || copies < 0)
		return -1;
	if (kind != PHASE_MIXED && fetched > ours)
		ours = fetched;
	return OWN_METADATA_FACTOR * ours * (double)copies;
}

/* Bytes, or operations, of the phase at the device of the limit; -1 not known. */
static double moved(const struct report *r, int kind, const struct io_limit *limit)
{
	const struct device_count *d = limit->count;
	double bytes = d ? (double)(limit->is_read ? d->read_bytes : d->written_bytes) : -1;
	double ours = most_of_ours(r, kind, limit->is_read);
	bool is_shared = ours >= 0 && bytes > ours;

	if (bytes < 0)
		return limit->is_bytes ? (double)proof_bytes(r, kind, limit->is_read) : -1;
	if (limit->is_bytes)
		return is_shared ? ours : bytes;
	/* How many of the operations were those of others cannot be told. */
	return is_shared ? -1 : (double)(limit->is_read ? d->read_ops : d->write_ops);
}

/* What was set when the phase was over; reports of older versions have only what was set at the
 * begin of all. */
static const char *limits_after(const struct report *r, int kind)
{
	const char *after = text_of(run_phase_const(r->run, kind)->io_limits);

	return *after ? after : text_of(r->host->io_limits);
}

/* And what was set when the one before it was over. */
static const char *limits_before(const struct report *r, int kind)
{
	while (kind-- > 0)
		if (*text_of(run_phase_const(r->run, kind)->io_limits))
			return run_phase_const(r->run, kind)->io_limits;
	return text_of(r->host->io_limits);
}

static const char *next_entry(const char *entry)
{
	entry += strcspn(entry, ";");
	return entry + strspn(entry, "; ");
}

/* The limit that was there before, for the same; false if there was none. */
static bool find_before(const struct report *r, int kind, const struct io_limit *limit,
			struct io_limit *out)
{
	size_t len = strcspn(limit->entry, " ");

	for (const char *entry = limits_before(r, kind); *entry; entry = next_entry(entry))
		if (strcspn(entry, " ") == len && !strncmp(entry, limit->entry, len) &&
		    parse_entry(r, kind, entry, out) && out->is_read == limit->is_read &&
		    out->is_bytes == limit->is_bytes)
			return true;
	return false;
}

static void say(const struct io_limit *limit, const struct io_limit *before, double per_s,
		struct buf *text)
{
	buf_printf(text, "the control group allows %.*s", (int)limit->len, limit->entry);
	if (before)
		buf_printf(text, " (%.*s before)", (int)before->len, before->entry);
	buf_add_text(text, "; the phase did ");
	if (limit->is_bytes)
		stats_add_rate(text, per_s / (double)MIB);
	else
		buf_printf(text, "%.0f %s/s", per_s, limit->is_read ? "reads" : "writes");
	if (limit->count)
		buf_printf(text, " at %s", text_of(limit->count->name));
}

/* Of a limit that was changed in the meantime, the rate lies between the two. */
static bool is_reached(const struct report *r, int kind, const struct io_limit *limit, double per_s,
		       struct buf *text)
{
	struct io_limit before;
	bool is_changed = find_before(r, kind, limit, &before) &&
			  fabs(before.per_s - limit->per_s) > CHANGED_RATIO * limit->per_s;
	double other = is_changed ? before.per_s : limit->per_s;
	double least = other < limit->per_s ? other : limit->per_s;
	double most = other > limit->per_s ? other : limit->per_s;

	if (per_s < REACHED_RATIO * least || per_s > EXCEEDED_RATIO * most)
		return false;
	say(limit, is_changed ? &before : NULL, per_s, text);
	return true;
}

bool io_limit_reached(const struct report *r, int kind, double mib_per_s, struct buf *text)
{
	const struct phase_rates *rates = report_rates_const(r, kind);
	double seconds = units_seconds(rates->elapsed_ns);
	/* What is judged may be what remained after a burst. */
	double part = rates->aggregate_mib_per_s > 0 ? mib_per_s / rates->aggregate_mib_per_s : 1;
	const char *entry;

	for (entry = limits_after(r, kind); *entry; entry = next_entry(entry)) {
		struct io_limit limit;

		if (!parse_entry(r, kind, entry, &limit) ||
		    (kind != PHASE_MIXED && limit.is_read != phase_kind_reads(kind)))
			continue;
		if (is_reached(r, kind, &limit, moved(r, kind, &limit) / seconds * part, text))
			return true;
	}
	return false;
}

static void add_own(const struct report *r, const char *limits, struct buf *out)
{
	for (const char *entry = limits; *entry; entry = next_entry(entry)) {
		if (!is_of_target(r, entry, strcspn(entry, " ")) || !strchr(entry, ' '))
			continue;
		buf_add_text(out, out->len ? "; " : "");
		buf_add(out, entry, strcspn(entry, ";"));
	}
}

void io_limit_add_own(const struct report *r, struct buf *out)
{
	CLEANUP(buf_done) struct buf before = { 0 };

	add_own(r, text_of(r->host->io_limits), &before);
	buf_add_text(out, buf_text(&before));
	for (int kind = 0; kind < PHASE_COUNT; kind++) {
		const char *later = text_of(run_phase_const(r->run, kind)->io_limits);
		CLEANUP(buf_done) struct buf now = { 0 };

		add_own(r, later, &now);
		if (!*later || !strcmp(buf_text(&now), buf_text(&before)))
			continue;
		buf_printf(out, "%s%s after the %s phase", out->len ? "; " : "",
			   now.len ? buf_text(&now) : PHASE_IO_LIMITS_NONE, phase_kind_name(kind));
		buf_done(&before);
		before = now;
		now = (struct buf){ 0 };
	}
}
