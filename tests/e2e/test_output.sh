#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Where the results cannot go: the exit status and the page say what happened, nothing is left.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

a_full_output_directory_ends_before_the_test()
{
	need_root
	mkdir d
	mk_tmpfs o 1
	dd if=/dev/zero of=o/filler bs=1k count=950 2>/dev/null
	iotest -t d --size 4M -o o
	expect_status 1
	expect_text err "No space left on device"
	expect_equal "$(find o -name '*.partial')" "" "folders left"
	expect_empty d
	expect_equal "$(wc -c <out)" 0 "bytes on standard output"
}

fill_when_begun()
{
	for _ in $(seq 200); do
		grep -q '^write phase' err 2>/dev/null && break
		sleep 0.02
	done
	dd if=/dev/zero of=o/filler bs=4k 2>/dev/null
}

an_output_directory_that_fills_up_keeps_the_result()
{
	need_root
	mkdir d
	mk_tmpfs o 4
	fill_when_begun &
	iotest -t d --size 256M -o o
	wait
	expect_status 4
	expect_text err "No space left on device"
	expect_text out "^BUNDLE  none"
	expect_text out "exit status 4"
	expect_equal "$(find o -name '*.tar.gz')" "" "archives"
	expect_empty d
}

remove_when_begun()
{
	for _ in $(seq 200); do
		grep -q '^write phase' err 2>/dev/null && break
		sleep 0.02
	done
	rmdir b
}

a_second_target_that_fails_does_not_cost_the_first()
{
	mkdir a b o
	remove_when_begun &
	iotest -t a -t b --size 256M -o o --format json
	wait
	expect_status 4
	expect_text err "/b: cannot open the directory: No such file or directory"
	expect_json out '.targets | length == 2'
	expect_json out '.targets[0].phases.write.status == "complete"'
	expect_json out '.targets[1].verdict.result == "invalid"'
	expect_json out '[.targets[].exit_status] == [4, 4]'
	expect_json out '.targets[1].findings[0].id == "run-failed"'
	expect_empty a
	bundle_in o
}

hostile_names_do_not_reach_the_terminal()
{
	iotest plan -t $'/no\nsuch\e[31m'
	expect_status 1
	no_control_characters err
	expect_text err '/no.012such.033'
}

run_tests a_full_output_directory_ends_before_the_test \
	an_output_directory_that_fills_up_keeps_the_result \
	a_second_target_that_fails_does_not_cost_the_first hostile_names_do_not_reach_the_terminal
