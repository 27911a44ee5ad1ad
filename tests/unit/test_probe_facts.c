/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_probe_facts - what devices, links and the kernel's settings say of themselves
 */
#include "probe_tree.h"
#include "suite.h"

static const char table[] = "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
			    "21 20 259:0 / /n rw - xfs /dev/nvme0n1 rw\n"
			    "22 20 9:0 / /m rw - xfs /dev/md0 rw\n"
			    "23 20 8:16 / /s rw - xfs /dev/sdb rw\n"
			    "24 20 253:0 / /t rw - xfs /dev/dm-0 rw\n"
			    "25 20 252:0 / /v rw - xfs /dev/vda rw\n"
			    "26 20 0:51 / /nfs rw - nfs4 srv:/x rw\n";

static const struct {
	const char *path;
	const char *text;
} files[] = {
	{ "proc/self/mountinfo", table },
	{ "sys/class/block/nvme0n1/size", "2048\n" },
	{ "sys/class/block/nvme0n1/dev", "259:0\n" },
	{ "sys/class/block/nvme0n1/device/model", "Fast Disk\n" },
	{ "sys/class/block/nvme0n1/device/firmware_rev", "1.2B\n" },
	{ "sys/class/block/nvme0n1/device/serial", " S4EVNX0M \n" },
	{ "sys/class/block/nvme0n1/device/transport", "tcp\n" },
	{ "sys/class/block/nvme0n1/device/state", "live\n" },
	{ "sys/class/block/md0/size", "2048\n" },
	{ "sys/class/block/md0/dev", "9:0\n" },
	{ "sys/class/block/md0/md/array_state", "clean\n" },
	{ "sys/class/block/md0/md/level", "raid5\n" },
	{ "sys/class/block/md0/md/degraded", "1\n" },
	{ "sys/class/block/sdb/size", "2048\n" },
	{ "sys/class/block/sdb/dev", "8:16\n" },
	{ "sys/class/block/sdb/device/vendor", "ARRAY   \n" },
	{ "sys/class/block/sdb/device/rev", "0420\n" },
	{ "sys/class/block/sdb/device/state", "transport-offline\n" },
	{ "sys/class/block/sdb/device/queue_depth", "32\n" },
	{ "sys/class/block/dm-0/size", "2048\n" },
	{ "sys/class/block/dm-0/dev", "253:0\n" },
	{ "sys/class/block/dm-0/slaves.list", "dm-1\n" },
	{ "sys/class/block/dm-1/size", "2048\n" },
	{ "sys/class/block/dm-1/dev", "253:1\n" },
	{ "os/dm_status", "253:0 thin 100 200\n253:1 thin-pool 1 12/4096 1900/2000 - rw\n"
			  "253:9 thin-pool 1 1/1 1/1 -\njunk\n" },
	{ "sys/class/block/vda/size", "2048\n" },
	{ "sys/class/block/vda/dev", "252:0\n" },
	{ "sys/class/fc_host/host3/port_state", "Online\n" },
	{ "sys/class/fc_host/host3/speed", "16 Gbit\n" },
	{ "sys/class/iscsi_session/session1/state", "LOGGED_IN\n" },
	{ "sys/class/net/eth0/operstate", "up\n" },
	{ "sys/class/net/eth0/speed", "25000\n" },
	{ "sys/class/net/eth0/mtu", "9000\n" },
	{ "sys/class/net/eth0/device/x", "1\n" },
	{ "sys/class/net/eth1/operstate", "down\n" },
	{ "sys/class/net/eth1/speed", "-1\n" },
	{ "sys/class/net/eth1/device/x", "1\n" },
	{ "sys/class/net/lo/mtu", "65536\n" },
	{ "sys/class/net/bond0/bonding/mode", "802.3ad 4\n" },
	{ "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n" },
	{ "proc/sys/vm/swappiness", "60\n" },
	{ "proc/sys/kernel/sem", "32000\t1024000000\t500\t32000\n" },
	{ "sys/class/bdi/0:51/read_ahead_kb", "128\n" },
};

static void probe_machine(const char *target, struct host *out)
{
	CLEANUP(testdir_done) char *top = testdir_new();

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		testdir_put(top, files[i].path, files[i].text);
	tree_probe(top, target, out);
}

START_TEST(an_nvme_disk_tells_firmware_serial_transport_and_state)
{
	CLEANUP(host_done) struct host h = { 0 };
	const struct device *d;

	probe_machine("/n", &h);
	d = &h.targets[0].devices[0];
	ck_assert_str_eq(d->firmware, "1.2B");
	ck_assert_str_eq(d->serial, "S4EVNX0M");
	ck_assert_str_eq(d->transport, "tcp");
	ck_assert_str_eq(d->state, "live");
	ck_assert_ptr_null(d->vendor);
	ck_assert_ptr_null(d->raid_level);
	ck_assert_int_eq(d->missing_members, -1);
	ck_assert_int_eq(d->queue_depth, -1);
}
END_TEST

START_TEST(an_array_tells_level_state_and_what_it_lacks)
{
	CLEANUP(host_done) struct host h = { 0 };
	const struct device *d;

	probe_machine("/m", &h);
	d = &h.targets[0].devices[0];
	ck_assert_str_eq(d->state, "clean");
	ck_assert_str_eq(d->raid_level, "raid5");
	ck_assert_int_eq(d->missing_members, 1);
}
END_TEST

START_TEST(a_path_tells_maker_state_and_depth)
{
	CLEANUP(host_done) struct host h = { 0 };
	const struct device *d;

	probe_machine("/s", &h);
	d = &h.targets[0].devices[0];
	ck_assert_str_eq(d->vendor, "ARRAY");
	ck_assert_str_eq(d->firmware, "0420");
	ck_assert_str_eq(d->state, "transport-offline");
	ck_assert_int_eq(d->queue_depth, 32);
}
END_TEST

START_TEST(a_thin_pool_tells_how_full_it_is)
{
	CLEANUP(host_done) struct host h = { 0 };

	probe_machine("/t", &h);
	ck_assert_uint_eq(h.targets[0].n_devices, 2);
	ck_assert_double_lt(h.targets[0].devices[0].used_ratio, 0);
	ck_assert_double_eq_tol(h.targets[0].devices[1].used_ratio, 0.95, 1e-9);
}
END_TEST

static const char *const bad_statuses[] = {
	"253:1 thin-pool 1 12/4096 5/0 -\n",
	"253:1 thin-pool 1 12/4096 9/5 -\n",
	"253:1 thin-pool Fail\n",
	"253:1 snapshot Invalid\n",
	"253:1 thin-pool\n",
	"253:1\n",
	"253:1 linear 5/10\n",
	"",
};

START_TEST(a_status_that_says_nothing_is_unknown)
{
	for (size_t i = 0; i < ARRAY_LEN(bad_statuses); i++) {
		CLEANUP(testdir_done) char *top = testdir_new();
		CLEANUP(host_done) struct host h = { 0 };

		for (size_t k = 0; k < ARRAY_LEN(files); k++)
			testdir_put(top, files[k].path, files[k].text);
		testdir_put(top, "os/dm_status", bad_statuses[i]);
		tree_probe(top, "/t", &h);
		ck_assert_msg(h.targets[0].devices[1].used_ratio < 0, "row %zu", i);
	}
}
END_TEST

START_TEST(a_device_without_these_files_has_none_of_it)
{
	CLEANUP(host_done) struct host h = { 0 };
	const struct device *d;

	probe_machine("/v", &h);
	d = &h.targets[0].devices[0];
	ck_assert_ptr_null(d->vendor);
	ck_assert_ptr_null(d->firmware);
	ck_assert_ptr_null(d->serial);
	ck_assert_ptr_null(d->transport);
	ck_assert_ptr_null(d->state);
	ck_assert_double_lt(d->used_ratio, 0);
}
END_TEST

static const struct link *link_of(const struct host *h, const char *name)
{
	for (size_t i = 0; i < h->n_links; i++)
		if (strcmp(h->links[i].name, name) == 0)
			return &h->links[i];
	return NULL;
}

START_TEST(links_tell_state_speed_and_packet_size)
{
	CLEANUP(host_done) struct host h = { 0 };

	probe_machine(NULL, &h);
	ck_assert_uint_eq(h.n_links, 5);
	ck_assert_str_eq(link_of(&h, "host3")->state, "Online");
	ck_assert_str_eq(link_of(&h, "host3")->speed, "16 Gbit");
	ck_assert_str_eq(link_of(&h, "session1")->kind, "iscsi");
	ck_assert_str_eq(link_of(&h, "eth0")->speed, "25000 Mb/s");
	ck_assert_int_eq(link_of(&h, "eth0")->mtu_bytes, 9000);
	ck_assert_ptr_null(link_of(&h, "eth1")->speed);
	ck_assert_int_eq(link_of(&h, "eth1")->mtu_bytes, -1);
	ck_assert_ptr_nonnull(link_of(&h, "bond0"));
	ck_assert_ptr_null(link_of(&h, "lo"));
}
END_TEST

static const char *setting_of(const struct host *h, const char *name)
{
	for (size_t i = 0; i < h->n_settings; i++)
		if (strcmp(h->settings[i].name, name) == 0)
			return h->settings[i].value;
	return NULL;
}

START_TEST(settings_are_those_in_effect)
{
	CLEANUP(host_done) struct host h = { 0 };

	probe_machine("/nfs", &h);
	ck_assert_str_eq(setting_of(&h, "transparent_hugepage"), "madvise");
	ck_assert_str_eq(setting_of(&h, "vm.swappiness"), "60");
	ck_assert_str_eq(setting_of(&h, "kernel.sem"), "32000 1024000000 500 32000");
	ck_assert_str_eq(setting_of(&h, "nfs read_ahead_kb"), "128");
	ck_assert_ptr_null(setting_of(&h, "vm.max_map_count"));
}
END_TEST

SUITE_MAIN("probe_facts", an_nvme_disk_tells_firmware_serial_transport_and_state,
	   an_array_tells_level_state_and_what_it_lacks, a_path_tells_maker_state_and_depth,
	   a_thin_pool_tells_how_full_it_is, a_status_that_says_nothing_is_unknown,
	   a_device_without_these_files_has_none_of_it, links_tell_state_speed_and_packet_size,
	   settings_are_those_in_effect)
