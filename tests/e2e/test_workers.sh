#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Many workers, and what they cost in memory.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

many_workers_start_and_finish()
{
	mkdir d o
	iotest -t d --size 1M --workers 256 -o o
	expect_status 0
	bundle_in o
	unpack "$bundle" b
	expect_json b/report.json '.phases.write.workers | length == 256'
	expect_json b/report.json '.phases.read.bytes == 256 * 1048576'
	expect_json b/report.json '.plan.workers_overridden == true'
	expect_equal "$(find b/results -name 'read.*' | wc -l)" 256 "results"
	expect_empty d
}

the_options_of_the_old_scripts_are_taken()
{
	mkdir d o
	iotest -i 3 -t d -b 16 -s 64 -o o
	expect_status 0
	bundle_in o
	unpack "$bundle" b
	expect_json b/report.json '.plan.workers == 3 and .plan.block_bytes == 65536'
	expect_json b/report.json '.plan.bytes_per_worker == 1048576'
	expect_json b/report.json '.phases.write.bytes == 3 * 1048576'
	expect_text out 'per worker'
}

cores_set_the_divisor_only()
{
	mkdir d o
	iotest -t d --size 1M --cores 7 --workers 2 -o o
	expect_status 0
	bundle_in o
	unpack "$bundle" b
	expect_json b/report.json '.plan.cores == 7 and .plan.cores_overridden == true and .plan.workers == 2'
	expect_json b/report.json '.phases.write | .mib_per_s_per_core * 7 / .aggregate_mib_per_s | . > 0.99 and . < 1.01'
}

# The proportional set size of a process and its children, in KiB.
tree_pss()
{
	local pid sum=0 pss

	for pid in "$1" $(pgrep -P "$1"); do
		pss=$(awk '/^Pss:/ { print $2 }' "/proc/$pid/smaps_rollup" 2>/dev/null)
		sum=$((sum + ${pss:-0}))
	done
	echo "$sum"
}

# What a process costs that does nothing: one that waits to print its help into a full pipe.
idle_pss()
{
	local pid

	mkfifo pipe
	exec 8<>pipe
	head -c 65536 /dev/zero >&8
	"$IOTEST" --help >&8 &
	pid=$!
	sleep 0.5
	tree_pss "$pid"
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	exec 8>&-
}

memory_stays_within_4_mib_and_1_mib_a_worker()
{
	local workers=16 pid now idle peak=0 samples=0

	need_root
	if is_sanitized; then
		echo "     the memory of a sanitized binary says nothing: not looked at"
		return 0
	fi
	[ -r /proc/self/smaps_rollup ] || skip "this kernel tells no proportional set size"
	mkdir d o
	idle=$(idle_pss)
	[ "$idle" -gt 100 ] || fail "$idle KiB for an idle process"
	"$IOTEST" -t d --size 256M --workers "$workers" -o o >out 2>err </dev/null &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		now=$(tree_pss "$pid")
		peak=$((now > peak ? now : peak))
		samples=$((samples + 1))
		sleep 0.05
	done
	wait "$pid" || fail "the run failed"
	[ "$samples" -gt 3 ] || fail "only $samples samples"
	echo "     summed PSS: idle $idle KiB, peak $peak KiB in $samples samples, $workers workers"
	[ $((peak - idle)) -lt $((4096 + workers * 1024)) ] || fail "$((peak - idle)) KiB above idle"
}

run_tests many_workers_start_and_finish the_options_of_the_old_scripts_are_taken \
	cores_set_the_divisor_only memory_stays_within_4_mib_and_1_mib_a_worker
