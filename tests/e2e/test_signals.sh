#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Whatever ends a run, nothing is left in the target, no process goes on, and the bundle tells.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# start_run: a run that would take long, in the background. It sets $pid.
start_run()
{
	mkdir -p d o
	"$IOTEST" -t "$T/d" -o "$T/o" --yes "$@" >out 2>err </dev/null &
	pid=$!
}

in_phase()
{
	grep -q "$1" err 2>/dev/null
}

has_worker()
{
	pgrep -P "$pid" >/dev/null
}

# end_by SIGNAL: sends it, and expects the process to die by it within some seconds.
end_by()
{
	local number

	number=$(kill -l "$1")
	kill -s "$1" "$pid"
	status=0
	wait "$pid" || status=$?
	expect_status $((128 + number)) "killed by $1"
	expect_gone
}

expect_gone()
{
	expect_no_process "$T/d"
	expect_empty d
}

expect_interrupted_bundle()
{
	bundle_in o
	unpack "$bundle" b
	expect_json b/report.json '.verdict.result == "invalid" or .verdict.result == "inconclusive"'
	expect_json b/report.json ".run.interrupted_by == $(kill -l "$1")"
	iotest report "$bundle"
	expect_same b/report.txt out
}

signal_in_the_write_phase()
{
	start_run --size 6G
	wait_for in_phase "^write phase"
	wait_for has_worker
	sleep 0.3
	end_by "$1"
	expect_interrupted_bundle "$1"
	expect_json b/report.json '.phases.write.status == "interrupted"'
}

sigint_in_the_write_phase_cleans_up_and_kills_by_it()
{
	# Background jobs of a script have SIGINT ignored; the tool must then leave it so.
	set -m
	signal_in_the_write_phase INT
}

sigterm_in_the_write_phase_cleans_up_and_kills_by_it()
{
	signal_in_the_write_phase TERM
}

sighup_in_the_write_phase_cleans_up_and_kills_by_it()
{
	signal_in_the_write_phase HUP
}

# A cgroup with little memory keeps the read phase from ending at once.
signal_in_the_read_phase()
{
	start_run --size 1536M --workers 2
	wait_for in_phase "^read phase"
	wait_for has_worker
	end_by "$1"
	expect_interrupted_bundle "$1"
	expect_json b/report.json '.phases.write.status == "complete"'
	expect_json b/report.json '.phases.read.status == "interrupted"'
}

sigterm_in_the_read_phase_cleans_up_and_kills_by_it()
{
	signal_in_the_read_phase TERM
}

a_killed_parent_leaves_no_worker_and_no_file()
{
	start_run --size 6G --workers 4
	wait_for in_phase "^write phase"
	wait_for has_worker
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	expect_gone
}

# The folder stays, and the report in it tells what was measured until then.
the_folder_of_a_killed_run_tells_the_finished_phase()
{
	local folder

	start_run --size 2G --workers 2
	wait_for in_phase "^read phase: 4 GiB"
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	expect_gone
	folder=$(find o -name '*.partial')
	[ -n "$folder" ] || fail "no folder is left"
	iotest report "$folder" --format json
	expect_status 0
	expect_json out '.phases.write.status == "complete" and .phases.read.status == "not-run"'
	expect_json out '.verdict.result != "pass"'
	expect_text err "a folder without MANIFEST"
}

a_killed_worker_makes_the_run_invalid()
{
	start_run --size 4G --workers 2
	wait_for in_phase "^write phase"
	wait_for has_worker
	sleep 0.2
	kill -KILL "$(pgrep -P "$pid" | tail -n 1)"
	status=0
	wait "$pid" || status=$?
	expect_status 4
	expect_gone
	bundle_in o
	unpack "$bundle" b
	expect_json b/report.json '.verdict.result == "invalid"'
	expect_json b/report.json '[.phases.write.workers[].exit_signal] | index(9) != null'
	expect_text out 'write throughput rate: +n/a'
}

a_full_stdout_is_a_failure_but_the_bundle_is_kept()
{
	mkdir d o
	[ -c /dev/full ] || skip "no /dev/full"
	status=0
	"$IOTEST" -t d --size 1M -o o >/dev/full 2>err </dev/null || status=$?
	expect_status 1
	expect_text err 'stdout|standard output'
	expect_empty d
	bundle_in o
	iotest report "$bundle"
	expect_status 0
}

a_reader_that_went_away_is_a_failure_but_the_bundle_is_kept()
{
	mkdir d o
	mkfifo pipe
	true <pipe &
	{
		sleep 0.5
		status=0
		"$IOTEST" -t d --size 1M -o o 2>err </dev/null || status=$?
		echo "$status" >status
	} >pipe
	expect_equal "$(cat status)" 1 "exit status"
	expect_empty d
	bundle_in o
}

run_tests sigint_in_the_write_phase_cleans_up_and_kills_by_it \
	sigterm_in_the_write_phase_cleans_up_and_kills_by_it \
	sighup_in_the_write_phase_cleans_up_and_kills_by_it \
	sigterm_in_the_read_phase_cleans_up_and_kills_by_it \
	a_killed_parent_leaves_no_worker_and_no_file the_folder_of_a_killed_run_tells_the_finished_phase \
	a_killed_worker_makes_the_run_invalid \
	a_full_stdout_is_a_failure_but_the_bundle_is_kept \
	a_reader_that_went_away_is_a_failure_but_the_bundle_is_kept
