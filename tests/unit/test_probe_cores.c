/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_probe_cores - how many cores a machine has, by every source there is
 */
#include "probe_tree.h"
#include "suite.h"

#define SIBLINGS "sysfs thread siblings"
#define IDS "cpuinfo ids"
#define PROCESSORS "cpuinfo processors"

static const struct {
	const char *tree;
	int64_t cores, cores_total, threads, threads_total, sockets;
	const char *source;
} machines[] = {
	{ "two-sockets-smt", 48, 48, 96, 96, 2, SIBLINGS },
	{ "power-smt4", 8, 8, 32, 32, 2, SIBLINGS },
	{ "loongarch", 32, 32, 32, 32, 32, SIBLINGS },
	{ "offline-cpus", 9, 9, 16, 16, 2, SIBLINGS },
	{ "big-little", 20, 20, 20, 20, 1, SIBLINGS },
	{ "hybrid", 14, 14, 20, 20, 1, SIBLINGS },
	{ "s390-sparse", 17, 17, 17, 17, 3, SIBLINGS },
	{ "repeated-core-ids", 24, 24, 24, 24, 2, SIBLINGS },
	{ "gap-in-topology", 4, 4, 4, 4, 1, SIBLINGS },
	{ "no-online-list", 3, 3, 3, 3, 1, SIBLINGS },
	{ "many-cpus", 576, 576, 1152, 1152, 1, SIBLINGS },
	{ "clusters", 64, 64, 64, 64, 1, "sysfs core ids" },
	{ "no-physical-id", 4, 4, 4, 4, 1, IDS },
	{ "hybrid-cpuinfo", 14, 14, 20, 20, 1, IDS },
	{ "repeated-core-ids-cpuinfo", 24, 24, 24, 24, 2, IDS },
	{ "zero-core-ids", 8, 8, 8, 8, 1, IDS },
	{ "mixed-packages", 12, 12, 12, 12, 2, IDS },
	{ "two-socket-guest", 4, 4, 4, 4, 2, IDS },
	{ "empty-sysfs", 4, 4, 4, 4, 2, IDS },
	{ "s390-cpuinfo", 17, 17, 17, 17, 1, PROCESSORS },
	{ "sparc-cpuinfo", 6, 6, 6, 6, 1, PROCESSORS },
	{ "old-arm-cpuinfo", 1, 1, 1, 1, 1, PROCESSORS },
	{ "only-online", 6, 6, 6, 6, 1, "sysfs online" },
	{ "nothing", 1, 1, 1, 1, 1, "assumed" },
	{ "cpuinfo-large", 512, 512, 1024, 1024, 4, IDS },
	{ "cpuinfo-cut", 64, 64, 64, 64, 1, "sysfs present" },
	{ "mixed-topology", 4, 4, 7, 7, 1, SIBLINGS },
	{ "odd-online-list", 2, 2, 2, 2, 1, SIBLINGS },
	{ "one-core", 1, 1, 16, 16, 1, SIBLINGS },
	/* the allowed share */
	{ "affinity", 2, 4, 3, 8, 1, SIBLINGS },
	{ "affinity-elsewhere", 4, 4, 8, 8, 1, SIBLINGS },
	{ "slurm-cpuset", 6, 6, 6, 6, 1, "cpuset" },
	{ "slurm-cpuset-smt", 6, 48, 12, 96, 2, SIBLINGS },
	{ "cpuset-v1", 2, 8, 2, 8, 1, "sysfs online" },
};

START_TEST(cores_are_right_on_every_machine)
{
	CLEANUP(host_done) struct host host = { 0 };
	const char *tree = machines[_i].tree;

	probe_grown(tree, NULL, &host);
	ck_assert_msg(host.physical_cores == machines[_i].cores, "%s: %ld cores", tree,
		      (long)host.physical_cores);
	ck_assert_msg(host.physical_cores_total == machines[_i].cores_total, "%s: %ld in all", tree,
		      (long)host.physical_cores_total);
	ck_assert_msg(host.threads == machines[_i].threads, "%s: %ld threads", tree,
		      (long)host.threads);
	ck_assert_msg(host.threads_total == machines[_i].threads_total, "%s: %ld threads in all",
		      tree, (long)host.threads_total);
	ck_assert_msg(host.sockets == machines[_i].sockets, "%s: %ld sockets", tree,
		      (long)host.sockets);
	ck_assert_str_eq(host.cores_source, machines[_i].source);
}
END_TEST

START_TEST(cpu_lists_are_kept_as_text)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown("affinity", NULL, &host);
	ck_assert_str_eq(host.online_cpus, "0-7");
	ck_assert_str_eq(host.allowed_cpus, "0-1,4");
}
END_TEST

START_TEST(affinity_to_offline_cpus_is_noted)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown("affinity-elsewhere", NULL, &host);
	ck_assert(has_note(&host, "none of the CPUs that this process may use is online"));
}
END_TEST

START_TEST(cpuinfo_disagreement_is_noted)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown("offline-cpus", NULL, &host);
	ck_assert_int_eq(host.physical_cores_cpuinfo, 12);
	ck_assert_int_eq(host.physical_cores_hwloc, 9);
	ck_assert(has_note(&host, "/proc/cpuinfo has 12 pairs"));
}
END_TEST

START_TEST(a_cpuinfo_that_was_cut_counts_nothing)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown("cpuinfo-cut", NULL, &host);
	ck_assert_int_eq(host.physical_cores_cpuinfo, -1);
	ck_assert_uint_eq(host.n_core_kinds, 0);
	ck_assert_str_eq(host.cpu.brand, "Example(R) CPU @ 2.50GHz");
	ck_assert(has_note(&host, "/proc/cpuinfo is too long"));
}
END_TEST

START_TEST(a_cpuinfo_at_the_limit_counts_nothing)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };
	CLEANUP(xfree) char *text = xcalloc(EVIDENCE_FILE_MAX + 2, 1);

	memset(text, ' ', EVIDENCE_FILE_MAX + 1);
	memcpy(text, "processor\t: 0\ncore id\t: 0\n", 26);
	testdir_put(top, "proc/cpuinfo", text);
	tree_probe(top, NULL, &host);
	ck_assert_int_eq(host.physical_cores_cpuinfo, -1);
	ck_assert(has_note(&host, "/proc/cpuinfo is too long"));
}
END_TEST

START_TEST(cpus_with_ids_beside_cpus_with_lists_are_noted)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown("mixed-topology", NULL, &host);
	ck_assert(has_note(&host, "4 of 7 online CPUs have no list of siblings in sysfs"));
	ck_assert(has_note(&host, "1 of 7 online CPUs have no topology in sysfs"));
}
END_TEST

START_TEST(more_than_8_threads_in_a_core_are_noted)
{
	CLEANUP(host_done) struct host sandbox = { 0 };
	CLEANUP(host_done) struct host power = { 0 };

	probe_grown("one-core", NULL, &sandbox);
	ck_assert(has_note(&sandbox, "16 threads in one core"));
	probe_grown("power-smt4", NULL, &power);
	ck_assert(!has_note(&power, "threads in one core"));
}
END_TEST

static const struct {
	const char *text;
	int64_t threads;
	const char *source;
} online_lists[] = {
	{ "0-1,70000", 2, "sysfs online" },    { "0-1,4-3", 2, "sysfs online" },
	{ "0-1,0-10:2/4", 2, "sysfs online" }, { "0-10:2/4", 4, "sysfs present" },
	{ "3-0", 4, "sysfs present" },	       { "70000-80000", 4, "sysfs present" },
	{ "all of them", 4, "sysfs present" },
};

START_TEST(an_odd_list_of_cpus_is_noted_and_its_good_part_counts)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };

	testdir_put(top, "sys/devices/system/cpu/online", online_lists[_i].text);
	testdir_put(top, "sys/devices/system/cpu/present", "0-3\n");
	tree_probe(top, NULL, &host);
	ck_assert_int_eq(host.threads_total, online_lists[_i].threads);
	ck_assert_str_eq(host.cores_source, online_lists[_i].source);
	ck_assert(has_note(&host, "/sys/devices/system/cpu/online"));
	ck_assert(has_note(&host, online_lists[_i].text));
	ck_assert(!has_note(&host, "online cannot be read"));
}
END_TEST

/* Whatever machine this runs on, it has not these numbers at once. */
static const struct {
	const char *tree;
	int64_t want;
} cross_checks[] = {
	{ "two-sockets-smt", 48 }, { "power-smt4", 8 },	  { "hybrid", 14 },
	{ "offline-cpus", 9 },	   { "only-online", -1 }, { "two-socket-guest", -1 },
	{ "slurm-cpuset", -1 },	   { "nothing", -1 },
};

START_TEST(hwloc_describes_the_tree_and_never_this_machine)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown(cross_checks[_i].tree, NULL, &host);
	ck_assert_int_eq(host.physical_cores_hwloc, cross_checks[_i].want);
}
END_TEST

START_TEST(numa_nodes_are_counted)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown("two-sockets-smt", NULL, &host);
	ck_assert_int_eq(host.numa_nodes, 8);
}
END_TEST

static const struct {
	const char *tree;
	const char *first;
	int64_t first_cores, first_threads;
	const char *second;
	int64_t second_cores, second_threads;
} hybrids[] = {
	{ "hybrid", "performance", 6, 12, "efficiency", 8, 8 },
	{ "big-little", "Cortex-A725", 10, 10, "Cortex-X925", 10, 10 },
	{ "capacities", "capacity 1024", 10, 10, "capacity 731", 10, 10 },
};

START_TEST(kinds_of_cores_are_told_apart)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown(hybrids[_i].tree, NULL, &host);
	ck_assert_uint_eq(host.n_core_kinds, 2);
	ck_assert_str_eq(host.core_kinds[0].name, hybrids[_i].first);
	ck_assert_int_eq(host.core_kinds[0].physical_cores, hybrids[_i].first_cores);
	ck_assert_int_eq(host.core_kinds[0].threads, hybrids[_i].first_threads);
	ck_assert_str_eq(host.core_kinds[1].name, hybrids[_i].second);
	ck_assert_int_eq(host.core_kinds[1].physical_cores, hybrids[_i].second_cores);
	ck_assert_int_eq(host.core_kinds[1].threads, hybrids[_i].second_threads);
}
END_TEST

START_TEST(a_uniform_machine_has_no_core_kinds)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown("two-sockets-smt", NULL, &host);
	ck_assert_uint_eq(host.n_core_kinds, 0);
}
END_TEST

static const struct {
	const char *tree;
	const char *brand;
} brands[] = {
	{ "two-sockets-smt", "Example(R) CPU @ 2.50GHz" },
	{ "power-smt4", "POWER9 (architected), altivec supported" },
	{ "loongarch", "Loongson-3C5000" },
	{ "big-little", "Cortex-A725" },
	{ "s390-sparse", "IBM Z machine 8561" },
	{ "sparc-cpuinfo", "UltraSparc T5 (Niagara5)" },
	{ "old-arm-cpuinfo", "ARM926EJ-S rev 5 (v5l)" },
	{ "clusters", "example,c920" },
};

START_TEST(cpuinfo_names_the_processor_of_every_architecture)
{
	CLEANUP(host_done) struct host host = { 0 };

	probe_grown(brands[_i].tree, NULL, &host);
	ck_assert_str_eq(host.cpu.brand, brands[_i].brand);
	ck_assert_str_eq(host.cpu.source, "cpuinfo");
}
END_TEST

START_TEST(unknown_arm_parts_are_named_by_their_numbers)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };

	testdir_put(top, "proc/cpuinfo",
		    "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xfff\n");
	tree_probe(top, NULL, &host);
	ck_assert_str_eq(host.cpu.brand, "implementer 0x41 part 0xfff");
	ck_assert_str_eq(host.cpu.vendor, "ARM");
}
END_TEST

/* Masks of all kinds, with what broken and old kernels write. */
static const struct {
	const char *file;
	const char *text;
	int64_t cores;
} sibling_files[] = {
	{ "core_cpus_list", "0-1", 1 },
	{ "thread_siblings_list", "0,1", 1 },
	{ "core_cpus", "00000000,00000003", 1 },
	{ "thread_siblings", "3", 1 },
	{ "thread_siblings", "00000000,00000001", 2 },
	{ "thread_siblings", "", 2 },
	{ "thread_siblings", "nonsense", 2 },
};

START_TEST(every_file_of_siblings_is_understood)
{
	CLEANUP(xfree)
	char *path = xasprintf("sys/devices/system/cpu/cpu0/topology/%s", sibling_files[_i].file);
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };

	testdir_put(top, "sys/devices/system/cpu/online", "0-1\n");
	testdir_put(top, path, sibling_files[_i].text);
	tree_probe(top, NULL, &host);
	ck_assert_int_eq(host.physical_cores, sibling_files[_i].cores);
}
END_TEST

/* Only the number of all CPUs is told. */
static const struct {
	const char *text;
	int64_t threads;
	int is_assumed;
} cpu_counts[] = {
	{ "# processors    : 17\n", 17, 0 },
	{ "ncpus active: 65536\n", 65536, 0 },
	/* more than any machine has: what else is told counts */
	{ "ncpus active: 65537\ncpus active: 4\n", 4, 0 },
	{ "ncpus active: 99999999999999999999\n", 1, 1 },
	{ "# processors: -3\n", 1, 1 },
};

START_TEST(a_mere_number_of_cpus_counts_if_a_machine_can_have_it)
{
	CLEANUP(testdir_done) char *top = testdir_new();
	CLEANUP(host_done) struct host host = { 0 };

	testdir_put(top, "proc/cpuinfo", cpu_counts[_i].text);
	tree_probe(top, NULL, &host);
	ck_assert_int_eq(host.threads_total, cpu_counts[_i].threads);
	ck_assert_int_eq(host.physical_cores, cpu_counts[_i].threads);
	ck_assert_int_eq(has_note(&host, "tells how many CPUs"), cpu_counts[_i].is_assumed);
}
END_TEST

/* SUITE_MAIN knows no loops. */
int main(void)
{
	Suite *suite = suite_create("probe cores");
	TCase *all = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	suite_add_tcase(suite, all);
	tcase_set_timeout(all, 60);
	tcase_add_loop_test(all, cores_are_right_on_every_machine, 0, ARRAY_LEN(machines));
	tcase_add_test(all, cpu_lists_are_kept_as_text);
	tcase_add_test(all, affinity_to_offline_cpus_is_noted);
	tcase_add_test(all, cpuinfo_disagreement_is_noted);
	tcase_add_test(all, a_cpuinfo_that_was_cut_counts_nothing);
	tcase_add_test(all, a_cpuinfo_at_the_limit_counts_nothing);
	tcase_add_test(all, cpus_with_ids_beside_cpus_with_lists_are_noted);
	tcase_add_test(all, more_than_8_threads_in_a_core_are_noted);
	tcase_add_loop_test(all, an_odd_list_of_cpus_is_noted_and_its_good_part_counts, 0,
			    ARRAY_LEN(online_lists));
	tcase_add_loop_test(all, hwloc_describes_the_tree_and_never_this_machine, 0,
			    ARRAY_LEN(cross_checks));
	tcase_add_test(all, numa_nodes_are_counted);
	tcase_add_loop_test(all, kinds_of_cores_are_told_apart, 0, ARRAY_LEN(hybrids));
	tcase_add_test(all, a_uniform_machine_has_no_core_kinds);
	tcase_add_loop_test(all, cpuinfo_names_the_processor_of_every_architecture, 0,
			    ARRAY_LEN(brands));
	tcase_add_test(all, unknown_arm_parts_are_named_by_their_numbers);
	tcase_add_loop_test(all, every_file_of_siblings_is_understood, 0, ARRAY_LEN(sibling_files));
	tcase_add_loop_test(all, a_mere_number_of_cpus_counts_if_a_machine_can_have_it, 0,
			    ARRAY_LEN(cpu_counts));
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? 1 : 0;
}
