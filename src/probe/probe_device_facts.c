/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_device_facts - what a device says of itself: maker, firmware, state, and how full it is
 */
#include "probe_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/dm-ioctl.h>

#include "iotest/xalloc.h"

#define STATUS_SIZE 4096

/* The first file that is there counts. */
static const struct {
	size_t offset;
	const char *file;
	bool is_number;
} facts[] = {
	{ offsetof(struct device, vendor), "device/vendor", false },
	{ offsetof(struct device, firmware), "device/firmware_rev", false },
	{ offsetof(struct device, firmware), "device/rev", false },
	{ offsetof(struct device, serial), "device/serial", false },
	{ offsetof(struct device, serial), "serial", false },
	{ offsetof(struct device, transport), "device/transport", false },
	{ offsetof(struct device, state), "md/array_state", false },
	{ offsetof(struct device, state), "device/state", false },
	{ offsetof(struct device, raid_level), "md/level", false },
	{ offsetof(struct device, missing_members), "md/degraded", true },
	{ offsetof(struct device, queue_depth), "device/queue_depth", true },
};

void device_take_facts(const struct sysroot *root, const char *dir, struct device *d)
{
	for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
		void *member = (char *)d + facts[i].offset;
		int64_t n;

		if (!facts[i].is_number) {
			char **text = member;

			if (!*text_of(*text))
				(void)!sysroot_read_text(root, text, "%s/%s", dir, facts[i].file);
		} else if (sysroot_read_i64(root, &n, "%s/%s", dir, facts[i].file) == 0 && n >= 0) {
			memcpy(member, &n, sizeof(n));
		}
	}
}

/* --- how full thin pools and snapshots are: root may ask device mapper --- */

struct dm_request {
	struct dm_ioctl head;
	char data[STATUS_SIZE];
};

/* One line for each target of the device: "253:3 thin-pool 1 12/4096 100/2000 ...". */
static void add_status(int control, const char *number, struct buf *out)
{
	struct dm_request request = {
		.head = {
			.version = { 4, 0, 0 },
			.data_size = sizeof(request),
			.data_start = sizeof(request.head),
			.flags = DM_NOFLUSH_FLAG,
		},
	};
	unsigned int major, minor;
	size_t at = 0;

	if (sscanf(number, "%u:%u", &major, &minor) != 2)
		return;
	/* As the kernel packs a device number for user space. */
	request.head.dev = (minor & 0xff) | major << 8 | (minor & ~0xffu) << 12;
	if (ioctl(control, DM_TABLE_STATUS, &request) ||
	    (request.head.flags & DM_BUFFER_FULL_FLAG) ||
	    request.head.data_start < sizeof(request.head))
		return;
	for (uint32_t i = 0; i < request.head.target_count; i++) {
		struct dm_target_spec spec;
		const char *start = request.data + (request.head.data_start - sizeof(request.head));

		if (request.head.data_start - sizeof(request.head) + at + sizeof(spec) >=
		    sizeof(request.data))
			return;
		memcpy(&spec, start + at, sizeof(spec));
		buf_printf(out, "%s %.*s %s\n", number, DM_MAX_TYPE_NAME, spec.target_type,
			   start + at + sizeof(spec));
		if (spec.next <= at)
			return;
		at = spec.next;
	}
}

static int status_write(void *context, struct buf *out)
{
	const struct probe *p = context;
	int control = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);

	if (control < 0)
		return -errno;
	for (size_t t = 0; t < p->host->n_targets; t++) {
		const struct target *target = &p->host->targets[t];

		for (size_t i = 0; i < target->n_devices; i++)
			if (target->devices[i].kind == DEVICE_DM)
				add_status(control, text_of(target->devices[i].number), out);
	}
	close(control);
	return 0;
}

/* "100/2000" -> 0.05 */
static double ratio(const char *text)
{
	int64_t used, total;

	if (sscanf(text, "%" SCNd64 "/%" SCNd64, &used, &total) != 2 || used < 0 || total <= 0 ||
	    used > total)
		return -1;
	return (double)used / (double)total;
}

/* The kernel's documents thin-provisioning.rst and snapshot.rst. */
static double used_ratio(const char *status)
{
	int at = 0;

	if (sscanf(status, "thin-pool %*s %*s %n", &at) == 0 && at > 0)
		return ratio(status + at);
	if (sscanf(status, "snapshot %n", &at) == 0 && at > 0 && !strncmp(status, "snapshot ", 9))
		return ratio(status + at);
	return -1;
}

static void take_status(struct target *t, const char *line)
{
	CLEANUP(xfree) char *number = xstrndup(line, strcspn(line, " \n"));
	CLEANUP(xfree) char *status = NULL;
	const char *rest = line + strlen(number);

	rest += *rest == ' ';
	status = xstrndup(rest, strcspn(rest, "\n"));
	for (size_t i = 0; i < t->n_devices; i++)
		if (!strcmp(text_of(t->devices[i].number), number) && used_ratio(status) >= 0)
			t->devices[i].used_ratio = used_ratio(status);
}

static bool has_dm(const struct host *host)
{
	for (size_t t = 0; t < host->n_targets; t++)
		for (size_t i = 0; i < host->targets[t].n_devices; i++)
			if (host->targets[t].devices[i].kind == DEVICE_DM)
				return true;
	return false;
}

void probe_dm_status(struct probe *p)
{
	CLEANUP(buf_done) struct buf fact = { 0 };

	if (!has_dm(p->host) || probe_fact(p->root, "os/dm_status", status_write, p, &fact))
		return;
	for (const char *line = buf_text(&fact); *line; line = next_line(line))
		for (size_t t = 0; t < p->host->n_targets; t++)
			take_status(&p->host->targets[t], line);
}
