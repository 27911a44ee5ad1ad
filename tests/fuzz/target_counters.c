/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_counters - what the kernel counts: block stat, /proc/stat, mountstats, control groups
 *
 * Every parser gets the same text. On failure it leaves what it was given as it was.
 */
#include "fuzz.h"
#include "run/blockstat.h"
#include "run/brake.h"
#include "run/counters.h"
#include "run/meter.h"
#include "run/procfile.h"

#define UNTOUCHED (-77)
#define TICK_NS (10 * NS_PER_MS)

/* A parser of a text with one count. */
static void check_one(int (*parse)(const char *text, int64_t *out), const char *text)
{
	int64_t n = UNTOUCHED;

	if (parse(text, &n))
		FUZZ_REQUIRE(n == UNTOUCHED);
	else
		FUZZ_REQUIRE(n >= 0);
}

static void check_stat(const char *text)
{
	int64_t busy_ns = UNTOUCHED, cpu_ns = UNTOUCHED;

	if (meter_parse_stat(text, TICK_NS, &busy_ns, &cpu_ns))
		FUZZ_REQUIRE(busy_ns == UNTOUCHED && cpu_ns == UNTOUCHED);
	else
		FUZZ_REQUIRE(busy_ns >= 0 && busy_ns <= cpu_ns);
}

static void check_blockstat(const char *text)
{
	int64_t fields[BLOCKSTAT_FIELDS];
	struct device_count count = { .read_bytes = UNTOUCHED, .queue_ns = UNTOUCHED };

	if (blockstat_parse(text, fields)) {
		FUZZ_REQUIRE(counters_parse_stat(text, &count) != 0);
		FUZZ_REQUIRE(count.read_bytes == UNTOUCHED && count.queue_ns == UNTOUCHED);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		FUZZ_REQUIRE(fields[i] >= 0);
	FUZZ_REQUIRE(counters_parse_stat(text, &count) == 0);
	FUZZ_REQUIRE(count.read_bytes == fields[BLOCKSTAT_READ_BYTES]);
}

static void check_mountstats(const char *text)
{
	static const char *const points[] = { "/mnt", "/mnt/a b", "" };

	for (size_t i = 0; i < ARRAY_LEN(points); i++) {
		int64_t bytes[2] = { UNTOUCHED, UNTOUCHED };

		if (counters_parse_mountstats(text, points[i], &bytes[0], &bytes[1]))
			FUZZ_REQUIRE(bytes[0] == UNTOUCHED && bytes[1] == UNTOUCHED);
		else
			FUZZ_REQUIRE(bytes[0] >= 0 && bytes[1] >= 0);
	}
}

static void check_values(const char *text)
{
	int64_t numbers[4];
	size_t n = procfile_numbers(text, numbers, ARRAY_LEN(numbers));

	FUZZ_REQUIRE(n <= ARRAY_LEN(numbers));
	for (size_t i = 0; i < n; i++)
		FUZZ_REQUIRE(numbers[i] >= 0);
	FUZZ_REQUIRE(procfile_value(text, "Dirty:") >= -1);
	FUZZ_REQUIRE(brake_parse_pressure(text) >= -1);
	FUZZ_REQUIRE(meter_parse_oom_kills(text) >= -1);
	FUZZ_REQUIRE(counters_io_value(text, "read_bytes: ") >= -1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(xfree) char *text = fuzz_text(data, size);

	check_stat(text);
	check_blockstat(text);
	check_mountstats(text);
	check_values(text);
	check_one(meter_parse_meminfo, text);
	check_one(meter_parse_cpu_stat, text);
	check_one(meter_parse_memory_stat, text);
	check_one(meter_parse_memory_events, text);
	return 0;
}
