#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# When a run needs a yes: asked on a terminal, an option in a script. And the time limit.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# A file system that is too small for what the rules want: the plan shrinks to fit.
small_target()
{
	mk_loop_fs ext4 128 m
	mkdir o
}

# on_terminal INPUT ARGUMENT...: iotest on a terminal of its own; what it showed is in shown.
on_terminal()
{
	local input=$1 line
	shift

	printf -v line '%q ' "$IOTEST" "$@"
	status=0
	# The answer comes late, as from a person: script(1) ends its input with its own.
	{
		sleep 1
		printf '%s' "$input"
		wait_for test -e "$T/ended"
	} | script -qec "$line; code=\$?; touch $T/ended; exit \$code" /dev/null >shown 2>&1 || status=$?
	rm -f "$T/ended"
}

a_script_must_say_yes()
{
	small_target
	iotest -t m -o o
	expect_status 2
	expect_text err '--yes'
	expect_text err '--size'
	expect_text err '--time-limit'
	expect_empty m
	expect_equal "$(ls -A o)" "" "left in the output directory"
}

with_yes_it_runs()
{
	small_target
	iotest -t m -o o --yes
	expect_status 0
	bundle_in o
	unpack "$bundle" b
	expect_json b/report.json '.plan.shrunk == true and .plan.sized_by == "space"'
	expect_json b/report.json '.plan.needs_consent == true'
	expect_json b/report.json '.verdict.result != "pass"'
	expect_empty m
}

plan_needs_no_consent()
{
	small_target
	iotest plan -t m
	expect_status 0
	[ "$(wc -L <out)" -le 100 ] || fail "wide"
	expect_text out '^CONSENT NEEDED'
}

a_terminal_is_asked_and_no_is_no()
{
	small_target
	on_terminal $'n\n' -t m -o o
	expect_text shown '\[y/N\]'
	[ "$status" -eq 1 ] || { cat -v shown; fail "exit status $status instead of 1"; }
	expect_empty m
}

a_terminal_is_asked_and_an_empty_answer_is_no()
{
	small_target
	on_terminal $'\n' -t m -o o
	expect_text shown '\[y/N\]'
	[ "$status" -eq 1 ] || { cat -v shown; fail "exit status $status instead of 1"; }
}

a_terminal_is_asked_and_yes_runs()
{
	small_target
	on_terminal $'y\n' -t m -o o
	expect_text shown '\[y/N\]'
	[ "$status" -eq 0 ] || { cat -v shown; fail "exit status $status instead of 0"; }
	bundle_in o
	expect_empty m
}

a_run_that_fits_just_runs()
{
	mkdir d o
	iotest -t d --size 4M -o o
	expect_status 0
	expect_no_text err 'y/N'
}

quiet_says_nothing_on_stderr()
{
	mkdir d o
	iotest -t d --size 4M -o o -q
	expect_status 0
	[ ! -s err ] || { show; fail "-q is not silent"; }
}

a_time_limit_ends_a_run_in_an_orderly_way()
{
	mkdir d o
	SECONDS=0
	iotest -t d --size 8G --workers 1 --time-limit 2s -o o
	expect_status 0
	[ "$SECONDS" -lt 30 ] || fail "took $SECONDS s"
	bundle_in o
	unpack "$bundle" b
	expect_json b/report.json '.phases.write.status == "time-limit" or .phases.read.status == "time-limit"'
	expect_json b/report.json '.phases.write.bytes > 0'
	expect_json b/report.json '.phases.write.bytes == ([.phases.write.workers[].bytes] | add)'
	expect_json b/report.json '[.findings[].id] | index("time-limit") != null'
	expect_json b/report.json '[.phases.write.workers[] | .exit_status == 0 and .error == 0] | all'
	expect_empty d
}

without_require_the_verdict_leaves_the_exit_status_alone()
{
	mkdir d o
	iotest -t d --size 64M -o o
	expect_status 0
	iotest -t d --size 1G --workers 1 -o o --require 100000000
	expect_status 3
	expect_text out 'BELOW'
	expect_empty d
}

a_short_run_proves_nothing_when_required()
{
	mkdir d o
	iotest -t d --size 64K --workers 1 -o o --require 1
	expect_status 4
	expect_text out 'too-short'
	expect_text out 'INCONCLUSIVE'
}

run_tests a_script_must_say_yes with_yes_it_runs plan_needs_no_consent \
	a_terminal_is_asked_and_no_is_no a_terminal_is_asked_and_an_empty_answer_is_no \
	a_terminal_is_asked_and_yes_runs a_run_that_fits_just_runs quiet_says_nothing_on_stderr \
	a_time_limit_ends_a_run_in_an_orderly_way \
	without_require_the_verdict_leaves_the_exit_status_alone a_short_run_proves_nothing_when_required
