/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_probe_os - kernel, distribution, hypervisor, container
 */
#include "probe_tree.h"
#include "suite.h"

static const struct {
	const char *text;
	const char *want;
} releases[] = {
	{ "NAME=x\nPRETTY_NAME=\"Red Hat \\\"8\\\"\"\n", "Red Hat \"8\"" },
	{ "PRETTY_NAME='SLES 15 \\SP5'\n", "SLES 15 \\SP5" },
	{ "PRETTY_NAME=Plain\n", "Plain" },
	{ "NAME=\"Only a name\"\n", "Only a name" },
	{ "ID=x\n", "" },
	{ "", "" },
};

START_TEST(distributions_are_read_in_every_quotation)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(releases); i++) {
		CLEANUP(testdir_done) char *top = testdir_new();
		CLEANUP(host_done) struct host host = { 0 };

		testdir_put(top, "usr/lib/os-release", releases[i].text);
		tree_probe(top, NULL, &host);
		ck_assert_str_eq(text_of(host.os.distribution), releases[i].want);
	}
}
END_TEST

#define DMI_VENDOR "sys/class/dmi/id/sys_vendor"
#define DMI_PRODUCT "sys/class/dmi/id/product_name"
#define CLOCK "sys/devices/system/clocksource/clocksource0/current_clocksource"

static const struct {
	const char *path, *text;
	const char *path2, *text2;
	const char *want;
} guests[] = {
	{ "sys/hypervisor/type", "xen\n", NULL, NULL, "xen" },
	{ DMI_VENDOR, "QEMU\n", DMI_PRODUCT, "Standard PC\n", "kvm" },
	{ DMI_VENDOR, "VMware, Inc.\n", DMI_PRODUCT, "VMware7,1\n", "vmware" },
	{ DMI_VENDOR, "Microsoft Corporation\n", DMI_PRODUCT, "Virtual Machine\n", "hyper-v" },
	{ DMI_VENDOR, "Microsoft Corporation\n", DMI_PRODUCT, "Surface\n", "" },
	{ DMI_VENDOR, "Amazon EC2\n", DMI_PRODUCT, "m5.large\n", "amazon" },
	{ DMI_VENDOR, "Amazon EC2\n", DMI_PRODUCT, "m5.metal\n", "" },
	{ DMI_VENDOR, "Dell Inc.\n", DMI_PRODUCT, "PowerEdge R740\n", "" },
	{ CLOCK, "kvm-clock\n", NULL, NULL, "kvm" },
	{ "proc/cpuinfo", "processor : 0\nflags : fpu hypervisor lm\n", NULL, NULL, "virtual" },
	{ "proc/cpuinfo", "processor : 0\nflags : fpu hypervisors lm\n", NULL, NULL, "" },
	{ "proc/sysinfo", "VM00 Control Program: z/VM    7.2.0\n", NULL, NULL, "z/vm" },
	{ "proc/sysinfo", "VM00 Control Program: KVM/Linux\n", NULL, NULL, "kvm" },
	{ "proc/sysinfo", "LPAR Number:          12\n", NULL, NULL, "pr/sm" },
	{ "proc/cpuinfo", "processor : 0\n\nplatform : pSeries\nmodel : IBM,9009-22A\n", NULL, NULL,
	  "powervm" },
	{ "proc/cpuinfo", "processor : 0\n\nplatform : PowerNV\n", NULL, NULL, "" },
	{ "proc/sys/kernel/osrelease", "5.15.90.1-microsoft-standard-WSL2\n", NULL, NULL, "wsl" },
};

START_TEST(hypervisors_are_named)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(guests); i++) {
		CLEANUP(testdir_done) char *top = testdir_new();
		CLEANUP(host_done) struct host host = { 0 };

		testdir_put(top, guests[i].path, guests[i].text);
		if (guests[i].path2)
			testdir_put(top, guests[i].path2, guests[i].text2);
		tree_probe(top, NULL, &host);
		ck_assert_msg(!strcmp(text_of(host.os.hypervisor), guests[i].want), "%s: %s",
			      guests[i].text, text_of(host.os.hypervisor));
	}
}
END_TEST

static const struct {
	const char *path, *text;
	const char *want;
	int in_pod;
} containers[] = {
	{ ".dockerenv", "", "docker", 0 },
	{ "run/.containerenv", "", "podman", 0 },
	{ "run/systemd/container", "lxc\n", "lxc", 0 },
	{ "run/secrets/kubernetes.io/serviceaccount/namespace", "default", "kubernetes", 1 },
	{ "var/run/secrets/kubernetes.io/serviceaccount/token", "x", "kubernetes", 1 },
	{ "proc/self/cgroup", "0::/kubepods.slice/x\n", "kubernetes", 1 },
	{ "proc/self/cgroup", "4:memory:/docker/4f5e\n", "docker", 0 },
	{ "proc/self/cgroup", "0::/user.slice\n", "", 0 },
	{ "proc/self/mountinfo",
	  "21 20 8:1 /var/lib/kubelet/pods/1/etc-hosts /etc/hosts rw - xfs /dev/sda1 rw\n",
	  "kubernetes", 1 },
	{ "proc/self/mountinfo",
	  "21 20 8:1 /var/lib/kubelet/pods/1/x /var/lib/kubelet/pods/1/y rw - xfs /dev/sda1 rw\n",
	  "", 0 },
	{ "proc/self/mountinfo",
	  "21 20 0:60 /proc/meminfo /proc/meminfo rw - fuse.lxcfs lxcfs rw\n", "lxc", 0 },
};

START_TEST(containers_are_named)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(containers); i++) {
		CLEANUP(testdir_done) char *top = testdir_new();
		CLEANUP(host_done) struct host host = { 0 };

		testdir_put(top, containers[i].path, containers[i].text);
		tree_probe(top, NULL, &host);
		ck_assert_msg(!strcmp(text_of(host.os.container), containers[i].want), "%s %s: %s",
			      containers[i].path, containers[i].text, text_of(host.os.container));
		ck_assert_int_eq(host.os.in_pod, containers[i].in_pod);
	}
}
END_TEST

START_TEST(a_server_is_described)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown("server", NULL, &host);
	ck_assert_str_eq(host.name, "sas1.example.com");
	ck_assert_str_eq(host.os.kernel, "4.18.0-553.el8.x86_64");
	ck_assert_str_eq(host.os.distribution, "Example Linux 8.10 (\"Ox\")");
	ck_assert_str_eq(host.os.product, "VMware7,1");
	ck_assert_str_eq(host.os.clock_source, "tsc");
}
END_TEST

START_TEST(nothing_of_this_machine_leaks_into_a_recorded_one)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown("nothing", NULL, &host);
	ck_assert_str_eq(text_of(host.name), "");
	ck_assert_str_eq(text_of(host.os.kernel), "");
	ck_assert_str_eq(text_of(host.os.distribution), "");
	ck_assert_str_eq(text_of(host.os.hypervisor), "");
	ck_assert_str_eq(text_of(host.os.container), "");
	ck_assert_str_eq(text_of(host.cpu.brand), "");
	ck_assert_str_eq(text_of(host.cpu.architecture), "");
	ck_assert_str_eq(text_of(host.cgroup), "");
	ck_assert_int_eq(host.os.uid, -1);
	ck_assert_int_eq(host.os.open_files_limit, -1);
	ck_assert_int_eq(host.os.processes_limit, -1);
	ck_assert_int_eq(host.memory_bytes, -1);
	ck_assert_int_eq(host.memory_limit_bytes, -1);
	ck_assert_int_eq(host.physical_cores_hwloc, -1);
}
END_TEST

START_TEST(limits_are_read_back)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };

	testdir_put(top, "os/limits",
		    "fsize=1048576\nnofile=1024\nnofile_hard=4096\nnproc=unlimited\n");
	testdir_put(top, "os/user", "uid=1234\n");
	tree_probe(top, NULL, &host);
	ck_assert_int_eq(host.os.file_size_limit_bytes, 1048576);
	ck_assert_int_eq(host.os.open_files_limit, 1024);
	ck_assert_int_eq(host.os.open_files_hard_limit, 4096);
	ck_assert_int_eq(host.os.processes_limit, -1);
	ck_assert_int_eq(host.os.uid, 1234);
}
END_TEST

SUITE_MAIN("probe os", distributions_are_read_in_every_quotation, hypervisors_are_named,
	   containers_are_named, a_server_is_described,
	   nothing_of_this_machine_leaks_into_a_recorded_one, limits_are_read_back)
