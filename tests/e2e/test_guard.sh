#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a run takes of a host that others use: memory that waits to be written, rate, space.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# ------------------------------------------------------------------ memory and rate

# A storage that takes 40 MiB/s: what a writer is ahead of it waits in memory. The group is the
# witness, since others on this host write, too. The results lie where nothing waits for a disk, so
# that what is seen is the test files'.
no_more_waits_in_memory_than_max_dirty()
{
	local group peak=0 now pid

	mk_loop_fs ext4 600 d
	throttle_fs d write $((40 * MIB))
	limit_group memory
	mk_tmpfs o 64
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
	[ "$peak" -le $((9 * MIB)) ] || fail "$peak bytes waited"
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

# ------------------------------------------------------------------ space

in_phase()
{
	grep -q "^$1 phase: [0-9]" err 2>/dev/null
}

# begin OPTION...: a slow run that writes for 10 s, begun; sets $pid
begin()
{
	mkdir -p o
	"$IOTEST" -t d -o o --size 100M --workers 2 --max-rate 20 --yes --format json "$@" >out 2>err \
		</dev/null &
	pid=$!
	wait_for in_phase write
	sleep 0.5
}

end()
{
	status=0
	wait "$pid" || status=$?
}

free_mib()
{
	stat -f -c '%a %S' "$1" | awk '{ print int($1 * $2 / 1048576) }'
}

# fill DIR LEAVE_MIB: by somebody else
fill()
{
	fallocate -l "$(($(free_mib "$1") - $2))M" "$1/other" || fail "cannot fill $1"
}

# expect_space: it stopped in time, gave space back, and is a result all the same.
expect_space()
{
	expect_status 0
	expect_json out '.phases.write.status == "space"'
	expect_json out '.phases.write.bytes > 0 and .phases.write.bytes < .plan.total_bytes'
	expect_json out '.phases.write.aggregate_mib_per_s > 0'
	expect_json out '.findings | any(.id == "space-short" and .severity == "warning")'
	expect_json out '.verdict.result != "invalid"'
	bundle_in o
	expect_text err 'bundle '
}

# ext4 says at once what others take; XFS and btrfs keep their own accounts.
others_who_fill_an_ext4_stop_the_writers()
{
	mk_loop_fs ext4 512 d
	begin
	sleep 1
	fill d 20
	end
	expect_space
	expect_json out '.phases.write.least_free_bytes < .plan.keep_free_bytes'
	# Half of it was given back, and the rest was read.
	expect_json out '.phases.read.status == "complete"'
	expect_json out '.phases.read.bytes > 0 and .phases.read.bytes <= .phases.write.bytes / 2'
	expect_json out '[.phases.read.workers[].bad_stamps] | add == 0'
	rm d/other
	expect_empty d
}

others_who_fill_an_xfs_stop_the_writers()
{
	mk_loop_fs xfs 512 d
	begin --phases write
	fill d 15
	end
	expect_space
	rm d/other
	expect_empty d
}

others_who_take_the_inodes_stop_the_writers()
{
	mk_loop_fs ext4 512 d
	begin --phases write
	free_inodes=$(stat -f -c %d d)
	mkdir d/others
	seq "$((free_inodes - 2))" | (cd d/others && xargs touch)
	end
	expect_space
	expect_json out '.phases.write.least_free_inodes < .plan.keep_free_inodes'
	expect_json out '.findings | any(.id == "space-short" and (.text | test("inodes")))'
	rm -r d/others
	expect_empty d
}

what_is_to_stay_free_can_be_set()
{
	mk_loop_fs ext4 512 d
	begin --phases write --keep-free 200M
	expect_json <("$IOTEST" plan -t d --keep-free 200M --format json) \
		'.plan.keep_free_bytes == 209715200 and .plan.reserve_bytes == 209715200'
	fill d 190
	end
	expect_space
	rm d/other
	mkdir p
	iotest -q -t d -o p --keep-free 500M
	expect_status 1
	expect_text err 'too little space'
	expect_empty p
	expect_empty d
}

# The free space of what may hang is asked by a process of its own.
others_who_fill_what_a_program_serves_stop_the_writers()
{
	mk_loop_fs ext4 512 b
	serve b d
	begin --phases write
	fill b 15
	end
	expect_space
	rm b/other
	expect_empty d
	expect_no_process "-t d -o o --size 100M"
}

# ------------------------------------------------------------------ others go first

# Two looks, before writing and before reading: short phases have no slice.
gentle_says_which_brake_was_in_force()
{
	local kind

	mk_loop_fs ext4 200 d
	mkdir o
	iotest -q -t d -o o --size 10M --workers 2 --gentle --time-limit 20s --format json
	expect_status 0
	expect_json out '.plan.method == "full/2+gentle"'
	kind=$(json out .run.brake.kind)
	case $kind in
	pressure | devices | pressure+devices)
		expect_json out '.run.brake.n_looks >= 2'
		expect_json out '.findings | any(.id == "brake")'
		;;
	none) expect_json out '.findings | any(.id == "no-brake" and .severity == "warning")' ;;
	*) fail "brake: $kind" ;;
	esac
	expect_json out '[.phases.write, .phases.read] | all(.status == "complete")'
	expect_empty d
}

# Its workers are what they say they are.
gentle_workers_have_the_lowest_priority()
{
	local workers worker

	mk_loop_fs ext4 512 d
	begin --gentle --phases write
	mapfile -t workers < <(pgrep -P "$pid")
	[ ${#workers[@]} -ge 2 ] || fail "no workers"
	for worker in "${workers[@]}"; do
		expect_equal "$(awk '{ print $19 }' "/proc/$worker/stat")" 19
		expect_equal "$(ionice -p "$worker")" idle
	done
	kill -INT "$pid"
	end
	expect_status 130
	expect_empty d
}

# Six who read past the page cache always have more than one request under way.
gentle_waits_for_others_and_goes_on_when_its_patience_is_over()
{
	local -a others=()

	mk_loop_fs ext4 200 d
	head -c 64M /dev/zero >d/other
	sync -f d
	for _ in 1 2 3 4 5 6; do
		(while dd if=d/other of=/dev/null bs=1M iflag=direct 2>/dev/null; do :; done) &
		others+=($!)
	done
	sleep 0.5
	mkdir o
	iotest -q -t d -o o --size 2M --workers 1 --phases write --gentle --time-limit 3s --format json
	kill "${others[@]}"
	wait
	expect_json out '.run.brake | .kind == "none" or (.n_busy > 0 and .waited_ns > 0 and .gave_up)'
	expect_json out '.phases.write.bytes > 0'
	expect_json out '.findings | any(.id == "no-brake" or (.text | test("still busy when it went on")))'
}

run_tests gentle_says_which_brake_was_in_force gentle_workers_have_the_lowest_priority \
	gentle_waits_for_others_and_goes_on_when_its_patience_is_over no_more_waits_in_memory_than_max_dirty all_workers_together_keep_to_max_rate \
	others_who_fill_an_ext4_stop_the_writers others_who_fill_an_xfs_stop_the_writers \
	others_who_take_the_inodes_stop_the_writers what_is_to_stay_free_can_be_set \
	others_who_fill_what_a_program_serves_stop_the_writers
