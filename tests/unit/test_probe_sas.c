/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_probe_sas - what the configuration of SAS says, and what its places share
 */
#include "probe_tree.h"
#include "suite.h"

#include "probe/sas_config.h"

static const struct {
	const char *text;
	int option;
	const char *want; /* NULL: not set */
} configs[] = {
	{ "-WORK /saswork\n", SAS_WORK, "/saswork" },
	{ "-work \"/sas work\"\n", SAS_WORK, "/sas work" },
	{ "-WORK '/saswork' -MEMSIZE 2G", SAS_WORK, "/saswork" },
	{ "-WORK '/saswork' -MEMSIZE 2G", SAS_MEMSIZE, "2G" },
	{ "-utilloc ('/a' \"/b\")\n-x", SAS_UTILLOC, "/a /b" },
	{ "/* -WORK /old */ -WORK /new", SAS_WORK, "/new" },
	{ "-WORK /* here */ /new", SAS_WORK, "/new" },
	{ "-WORK /first\n-WORK /last\n", SAS_WORK, "/last" },
	{ "-BUFSIZE 64k", SAS_BUFSIZE, "64k" },
	{ "-WORKTERM -x", SAS_WORK, NULL },
	{ "-set WORK /no", SAS_WORK, NULL },
	{ "-WORK", SAS_WORK, "" },
	{ "/* without an end -WORK /x", SAS_WORK, NULL },
	{ "-WORK \"/without an end\n-MEMSIZE 1G", SAS_MEMSIZE, "1G" },
	{ "", SAS_WORK, NULL },
};

START_TEST(options_of_sas_are_read_and_nothing_else)
{
	for (size_t i = 0; i < ARRAY_LEN(configs); i++) {
		CLEANUP(sas_config_done) struct sas_config c = { 0 };

		sas_config_parse(configs[i].text, &c);
		ck_assert_msg(!c.values[configs[i].option] == !configs[i].want, "row %zu", i);
		if (configs[i].want)
			ck_assert_str_eq(c.values[configs[i].option], configs[i].want);
	}
}
END_TEST

START_TEST(other_files_are_named)
{
	CLEANUP(sas_config_done) struct sas_config c = { 0 };

	sas_config_parse("-config /a/sasv9.cfg\n-CONFIG \"/b.cfg\"\n", &c);
	ck_assert_uint_eq(c.includes.n_items, 2);
	ck_assert_str_eq(c.includes.items[0], "/a/sasv9.cfg");
	ck_assert_str_eq(c.includes.items[1], "/b.cfg");
}
END_TEST

static const char table[] = "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
			    "21 20 253:0 / /saswork rw - xfs /dev/mapper/vg-work rw\n"
			    "22 20 253:1 / /sasutil rw - xfs /dev/mapper/vg-util rw\n"
			    "23 20 8:17 / /data rw - ext4 /dev/sdb1 rw\n"
			    "24 20 8:18 / /more rw - ext4 /dev/sdb2 rw\n"
			    "25 20 0:50 / /nfs rw - nfs4 srv:/x rw\n";

static void put_volume(const char *top, const char *name, const char *number, const char *dm_name,
		       const char *disk)
{
	CLEANUP(xfree) char *dir = xasprintf("sys/class/block/%s", name);
	const struct {
		const char *file;
		const char *text;
	} files[] = {
		{ "size", "2048\n" },	  { "dev", number },	   { "dm/name", dm_name },
		{ "dm/uuid", "LVM-a\n" }, { "slaves.list", disk },
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		CLEANUP(xfree) char *path = xasprintf("%s/%s", dir, files[i].file);

		testdir_put(top, path, files[i].text);
	}
}

static char *grow_machine(const char *fact)
{
	char *top = testdir_new();

	testdir_put(top, "proc/self/mountinfo", table);
	testdir_put(top, "os/sas", fact);
	put_volume(top, "dm-0", "253:0\n", "vg--x-work\n", "sdc\n");
	put_volume(top, "dm-1", "253:1\n", "vg--x-util\n", "sdd\n");
	testdir_put(top, "sys/class/block/sdb/size", "2048\n");
	testdir_put(top, "sys/class/block/sdb/dev", "8:16\n");
	for (int i = 1; i <= 2; i++) {
		CLEANUP(xfree) char *number = xasprintf("8:%d\n", 16 + i);
		CLEANUP(xfree) char *size = xasprintf("sys/class/block/sdb%d/size", i);
		CLEANUP(xfree) char *dev = xasprintf("sys/class/block/sdb%d/dev", i);
		CLEANUP(xfree) char *partition = xasprintf("sys/class/block/sdb%d/partition", i);

		testdir_put(top, size, "1024\n");
		testdir_put(top, dev, number);
		testdir_put(top, partition, "1\n");
	}
	return top;
}

static const struct {
	const char *fact;
	const char *level; /* NULL: they share nothing */
	const char *what;
} shares[] = {
	{ "work=/saswork/a\nutilloc=/saswork/b\n", "file system", "/saswork" },
	{ "work=/saswork/a\nutilloc=/sasutil\n", "volume group", "vg-x" },
	{ "work=/data/a\nutilloc=/more/b\n", "disk", "sdb" },
	{ "work=/data/a\nutilloc=/saswork\n", NULL, NULL },
	{ "work=/nfs/a\nutilloc=/nfs/b\n", "file system", "/nfs" },
	{ "work=/data\nutilloc=!SASROOT/util\n", NULL, NULL },
};

START_TEST(places_that_share_storage_are_told)
{
	for (size_t i = 0; i < ARRAY_LEN(shares); i++) {
		CLEANUP(testdir_done) char *top = grow_machine(shares[i].fact);
		CLEANUP(host_done) struct host host = { 0 };

		tree_probe(top, NULL, &host);
		ck_assert_msg(host.sas.n_shares == (shares[i].level != NULL), "row %zu: %zu", i,
			      host.sas.n_shares);
		if (!shares[i].level)
			continue;
		ck_assert_str_eq(host.sas.shares[0].first, "WORK");
		ck_assert_str_eq(host.sas.shares[0].second, "UTILLOC");
		ck_assert_str_eq(host.sas.shares[0].level, shares[i].level);
		ck_assert_str_eq(host.sas.shares[0].what, shares[i].what);
	}
}
END_TEST

START_TEST(the_target_counts_as_a_place)
{
	CLEANUP(testdir_done) char *top = grow_machine("work=/data/a\n");
	CLEANUP(host_done) struct host host = { 0 };

	tree_probe(top, "/more", &host);
	ck_assert_uint_eq(host.sas.n_shares, 1);
	ck_assert_str_eq(host.sas.shares[0].second, "target");
	ck_assert_str_eq(host.sas.shares[0].level, "disk");
}
END_TEST

START_TEST(links_are_followed_on_this_host)
{
	CLEANUP(testdir_done) char *top = grow_machine("work=/opt/work/a\nutilloc=/loop/x\n");
	CLEANUP(host_done) struct host host = { 0 };

	testdir_put(top, "opt/work.link", "/saswork");
	testdir_put(top, "loop.link", "/loop");
	tree_probe(top, NULL, &host);
	ck_assert_uint_eq(host.sas.n_places, 2);
	ck_assert_str_eq(host.sas.places[0].mount_point, "/saswork");
	ck_assert_str_eq(host.sas.places[0].volume_group, "vg-x");
	ck_assert_str_eq(host.sas.places[0].disks, "sdc");
}
END_TEST

START_TEST(without_sas_nothing_is_known)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };

	testdir_put(top, "proc/self/mountinfo", table);
	tree_probe(top, NULL, &host);
	ck_assert_ptr_null(host.sas.config);
	ck_assert_ptr_null(host.sas.work);
	ck_assert_int_eq(host.sas.processes, -1);
	ck_assert_uint_eq(host.sas.n_places, 0);
	ck_assert_ptr_null(host.scanners);
	ck_assert_ptr_null(host.tuned_profile);
}
END_TEST

START_TEST(what_runs_is_told)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };

	testdir_put(top, "proc/self/mountinfo", table);
	testdir_put(top, "os/processes", "sas=3\nscanners=Sophos\n");
	testdir_put(top, "os/sas",
		    "config=/a /b\nmemsize=2G\nbufsize=64k\ntuned=sas-performance\n");
	tree_probe(top, NULL, &host);
	ck_assert_int_eq(host.sas.processes, 3);
	ck_assert_str_eq(host.scanners, "Sophos");
	ck_assert_str_eq(host.sas.config, "/a /b");
	ck_assert_str_eq(host.sas.memsize, "2G");
	ck_assert_str_eq(host.sas.bufsize, "64k");
	ck_assert_str_eq(host.tuned_profile, "sas-performance");
}
END_TEST

SUITE_MAIN("probe_sas", options_of_sas_are_read_and_nothing_else, other_files_are_named,
	   places_that_share_storage_are_told, the_target_counts_as_a_place,
	   links_are_followed_on_this_host, without_sas_nothing_is_known, what_runs_is_told)
