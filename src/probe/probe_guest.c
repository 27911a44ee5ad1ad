/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_guest - what stands between this process and the machine: hypervisor, container, pod
 */
#include "probe_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "iotest/xalloc.h"

/* Who signs the firmware tables of a guest. Both texts must occur; "" always does. */
static const struct {
	const char *vendor;
	const char *product;
	const char *name;
} dmi_signs[] = {
	{ "QEMU", "", "kvm" },
	{ "", "KVM", "kvm" },
	{ "", "QEMU", "kvm" },
	{ "Red Hat", "KVM", "kvm" },
	{ "", "OpenStack", "kvm" },
	{ "", "RHEV Hypervisor", "kvm" },
	{ "", "oVirt", "kvm" },
	{ "Nutanix", "AHV", "kvm" },
	{ "Alibaba Cloud", "ECS", "kvm" },
	{ "VMware", "", "vmware" },
	{ "", "VMware", "vmware" },
	{ "innotek", "", "virtualbox" },
	{ "", "VirtualBox", "virtualbox" },
	{ "Microsoft Corporation", "Virtual Machine", "hyper-v" },
	{ "Xen", "", "xen" },
	{ "", "HVM domU", "xen" },
	{ "Google", "Google Compute Engine", "google" },
	{ "Parallels", "", "parallels" },
	{ "", "BHYVE", "bhyve" },
	{ "Apple", "Apple Virtualization", "apple" },
};

static const char *by_dmi(const struct os *os)
{
	const char *vendor = text_of(os->system_vendor);
	const char *product = text_of(os->product);
	size_t i;

	for (i = 0; i < ARRAY_LEN(dmi_signs); i++)
		if (strstr(vendor, dmi_signs[i].vendor) && strstr(product, dmi_signs[i].product))
			return dmi_signs[i].name;
	/* Amazon signs its bare-metal instances as well. */
	if (!strcmp(vendor, "Amazon EC2") && !strstr(product, ".metal"))
		return "amazon";
	return NULL;
}

/* A clock that only guests have. */
static const char *by_clock(const struct os *os)
{
	static const struct {
		const char *prefix;
		const char *name;
	} clocks[] = {
		{ "kvm-clock", "kvm" },
		{ "hyperv_clocksource", "hyper-v" },
		{ "xen", "xen" },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(clocks); i++)
		if (!strncmp(text_of(os->clock_source), clocks[i].prefix, strlen(clocks[i].prefix)))
			return clocks[i].name;
	return NULL;
}

/* s390: "VM00 Control Program: z/VM    7.2.0", "KVM/Linux"; a partition has a LPAR number. */
static const char *by_sysinfo(const struct sysroot *root)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	const char *program;

	if (sysroot_read(root, &text, "/proc/sysinfo"))
		return NULL;
	program = strstr(buf_text(&text), "VM00 Control Program:");
	if (program) {
		program += strcspn(program, ":") + 1;
		program += strspn(program, " ");
		return !strncmp(program, "KVM", 3) ? "kvm" : "z/vm";
	}
	return strstr(buf_text(&text), "LPAR Number:") ? "pr/sm" : NULL;
}

static const char *by_power_platform(const struct probe *p)
{
	CLEANUP(xfree) char *platform = cpuinfo_value(&p->cpuinfo, "platform");
	CLEANUP(xfree) char *model = cpuinfo_value(&p->cpuinfo, "model");

	if (!platform || strcmp(platform, "pSeries"))
		return NULL;
	return strstr(text_of(model), "qemu") ? "kvm" : "powervm";
}

static bool has_hypervisor_flag(const struct probe *p)
{
	CLEANUP(xfree) char *flags = cpuinfo_value(&p->cpuinfo, "flags");
	CLEANUP(xfree) char *padded = xasprintf(" %s ", text_of(flags));

	return strstr(padded, " hypervisor ") != NULL;
}

static void find_hypervisor(struct probe *p)
{
	CLEANUP(xfree) char *type = NULL;
	CLEANUP(xfree) char *kernel = xstrdup(text_of(p->host->os.kernel));
	struct os *os = &p->host->os;
	const char *name = NULL;
	char *c;

	for (c = kernel; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (sysroot_read_text(p->root, &type, "/sys/hypervisor/type") == 0 && *type)
		name = type;
	if (!name && strstr(kernel, "microsoft"))
		name = "wsl";
	if (!name)
		name = by_dmi(os);
	if (!name)
		name = by_sysinfo(p->root);
	if (!name)
		name = by_power_platform(p);
	if (!name)
		name = by_clock(os);
	if (!name && has_hypervisor_flag(p))
		name = "virtual";
	xstr_set(&os->hypervisor, name);
}

/* Files that the runtime of a container puts there. */
static const char *by_marks(const struct sysroot *root)
{
	static const struct {
		const char *path;
		const char *name;
	} marks[] = {
		{ "/run/secrets/kubernetes.io/serviceaccount/namespace", "kubernetes" },
		{ "/var/run/secrets/kubernetes.io/serviceaccount/namespace", "kubernetes" },
		{ "/run/secrets/kubernetes.io", "kubernetes" },
		{ "/var/run/secrets/kubernetes.io", "kubernetes" },
		{ "/run/.containerenv", "podman" },
		{ "/.dockerenv", "docker" },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(marks); i++)
		if (sysroot_has(root, "%s", marks[i].path))
			return marks[i].name;
	return NULL;
}

static const char *by_cgroup(const char *text)
{
	static const struct {
		const char *part;
		const char *name;
	} parts[] = {
		{ "kubepods", "kubernetes" }, { "libpod", "podman" },
		{ "/docker", "docker" },      { "/lxc", "lxc" },
		{ "garden", "garden" },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(parts); i++)
		if (strstr(text, parts[i].part))
			return parts[i].name;
	return NULL;
}

/*
 * What is mounted into a container tells on its runtime. On a node the volumes of its pods are
 * mounted as well, but below the directory of the kubelet.
 */
static const char *by_mounts(const struct mounts *mounts)
{
	size_t i;

	for (i = 0; i < mounts->n_items; i++) {
		const struct mount *m = &mounts->items[i];

		if (strstr(m->root, "/kubelet/pods/") && !strstr(m->point, "/kubelet/"))
			return "kubernetes";
		if (!strcmp(m->fs_type, "fuse.lxcfs") && path_is_below(m->point, "/proc"))
			return "lxc";
	}
	return NULL;
}

static void find_container(struct probe *p)
{
	CLEANUP(xfree) char *systemd = NULL;
	struct os *os = &p->host->os;
	const char *mark = by_marks(p->root);
	const char *group = by_cgroup(buf_text(&p->cgroups.text));
	const char *mounted = by_mounts(&p->mounts);
	const char *const found[] = { mark, group, mounted };
	const char *name = NULL;
	size_t i;

	/* The outermost name: a pod is made of containers of some runtime. */
	for (i = 0; i < ARRAY_LEN(found); i++)
		if (found[i] && !strcmp(found[i], "kubernetes"))
			name = found[i];
	if (!name && sysroot_read_text(p->root, &systemd, "/run/systemd/container") == 0 &&
	    *systemd)
		name = systemd;
	for (i = 0; !name && i < ARRAY_LEN(found); i++)
		name = found[i];
	xstr_set(&os->container, name);
	os->in_pod = name && !strcmp(name, "kubernetes");
}

void probe_guest(struct probe *p)
{
	find_hypervisor(p);
	find_container(p);
}
