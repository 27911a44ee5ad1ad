#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# One run of a user at a time on a host, who is seen by others, and several hosts that begin together.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# A user of this test alone: its lock lies in /tmp, where other tests of this machine have theirs.
readonly USER_ID=$((1000000 + $$ * 16))

in_phase()
{
	grep -q "^$1 phase: [0-9]" first.err 2>/dev/null
}

# Words before a command.
readonly AS_USER=(setpriv "--reuid=$USER_ID" "--regid=$USER_ID" --clear-groups)
readonly AS_OTHER=(setpriv "--reuid=$((USER_ID + 1))" "--regid=$((USER_ID + 1))" --clear-groups)

# begin_first [COMMAND...]: a run that writes slowly for some seconds; sets $pid.
begin_first()
{
	mkdir -p d o
	chmod 1777 d o
	"$@" "$IOTEST" -t "$T/d" -o "$T/o" --workers 1 --prove 1 --phases write --time-limit 30 --format json \
		>first.out 2>first.err </dev/null &
	pid=$!
	wait_for in_phase write
}

# end_first SIGNAL
end_first()
{
	kill -s "$1" "$pid"
	wait "$pid" 2>/dev/null
	expect_no_process "-t $T/d"
}

expect_lock_gone()
{
	[ ! -e /run/iotest/lock ] || fail "the lock file is left"
	iotest ps
	expect_text out '^no iotest is running$'
}

a_second_run_ends_at_once_and_says_who_runs()
{
	mkdir d2
	begin_first
	iotest -t d2 -o d2 --size 1M
	expect_status 5
	expect_text err "another iotest of this user is running: pid $pid, on $T/d, write, for [0-9.]+ s"
	[ ! -s out ] || fail "a report of nothing"
	expect_empty d2
	end_first TERM
	iotest -q -t d2 -o o --size 1M
	expect_status 0
	expect_lock_gone
}

what_only_looks_is_not_kept_out()
{
	begin_first
	iotest plan -t d
	expect_status 0
	iotest probe -t d
	expect_status 0
	iotest -t d --dry-run
	expect_status 0
	end_first TERM
}

ps_tells_target_phase_and_time()
{
	begin_first
	iotest ps
	expect_status 0
	expect_text out "^ *$pid +0 +20[0-9]{2}-[0-9-]+ [0-9:]{8}  write, [0-9.]+ m?s +$T/d$"
	expect_equal "$(wc -l <out)" 2 "lines"
	end_first TERM
	expect_lock_gone
}

the_lock_ends_with_a_killed_process_and_not_with_its_workers()
{
	mk_loop_fs ext4 300 d
	begin_first
	freeze d
	sleep 1.2
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	pgrep -f -- "-t $T/d" >/dev/null || fail "no worker hangs"
	mkdir d2
	iotest -q -t d2 -o o --size 1M
	expect_status 0
	thaw d
	expect_no_process "-t $T/d"
}

root_sees_all_and_others_their_own()
{
	need_root
	begin_first "${AS_USER[@]}"
	iotest ps
	expect_text out "^ *$pid +$USER_ID .*write.*$T/d$"
	status=0
	"${AS_OTHER[@]}" "$IOTEST" ps >out 2>err </dev/null || status=$?
	expect_status 0
	expect_text out '^no iotest is running$'
	"${AS_USER[@]}" "$IOTEST" ps >out 2>err </dev/null
	expect_text out "^ *$pid +$USER_ID "
	end_first TERM
	[ ! -e "/tmp/iotest-$USER_ID" ] || fail "the directory of the lock is left"
}

# Root may run beside a user; each sees that the target is shared.
another_user_in_the_same_target_is_a_finding()
{
	need_root
	begin_first "${AS_USER[@]}"
	"$IOTEST" -t d -o o --workers 1 --prove 1 --phases write --time-limit 30 --format json >out 2>err </dev/null &
	wait_for grep -sq '^write phase' err
	kill -TERM "$pid"
	wait "$pid"
	kill -TERM $!
	wait $!
	expect_json out '[.findings[].id] | index("target-shared") != null'
	expect_json out '.run.target_shared == true and .run.target_lock_error == 0'
	expect_json first.out '[.findings[].id] | index("target-shared") != null'
	expect_no_process "-t $T/d"
	expect_empty d
}

alone_in_the_target_is_no_finding()
{
	mkdir d d2 o
	iotest -q -t d -t d -o o --size 1M --together --format json
	expect_status 2
	iotest -q -t d -t d2 -o o --size 1M --together --format json
	expect_status 0
	expect_json out '[.targets[].findings[].id] | index("target-shared") == null'
	expect_json out '.targets[0].run.target_shared == false and .targets[0].run.target_lock_error == 0'
	expect_json out '.targets[0].run.host_lock_failure == null'
}

# Who makes its directory before us takes the lock away, and no more.
a_place_that_is_not_ours_alone_is_not_used()
{
	need_root
	mkdir -m 0777 d o
	ln -s "$T/d" "/tmp/iotest-$USER_ID"
	chown -h 65533 "/tmp/iotest-$USER_ID"
	status=0
	"${AS_USER[@]}" "$IOTEST" -q -t d -o o --size 1M --format json >out 2>err </dev/null || status=$?
	rm "/tmp/iotest-$USER_ID"
	expect_status 0
	expect_json out '[.findings[].id] | index("no-host-lock") != null'
	expect_json out '.run.host_lock_failure | test("not a directory of this user alone")'
	expect_empty d
}

# in_seconds N: that local time
in_seconds()
{
	date -d "+$1 seconds" +%H:%M:%S
}

a_start_that_is_asked_for_is_kept()
{
	local at

	mkdir d o
	at=$(in_seconds 3)
	iotest -t d -o o --size 1M --start-at "$at" --format json
	expect_status 0
	expect_text err "^waiting until $at to begin$"
	# shellcheck disable=SC2016
	expect_json out '.phases.write.started_at_ns >= .run.start_at_ns'
	expect_equal "$(date -d "@$(($(json out .run.start_at_ns) / 1000000000))" +%H:%M:%S)" "$at"
}

a_start_that_has_passed_or_is_none_is_refused()
{
	mkdir d
	iotest -t d -o d --start-at "$(in_seconds -60)"
	expect_status 2
	expect_text err '--start-at [0-9:]+: that was (1 min|59|60)'
	iotest -t d -o d --start-at 24:00:00
	expect_status 2
	expect_text err "'24:00:00' is not a local time as HH:MM:SS"
	expect_empty d
}

who_waits_can_be_seen_and_stopped()
{
	local at

	mkdir d o
	at=$(in_seconds 3600)
	"$IOTEST" -t "$T/d" -o o --size 1M --start-at "$at" >out 2>first.err </dev/null &
	pid=$!
	wait_for grep -sq waiting first.err
	iotest ps
	expect_text out "waiting for $at, .* $T/d$"
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	expect_status 143
	expect_text first.err 'interrupted before the start'
	expect_empty o
	expect_empty d
}

run_tests a_second_run_ends_at_once_and_says_who_runs what_only_looks_is_not_kept_out \
	ps_tells_target_phase_and_time the_lock_ends_with_a_killed_process_and_not_with_its_workers \
	root_sees_all_and_others_their_own another_user_in_the_same_target_is_a_finding \
	alone_in_the_target_is_no_finding a_place_that_is_not_ours_alone_is_not_used \
	a_start_that_is_asked_for_is_kept a_start_that_has_passed_or_is_none_is_refused \
	who_waits_can_be_seen_and_stopped
