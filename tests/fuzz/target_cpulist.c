/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_cpulist - sets of CPUs in both notations of the kernel
 */
#include "fuzz.h"
#include "iotest/cpulist.h"

static void check_members(const struct cpulist *set)
{
	size_t n = 0;

	for (int cpu = cpulist_next(set, 0); cpu >= 0; cpu = cpulist_next(set, cpu + 1)) {
		FUZZ_REQUIRE(cpu <= CPULIST_MAX && cpulist_has(set, (unsigned int)cpu));
		n++;
	}
	FUZZ_REQUIRE(n == cpulist_count(set));
}

/* What is written is the same set when it is read. */
static void check_text(const struct cpulist *set)
{
	CLEANUP(cpulist_done) struct cpulist again = { 0 };
	CLEANUP(buf_done) struct buf first = { 0 }, second = { 0 };

	cpulist_add_text(set, &first);
	FUZZ_REQUIRE(cpulist_parse(buf_text(&first), &again) == 0);
	cpulist_add_text(&again, &second);
	FUZZ_REQUIRE(!strcmp(buf_text(&first), buf_text(&second)));
	cpulist_intersect(&again, set);
	FUZZ_REQUIRE(cpulist_count(&again) == cpulist_count(set));
}

static void check_mask(const char *text)
{
	CLEANUP(cpulist_done) struct cpulist set = { 0 };

	if (cpulist_parse_mask(text, &set))
		return;
	check_members(&set);
	check_text(&set);
}

/* A list is valid for one reader if and only if it is for the other. */
static void check_list(const char *text)
{
	CLEANUP(cpulist_done) struct cpulist strict = { 0 }, valid = { 0 };
	bool is_list = cpulist_parse(text, &strict) == 0;
	size_t n_bad = cpulist_parse_valid(text, &valid);

	FUZZ_REQUIRE(is_list == (n_bad == 0));
	check_members(&valid);
	check_text(&valid);
	if (!is_list)
		return;
	FUZZ_REQUIRE(cpulist_count(&strict) == cpulist_count(&valid));
	cpulist_intersect(&strict, &valid);
	FUZZ_REQUIRE(cpulist_count(&strict) == cpulist_count(&valid));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(xfree) char *text = fuzz_text(data, size);

	check_list(text);
	check_mask(text);
	return 0;
}
