#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the time looked like: a rate that falls, workers that are held, what limited it, and that
# samples, series and call times tell of all that was done.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# expect_measured: with a requirement, a phase that is too short to be judged is status 4.
expect_measured()
{
	[ "$status" -ne 77 ] || exit 77
	[ "$status" -eq 4 ] || expect_status 0
	expect_json out '.verdict.result | IN("pass", "inconclusive")'
}

# run_json ARGUMENT...: on directory d; the report in JSON is in the file out. A requirement that
# is met, since one that is not would have a control follow.
run_json()
{
	iotest -q -t d --no-bundle --format json --require 1 "$@"
	expect_measured
}

has_finding()
{
	expect_json out "[.findings[].id] | index(\"$1\") != null"
}

begun()
{
	grep -q "^$1 phase: .* with " err 2>/dev/null
}

# await PHASE: until it goes on; what follows must be soon.
await()
{
	local i

	for ((i = 0; i < 4000; i++)); do
		begun "$1" && return
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.005
	done
	cat err
	fail "no $1 phase"
}

# Half of it at 80 MiB/s, and the rest at 20: rounds of 2 s, three of them before and four after.
a_read_rate_that_falls_is_judged_by_what_is_left_of_it()
{
	mk_loop_fs ext4 1024 d direct
	throttle_fs d read $((80 * MIB))
	"$IOTEST" -t d --workers 1 --size 680M --phases read --no-bundle --format json --require 10 \
		>out 2>err </dev/null &
	pid=$!
	await read
	sleep 6.3
	throttle_fs d read $((20 * MIB))
	status=0
	wait "$pid" || status=$?
	expect_status 0
	has_finding cliff
	expect_json out '.phases.read | .burst_mib_per_s > 70 and .burst_mib_per_s < 100'
	expect_json out '.phases.read | .sustained_mib_per_s > 17 and .sustained_mib_per_s < 25'
	expect_json out '.phases.read | .burst_ns >= 4e9 and .burst_ns <= 8e9'
	expect_json out '.phases.read.burst_bytes > 300 * 1048576'
	expect_json out '.phases.read.judged_by == "sustained"'
	expect_json out '.phases.read.judged_mib_per_s_per_core < .phases.read.mib_per_s_per_core'
	expect_json out '.phases.read.limited_by == "io-limit"'
	expect_json out '.phases.read.limited_text |
		test("read 20 MiB/s \\([0-9:]+ read 80 MiB/s before\\)")'
	expect_json out '[.findings[] | select(.id == "io-limit").text] |
		any(test("read 80 MiB/s; [0-9:]+ read 20 MiB/s after the read phase"))'
	expect_json out '.phases.read.round_ns == 2e9 and (.phases.read.rounds | length >= 6)'
	expect_json out '[.phases.read.rounds[] | .end_ns - .start_ns] | all(. == 2e9)'
}

a_rate_that_stays_is_no_cliff()
{
	mk_loop_fs ext4 512 d direct
	throttle_fs d read $((25 * MIB))
	run_json --workers 1 --size 260M
	expect_json out '[.findings[].id] | index("cliff") == null'
	expect_json out '.phases.read.sustained_mib_per_s == null and .phases.read.judged_by == "all"'
	expect_json out '.phases.read.is_steady == true'
	expect_json out '.phases.read.limited_by == "io-limit"'
	expect_json out '.phases.read.limited_text | test("25 MiB/s")'
}

# Operations, and those of this device: the disk below does others for everybody.
a_limit_of_operations_is_compared_with_those_of_its_device()
{
	mk_loop_fs ext4 256 d direct
	throttle_fs d read 40 iops
	run_json --workers 1 --size 60M
	expect_json out '.phases.read.limited_by == "io-limit"'
	expect_json out '.phases.read.limited_text | test("read 40 IOPS; the phase did [0-9]+ reads/s at loop")'
}

# Nobody can see the throttle, and the device has little to do.
a_throttle_that_is_hidden_is_not_the_device()
{
	mk_loop_fs ext4 512 d direct
	throttle_fs d read $((30 * MIB))
	root=$(dirname "$group")
	status=0
	# shellcheck disable=SC2016
	unshare --mount bash -c 'umount -l "$1" && shift && exec "$@"' hide "$root" "$IOTEST" -q -t d \
		--workers 1 --size 100M --control --require 1 --no-bundle --format json \
		>out 2>err </dev/null || status=$?
	expect_measured
	expect_json out '.host.io_limits == null and .phases.control_read.elapsed_ns > 2e9'
	# A machine without a CPU to spare comes first.
	expect_json out '.phases.read | .limited_by == "host-cpu" or
		(.limited_by == "above-device" and (.limited_text | test("requests in flight at loop")))'
	expect_json out '.phases.control_read | .aggregate_mib_per_s > 20 and .aggregate_mib_per_s < 40'
}

# O_DIRECT, so that the writes last as long as the throttle makes them.
a_worker_that_was_stopped_is_named()
{
	mk_loop_fs ext4 256 d direct
	throttle_fs d write $((40 * MIB))
	"$IOTEST" -t d --workers 2 --size 40M --direct --no-bundle --format json --require 1 >out 2>err </dev/null &
	pid=$!
	await write
	sleep 0.2
	stopped=$(pgrep -P "$pid" | tail -n 1)
	kill -STOP "$stopped"
	sleep 3
	kill -CONT "$stopped"
	status=0
	wait "$pid" || status=$?
	expect_measured
	expect_json out '[.findings[].id] | index("write-not-on-storage") == null'
	has_finding worker-stopped
	expect_json out '.phases.write.usable == false and .phases.write.unusable_reason != null'
	expect_json out '[.phases.write.workers[].stopped_ns] | max > 2.5e9 and max < 4e9 and min == 0'
	expect_json out '[.phases.write.workers[].bytes] | all(. == 40 * 1048576)'
	expect_json out '.phases.write.call_max_ns >= 2.5e9'
}

a_cpu_quota_is_what_limited_it()
{
	need_root
	mkdir d
	limit_group cpu
	echo 100000 >"$group/cpu.cfs_period_us"
	echo 10000 >"$group/cpu.cfs_quota_us" || skip "no CPU quota can be set here"
	status=0
	in_group "$group" "$IOTEST" -q -t "$T/d" --size 400M --time-limit 4s --require 1 --no-bundle \
		--format json >out 2>err </dev/null || status=$?
	expect_measured
	has_finding cpu-quota
	expect_json out '.phases.write.limited_by == "cpu-quota"'
	expect_json out '.phases.write.throttled_ns > 0'
	expect_json out '.phases.write.limited_text | test("CPU quota held the workers for [0-9]+ %")'
}

# Which of them it is depends on the disk; the memory has to be seen.
a_small_memory_limit_is_counted()
{
	need_root
	mkdir d
	status=0
	in_memcg $((48 * MIB)) "$IOTEST" -q -t "$T/d" --size 400M --require 1 --no-bundle --format json >out 2>err \
		</dev/null || status=$?
	expect_measured
	has_finding memory-limit
	expect_json out '.phases.write.memory_stalls > 0'
	# A phase of less than half a second is not judged.
	expect_json out '.phases.write | .elapsed_ns < 5e8 or
		(.limited_by | IN(null, "", "io-limit", "cpu-quota", "pace") | not)'
	expect_json out '.phases.write | .elapsed_ns < 5e8 or (.limited_text | length > 20)'
}

readonly COLUMNS_OF_SAMPLES='seconds target phase elapsed_s bytes running syncing slowest_bytes fastest_bytes cpu_s dirty_bytes device_read_bytes device_written_bytes devices'

# Every sample is a line, after one at the gate, and, in so short a run, a point of the series.
samples_are_complete_and_grow()
{
	local phase points

	mk_loop_fs ext4 512 d direct
	throttle_fs d read $((100 * MIB))
	mkdir o
	iotest -q -t d --size 100M -o o --format json --require 1
	expect_measured
	bundle_in o
	unpack "$bundle" b
	expect_equal "$(head -n 1 b/samples.tsv | tr '\t' ' ')" "$COLUMNS_OF_SAMPLES" "columns"
	awk -F '\t' 'NF != 14 { exit 1 }' b/samples.tsv || fail "a line has not 14 columns"
	for phase in write read; do
		points=$(json out ".phases.$phase.series | length")
		[ "$points" -ge 1 ] || fail "no samples of the $phase phase"
		expect_equal "$(awk -F '\t' -v p=$phase '$3 == p' b/samples.tsv | wc -l)" $((points + 1)) \
			"lines of the $phase phase"
		expect_json out ".phases.$phase.series | length <= 2000"
		expect_json out ".phases.$phase | .series[-1].bytes == .bytes"
		expect_json out ".phases.$phase | .series[-1].n_running == 0"
		expect_json out "[.phases.$phase.series[].at_ns] | . == (sort | unique)"
		expect_json out "[.phases.$phase.series[].bytes] | . == sort"
		expect_json out "[.phases.$phase.series[].cpu_ns] | . == sort"
	done
	# At 100 MiB/s it takes 2 s, and there are four samples a second.
	expect_json out '.phases.read.series | length >= 6'
	expect_json out '.phases.read.longest_gap_ns >= 200e6'
	# At the gate of a phase nothing has been counted yet.
	expect_equal "$(awk -F '\t' '$4 == "0.000" && $5 == 0 { print $12, $13 }' b/samples.tsv | sort -u)" \
		"0 0" "device bytes at the gates"
	awk -F '\t' '$4 == "0.000" && $14 ~ /=/ && $14 !~ /=0\/0\/[0-9]+( |$)/ { exit 1 }' b/samples.tsv ||
		fail "a phase begins with the device bytes of another"
}

call_times_count_every_call()
{
	local phase

	mkdir d
	run_json --size 64M --workers 3
	for phase in write read; do
		expect_json out ".phases.$phase | ([.call_times[].calls] | add) == ([.workers[].ops] | add)"
		expect_json out ".phases.$phase | ([.workers[].ops] | add) == 3 * 1024"
		expect_json out "[.phases.$phase.call_times[].ns] | . == (sort | unique)"
		expect_json out ".phases.$phase | .call_p50_ns <= .call_p90_ns and .call_p90_ns <= .call_p99_ns
			and .call_p99_ns <= .call_p999_ns"
		expect_json out ".phases.$phase | .call_max_ns == ([.workers[].call_max_ns] | max)"
		expect_json out ".phases.$phase | .call_times[-1].ns <= .call_max_ns * 1.02 and
			.call_times[-1].ns >= .call_max_ns * 0.98"
	done
}

the_write_window_is_split_at_fsync()
{
	mk_loop_fs ext4 512 d direct
	throttle_fs d write $((60 * MIB))
	run_json --size 60M --workers 1
	expect_json out '.phases.write.before_fsync_ns <= .phases.write.elapsed_ns'
	expect_json out '.phases.write | .before_fsync_mib_per_s >= .aggregate_mib_per_s'
	expect_json out '.phases.write | .workers[0] | .last_io_ns + .fsync_ns == .end_ns'
	# The page cache takes it at once; the disk needs a second.
	expect_json out '.phases.write.fsync_ratio > 0.5'
	expect_json out '.phases.write.device_write_await_ns > 0'
}

run_tests a_read_rate_that_falls_is_judged_by_what_is_left_of_it a_rate_that_stays_is_no_cliff \
	a_limit_of_operations_is_compared_with_those_of_its_device a_throttle_that_is_hidden_is_not_the_device \
	a_worker_that_was_stopped_is_named a_cpu_quota_is_what_limited_it a_small_memory_limit_is_counted \
	samples_are_complete_and_grow call_times_count_every_call the_write_window_is_split_at_fsync
