/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_parts - what the files of the probe know of each other
 *
 * Private to src/probe. Each part fills its own members of the host, in the order that probe.c
 * gives; what several parts need lies in struct probe. None of them can fail, unless its
 * prototype says so: what cannot be learned stays unknown, with a note.
 */
#ifndef IOTEST_PROBE_PARTS_H
#define IOTEST_PROBE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iotest/buf.h"
#include "iotest/compiler.h"
#include "iotest/cpulist.h"
#include "iotest/err.h"
#include "iotest/host.h"
#include "iotest/sysroot.h"
#include "iotest/wordlist.h"

/* One CPU of /proc/cpuinfo; -1 where the architecture does not tell. */
struct cpuinfo_cpu {
	int64_t number;
	int64_t package;
	int64_t core;
	int64_t siblings;  /* threads of its package */
	int64_t cpu_cores; /* cores of its package */
	int64_t implementer;
	int64_t part; /* of ARM: which core design */
};

struct cpuinfo {
	struct cpuinfo_cpu *cpus; /* none if the text was cut: their number is not known then */
	size_t n_cpus;
	struct buf text;
};

/* More threads to a core than any processor has: the numbers of a careless hypervisor. */
#define THREADS_PER_CORE_MAX 8

/* One line of the mount table; texts decoded, never NULL. */
struct mount {
	int64_t id; /* -1 with parent: the table has no ids (/proc/mounts) */
	int64_t parent;
	char *number; /* of the device, "8:17"; "" unknown */
	char *root;
	char *point;
	char *fs_type;
	char *source;
	char *options;	  /* of the mount */
	char *fs_options; /* of the file system */
};

struct mounts {
	struct mount *items;
	size_t n_items;
	bool is_cut; /* there is more in the table than was read */
};

/* What hwloc tells of the whole machine; -1 unknown. */
struct topology {
	int64_t cores;
	int64_t packages;
	struct cpulist *sets; /* the CPUs of each core: package by package, from first to last */
	size_t n_sets;
};

/* What the kernel says of the directory that a path leads to. Sizes -1: unknown. */
struct place {
	bool is_told; /* false: the recorded tree does not have it, only the path is known */
	char *path;   /* absolute */
	char *number; /* st_dev, "8:17"; "" unknown */
	int64_t mount_id;
	int64_t magic; /* f_type of statfs */
	int64_t size_bytes;
	int64_t used_bytes;
	int64_t free_bytes;
	int64_t inodes;
	int64_t free_inodes;
	int read_only;
	int writable;
};

/* One mounted hierarchy of control groups, and where this process is in it. */
struct hierarchy {
	bool is_v2;
	char *controllers; /* of v1: "rw,cpu,cpuacct" */
	char *point;
	char *own; /* below point; "" for its root */
};

struct cgroups {
	struct buf text; /* of /proc/self/cgroup */
	struct hierarchy *items;
	size_t n_items;
};

/* What the parts share while one host is probed. */
struct probe {
	const struct sysroot *root;
	struct host *host;
	struct cpuinfo cpuinfo;
	struct mounts mounts;
	struct cgroups cgroups;
	struct topology topology;
	struct place *places; /* of the targets, in their order */
	size_t n_places;
	bool has_sysfs_topology;
};

/* probe_cpuinfo.c: the text of /proc/cpuinfo, of every architecture. */
void cpuinfo_read(struct probe *p);
void cpuinfo_done(struct cpuinfo *info);
/* The first value of a key, to be freed; NULL if there is none. */
char *cpuinfo_value(const struct cpuinfo *info, const char *key);
/* Distinct (physical id, core id) pairs, as they stand there; -1 if there are no core ids. */
int64_t cpuinfo_count_pairs(const struct cpuinfo *info);
/*
 * Gives every CPU of the set a core: core_of[cpu] = lowest CPU of its core. Returns what was used,
 * "cpuinfo ids" or "cpuinfo processors"; NULL if cpuinfo knows none of the CPUs.
 */
const char *cpuinfo_assign_cores(const struct cpuinfo *info, const struct cpulist *online,
				 int *core_of, struct host *host);

/* probe_cpu.c: who made the processor. */
void probe_cpu(struct probe *p);
const char *arm_part_name(int64_t implementer, int64_t part); /* NULL: not in the table */

/* probe_topology.c: what hwloc tells. Needs has_sysfs_topology. */
void probe_topology(struct probe *p);
void topology_done(struct topology *t);

/* probe_cpuset.c: which CPUs are online, and which of them this process may use. */
const char *cpuset_online(struct probe *p, struct cpulist *out); /* the source */
void cpuset_allowed(struct probe *p, const struct cpulist *online, struct cpulist *out);

/* probe_cores.c: cores, sockets, NUMA nodes. */
void probe_cores(struct probe *p);
/* Over how many cores the CPUs of the set are spread. */
int64_t count_cores(const struct cpulist *set, const int *core_of);

/* probe_core_list.c: the cores one by one; core_of as above. Needs the topology, the counts. */
void probe_core_list(struct probe *p, const struct cpulist *allowed, const int *core_of);

/* probe_hybrid.c: core kinds; core_of as of cpuinfo_assign_cores, for every online CPU. */
void probe_hybrid(struct probe *p, const struct cpulist *online, const int *core_of);

void probe_memory(struct probe *p); /* probe_memory.c: /proc/meminfo and dirty limits */

/* probe_cgroup.c: where this process is; needs the mounts. */
void cgroups_find(struct probe *p);
void cgroups_done(struct cgroups *c);
/* The limits; needs the memory as well. */
void probe_cgroup(struct probe *p);
/* Cuts the last component off an own path; false if it was the root of the mount. */
bool cgroup_climb(char *own);
/* The CPU set of the own cgroup. Returns 0 or -ENOENT. */
MUST_CHECK int cgroup_cpuset(struct probe *p, struct cpulist *out);

void probe_throttles(struct probe *p); /* probe_throttle.c: the I/O that the groups allow */

/* probe_mount.c: the mount table. */
void probe_mounts(struct probe *p);
void mounts_done(struct mounts *m);
const struct mount *mounts_by_id(const struct mounts *m, int64_t id);
/* The mount that holds an absolute, normalised path; NULL if the table does not tell, as one that
 * was cut does not. */
const struct mount *mounts_find(const struct mounts *m, const char *path);
/* The same, also in a table that was cut, but only if it is a mount of the device with this number,
 * or of one whose number the table does not have. */
const struct mount *mounts_find_on(const struct mounts *m, const char *path, const char *number);
bool mount_is_autofs(const struct mount *m);
bool path_is_below(const char *path, const char *directory); /* or the directory itself */
/* Both sets of options, without repetitions and secrets; to be freed. */
char *mount_options(const struct mount *m);
/* The value of an option, "" for one without; to be freed. NULL: not set. */
char *mount_option(const struct mount *m, const char *name);

/* probe_place.c: live asks the kernel, in a child that may hang; else the recorded answer. */
MUST_CHECK int place_find(struct probe *p, const char *given, size_t number, struct place *out,
			  struct err *err);
void place_done(struct place *place);

/* probe_kind.c: file system types, and the names of devices. */
enum device_kind device_kind_of_name(const char *name);	      /* of a whole one, "dm-3" */
bool device_is_nvme_path(const char *name, const char *head); /* nvme0c1n1 leads to nvme0n1 */
enum target_kind fs_kind(const char *fs_type);
const char *fs_name_of_magic(int64_t magic); /* "" unknown */
int fs_is_compressing(const struct mount *m);

/* probe_store.c: where a file system keeps what is written to it. */
/* Times that a byte reaches the devices of a file system that is not btrfs; -1 unknown. m may be
 * NULL. */
int64_t fs_data_copies(const char *fs_type, const struct mount *m);
/* Its cache beside the page cache: "the ARC of ZFS"; "" none known. m may be NULL. */
const char *fs_own_cache(const char *fs_type, const struct mount *m);
const char *device_own_cache(const char *name); /* the same of a device */

/* probe_btrfs.c: the file system that has the device of this name, as sysfs tells. */
/* Names of all its devices; *out is replaced. Returns 0 or -errno. */
MUST_CHECK int btrfs_devices(const struct sysroot *root, const char *device, struct strlist *out);
int64_t btrfs_data_copies(const struct sysroot *root, const char *device); /* -1 unknown */

/* probe_target.c: the directories under test. Finding them comes before the mount table is read,
 * since it mounts what an automounter keeps ready; it is the only part with errors. */
MUST_CHECK int targets_find(struct probe *p, const struct strlist *targets, struct err *err);
void probe_target(struct probe *p, const char *given, const struct place *place);

/* probe_device.c: the block devices below a mount, added to the target. */
void probe_devices(struct probe *p, struct target *target, const struct mount *m);
/* The same where no mount is known, by the device number of the directory. */
void probe_devices_by_number(struct probe *p, struct target *target);

/* probe_device_facts.c: what the files in the directory of a device say of it. */
void device_take_facts(const struct sysroot *root, const char *dir, struct device *d);
/* How full thin pools and snapshots are. Needs the targets. */
void probe_dm_status(struct probe *p);

/* probe_loop.c: the file of a loop device. Its path in sysfs, to be freed; NULL: none. */
char *loop_backing_file(const struct sysroot *root, const char *dir);
/* Whether this path leads to the file from here, too, or nothing tells; a note says if it does
 * not. If it is a block device, *number becomes its number, to be freed; else it is untouched. */
bool loop_file_is_here(struct probe *p, struct device *loop, char **number);

/* probe_sas.c: what the configuration of SAS says, of that file or the usual ones (NULL); needs the
 * targets. */
void probe_sas(struct probe *p, const char *config);

/* probe_processes.c: who runs that matters. */
void probe_processes(struct probe *p);

/* probe_settings.c: settings that somebody published a value for. Needs the targets. */
void probe_settings(struct probe *p);

/* probe_links.c: Fibre Channel, iSCSI, network. */
void probe_links(struct probe *p);

void probe_os(struct probe *p);	   /* probe_os.c: kernel, distribution, limits */
void probe_guest(struct probe *p); /* probe_guest.c: hypervisor, container, pod */

/* probe_text.c: for (at = text; *at; at = next_line(at)) */
const char *next_line(const char *at);
/* The beginning of a text, as a note may show it; to be freed. */
char *shown_text(const char *text);

/*
 * A fact that is no file. Live: fill writes its text, which is kept; else it is read back.
 * Returns 0 or -errno.
 */
typedef int fact_fill(void *context, struct buf *out);
MUST_CHECK int probe_fact(const struct sysroot *root, const char *name, fact_fill *fill,
			  void *context, struct buf *out);

/* Whether the file, whose text this is, went on after that. */
bool probe_was_cut(const struct sysroot *root, const char *path, const struct buf *text);

/* Of a recorded fact: -1 if absent. */
int64_t fact_or_unknown(const char *text, const char *key);

/* "name version" of the library in that file. */
void topology_add_library(struct buf *out);
void cpu_add_library(struct buf *out);
void mounts_add_library(struct buf *out);

#endif
