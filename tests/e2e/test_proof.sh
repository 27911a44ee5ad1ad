#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A rate is a result only where the devices, or the size, show that the storage moved the bytes.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

PAGE_HOLDER=$(dirname "$SYSLOG_SINK")/page_holder

has_finding()
{
	expect_json out "[.findings[].id] | index(\"$1\") != null"
}

# The disk that loop devices lie on belongs to others as well.
expect_nobody_else_at_the_loops()
{
	expect_json out '[.findings[] | select(.id == "foreign-load").text] | all(test("bytes at loop") | not)'
	expect_json out '[.phases.write, .phases.read] |
		all(.foreign_ratio < 0.05 or (.foreign_device | startswith("loop") | not))'
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

a_throttle_is_named_so_that_nobody_blames_the_storage()
{
	need_root
	mkdir d o
	status=0
	in_throttled_group "read $((20 * MIB))" "$IOTEST" -q -t "$T/d" --size 20M -o "$T/o" --format json \
		--require 1000 >out 2>err </dev/null || status=$?
	[ "$status" -ne 77 ] || exit 77
	expect_status 3
	expect_json out '.verdict.result == "below"'
	expect_json out '.host.io_limits | test("read 20 MiB/s")'
	has_finding io-limit
}

# held DIR FILE_MIB: runs on DIR while somebody locks the first 64 MiB of a test file in memory.
held()
{
	local pid

	"$IOTEST" -q -t "$1" --size "${2}M" --workers 1 --no-bundle --format json >out 2>err </dev/null &
	pid=$!
	"$PAGE_HOLDER" "$pid" 64 &
	status=0
	wait "$pid" || status=$?
	kill %2 2>/dev/null
}

expect_held()
{
	expect_status 0
	expect_json out '.phases.read.resident_bytes >= 60e6'
	expect_json out '.phases.read.usable == false and .verdict.result == "inconclusive"'
	expect_json out '.phases.read.uncached_ratio < 0.98'
	has_finding cache-not-empty
	has_finding read-cached
}

pages_that_others_hold_in_memory_are_no_result()
{
	need_root
	mk_loop_fs ext4 1024 d direct
	held d 300
	expect_held
	expect_empty d
}

pages_held_below_an_overlay_are_no_result()
{
	mk_loop_fs ext4 1024 l direct
	mk_overlay d l
	held d 300
	expect_held
}

direct_io_that_is_none_is_found_out()
{
	mk_tmpfs d 512
	iotest -q -t d --size 64M --direct --no-bundle --format json
	if [ "$status" -eq 1 ]; then
		expect_text err 'refuses O_DIRECT'
		return
	fi
	has_finding direct-not-direct
	expect_json out '.phases.write.usable == false and .phases.read.usable == false'
	expect_json out '.phases.write.resident_bytes > 0'
}

# expect_refused DIR: an error, and nothing is measured in another way.
expect_refused()
{
	iotest -q -t "$1" --size 4M --direct --no-bundle
	expect_status 1
	expect_text err "$1: this file system refuses O_DIRECT"
	expect_text err 'leave --direct away'
	expect_empty "$1"
}

direct_io_that_is_refused_is_an_error()
{
	need_root
	mkdir d
	mount -t ramfs none d || skip "the kernel has no ramfs"
	expect_refused d
}

# ext4 with journalled data opens files with O_DIRECT, and then goes through the page cache. The
# kernel tells that since 6.1; before, it is found in the cache.
direct_io_on_journalled_data_is_not_believed()
{
	need_root
	truncate -s 256M image
	mkfs.ext4 -q -F image || fail "mkfs.ext4"
	tune2fs -o journal_data image >/dev/null || fail "tune2fs"
	mkdir d
	mount -o loop image d || skip "no loop devices here"
	iotest -q -t d --size 16M --direct --no-bundle --format json
	if [ "$status" -eq 0 ]; then
		has_finding direct-not-direct
		expect_json out '.phases.write.usable == false'
	else
		expect_refused d
	fi
}

direct_io_works_on()
{
	mk_loop_fs "$1" 1024 d direct
	iotest -q -t d --size 100M --direct --no-bundle --format json
	expect_status 0
	expect_json out '.run.direct_alignment_bytes >= 512 and .plan.method == "full/2+direct"'
	expect_json out '.phases.write.resident_bytes == 0'
	expect_json out '.phases.write.usable and .phases.read.usable'
	expect_json out '.phases.write.written_ratio >= 0.98 and .phases.read.uncached_ratio >= 0.98'
	expect_json out '[.phases.read.workers[].bad_stamps] | add == 0'
}

direct_io_works_on_ext4()
{
	direct_io_works_on ext4
}

direct_io_works_on_xfs()
{
	direct_io_works_on xfs
}

# Linux 6.15 and later write through the cache where data has check sums.
direct_io_on_btrfs_is_believed_only_where_it_is_direct()
{
	mk_loop_fs btrfs 1024 d direct
	iotest -q -t d --size 100M --direct --no-bundle --format json
	expect_status 0
	expect_json out '(.phases.write.resident_bytes > 2e6) ==
		([.findings[].id] | index("direct-not-direct") != null)'
	expect_json out '(.phases.write.resident_bytes > 2e6) == (.phases.write.usable | not)'
	mount -o remount,nodatasum d
	iotest -q -t d --size 100M --direct --no-bundle --format json
	expect_json out '.phases.write.resident_bytes == 0 and .phases.write.usable'
}

# btrfs counts blocks before compression, so the devices have to tell.
data_that_the_file_system_swallows_is_no_result()
{
	mk_loop_fs btrfs 1024 d direct
	mount -o remount,compress-force=zstd d || skip "no compression on this btrfs"
	iotest -q -t d --size 100M --data zeros --no-bundle --format json
	expect_status 0
	has_finding data-compressible
	expect_json out '(.phases.write.usable or .phases.read.usable) | not'
	expect_json out '.phases.write.unusable_reason | test("compresses")'
	expect_json out '[.findings[].id] | index("write-not-on-storage") == null'
	iotest -q -t d --size 100M --no-bundle --format json
	expect_json out '.phases.write.written_ratio >= 0.98 and .phases.write.usable'
	expect_json out '.phases.write.allocated_ratio >= 0.98'
}

# two_disks PROFILE DIR: a btrfs over two loop devices
two_disks()
{
	local i image
	local -a loops=()

	need_root
	grep -qw btrfs /proc/filesystems || modprobe btrfs 2>/dev/null || skip "the kernel has no btrfs"
	for i in 1 2; do
		image=$T/.disk$i
		truncate -s 700M "$image"
		loops+=("$(losetup --find --show --direct-io=on "$image")")
	done
	mkfs.btrfs -q -f -d "$1" -m raid1 "${loops[@]}" >/dev/null 2>&1 || fail "mkfs.btrfs"
	mkdir -p "$2"
	mount -t btrfs "${loops[0]}" "$2" || fail "cannot mount it"
	losetup -d "${loops[@]}"
}

copies_of_a_mirror_are_not_taken_for_foreign_load()
{
	two_disks raid1 d
	iotest -q -t d --size 150M --no-bundle --format json
	expect_status 0
	expect_json out '.host.targets[0].data_copies == 2'
	expect_json out '[.phases.write.devices[] | select(.is_top)] | length == 2'
	expect_json out '.phases.write.usable and .phases.read.usable'
	expect_nobody_else_at_the_loops
}

# One disk, two copies of everything.
copies_on_one_disk_are_not_taken_for_foreign_load()
{
	local loop

	need_root
	grep -qw btrfs /proc/filesystems || modprobe btrfs 2>/dev/null || skip "the kernel has no btrfs"
	truncate -s 1G disk
	mkfs.btrfs -q -f -d dup -m dup disk >/dev/null 2>&1 || fail "mkfs.btrfs"
	loop=$(losetup --find --show --direct-io=on disk) || skip "cannot attach a loop device"
	mkdir d
	mount -t btrfs "$loop" d || fail "cannot mount it"
	losetup -d "$loop"
	iotest -q -t d --size 100M --no-bundle --format json
	expect_status 0
	expect_json out '.host.targets[0].data_copies == 2'
	expect_json out '.phases.write.usable and .phases.read.usable'
	expect_json out '[.phases.write.devices[] | select(.is_top) | .written_bytes] | add >= 2 * 200 * 1048576'
	expect_nobody_else_at_the_loops
	# Both copies count for a limit.
	throttle_fs d write $((40 * MIB))
	iotest -q -t d --size 20M --direct --require 1 --no-bundle --format json
	expect_json out '.phases.write.limited_by == "io-limit"'
	expect_json out '.phases.write.limited_text | test("write 40 MiB/s; the phase did [0-9.]+ MiB/s at loop")'
}

disks_of_a_stripe_are_summed()
{
	two_disks raid0 d
	iotest -q -t d --size 150M --no-bundle --format json
	expect_status 0
	expect_json out '.host.targets[0].data_copies == 1'
	expect_json out '.phases.read.uncached_ratio >= 0.98 and .phases.write.written_ratio >= 0.98'
	expect_json out '[.phases.read.devices[] | select(.is_top) | .read_bytes] | min > 100e6'
}

load_of_others_is_named()
{
	local pid

	mk_loop_fs ext4 1536 d direct
	(while :; do dd if=/dev/zero of=d/other bs=1M count=100 oflag=direct conv=notrunc 2>/dev/null; done) &
	pid=$!
	iotest -q -t d --size 250M --no-bundle --format json
	kill "$pid"
	wait "$pid" 2>/dev/null
	expect_status 0
	has_finding foreign-load
	expect_json out '[.phases.write.foreign_ratio, .phases.read.foreign_ratio] | max > 0.05'
	rm -f d/other
	iotest -q -t d --size 250M --no-bundle --format json
	expect_nobody_else_at_the_loops
}

# A read phase writes nothing; the loop device does not see who writes to its disk.
load_of_others_below_a_loop_is_named()
{
	local pid

	mk_loop_fs ext4 512 d direct
	throttle_fs d read $((60 * MIB))
	(while :; do dd if=/dev/zero of=other bs=1M count=50 oflag=direct conv=notrunc 2>/dev/null; done) &
	pid=$!
	iotest -q -t d --workers 1 --size 120M --require 1 --no-bundle --format json
	kill "$pid"
	wait "$pid" 2>/dev/null
	# The write phase may be too short to be judged.
	[ "$status" -eq 4 ] || expect_status 0
	[ "$(json out '.phases.read.devices | length')" -gt 1 ] || skip "nothing is known below the loop device"
	has_finding foreign-load
	expect_json out '.phases.read | .foreign_ratio > 0.05 and (.foreign_device | startswith("loop") | not)'
	expect_json out '.phases.read.proof | test("counted at the device \\(loop")'
	expect_json out '.phases.write.usable and .phases.read.usable'
}

# A slow read leaves the time to change what has not been read yet.
damaged_at()
{
	local fd pid

	in_throttled_group "read $((30 * MIB))" "$IOTEST" -t "$T/d" --workers 1 --size 100M --no-bundle \
		--format json "${@:2}" >out 2>err </dev/null &
	wait_for grep -q '^read phase' err
	pid=$(pgrep -f -o -- "-t $T/d ")
	fd=$(find "/proc/$pid/fd" -lname "*$T/d/*" -printf '%f\n' | head -n 1)
	[ -n "$fd" ] || fail "no test file is open"
	printf 'x' | dd of="/proc/$pid/fd/$fd" bs=1 seek="$1" conv=notrunc 2>/dev/null
	status=0
	wait $! || status=$?
}

expect_damage()
{
	expect_status 4
	has_finding bad-data
	expect_json out '.verdict.result == "invalid"'
	expect_json out '.phases.read.usable == false and .phases.write.usable == false'
	expect_json out ".phases.read.workers[0].bad_stamps == 1 and .phases.read.workers[0].bad_kind == \"$1\""
	expect_json out ".phases.read.workers[0].bad_offset_bytes == $2"
}

a_changed_stamp_makes_the_result_invalid()
{
	need_root
	mkdir d
	damaged_at $((90 * MIB + 490))
	expect_damage no-stamp $((90 * MIB))
}

a_changed_byte_is_found_by_full_integrity()
{
	need_root
	mkdir d
	damaged_at $((90 * MIB + 2000)) --integrity full
	expect_damage content $((90 * MIB + 2000))
}

run_tests a_throttle_is_named_so_that_nobody_blames_the_storage reads_from_a_buffered_loop_are_no_result \
	both_phases_on_a_direct_loop_are_proved nothing_on_a_tmpfs_is_a_result \
	writes_to_a_volatile_overlay_are_no_result pages_that_others_hold_in_memory_are_no_result \
	pages_held_below_an_overlay_are_no_result direct_io_that_is_none_is_found_out \
	direct_io_that_is_refused_is_an_error direct_io_on_journalled_data_is_not_believed \
	copies_on_one_disk_are_not_taken_for_foreign_load \
	direct_io_works_on_ext4 direct_io_works_on_xfs \
	direct_io_on_btrfs_is_believed_only_where_it_is_direct data_that_the_file_system_swallows_is_no_result copies_of_a_mirror_are_not_taken_for_foreign_load \
	disks_of_a_stripe_are_summed load_of_others_is_named load_of_others_below_a_loop_is_named a_changed_stamp_makes_the_result_invalid \
	a_changed_byte_is_found_by_full_integrity
