/* SPDX-License-Identifier: Apache-2.0 */
/*
 * items - what is read, when, and what for
 *
 * Only what answers a question about I/O. No file of a user, no environment, no command line of a
 * process.
 */
#include "items.h"

#define SMALL (4 * KIB)
#define MEDIUM (64 * KIB)
#define LARGE (256 * KIB)

#define BEFORE COLLECT_BEFORE
#define BOTH COLLECT_BOTH
#define CPU "/sys/devices/system/cpu/"
#define BLOCK "/sys/class/block/{device}/"

/* clang-format off */
const struct item items[] = {
	/* the machine */
	{ BEFORE, LARGE, "/proc/cpuinfo", "processors", NULL },
	{ BEFORE, SMALL, "/proc/version|cmdline", "kernel and its options", NULL },
	{ BEFORE, MEDIUM, "/proc/modules", "drivers, and their age", NULL },
	{ BEFORE, SMALL, "/sys/class/dmi/id/bios_version|bios_date|product_name|sys_vendor",
	  "machine and its firmware", NULL },
	{ BEFORE, SMALL, "/proc/sys/kernel/random/boot_id", "whether two bundles are of one boot",
	  NULL },
	{ BEFORE, SMALL, "/etc/os-release|redhat-release|SuSE-release", "distribution", NULL },
	{ BEFORE, SMALL, "/etc/tuned/active_profile", "profile of tuned", NULL },
	{ BEFORE, SMALL, CPU "cpufreq/policy*/scaling_governor|scaling_driver|scaling_max_freq",
	  "frequency governor", NULL },
	{ BEFORE, SMALL, CPU "intel_pstate/status|no_turbo|min_perf_pct", "frequency limits",
	  NULL },
	{ BEFORE, SMALL, CPU "smt/control", "hyper-threading", NULL },
	{ BEFORE, SMALL, CPU "vulnerabilities/*", "mitigations, which cost system calls", NULL },
	{ BOTH, SMALL, CPU "cpu*/thermal_throttle/core_throttle_count", "cores slowed by heat",
	  NULL },
	{ BOTH, SMALL, "/sys/devices/system/edac/mc/mc*/ce_count|ue_count", "memory errors", NULL },
	{ BEFORE, SMALL, "/sys/devices/system/node/node*/meminfo", "memory per NUMA node", NULL },

	/* memory and load */
	{ BOTH, SMALL, "/proc/meminfo|loadavg|swaps|buddyinfo", "memory, swap and load", NULL },
	{ BOTH, MEDIUM, "/proc/vmstat", "write-back, reclaim and faults", NULL },
	{ BOTH, LARGE, "/proc/stat|interrupts", "CPU time, interrupts and where they go", NULL },
	{ BOTH, MEDIUM, "/proc/softirqs", "load of the network and block layers", NULL },
	{ BOTH, SMALL, "/proc/pressure/cpu|io|memory", "waiting for CPU, I/O and memory", NULL },
	{ BEFORE, SMALL, "/proc/self/limits", "limits of this process", NULL },
	{ BEFORE, SMALL, "/proc/sys/vm/dirty_*|swappiness|overcommit_*|min_free_kbytes|"
	  "max_map_count|vfs_cache_pressure|zone_reclaim_mode|nr_hugepages", "memory settings",
	  NULL },
	{ BEFORE, SMALL, "/proc/sys/kernel/sem|numa_balancing|sched_*|watchdog_thresh|"
	  "hung_task_timeout_secs", "kernel settings", NULL },
	{ BEFORE, SMALL, "/sys/kernel/mm/transparent_hugepage/enabled|defrag|shmem_enabled",
	  "transparent huge pages", NULL },
	{ BOTH, SMALL, "/sys/fs/cgroup{cgroup}/memory.*|cpu.*|io.*|cpuset.cpus|pids.current",
	  "limits and events of the control group", NULL },
	{ BOTH, SMALL, "/sys/fs/cgroup/memory{cgroup}/memory.failcnt|memory.limit_in_bytes|"
	  "memory.usage_in_bytes|memory.stat|memory.oom_control", "the same, version 1", NULL },
	{ BOTH, SMALL, "/sys/fs/cgroup/cpu{cgroup}/cpu.stat|cpu.cfs_quota_us|cpu.cfs_period_us",
	  "the same, version 1", NULL },

	/* the storage below the targets */
	{ BOTH, LARGE, "/proc/diskstats", "all disks, to see others' load", NULL },
	{ BEFORE, SMALL, BLOCK "queue/*", "queue settings", NULL },
	{ BEFORE, SMALL, BLOCK "size|ro|removable|alignment_offset|ext_range", "size", NULL },
	{ BEFORE, SMALL, BLOCK "dm/name|uuid|suspended|rq_based_seq_io_merge_deadline",
	  "volumes of device mapper", NULL },
	{ BOTH, SMALL, BLOCK "md/array_state|degraded|level|raid_disks|chunk_size|sync_action|"
	  "sync_completed|mismatch_cnt|consistency_policy|stripe_cache_size|sync_speed",
	  "arrays of md, and whether they are whole", NULL },
	{ BOTH, SMALL, BLOCK "md/dev-*/state|errors|slot", "members of md arrays", NULL },
	{ BOTH, SMALL, "/proc/mdstat", "arrays of md", NULL },
	{ BEFORE, SMALL, BLOCK "device/vendor|model|rev|firmware_rev|serial|wwid|queue_depth|"
	  "queue_type|timeout|eh_timeout|scsi_level|numa_node|cache_type|transport|address",
	  "disk and its firmware", NULL },
	{ BOTH, SMALL, BLOCK "device/state|access_state|ioerr_cnt|iotmo_cnt|iodone_cnt|"
	  "iorequest_cnt", "state of paths, and their errors", NULL },
	{ BOTH, SMALL, BLOCK "stat|inflight|ana_state", "what the devices counted", NULL },
	{ BEFORE, SMALL, BLOCK "loop/*", "loop devices", NULL },
	{ BOTH, SMALL, "/sys/class/nvme/*/model|firmware_rev|serial|transport|address|state|"
	  "queue_count|sqsize|cntrltype|numa_node|reconnect_delay|ctrl_loss_tmo",
	  "NVMe controllers", NULL },
	{ BOTH, SMALL, "/sys/class/nvme/*/device/aer_dev_*|current_link_speed|current_link_width|"
	  "max_link_speed|max_link_width", "PCIe links of NVMe, and their errors", NULL },
	{ BEFORE, SMALL, "/sys/class/nvme-subsystem/*/iopolicy|model|subsysnqn",
	  "NVMe multipath", NULL },
	{ BEFORE, SMALL, "/sys/module/nvme_core|nvme|scsi_mod|dm_multipath|dm_mod|qla2xxx|lpfc|"
	  "virtio_blk|vmw_pvscsi/parameters/*", "settings of drivers", NULL },
	{ BEFORE, SMALL, "/sys/module/*/version", "versions of drivers", NULL },
	{ BEFORE, SMALL, "/sys/class/scsi_host/*/proc_name|model_name|fwrev|can_queue|"
	  "cmd_per_lun|state|nr_hw_queues|sg_tablesize", "host adapters", NULL },

	/* links */
	{ BOTH, SMALL, "/sys/class/fc_host/*/port_state|speed|port_name|node_name|port_type|"
	  "supported_speeds|symbolic_name|fabric_name|dev_loss_tmo", "Fibre Channel ports", NULL },
	{ BOTH, SMALL, "/sys/class/fc_host/*/statistics/*", "Fibre Channel errors", NULL },
	{ BOTH, SMALL, "/sys/class/fc_remote_ports/*/port_name|port_state|roles|dev_loss_tmo|"
	  "fast_io_fail_tmo", "Fibre Channel targets", NULL },
	{ BOTH, SMALL, "/sys/class/iscsi_session/*/state|targetname|recovery_tmo|"
	  "first_burst_len|max_burst_len|immediate_data|initial_r2t|queue_depth",
	  "iSCSI sessions", NULL },
	{ BEFORE, SMALL, "/sys/class/iscsi_connection/*/address|port|header_digest|data_digest|"
	  "max_recv_dlength|max_xmit_dlength|persistent_address", "iSCSI connections", NULL },
	{ BOTH, SMALL, "/sys/class/net/*/speed|mtu|duplex|operstate|address|carrier_changes|"
	  "tx_queue_len", "network links", NULL },
	{ BEFORE, SMALL, "/sys/class/net/*/bonding/mode|slaves|active_slave|xmit_hash_policy|"
	  "miimon", "bonded links", NULL },
	{ BOTH, SMALL, "/sys/class/net/*/statistics/*", "network errors", NULL },
	{ BOTH, SMALL, "/sys/class/infiniband/*/ports/*/counters/*err*|*discard*|link_downed|"
	  "symbol_error", "InfiniBand errors", NULL },
	{ BEFORE, SMALL, "/sys/class/infiniband/*/ports/*/rate|state|link_layer",
	  "InfiniBand links", NULL },
	{ BOTH, MEDIUM, "/proc/net/snmp|netstat|dev|sockstat", "retransmits", NULL },
	{ BEFORE, SMALL, "/proc/sys/net/core/rmem_*|wmem_*|somaxconn|netdev_max_backlog|"
	  "netdev_budget", "network buffers", NULL },
	{ BEFORE, SMALL, "/proc/sys/net/ipv4/tcp_rmem|tcp_wmem|tcp_congestion_control|"
	  "tcp_window_scaling|tcp_timestamps|tcp_sack", "TCP settings", NULL },

	/* file systems */
	{ BEFORE, MEDIUM, "os/geometry", "geometry of XFS", geometry_fill },
	{ BOTH, SMALL, "/sys/fs/ext4/{device}/errors_count|first_error_*|last_error_*|"
	  "lifetime_write_kbytes|mb_*|inode_readahead_blks|delayed_allocation_blocks",
	  "ext4, and its errors", NULL },
	{ BEFORE, SMALL, "/proc/fs/ext4/{device}/options", "options of ext4 in effect", NULL },
	{ BEFORE, SMALL, "/sys/fs/xfs/{device}/log/*", "log of XFS", NULL },
	{ BOTH, SMALL, "/sys/fs/xfs/{device}/stats/stats", "what XFS counted", NULL },
	{ BEFORE, SMALL, "/sys/fs/xfs/{device}/error/*/*/max_retries|retry_timeout_seconds",
	  "what XFS does about errors", NULL },
	{ BOTH, SMALL, "/sys/fs/btrfs/*/devinfo/*/error_stats", "errors of btrfs", NULL },
	{ BEFORE, SMALL, "/sys/fs/btrfs/*/allocation/*/total_bytes|bytes_used|disk_total",
	  "space of btrfs", NULL },
	{ BEFORE, SMALL, "/sys/class/bdi/*/read_ahead_kb|max_ratio|min_ratio|strict_limit",
	  "read-ahead and write-back per mount", NULL },
	{ BOTH, LARGE, "/proc/self/mountstats", "what the NFS mounts counted", NULL },
	{ BOTH, SMALL, "/proc/net/rpc/nfs", "calls and retransmits of NFS", NULL },
	{ BEFORE, SMALL, "/proc/sys/sunrpc/tcp_*|udp_*|min_resvport|max_resvport",
	  "slots of NFS", NULL },
	{ BEFORE, SMALL, "/sys/module/nfs|nfsv4|sunrpc|ceph|cifs/parameters/*",
	  "settings of network file systems", NULL },
	{ BEFORE, SMALL, "/sys/fs/lustre/version|health_check", "Lustre", NULL },
	{ BEFORE, SMALL, "/sys/fs/lustre/llite/*/max_read_ahead_*|max_cached_mb|"
	  "statahead_max|checksums|blocksize|stripe*", "Lustre mounts", NULL },
	{ BEFORE, SMALL, "/sys/fs/lustre/osc|mdc/*/max_rpcs_in_flight|max_pages_per_rpc|"
	  "max_dirty_mb|checksums|active", "Lustre servers as seen from here", NULL },
	{ BOTH, MEDIUM, "/proc/fs/lustre/llite/*/stats", "what Lustre counted", NULL },
	{ BEFORE, SMALL, "/proc/fs/lustre/version", "Lustre, older", NULL },
	{ BEFORE, SMALL, "/proc/fs/gpfs|mmfs/*", "GPFS", NULL },
	{ BEFORE, SMALL, "/proc/spl/kstat/zfs/arcstats", "the ARC of ZFS", NULL },
	{ BEFORE, SMALL, "/sys/module/zfs/parameters/zfs_arc_max|zfs_arc_min|zfs_dirty_data_max|"
	  "zfs_txg_timeout", "settings of ZFS", NULL },

	/* what the kernel said */
	{ BOTH, MEDIUM, KERNEL_LOG, "messages about storage", kernel_log_fill },
};
/* clang-format on */
const size_t n_items = ARRAY_LEN(items);

bool collect_kind_at(size_t i, struct collect_kind *out)
{
	if (i >= n_items)
		return false;
	*out = (struct collect_kind){ items[i].when, items[i].pattern, items[i].purpose };
	return true;
}
