/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host - the machine and the directories under test, as they were found
 *
 * Filled by probe_host, released by host_done. Unknown is -1 for numbers and "" (or NULL) for
 * texts; why something is unknown stands in notes. Text is owned by the struct.
 */
#ifndef IOTEST_HOST_H
#define IOTEST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/compiler.h"
#include "iotest/schema.h"

#define HOST_TARGETS_MAX 1024

/* A fact that could not be learned, or that two sources tell differently. */
struct note {
	char *subject; /* what it is about: "cores", "memory", "target", "os" */
	char *text;    /* one sentence */
};

/* One kind of core of a hybrid machine: P and E cores, big and LITTLE. */
struct core_kind {
	char *name;
	int64_t physical_cores;
	int64_t threads;
};

/* A physical core that this process may use, in the order of the topology. */
struct core {
	char *cpus; /* its allowed hardware threads, "0,64" */
};

struct cpu {
	char *vendor;
	char *brand;
	char *architecture; /* uname machine */
	int64_t family;
	int64_t model;
	int64_t stepping;
	char *source; /* "libcpuid" or "cpuinfo" */
};

struct os {
	char *kernel;	     /* release */
	char *distribution;  /* PRETTY_NAME of os-release */
	char *hypervisor;    /* "kvm", "vmware", "xen", "hyper-v", ...; "" on bare metal */
	char *container;     /* "docker", "kubernetes", "lxc", ...; "" outside of one */
	char *system_vendor; /* DMI */
	char *product;	     /* DMI product name, or the device tree's model */
	char *clock_source;
	int in_pod; /* Kubernetes pod, or a target below /var/lib/kubelet */
	int64_t uid;
	int64_t file_size_limit_bytes; /* RLIMIT_FSIZE soft; -1: unlimited or unknown */
	int64_t open_files_limit;      /* RLIMIT_NOFILE soft */
	int64_t open_files_hard_limit;
	int64_t processes_limit; /* RLIMIT_NPROC soft; -1: unlimited or unknown */
};

/* One node of the block storage stack, top first. */
enum device_kind {
	DEVICE_OTHER,
	DEVICE_PARTITION,
	DEVICE_DM,
	DEVICE_MD,
	DEVICE_LOOP,
	DEVICE_NVME,
	DEVICE_VIRTIO,
	DEVICE_SCSI,
	DEVICE_XEN,
	DEVICE_MMC,
	DEVICE_MEMORY,	/* ram, zram */
	DEVICE_NETWORK, /* nbd, rbd, drbd */
	DEVICE_COUNT,
};

struct device {
	char *name;	/* of the kernel: "dm-3", "sda1" */
	int kind;	/* enum device_kind */
	int64_t parent; /* index in the list of the device that lies on this one; -1: topmost */
	int is_leaf;	/* nothing known lies below it */
	char *number;	/* "253:3" */
	char *dm_name;
	char *dm_uuid;
	char *model;
	char *backing_file; /* of a loop device */
	int direct_io;	    /* of a loop device: it bypasses the cache of the backing file */
	int64_t size_bytes;
	int rotational;
	int64_t logical_block_bytes;
	int64_t physical_block_bytes;
	int64_t read_ahead_bytes;
	int64_t max_transfer_bytes;
	int64_t queue_requests;
	char *scheduler;
	char *write_cache; /* "write back", "write through" */
	char *vendor;
	char *firmware;
	char *serial;
	char *transport; /* of NVMe: "pcie", "tcp", "fc" */
	char *state;	 /* "running", "live", "clean", ... as its driver says it */
	char *raid_level;
	int64_t missing_members; /* of md */
	int64_t queue_depth;	 /* commands that the disk takes at once */
	double used_ratio;	 /* of the space that a thin pool or snapshot has, 0..1; -1 */
	int64_t discard_max_bytes;
};

enum target_kind {
	TARGET_UNKNOWN,
	TARGET_LOCAL,
	TARGET_NETWORK,
	TARGET_MEMORY,
	TARGET_KERNEL,	  /* proc, sysfs and the like: no storage */
	TARGET_USERSPACE, /* FUSE without a known network or local kind */
	TARGET_COUNT,
};

struct target {
	char *given; /* as on the command line */
	char *path;  /* absolute, resolved */
	int kind;    /* enum target_kind */
	char *mount_point;
	char *mount_source;
	char *mount_root;    /* path inside the file system that the mount shows */
	char *mount_options; /* per mount and per file system, joined, as mount(8) prints them */
	char *fs_type;
	char *backing_fs_type; /* file system below an overlay or a loop device, else "" */
	char *backing_path;    /* the directory or file it was followed to */
	char *device_number;   /* st_dev of the directory, "8:17" */
	int64_t size_bytes;
	int64_t used_bytes;
	int64_t free_bytes; /* available to this user */
	int64_t inodes;
	int64_t free_inodes;
	int read_only;
	int writable; /* this user may create files there */
	int64_t xfs_allocsize_bytes;
	int compressing; /* the mount options or attributes compress data */
	/* Times that a written byte reaches the topmost devices: 1, 2 with DUP or RAID1 of the file
	 * system itself; -1 if that is not known. */
	int64_t data_copies;
	char *own_cache; /* of the file system, that mincore does not see: "the ARC of ZFS"; "" */
	struct device *devices;
	size_t n_devices;
};

/* A link over which storage is reached, or could be. */
struct link {
	char *name; /* "host3", "session1", "eth0", "mlx5_0/1" */
	char *kind; /* "fibre channel", "iscsi", "network", "infiniband" */
	char *state;
	char *speed; /* as the kernel says it, with its unit */
	int64_t mtu_bytes;
};

/* A setting of the kernel that somebody published a value for. */
struct setting {
	char *name; /* "vm.dirty_ratio" */
	char *value;
	char *file; /* where it was read */
};

/* A place that SAS uses, or that is under test, and what it lies on. */
struct sas_place {
	char *name; /* "WORK", "UTILLOC", "target" */
	char *path;
	char *mount_point;
	char *mount_source;
	char *fs_type;
	char *volume_group; /* of LVM; "" none */
	char *disks;	    /* the lowest devices, separated by blanks */
};

/* Two of them that share more than the machine. */
struct sas_share {
	char *first;
	char *second;
	char *level; /* "file system", "volume group" or "disk" */
	char *what;  /* its name */
};

/* What the configuration of SAS says. */
struct sas {
	char *config; /* files that were read, separated by blanks; "" none */
	char *work;
	char *utilloc;
	char *memsize; /* as written */
	char *bufsize;
	int64_t processes; /* of SAS that run now */
	struct sas_place *places;
	size_t n_places;
	struct sas_share *shares;
	size_t n_shares;
};

struct host {
	char *name; /* node name, with its domain if it carries one */

	/* What this process may use: this is what a test is sized by. */
	int64_t physical_cores;
	int64_t threads;
	char *allowed_cpus; /* "0-3,8" */

	/* The machine. */
	int64_t physical_cores_total;
	int64_t threads_total;
	int64_t sockets;
	int64_t numa_nodes;
	char *online_cpus;
	struct core_kind *core_kinds; /* empty unless the machine is hybrid */
	size_t n_core_kinds;
	struct core *cores; /* empty if they could not be told apart */
	size_t n_cores;

	char *cores_source;	      /* which of the sources physical_cores came from */
	int64_t physical_cores_hwloc; /* the cross-checks, whole machine */
	int64_t physical_cores_cpuinfo;
	struct cpu cpu;

	double cpu_quota_cores; /* of the tightest cgroup; -1: none */
	char *cpu_quota_source; /* the file it came from */

	char *io_limits;	/* of the control groups on devices, "254:0 read 100 MiB/s; ..." */
	char *io_limits_source; /* the files they came from */

	int64_t memory_bytes; /* MemTotal */
	int64_t memory_available_bytes;
	int64_t hugepages_bytes; /* reserved, of no use to the page cache */
	int64_t swap_bytes;
	int64_t memory_limit_bytes;	 /* tightest cgroup limit below MemTotal; -1: none */
	char *memory_limit_source;	 /* the file it came from */
	int64_t memory_limit_used_bytes; /* in use within that cgroup */
	int64_t memory_high_bytes;	 /* tightest memory.high; -1: none */
	char *cgroup;			 /* own path, as /proc/self/cgroup tells */
	int64_t dirty_limit_bytes;	 /* writers are held up above this many dirty bytes */

	char *tuned_profile;
	char *scanners; /* programs and modules that look into files on access; "" none seen */
	struct setting *settings;
	size_t n_settings;
	struct link *links;
	size_t n_links;
	struct sas sas;
	struct os os;
	struct target *targets;
	size_t n_targets;
	struct note *notes;
	size_t n_notes;
};

extern const struct schema host_schema;
extern const struct schema target_schema;
extern const struct schema device_schema;

void host_init(struct host *host); /* everything unknown */
void host_done(struct host *host);
void host_copy(const struct host *from, struct host *to); /* to is overwritten */

/* Adds a note; printf-style. */
void host_note(struct host *host, const char *subject, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* What can be cached at most: the smaller of MemTotal and the cgroup limit; -1 unknown. */
int64_t host_cache_bytes(const struct host *host);

struct plan;
/* The target that a plan is for; NULL in a damaged report. */
const struct target *plan_target(const struct host *host, const struct plan *plan);

/* Its files are held in this host's memory: tmpfs, or an overlay or loop device on it. */
bool target_is_in_memory(const struct target *target);

const char *device_kind_name(int kind);
const char *target_kind_name(int kind);

#endif
