/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proof - where the bytes of a phase came from, or went to
 *
 * Two counters are asked, because either can be fooled: what the processes caused to be moved, and
 * what the lowest known devices moved. docs/METHOD.md has the argument.
 */
#include "proof.h"

#include <string.h>

#include "iotest/wordlist.h"
#include "stats.h"

/* Above this share of the page cache a file does not count as dropped. */
#define RESIDENT_RATIO_MAX (1 - PROOF_RATIO_MIN)

static bool has_option(const struct target *t, const char *option)
{
	return wordlist_has(text_of(t->mount_options), option, strlen(option));
}

static bool caches(const struct device *d)
{
	return d->kind == DEVICE_MEMORY || (d->kind == DEVICE_LOOP && d->direct_io != 1);
}

/* Somewhere below, this host's memory can answer in place of the storage. */
static bool chain_caches(const struct target *t)
{
	for (size_t i = 0; t && i < t->n_devices; i++)
		if (caches(&t->devices[i]))
			return true;
	return false;
}

static const struct device *find_device(const struct target *t, const char *name)
{
	for (size_t i = 0; t && i < t->n_devices; i++)
		if (!strcmp(text_of(t->devices[i].name), name))
			return &t->devices[i];
	return NULL;
}

/* Bytes that all lowest devices moved; -1 if one does not tell, or moves nothing but memory. */
static int64_t leaf_bytes(const struct target *t, const struct phase *phase, bool is_read)
{
	int64_t sum = -1;

	for (size_t i = 0; i < phase->n_devices; i++) {
		const struct device_count *count = &phase->devices[i];
		const struct device *device = find_device(t, text_of(count->name));
		int64_t bytes = is_read ? count->read_bytes : count->written_bytes;

		if (count->is_leaf != 1)
			continue;
		if (bytes < 0 || (device && caches(device)))
			return -1;
		sum = stats_plus(sum, bytes);
	}
	return sum;
}

static int64_t own_bytes(const struct phase *phase)
{
	int64_t sum = -1;

	for (size_t i = 0; i < phase->n_workers; i++) {
		int64_t own = phase->workers[i].storage_bytes;

		if (own < 0)
			return -1;
		/* Read ahead beyond a cut, or by others on the same file, is not this worker's. */
		sum = stats_plus(sum,
				 own < phase->workers[i].bytes ? own : phase->workers[i].bytes);
	}
	return sum;
}

static double ratio(int64_t part, int64_t bytes)
{
	if (part < 0 || bytes <= 0)
		return -1;
	return part >= bytes ? 1 : (double)part / (double)bytes;
}

/* Direct access to persistent memory goes past the block layer and its counters. */
static bool counts(const struct target *t)
{
	return t && !has_option(t, "dax") && !has_option(t, "dax=always");
}

double proof_uncached_ratio(const struct report *r, int64_t bytes)
{
	const struct target *t = plan_target(r->host, r->plan);
	int64_t leaf = leaf_bytes(t, &r->run->read, true);
	int64_t own = own_bytes(&r->run->read);

	if (!counts(t) || chain_caches(t) || leaf < 0 || own < 0)
		return -1;
	return ratio(own < leaf ? own : leaf, bytes);
}

/* The processes' own counter says what was made dirty, so the devices alone can tell. */
double proof_written_ratio(const struct report *r, int64_t bytes)
{
	const struct target *t = plan_target(r->host, r->plan);

	return counts(t) ? ratio(leaf_bytes(t, &r->run->write, false), bytes) : -1;
}

const char *proof_write_reason(const struct report *r, const struct phase_rates *rates)
{
	const struct target *t = plan_target(r->host, r->plan);

	if (t && target_is_in_memory(t))
		return "the target lies in memory: nothing was written to a storage";
	if (t && (has_option(t, "volatile") || has_option(t, "fsync=volatile")))
		return "the overlay is mounted volatile: fsync does not wait for the storage";
	if (chain_caches(t) && (has_option(t, "nobarrier") || has_option(t, "barrier=0")))
		return "mounted without barriers on a device that caches: fsync does not wait "
		       "for the storage";
	if (rates->written_ratio >= 0 && rates->written_ratio < PROOF_RATIO_MIN)
		return "part of it had not reached the storage when fsync came back";
	return "";
}

bool proof_fits_in_memory(const struct report *r)
{
	int64_t bytes = r->write.bytes >= 0 ? r->write.bytes : r->plan->total_bytes;
	int64_t memory = r->host->memory_bytes > 0 ? r->host->memory_bytes : r->plan->cache_bytes;

	return memory > 0 && bytes >= 0 && bytes <= memory;
}

/* Pages that a network client reads are charged to the reader's control group; what a daemon or a
 * file system of its own caches is not. */
static int64_t memory_that_caches(const struct report *r, const struct target *t)
{
	bool is_client = t && t->kind == TARGET_NETWORK && strncmp(text_of(t->fs_type), "fuse", 4);

	return is_client ? host_cache_bytes(r->host) : r->host->memory_bytes;
}

static const char *by_size(const struct report *r, const struct target *t, int64_t bytes)
{
	const struct phase *read = &r->run->read;
	int64_t memory = memory_that_caches(r, t);

	if (read->resident_bytes > 0 &&
	    (double)read->resident_bytes > RESIDENT_RATIO_MAX * (double)bytes)
		return "part of the files was still in the page cache";
	if (memory < 0 || bytes <= memory)
		return "not proved here: no device counters tell, and memory could hold what was "
		       "read";
	return "";
}

const char *proof_read_reason(const struct report *r, const struct phase_rates *rates)
{
	const struct target *t = plan_target(r->host, r->plan);

	if (t && target_is_in_memory(t))
		return "the target lies in memory: nothing was read from a storage";
	if (chain_caches(t))
		return "not proved here: a device below caches in this host's memory";
	if (rates->uncached_ratio < 0)
		return by_size(r, t, rates->bytes);
	if (rates->uncached_ratio >= PROOF_RATIO_MIN)
		return "";
	if (rates->uncached_ratio < 0.01)
		return "it came from this host's memory, not from the storage";
	return "part of it came from this host's memory, not from the storage";
}
