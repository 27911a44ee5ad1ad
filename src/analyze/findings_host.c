/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings_host - judgements about the machine, the target and the plan
 */
#include <inttypes.h>
#include <string.h>

#include "findings.h"
#include "iotest/units.h"
#include "io_limit.h"
#include "proof.h"

/* What the SAS script asks per physical core, less its allowance of 200 MB. */
#define MEMORY_PER_CORE_MIN (3989504 * KIB)
#define MEMORY_PER_CORE_ADVISED (8183808 * KIB)
/* Above this share, huge pages change how much the page cache can hold. */
#define HUGEPAGES_RATIO 0.1
#define SOCKETS_WITHOUT_NUMA 2

static int64_t memory_per_core(const struct report *r)
{
	int64_t memory = host_cache_bytes(r->host);

	return memory < 0 || r->plan->cores < 1 ? -1 : memory / r->plan->cores;
}

static void say_memory_per_core(const struct report *r, struct buf *text, const char *than)
{
	units_add_size(text, memory_per_core(r));
	buf_printf(text, " of memory per core, less than %s", than);
}

static bool check_memory_low(const struct report *r, struct buf *text, struct buf *advice)
{
	int64_t per_core = memory_per_core(r);

	if (per_core < 0 || per_core >= MEMORY_PER_CORE_MIN)
		return false;
	say_memory_per_core(r, text, "the 4 GiB that SAS needs");
	buf_add_text(advice, "add memory, or use fewer cores for SAS");
	return true;
}

static bool check_memory_advised(const struct report *r, struct buf *text,
				 struct buf *advice UNUSED)
{
	int64_t per_core = memory_per_core(r);

	if (per_core < MEMORY_PER_CORE_MIN || per_core >= MEMORY_PER_CORE_ADVISED)
		return false;
	say_memory_per_core(r, text, "the 8 GiB that are advised for SAS");
	return true;
}

static bool check_memory_limit(const struct report *r, struct buf *text, struct buf *advice)
{
	if (r->host->memory_limit_bytes <= 0)
		return false;
	buf_add_text(text, "a memory limit of ");
	units_add_size(text, r->host->memory_limit_bytes);
	buf_printf(text, " is in force (%s); the machine has ",
		   text_of(r->host->memory_limit_source));
	units_add_size(text, r->host->memory_bytes);
	buf_add_text(advice,
		     "the rates are those under this limit; it also slows writers whose data "
		     "waits in memory");
	return true;
}

static bool check_memory_high(const struct report *r, struct buf *text, struct buf *advice UNUSED)
{
	if (r->host->memory_high_bytes <= 0)
		return false;
	buf_add_text(text, "memory.high of ");
	units_add_size(text, r->host->memory_high_bytes);
	buf_add_text(text, " slows this process down when it is reached");
	return true;
}

static bool check_quota(const struct report *r, struct buf *text, struct buf *advice)
{
	double quota = r->host->cpu_quota_cores;

	if (quota < 0 || quota >= (double)r->host->threads)
		return false;
	buf_printf(text, "a CPU quota of %.2f cores is in force (%s); %" PRId64 " workers share it",
		   quota, text_of(r->host->cpu_quota_source), r->plan->workers);
	buf_add_text(advice,
		     "the quota can be what limits the rates; --cores N judges by another number");
	return true;
}

static bool check_io_limits(const struct report *r, struct buf *text, struct buf *advice)
{
	CLEANUP(buf_done) struct buf limits = { 0 };

	io_limit_add_own(r, &limits);
	if (!limits.len)
		return false;
	buf_printf(text, "the control group limits I/O: %s (%s)", buf_text(&limits),
		   text_of(r->host->io_limits_source));
	buf_add_text(advice, "the rates can be those of this limit, and not of the storage");
	return true;
}

static bool check_cores_disagree(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct host *h = r->host;
	bool hwloc =
		h->physical_cores_hwloc > 0 && h->physical_cores_hwloc != h->physical_cores_total;
	bool cpuinfo = h->physical_cores_cpuinfo > 0 &&
		       h->physical_cores_cpuinfo != h->physical_cores_total;

	if (!hwloc && !cpuinfo)
		return false;
	buf_printf(text, "%s counts %" PRId64 " physical cores", text_of(h->cores_source),
		   h->physical_cores_total);
	if (hwloc)
		buf_printf(text, ", hwloc %" PRId64, h->physical_cores_hwloc);
	if (cpuinfo)
		buf_printf(text, ", cpuinfo %" PRId64, h->physical_cores_cpuinfo);
	buf_add_text(advice, "if you know better, --cores N sets the number");
	return true;
}

static bool check_cores_guessed(const struct report *r, struct buf *text, struct buf *advice)
{
	if (!strncmp(text_of(r->host->cores_source), "sysfs", 5))
		return false;
	buf_printf(text,
		   "the physical cores could not be read from the kernel's topology; source: %s",
		   text_of(r->host->cores_source)[0] ? text_of(r->host->cores_source) : "none");
	buf_add_text(advice, "--cores N sets the number");
	return true;
}

static bool check_many_sockets(const struct report *r, struct buf *text, struct buf *advice)
{
	if (r->host->sockets <= SOCKETS_WITHOUT_NUMA || text_of(r->host->os.hypervisor)[0])
		return false;
	buf_printf(text, "%" PRId64 " sockets: memory of other sockets is slower to reach",
		   r->host->sockets);
	buf_add_text(advice, "look at the slowest worker, too");
	return true;
}

static bool check_in_memory(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct target *t = plan_target(r->host, r->plan);

	if (!t || !target_is_in_memory(t))
		return false;
	buf_printf(text, "the target lies in memory (%s)",
		   t->kind == TARGET_MEMORY ? text_of(t->fs_type) : text_of(t->backing_fs_type));
	buf_add_text(advice, "this says nothing about a storage; choose a directory on a disk");
	return true;
}

static bool check_userspace(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct target *t = plan_target(r->host, r->plan);

	if (!t || t->kind != TARGET_USERSPACE)
		return false;
	buf_printf(text, "%s is served by a program (FUSE)", text_of(t->fs_type));
	buf_add_text(advice, "the program can cache what this host cannot see");
	return true;
}

static bool check_memory_device(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct target *t = plan_target(r->host, r->plan);

	for (size_t i = 0; t && i < t->n_devices; i++) {
		if (t->devices[i].kind != DEVICE_MEMORY)
			continue;
		buf_printf(text, "the device %s lies in memory", text_of(t->devices[i].name));
		buf_add_text(advice, "this says nothing about a disk");
		return true;
	}
	return false;
}

static bool check_compressing(const struct report *r, struct buf *text, struct buf *advice UNUSED)
{
	const struct target *t = plan_target(r->host, r->plan);

	if (!t || t->compressing != 1)
		return false;
	buf_add_text(text, "the file system compresses");
	if (r->plan->io.data == DATA_UNIQUE)
		buf_add_text(text, "; the test data cannot be compressed, so it shows the rate "
				   "without that gain");
	return true;
}

static bool check_buffered_loop(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct target *t = plan_target(r->host, r->plan);

	for (size_t i = 0; t && i < t->n_devices; i++) {
		if (t->devices[i].kind != DEVICE_LOOP || t->devices[i].direct_io == 1)
			continue;
		buf_printf(text, "the loop device %s caches its file in this host's memory",
			   text_of(t->devices[i].name));
		buf_add_text(advice, "losetup --direct-io=on bypasses that cache");
		return true;
	}
	return false;
}

static bool check_shrunk(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct plan *p = r->plan;

	if (p->shrunk != 1)
		return false;
	buf_add_text(text, "the files were made smaller to fit: ");
	units_add_size(text, p->bytes_per_worker);
	buf_add_text(text, " instead of ");
	units_add_size(text, p->wanted_bytes_per_worker);
	buf_add_text(text, " per worker");
	buf_add_text(advice, "free some space and run it again at full size");
	return true;
}

/* A quick test is small by design, and its verdict says what that means. */
static bool check_fits_in_memory(const struct report *r, struct buf *text, struct buf *advice)
{
	if (r->plan->mode != MODE_FULL || !proof_fits_in_memory(r))
		return false;
	buf_add_text(text, "all files together (");
	units_add_size(text, r->written_bytes >= 0 ? r->written_bytes : r->plan->total_bytes);
	buf_add_text(text, ") are no more than the memory of this machine (");
	units_add_size(text, r->host->memory_bytes);
	buf_add_text(text, ")");
	buf_add_text(
		advice,
		"caches of arrays, hypervisors and file servers swallow as much; the full size "
		"outside of a memory limit is the test that counts");
	return true;
}

static bool check_network(const struct report *r, struct buf *text, struct buf *advice)
{
	const struct target *t = plan_target(r->host, r->plan);

	if (!t || t->kind != TARGET_NETWORK)
		return false;
	buf_printf(text,
		   "%s is a network file system: caches of the server cannot be seen from here",
		   text_of(t->fs_type));
	buf_add_text(advice, "use files larger than the server's cache to be sure");
	return true;
}

static bool check_hugepages(const struct report *r, struct buf *text, struct buf *advice UNUSED)
{
	const struct host *h = r->host;

	if (h->hugepages_bytes <= 0 || h->memory_bytes <= 0 ||
	    (double)h->hugepages_bytes < HUGEPAGES_RATIO * (double)h->memory_bytes)
		return false;
	units_add_size(text, h->hugepages_bytes);
	buf_add_text(text, " of the memory are huge pages, so the page cache can use only ");
	units_add_size(text, h->memory_bytes - h->hugepages_bytes);
	return true;
}

static bool check_restricted(const struct report *r, struct buf *text, struct buf *advice UNUSED)
{
	const struct host *h = r->host;

	if (h->physical_cores < 0 || h->physical_cores >= h->physical_cores_total)
		return false;
	buf_printf(text, "this process may use %" PRId64 " of %" PRId64 " physical cores (CPUs %s)",
		   h->physical_cores, h->physical_cores_total, text_of(h->allowed_cpus));
	return true;
}

static bool check_overridden(const struct report *r, struct buf *text, struct buf *advice UNUSED)
{
	const struct plan *p = r->plan;

	if (p->cores_overridden == 1)
		buf_printf(text,
			   "rates are divided by %" PRId64
			   " cores, as --cores says; found: %" PRId64,
			   p->cores, r->host->physical_cores);
	if (p->workers_overridden == 1)
		buf_printf(text, "%s%" PRId64 " workers by option, on %" PRId64 " cores",
			   text->len ? "; " : "", p->workers, p->cores);
	if (p->sized_by == SIZED_BY_OPTION) {
		buf_add_text(text, text->len ? "; file size by option: " : "file size by option: ");
		units_add_size(text, p->bytes_per_worker);
	}
	if (p->size_given == 1 && p->bytes_per_worker < p->wanted_bytes_per_worker &&
	    (p->sized_by == SIZED_BY_QUICK || p->sized_by == SIZED_BY_MEMORY_FS)) {
		buf_add_text(text, text->len ? "; " : "");
		units_add_size(text, p->wanted_bytes_per_worker);
		buf_add_text(text, " per worker were asked for; ");
		buf_add_text(text, p->sized_by == SIZED_BY_QUICK ? "a short test takes "
								 : "in memory there is room for ");
		units_add_size(text, p->bytes_per_worker);
	}
	return text->len > 0;
}

static bool check_hybrid(const struct report *r, struct buf *text, struct buf *advice UNUSED)
{
	const struct host *h = r->host;

	if (h->n_core_kinds < 2)
		return false;
	buf_add_text(text, "cores of different kinds: ");
	for (size_t i = 0; i < h->n_core_kinds; i++)
		buf_printf(text, "%s%" PRId64 " %s", i ? ", " : "", h->core_kinds[i].physical_cores,
			   text_of(h->core_kinds[i].name));
	return true;
}

static bool check_unknown(const struct report *r, struct buf *text, struct buf *advice UNUSED)
{
	const struct host *h = r->host;

	if (h->n_notes == 0)
		return false;
	for (size_t i = 0; i < h->n_notes; i++) {
		buf_printf(text, "%s%s: ", i ? "; " : "", text_of(h->notes[i].subject));
		buf_add_visible(text, text_of(h->notes[i].text));
	}
	return true;
}

const struct judgement host_judgements[] = {
	{ "target-in-memory", SEVERITY_WARNING, "the target lies in memory", check_in_memory,
	  "the directory is a tmpfs, or lies on one", "test the directory that the work will use" },
	{ "target-memory-device", SEVERITY_WARNING, "a device below lies in memory",
	  check_memory_device, "a RAM disk or zram lies below",
	  "test the storage that the work will use" },
	{ "target-userspace", SEVERITY_WARNING, "a FUSE file system", check_userspace,
	  "a process serves the file system, and its CPU time counts as much as the storage",
	  "compare it with the file system below, if there is one" },
	{ "loop-cached", SEVERITY_WARNING, "a loop device caches below the file system",
	  check_buffered_loop, "the loop device reads and writes its file through the page cache",
	  "use losetup --direct-io=on, or test the file system of the file" },
	{ "shrunk", SEVERITY_WARNING, "the test was made smaller for lack of space", check_shrunk,
	  "there is less free space than the memory times the cores",
	  "free some space, or trust it less: caches can have helped" },
	{ "fits-in-memory", SEVERITY_WARNING, "the files are no more than the memory",
	  check_fits_in_memory, "--size, --quick or the free space made the files small",
	  "use files larger than the memory for a rate that no cache can help" },
	{ "memory-per-core-low", SEVERITY_WARNING, "under 4 GiB of memory per core",
	  check_memory_low, "the machine has many cores for its memory, or a limit is in force",
	  "add memory, or use fewer cores for SAS" },
	{ "memory-limit", SEVERITY_WARNING, "a control group limits the memory", check_memory_limit,
	  "a container, a service or a batch system limits this process",
	  "run it where the work will run, or raise the limit" },
	{ "cpu-quota", SEVERITY_WARNING, "a control group limits the CPU time", check_quota,
	  "a container, a service or a batch system limits this process",
	  "run it where the work will run, or raise the quota" },
	{ "io-limit", SEVERITY_WARNING, "a control group limits the I/O", check_io_limits,
	  "a container, a service or a batch system limits this process",
	  "raise the limit if the work is to be faster; the storage itself may be" },
	{ "cores-disagree", SEVERITY_WARNING, "two sources count the cores differently",
	  check_cores_disagree,
	  "firmware, hypervisor or container describe the processors differently",
	  "say how many there are with --cores" },
	{ "cores-guessed", SEVERITY_WARNING, "the kernel's topology could not be read",
	  check_cores_guessed, "sysfs is not mounted or hidden here",
	  "say how many there are with --cores" },
	{ "many-sockets", SEVERITY_WARNING, "more than two sockets on real hardware",
	  check_many_sockets, "the machine has that many, or the firmware says so",
	  "compare the count of cores with the data sheet; give it with --cores if it is wrong" },
	{ "network", SEVERITY_INFO, "a network file system", check_network,
	  "NFS, SMB or a cluster file system",
	  "count on the server and the network as part of the rate; test from several hosts with "
	  "--start-at" },
	{ "compressing", SEVERITY_INFO, "the file system compresses", check_compressing,
	  "a mount option or an attribute of the directory",
	  "nothing: the data of the test cannot be compressed, other data may be faster" },
	{ "memory-per-core", SEVERITY_INFO, "under 8 GiB of memory per core", check_memory_advised,
	  "the machine has less than SAS advises",
	  "nothing, unless SAS procedures run short of memory" },
	{ "memory-high", SEVERITY_INFO, "memory.high is set", check_memory_high,
	  "a container or a service sets it", "raise it, or read the rates as those under it" },
	{ "hugepages", SEVERITY_INFO, "much of the memory is reserved as huge pages",
	  check_hugepages, "databases or hypervisors on this host reserve them",
	  "leave them, or release what nobody uses: they cannot cache files" },
	{ "cpus-restricted", SEVERITY_INFO, "not all cores may be used", check_restricted,
	  "taskset, a cpuset or a batch system",
	  "run it where the work will run, with the same processors" },
	{ "hybrid-cores", SEVERITY_INFO, "cores of different kinds", check_hybrid,
	  "a processor with fast and slow cores", "read rates per core as a mean of both" },
	{ "overridden", SEVERITY_INFO, "an option replaced what was found", check_overridden,
	  "an option on the command line", "compare only with runs that had the same options" },
	{ "unknown-facts", SEVERITY_INFO, "facts that could not be learned", check_unknown,
	  "files of the kernel are missing or hidden, or this user may not read them",
	  "run it as root for the whole picture, if that matters" },
};
const size_t n_host_judgements = ARRAY_LEN(host_judgements);
