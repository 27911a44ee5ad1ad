/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host - the fields of the machine and its targets
 */
#include "iotest/host.h"

#include <stdarg.h>
#include <string.h>

#include "iotest/buf.h"
#include "iotest/plan.h"
#include "iotest/xalloc.h"
#include "tables.h"

static const char *const device_kinds[] = {
	[DEVICE_OTHER] = "other",   [DEVICE_PARTITION] = "partition", [DEVICE_DM] = "dm",
	[DEVICE_MD] = "md",	    [DEVICE_LOOP] = "loop",	      [DEVICE_NVME] = "nvme",
	[DEVICE_VIRTIO] = "virtio", [DEVICE_SCSI] = "scsi",	      [DEVICE_XEN] = "xen",
	[DEVICE_MMC] = "mmc",	    [DEVICE_MEMORY] = "memory",	      [DEVICE_NETWORK] = "network",
};
_Static_assert(ARRAY_LEN(device_kinds) == DEVICE_COUNT, "name every device kind");

static const char *const target_kinds[] = {
	[TARGET_UNKNOWN] = "unknown",	  [TARGET_LOCAL] = "local",
	[TARGET_NETWORK] = "network",	  [TARGET_MEMORY] = "memory",
	[TARGET_USERSPACE] = "userspace", [TARGET_KERNEL] = "kernel",
};
_Static_assert(ARRAY_LEN(target_kinds) == TARGET_COUNT, "name every target kind");

static const struct field note_fields[] = {
	TEXT(note, subject, "what the note is about: cores, memory, target, os"),
	TEXT(note, text, "what could not be learned, or what disagrees"),
};
static const struct schema note_schema = SCHEMA(note, note_fields);

static const struct field kind_fields[] = {
	TEXT(core_kind, name, "kind of core"),
	I64(core_kind, physical_cores, "physical cores of this kind"),
	I64(core_kind, threads, "hardware threads of this kind"),
};
static const struct schema kind_schema = SCHEMA(core_kind, kind_fields);

static const struct field cpu_fields[] = {
	TEXT(cpu, vendor, "vendor as the processor names it"),
	TEXT(cpu, brand, "brand text"),
	TEXT(cpu, architecture, "machine word of uname"),
	I64(cpu, family, "family number"),
	I64(cpu, model, "model number"),
	I64(cpu, stepping, "stepping number"),
	TEXT(cpu, source, "where the identity came from"),
};
static const struct schema cpu_schema = SCHEMA(cpu, cpu_fields);

static const struct field os_fields[] = {
	TEXT(os, kernel, "kernel release"),
	TEXT(os, distribution, "PRETTY_NAME of os-release"),
	TEXT(os, hypervisor, "hypervisor, null on bare metal or if unknown"),
	TEXT(os, container, "kind of container, null outside of one"),
	TEXT(os, system_vendor, "DMI system vendor"),
	TEXT(os, product, "DMI product name, or the device tree's model"),
	TEXT(os, clock_source, "clock source in use"),
	BOOL(os, in_pod, "runs in a Kubernetes pod or on storage of a kubelet"),
	I64(os, uid, "effective user id"),
	I64(os, file_size_limit_bytes, "largest file this process may write, null if unlimited"),
	I64(os, open_files_limit, "open files, soft limit"),
	I64(os, open_files_hard_limit, "open files, hard limit"),
	I64(os, processes_limit, "processes of this user, null if unlimited"),
};
static const struct schema os_schema = SCHEMA(os, os_fields);

static const struct field core_fields[] = {
	TEXT(core, cpus, "its hardware threads that this process may use"),
};
static const struct schema core_schema = SCHEMA(core, core_fields);

static const struct field device_fields[] = {
	TEXT(device, name, "kernel name"),
	ENUM(device, kind, device_kinds, "kind of device"),
	I64(device, parent, "index in this list of the device that lies on it, null for the top"),
	BOOL(device, is_leaf, "nothing known lies below it"),
	TEXT(device, number, "major:minor"),
	TEXT(device, dm_name, "device mapper name"),
	TEXT(device, dm_uuid, "device mapper UUID"),
	TEXT(device, model, "model as the device names it"),
	TEXT(device, backing_file, "file behind a loop device"),
	BOOL(device, direct_io, "the loop device bypasses the page cache of its file"),
	I64(device, size_bytes, "capacity in bytes"),
	BOOL(device, rotational, "the kernel takes it for a rotating disk"),
	I64(device, logical_block_bytes, "logical block size in bytes"),
	I64(device, physical_block_bytes, "physical block size in bytes"),
	I64(device, read_ahead_bytes, "read-ahead in bytes"),
	I64(device, max_transfer_bytes, "largest request in bytes"),
	I64(device, queue_requests, "requests the queue holds"),
	TEXT(device, scheduler, "I/O scheduler in use"),
	TEXT(device, write_cache, "write cache mode the kernel assumes"),
	TEXT(device, vendor, "vendor as the device names it"),
	TEXT(device, firmware, "firmware revision"),
	TEXT(device, serial, "serial number"),
	TEXT(device, transport, "how an NVMe device is reached"),
	TEXT(device, state, "state of a path or an array, as its driver says it"),
	TEXT(device, raid_level, "level of an md array"),
	I64(device, missing_members, "members that an md array lacks"),
	I64(device, queue_depth, "commands that the disk takes at once"),
	DOUBLE(device, used_ratio, "share of its space that a thin pool or snapshot uses, 0 to 1"),
	I64(device, discard_max_bytes, "largest discard in bytes, 0 without discard"),
};
const struct schema device_schema = SCHEMA(device, device_fields);

static const struct field target_fields[] = {
	TEXT(target, given, "directory as given"),
	TEXT(target, path, "directory, absolute and resolved"),
	ENUM(target, kind, target_kinds, "what sort of file system it is"),
	TEXT(target, mount_point, "where that file system is mounted"),
	TEXT(target, mount_source, "mount source"),
	TEXT(target, mount_root, "path inside the file system that the mount shows"),
	TEXT(target, mount_options, "mount options in effect"),
	TEXT(target, fs_type, "file system type"),
	TEXT(target, backing_fs_type, "file system below an overlay or a loop device"),
	TEXT(target, backing_path, "path on that file system"),
	TEXT(target, device_number, "st_dev of the directory"),
	I64(target, size_bytes, "size of the file system in bytes"),
	I64(target, used_bytes, "bytes in use"),
	I64(target, free_bytes, "bytes available to this user"),
	I64(target, inodes, "inodes of the file system"),
	I64(target, free_inodes, "inodes available to this user"),
	BOOL(target, read_only, "mounted read-only"),
	BOOL(target, writable, "this user may create files there"),
	I64(target, xfs_allocsize_bytes, "XFS mount option allocsize in bytes"),
	BOOL(target, compressing, "the file system compresses what is written"),
	I64(target, data_copies, "times that a written byte reaches the topmost devices"),
	TEXT(target, own_cache, "cache of the file system that mincore does not see"),
	LIST(target, devices, &device_schema, "block devices below it, top first"),
};
const struct schema target_schema = SCHEMA(target, target_fields);

static const struct field link_fields[] = {
	TEXT(link, name, "name of the link"),
	TEXT(link, kind, "fibre channel, iscsi, network or infiniband"),
	TEXT(link, state, "state, as the kernel says it"),
	TEXT(link, speed, "speed, as the kernel says it"),
	I64(link, mtu_bytes, "largest packet in bytes"),
};
static const struct schema link_schema = SCHEMA(link, link_fields);

static const struct field setting_fields[] = {
	TEXT(setting, name, "name of the setting"),
	TEXT(setting, value, "its value in effect"),
	TEXT(setting, file, "where it was read"),
};
static const struct schema setting_schema = SCHEMA(setting, setting_fields);

static const struct field place_fields[] = {
	TEXT(sas_place, name, "WORK, UTILLOC, or target for a directory under test"),
	TEXT(sas_place, path, "its directory"),
	TEXT(sas_place, mount_point, "where its file system is mounted"),
	TEXT(sas_place, mount_source, "mount source"),
	TEXT(sas_place, fs_type, "file system type"),
	TEXT(sas_place, volume_group, "volume group of LVM"),
	TEXT(sas_place, disks, "lowest devices below it, separated by blanks"),
};
static const struct schema place_schema = SCHEMA(sas_place, place_fields);

static const struct field share_fields[] = {
	TEXT(sas_share, first, "one place"),
	TEXT(sas_share, second, "another place"),
	TEXT(sas_share, level, "what both lie on: file system, volume group or disk"),
	TEXT(sas_share, what, "its name"),
};
static const struct schema share_schema = SCHEMA(sas_share, share_fields);

static const struct field sas_fields[] = {
	TEXT(sas, config, "configuration files that were read, separated by blanks"),
	TEXT(sas, work, "directory of WORK"),
	TEXT(sas, utilloc, "directories of UTILLOC, as configured"),
	TEXT(sas, memsize, "MEMSIZE as written"),
	TEXT(sas, bufsize, "BUFSIZE as written"),
	I64(sas, processes, "SAS processes that ran before the test"),
	LIST(sas, places, &place_schema, "the places and what they lie on"),
	LIST(sas, shares, &share_schema, "places that lie on the same storage"),
};
static const struct schema sas_schema = SCHEMA(sas, sas_fields);

static const struct field host_fields[] = {
	TEXT(host, name, "node name"),
	I64(host, physical_cores, "physical cores this process may use; the test is sized by them"),
	I64(host, threads, "hardware threads this process may use"),
	TEXT(host, allowed_cpus, "numbers of those threads"),
	I64(host, physical_cores_total, "physical cores of the machine that are online"),
	I64(host, threads_total, "hardware threads of the machine that are online"),
	I64(host, sockets, "processor packages"),
	I64(host, numa_nodes, "NUMA nodes"),
	TEXT(host, online_cpus, "numbers of the threads online"),
	LIST(host, core_kinds, &kind_schema, "kinds of core of a hybrid machine, else empty"),
	LIST(host, cores, &core_schema, "the physical cores this process may use"),
	TEXT(host, cores_source, "which source decided physical_cores"),
	I64(host, physical_cores_hwloc, "cross-check: cores of the machine by hwloc"),
	I64(host, physical_cores_cpuinfo, "cross-check: cores of the machine by /proc/cpuinfo"),
	STRUCT(host, cpu, &cpu_schema, "identity of the processor"),
	DOUBLE(host, cpu_quota_cores, "CPU quota of the control group in cores, null for none"),
	TEXT(host, cpu_quota_source, "file the quota came from"),
	TEXT(host, io_limits, "I/O limits of the control groups on devices, null for none"),
	TEXT(host, io_limits_source, "files they came from"),
	I64(host, memory_bytes, "MemTotal in bytes"),
	I64(host, memory_available_bytes, "MemAvailable in bytes"),
	I64(host, hugepages_bytes, "memory reserved as huge pages in bytes"),
	I64(host, swap_bytes, "swap space in bytes"),
	I64(host, memory_limit_bytes, "tightest memory limit of the control groups, null for none"),
	TEXT(host, memory_limit_source, "file the limit came from"),
	I64(host, memory_limit_used_bytes, "memory in use within that limit"),
	I64(host, memory_high_bytes, "tightest memory.high, null for none"),
	TEXT(host, cgroup, "own control group"),
	I64(host, dirty_limit_bytes, "dirty bytes at which writers are held up"),
	TEXT(host, tuned_profile, "active profile of tuned"),
	TEXT(host, scanners, "programs and modules seen that look into files on access"),
	LIST(host, settings, &setting_schema, "settings that somebody published a value for"),
	LIST(host, links, &link_schema, "links over which storage can be reached"),
	STRUCT(host, sas, &sas_schema, "what the configuration of SAS says"),
	STRUCT(host, os, &os_schema, "operating system"),
	LIST(host, targets, &target_schema, "directories under test"),
	LIST(host, notes, &note_schema, "facts that could not be learned or that disagree"),
};
const struct schema host_schema = SCHEMA(host, host_fields);

void host_init(struct host *host)
{
	schema_init(&host_schema, host);
}

void host_done(struct host *host)
{
	schema_done(&host_schema, host);
}

void host_copy(const struct host *from, struct host *to)
{
	schema_copy(&host_schema, from, to);
}

void host_note(struct host *host, const char *subject, const char *fmt, ...)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct note *note = XGROW(&host->notes, &host->n_notes);
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	note->subject = xstrdup(subject);
	note->text = buf_take(&text);
}

int64_t host_cache_bytes(const struct host *host)
{
	if (host->memory_limit_bytes > 0 &&
	    (host->memory_bytes < 0 || host->memory_limit_bytes < host->memory_bytes))
		return host->memory_limit_bytes;
	return host->memory_bytes;
}

const struct target *plan_target(const struct host *host, const struct plan *plan)
{
	int64_t i = plan->target_index;

	return i < 0 || (uint64_t)i >= host->n_targets ? NULL : &host->targets[i];
}

bool target_is_in_memory(const struct target *target)
{
	const char *backing = text_of(target->backing_fs_type);

	return target->kind == TARGET_MEMORY || !strcmp(backing, "tmpfs") ||
	       !strcmp(backing, "ramfs");
}

const char *device_kind_name(int kind)
{
	return device_kinds[kind];
}

const char *target_kind_name(int kind)
{
	return target_kinds[kind];
}
