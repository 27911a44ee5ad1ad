/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_analyze_evidence - published settings beside those in effect, and what was collected
 */
#include "analyze_facts.h"
#include "suite.h"

static struct record rec;

static struct device *disk(void)
{
	return &rec.host.targets[0].devices[0];
}

static void set(const char *name, const char *value)
{
	struct setting *s = XGROW(&rec.host.settings, &rec.host.n_settings);

	s->name = xstrdup(name);
	s->value = xstrdup(value);
}

static void options(const char *fs_type, const char *text)
{
	xstr_set(&rec.host.targets[0].fs_type, fs_type);
	xstr_set(&rec.host.targets[0].mount_options, text);
}

static void count(const char *name, int is_common)
{
	struct error_count *c = XGROW(&rec.run.error_counts, &rec.run.n_error_counts);

	c->name = xstrdup(name);
	c->meaning = xstrdup("what it means");
	c->rise = 3;
	c->is_common = is_common;
}

static void say(int64_t level, const char *text)
{
	struct kernel_message *m = XGROW(&rec.run.kernel_messages, &rec.run.n_kernel_messages);

	m->level = level;
	m->text = xstrdup(text);
}

static void share(const char *first, const char *second)
{
	struct sas_share *s = XGROW(&rec.host.sas.shares, &rec.host.sas.n_shares);

	s->first = xstrdup(first);
	s->second = xstrdup(second);
	s->level = xstrdup("disk");
	s->what = xstrdup("sdb");
}

static void nothing(void)
{
}
static void swappiness_default(void)
{
	set("vm.swappiness", "60");
}
static void swappiness_of_one_source(void)
{
	set("vm.swappiness", "30");
}
static void semaphores_low(void)
{
	set("kernel.sem", "512 32000 100 1024");
}
static void semaphores_high(void)
{
	set("kernel.sem", "32000 1024000000 500 32000");
}
static void semaphores_few(void)
{
	set("kernel.sem", "32000 1024000000");
}
static void profile_that_includes(void)
{
	rec.host.tuned_profile = xstrdup("my throughput-performance");
}
static void read_ahead_small(void)
{
	disk()->read_ahead_bytes = 128 * KIB;
}
static void read_ahead_large(void)
{
	disk()->read_ahead_bytes = 4096 * KIB;
}
static void nfs_four(void)
{
	options("nfs4", "rw,hard,vers=4.2,rsize=65536,wsize=65536,nconnect=8,noatime,nocto");
}
static void lustre_without_flock(void)
{
	options("lustre", "rw,noflock");
}
static void lustre_with_flock(void)
{
	options("lustre", "rw,flock");
}
static void encrypted(void)
{
	xstr_set(&disk()->dm_uuid, "CRYPT-LUKS2-x");
}
static void nfs_settings_without_nfs(void)
{
	set("vm.dirty_bytes", "0");
	set("nfs read_ahead_kb", "128");
}
static void one_error(void)
{
	count("/sys/a", 0);
}
static void many_errors(void)
{
	for (int i = 0; i < 6; i++)
		count("/sys/a", 0);
}
static void common_errors(void)
{
	count("/sys/a", 1);
}
static void grave_message(void)
{
	say(6, "mounted");
	say(3, "sda: I/O error");
}
static void silent_server(void)
{
	say(5, "nfs: server srv not responding, still trying");
}
static void harmless_message(void)
{
	say(6, "EXT4-fs (sda1): mounted");
	say(-1, "who knows");
}
static void offline_path(void)
{
	xstr_set(&disk()->state, "transport-offline");
}
static void running_path(void)
{
	xstr_set(&disk()->state, "running");
}
static void degraded(void)
{
	disk()->missing_members = 1;
}
static void full_pool(void)
{
	disk()->used_ratio = 0.95;
}
static void half_full_pool(void)
{
	disk()->used_ratio = 0.5;
}
static void sas_before(void)
{
	rec.host.sas.processes = 2;
}
static void sas_during(void)
{
	rec.host.sas.processes = 0;
	rec.run.sas_processes = 4;
}
static void no_sas(void)
{
	rec.host.sas.processes = 0;
	rec.run.sas_processes = 0;
}
static void scanner(void)
{
	rec.host.scanners = xstrdup("Sophos");
}
static void work_shares(void)
{
	share("WORK", "UTILLOC");
	share("target", "target");
}
static void targets_share(void)
{
	share("target", "target");
}
static void unread(void)
{
	rec.run.unread_files = 7;
}
static void all_read(void)
{
	rec.run.unread_files = 0;
}

static const struct {
	void (*change)(void);
	const char *id;
	const char *text; /* NULL: there is no such finding */
} rows[] = {
	{ swappiness_default, "settings-differ",
	  "vm.swappiness 60 differs from 10 of throughput-performance of tuned and from 30 of OCI "
	  "script for SAS Grid and from 1 of SAS Viya 3.x ARK" },
	{ swappiness_of_one_source, "settings-differ", NULL },
	{ semaphores_low, "settings-differ",
	  "kernel.sem 512 32000 100 1024 differs from at least 512 32000 256 1024 of SAS Viya 3.x "
	  "ARK" },
	{ semaphores_high, "settings-differ", NULL },
	{ semaphores_few, "settings-differ", "kernel.sem 32000 1024000000 differs" },
	{ profile_that_includes, "settings-differ", NULL },
	{ read_ahead_small, "settings-differ",
	  "read_ahead_kb 128 differs from at least 4096 of throughput-performance of tuned and "
	  "from 16384 of OCI script for SAS Grid" },
	{ read_ahead_large, "settings-differ", NULL },
	{ nfs_four, "settings-differ",
	  "mount option vers 4.2 differs from 3 of Azure NetApp Files guide for SAS Grid (2020)" },
	{ lustre_without_flock, "settings-differ",
	  "mount option flock no differs from yes of AWS SAS Grid guidance" },
	{ lustre_with_flock, "settings-differ", NULL },
	{ encrypted, "settings-differ", "dm-crypt yes differs from no of Azure guide for SAS" },
	{ nfs_settings_without_nfs, "settings-differ", NULL },
	{ nothing, "settings-differ", NULL },
	{ one_error, "errors-counted", "/sys/a +3 (what it means)" },
	{ many_errors, "errors-counted", "; and 2 more" },
	{ common_errors, "errors-counted", NULL },
	{ common_errors, "packets-lost", "/sys/a +3" },
	{ one_error, "packets-lost", NULL },
	{ nothing, "errors-counted", NULL },
	{ grave_message, "kernel-messages", "the kernel said: sda: I/O error" },
	{ silent_server, "kernel-messages", "not responding" },
	{ harmless_message, "kernel-messages", NULL },
	{ offline_path, "device-unwell", "sda is transport-offline" },
	{ degraded, "device-unwell", "sda lacks 1 of its members" },
	{ running_path, "device-unwell", NULL },
	{ nothing, "device-unwell", NULL },
	{ full_pool, "pool-full", "uses 95 % of its space" },
	{ half_full_pool, "pool-full", NULL },
	{ nothing, "pool-full", NULL },
	{ sas_before, "sas-running", "2 processes before, 0 at most during" },
	{ sas_during, "sas-running", "0 processes before, 4 at most during" },
	{ no_sas, "sas-running", NULL },
	{ nothing, "sas-running", NULL },
	{ scanner, "scanner", "Sophos" },
	{ nothing, "scanner", NULL },
	{ work_shares, "sas-shares", "WORK and UTILLOC share the disk sdb" },
	{ targets_share, "sas-shares", NULL },
	{ unread, "evidence-incomplete", "7 items" },
	{ all_read, "evidence-incomplete", NULL },
};

START_TEST(findings_follow_from_the_evidence)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct finding *f;

		facts_begin(&rec);
		rows[i].change();
		analyze(&rec.report);
		f = facts_find(&rec, rows[i].id);
		ck_assert_msg((f != NULL) == (rows[i].text != NULL), "row %zu: %s", i,
			      f ? f->text : "none");
		if (f)
			ck_assert_msg(strstr(f->text, rows[i].text) != NULL, "row %zu: %s", i,
				      f->text);
		record_done(&rec);
	}
}
END_TEST

START_TEST(every_source_of_a_setting_is_kept)
{
	facts_begin(&rec);
	swappiness_of_one_source();
	analyze(&rec.report);
	analyze(&rec.report);
	ck_assert_uint_eq(rec.report.n_advice, 3 + 1); /* and dm-crypt */
	for (size_t i = 0; i < rec.report.n_advice; i++) {
		const struct advice *a = &rec.report.advice[i];

		if (strcmp(a->setting, "vm.swappiness") == 0)
			ck_assert_int_eq(a->matches, strcmp(a->published, "30") == 0);
		ck_assert_int_ne(a->year, 0);
	}
	record_done(&rec);
}
END_TEST

SUITE_MAIN("analyze_evidence", findings_follow_from_the_evidence, every_source_of_a_setting_is_kept)
