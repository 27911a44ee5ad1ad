#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Another user who may write to the target cannot make a run, or what cleans up after one, touch
# anything that is not of iotest.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

readonly AS_ATTACKER=(setpriv --reuid=65533 --regid=65533 --clear-groups)

HOST=$(uname -n | tr -c '[:alnum:].\n-' _ | cut -c 1-63)
BOOT=$(cut -c 1-8 /proc/sys/kernel/random/boot_id)
readonly HOST BOOT

# The worst victim: the owner of the run has files there that look like test files.
put_victim()
{
	mkdir -p -m 0755 victim
	put_test_file victim/worker-0
	put_test_file victim/worker-7
	echo precious >victim/data
	what_lies victim >victim.before
}

put_test_file()
{
	echo "iotest test file of run 0123, worker 1 of 1: made by iotest to measure this file system, x" >"$1"
}

what_lies()
{
	find "$1" -printf '%P %y %i %n %s %m %U %T@ %l\n' | sort
	find "$1" -type f -exec cat {} + | cksum
}

expect_victim_untouched()
{
	what_lies victim | diff victim.before - || fail "the victim was touched"
}

# begin_attack MODE: of the target d, in which test files keep their names
begin_attack()
{
	need_root
	put_victim
	mkdir -p b
	chmod "$1" b
	serve b d
	cp "$(dirname "$IOTEST")/tests/attacker" attacker
	"${AS_ATTACKER[@]}" ./attacker "$T/d" "$T/victim" >attack.out 2>attack.err &
	attacker=$!
}

end_attack()
{
	kill -TERM "$attacker"
	wait "$attacker" || fail "the attacker failed: $(cat attack.err)"
	sed 's/^/     /' attack.out
	expect_text attack.out 'tries=[1-9]'
	expect_victim_untouched
}

has_test_files()
{
	[ -n "$(find b -name worker-1 -size +0)" ]
}

# killed_run: one that has no time to clean up
killed_run()
{
	"$IOTEST" -q -t d -o o --workers 2 --prove 20 --phases write --time-limit 20 --no-bundle >out 2>err </dev/null &
	pid=$!
	wait_for has_test_files
	kill -KILL "$pid"
	wait "$pid"
} 2>/dev/null

in_a_sticky_target_nothing_can_be_done_to_a_run()
{
	begin_attack 1777
	iotest -q -t d --size 8M --workers 2 --no-bundle --format json
	expect_status 0
	expect_json out '[.phases.read.workers[].bad_stamps] | add == 0'
	expect_json out '[.findings[].id] | index("left-behind") == null'
	killed_run
	iotest -q -t d --size 1M --workers 1 --no-bundle --format json
	expect_status 0
	expect_json out '[.findings[].id] | index("swept") != null'
	end_attack
	expect_text attack.out 'swaps=0 inside=0'
	expect_empty b
	unserve d
}

# Without the sticky bit directories can be taken away, but what lies elsewhere stays untouched.
where_a_directory_can_be_swapped_nothing_else_is_touched()
{
	local i

	begin_attack 0777
	for ((i = 0; i < 4; i++)); do
		iotest -q -t d --size 8M --workers 2 --no-bundle --format json
		expect_victim_untouched
		iotest clean -t d
		expect_victim_untouched
	done
	end_attack
	expect_text attack.out 'swaps=[1-9][0-9]* inside=0'
	expect_equal "$(find b -name 'worker-*' -type f | wc -l)" 0 "test files"
	unserve d
}

# What cleans up looks first and removes then: in between the directory is exchanged, again and again.
a_leftover_that_is_exchanged_while_it_is_swept_leads_nowhere()
{
	local i name pid

	begin_attack 0777
	true &
	pid=$!
	wait "$pid"
	for ((i = 0; i < 12; i++)); do
		name=.iotest-$HOST-$pid-$BOOT-$(printf '%016x' "$i")
		# Under another name first: the test itself must not follow a link that was put there.
		mkdir -m 0700 "d/new-$i"
		put_test_file "d/new-$i/worker-0"
		mv "d/new-$i" "d/$name"
		iotest clean -t d
	done
	end_attack
	expect_text attack.out 'swaps=[1-9][0-9]* inside=0'
	unserve d
}

# Names that a run would give, made by somebody else, in wait for root.
what_others_put_there_is_left_alone()
{
	local pid

	need_root
	put_victim
	mkdir -m 1777 d
	true &
	pid=$!
	wait "$pid"
	# shellcheck disable=SC2016
	"${AS_ATTACKER[@]}" bash -c '
		name=$1/d/.iotest-$2
		ln -s "$1/victim" "${name}1"
		mkdir -m 0700 "${name}2"
		ln -s "$1/victim/worker-0" "${name}2/worker-0"
		mkdir -m 0700 "${name}3"
		ln -s "$1/victim" "${name}3/worker-0"
		mkfifo "${name}4"
		ln "$1/victim/data" "${name}2/worker-1" 2>/dev/null
		true' plant "$T" "$HOST-$pid-$BOOT-000000000000000" || fail "plant"
	what_lies d | sed 1d >before
	iotest clean -t d
	expect_status 0
	expect_text out '0 removed, 0 B; 4 left alone, 0 failed$'
	iotest -q -t d --size 1M --workers 1 --no-bundle
	expect_status 0
	what_lies d | sed 1d | diff before - || fail "something was touched"
	expect_victim_untouched
}

run_tests in_a_sticky_target_nothing_can_be_done_to_a_run \
	where_a_directory_can_be_swapped_nothing_else_is_touched \
	a_leftover_that_is_exchanged_while_it_is_swept_leads_nowhere what_others_put_there_is_left_alone
