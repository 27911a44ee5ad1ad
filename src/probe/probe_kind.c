/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_kind - what the name of a file system type or of a device tells
 */
#include "probe_parts.h"

#include <string.h>

#include "iotest/xalloc.h"

/* Data lives in another machine, or in the host of this guest: a cache we cannot empty. */
static const char *const network_types[] = {
	"nfs",
	"nfs4",
	"cifs",
	"smb3",
	"smbfs",
	"ceph",
	"lustre",
	"gpfs",
	"mmfs",
	"beegfs",
	"fhgfs",
	"glusterfs",
	"afs",
	"coda",
	"9p",
	"virtiofs",
	"vboxsf",
	"vmhgfs",
	"prl_fs",
	"pvfs2",
	"orangefs",
	"wekafs",
	"panfs",
	"ncpfs",
	"moosefs",
	"quobyte",
	"acfs",
	"dfs",
	"fuse.glusterfs",
	"fuse.sshfs",
	"fuse.s3fs",
	"fuse.juicefs",
	"fuse.ceph",
	"fuse.ceph-fuse",
	"fuse.gcsfuse",
	"fuse.blobfuse",
	"fuse.blobfuse2",
	"fuse.rclone",
	"fuse.goofys",
	"fuse.davfs",
	"fuse.mfs",
	"fuse.mfsmount",
	"fuse.moosefs",
	"fuse.lizardfs",
	"fuse.seaweedfs",
	"fuse.quobyte",
	"fuse.curlftpfs",
	"fuse.mount-s3",
	"fuse.mountpoint-s3",
	"fuse.vmhgfs-fuse",
	"fuse.hdfs",
	"fuse.cvmfs2",
	"fuse.nfs",
	"fuse.smbnetfs",
	"fuse.alluxio-fuse",
};

static const char *const memory_types[] = { "tmpfs", "ramfs", "devtmpfs", "hugetlbfs", "rootfs" };

/* Views of the kernel: what is written there goes to no storage. */
static const char *const kernel_types[] = {
	"proc",	       "sysfs",	  "cgroup",    "cgroup2",    "debugfs", "tracefs", "securityfs",
	"configfs",    "pstore",  "efivarfs",  "bpf",	     "mqueue",	"devpts",  "autofs",
	"binfmt_misc", "fusectl", "selinuxfs", "rpc_pipefs", "nsfs",
};

static bool is_one_of(const char *type, const char *const *types, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

enum target_kind fs_kind(const char *type)
{
	if (!*type)
		return TARGET_UNKNOWN;
	if (is_one_of(type, network_types, ARRAY_LEN(network_types)))
		return TARGET_NETWORK;
	if (is_one_of(type, memory_types, ARRAY_LEN(memory_types)))
		return TARGET_MEMORY;
	if (is_one_of(type, kernel_types, ARRAY_LEN(kernel_types)))
		return TARGET_KERNEL;
	/* fuseblk lies on a disk, but what its process does with the data is its own business. */
	if (!strncmp(type, "fuse", 4))
		return TARGET_USERSPACE;
	return TARGET_LOCAL;
}

/* From linux/magic.h, which older systems do not have complete, and the file systems' own. */
static const struct {
	int64_t magic;
	const char *name;
} magics[] = {
	{ 0xef53, "ext4" },	    { 0x58465342, "xfs" },    { 0x9123683e, "btrfs" },
	{ 0x01021994, "tmpfs" },    { 0x858458f6, "ramfs" },  { 0x6969, "nfs" },
	{ 0x794c7630, "overlay" },  { 0xff534d42, "cifs" },   { 0xfe534d42, "smb3" },
	{ 0x65735546, "fuse" },	    { 0x0bd00bd0, "lustre" }, { 0x47504653, "gpfs" },
	{ 0x2fc12fc1, "zfs" },	    { 0x00c36400, "ceph" },   { 0x01021997, "9p" },
	{ 0xf2f52010, "f2fs" },	    { 0x01161970, "gfs2" },   { 0x7461636f, "ocfs2" },
	{ 0xca451a4e, "bcachefs" }, { 0x19830326, "beegfs" },
};

const char *fs_name_of_magic(int64_t magic)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(magics); i++)
		if (magics[i].magic == magic)
			return magics[i].name;
	return "";
}

/* How a file system says that it compresses; and the value that means that it does not. */
static const struct {
	const char *fs_type;
	const char *option;
	const char *off;
} compressors[] = {
	{ "btrfs", "compress", "no" },	      { "btrfs", "compress-force", "no" },
	{ "f2fs", "compress_extension", "" }, { "bcachefs", "compression", "none" },
	{ "ntfs3", "compress", "" },	      { "fuseblk", "compression", "" },
	{ "ubifs", "compr", "none" },
};

int fs_is_compressing(const struct mount *m)
{
	enum target_kind kind = fs_kind(m->fs_type);
	size_t i;

	for (i = 0; i < ARRAY_LEN(compressors); i++) {
		CLEANUP(xfree) char *value = NULL;

		if (strcmp(m->fs_type, compressors[i].fs_type))
			continue;
		value = mount_option(m, compressors[i].option);
		if (value && (!*compressors[i].off || strcmp(value, compressors[i].off)) &&
		    strcmp(value, "none"))
			return 1;
	}
	/* A property of the dataset, or of a server: not among the mount options. */
	if (!strcmp(m->fs_type, "zfs") || kind == TARGET_NETWORK || kind == TARGET_USERSPACE)
		return -1;
	return 0;
}

/* Persistent memory (pmem) is storage: what is written there stays, and no cache holds it. */
static const struct {
	const char *prefix;
	enum device_kind kind;
} devices[] = {
	{ "dm-", DEVICE_DM },	   { "md", DEVICE_MD },	       { "loop", DEVICE_LOOP },
	{ "nvme", DEVICE_NVME },   { "vd", DEVICE_VIRTIO },    { "xvd", DEVICE_XEN },
	{ "sd", DEVICE_SCSI },	   { "sr", DEVICE_SCSI },      { "mmcblk", DEVICE_MMC },
	{ "zram", DEVICE_MEMORY }, { "ram", DEVICE_MEMORY },   { "nbd", DEVICE_NETWORK },
	{ "rbd", DEVICE_NETWORK }, { "drbd", DEVICE_NETWORK }, { "rnbd", DEVICE_NETWORK },
};

enum device_kind device_kind_of_name(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(devices); i++)
		if (!strncmp(name, devices[i].prefix, strlen(devices[i].prefix)))
			return devices[i].kind;
	return DEVICE_OTHER;
}

bool device_is_nvme_path(const char *name, const char *head)
{
	static const char digits[] = "0123456789";
	size_t len = strlen("nvme");
	size_t n;

	if (strncmp(head, "nvme", len))
		return false;
	len += strspn(head + len, digits);
	if (strncmp(name, head, len) || name[len] != 'c')
		return false;
	n = strspn(name + len + 1, digits);
	return n > 0 && !strcmp(name + len + 1 + n, head + len);
}
