/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_analyze_limits - what a rate was limited by, and the figures that say so
 */
#include "suite.h"

#include "analyze_facts.h"

static struct record rec;

/* Noise of a few percent, so that nothing is flat. */
static void phase(int kind, double mib_per_s, double cpu_s_per_gib)
{
	struct stretch list[10];

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		double rate = mib_per_s * (i % 2 ? 1.05 : 0.95);

		list[i] = (struct stretch){ 4, rate, rate, cpu_s_per_gib };
	}
	facts_phase(&rec, kind, list, ARRAY_LEN(list));
}

static void queue(struct phase *p, double in_flight, double busy)
{
	p->devices[0].queue_ns = (int64_t)(40e9 * in_flight);
	p->devices[0].busy_ns = (int64_t)(40e9 * busy);
}

static void control(double mib_per_s)
{
	phase(PHASE_CONTROL_WRITE, mib_per_s, 0.1);
	rec.run.control_write.depth = 8;
}

/* A write of 40 s at 300 MiB/s, the workers at 15 % of a core, of which nothing is known. */
static void begin(void)
{
	facts_begin(&rec);
	phase(PHASE_WRITE, 300, 1);
}

static void end(void)
{
	record_done(&rec);
}

static void use_cpu(double ratio)
{
	for (int i = 0; i < 2; i++) {
		rec.run.write.workers[i].user_ns = (int64_t)(ratio * 20e9);
		rec.run.write.workers[i].system_ns = (int64_t)(ratio * 20e9);
	}
}

/* The write phase anew. */
static void write_again(const struct stretch *list, size_t n)
{
	end();
	facts_begin(&rec);
	facts_phase(&rec, PHASE_WRITE, list, n);
}

static void held_pace(void)
{
	rec.plan.mode = MODE_PROVE;
	queue(&rec.run.write, 30, 1);
}
static void io_limit(void)
{
	rec.host.io_limits = xstrdup("8:16 write 1 MiB/s; 8:0 read 1 MiB/s; 8:0 write 320 MiB/s");
}
static void iops_limit(void)
{
	rec.host.io_limits = xstrdup("8:0 write 500 IOPS");
	rec.run.write.devices[0].write_ops = 40 * 499;
}
/* A second device below, which others use. */
static struct device_count *other_device(void)
{
	struct target *t = &rec.host.targets[0];
	struct device *d = XGROW(&t->devices, &t->n_devices);
	struct device_count *c = facts_device(&rec.run.write, "vda");

	schema_init(&device_schema, d);
	d->name = xstrdup("vda");
	d->number = xstrdup("254:0");
	d->kind = DEVICE_VIRTIO;
	d->parent = 0;
	t->devices[0].kind = DEVICE_LOOP;
	t->devices[0].direct_io = 1;
	return c;
}
static void operations_of_another_device(void)
{
	other_device()->write_ops = 40 * 5000;
	rec.host.io_limits = xstrdup("8:0 write 3000 IOPS");
	rec.run.write.devices[0].write_ops = 40 * 300;
}
static void operations_that_others_share(void)
{
	iops_limit();
	rec.run.write.devices[0].written_bytes *= 2;
}
static void two_copies(void)
{
	rec.host.targets[0].data_copies = 2;
	rec.run.write.devices[0].written_bytes *= 2;
	rec.host.io_limits = xstrdup("8:0 write 600 MiB/s");
}
static void limit_that_others_reach(void)
{
	rec.host.io_limits = xstrdup("8:0 write 600 MiB/s");
	rec.run.write.devices[0].written_bytes *= 2;
}
static void limit_changed_later(void)
{
	rec.host.io_limits = xstrdup("8:0 write 900 MiB/s");
	rec.run.write.io_limits = xstrdup("8:0 write 310 MiB/s");
}
static void limit_changed_in_the_phase(void)
{
	rec.host.io_limits = xstrdup("8:0 write 900 MiB/s");
	rec.run.write.io_limits = xstrdup("8:0 write 120 MiB/s");
}
static void limit_lifted(void)
{
	rec.host.io_limits = xstrdup("8:0 write 310 MiB/s");
	rec.run.write.io_limits = xstrdup("none");
}
static void limit_that_does_not_hold(void)
{
	rec.host.io_limits = xstrdup("8:0 write 200 MiB/s");
}
static void quota(void)
{
	rec.run.write.throttled_ns = 30 * NS_PER_S;
	use_cpu(0.95);
}
static void first_touch(void)
{
	static const struct stretch list[] = { { 12, 600, 600, 2 }, { 10, 1600, 1600, 0.3 } };

	write_again(list, ARRAY_LEN(list));
}
static void first_touch_of_who_waits(void)
{
	static const struct stretch list[] = { { 12, 25, 25, 2 }, { 10, 25, 25, 0.3 } };

	write_again(list, ARRAY_LEN(list));
}
static void busy_core(void)
{
	use_cpu(0.96);
	rec.run.write.host_busy_ns = 99;
	rec.run.write.host_cpu_ns = 100;
}
static void busy_host(void)
{
	use_cpu(0.4);
	rec.run.write.host_busy_ns = 98;
	rec.run.write.host_cpu_ns = 100;
}
static void full_group(void)
{
	rec.host.memory_limit_bytes = 512 * MIB;
	rec.run.write.group_dirty_peak_bytes = 500 * MIB;
	rec.run.write.memory_stalls = 480;
	queue(&rec.run.write, 1, 0.9);
}
/* The dirty pages of the host are not those of the group. */
static void stalls_alone(void)
{
	full_group();
	rec.run.write.group_dirty_peak_bytes = 100 * MIB;
	rec.run.write.dirty_peak_bytes = 900 * MIB;
}
static void full_group_at_a_queue(void)
{
	full_group();
	queue(&rec.run.write, 16, 1);
}
static void full_group_with_some_queue(void)
{
	full_group();
	queue(&rec.run.write, 22, 0.8);
}
static void flat(void)
{
	static const struct stretch list[] = { { 4, 900, 900, 0.1 }, { 36, 250, 250, 0.1 } };

	write_again(list, ARRAY_LEN(list));
	queue(&rec.run.write, 30, 1);
}
static void flat_but_host(void)
{
	flat();
	control(500);
}
static void queued(void)
{
	queue(&rec.run.write, 31.2, 0.99);
}
static void same_control(void)
{
	control(310);
}
static void same_control_at_an_idle_device(void)
{
	queue(&rec.run.write, 0.31, 0.03);
	control(310);
}
static void short_control(void)
{
	static const struct stretch list[] = { { 1.5, 900, 900, 0.1 } };

	facts_phase(&rec, PHASE_CONTROL_WRITE, list, ARRAY_LEN(list));
}
static void short_phase(void)
{
	static const struct stretch list[] = { { 1.5, 900, 900, 0.1 } };

	write_again(list, ARRAY_LEN(list));
	rec.run.write.devices[0].queue_ns = 42 * NS_PER_S;
	rec.run.write.devices[0].busy_ns = 3 * NS_PER_S / 2;
}
static void others_at_the_queue(void)
{
	queued();
	rec.run.write.devices[0].read_bytes = 3 * rec.run.write.devices[0].written_bytes;
}
static void some_others_at_the_queue(void)
{
	queued();
	rec.run.write.devices[0].read_bytes = rec.run.write.devices[0].written_bytes / 3;
}
static void one_request_at_a_time(void)
{
	struct phase *p = &rec.run.write;

	rec.plan.io.direct = 1;
	queue(p, 1.8, 0.89);
	p->devices[0].write_ops = 1000;
	p->devices[0].write_ns = 1000 * 146000;
	*XGROW(&p->call_times, &p->n_call_times) = (struct call_time){ 163000, 1000 };
}
static void calls_that_wait_for_something_else(void)
{
	one_request_at_a_time();
	rec.run.write.call_times[0].ns = 400000;
}
static void nearly_busy_host(void)
{
	use_cpu(0.4);
	rec.run.write.host_busy_ns = 9482;
	rec.run.write.host_cpu_ns = 10000;
}
static void queued_and_faster_control(void)
{
	queued();
	control(600);
}
static void faster_control(void)
{
	control(450);
}
static void dirty(void)
{
	rec.host.dirty_limit_bytes = GIB;
	rec.run.write.dirty_peak_bytes = GIB - 64 * MIB;
	queue(&rec.run.write, 1.2, 0.8);
}
static void busy_alone(void)
{
	queue(&rec.run.write, 1, 1);
}
static void queue_of_a_busy_core(void)
{
	queued();
	use_cpu(0.8);
}
static void nothing(void)
{
}
static void slower_control(void)
{
	control(150);
}

START_TEST(each_limit_is_told_with_its_figures)
{
	static const struct {
		void (*change)(void);
		const char *id;
		const char *text;
	} rows[] = {
		{ held_pace, "pace", "the pace of 100 MiB/s per core" },
		{ io_limit, "io-limit", "allows 8:0 write 320 MiB/s; the phase did 300 MiB/s" },
		{ iops_limit, "io-limit", "8:0 write 500 IOPS" },
		{ iops_limit, "io-limit", "; the phase did 499 writes/s at sda" },
		{ operations_of_another_device, "unknown", "" },
		{ operations_that_others_share, "unknown", "" },
		{ two_copies, "io-limit", "600 MiB/s; the phase did 600 MiB/s at sda" },
		{ limit_that_others_reach, "unknown", "(50 % of the bytes at sda were not ours)" },
		{ limit_changed_later, "io-limit", "allows 8:0 write 310 MiB/s (8:0 write 900" },
		{ limit_changed_in_the_phase, "io-limit",
		  "allows 8:0 write 120 MiB/s (8:0 write 900 MiB/s before); the phase did 300" },
		{ limit_lifted, "unknown", "" },
		{ limit_that_does_not_hold, "unknown", "" },
		{ quota, "cpu-quota", "for 37 % of the time" },
		{ first_touch, "first-touch",
		  "54 % of the time took 2.00 CPU s/GiB, the rest 0.30" },
		{ first_touch_of_who_waits, "unknown", "the workers used 1 % of a core each" },
		{ busy_core, "core", "used 96 % of a core each, 6.55 CPU s/GiB" },
		{ busy_host, "host-cpu", "98 % busy" },
		{ nearly_busy_host, "unknown", "" },
		{ full_group, "memory-limit",
		  "up to 500 MiB of its 512 MiB were dirty pages, it was hit 12 times a second" },
		{ full_group, "memory-limit", "with 1.0 requests in flight at sda" },
		{ stalls_alone, "unknown", "" },
		{ full_group_at_a_queue, "device", "16.0 requests in flight at sda" },
		{ full_group_with_some_queue, "unknown", "22.0 requests in flight at sda" },
		{ flat, "flat-cap", "18 rounds at 250 MiB/s, which varied by 0.0 %" },
		{ flat_but_host, "first-write", "500 MiB/s" },
		{ queued, "device",
		  "31.2 requests in flight at sda, which was 99 % busy, while the workers used 14 "
		  "% of a core each" },
		{ same_control, "device",
		  "O_DIRECT 1 MiB, depth 8, overwriting: 310 MiB/s, so it is not the page cache or "
		  "the file system" },
		{ same_control_at_an_idle_device, "above-device",
		  "depth 8, overwriting: 310 MiB/s, the same, with 0.3 requests in flight at sda, "
		  "which was 3 % busy" },
		{ short_control, "unknown", "not attributable" },
		{ short_phase, "unknown",
		  "too short to attribute (1.50 s, at least 2 s are needed)" },
		{ others_at_the_queue, "others",
		  "others, who moved 75 % of the bytes at sda: 31.2 requests in flight" },
		{ some_others_at_the_queue, "device",
		  "99 % busy (25 % of the bytes at sda were not ours), while" },
		{ one_request_at_a_time, "latency",
		  "a call took 163 us on average, the device 146 us, with 1.8 requests" },
		{ calls_that_wait_for_something_else, "unknown", "" },
		{ queued_and_faster_control, "first-write",
		  "600 MiB/s, 100 % more than the phase" },
		{ faster_control, "first-write",
		  "O_DIRECT 1 MiB, depth 8, overwriting: 450 MiB/s, 50 % more than the phase" },
		{ faster_control, "first-write", "thin storage below" },
		{ dirty, "dirty", "up to 960 MiB waited for write-back (1 GiB hold writers up)" },
		{ busy_alone, "unknown", "1.0 requests in flight at sda, which was 100 % busy" },
		{ queue_of_a_busy_core, "unknown", "used 80 % of a core each" },
		{ slower_control, "unknown", "150 MiB/s" },
		{ nothing, "unknown", "not attributable: the workers used 14 % of a core each" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct phase_rates *w = &rec.report.write;

		begin();
		rows[i].change();
		analyze(&rec.report);
		ck_assert_msg(w->limited_by && !strcmp(w->limited_by, rows[i].id),
			      "row %zu: %s: %s", i, w->limited_by, w->limited_text);
		ck_assert_msg(strstr(w->limited_text, rows[i].text) != NULL, "row %zu: %s", i,
			      w->limited_text);
		end();
	}
}
END_TEST

START_TEST(limits_that_the_phase_does_not_reach_are_no_limit)
{
	static const char *const limits[] = {
		"8:0 write 1 GiB/s",	/* far above */
		"8:16 write 300 MiB/s", /* another device */
		"8:0 read 300 MiB/s",	/* the other way */
		"8:0 write many",	"8:0 write 300 MiB/s2", "8:0", "8:0 write", ";;", " ",
	};

	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		begin();
		rec.host.io_limits = xstrdup(limits[i]);
		analyze(&rec.report);
		ck_assert_msg(!strcmp(rec.report.write.limited_by, "unknown"), "%s", limits[i]);
		end();
	}
}
END_TEST

START_TEST(a_read_is_compared_with_the_control_of_reads)
{
	begin();
	rec.plan.judges_write = 0;
	rec.plan.judges_read = 1;
	phase(PHASE_READ, 300, 0.2);
	phase(PHASE_CONTROL_READ, 900, 0.1);
	control(300);
	analyze(&rec.report);
	ck_assert_str_eq(rec.report.read.limited_by, "host");
	/* Not judged, so not asked. */
	ck_assert_ptr_null(rec.report.write.limited_by);
	end();
}
END_TEST

START_TEST(after_a_burst_the_sustained_rate_is_what_is_compared)
{
	static const struct stretch list[] = {
		{ 20, 900, 900, 0.1 },
		{ 8, 310, 310, 0.1 },
		{ 6, 280, 280, 0.1 },
		{ 6, 310, 310, 0.1 },
	};

	begin();
	write_again(list, ARRAY_LEN(list));
	control(310);
	analyze(&rec.report);
	ck_assert_int_eq(rec.report.write.judged_by, JUDGED_SUSTAINED);
	ck_assert_str_eq(rec.report.write.limited_by, "device");
	end();
}
END_TEST

START_TEST(what_is_not_usable_is_not_explained)
{
	begin();
	rec.run.write.suspended_ns = NS_PER_S;
	analyze(&rec.report);
	ck_assert_str_eq(text_of(rec.report.write.limited_by), "");
	end();
}
END_TEST

START_TEST(counters_that_are_missing_or_absurd_are_no_evidence)
{
	begin();
	rec.run.write.devices[0].queue_ns = INT64_MAX;
	rec.run.write.devices[0].busy_ns = -1;
	rec.run.write.throttled_ns = -1;
	rec.run.write.host_cpu_ns = 0;
	rec.run.write.host_busy_ns = 0;
	analyze(&rec.report);
	ck_assert_str_eq(rec.report.write.limited_by, "unknown");
	ck_assert_ptr_nonnull(strstr(rec.report.write.limited_text, "no device tells"));
	end();
}
END_TEST

SUITE_MAIN("analyze_limits", each_limit_is_told_with_its_figures,
	   limits_that_the_phase_does_not_reach_are_no_limit,
	   a_read_is_compared_with_the_control_of_reads,
	   after_a_burst_the_sustained_rate_is_what_is_compared,
	   what_is_not_usable_is_not_explained, counters_that_are_missing_or_absurd_are_no_evidence)
