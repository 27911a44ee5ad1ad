/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_record - a finished run that was never made, every figure chosen by hand
 */
#include "sample_record.h"

#include "iotest/compiler.h"
#include "iotest/xalloc.h"

#define WORKERS 4

static void fill_devices(struct target *t)
{
	struct device *top = XGROW(&t->devices, &t->n_devices);
	struct device *disk;

	schema_init(&device_schema, top);
	top->name = xstrdup("dm-4");
	top->kind = DEVICE_DM;
	top->is_leaf = 0;
	top->number = xstrdup("253:4");
	top->dm_name = xstrdup("data-saswork");
	top->size_bytes = 1000 * GIB;
	top->rotational = 0;
	top->read_ahead_bytes = 4 * MIB;

	disk = XGROW(&t->devices, &t->n_devices);
	schema_init(&device_schema, disk);
	disk->name = xstrdup("sdc");
	disk->kind = DEVICE_SCSI;
	disk->parent = 0;
	disk->is_leaf = 1;
	disk->number = xstrdup("8:32");
	disk->model = xstrdup("ARRAY LUN");
	disk->size_bytes = 1000 * GIB;
	disk->rotational = 1;
	disk->logical_block_bytes = 512;
	disk->physical_block_bytes = 4096;
	disk->read_ahead_bytes = 128 * KIB;
	disk->max_transfer_bytes = 512 * KIB;
	disk->queue_requests = 256;
	disk->scheduler = xstrdup("mq-deadline");
	disk->write_cache = xstrdup("write back");
}

static void fill_target(struct host *host)
{
	struct target *t = XGROW(&host->targets, &host->n_targets);

	schema_init(&target_schema, t);
	t->given = xstrdup("work");
	t->path = xstrdup("/data/work");
	t->kind = TARGET_LOCAL;
	t->mount_point = xstrdup("/data");
	t->mount_source = xstrdup("/dev/mapper/data-saswork");
	t->mount_root = xstrdup("/");
	t->mount_options = xstrdup("rw,noatime,attr2,inode64");
	t->fs_type = xstrdup("xfs");
	t->size_bytes = 1000 * GIB;
	t->used_bytes = 33824 * KIB;
	t->free_bytes = 1000 * GIB - 33824 * KIB;
	t->inodes = 524288000;
	t->free_inodes = 524287900;
	t->read_only = 0;
	t->writable = 1;
	fill_devices(t);
}

static void fill_host(struct host *host)
{
	host->name = xstrdup("sasnode3.example.net");
	host->physical_cores = WORKERS;
	host->threads = 8;
	host->allowed_cpus = xstrdup("0-7");
	host->physical_cores_total = 16;
	host->threads_total = 32;
	host->sockets = 2;
	host->numa_nodes = 2;
	host->online_cpus = xstrdup("0-31");
	host->cores_source = xstrdup("thread siblings in sysfs");
	host->physical_cores_hwloc = 16;
	host->cpu.vendor = xstrdup("GenuineIntel");
	host->cpu.brand = xstrdup("Intel(R) Xeon(R) Gold 6444Y");
	host->cpu.architecture = xstrdup("x86_64");
	host->cpu.family = 6;
	host->cpu.model = 143;
	host->cpu.stepping = 8;
	host->cpu.source = xstrdup("libcpuid");
	host->cpu_quota_cores = 2.5;
	host->cpu_quota_source = xstrdup("/sys/fs/cgroup/batch/cpu.max");
	host->memory_bytes = 96 * GIB;
	host->memory_available_bytes = 90 * GIB;
	host->hugepages_bytes = 0;
	host->swap_bytes = 4 * GIB;
	host->cgroup = xstrdup("/batch");
	host->dirty_limit_bytes = 18 * GIB;
	host->os.kernel = xstrdup("5.14.0-503.el9.x86_64");
	host->os.distribution = xstrdup("Example Linux 9.5");
	host->os.product = xstrdup("Rack Server 2");
	host->os.clock_source = xstrdup("tsc");
	host->os.in_pod = 0;
	host->os.uid = 1001;
	host->os.open_files_limit = 1024;
	host_note(host, "cores", "cpuinfo has no physical ids");
	fill_target(host);
}

static void add_reason(struct plan *plan, const char *key, const char *value, const char *text)
{
	struct reason *r = XGROW(&plan->reasons, &plan->n_reasons);

	r->key = xstrdup(key);
	r->value = xstrdup(value);
	r->text = xstrdup(text);
}

static void fill_plan(struct plan *plan)
{
	plan->target = xstrdup("/data/work");
	plan->target_index = 0;
	plan->method = xstrdup("full/1");
	plan->cores = WORKERS;
	plan->cores_overridden = 0;
	plan->workers = WORKERS;
	plan->workers_overridden = 0;
	plan->bytes_per_worker = 96 * GIB;
	plan->block_bytes = 64 * KIB;
	plan->blocks_per_worker = 96 * GIB / (64 * KIB);
	plan->total_bytes = WORKERS * 96 * GIB;
	plan->sized_by = SIZED_BY_MEMORY;
	plan->shrunk = 0;
	plan->wanted_bytes_per_worker = 96 * GIB;
	plan->fits_in_cache = 0;
	plan->cache_bytes = 96 * GIB;
	plan->preallocation_bytes = 8 * GIB;
	plan->reserve_bytes = 100 * GIB;
	plan->free_after_bytes = 616 * GIB - 33824 * KIB;
	plan->requirement_mib_per_s = 100;
	plan->requirement_name = xstrdup("sas9-minimum");
	plan->requirement_published = xstrdup("100 MB/s per core");
	plan->requirement_source = xstrdup("SAS 9.4 companion");
	plan->requirement_year = 2013;
	plan->requirement_given = 1;
	plan->expected_ns = 1966 * NS_PER_S;
	plan->needs_consent = 1;
	plan->consent = xstrdup("the test takes 32 min 46 s at the required rate; --size makes it "
				"smaller, --time-limit ends it earlier");
	plan->io = (struct io_spec){ .block_bytes = 64 * KIB,
				     .pages_per_transfer = 1,
				     .data = DATA_UNIQUE,
				     .fsync_in_window = 1,
				     .drop_cache = 1 };
	add_reason(plan, "workers", "4", "one per physical core that this process may use");
	add_reason(plan, "file per worker", "96 GiB",
		   "the size of the memory, so that it cannot hold the files of all workers");
	add_reason(plan, "a key that is longer than its column", "and so is its value",
		   "the rest of the table stays in its columns");
}

static void add_worker(struct phase *phase, int64_t end_ns, int64_t fsync_ns)
{
	struct worker_result *w = XGROW(&phase->workers, &phase->n_workers);

	*w = (struct worker_result){
		.bytes = 96 * GIB,
		.ops = 96 * GIB / (64 * KIB),
		.start_ns = 120000,
		.last_io_ns = end_ns - fsync_ns,
		.end_ns = end_ns,
		.fsync_ns = fsync_ns,
		.user_ns = 3 * NS_PER_S,
		.system_ns = 61 * NS_PER_S,
		.storage_bytes = 96 * GIB,
	};
}

static void fill_run(struct run *run)
{
	const int64_t begin = 1796094004LL * NS_PER_S; /* 2026-12-01 03:00:04 UTC */

	run->id = xstrdup("00112233445566778899aabbccddeeff");
	run->tool_version = xstrdup("0.1.0");
	run->invocation = xstrdup("iotest -t work --require sas9-minimum --case 7612");
	run->case_id = xstrdup("7612");
	run->started_at_ns = begin;
	run->ended_at_ns = begin + 2256 * NS_PER_S;
	run->utc_offset_s = -5 * 3600;
	run->timezone = xstrdup("EST");
	run->workspace = xstrdup("unnamed");
	run->syncfs_ns = 3100 * NS_PER_MS;
	run->left_bytes = 0;

	run->write.status = PHASE_COMPLETE;
	run->write.planned_bytes = WORKERS * 96 * GIB;
	run->write.started_at_ns = begin + NS_PER_S;
	run->write.allocated_bytes = WORKERS * 96 * GIB;
	run->read.status = PHASE_COMPLETE;
	run->read.planned_bytes = WORKERS * 96 * GIB;
	run->read.started_at_ns = begin + 1300 * NS_PER_S;
	run->read.resident_bytes = 0;
	for (int i = 0; i < WORKERS; i++) {
		add_worker(&run->write, (1240 + 4 * i) * NS_PER_S, 100 * NS_PER_S);
		add_worker(&run->read, (900 + 12 * i) * NS_PER_S, 0);
	}
}

static void fill_rates(struct report *report)
{
	report->write = (struct phase_rates){
		.usable = 1,
		.bytes = WORKERS * 96 * GIB,
		.elapsed_ns = 1252 * NS_PER_S,
		.aggregate_mib_per_s = 314.0703,
		.aggregate_mb_per_s = 329.3266,
		.mib_per_s_per_core = 78.517572,
		.mean_mib_per_s_per_worker = 78.8982,
		.slowest_mib_per_s = 78.5176,
		.slowest_worker = 4,
		.fastest_mib_per_s = 79.2774,
		.fastest_worker = 1,
		.first_done_ns = 1240 * NS_PER_S,
		.last_done_ns = 1252 * NS_PER_S,
		.start_skew_ns = 300000,
		.written_ratio = 1,
		.fsync_ratio = 0.0803,
		.uncached_ratio = -1,
		.need_mib_per_s = 400,
		.carries_cores = 3,
	};
	report->read = (struct phase_rates){
		.usable = 1,
		.bytes = WORKERS * 96 * GIB,
		.elapsed_ns = 936 * NS_PER_S,
		.aggregate_mib_per_s = 420.1026,
		.aggregate_mb_per_s = 440.5095,
		.mib_per_s_per_core = 105.0256,
		.mean_mib_per_s_per_worker = 107.0851,
		.slowest_mib_per_s = 105.0256,
		.slowest_worker = 4,
		.fastest_mib_per_s = 109.2267,
		.fastest_worker = 1,
		.first_done_ns = 900 * NS_PER_S,
		.last_done_ns = 936 * NS_PER_S,
		.start_skew_ns = 0,
		.fsync_ratio = -1,
		.written_ratio = -1,
		.uncached_ratio = 0.9996,
		.need_mib_per_s = 400,
		.carries_cores = 4,
	};
}

static void add_finding(struct report *r, const char *id, int severity, const char *text,
			const char *advice)
{
	struct finding *f = XGROW(&r->findings, &r->n_findings);

	f->id = xstrdup(id);
	f->severity = severity;
	f->text = xstrdup(text);
	f->advice = xstrdup(advice);
}

static void fill_report(struct report *report)
{
	report->analyzed_by = xstrdup("0.1.0");
	report->bundle = xstrdup("iotest_sasnode3_20261201-030004.tar.gz");
	report->exit_status = 3;
	fill_rates(report);
	add_finding(report, "cpu-quota", SEVERITY_INFO, "this control group may use 2.5 cores", "");
	add_finding(report, "write-below", SEVERITY_WARNING,
		    "writing is 86 MiB/s short of the 400 MiB/s that 4 cores need together, which "
		    "is more than the spread of the workers",
		    "show this report to those who run the storage below /data, and ask for what "
		    "it should carry");
	report->verdict = (struct verdict){
		.result = VERDICT_BELOW,
		.text = xstrdup("slower than the requirement: write 78.5 MiB/s per core, below; "
				"read 105.0 MiB/s per core"),
		.mib_per_s_per_core = 78.517572,
		.requirement_mib_per_s = 100,
		.requirement_mb_per_s = 104.8576,
		.name = xstrdup("sas9-minimum"),
		.published = xstrdup("100 MB/s per core"),
		.source = xstrdup("SAS 9.4 companion"),
		.year = 2013,
	};
}

struct record *sample_record_add(struct records *records)
{
	struct record *record = records_add(records);

	fill_host(&record->host);
	fill_plan(&record->plan);
	fill_run(&record->run);
	fill_report(&record->report);
	return record;
}
