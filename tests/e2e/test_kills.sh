#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Whoever is killed, whenever: nothing goes on, the next start leaves nothing, and nobody else's
# file is touched. KILLS (30) kills, at times by SEED; scripts/soak.sh does more.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

: "${KILLS:=30}"
: "${SEED:=$((RANDOM * 32768 + RANDOM))}"

# ------------------------------------------------------------------ the target

# Names stay where files without one cannot be made, and where an open file is not unlinked.
mount_named()
{
	mkdir -p b d
	serve b d
}

# Others have files there, and one looks nearly like a test file.
put_neighbours()
{
	mkdir -p "$1/.iotest-notes" "$1/data"
	echo precious >"$1/data/worker-0"
	echo precious >"$1/.iotest-notes/worker-0"
	echo precious >"$1/worker-0"
	ln "$1/worker-0" "$1/data/hard"
	ln -s ../worker-0 "$1/data/soft"
}

what_lies()
{
	find "$1" -mindepth 1 -not -name lost+found -printf '%P %y %n %s %m %U %T@ %l\n' | sort
	find "$1" -type f -exec cat {} + | cksum
}

# ------------------------------------------------------------------ one kill

processes_of()
{
	pgrep -f -- "-t $T/d "
}

# A second after the death of their parent only those live that the kernel holds in a call.
expect_no_orphans()
{
	local i pid state

	for ((i = 0; i < 10; i++)); do
		processes_of >/dev/null || return 0
		sleep 0.1
	done
	for pid in $(processes_of); do
		state=$(awk '$1 == "State:" { print $2 }' "/proc/$pid/status" 2>/dev/null)
		[[ $state =~ ^[DZX]?$ ]] || fail "process $pid lives in state $state"
	done
}

# kill_one SIGNAL WHO: the parent, one of its children, or both
kill_one()
{
	local child

	child=$(pgrep -P "$pid" | shuf -n 1 --random-source=<(yes "$RANDOM"))
	case $2 in
	parent) kill -s "$1" "$pid" ;;
	child) [ -z "$child" ] || kill -s "$1" "$child" ;;
	both) kill -s "$1" ${child:+"$child"} "$pid" ;;
	esac
} 2>/dev/null

# What a child left is the parent's to end; who is asked to end takes a moment for its bundle.
round()
{
	local signals=(TERM KILL) whos=(parent child both)
	local signal=${signals[RANDOM % 2]} who=${whos[RANDOM % 3]} after_ms=$((RANDOM % 700))

	echo "     kill $1: $signal to $who after $after_ms ms" >last
	"$IOTEST" -q -t "$T/d" -o "$T/o" --size 64M --workers 2 --no-bundle --prove 60 --time-limit 5 \
		>out 2>err </dev/null &
	pid=$!
	sleep "$(printf '0.%03d' "$after_ms")"
	kill_one "$signal" "$who"
	if [ "$signal" = KILL ] && [ "$who" != child ]; then
		wait "$pid"
		expect_no_orphans
	else
		[ "$who" != child ] || sleep 0.2
		kill -TERM "$pid"
		wait "$pid"
	fi
} 2>/dev/null

# ------------------------------------------------------------------ the facts

# kills N DIR: at the target d, whose content lies in DIR
kills()
{
	local i before n_left=0

	echo "     $1 kills, SEED=$SEED"
	RANDOM=$((SEED % 32768))
	put_neighbours "$2"
	before=$(what_lies "$2")
	mkdir -p o
	for ((i = 1; i <= $1; i++)); do
		round "$i"
		iotest -q -t d -o o --size 64K --workers 1 --no-bundle
		if [ "$status" -ne 0 ] || [ "$(what_lies "$2")" != "$before" ]; then
			cat last
			diff <(what_lies "$2") - <<<"$before"
			expect_status 0 "of the next start"
			fail "left in the target, or a neighbour's file was touched"
		fi
		! grep -q 'removed what a run that was killed had left' err || n_left=$((n_left + 1))
		! processes_of >/dev/null || fail "$(cat last): processes are left"
	done
	echo "     after $n_left of $1 the next start had something to remove"
}

kills_with_named_files_leave_nothing_after_the_next_start()
{
	mount_named
	kills $((KILLS - KILLS / 3)) b
	unserve d
}

kills_with_files_that_are_unlinked_leave_nothing_after_the_next_start()
{
	mk_loop_fs ext4 200 d
	kills $((KILLS / 3)) d
}

calls_of()
{
	awk '$1 == "syscw:" { print $2 }' "/proc/$1/io" 2>/dev/null
}

# A worker whose write does not come back ends with that call: it makes no other one.
a_worker_that_hangs_ends_with_its_call()
{
	local worker before after

	mk_loop_fs ext4 300 d
	mkdir o
	"$IOTEST" -t "$T/d" -o o --workers 1 --no-bundle --prove 20 --phases write --time-limit 30 >out 2>err </dev/null &
	pid=$!
	wait_for grep -sq '^write phase' err
	worker=$(pgrep -P "$pid")
	freeze d
	sleep 0.5
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	sleep 1
	expect_equal "$(awk '$1 == "State:" { print $2 }' "/proc/$worker/status")" D "state of the worker"
	before=$(calls_of "$worker")
	thaw d
	# A call is counted when it comes back. Mostly the process is gone before it could be asked.
	after=$(calls_of "$worker")
	[ "${after:-0}" -le $((before + 1)) ] || fail "$((after - before)) more calls"
	expect_no_process "-t $T/d"
	iotest -q -t d -o o --size 64K --no-bundle
	expect_status 0
	expect_empty d
}

# The storage does not answer when the files are removed: the first signal waits for it, the second
# does not.
a_second_ctrl_c_does_not_wait()
{
	# Background jobs of a script have SIGINT ignored; the tool must then leave it so.
	set -m
	mkdir -p b d o
	serve b d unlink:hang
	"$IOTEST" -t "$T/d" -o "$T/o" --size 1G --workers 1 --yes --format json >out 2>err </dev/null &
	pid=$!
	wait_for grep -sq '^write phase' err
	sleep 0.3
	kill -INT "$pid"
	wait_for grep -sq '^removing' err
	sleep 1
	kill -0 "$pid" || fail "the first one did not wait"
	kill -INT "$pid"
	for ((i = 0; i < 80; i++)); do
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.1
	done
	! kill -0 "$pid" 2>/dev/null || fail "the second one waits"
	status=0
	wait "$pid" || status=$?
	expect_status 130
	expect_json out '.phases.write.status == "interrupted"'
	expect_json out '[.findings[].id] | index("left-behind") != null'
	unserve d
	mount_named
	iotest -q -t d -o o --size 64K --workers 1 --no-bundle
	expect_status 0
	expect_empty d
	unserve d
}

run_tests kills_with_named_files_leave_nothing_after_the_next_start \
	kills_with_files_that_are_unlinked_leave_nothing_after_the_next_start \
	a_worker_that_hangs_ends_with_its_call a_second_ctrl_c_does_not_wait
