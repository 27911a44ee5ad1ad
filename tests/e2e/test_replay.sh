#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a bundle recorded gives the same host and the same plan again, on any machine.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# recorded DIR OPTION...: runs small on it, and unpacks the bundle as b.
recorded()
{
	mkdir -p o
	iotest -t "$(realpath "$1")" --size 1M -o o "${@:2}"
	expect_status 0
	bundle_in o
	unpack "$bundle" b
}

# What moves by itself from one moment to the next.
readonly STILL='del(.. | .memory_available_bytes?, .memory_limit_used_bytes?, .free_bytes?,
	.used_bytes?, .free_inodes?, .dirty_limit_bytes?, .dirty_peak_bytes?)'

same_plan()
{
	recorded "$1"
	jq -S .plan b/report.json >recorded.plan
	iotest plan --sysroot b/system_files -t "$(realpath "$1")" --size 1M --format json
	expect_status 0
	jq -S '.plan // .plans[0] // .targets[0].plan' out >replayed.plan
	expect_same recorded.plan replayed.plan
	jq -S .host b/report.json >recorded.host
	iotest probe --sysroot b/system_files -t "$(realpath "$1")" --format json
	expect_status 0
	jq -S .host out >replayed.host
	expect_same recorded.host replayed.host
}

a_bundle_replays_to_the_same_plan()
{
	mkdir d
	same_plan d
}

a_bundle_of_a_loop_mounted_xfs_replays()
{
	mk_loop_fs xfs 512 m
	same_plan m
}

a_bundle_of_an_overlay_replays()
{
	mk_overlay m
	same_plan m
}

# Without --size: the sizing rules see the recorded memory, not the one of this machine.
a_recorded_memory_sizes_the_plan()
{
	mkdir d
	recorded d
	sed -i 's/^MemTotal:.*/MemTotal:        1048585 kB/' b/system_files/proc/meminfo
	iotest plan --sysroot b/system_files -t "$T/d" --format json
	expect_status 0
	expect_json out '.host.memory_bytes == 1048585 * 1024'
	expect_json out '(.plan // .plans[0]).bytes_per_worker <= 1048585 * 1024'
}

live_and_replayed_plan_agree()
{
	mkdir d
	iotest plan -t "$T/d" --format json
	expect_status 0
	jq -S "$STILL | .host" out >live.host
	# What is taken out of a bundle is what differs.
	recorded d --redact none
	iotest plan --sysroot b/system_files -t "$T/d" --format json
	jq -S "$STILL | .host" out >replayed.host
	expect_same live.host replayed.host
}

a_sysroot_that_is_none_is_refused()
{
	touch file
	mkdir empty
	iotest probe --sysroot missing
	expect_status 1
	expect_text err 'missing'
	iotest probe --sysroot file
	expect_status 1
	expect_text err 'file'
	iotest probe --sysroot empty
	[ "$status" -eq 1 ] || [ "$status" -eq 0 ] || fail "an empty tree ended with $status"
	expect_no_text err 'Sanitizer'
}

planning_touches_nothing()
{
	mkdir d
	find d -printf '%p %C@\n' >before
	iotest plan -t d
	expect_status 0
	iotest run --dry-run -t d
	expect_status 0
	find d -printf '%p %C@\n' >after
	expect_same before after
	expect_equal "$(find . -name 'iotest_*')" ""
}

run_tests a_bundle_replays_to_the_same_plan a_bundle_of_a_loop_mounted_xfs_replays \
	a_bundle_of_an_overlay_replays a_recorded_memory_sizes_the_plan live_and_replayed_plan_agree \
	a_sysroot_that_is_none_is_refused planning_touches_nothing
