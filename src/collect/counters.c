/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters - the files that count errors
 *
 * Each pattern is one that items.c reads before and after.
 */
#include "counters.h"

#include "iotest/compiler.h"

#define NET "sys/class/net/*/statistics/"
#define FC "sys/class/fc_host/*/statistics/"
#define IB "sys/class/infiniband/*/ports/*/counters/"
#define AER "sys/class/nvme/*/device/"

const struct counter counters[] = {
	{ "sys/class/block/*/device/ioerr_cnt", NULL, 0, "commands of this disk that failed",
	  false },
	{ "sys/class/block/*/device/iotmo_cnt", NULL, 0, "commands of this disk that timed out",
	  false },
	{ "sys/class/block/*/md/mismatch_cnt", NULL, 0, "sectors that differ between mirrors",
	  false },
	{ "sys/class/block/*/md/dev-*/errors", NULL, 0, "read errors of a member", false },
	{ "sys/class/block/*/md/degraded", NULL, 0, "members that the array lost", false },
	{ AER "aer_dev_correctable", "TOTAL_ERR_COR", 1, "PCIe errors, corrected", true },
	{ AER "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL", 1, "PCIe errors", false },
	{ AER "aer_dev_fatal", "TOTAL_ERR_FATAL", 1, "PCIe errors, fatal", false },
	{ FC "error_frames", NULL, 0, "frames with errors", false },
	{ FC "invalid_crc_count", NULL, 0, "frames with a bad checksum", false },
	{ FC "invalid_tx_word_count", NULL, 0, "words with errors: cable or optics", false },
	{ FC "link_failure_count", NULL, 0, "link failures", false },
	{ FC "loss_of_signal_count", NULL, 0, "losses of the signal", false },
	{ FC "loss_of_sync_count", NULL, 0, "losses of synchronisation", false },
	{ FC "lip_count", NULL, 0, "link initialisations", true },
	{ FC "dumped_frames", NULL, 0, "frames dropped", false },
	{ FC "fpin_*", NULL, 0, "congestion or link trouble that the fabric told of", false },
	{ FC "cn_sig_*", NULL, 0, "congestion signals of the fabric", false },
	{ NET "rx_errors", NULL, 0, "packets received with errors", false },
	{ NET "tx_errors", NULL, 0, "packets not sent for errors", false },
	{ NET "rx_crc_errors", NULL, 0, "packets with a bad checksum: cable or optics", false },
	{ NET "rx_dropped", NULL, 0, "packets received and dropped", true },
	{ NET "tx_dropped", NULL, 0, "packets dropped before sending", true },
	{ NET "rx_missed_errors", NULL, 0, "packets missed for lack of buffers", false },
	{ NET "rx_fifo_errors", NULL, 0, "packets missed for lack of buffers", false },
	{ NET "tx_carrier_errors", NULL, 0, "losses of the carrier", false },
	{ "sys/class/net/*/carrier_changes", NULL, 0, "times that the link went down or up",
	  false },
	{ IB "*err*", NULL, 0, "errors of an InfiniBand port", false },
	{ IB "*discard*", NULL, 0, "packets that an InfiniBand port discarded", false },
	{ IB "link_downed", NULL, 0, "times that the InfiniBand link went down", false },
	{ "proc/net/rpc/nfs", "rpc", 2, "calls that NFS had to send again", false },
	{ "proc/net/snmp", "Tcp", 12, "TCP segments sent again", true },
	{ "proc/vmstat", "oom_kill", 1, "processes killed for lack of memory", false },
	{ "sys/fs/cgroup/*/memory.events", "oom_kill", 1, "processes killed by a memory limit",
	  false },
	{ "sys/fs/ext4/*/errors_count", NULL, 0, "errors that ext4 found in the file system",
	  false },
	{ "sys/fs/btrfs/*/devinfo/*/error_stats", "write_errs", 1, "write errors of btrfs", false },
	{ "sys/fs/btrfs/*/devinfo/*/error_stats", "read_errs", 1, "read errors of btrfs", false },
	{ "sys/fs/btrfs/*/devinfo/*/error_stats", "corruption_errs", 1, "bad checksums of btrfs",
	  false },
	{ "sys/devices/system/edac/mc/mc*/ce_count", NULL, 0, "memory errors, corrected", false },
	{ "sys/devices/system/edac/mc/mc*/ue_count", NULL, 0, "memory errors", false },
	{ "sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count", NULL, 0,
	  "times that a core was slowed by heat", false },
};
const size_t n_counters = ARRAY_LEN(counters);
