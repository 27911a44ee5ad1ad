#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a run takes of a host that others use: memory that waits to be written, rate, space.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# ------------------------------------------------------------------ memory and rate

# A storage that takes 40 MiB/s: what a writer is ahead of it waits in memory. The group is the
# witness, since others on this host write, too.
no_more_waits_in_memory_than_max_dirty()
{
	local group peak=0 now pid

	mk_loop_fs ext4 600 d
	throttle_fs d write $((40 * MIB))
	limit_group memory
	mkdir o
	in_group "$group" "$IOTEST" -q -t d -o o --size 60M --workers 2 --phases write --max-dirty 8M \
		--format json >out 2>err </dev/null &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		now=$(awk '/^dirty |^writeback / { n += $2 } END { print n + 0 }' "$group/memory.stat")
		[ "$now" -le "$peak" ] || peak=$now
		sleep 0.05
	done
	status=0
	wait "$pid" || status=$?
	expect_status 0
	expect_json out '.plan.method == "full/2+write+dirty8MiB"'
	expect_json out '.phases.write.status == "complete"'
	# Counters of the kernel are exact to 32 pages for each CPU.
	[ "$peak" -le $((10 * MIB)) ] || fail "$peak bytes waited"
	[ "$peak" -gt 0 ] || fail "nothing ever waited: the group did not see it"
}

all_workers_together_keep_to_max_rate()
{
	mkdir d o
	iotest -q -t d -o o --size 8M --workers 4 --max-rate 32 --require 100 --format json
	expect_status 4
	expect_json out '.plan.method == "full/2+rate32MiB"'
	# 32 MiB at 32 MiB/s: no faster, whatever the machine is.
	expect_json out '[.phases.write, .phases.read] | all(.aggregate_mib_per_s < 32.7)'
	expect_json out '[.phases.write, .phases.read] | all(.limited_by == null or .limited_by == "max-rate")'
	expect_json out '.verdict.result == "inconclusive"'
	expect_json out '.findings | any(.id == "rate-capped")'
	expect_json out '.phases | has("control_write") | not'
	expect_empty d
}

run_tests no_more_waits_in_memory_than_max_dirty all_workers_together_keep_to_max_rate
