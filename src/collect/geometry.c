/* SPDX-License-Identifier: Apache-2.0 */
/*
 * geometry - how XFS is laid out below the targets: stripe unit and width, allocation groups, log
 *
 * Any user may ask for it. ext4 tells the like in /sys/fs/ext4.
 */
#include "items.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "iotest/fd.h"

/* The kernel's answer to XFS_IOC_FSGEOMETRY_V1, in the order of its members; counts are blocks. */
struct xfs_geometry {
	uint32_t block_bytes;
	uint32_t realtime_extent;
	uint32_t group_blocks;
	uint32_t groups;
	uint32_t log_blocks;
	uint32_t sector_bytes;
	uint32_t inode_bytes;
	uint32_t inode_max_percent;
	uint64_t data_blocks;
	uint64_t realtime_blocks;
	uint64_t realtime_extents;
	uint64_t log_start; /* 0: the log is on another device */
	unsigned char uuid[16];
	uint32_t stripe_unit;
	uint32_t stripe_width;
	int32_t version;
	uint32_t flags;
	uint32_t log_sector_bytes;
	uint32_t realtime_sector_bytes;
	uint32_t directory_block_bytes;
};
#define XFS_GEOMETRY _IOR('X', 100, struct xfs_geometry)

static void add_geometry(const struct target *t, struct buf *out)
{
	CLEANUP(fd_close) int fd = open(text_of(t->path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct xfs_geometry g = { 0 };

	buf_add_text(out, "path=");
	buf_add_visible(out, text_of(t->path));
	if (fd < 0 || ioctl(fd, XFS_GEOMETRY, &g)) {
		buf_printf(out, "\nerror=%d\n", errno);
		return;
	}
	buf_printf(out,
		   "\nblock_bytes=%" PRIu32 "\nsector_bytes=%" PRIu32 "\ndata_blocks=%" PRIu64
		   "\ngroups=%" PRIu32 "\ngroup_blocks=%" PRIu32 "\nlog_blocks=%" PRIu32
		   "\nlog_is_internal=%d\nstripe_unit_blocks=%" PRIu32
		   "\nstripe_width_blocks=%" PRIu32 "\ninode_bytes=%" PRIu32
		   "\nrealtime_blocks=%" PRIu64 "\n",
		   g.block_bytes, g.sector_bytes, g.data_blocks, g.groups, g.group_blocks,
		   g.log_blocks, g.log_start != 0, g.stripe_unit, g.stripe_width, g.inode_bytes,
		   g.realtime_blocks);
}

int geometry_fill(const struct host *host, struct buf *out)
{
	for (size_t i = 0; i < host->n_targets; i++)
		if (strcmp(text_of(host->targets[i].fs_type), "xfs") == 0)
			add_geometry(&host->targets[i], out);
	return 0;
}
