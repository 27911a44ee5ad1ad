#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Quick and prove keep their time on fast, slow and hanging storage; the modes do what they say.
# shellcheck disable=SC2016 # $n is jq's
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

has_finding()
{
	expect_json out "[.findings[].id] | index(\"$1\") != null"
}

has_no_finding()
{
	expect_json out "[.findings[].id] | index(\"$1\") == null"
}

# run_json ARGUMENT...: on directory d; the report in JSON is in the file out, the status as it is.
run_json()
{
	iotest -q -t d --no-bundle --format json "$@"
}

# start_json ARGUMENT...: the same in the background, as $pid, with its phases told in err.
start_json()
{
	"$IOTEST" -t d --no-bundle --format json "$@" >out 2>err </dev/null &
	pid=$!
	began=$(date +%s%N)
}

end_json()
{
	status=0
	wait "$pid" || status=$?
}

# await PHASE: until it goes on; what follows must be soon.
await()
{
	local i

	for ((i = 0; i < 4000; i++)); do
		if grep -q "^$1 phase: .* with " err 2>/dev/null; then
			return
		fi
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.005
	done
	cat err
	fail "no $1 phase"
}

# expect_time LIMIT_S: one and a half of it is what storage may cost; a sanitized binary starts late.
expect_time()
{
	local ms=$((($(date +%s%N) - began) / 1000000)) limit_ms=$(($1 * 1500))

	! is_sanitized || limit_ms=$((limit_ms + 1000))
	[ "$ms" -le "$limit_ms" ] || fail "$ms ms of $limit_ms"
}

# ------------------------------------------------------------------ time

a_quick_run_keeps_its_time_and_space()
{
	mk_loop_fs ext4 8192 d direct
	began=$(date +%s%N)
	run_json --quick --time-limit 5s --workers 2
	expect_time 5
	expect_status 0
	expect_json out '.plan.method == "quick/1" and .plan.mode == "quick"'
	expect_json out '.plan.sized_by == "quick" and .plan.total_bytes <= 0.05 * .host.targets[0].free_bytes'
	expect_json out '[.phases.write, .phases.read] |
		all(.status | IN("complete", "steady", "time-limit"))'
	expect_json out '.phases.write.bytes > 0 and .phases.read.bytes == .phases.write.bytes'
	expect_empty d
}

a_slow_disk_is_slow_and_not_stuck()
{
	mk_loop_fs ext4 8192 d direct
	throttle_fs d write $((20 * MIB))
	throttle_fs d read $((20 * MIB))
	began=$(date +%s%N)
	run_json --quick --time-limit 10s --workers 2 --require 100
	expect_time 10
	expect_status 3
	has_no_finding stuck
	expect_json out '.verdict.result == "below"'
	expect_json out '.phases.write | .status == "time-limit" or .status == "steady"'
	expect_json out '.phases.write | .usable and .aggregate_mib_per_s > 14 and .aggregate_mib_per_s < 26'
	expect_empty d
}

# Frozen: each write call hangs in the kernel, where no signal reaches it.
storage_that_hangs_when_written_is_told_and_left_clean()
{
	local used

	mk_loop_fs ext4 1024 d direct
	used=$(df --output=used -k d | tail -n 1)
	start_json --prove 5 --time-limit 8s --workers 2 --cores 2
	await write
	sleep 0.7
	freeze d
	end_json
	expect_time 8
	expect_status 4
	expect_json out '.phases.write.status == "stuck" and .phases.read.status == "not-run"'
	expect_json out '.verdict.result | IN("invalid", "inconclusive")'
	has_finding stuck
	thaw d
	wait_for is_used d "$used"
	expect_empty d
}

# is_used DIR KIB
is_used()
{
	[ "$(df --output=used -k "$1" | tail -n 1)" -le $(($2 + 64)) ]
}

# Reading from a frozen file system goes on; giving the files back has to wait for it.
storage_that_is_frozen_when_read_spoils_nothing()
{
	local used

	mk_loop_fs ext4 1024 d direct
	used=$(df --output=used -k d | tail -n 1)
	throttle_fs d read $((25 * MIB))
	start_json --quick --time-limit 8s --workers 1 --require 1
	await read
	freeze d
	end_json
	expect_time 8
	[ "$status" -eq 0 ] || [ "$status" -eq 4 ] || expect_status 0
	expect_json out '.phases.read.status | IN("complete", "steady", "time-limit")'
	expect_json out '.phases.read.usable and .phases.read.bytes > 0'
	thaw d
	wait_for is_used d "$used"
	expect_empty d
}

# ------------------------------------------------------------------ prove and repeat

a_pace_that_is_carried_is_a_pass()
{
	mk_loop_fs ext4 8192 d direct
	began=$(date +%s%N)
	run_json --prove 20 --time-limit 5s
	expect_time 5
	expect_status 0
	expect_json out '.plan.method == "prove/1" and .verdict.result == "pass"'
	expect_json out '.plan.cores as $n | [.phases.write, .phases.read] |
		all(.aggregate_mib_per_s >= 20 * $n and .aggregate_mib_per_s < 22 * $n)'
	expect_json out '.phases.read.limited_by == "pace"'
	expect_json out '.plan.io.pace_bytes_per_s * .plan.workers > 20 * 1048576 * .plan.cores'
	expect_empty d
}

a_pace_that_reads_cannot_hold_is_below()
{
	mk_loop_fs ext4 8192 d direct
	throttle_fs d read $((20 * MIB))
	run_json --prove 40 --time-limit 5s --workers 1 --cores 1
	expect_status 3
	expect_json out '.verdict.result == "below"'
	expect_json out '.phases.read.aggregate_mib_per_s < 30 and .phases.write.aggregate_mib_per_s >= 40'
}

a_pace_that_writes_cannot_hold_is_below()
{
	mk_loop_fs ext4 8192 d direct
	throttle_fs d write $((20 * MIB))
	began=$(date +%s%N)
	run_json --prove 60 --time-limit 6s --workers 1 --cores 1
	expect_time 6
	expect_status 3
	has_no_finding stuck
	expect_json out '.verdict.result == "below" and .phases.write.aggregate_mib_per_s < 40'
}

repeated_runs_are_judged_by_their_median()
{
	mk_loop_fs ext4 512 d direct
	throttle_fs d write $((50 * MIB))
	run_json --size 40M --workers 1 --repeat 3 --phases write --require 1
	expect_status 0
	expect_json out '.targets | length == 3 and ([.[].repeat_index] == [1, 2, 3])'
	expect_json out '[.targets[].run.id] | unique | length == 3'
	expect_json out '.targets[-1].repeats | length == 3'
	expect_json out '.targets[-1].phases.write |
		.n_runs == 3 and .judged_by == "median" and
		.median_mib_per_s_per_core == .judged_mib_per_s_per_core and
		.lowest_mib_per_s_per_core <= .median_mib_per_s_per_core and
		.median_mib_per_s_per_core <= .highest_mib_per_s_per_core'
	expect_json out '.targets[-1] | .phases.write.median_mib_per_s_per_core ==
		([.repeats[].write_mib_per_s_per_core] | sort)[1]'
	expect_json out '[.targets[].findings[].id] | index("no-interval") == null'
}

# ------------------------------------------------------------------ modes

one_phase_can_be_measured_alone()
{
	mkdir d
	run_json --size 16M --phases write
	expect_status 0
	expect_json out '.plan.method == "full/2+write" and .phases.write.status == "complete"'
	expect_json out '.phases.read.status == "not-run"'
	run_json --size 16M --phases read
	expect_status 0
	expect_json out '.plan.method == "full/2+read" and .phases.read.status == "complete"'
	# It has to be written before it can be read, but that is not judged.
	expect_json out '.plan.judges_write == false and .phases.write.bytes == .phases.read.bytes'
	expect_json out '.verdict.text | test("write") | not'
	expect_empty d
}

a_mixed_run_has_the_shares_that_were_asked_for()
{
	mkdir d
	run_json --size 100M --workers 2 --mixed 70
	expect_status 0
	expect_json out '.plan.method == "full/2+mixed70"'
	expect_json out '.phases.mixed.status == "complete" and .phases.read.status == "not-run"'
	expect_json out '.phases.mixed.bytes == 200 * 1048576'
	expect_json out '[.phases.mixed.workers[] | .read_bytes / .bytes] | all(. == 0.7)'
	expect_json out '[.phases.mixed.workers[] | .stamps * 4096 == .read_bytes and .bad_stamps == 0] | all'
	expect_json out '.phases.write.bytes == ([.phases.mixed.workers[].read_bytes] | add)'
	expect_empty d
}

targets_that_go_together_start_together()
{
	mk_loop_fs ext4 1024 a direct
	mk_loop_fs xfs 1024 b direct
	iotest -q -t a -t b --together --size 100M --no-bundle --format json
	expect_status 0
	expect_json out '.targets | length == 2 and all(.plan.method == "full/2+together")'
	expect_json out '[.targets[].phases.write.started_at_ns] | max - min < 1e9'
	expect_json out '[.targets[].phases.read.started_at_ns] | max - min < 1e9'
	# They overlap: each began before the other had ended.
	expect_json out '[.targets[].phases.write.started_at_ns] as $w |
		.targets | all(.phases.read.started_at_ns > ($w | max))'
	expect_json out '.targets | all(.phases.read.bytes == .plan.total_bytes and .phases.read.usable)'
	expect_empty a
	expect_empty b
}

# cpus_now: of each worker of the run, as the kernel lists them
cpus_now()
{
	local worker

	for worker in $(pgrep -P "$pid"); do
		awk '/^Cpus_allowed_list/ { print $2 }' "/proc/$worker/status" 2>/dev/null
	done
}

pinned_workers_stay_on_their_core()
{
	local want got

	mk_loop_fs ext4 256 d direct
	throttle_fs d read $((40 * MIB))
	start_json --size 20M --workers 3 --pin
	await read
	got=$(cpus_now | sort)
	end_json
	expect_status 0
	expect_json out '.plan.io.pin == true and .plan.method == "full/2+pin"'
	want=$(jq -r '.host.cores as $c | range(3) | $c[. % ($c | length)].cpus' out | sort)
	expect_equal "$got" "$want" "CPUs of the three workers"
	[ -n "$got" ] || fail "no worker was seen"
}

a_control_stands_beside_each_phase()
{
	mk_loop_fs ext4 1024 d direct
	run_json --size 64M --workers 2 --control
	expect_status 0
	expect_json out '.plan.control == "always" and .plan.method == "full/2"'
	expect_json out '[.phases.control_write, .phases.control_read] |
		all(.status == "complete" and .bytes == 128 * 1048576 and .depth == 8)'
	expect_json out '[.phases.control_write, .phases.control_read] |
		all((.workers | length == 2) and ([.workers[].ops] | add == 128))'
	expect_json out '[.phases.control_read.workers[].bad_stamps] | add == 0'
	expect_empty d
	# Without the option there is none, unless a phase was below.
	run_json --size 64M --workers 2 --require 1
	expect_json out '.phases | (has("control_write") or has("control_read")) | not'
}

run_tests a_quick_run_keeps_its_time_and_space a_slow_disk_is_slow_and_not_stuck \
	storage_that_hangs_when_written_is_told_and_left_clean \
	storage_that_is_frozen_when_read_spoils_nothing a_pace_that_is_carried_is_a_pass \
	a_pace_that_reads_cannot_hold_is_below a_pace_that_writes_cannot_hold_is_below \
	repeated_runs_are_judged_by_their_median one_phase_can_be_measured_alone \
	a_mixed_run_has_the_shares_that_were_asked_for targets_that_go_together_start_together \
	pinned_workers_stay_on_their_core a_control_stands_beside_each_phase
