/* SPDX-License-Identifier: Apache-2.0 */
/*
 * medium - how fast what lies below a target can read at most
 *
 * The kernel takes everything for rotating that does not say otherwise: virtual disks, volumes of
 * RAID controllers and LUNs of arrays as well. Only what looks like one disk is held for one.
 */
#include "medium.h"

#include <string.h>

#include "iotest/compiler.h"

/* The fastest rotating disks read 300 MiB/s from their outer tracks, with two actuators 500. */
#define ROTATING_MIB_PER_S 400
/* PCIe 5.0 x4 carries 15.75 GB/s. */
#define DISK_MIB_PER_S (16 * 1024)

/* Parts of model names of what is many disks, or none. */
static const char *const not_disks[] = {
	"PERC",	   "RAID",    "MegaR", "LOGICAL", "Logical",	  "VOLUME", "Volume", "VIRTUAL",
	"Virtual", "virtual", "QEMU",  "LUN",	  "Block Device", "SMC",    "MR9",    "AVAGO",
};

static bool is_a_disk(const struct device *d)
{
	if (d->kind != DEVICE_SCSI || !text_of(d->model)[0])
		return false;
	for (size_t i = 0; i < ARRAY_LEN(not_disks); i++)
		if (strstr(d->model, not_disks[i]))
			return false;
	return true;
}

/* Several paths to one LUN. */
static bool is_multipath(const struct target *t)
{
	for (size_t i = 0; i < t->n_devices; i++)
		if (!strncmp(text_of(t->devices[i].dm_uuid), "mpath-", 6))
			return true;
	return false;
}

struct medium medium_of(const struct host *host, const struct target *target)
{
	struct medium m = { .mib_per_s = -1 };
	bool is_real;

	if (!target)
		return m;
	is_real = !text_of(host->os.hypervisor)[0] && !is_multipath(target);
	for (size_t i = 0; i < target->n_devices; i++) {
		const struct device *d = &target->devices[i];

		if (d->is_leaf != 1)
			continue;
		if (is_real && d->rotational == 1 && is_a_disk(d))
			m.n_rotating++;
		else
			m.n_others++;
	}
	if (m.n_rotating + m.n_others > 0)
		m.mib_per_s = (double)m.n_rotating * ROTATING_MIB_PER_S +
			      (double)m.n_others * DISK_MIB_PER_S;
	return m;
}
