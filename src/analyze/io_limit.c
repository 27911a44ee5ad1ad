/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io_limit - whether a phase came near an I/O limit of the control groups
 *
 * A limit that is set, but far above the rate or for another device, explains nothing.
 */
#include "io_limit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/compiler.h"
#include "iotest/units.h"
#include "proof.h"

#define REACHED_RATIO 0.8

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

/* Operations in a second, of the device that did most. */
static double ops_per_s(const struct report *r, int kind, bool is_read)
{
	const struct phase *phase = run_phase_const(r->run, kind);
	int64_t most = 0;

	for (size_t i = 0; i < phase->n_devices; i++) {
		const struct device_count *d = &phase->devices[i];
		int64_t ops = is_read ? d->read_ops : d->write_ops;

		if (ops > most)
			most = ops;
	}
	return (double)most / units_seconds(report_rates_const(r, kind)->elapsed_ns);
}

/* Of the rate, what goes this way. */
static double bytes_per_s(const struct report *r, int kind, bool is_read, double mib_per_s)
{
	int64_t all = report_rates_const(r, kind)->bytes;
	int64_t part = proof_bytes(r, kind, is_read);

	return all > 0 && part > 0 ? mib_per_s * (double)MIB * (double)part / (double)all : 0;
}

/* One entry, "8:16 read 100 MiB/s". */
static bool is_reached(const struct report *r, int kind, double mib_per_s, const char *entry)
{
	size_t len = strcspn(entry, " ");
	const char *way = entry + len + strspn(entry + len, " ");
	bool is_read = !strncmp(way, "read ", 5);
	bool is_bytes;
	double limit;

	if (!is_of_target(r, entry, len) || (!is_read && strncmp(way, "write ", 6) != 0))
		return false;
	if (kind != PHASE_MIXED && is_read != phase_kind_reads(kind))
		return false;
	if (!parse_limit(way + (is_read ? 5 : 6), &limit, &is_bytes))
		return false;
	return (is_bytes ? bytes_per_s(r, kind, is_read, mib_per_s)
			 : ops_per_s(r, kind, is_read)) >= REACHED_RATIO * limit;
}

const char *io_limit_reached(const struct report *r, int phase_kind, double mib_per_s, size_t *len)
{
	const char *entry = text_of(r->host->io_limits);

	while (*entry) {
		*len = strcspn(entry, ";");
		if (is_reached(r, phase_kind, mib_per_s, entry))
			return entry;
		entry += *len;
		entry += strspn(entry, "; ");
	}
	return NULL;
}

void io_limit_add_own(const struct report *r, struct buf *out)
{
	const char *entry = text_of(r->host->io_limits);

	while (*entry) {
		size_t len = strcspn(entry, ";");

		if (is_of_target(r, entry, strcspn(entry, " "))) {
			buf_add_text(out, out->len ? "; " : "");
			buf_add(out, entry, len);
		}
		entry += len;
		entry += strspn(entry, "; ");
	}
}
