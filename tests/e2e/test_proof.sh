#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A rate is a result only where the devices, or the size, show that the storage moved the bytes.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

has_finding()
{
	expect_json out "[.findings[].id] | index(\"$1\") != null"
}

# The loop device answers from the cache of its file, which dropping the test files leaves alone.
reads_from_a_buffered_loop_are_no_result()
{
	mkdir o
	mk_loop_fs ext4 2048 d buffered
	iotest -q -t d --size 300M -o o --format json --require 1
	expect_status 4
	expect_json out '.phases.read.usable == false and .phases.read.uncached_ratio == null'
	expect_json out '.verdict.result == "inconclusive"'
	has_finding loop-cached
	iotest report o/*.tar.gz
	expect_text out '^  read throughput rate:   n/a megabytes/second per physical core$'
}

both_phases_on_a_direct_loop_are_proved()
{
	mkdir o
	mk_loop_fs ext4 2048 d direct
	[ "$(cat /sys/block/"$(basename "$(findmnt -no SOURCE d)")"/loop/dio)" = 1 ] ||
		skip "no direct I/O below loop devices here"
	iotest -q -t d --size 400M -o o --format json
	expect_status 0
	expect_json out '.phases.read.uncached_ratio >= 0.98 and .phases.write.written_ratio >= 0.98'
	expect_json out '.phases.read.usable and .phases.write.usable'
	expect_json out '.phases.read.resident_bytes == 0'
}

nothing_on_a_tmpfs_is_a_result()
{
	mkdir o
	mk_tmpfs d 512
	iotest -q -t d --size 100M -o o --format json
	expect_status 0
	expect_json out '.phases.read.usable == false and .phases.write.usable == false'
	expect_json out '.verdict.result == "inconclusive"'
	has_finding target-in-memory
}

writes_to_a_volatile_overlay_are_no_result()
{
	need_root
	mkdir o d lower upper work
	mount -t overlay overlay d -o "lowerdir=$T/lower,upperdir=$T/upper,workdir=$T/work,volatile" \
		2>/dev/null || skip "the kernel has no volatile overlays"
	iotest -q -t d --size 300M -o o --format json
	expect_status 0
	expect_json out '.phases.write.usable == false'
	expect_json out '.verdict.result != "pass"'
	has_finding write-not-on-storage
}

# A group of its own with a limit on the disk below; v1, as v2 needs its controllers.
in_throttled_group()
{
	local place device group status

	place=$(awk '$3 == "cgroup" && $4 ~ /(^|,)blkio(,|$)/ { print $2; exit }' /proc/self/mounts)
	if [ -z "$place" ]; then
		mkdir .blkio
		place=$T/.blkio
		mount -t cgroup -o blkio cgroup "$place" 2>/dev/null || skip "no blkio cgroup here"
	fi
	device=$(stat -c '%Hd:%Ld' .)
	[ -e "/sys/dev/block/$device" ] || skip "no disk below this directory"
	group=$(mktemp -d "$place/iotest-e2e.XXXXXX") || skip "no blkio cgroup can be made here"
	echo "$group" >>"$T/.cgroups"
	echo "$device $1" >"$group/blkio.throttle.read_bps_device" || skip "this disk cannot be throttled"
	shift
	# shellcheck disable=SC2016
	bash -c 'echo $$ >"$1/cgroup.procs" || exit 98; shift; exec "$@"' throttled "$group" "$@"
	status=$?
	remove_cgroup "$group"
	return "$status"
}

a_throttle_is_named_so_that_nobody_blames_the_storage()
{
	need_root
	mkdir d o
	status=0
	in_throttled_group $((20 * MIB)) "$IOTEST" -q -t "$T/d" --size 20M -o "$T/o" --format json \
		--require 1000 >out 2>err </dev/null || status=$?
	[ "$status" -ne 77 ] || exit 77
	expect_status 3
	expect_json out '.verdict.result == "below"'
	expect_json out '.host.io_limits | test("read 20 MiB/s")'
	has_finding io-limit
}

run_tests a_throttle_is_named_so_that_nobody_blames_the_storage reads_from_a_buffered_loop_are_no_result both_phases_on_a_direct_loop_are_proved \
	nothing_on_a_tmpfs_is_a_result writes_to_a_volatile_overlay_are_no_result
