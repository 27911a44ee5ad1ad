/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_nouns - host, plan and run of a run that was never made
 */
#include "sample_nouns.h"

#include "iotest/compiler.h"
#include "iotest/xalloc.h"

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
	disk->discard_max_bytes = 0;
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
	t->compressing = 0;
	t->data_copies = 1;
	fill_devices(t);
}

/* Hyper-threads are the halves of the list, as on many machines. */
static void fill_cores(struct host *host)
{
	for (int i = 0; i < SAMPLE_WORKERS; i++)
		XGROW(&host->cores, &host->n_cores)->cpus =
			xasprintf("%d,%d", i, i + SAMPLE_WORKERS);
}

void sample_fill_host(struct host *host)
{
	host->name = xstrdup("sasnode3.example.net");
	host->physical_cores = SAMPLE_WORKERS;
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
	fill_cores(host);
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

void sample_fill_plan(struct plan *plan)
{
	plan->target = xstrdup("/data/work");
	plan->target_index = 0;
	plan->method = xstrdup("full/2");
	plan->mode = MODE_FULL;
	plan->judges_write = 1;
	plan->judges_read = 1;
	plan->control = CONTROL_IF_BELOW;
	plan->together = 0;
	plan->light = 0;
	plan->repeat = 1;
	plan->until_steady = 0;
	plan->cores = SAMPLE_WORKERS;
	plan->cores_overridden = 0;
	plan->workers = SAMPLE_WORKERS;
	plan->workers_overridden = 0;
	plan->bytes_per_worker = 96 * GIB;
	plan->block_bytes = 64 * KIB;
	plan->blocks_per_worker = 96 * GIB / (64 * KIB);
	plan->total_bytes = SAMPLE_WORKERS * 96 * GIB;
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
				     .compressible_percent = -1,
				     .integrity = INTEGRITY_STAMPS,
				     .fsync_in_window = 1,
				     .drop_cache = 1,
				     .window_bytes = -1,
				     .piece_bytes = -1,
				     .pace_bytes_per_s = -1 };
	add_reason(plan, "workers", "4", "one per physical core that this process may use");
	add_reason(plan, "file per worker", "96 GiB",
		   "the size of the memory, so that it cannot hold the files of all workers");
	add_reason(plan, "a key that is longer than its column", "and so is its value",
		   "the rest of the table stays in its columns");
}

/* The time of everything, of which fsync comes last; bytes in calls of 64 KiB. */
static void add_worker(struct phase *phase, int64_t bytes, int64_t end_ns, int64_t fsync_ns,
		       const struct sample_calls *calls)
{
	struct worker_result *w = XGROW(&phase->workers, &phase->n_workers);

	*w = (struct worker_result){
		.bytes = bytes,
		.read_bytes = -1,
		.ops = bytes / (64 * KIB),
		.start_ns = 120000,
		.last_io_ns = end_ns - fsync_ns,
		.end_ns = end_ns,
		.fsync_ns = fsync_ns,
		.window_ns = -1,
		.user_ns = 3 * NS_PER_S,
		.system_ns = end_ns / 20,
		.storage_bytes = bytes,
		.call_p50_ns = calls->p50,
		.call_p90_ns = calls->p90,
		.call_p99_ns = calls->p99,
		.call_p999_ns = calls->p999,
		.call_max_ns = calls->max,
		.stopped_ns = 0,
		.stamps = fsync_ns > 0 ? -1 : bytes / 4096,
		.bad_stamps = fsync_ns > 0 ? -1 : 0,
		.bad_offset_bytes = -1,
		.bad_found_worker = -1,
		.bad_found_offset_bytes = -1,
	};
}

static void add_device(struct phase *phase, const char *name, bool is_top, bool is_write,
		       int64_t bytes)
{
	struct device_count *d = XGROW(&phase->devices, &phase->n_devices);
	int64_t ops = bytes / (512 * KIB);

	*d = (struct device_count){
		.name = xstrdup(name),
		.is_leaf = !is_top,
		.is_top = is_top,
		.read_bytes = is_write ? 8 * MIB : bytes,
		.written_bytes = is_write ? bytes : MIB,
		.read_ops = is_write ? 512 : ops,
		.write_ops = is_write ? ops : 64,
		.read_ns = is_write ? NS_PER_S : ops * 2100000,
		.write_ns = is_write ? ops * 9400000 : NS_PER_S,
		.busy_ns = 900 * NS_PER_S,
		.queue_ns = ops * 2200000,
	};
}

static void add_points(struct phase *phase, int64_t bytes, int64_t elapsed_ns, bool is_write)
{
	for (int64_t i = 1; i <= 3; i++)
		*XGROW(&phase->series, &phase->n_series) = (struct series_point){
			.at_ns = elapsed_ns / 3 * i,
			.bytes = bytes / 3 * i,
			.cpu_ns = elapsed_ns / 15 * i,
			.n_running = i < 3 ? (int64_t)phase->n_workers : 0,
			.device_read_bytes = is_write ? 0 : bytes / 3 * i,
			.device_written_bytes = is_write ? bytes / 3 * i : 0,
			.dirty_bytes = is_write ? 17 * GIB : 0,
		};
}

static void add_call_times(struct phase *phase, int64_t bytes, const struct sample_calls *calls)
{
	int64_t all = bytes / (64 * KIB);
	const struct call_time times[] = { { calls->p50, all - all / 10 },
					   { calls->p90, all / 10 - 1 },
					   { calls->max, 1 } };

	for (size_t i = 0; i < ARRAY_LEN(times); i++)
		*XGROW(&phase->call_times, &phase->n_call_times) = times[i];
}

/* What the host saw of a phase of so many nanoseconds. */
static void fill_around(struct phase *phase, int64_t elapsed_ns, int64_t dirty_peak_bytes)
{
	phase->depth = 1;
	phase->clock_step_ns = 0;
	phase->suspended_ns = 0;
	phase->longest_gap_ns = 260 * NS_PER_MS;
	phase->host_cpu_ns = 32 * elapsed_ns;
	phase->host_busy_ns = 2 * elapsed_ns;
	phase->dirty_peak_bytes = dirty_peak_bytes;
}

static void fill_phase(struct phase *phase, int64_t bytes, int64_t elapsed_ns, bool is_write,
		       const struct sample_calls *calls)
{
	phase->status = PHASE_COMPLETE;
	phase->planned_bytes = bytes;
	add_device(phase, "dm-4", true, is_write, bytes);
	add_device(phase, "sdc", false, is_write, bytes);
	add_points(phase, bytes, elapsed_ns, is_write);
	add_call_times(phase, bytes, calls);
	fill_around(phase, elapsed_ns, is_write ? 17 * GIB + 512 * MIB : 12 * MIB);
}

const struct sample_calls sample_write_calls = { 17200, 24600, 3690000, 31700000, 2310000000 };
const struct sample_calls sample_control_calls = { 138000000, 151000000, 166000000, 177000000,
						   181000000 };
const struct sample_calls sample_read_calls = { 19800, 44100, 9870000, 18200000, 142000000 };

void sample_fill_control(struct run *run)
{
	struct phase *control = &run->control_write;

	fill_phase(control, 4628 * MIB, 20 * NS_PER_S, true, &sample_control_calls);
	control->status = PHASE_TIME_LIMIT;
	control->started_at_ns = SAMPLE_BEGIN + 1260 * NS_PER_S;
	control->budget_ns = 20 * NS_PER_S;
	control->depth = CONTROL_DEPTH;
	control->resident_bytes = 0;
	for (int i = 0; i < SAMPLE_WORKERS; i++)
		add_worker(control, 1157 * MIB, 20 * NS_PER_S, 4 * NS_PER_MS,
			   &sample_control_calls);
}

void sample_fill_run(struct run *run)
{
	run->id = xstrdup("00112233445566778899aabbccddeeff");
	run->tool_version = xstrdup("0.1.0");
	run->invocation = xstrdup("iotest -t work --require sas9-minimum --case 7612");
	run->case_id = xstrdup("7612");
	run->started_at_ns = SAMPLE_BEGIN;
	run->ended_at_ns = SAMPLE_BEGIN + 2256 * NS_PER_S;
	run->utc_offset_s = -5 * 3600;
	run->timezone = xstrdup("EST");
	run->workspace = xstrdup("unnamed");
	run->syncfs_ns = 3100 * NS_PER_MS;
	run->left_bytes = 0;
	run->remove_ns = 2400 * NS_PER_MS;
	run->cpu_ns = 456 * NS_PER_S;

	fill_phase(&run->write, SAMPLE_ALL_BYTES, 1252 * NS_PER_S, true, &sample_write_calls);
	run->write.started_at_ns = SAMPLE_BEGIN + NS_PER_S;
	run->write.allocated_bytes = SAMPLE_ALL_BYTES;
	fill_phase(&run->read, SAMPLE_ALL_BYTES, 936 * NS_PER_S, false, &sample_read_calls);
	run->read.started_at_ns = SAMPLE_BEGIN + 1300 * NS_PER_S;
	run->read.resident_bytes = 0;
	for (int i = 0; i < SAMPLE_WORKERS; i++) {
		add_worker(&run->write, 96 * GIB, (1240 + 4 * i) * NS_PER_S, 100 * NS_PER_S,
			   &sample_write_calls);
		add_worker(&run->read, 96 * GIB, (900 + 12 * i) * NS_PER_S, 0, &sample_read_calls);
	}
}
